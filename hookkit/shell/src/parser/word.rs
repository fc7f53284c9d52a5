//! Words: quotes, escapes and expansions.

use std::mem;

use super::builder::Builder;
use super::{Parsed, Parser, Position, name_length, parse};
use crate::layout::StageKind;
use crate::printed::printed;
use crate::programs::has_only;
use crate::reach::is_number;
use crate::{Command, ExpansionKind, Part, Via, Why, Word};

impl Parser<'_> {
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let start = self.at;
        let builder = self.build_word()?;
        Ok(builder.word(self.span(start)))
    }

    /// Parses a word, which becomes several if a substitution prints several.
    pub(super) fn words(&mut self) -> Parsed<Vec<Word>> {
        let start = self.at;
        let builder = self.build_word()?;
        Ok(builder.words(self.span(start)))
    }

    pub(super) fn build_word(&mut self) -> Parsed<Builder> {
        let start = self.at;
        let mut builder = Builder::default();
        loop {
            match self.byte(0) {
                None | Some(b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b')') => break,
                Some(b'(') if builder.is_assignment && builder.ends_with_equals() => break,
                Some(b'(') if start < self.at && has_only(&self.text[start..self.at], "_-.:") => break,
                // A pattern in some shells and with some options; elsewhere a mistake.
                Some(b'(') => return self.syntax_error(),
                Some(b'<' | b'>') => {
                    let word = &self.text[start..self.at];
                    if word.starts_with('{') && word.ends_with('}') && word != "{}" {
                        // A name in braces is a variable for the descriptor, whose subscript is evaluated.
                        return self.syntax_error();
                    }
                    if self.byte(1) != Some(b'(') {
                        break;
                    }
                    self.bash_only()?;
                    let from = self.at;
                    self.at += 2;
                    self.substitution(Via::ProcessSubstitution)?;
                    builder.expansion(ExpansionKind::Process, false);
                    builder.place_expansion(self.span(from));
                }
                Some(_) => match builder.plain_start(self.rest()) {
                    "" => self.piece(&mut builder)?,
                    text => {
                        self.at += text.len();
                        builder.text.push_str(text);
                    }
                },
            }
        }
        // In zsh, a brace ends a group anywhere.
        if self.at == start || builder.is_closing_brace() {
            return self.syntax_error();
        }
        Ok(builder)
    }

    /// Parses one character of a word, or the quotes or expansion there.
    pub(super) fn piece(&mut self, builder: &mut Builder) -> Parsed {
        let start = self.at;
        let Some(char) = self.char() else {
            return self.syntax_error();
        };
        match char {
            '\\' => {
                self.at += 1;
                match self.char() {
                    Some('\n') => self.at += 1,
                    Some(escaped) => {
                        self.at += escaped.len_utf8();
                        builder.quoted(escaped);
                    }
                    // Shells disagree whether it stays.
                    None => return self.syntax_error(),
                }
            }
            '\'' => {
                self.at += 1;
                let rest = self.rest();
                let Some(length) = rest.find('\'') else {
                    return self.syntax_error();
                };
                self.at += length + 1;
                self.quoted_line_end(start)?;
                builder.quoted_text(&rest[..length]);
            }
            '"' => {
                self.at += 1;
                builder.is_quoted = true;
                self.nested(|parser| parser.double_quoted(builder, true))?;
                self.quoted_line_end(start)?;
            }
            '$' if matches!(self.byte(1), Some(b'\'' | b'"')) => {
                self.bash_only()?;
                self.at += 2;
                if self.text.as_bytes()[self.at - 1] == b'"' {
                    // It is translated if there is a translation.
                    builder.expansion(ExpansionKind::Translation, true);
                    self.nested(|parser| parser.double_quoted(builder, true))?;
                } else {
                    self.ansi_c(builder)?;
                }
                self.quoted_line_end(start)?;
            }
            '$' => self.dollar(builder, false)?,
            '`' => self.backquoted(builder, false)?,
            '[' if builder.is_at_start() && self.is_at_word_end(1) => {
                self.at += 1;
                builder.plain(char, None);
            }
            '*' | '?' | '[' => {
                self.at += 1;
                if char == '[' && builder.is_plain_name() {
                    self.subscript_of_assignment(builder)?;
                } else if char == '[' {
                    builder.expansion(ExpansionKind::Bracket, false);
                } else {
                    builder.expansion(ExpansionKind::Glob, false);
                }
            }
            '=' if builder.is_at_start() && !self.byte(1).is_none_or(|byte| b" \t\n;&|()<>=~\\".contains(&byte)) => {
                self.at += 1;
                builder.expansion(ExpansionKind::Equals, false);
            }
            '~' if builder.is_at_start() || builder.text.ends_with(['=', ':']) => {
                self.at += 1;
                builder.expansion(ExpansionKind::Tilde, false);
            }
            _ => {
                self.at += char.len_utf8();
                if char != '\r' && (char.is_control() || char.is_whitespace()) {
                    self.note(Why::Character, start);
                }
                builder.plain(char, self.byte(0));
            }
        }
        Ok(())
    }

    /// Checks for a line end within the quotes since `start`. A here-document begins after the line that names it, and shells disagree on which line
    /// that is here.
    pub(super) fn quoted_line_end(&self, start: usize) -> Parsed {
        self.require(self.pending.is_empty() || !self.text[start..self.at].contains('\n'))
    }

    /// Parses `name[…]=`, and anything else that begins with `name[`.
    fn subscript_of_assignment(&mut self, builder: &mut Builder) -> Parsed {
        let rest = self.rest();
        let length = rest.find(']').unwrap_or(rest.len());
        let subscript = &rest[..length];
        let is_assignment = rest[length..].starts_with("]=") || rest[length..].starts_with("]+=");
        let is_number = is_number(subscript);
        let is_even = || subscript.matches('"').count().is_multiple_of(2);
        if is_assignment && length > 0 && (is_number || has_only(subscript, "_$+-*#{}@\"") && is_even()) {
            let start = self.at;
            self.at += length + 1;
            if !is_number {
                // The value is arithmetic, and can run commands; the rest is read anyway.
                self.note(Why::Arithmetic, start);
            }
            builder.text += &format!("[{subscript}]");
            builder.has_subscript = true;
            return Ok(());
        }
        let is_pattern = subscript.chars().all(|char| char.is_alphanumeric() || "_-^.,:!@".contains(char));
        if is_assignment || length == rest.len() || !is_pattern {
            // A subscript is arithmetic, may contain blanks, and may extend anywhere.
            return self.syntax_error();
        }
        builder.expansion(ExpansionKind::Bracket, false);
        Ok(())
    }

    /// Parses text between double quotes, or of a here-document.
    pub(super) fn double_quoted(&mut self, builder: &mut Builder, has_end: bool) -> Parsed {
        loop {
            let Some(char) = self.char() else {
                return if has_end { self.syntax_error() } else { Ok(()) };
            };
            match char {
                '"' if has_end => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => {
                    self.at += 1;
                    match self.byte(0) {
                        Some(b'\n') => self.at += 1,
                        Some(byte @ (b'$' | b'`' | b'\\')) => {
                            self.at += 1;
                            builder.quoted(byte.into());
                        }
                        Some(b'"') if has_end => {
                            self.at += 1;
                            builder.quoted('"');
                        }
                        _ => builder.quoted('\\'),
                    }
                }
                '$' => self.dollar(builder, true)?,
                '`' => self.backquoted(builder, true)?,
                _ => {
                    self.at += char.len_utf8();
                    builder.quoted(char);
                }
            }
        }
    }

    /// Parses `$'…'`.
    fn ansi_c(&mut self, builder: &mut Builder) -> Parsed {
        let mut is_known = true;
        loop {
            let Some(char) = self.char() else {
                return self.syntax_error();
            };
            self.at += char.len_utf8();
            if char == '\'' {
                builder.quoted_text("");
                return Ok(());
            }
            let meant = if char == '\\' { self.escape() } else { Some(char) };
            match meant {
                Some(char) if is_known => builder.quoted(char),
                Some(_) => {}
                None if self.at >= self.text.len() => return self.syntax_error(),
                // The shell inserts bytes that are not text, or that end it: `$'a\0b'` is `a`.
                None => {
                    if is_known {
                        builder.expansion(ExpansionKind::Escape, true);
                    }
                    is_known = false;
                }
            }
        }
    }

    pub(super) fn escape(&mut self) -> Option<char> {
        let byte = self.byte(0)?;
        let (radix, most) = match byte {
            b'x' => (16, 2),
            b'u' => (16, 4),
            b'U' => (16, 8),
            b'0'..=b'7' => (8, 3),
            _ if !byte.is_ascii() => return None,
            _ => {
                self.at += 1;
                return match byte {
                    b'a' => Some('\x07'),
                    b'b' => Some('\x08'),
                    b'e' | b'E' => Some('\x1b'),
                    b'f' => Some('\x0c'),
                    b'n' => Some('\n'),
                    b'r' => Some('\r'),
                    b't' => Some('\t'),
                    b'v' => Some('\x0b'),
                    b'\\' | b'\'' | b'"' | b'?' => Some(byte.into()),
                    // Other escapes stay as they are, with their backslash, or are control characters.
                    _ => None,
                };
            }
        };
        if radix == 16 {
            self.at += 1;
        }
        let rest = self.rest();
        let digits = rest.chars().take(most).take_while(|char| char.is_digit(radix)).count();
        let code = u32::from_str_radix(&rest[..digits], radix).ok();
        self.at += digits;
        // Characters other than ASCII depend on the locale.
        code.filter(|code| (1..0x80).contains(code)).and_then(char::from_u32)
    }

    pub(super) fn dollar(&mut self, builder: &mut Builder, is_quoted: bool) -> Parsed {
        let start = self.at;
        self.at += 1;
        let kind = match self.byte(0) {
            // The next line may continue it.
            Some(b'\\') if self.byte(1) == Some(b'\n') => return self.syntax_error(),
            Some(b'(') if self.byte(1) == Some(b'(') => {
                self.at += 2;
                self.nested(|parser| parser.arithmetic(b""))?;
                ExpansionKind::Arithmetic
            }
            Some(b'(') => {
                self.at += 1;
                let first = self.found.commands.len();
                self.substitution(Via::CommandSubstitution)?;
                let parts = self.output(&self.found.commands[first..]);
                let is_last = self.is_at_word_end(0);
                if parts.is_some_and(|parts| builder.printed(parts, is_quoted, is_last)) {
                    return Ok(());
                }
                ExpansionKind::Command
            }
            Some(b'{') => {
                self.at += 1;
                self.nested(|parser| parser.parameter(start, is_quoted))?;
                ExpansionKind::Parameter
            }
            Some(b'[') => return self.syntax_error(),
            // `$=name` and the like are text to bash, and the variable to zsh.
            Some(b'=' | b'~' | b'^' | b'+')
                if (self.byte(1))
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_=~^+@*#?$!-{".contains(&byte)) =>
            {
                return self.syntax_error();
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += name_length(self.rest());
                if self.has("[") && !self.is_posix {
                    // zsh evaluates a subscript there.
                    self.note(Why::Arithmetic, start);
                }
                ExpansionKind::Parameter
            }
            Some(byte) if byte.is_ascii_digit() || b"@*#?-$!".contains(&byte) => {
                self.at += 1;
                if b"#?$".contains(&byte) { ExpansionKind::Number } else { ExpansionKind::Parameter }
            }
            _ => {
                builder.dollar(is_quoted);
                return Ok(());
            }
        };
        // `"$@"` becomes one word for each argument.
        let is_list = kind == ExpansionKind::Parameter && self.text[start..self.at].contains('@');
        let kind = match &self.text[start..self.at] {
            "$HOME" | "${HOME}" => ExpansionKind::Home,
            text if text.starts_with("${HOME:?") => ExpansionKind::Home,
            "$(pwd)" if is_quoted => ExpansionKind::Folder,
            _ => kind,
        };
        let text = self.text[start + 1..self.at].trim_start_matches('{').trim_end_matches('}');
        match kind {
            ExpansionKind::Parameter => builder.variable(text, is_quoted && !is_list),
            kind => builder.expansion(kind, is_quoted && !is_list),
        }
        builder.place_expansion(self.span(start));
        Ok(())
    }

    /// Parses a list up to its parenthesis.
    fn substitution(&mut self, via: Via) -> Parsed {
        let start = self.at;
        self.opened()?;
        let pending = mem::take(&mut self.pending);
        self.stages.open(start - 2);
        self.within(via, Self::list)?;
        if !self.pending.is_empty() {
            return self.syntax_error();
        }
        self.expect(")")?;
        self.stages.close(StageKind::Substitution, self.at, None);
        self.pending = pending;
        self.quoted_line_end(start)
    }

    pub(super) fn backquoted(&mut self, builder: &mut Builder, is_quoted: bool) -> Parsed {
        let start = self.at;
        self.at += 1;
        let mut script = String::new();
        loop {
            let Some(char) = self.char() else {
                self.at = start;
                return self.syntax_error();
            };
            self.at += char.len_utf8();
            match (char, self.byte(0)) {
                ('`', _) => break,
                // Shells disagree whether it is removed twice.
                ('\\', Some(b'"')) if is_quoted => return self.syntax_error(),
                ('\\', Some(byte @ (b'$' | b'`' | b'\\'))) => {
                    self.at += 1;
                    script.push(byte.into());
                }
                _ => script.push(char),
            }
        }
        self.quoted_line_end(start)?;
        let mut via = self.via.clone();
        via.push(Via::CommandSubstitution);
        let found = parse(&script, Position::Within(self.span(start)), via, self.depth + 1, self.is_posix);
        let parts = self.output(&found.commands);
        self.adopt(found);
        let is_last = self.is_at_word_end(0);
        if !parts.is_some_and(|parts| builder.printed(parts, is_quoted, is_last)) {
            builder.expansion(ExpansionKind::Command, is_quoted);
            builder.place_expansion(self.span(start));
        }
        Ok(())
    }

    /// Returns the text that the commands of a substitution print, if it is certain.
    fn output(&self, commands: &[Command]) -> Option<Vec<Part>> {
        let within = [&self.via[..], &[Via::CommandSubstitution]].concat();
        let is_plain = !self.keeps_expansions && !self.defines && !self.sets_separators;
        let parts = is_plain.then(|| printed(commands, &within)).flatten();
        parts.filter(|parts| !parts.iter().any(|part| part.is(ExpansionKind::Escape)))
    }
}
