//! Commands that become certain through the line's variables, the output of `echo`, or the calls of a function:
//! `PY=.venv/bin/python; $PY -m pytest`.

use super::behind::may_destroy;
use crate::effects::changes::is_fetcher;
use crate::prelude::*;
use crate::variables::{MOST_UNANALYZED, is_of_call, started, variable};

/// Returns the commands that an unanalyzed part may become, as lines; `None` if its values are not certain.
pub(super) fn lines(unanalyzed: &Unanalyzed, script: &Script, variables: &Variables) -> Option<Vec<String>> {
    if script.unanalyzed().len() > MOST_UNANALYZED {
        return None;
    }
    let is_it = |word: &Word| word.span == unanalyzed.span;
    let mut commands = script.commands().iter();
    let command = match unanalyzed.why {
        Why::Name => commands.find(|command| command.words.first().is_some_and(is_it))?,
        Why::Prefix => started(unanalyzed, script)?,
        Why::ScriptText => commands.find(|command| command.arguments().iter().any(is_it))?,
        _ => return None,
    };
    // A command with literal words is unanalyzed for another reason.
    let is_home = |word: &Word| word.parts.first().is_some_and(|part| part.is(ExpansionKind::Tilde));
    if (command.words.iter()).all(|word| word.literal().is_some() || is_home(word)) {
        return None;
    }
    let functions = functions(script);
    let is_call =
        |call: &&Command| call.name().is_some_and(|name| command.via.contains(&Via::Function(name.to_owned())));
    let name = command.words.first().and_then(|word| variable(word.parts.first()?));
    let is_of_call = name.is_some_and(is_of_call);
    let gets_input = is_of_call
        && script
            .commands()
            .iter()
            .filter(is_call)
            .chain([command])
            .any(|command| command.is_in_pipeline() || !command.redirections.is_empty());
    let commands = variables.commands(command);
    let lines = commands.iter().map(|command| {
        let name = command.name()?;
        if is_of_call && (lists(CHANGERS, name) || functions.contains(&name)) {
            return None;
        }
        let line = line(&command.assignments, &command.words)?;
        // Its input may come from anywhere.
        Some(if gets_input { format!("curl - | {line}") } else { line })
    });
    lines.collect()
}

/// Builtins that change the shell for later commands.
const CHANGERS: &str = ". alias builtin cd chdir command declare eval exec export getopts local mapfile popd printf pushd read \
    readarray readonly set source trap typeset unset";

/// Returns `true` if the values in a script may be more than words: texts of the line that would destroy something
/// (`x='; rm -rf ~'; bash -c "ls $x"`), or text from another machine.
pub(super) fn may_hide(unanalyzed: &Unanalyzed, script: &Script) -> bool {
    let mut commands = script.commands().iter();
    let has_sign = |text: &str| text.contains([';', '|', '&', '`', '\n', '(']) && may_destroy(text);
    // A quote in a value may turn a quoted string of the script into a command.
    let is_quoted = unanalyzed.text.contains(['\'', '\\']) && may_destroy(&unanalyzed.text);
    let destroys = |word: &Word| {
        let is_other = !(word.span.start <= unanalyzed.span.start && unanalyzed.span.end <= word.span.end);
        // A default, or an array, whose elements are not kept.
        let brings_one = |part: &Part| part.is(ExpansionKind::Array) || variable(part).is_some_and(has_sign);
        let text = word.to_string();
        let ends_text = || is_quoted && text.contains(['\'', '"', '\\']);
        word.parts.iter().any(brings_one) || is_other && (has_sign(&text) || ends_text())
    };
    commands.any(|command| {
        let set = command.assignments.iter();
        let mut set = set.flat_map(|set| set.elements.iter().flatten().chain([&set.value]));
        fetches_text(command) || set.any(destroys) || command.texts().skip(1).any(destroys)
    })
}

/// Returns `true` for a command that brings text from another machine into the line.
fn fetches_text(command: &Command) -> bool {
    command.via.iter().any(|via| matches!(via, Via::Pipeline | Via::CommandSubstitution | Via::ProcessSubstitution))
        && command.program().is_some_and(is_fetcher)
}

/// Returns the functions that a line's commands run in, without adjacent duplicates.
fn functions(script: &Script) -> Vec<&str> {
    let mut names: Vec<&str> = script
        .commands()
        .iter()
        .flat_map(|command| &command.via)
        .filter_map(|via| match via {
            Via::Function(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    names.dedup();
    names
}

/// Returns an equivalent line for a command; `None` if a part is not literal.
fn line(assignments: &[Assignment], words: &[Word]) -> Option<String> {
    let mut line = Vec::new();
    for assignment in assignments {
        let value = assignment.value.literal().filter(|_| assignment.elements.is_none())?;
        line.push(format!("{}={}", assignment.name, shell_word(value)));
    }
    for (index, word) in words.iter().enumerate() {
        match (word.literal(), &word.parts[..]) {
            // `eval` may turn it into an assignment.
            (Some(text), _) if index == 0 && text.contains('=') => return None,
            (Some(text), _) => line.push(shell_word(text).into_owned()),
            // As a name it would be unanalyzed again.
            (None, [Part::Expansion(home), rest @ ..]) if home.kind == ExpansionKind::Tilde && index > 0 => {
                let rest = match rest {
                    [] => Cow::Borrowed(""),
                    [Part::Literal(rest)] => shell_word(rest),
                    _ => return None,
                };
                line.push(format!("~{rest}"));
            }
            (None, _) => return None,
        }
    }
    Some(line.join(" "))
}
