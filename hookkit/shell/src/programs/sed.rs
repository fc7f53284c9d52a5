//! `sed` scripts, in GNU syntax.

use super::{Argument, Program, Role, Takes};
use crate::{Expansion, Part, Word};

/// A command of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step<'s> {
    /// Letter of the command; NUL for one that cannot be read.
    pub name: char,
    /// Pattern and replacement of `s` and `y`.
    pub texts: [&'s str; 2],
    /// Flags of `s`, without `w`.
    pub flags: &'s str,
    /// Rest of the line: the command of `e`, or the file of `r`, `R`, `w`, `W` and the flag `w`.
    pub rest: Option<&'s str>,
    /// `true` if every version of `sed` reads the command in this way.
    pub is_plain: bool,
}

/// Returns the script in the arguments of `sed`, with `…` for each expansion, but without script files. `input` is its stdin.
pub fn script(arguments: &[Word], input: Option<&Word>) -> String {
    let is_unclear = |word: &Word| matches!(&word.parts[..], [Part::Expansion(Expansion { is_quoted: false, .. })]);
    let (mut scripts, mut first) = (Vec::new(), None);
    let program = Program::named("sed").expect("the table has it");
    for argument in program.read(arguments) {
        match argument {
            Argument::Operand(word) if first.is_none() && !is_unclear(word) => first = Some(word.to_string()),
            Argument::Known {
                takes: Takes::Value(role @ (Role::Pattern | Role::Patterns)),
                value: Some((word, at)),
                ..
            } => {
                let text = word.after(at).to_string();
                // sed joins several scripts by a newline.
                scripts.push(match (role, input) {
                    (Role::Pattern, _) => text,
                    (_, Some(input)) if text == "-" || text == "/dev/stdin" => input.to_string(),
                    _ => String::new(),
                });
            }
            _ => {}
        }
    }
    if scripts.is_empty() {
        scripts.extend(first);
    }
    scripts.join("\n")
}

/// Returns the commands of a script. After an unreadable one, reading continues at the next `;` or line.
pub fn steps(script: &str) -> Vec<Step<'_>> {
    /// Maximum number of commands to read.
    const MOST: usize = 10_000;
    let mut steps = Vec::new();
    let mut rest = Rest { text: script, is_plain: true };
    loop {
        rest.pass(|char| " \t\n;{}".contains(char));
        if rest.text.is_empty() || steps.len() == MOST {
            return steps;
        }
        let start = rest.text;
        rest.is_plain = true;
        steps.push(rest.step().unwrap_or_else(|| {
            rest.text = &start[start.find([';', '\n']).unwrap_or(start.len())..];
            Step::default()
        }));
    }
}

/// The unread rest of a script.
struct Rest<'s> {
    text: &'s str,
    /// `true` if every version of `sed` reads the last command in the same way.
    is_plain: bool,
}

impl<'s> Rest<'s> {
    /// Reads a command with its addresses.
    fn step(&mut self) -> Option<Step<'s>> {
        self.address()?;
        self.pass(|char| char == ' ');
        if self.text.starts_with(',') {
            self.pass(|char| ", +~".contains(char));
            self.address()?;
        }
        self.pass(|char| " \t!".contains(char));
        let mut step = Step { name: self.next()?, ..Step::default() };
        match step.name {
            '{' => {}
            '#' => drop(self.line()),
            'a' | 'c' | 'i' => while self.line().ends_with('\\') && !self.text.is_empty() {},
            'e' | 'r' | 'R' | 'w' | 'W' => {
                // A command may begin on the next line.
                self.text = self.text.strip_prefix("\\\n").unwrap_or(self.text);
                step.rest = Some(self.line().trim());
            }
            // Some versions read the rest of the line as a label, which runs nothing.
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.pass(|char| char == ' ');
                self.pass(|char| !char.is_whitespace() && !";}".contains(char));
            }
            'l' | 'L' | 'q' | 'Q' => drop(self.pass(|char| char == ' ' || char.is_ascii_digit())),
            's' | 'y' => {
                let delimiter = self.next().filter(|char| !"\\\n".contains(*char))?;
                self.is_plain &= !delimiter.is_alphanumeric() && !"; {}".contains(delimiter);
                step.texts = [self.up_to(delimiter, step.name == 's')?, self.up_to(delimiter, false)?];
                if step.name == 's' {
                    step.flags = self.pass(|char| "gpiIMme ".contains(char) || char.is_ascii_digit());
                    if let Some(file) = self.text.strip_prefix('w') {
                        self.text = file;
                        step.rest = Some(self.line().trim());
                    }
                }
            }
            _ if "=dDgGhHnNpPxFz".contains(step.name) => {}
            _ => return None,
        }
        step.is_plain = self.is_plain;
        let has_ended = || step.rest.is_some() || "{#aci".contains(step.name);
        let rest = self.text.trim_start_matches([' ', '\t']);
        (has_ended() || rest.is_empty() || rest.starts_with([';', '\n', '}', '#'])).then_some(step)
    }

    fn next(&mut self) -> Option<char> {
        let char = self.text.chars().next()?;
        self.text = &self.text[char.len_utf8()..];
        Some(char)
    }

    /// Consumes the characters that match, and returns them.
    fn pass(&mut self, is_one: impl Fn(char) -> bool) -> &'s str {
        let (passed, rest) = self.text.split_at(self.text.find(|char| !is_one(char)).unwrap_or(self.text.len()));
        self.text = rest;
        passed
    }

    /// Consumes the rest of the line, and returns it.
    fn line(&mut self) -> &'s str {
        let (line, rest) = self.text.split_once('\n').unwrap_or((self.text, ""));
        self.text = rest;
        line
    }

    /// Consumes an address, if there is one.
    fn address(&mut self) -> Option<()> {
        if let Some(text) = self.text.strip_prefix(['/', '\\']) {
            let is_escaped = self.text.starts_with('\\');
            self.text = text;
            self.is_plain &= !is_escaped;
            let delimiter = if is_escaped { self.next()? } else { '/' };
            self.up_to(delimiter, true)?;
            self.pass(|char| "IM".contains(char));
        } else {
            // An expansion may be a number.
            self.pass(|char| char.is_ascii_digit() || "$~…".contains(char));
        }
        Some(())
    }

    /// Consumes a text and its delimiter, and returns the text.
    fn up_to(&mut self, delimiter: char, is_pattern: bool) -> Option<&'s str> {
        let whole = self.text;
        loop {
            match self.next()? {
                '\\' => self.is_plain &= self.next()? != '\n',
                char if char == delimiter => {
                    return Some(&whole[..whole.len() - self.text.len() - delimiter.len_utf8()]);
                }
                '\n' => return None,
                '[' if is_pattern => {
                    let (inside, rest) = self.text.split_at(end_of_brackets(self.text)?);
                    // Some versions read it as a character there.
                    self.is_plain &= !inside.replace("[:", "").contains([delimiter, '\\', '[', '\n']);
                    self.text = &rest[1..];
                }
                _ => {}
            }
        }
    }
}

/// Returns the index of the bracket that ends a list of characters. A bracket at the start belongs to the list, and
/// `[:space:]` is a class.
fn end_of_brackets(inside: &str) -> Option<usize> {
    let start = usize::from(inside.starts_with('^'));
    let mut from = start + usize::from(inside[start..].starts_with(']'));
    loop {
        let end = from + inside[from..].find(']')?;
        match inside[from..end].find("[:") {
            Some(class) => from += class + inside[from + class..].find(":]")? + 2,
            None => return Some(end),
        }
    }
}
