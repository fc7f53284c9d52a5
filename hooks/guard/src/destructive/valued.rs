//! Commands that are known by the values of variables which the line sets, by what `echo` prints, or by the calls of a function:
//! `PY=.venv/bin/python; $PY -m pytest`.

use hookkit::shell::programs::table::lists;
use std::borrow::Cow;

use hookkit::process::shell_word;
use hookkit::shell::{
    Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Script, Unanalyzed, Via, Why, Word,
};

use crate::effects::changes::is_fetcher;
use crate::variables::{MOST_UNANALYZED, Value, Variables, assigned, is_of_call, started, variable};

/// Returns the commands that something may be which is not known by itself, as lines; `None` if the values are not known
/// either.
pub(super) fn lines(unanalyzed: &Unanalyzed, script: &Script, variables: &Variables) -> Option<Vec<String>> {
    if script.unanalyzed().len() > MOST_UNANALYZED {
        return None;
    }
    let command = match unanalyzed.why {
        Why::Name => {
            let is_it = |command: &&Command| command.words.first().is_some_and(|word| word.span == unanalyzed.span);
            script.commands().iter().find(is_it)?
        }
        Why::Prefix => started(unanalyzed, script)?,
        Why::ScriptText => {
            let is_it = |command: &&Command| command.arguments().iter().any(|word| word.span == unanalyzed.span);
            script.commands().iter().find(is_it)?
        }
        _ => return None,
    };
    // One whose words are known is not known for another reason.
    let is_home =
        |word: &Word| matches!(word.parts.first(), Some(Part::Expansion(home)) if home.kind == ExpansionKind::Tilde);
    if (command.words.iter()).all(|word| word.literal().is_some() || is_home(word)) {
        return None;
    }
    let functions = functions(script);
    let is_fed = |command: &Command| command.via.contains(&Via::Pipeline) || !command.redirections.is_empty();
    let is_call = |call: &&Command| {
        let is_it = |via: &Via| matches!(via, Via::Function(name) if call.name() == Some(name));
        command.via.iter().any(is_it)
    };
    let name = command.words.first().and_then(|word| variable(word.parts.first()?));
    let is_of_call = name.is_some_and(is_of_call);
    let mut fed = script.commands().iter().filter(is_call).chain([command]);
    let gets_input = is_of_call && fed.any(is_fed);
    let commands = variables.commands(command);
    let lines = commands.iter().map(|command| {
        let name = command.words.first()?.literal()?;
        if is_of_call && (changes_shell(name) || functions.contains(&name)) {
            return None;
        }
        let line = line(&command.assignments, &command.words)?;
        // What it reads may come from anywhere.
        Some(if gets_input { format!("curl - | {line}") } else { line })
    });
    lines.collect()
}

/// A line with more functions, and scripts, is not looked through.
const MOST: usize = 64;

/// Returns `true` for a builtin that changes the shell, for all that follows.
fn changes_shell(name: &str) -> bool {
    lists(
        ". alias builtin cd chdir command declare eval exec export getopts local mapfile popd printf pushd read \
        readarray readonly set source trap typeset unset",
        name,
    )
}

/// Returns `true` for a line in which texts have signs of a shell that a script with such a text would run:
/// `echo '; rm x' | xargs -I{} sh -c 'ls {}'`.
pub(super) fn has_signs(line: &str, script: &Script) -> bool {
    let parts = script.unanalyzed().iter().filter(|part| part.why == Why::ScriptPart);
    let commands = || script.commands().iter();
    let texts = Texts {
        scripts: parts.map(|part| part.span.start).collect(),
        functions: functions(script),
        are_read: commands().any(reads),
    };
    // The words of the command before.
    let has_past = || ["$_", "${_", "BASH_"].iter().any(|name| line.contains(name));
    texts.scripts.len() + texts.functions.len() > MOST
        || has_default(line)
        || has_past()
        || commands().any(fetches_text)
        || commands().any(|command| texts.have_sign(command))
}

/// Returns `true` for a command that gives the line what another machine sends.
fn fetches_text(command: &Command) -> bool {
    let is_taken = |via: &Via| matches!(via, Via::Pipeline | Via::CommandSubstitution | Via::ProcessSubstitution);
    command.program().is_some_and(is_fetcher) && command.via.iter().any(is_taken)
}

/// Returns the functions of a line, as often as another one is between their commands.
fn functions(script: &Script) -> Vec<&str> {
    let ways = script.commands().iter().flat_map(|command| &command.via);
    let names = ways.filter_map(|via| match via {
        Via::Function(name) => Some(name.as_str()),
        _ => None,
    });
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    names
}

