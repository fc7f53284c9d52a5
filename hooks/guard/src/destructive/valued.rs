//! Commands that are only known by the values of variables which the line sets: `PY=.venv/bin/python; $PY -m pytest`.

use hookkit::process::shell_word;
use hookkit::shell::{Command, Script, Unanalyzed, Why, Word};

use crate::variables::{Variables, started};

/// Returns the commands that something may be which is not known by itself, as lines; `None` if the values are not known
/// either.
pub(super) fn lines(unanalyzed: &Unanalyzed, script: &Script, variables: &Variables) -> Option<Vec<String>> {
    let command = match unanalyzed.why {
        Why::Name => {
            let is_it = |command: &&Command| command.words.first().is_some_and(|word| word.span == unanalyzed.span);
            script.commands().iter().find(is_it)?
        }
        Why::Prefix => started(unanalyzed, script)?,
        _ => return None,
    };
    variables.commands(command).iter().map(line).collect()
}

/// Returns a command as a line that means the same; `None` if a part of it is not known.
fn line(command: &Command) -> Option<String> {
    let quoted = |word: &Word| word.literal().map(|text| shell_word(text).into_owned());
    let set = command.assignments.iter().map(|assignment| {
        let value = quoted(&assignment.value).filter(|_| assignment.elements.is_none())?;
        Some(format!("{}={value}", assignment.name))
    });
    let words: Option<Vec<String>> = set.chain(command.words.iter().map(quoted)).collect();
    Some(words?.join(" "))
}
