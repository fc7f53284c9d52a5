//! Programs that a script of `sed` runs: GNU's has a command `e`, and `s` has a flag of this name.
//!
//! Scripts are read as GNU's reads them, since no other runs programs. One that it does not take runs nothing, so what
//! cannot be read here may be of another version: it is said to run something that is not known.

use hookkit::shell::programs::{Argument, Role, Takes};
use hookkit::shell::{Command, Part, Word};

use crate::effects::programs::Read;

/// A program that a script of `sed` runs.
#[derive(Debug, PartialEq)]
pub(super) struct Run {
    /// The command, as far as it is known: a replacement is only a part of it.
    pub(super) command: Option<String>,
    /// `true` if this is all that is run.
    pub(super) is_whole: bool,
}

impl Run {
    const UNKNOWN: Self = Self {
        command: None,
        is_whole: false,
    };
}

/// Returns what the scripts of a command of `sed` run.
pub(super) fn runs(command: &Command) -> Vec<Run> {
    let (script, is_script) = script(command);
    // Most scripts have no such letter.
    if !script.contains('e') {
        return Vec::new();
    }
    let mut reader = Reader {
        rest: &script,
        runs: Vec::new(),
    };
    if reader.read().is_none() && is_script {
        reader.runs.push(Run::UNKNOWN);
    }
    reader.runs
}

/// Returns the script, and `false` if it may be the name of a file, since what the shell inserts is before it. `sed` joins several
/// by a newline.
fn script(command: &Command) -> (String, bool) {
    let Some(read) = Read::of(command) else {
        return Default::default();
    };
    let is_unclear = |word: &&Word| matches!(&word.parts[..], [Part::Expansion(options)] if !options.is_quoted);
    let mut operands = read.words().into_iter().peekable();
    let mut is_script = operands.next_if(is_unclear).is_none();
    while operands.next_if(is_unclear).is_some() {}
    let mut scripts: Vec<String> = Vec::new();
    for argument in &read.arguments {
        if let Argument::Known {
            takes: Takes::Value(role @ (Role::Pattern | Role::Patterns)),
            value: Some((word, at)),
            ..
        } = argument
        {
            let text = word.after(*at).to_string();
            let is_input = matches!(&*text, "-" | "/dev/stdin");
            scripts.push(match (role, command.input()) {
                (Role::Pattern, _) => text,
                (_, Some(input)) if is_input => input.to_string(),
                // Of a script's file nothing is known.
                _ => String::new(),
            });
        }
    }
    match scripts.is_empty() {
        true => scripts.extend(operands.next().map(Word::to_string)),
        false => is_script = true,
    }
    (scripts.join("\n"), is_script)
}

struct Reader<'t> {
    rest: &'t str,
    runs: Vec<Run>,
}

impl<'t> Reader<'t> {
    /// Reads all commands; `None` where a version of GNU's may read something else.
    fn read(&mut self) -> Option<()> {
        loop {
            self.skip(|char| char.is_whitespace() || matches!(char, ';' | '{' | '}'));
            self.address()?;
            self.skip(|char| char.is_whitespace() || char == '!');
            match self.next() {
                None => return Some(()),
                Some('{' | '}' | ';') => {}
                Some('#' | 'r' | 'R' | 'w' | 'W') => self.line(),
                Some('a' | 'i' | 'c') => drop(self.text()?),
                Some('e') => {
                    let text = self.text().filter(|text| !text.is_empty());
                    self.runs.push(match text {
                        // A backslash is taken out, or not.
                        Some(text) if !text.contains(['\\', '…']) => Run {
                            command: Some(text.to_owned()),
                            is_whole: true,
                        },
                        _ => Run::UNKNOWN,
                    });
                }
                Some('s') => self.substitution()?,
                Some('y') => {
                    let delimiter = self.next()?;
                    self.past(delimiter, false)?;
                    self.past(delimiter, false)?;
                }
                Some(name @ (':' | 'b' | 't' | 'T' | 'v')) => {
                    self.skip(|char| char == ' ');
                    self.skip(|char| !char.is_whitespace() && !matches!(char, ';' | '}'));
                    // Old versions take it for a part of the label.
                    if name == ':' && self.rest.starts_with('}') {
                        return None;
                    }
                }
                Some('d' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | '=' | 'F' | 'z') => {}
                Some('q' | 'Q' | 'l' | 'L') => self.skip(|char| char == ' ' || char.is_ascii_digit()),
                Some(_) => return None,
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest.chars().next()?;
        self.rest = &self.rest[char.len_utf8()..];
        Some(char)
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(is_skipped);
    }

    /// Skips what is left of a line.
    fn line(&mut self) {
        self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
    }

    /// Skips up to two addresses. What the shell inserts is one, or a command that is not known.
    fn address(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next() {
                Some('/') => {
                    self.next();
                    self.past('/', true)?;
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next()?;
                    self.past(delimiter, true)?;
                }
                _ => {}
            }
            self.skip(|char| char.is_ascii_digit() || " \t$~+IM…".contains(char));
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest.trim_start(),
                None => return Some(()),
            }
        }
    }

