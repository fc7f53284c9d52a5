//! Scripts and programs that a line writes, or has from another machine, and then runs.

use hookkit::shell::{Command, ExpansionKind, Part, RedirectionOperator, Script, Via, Word};

use super::Danger;
use super::others::{self, Language};
use crate::effects::mentions::runs_stdin;
use crate::effects::texts;

/// Programs that print what another machine sends.
const FETCHERS: &[&str] = &[
    "aria2c", "curl", "fetch", "http", "https", "lynx", "wget", "wget2", "xh",
];

/// Programs whose output is in the line, or is the content of files that they name.
const PRINTERS: &[&str] = &["cat", "echo", "printf", "tee"];

/// More files, and more scripts, are not followed.
const MOST: usize = 16;

/// A program that runs a script.
#[derive(PartialEq)]
enum Interpreter {
    Shell,
    /// One of another language.
    Language,
}

impl Interpreter {
    fn of(command: &Command) -> Option<Self> {
        let program = command.program()?;
        let is_shell = matches!(program, "bash" | "dash" | "fish" | "ksh" | "sh" | "zsh");
        let is_language = || matches!(Language::of(program), Some(Language::General));
        if is_shell {
            Some(Self::Shell)
        } else {
            is_language().then_some(Self::Language)
        }
    }
}

/// The content of a file that the line writes.
enum Content {
    Fetched,
    Text(String),
}

/// Returns the dangers of what a line runs that it has written itself; `judge` is for the text of a shell's script.
pub(super) fn run(script: &Script, judge: impl Fn(&str) -> Option<Danger>) -> Vec<Danger> {
    let commands = script.commands();
    let mut dangers: Vec<Danger> = commands
        .iter()
        .enumerate()
        .filter(|(_, command)| Interpreter::of(command) == Some(Interpreter::Language))
        .filter_map(|(at, command)| of_stdin(command, commands[..at].last()).or_else(|| of_output(command)))
        .collect();
    let runs: Vec<(&Command, String)> = commands
        .iter()
        .filter_map(|command| Some((command, file_of(command)?)))
        .collect();
    if runs.is_empty() {
        return dangers;
    }
    let written: Vec<(String, Content)> = commands.iter().flat_map(written).take(MOST).collect();
    for (command, file) in runs.into_iter().take(MOST) {
        for (_, content) in written.iter().filter(|(name, _)| *name == file) {
            dangers.extend(match content {
                Content::Fetched => Some(Danger::ask(format!(
                    "`{command}` runs what another machine has sent to `{file}`"
                ))),
                Content::Text(text) if Interpreter::of(command) == Some(Interpreter::Language) => {
                    others::code(command, text)
                }
                Content::Text(text) => judge(text),
            });
        }
    }
    dangers
}

/// Returns the danger of an interpreter that runs what the command before it prints.
fn of_stdin(command: &Command, before: Option<&Command>) -> Option<Danger> {
    let is_fed = command.via.contains(&Via::Pipeline) && command.redirections.is_empty();
    let before = before.filter(|_| is_fed && runs_stdin(command))?;
    if !before.via.contains(&Via::Pipeline) {
        return None;
    }
    if !before.program().is_some_and(|program| PRINTERS.contains(&program)) {
        return Some(Danger::ask(format!("`{command}` runs what `{before}` prints")));
    }
    others::code(command, &texts(before).collect::<Vec<_>>().join("\n"))
}

/// Returns the danger of an interpreter whose program is another command's output: `python3 <(curl …)`, `-c "$(curl …)"`.
fn of_output(command: &Command) -> Option<Danger> {
    let is_output = |word: &&Word| {
        matches!(&word.parts[..], [Part::Expansion(expansion)]
            if matches!(expansion.kind, ExpansionKind::Command | ExpansionKind::Process))
    };
    let words = command.arguments();
    let is_code = |option: &Word| matches!(option.literal(), Some("-c" | "-e" | "-E" | "-r" | "--eval" | "-p"));
    let code = words.windows(2).find(|pair| is_code(&pair[0])).map(|pair| &pair[1]);
    let program = code.or_else(|| words.iter().find(|word| !word.known_start().starts_with('-')));
    program
        .filter(is_output)
        .map(|_| Danger::ask(format!("`{command}` runs what another command prints")))
}

/// Returns the file that a command runs: a script for a shell or an interpreter, or itself.
fn file_of(command: &Command) -> Option<String> {
    let is_run = Interpreter::of(command).is_some() || matches!(command.name(), Some("." | "source"));
    if is_run {
        let is_code = |word: &Word| matches!(word.literal(), Some("-c" | "-e" | "-m"));
        let words = command.arguments();
        let operand = words.iter().find(|word| !word.known_start().starts_with('-'));
        return operand.filter(|_| !words.iter().any(is_code)).and_then(name);
    }
    command
        .words
        .first()
        .and_then(name)
        .filter(|name| name.contains('/') || command.name().is_some_and(|name| name.starts_with("./")))
}

/// Returns the files that a command writes, with what comes into them if that is known.
fn written(command: &Command) -> Vec<(String, Content)> {
    use RedirectionOperator::{Append, Clobber, Output};
    let program = command.program().unwrap_or_default();
    let is_fetcher = FETCHERS.contains(&program);
    let is_printer = PRINTERS.contains(&program);
    let content = || match is_fetcher {
        true => Content::Fetched,
        false => Content::Text(texts(command).collect::<Vec<_>>().join("\n")),
    };
    let mut files = Vec::new();
    let targets = command
        .redirections
        .iter()
        .filter(|redirection| matches!(redirection.operator, Append | Clobber | Output));
    if is_fetcher || is_printer {
        files.extend(targets.filter_map(|redirection| Some((name(&redirection.target)?, content()))));
    }
    match program {
        "tee" => files.extend(
            command
                .arguments()
                .iter()
                .filter_map(|word| Some((name(word)?, content()))),
        ),
        _ if is_fetcher => files.extend(fetched(command).into_iter().map(|file| (file, Content::Fetched))),
        _ => {}
    }
    files
}

/// Returns the files into which a request puts what it gets: those of its options, and those named by an address.
fn fetched(command: &Command) -> Vec<String> {
    let words = command.arguments();
    let mut files = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let text = word.known_start();
        let next = || {
            words
                .get(index + 1)
                .filter(|word| !word.known_start().contains("://"))
                .and_then(name)
        };
        let value = match text.split_once('=') {
            Some(("--output" | "--output-document", value)) => Some(value.to_owned()),
            _ if matches!(text, "--output" | "--output-document") => next(),
            // With flags before it: `-sSLo x`.
            _ if text.starts_with('-') && !text.starts_with("--") => match text.find(['o', 'O']) {
                Some(at) if at + 1 == text.len() => next(),
                Some(at) => Some(text[at + 1..].to_owned()),
                None => None,
            },
            _ if text.contains("://") => text
                .rsplit('/')
                .next()
                .and_then(|file| file.split('?').next())
                .map(str::to_owned),
            _ => None,
        };
        files.extend(value.map(|file| file.trim_start_matches("./").to_owned()));
    }
    files
}

/// Returns a file's name as it is compared: without `./`, and with `~` for the home folder.
fn name(word: &Word) -> Option<String> {
    match &word.parts[..] {
        [Part::Literal(text)] => Some(text.trim_start_matches("./").to_owned()),
        [Part::Expansion(home), Part::Literal(text)] if crate::folders::is_home(home.kind) => Some(format!("~{text}")),
        _ => None,
    }
}
