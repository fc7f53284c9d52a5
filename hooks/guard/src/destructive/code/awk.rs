//! Programs of awk that start others, or write files.

use crate::prelude::*;
use hookkit::process::shell_word;

/// A command that a program of awk starts by a pipe, or a file that it writes.
pub(super) struct Pipe<'t> {
    command: &'t str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It gets what is printed.
    Fed,
    /// awk reads what it prints.
    Read,
    /// It is a file.
    File,
    /// It is a file, to which is added.
    Added,
}

impl Pipe<'_> {
    /// Returns a line that does the same.
    pub(super) fn line(&self) -> String {
        match self.kind {
            Kind::Fed => format!("cat | {}", self.command),
            Kind::Read => self.command.to_owned(),
            Kind::File => format!("cat > {}", shell_word(self.command)),
            Kind::Added => format!("cat >> {}", shell_word(self.command)),
        }
    }

    /// Returns `true` for a command that only prints, or changes the order of what it reads: `sort -rn`.
    fn is_filter(&self) -> bool {
        let program = self.command.split_whitespace().next().unwrap_or_default();
        matches!(self.kind, Kind::Added | Kind::File) || lists("cat date head sort tail uniq wc", program)
    }
}

/// Returns `true` if one of the pipes starts more than a filter.
pub(super) fn starts_programs(pipes: &[Pipe]) -> bool {
    !pipes.iter().all(Pipe::is_filter)
}

/// Returns `true` for the start of a program whose last statement prints.
fn prints(before: &str) -> bool {
    before
        .rsplit(['{', '}', '\n'])
        .next()
        .unwrap_or_default()
        .contains("print")
        && !before.ends_with('|')
}

/// Returns the commands of the pipes, and the files, that are not in a text; `None` if one cannot be determined.
pub(super) fn pipes(text: &str) -> Option<Vec<Pipe<'_>>> {
    // A quotation mark in a pattern or a comment would open a text.
    let has_texts = !["/\"", "\"/", "#"].iter().any(|sign| text.contains(sign));
    let mut is_text = false;
    let mut pipes = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '"' => is_text = has_texts && !is_text,
            '|' if !is_text => {
                let behind = text[at + 1..].trim_start_matches('&').trim_start();
                // Texts next to each other are one.
                let ends = |rest: &str| rest.trim_start().starts_with(['}', ')', ';']);
                let begins = |before: &str| before.trim_end().ends_with(['{', '(', ';']);
                let (command, kind) = match behind.strip_prefix('"') {
                    Some(text) => {
                        let (command, rest) = text.split_once('"')?;
                        (ends(rest).then_some(command)?, Kind::Fed)
                    }
                    None if behind.starts_with("getline") => {
                        let (before, command) = text[..at].trim_end().strip_suffix('"')?.rsplit_once('"')?;
                        (begins(before).then_some(command)?, Kind::Read)
                    }
                    // What a `print` goes to is not a text: it is a pipe, and no other sign.
                    None if prints(&text[..at]) && !behind.starts_with('|') => return None,
                    None => continue,
                };
                // An escape is one of awk's.
                pipes.push((!command.contains('\\')).then_some(Pipe { command, kind })?);
            }
            // A name that is known, and not a text that is compared.
            '>' if !is_text => {
                let is_added = text[..at].ends_with('>');
                let text = text[at + 1..].trim_start().strip_prefix('"');
                let known = text.and_then(|text| text.split_once('"')).filter(|(name, rest)| {
                    let rest = rest.trim_start_matches(' ');
                    !name.contains('\\') && (rest.is_empty() || rest.starts_with(['}', ';', '\n']))
                });
                pipes.extend(known.map(|(command, _)| Pipe {
                    command,
                    kind: if is_added { Kind::Added } else { Kind::File },
                }));
            }
            _ => {}
        }
    }
    Some(pipes)
}