    /// Reads a text: it ends with a line that no backslash continues.
    fn text(&mut self) -> Option<&'t str> {
        self.skip(|char| matches!(char, ' ' | '\t'));
        if let Some(behind) = self.rest.strip_prefix('\\') {
            let text = behind.trim_start_matches([' ', '\t']);
            if let Some(text) = text.strip_prefix('\n') {
                if text.len() + 1 != behind.len() {
                    return None;
                }
                self.rest = text;
            }
        }
        let mut is_escaped = false;
        let end = self.rest.find(|char| {
            let is_end = char == '\n' && !is_escaped;
            is_escaped = char == '\\' && !is_escaped;
            is_end
        });
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        // Some versions take the next line.
        (!text.is_empty() || rest.is_empty()).then_some(text)
    }

    fn substitution(&mut self) -> Option<()> {
        let delimiter = self.next()?;
        self.past(delimiter, true)?;
        let replacement = self.past(delimiter, false)?;
        loop {
            match self.rest.chars().next() {
                Some('e') => self.runs.push(Run {
                    command: Some(replacement.to_owned()),
                    is_whole: false,
                }),
                Some('w') => {
                    self.line();
                    return Some(());
                }
                Some(' ' | 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
                _ => return Some(()),
            }
            self.next();
        }
    }

    /// Skips a pattern or a replacement with the delimiter that ends it, and returns it.
    fn past(&mut self, delimiter: char, is_pattern: bool) -> Option<&'t str> {
        let text = self.rest;
        loop {
            match self.next()? {
                char if char == delimiter => return Some(&text[..text.len() - self.rest.len() - char.len_utf8()]),
                '\\' => drop(self.next()?),
                '\n' => return None,
                // In brackets the delimiter is a character.
                '[' if is_pattern => {
                    self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
                    self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
                    self.brackets()?;
                }
                _ => {}
            }
        }
    }

    /// Skips the characters of brackets: `[:alpha:]` is a class in them.
    fn brackets(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                ']' => return Some(()),
                '\n' => return None,
                '[' if self.rest.starts_with(['.', ':', '=']) => {
                    let kind = self.next()?;
                    let end = [kind, ']'].iter().collect::<String>();
                    self.rest = self.rest.split_once(&end)?.1;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hookkit::shell;

    #[test]
    fn each_script_runs_what_is_said() {
        test_support::lines!("lines/sed.txt").check(|_, line| {
            let script = shell::analyze(line);
            let runs = super::runs(&script.commands()[0]);
            let commands = runs.into_iter().map(|run| run.command.unwrap_or("…".to_owned()));
            let commands: Vec<String> = commands.collect();
            if commands.is_empty() {
                "nothing".to_owned()
            } else {
                commands.join(" & ")
            }
        });
    }
}
