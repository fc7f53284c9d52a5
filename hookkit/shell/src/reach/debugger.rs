//! `gdb`, which has commands of its own.

use super::At;
use crate::programs::table::lists;
use crate::{Why, Word};

/// Beginnings of commands that only steer the program, or show something of it.
const COMMANDS: &[&str] = &[
    "backtrace", "break ", "bt", "continue", "disassemble", "finish", "info ", "list", "next", "print ", "quit", "run",
    "set confirm ", "set pagination ", "step", "thread apply all bt", "where", "x/",
];

impl At<'_> {
    /// Follows the program behind `--args`, where gdb runs a list of harmless commands and ends.
    pub(super) fn gdb(&mut self, name: &str, words: &[Word]) {
        let at = words.iter().position(|word| word.literal() == Some("--args"));
        let (options, program) = words.split_at(at.unwrap_or(words.len()));
        let mut is_value = false;
        let is_known = |word: &Word| {
            let Some(text) = word.literal() else { return false };
            if std::mem::replace(&mut is_value, matches!(text, "-ex" | "--ex")) {
                return only_shows(text);
            }
            !text.starts_with('-') || lists("--ex -batch --batch -ex -nx -q --version", text)
        };
        let ends = |word: &Word| matches!(word.literal(), Some("-batch" | "--batch" | "--version"));
        // Without an end it reads more commands from stdin.
        if !options.iter().any(ends) || !options.iter().all(is_known) || is_value {
            return self.note_all(Why::Runner);
        }
        if let Some(program) = program.get(1..).filter(|program| !program.is_empty()) {
            self.inner(name, program.to_vec(), Vec::new());
        }
    }
}

/// Returns `true` for a command that runs no other program: the arguments of `run` are a text for a shell, and an expression can
/// call functions, with parentheses.
fn only_shows(command: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" <./:_-=*+,$[]".contains(&byte);
    matches!(command, "c" | "q" | "r")
        || COMMANDS.iter().any(|known| command.starts_with(known)) && command.bytes().all(is_plain)
}
