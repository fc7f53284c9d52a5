//! Commands whose effect is known.

use hookkit_shell::{Command, Redirection, RedirectionOperator, Word};

use crate::row::{Known, Operands, Row, TABLE, parts};

/// Returns what is known of a command that for certain changes nothing.
///
/// Its name has no path, and it is in the table with its first words and with all of its options. Its words are literal; only
/// files may be patterns of names, or what `find` and `xargs` insert, and what is printed may be anything. It asks no server
/// but the one that the user's own settings name, and what it shows is not a secret by its kind:
/// `aws secretsmanager get-secret-value` and `kubectl get secrets` are not reads here. It may show what a service keeps
/// elsewhere, as the variables of a container.
pub fn reads(command: &Command) -> Option<Known> {
    asks(command).or_else(|| known(command, "reads"))
}

/// Returns `true` if a command for certain changes nothing ([`reads`]), and neither its redirections nor variables before it
/// could.
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

/// Returns what is known of a command that runs code of the project as its author meant it: a build, a test, a linter.
///
/// It writes what these write, and no more is known of it: a test can do anything.
pub fn builds(command: &Command) -> Option<Known> {
    known(command, "builds")
}

/// Returns what is known of a command that edits the project's files by a formatter, by a linter that fixes what it finds, or
/// because it names them, as `touch` does.
pub fn edits(command: &Command) -> Option<Known> {
    known(command, "edits")
}

fn known(command: &Command, effect: &str) -> Option<Known> {
    let name = command.name()?;
    // A project brings these, and they run its code anyhow.
    let name = match name {
        "./gradlew" | "./mvnw" => &name[2..],
        _ => name,
    };
    let first = command.arguments().first().and_then(Word::literal);
    TABLE.rows(name).find_map(|row| Row::of(row.text, effect, first)?.known(command))
}

/// Returns what is known of a question for a program's version or help.
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
