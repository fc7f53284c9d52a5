//! Commands that are known by the values of variables which the line sets, by what `echo` prints, or by the calls of a function:
//! `PY=.venv/bin/python; $PY -m pytest`.

use std::borrow::Cow;

use hookkit::process::shell_word;
use hookkit::shell::{Assignment, Command, ExpansionKind, Part, Script, Unanalyzed, Via, Why, Word};

use super::taken::{Taking, printed};
use crate::variables::{MOST_UNANALYZED, Value, Variables, assigned, started};

/// Returns the commands that something may be which is not known by itself, as lines; `None` if the values are not known
/// either.
pub(super) fn lines(unanalyzed: &Unanalyzed, script: &Script, variables: Option<&Variables>) -> Option<Vec<String>> {
    if script.unanalyzed().len() > MOST_UNANALYZED {
        return None;
    }
    let command = match unanalyzed.why {
        Why::Name => {
            let is_it = |command: &&Command| command.words.first().is_some_and(|word| word.span == unanalyzed.span);
            script.commands().iter().find(is_it)?
        }
        Why::Prefix => started(unanalyzed, script)?,
        _ => return None,
    };
    if matches!(&*unanalyzed.text, "\"$@\"" | "$@") {
        return calls(command, script);
    }
    // One whose words are known is not known for another reason.
    if command.words.iter().all(|word| word.literal().is_some()) {
        return None;
    }
    match variables {
        Some(variables) => variables
            .commands(command)
            .iter()
            .map(|command| line(&command.assignments, &command.words, script))
            .collect(),
        None => Some(vec![line(&command.assignments, &command.words, script)?]),
    }
}

/// Returns the words of each call of the function that a command is in, which are the command.
fn calls(command: &Command, script: &Script) -> Option<Vec<String>> {
    let function = command.via.iter().rev().find_map(|via| match via {
        Via::Function(name) => Some(name),
        _ => None,
    })?;
    let is_within = |other: &&Command| other.via.contains(&Via::Function(function.clone()));
    let within = || script.commands().iter().filter(is_within);
    // Behind these the words are others.
    let shifts = within().filter(|other| other.program() == Some("shift"));
    let counts: Option<Vec<usize>> = shifts
        .map(|shift| match shift.arguments() {
            [] => Some(1),
            [count] => count.literal()?.parse().ok(),
            _ => None,
        })
        .collect();
    let most: usize = counts?.iter().sum();
    if most > 3 || within().any(|other| other.program() == Some("set")) || command.words.len() > 1 {
        return None;
    }
    let is_call = |other: &&Command| other.name() == Some(function.as_str());
    let calls: Vec<&Command> = script.commands().iter().filter(is_call).collect();
    let lines = calls.iter().flat_map(|call| {
        let words = (1..=most + 1).filter_map(|at| call.words.get(at..).filter(|words| !words.is_empty()));
        words.map(|words| line(&[], words, script))
    });
    lines.collect::<Option<Vec<_>>>().filter(|_| !calls.is_empty())
}

/// Returns `true` for a line in which texts have signs of a shell that a script with such a text would run:
/// `echo '; rm x' | xargs -I{} sh -c 'ls {}'`.
pub(super) fn has_signs(script: &Script) -> bool {
    let is_sign = |text: &str| text.contains([';', '|', '&', '`', '\n', '$']);
    let has_signs = |word: &Word| word.literal().is_some_and(is_sign);
    let is_taken = |via: &Via| matches!(via, Via::Pipeline | Via::CommandSubstitution | Via::ProcessSubstitution);
    script.commands().iter().any(|command| {
        let prints = matches!(command.program(), Some("echo" | "printf"))
            && (command.via.iter().any(is_taken) || !command.redirections.is_empty());
        prints && command.arguments().iter().any(has_signs)
            || assigned(command).any(|(_, value)| match value {
                Value::One(word) => has_signs(&word),
                Value::Several(words) => words.iter().any(has_signs),
            })
    })
}

/// Returns a command as a line that means the same; `None` if a part of it is not known.
fn line(assignments: &[Assignment], words: &[Word], script: &Script) -> Option<String> {
    let mut line = Vec::new();
    for assignment in assignments {
        let value = assignment.value.literal().filter(|_| assignment.elements.is_none())?;
        line.push(format!("{}={}", assignment.name, shell_word(value)));
    }
    for (index, word) in words.iter().enumerate() {
        match (word.literal(), &word.parts[..]) {
            (Some(text), _) => line.push(shell_word(text).into_owned()),
            // As a name it would be unknown once more.
            (None, [Part::Expansion(home), rest @ ..]) if home.kind == ExpansionKind::Tilde && index > 0 => {
                let rest = match rest {
                    [] => Cow::Borrowed(""),
                    [Part::Literal(rest)] => shell_word(rest),
                    _ => return None,
                };
                line.push(format!("~{rest}"));
            }
            (None, _) => line.extend(output(word, script)?.iter().map(|text| shell_word(text).into_owned())),
        }
    }
    Some(line.join(" "))
}

/// Returns the words that `echo` and `printf` print for a substitution.
fn output(word: &Word, script: &Script) -> Option<Vec<String>> {
    let [Part::Expansion(substitution)] = &word.parts[..] else {
        return None;
    };
    let is_within = |command: &&Command| {
        let is_there = word.span.start <= command.span.start && command.span.end <= word.span.end;
        is_there && command.via.last() == Some(&Via::CommandSubstitution)
    };
    let mut within = script.commands().iter().filter(is_within);
    let (command, None) = (within.next()?, within.next()) else {
        return None;
    };
    let is_known = substitution.kind == ExpansionKind::Command && command.redirections.is_empty();
    let words = printed(command, Taking::Words).filter(|_| is_known)?;
    (words.len() == 1 || !substitution.is_quoted).then_some(words)
}
