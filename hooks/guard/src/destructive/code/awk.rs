//! Awk programs that start other programs, or write files.

use crate::prelude::*;

/// A program that awk code starts, or a file that it writes.
pub(super) struct Pipe {
    /// The equivalent shell command.
    pub line: String,
    /// `true` if the pipe only writes a file, or feeds a program that only prints.
    pub is_filter: bool,
}

impl Pipe {
    fn of(command: &str, line: String) -> Self {
        let program = command.split_whitespace().next().unwrap_or_default();
        Self { line, is_filter: lists("cat date head sort tail uniq wc", program) }
    }
}

/// Returns `true` if the last statement before a pipe prints.
fn prints(before: &str) -> bool {
    before.rsplit(['{', '}', '\n']).next().unwrap_or_default().contains("print") && !before.ends_with('|')
}

/// Returns the equivalent commands of pipes and files outside of strings; `None` if a command cannot be determined.
pub(super) fn pipes(text: &str) -> Option<Vec<Pipe>> {
    // A quotation mark in a pattern or a comment would seem to open a string.
    let has_texts = !holds("/\" \"/ #", text);
    let mut is_text = false;
    let mut pipes = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '"' => is_text = has_texts && !is_text,
            '|' if !is_text => {
                let behind = text[at + 1..].trim_start_matches('&').trim_start();
                // Adjacent strings are one.
                let ends = |rest: &str| rest.trim_start().starts_with(['}', ')', ';']);
                let begins = |before: &str| before.trim_end().ends_with(['{', '(', ';']);
                let (command, line) = match behind.strip_prefix('"') {
                    Some(text) => {
                        let (command, rest) = text.split_once('"')?;
                        (ends(rest).then_some(command)?, format!("cat | {command}"))
                    }
                    None if behind.starts_with("getline") => {
                        let (before, command) = text[..at].trim_end().strip_suffix('"')?.rsplit_once('"')?;
                        (begins(before).then_some(command)?, command.to_owned())
                    }
                    // If a `print` has a target that is not a string, only a pipe is supported.
                    None if prints(&text[..at]) && !behind.starts_with('|') => return None,
                    None => continue,
                };
                // An escape follows awk's rules.
                pipes.push((!command.contains('\\')).then(|| Pipe::of(command, line))?);
            }
            // The name is literal, and this is not a comparison.
            '>' if !is_text => {
                let sign = if text[..at].ends_with('>') { ">>" } else { ">" };
                let text = text[at + 1..].trim_start().strip_prefix('"');
                let known = text.and_then(|text| text.split_once('"')).filter(|(name, rest)| {
                    let rest = rest.trim_start_matches(' ');
                    !name.contains('\\') && (rest.is_empty() || rest.starts_with(['}', ';', '\n']))
                });
                pipes.extend(
                    known.map(|(name, _)| Pipe { line: format!("cat {sign} {}", shell_word(name)), is_filter: true }),
                );
            }
            _ => {}
        }
    }
    Some(pipes)
}
