//! `gdb`, which has commands of its own.

use super::At;
use crate::{Why, Word};

/// Commands that only steer the program, or show something of it.
const COMMANDS: &[&str] = &[
    "b",
    "backtrace",
    "break",
    "bt",
    "c",
    "continue",
    "delete",
    "detach",
    "disassemble",
    "down",
    "f",
    "finish",
    "frame",
    "i",
    "info",
    "kill",
    "l",
    "list",
    "n",
    "next",
    "p",
    "print",
    "q",
    "quit",
    "r",
    "run",
    "s",
    "start",
    "step",
    "up",
    "watch",
    "where",
    "x",
];

/// Settings of the program, or of how it is shown.
const SETTINGS: &[&str] = &[
    "breakpoint",
    "confirm",
    "disable-randomization",
    "height",
    "pagination",
    "print",
    "width",
];

impl At<'_> {
    /// Follows the program behind `--args`, where all commands before it are harmless.
    pub(super) fn gdb(&mut self, name: &str, words: &[Word]) {
        let at = words.iter().position(|word| word.literal() == Some("--args"));
        let (options, program) = words.split_at(at.unwrap_or(words.len()));
        // Without these it reads commands from stdin.
        let ends = |word: &Word| matches!(word.literal(), Some("-batch" | "--batch" | "--version"));
        if !options.iter().any(ends) {
            return self.note_all(Why::Runner);
        }
        let mut options = options.iter();
        while let Some(option) = options.next() {
            let is_known = match option.literal() {
                Some("-ex" | "--ex" | "-eval-command" | "--eval-command") => {
                    options.next().and_then(Word::literal).is_some_and(only_shows)
                }
                Some("-p" | "--pid") => options.next().is_some(),
                Some("-batch" | "--batch" | "-q" | "-quiet" | "--quiet" | "-nx" | "--nx" | "-n" | "--version") => true,
                Some(text) => !text.starts_with('-'),
                None => false,
            };
            if !is_known {
                return self.note_all(Why::Runner);
            }
        }
        if let Some(program) = program.get(1..).filter(|program| !program.is_empty()) {
            self.inner(name, program.to_vec(), Vec::new());
        }
    }
}

/// Returns `true` for a command that runs no other program. An expression can call functions, with parentheses.
fn only_shows(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let mut first = words.next();
    if first == Some("thread") {
        // What follows on its number is another command.
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let inner = words.find(|word| !matches!(*word, "apply" | "all") && !is_number(word));
        first = inner.or(Some("info"));
    }
    let is_known = match first.unwrap_or_default() {
        // Others name files that it writes or reads.
        "set" => words.next().is_some_and(|what| SETTINGS.contains(&what)),
        // What follows is a text for a shell: words, and a file that is read.
        "r" | "run" | "start" => command
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b" </._-=".contains(&byte)),
        // What follows on `apply` is another command.
        "f" | "frame" => words.all(|word| word != "apply"),
        first => COMMANDS.contains(&first.split('/').next().unwrap_or_default()),
    };
    is_known && !command.contains(['(', '|', '!', '`'])
}
