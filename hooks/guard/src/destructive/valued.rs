//! Commands that are known by the values of variables which the line sets, or by what `echo` prints:
//! `PY=.venv/bin/python; $PY -m pytest`.

use hookkit::process::shell_word;
use hookkit::shell::{Command, ExpansionKind, Part, Script, Unanalyzed, Via, Why, Word};

use super::taken::{Taking, printed};
use crate::variables::{MOST_UNANALYZED, Variables, started};

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
    // One whose words are known is not known for another reason.
    if command.words.iter().all(|word| word.literal().is_some()) {
        return None;
    }
    match variables {
        Some(variables) => variables
            .commands(command)
            .iter()
            .map(|command| line(command, script))
            .collect(),
        None => Some(vec![line(command, script)?]),
    }
}

/// Returns a command as a line that means the same; `None` if a part of it is not known.
fn line(command: &Command, script: &Script) -> Option<String> {
    let mut words = Vec::new();
    for assignment in &command.assignments {
        let value = assignment.value.literal().filter(|_| assignment.elements.is_none())?;
        words.push(format!("{}={}", assignment.name, shell_word(value)));
    }
    for word in &command.words {
        match word.literal() {
            Some(text) => words.push(shell_word(text).into_owned()),
            None => words.extend(output(word, script)?.iter().map(|text| shell_word(text).into_owned())),
        }
    }
    Some(words.join(" "))
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
