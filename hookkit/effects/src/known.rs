//! Commands whose effect is certain.

use hookkit_shell::{Command, Redirection, RedirectionOperator, Word};

use crate::row::{Known, Operands, Row, TABLE, parts};

/// Returns the facts about a command that certainly changes nothing.
///
/// The command's name has no path, and the table has its first words and all of its options. The words are literal,
/// except that files may be patterns of names or insertions of `find` and `xargs`, and printed texts may be anything.
/// The command contacts only the server in the user's own settings, and its output is not secret by nature: `aws
/// secretsmanager get-secret-value` and `kubectl get secrets` are not reads here. It may show data from elsewhere in a
/// service, such as the variables of a container.
pub fn reads(command: &Command) -> Option<Known> {
    asks(command).or_else(|| known(command, "reads"))
}

/// Returns `true` if a command certainly changes nothing ([`reads`]), and neither do its redirections or the variables
/// before it.
pub fn only_reads(command: &Command) -> bool {
    let is_harmless = |redirection: &Redirection| match redirection.operator {
        RedirectionOperator::Input | RedirectionOperator::DuplicateInput => true,
        operator if operator.has_text() => true,
        operator => match redirection.target.literal() {
            Some("/dev/null") => true,
            target => operator == RedirectionOperator::DuplicateOutput && matches!(target, Some("1" | "2")),
        },
    };
    reads(command).is_some() && command.assignments.is_empty() && command.redirections.iter().all(is_harmless)
}

/// Returns the facts about a command that runs the project's code as its author meant it: a build, a test, a linter.
///
/// The command writes the files that such code writes. Nothing else about it is certain: a test can do anything.
pub fn builds(command: &Command) -> Option<Known> {
    known(command, "builds")
}

/// Returns the facts about a command that edits the project's files: a formatter, a linter that fixes its findings, or
/// a command that names the files, like `touch`.
pub fn edits(command: &Command) -> Option<Known> {
    known(command, "edits")
}

fn known(command: &Command, effect: &str) -> Option<Known> {
    let name = command.name()?;
    // A project brings these programs, and they run its code anyway.
    let name = match name {
        "./gradlew" | "./mvnw" => &name[2..],
        _ => name,
    };
    let first = command.arguments().first().and_then(Word::literal);
    TABLE.rows(name).find_map(|row| Row::of(row.text, effect, first)?.known(command))
}

/// Returns the facts about a command that only prints a program's version or help.
fn asks(command: &Command) -> Option<Known> {
    let words: Vec<&str> = command.arguments().iter().map(Word::literal).collect::<Option<_>>()?;
    let name = command.name()?;
    let of_rows = |wanted| {
        TABLE.rows(name).flat_map(|row| parts(row.text)).find_map(|(part, words)| (part == wanted).then_some(words))
    };
    let is_command = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !word.starts_with('-')
    };
    let settings = match words[..] {
        ["-h" | "--help" | "-V" | "--version"] => of_rows("asked").or_else(|| of_rows("reads").map(|_| ""))?,
        ["help", ref of @ ..] | [ref of @ .., "--help"] => {
            let most = if of_rows("helpful")? == "*" { 3 } else { 1 };
            let settings = of_rows("settings").unwrap_or_default();
            (of.len() <= most && of.iter().all(is_command)).then_some(settings)?
        }
        _ => return None,
    };
    Some(Known { operands: Operands::Names, words: words.len(), settings })
}

#[cfg(test)]
mod tests;
