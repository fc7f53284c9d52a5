//! Effects of a line's commands on files, as far as their words show: the table of programs that guards judge by.

use hookkit::shell::{Command, Part, RedirectionOperator};

pub(crate) mod changes;
pub(crate) mod mentions;
pub(crate) mod programs;

/// Variables whose value a program runs.
pub(crate) const RUN: &[&str] = &[
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "VISUAL",
];

/// Returns what is printed by `echo` and `printf`, and what here-documents hold.
pub(crate) fn texts(command: &Command) -> impl Iterator<Item = String> {
    use RedirectionOperator::{HereDocument, HereString};
    let is_printed = matches!(command.program(), Some("echo" | "printf"));
    let printed = command.arguments().iter().filter(move |_| is_printed);
    let is_text = |operator| matches!(operator, HereDocument | HereString);
    let documents = command
        .redirections
        .iter()
        .filter(move |redirection| is_text(redirection.operator));
    printed
        .chain(documents.map(|redirection| &redirection.target))
        .map(|word| {
            let parts = word.parts.iter().map(|part| match part {
                Part::Literal(text) => text.as_str(),
                Part::Expansion(_) => "",
            });
            parts.collect()
        })
}
