//! Effects of a line's commands on files, from the table of programs that guards share.

use crate::prelude::*;

pub(crate) mod changes;
pub(crate) mod mentions;
pub(crate) mod programs;

/// Returns the words that `echo` and `printf` print, and the text of here-documents.
pub(crate) fn printed(command: &Command) -> impl Iterator<Item = &Word> {
    let is_printed = command.is("echo printf");
    let documents = command.redirections.iter().filter(|to| to.operator.has_text());
    command.arguments().iter().filter(move |_| is_printed).chain(documents.map(|redirection| &redirection.target))
}
