//! Programs that a script of `sed` runs: GNU's has a command `e`, and `s` has a flag of this name.
//!
//! Scripts are read as GNU's reads them, since no other runs programs. One that it does not take runs nothing, so what
//! cannot be read here may be of another version: it is said to run something that is not known.

use hookkit::shell::{Part, Word};

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

/// Returns what the scripts in the arguments of `sed` run; `input` is what comes in where a script is read from stdin.
pub(super) fn runs(words: &[Word], input: impl Iterator<Item = String>) -> Vec<Run> {
    let Script { text: script, is_it } = script(words, input);
    // Most scripts have no such letter.
    if !script.contains('e') {
        return Vec::new();
    }
    let mut reader = Reader {
        rest: &script,
        runs: Vec::new(),
    };
    if reader.read().is_none() && is_it {
        reader.runs.push(Run::UNKNOWN);
    }
    reader.runs
}

struct Script {
    text: String,
    /// `false` if it may be the name of a file, since what the shell inserts is before it.
    is_it: bool,
}

/// Returns the script: `sed` joins several by a newline.
fn script(words: &[Word], input: impl Iterator<Item = String>) -> Script {
    let mut scripts = Vec::new();
    let mut operand = None;
    let mut is_it = true;
    let mut reads_input = false;
    let mut is_over = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string();
        if operand.is_none() && matches!(&word.parts[..], [Part::Expansion(options)] if !options.is_quoted) {
            is_it = false;
            continue;
        }
        if is_over || !text.starts_with('-') || text == "-" {
            operand.get_or_insert(text);
            continue;
        }
        let (name, value) = match text.strip_prefix("--") {
            Some("") => {
                is_over = true;
                continue;
            }
            Some(long) => match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            },
            // The first letter with a value has what is behind it; the one of `-i` is never the next word.
            None => match text.char_indices().find(|(_, letter)| "efil".contains(*letter)) {
                Some((at, _)) => (
                    &text[at..=at],
                    Some(text[at + 1..].to_owned()).filter(|value| !value.is_empty()),
                ),
                None => continue,
            },
        };
        let is = |long: &str| !name.is_empty() && (name == &long[..1] || name.len() > 1 && long.starts_with(name));
        let has_value = is("expression") || is("file") || is("line-length");
        if !has_value {
            continue;
        }
        let value = value.or_else(|| words.next().map(Word::to_string)).unwrap_or_default();
        if is("expression") {
            scripts.push(value);
        } else if is("file") {
            reads_input |= matches!(&value[..], "-" | "/dev/stdin");
            // Of a script's file nothing is known, and no operand is a script.
            scripts.push(String::new());
        }
    }
    match scripts.is_empty() {
        true => scripts.extend(operand),
        false => is_it = true,
    }
    if reads_input {
        scripts.extend(input);
    }
    Script {
        text: scripts.join("\n"),
        is_it,
    }
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
            let runs = super::runs(script.commands()[0].arguments(), std::iter::empty());
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