/// Returns `true` if a variable of the line has another text by its braces: `${x:-; rm y}`.
fn has_default(line: &str) -> bool {
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || "_#%!".contains(char);
    let mut braces = line.match_indices("${").map(|(at, _)| &line[at + 2..]);
    braces.any(|rest| match rest.split_once('}') {
        Some((text, _)) => is_sign(text.trim_start_matches(is_of_name)),
        None => true,
    })
}

/// Returns `true` for a text that may be more than words to a shell.
fn is_sign(text: &str) -> bool {
    let text = text.trim_end_matches("\\n").trim_end_matches("\\0");
    text.bytes().any(|byte| b";|&`\n<>()'\"\\#".contains(&byte))
}

fn has_sign(word: &Word) -> bool {
    word.parts.iter().any(|part| match part {
        Part::Literal(text) => is_sign(text),
        // Its elements are not kept.
        Part::Expansion(expansion) => expansion.kind == ExpansionKind::Array,
    })
}

/// Returns `true` for a command that makes words of what it reads.
fn reads(command: &Command) -> bool {
    use RedirectionOperator::{Input, ReadWrite};
    let is_input = |to: &Redirection| matches!(to.operator, Input | ReadWrite);
    let program = command.program().unwrap_or_default();
    lists("fd fdfind find mapfile parallel read readarray xargs", program) || command.redirections.iter().any(is_input)
}

/// Commands that take the texts of a line into them.
struct Texts<'s> {
    /// The starts of its scripts with holes.
    scripts: Vec<usize>,
    functions: Vec<&'s str>,
    are_read: bool,
}

impl Texts<'_> {
    /// Returns `true` if a command sets, prints or names a text with a sign.
    fn have_sign(&self, command: &Command) -> bool {
        let is_taken = command.via.iter().any(|via| {
            use Via::{CommandSubstitution, Function, Pipeline, ProcessSubstitution};
            matches!(via, CommandSubstitution | Function(_) | Pipeline | ProcessSubstitution)
        });
        let program = command.program().unwrap_or_default();
        let mut words = command.arguments();
        let gives = match program {
            "echo" | "printf" => is_taken || !command.redirections.is_empty() || command.has_argument("-v"),
            "cp" | "declare" | "ln" | "local" | "mkdir" | "mv" | "set" | "touch" | "typeset" => true,
            // Their patterns and scripts have signs of their own.
            "egrep" | "fgrep" | "grep" | "rg" => false,
            "eval" | "parallel" | "ssh" | "sudo" | "trap" | "xargs" => false,
            "bash" | "dash" | "ksh" | "sh" | "zsh" => {
                // Behind its script are texts for it.
                let is_option = |word: &Word| word.known_start().starts_with('-');
                let at = words.iter().position(|word| !is_option(word)).map_or(0, |at| at + 1);
                words = &words[at..];
                true
            }
            "find" => is_taken && command.has_argument("-printf"),
            _ => is_taken || self.functions.contains(&program),
        };
        // A file that nothing of the line reads.
        let is_kept = !self.are_read
            && !is_taken
            && command
                .redirections
                .iter()
                .any(|to| to.operator == RedirectionOperator::Output);
        let redirects = |to: &Redirection| {
            has_sign(&to.target) && !(to.operator.has_text() && (is_kept || self.scripts.contains(&to.span.start)))
        };
        let sets = |value: Value| match value {
            Value::One(word) => has_sign(&word),
            Value::Several(words) => words.iter().any(has_sign),
        };
        gives && words.iter().any(has_sign)
            || command.redirections.iter().any(redirects)
            || assigned(command).any(|(_, value)| sets(value))
    }
}

/// Returns a command as a line that means the same; `None` if a part of it is not known.
fn line(assignments: &[Assignment], words: &[Word]) -> Option<String> {
    let mut line = Vec::new();
    for assignment in assignments {
        let value = assignment.value.literal().filter(|_| assignment.elements.is_none())?;
        line.push(format!("{}={}", assignment.name, shell_word(value)));
    }
    for (index, word) in words.iter().enumerate() {
        match (word.literal(), &word.parts[..]) {
            // `eval` may make an assignment of it.
            (Some(text), _) if index == 0 && text.contains('=') => return None,
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
            (None, _) => return None,
        }
    }
    Some(line.join(" "))
}
