//! Words for `$1` and `"$@"`, where the line has them: of a function's calls, behind `bash -c`, and of `set --`.

use hookkit::shell::{Command, Part, Script, Via, Word};

use super::{has_variable, with_parts, words_of};
use crate::words::is_given;

/// Calls that are followed, of one command.
const MOST: usize = 16;

/// Returns a command with the words of each call that gives it some.
pub(crate) fn filled(command: &Command, line: &str, script: &Script) -> Vec<Command> {
    if !words_of(command).any(has_variable) {
        return Vec::new();
    }
    let holds =
        |outer: &Command, inner: &Word| outer.span.start <= inner.span.start && inner.span.end <= outer.span.end;
    let is_giver = |via: &&Via| matches!(via, Via::Function(_) | Via::Script(_));
    let giver = command.via.iter().rev().find(is_giver);
    let given = |call: &Command| -> Option<usize> {
        match giver {
            Some(Via::Function(function)) => (call.name() == Some(function)).then_some(1),
            // The first one behind the script is its name.
            Some(Via::Script(shell)) if call.program() == Some(shell) && holds(call, command.words.first()?) => {
                let is_script =
                    |word: &Word| word.span.start <= command.span.start && command.span.end <= word.span.end;
                Some(call.words.iter().position(is_script)? + 2)
            }
            None if call.name() == Some("set") => {
                let is_end = |word: &Word| word.literal() == Some("--");
                Some(call.words.iter().position(is_end)? + 1)
            }
            _ => None,
        }
    };
    let calls = script.commands().iter();
    let words = calls.filter_map(|call| call.words.get(given(call)?..));
    // What `find` and `xargs` insert is not of the line.
    let is_of_line = |word: &Word| !word.parts.iter().any(is_given);
    let words = words.filter(|words| !words.is_empty() && words.iter().all(is_of_line));
    words.take(MOST).map(|words| with(command, line, words)).collect()
}

/// Returns a command with words in the place of its variables.
fn with(command: &Command, line: &str, given: &[Word]) -> Command {
    let fill = |word: &Word| {
        let number = line.get(word.span.clone()).and_then(number);
        let given = match number {
            Some(number) => given.get(number - 1..number).unwrap_or_default(),
            // Of a script in quotes the name of the variable is not known.
            None => given,
        };
        match (&word.parts[..], given) {
            _ if !has_variable(word) => vec![word.clone()],
            ([_], _) => given.to_vec(),
            (parts, [given]) => {
                let parts = parts.iter().flat_map(|part| match part {
                    Part::Literal(_) => std::slice::from_ref(part),
                    Part::Expansion(_) => &given.parts,
                });
                vec![with_parts(word, parts.cloned().collect())]
            }
            _ => vec![word.clone()],
        }
    };
    let mut with = command.clone();
    with.words = command.words.iter().flat_map(fill).collect();
    for redirection in &mut with.redirections {
        if let [target] = &fill(&redirection.target)[..] {
            redirection.target = target.clone();
        }
    }
    with
}

/// Returns the number of the variable in a word: 1 of `"$1"` and `HEAD:${1}`.
fn number(word: &str) -> Option<usize> {
    let (_, name) = word.split_once('$')?;
    let digits = name.trim_start_matches('{');
    let end = digits.find(|char: char| !char.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok().filter(|number| *number > 0)
}
