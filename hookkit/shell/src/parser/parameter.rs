//! The inside of `${…}`, and arithmetic.

use super::builder::Builder;
use super::{Parsed, Parser, is_name, name_length};
use crate::Why;
use crate::programs::{is_evaluated, steers_shell};

impl Parser<'_> {
    /// Parses `${…}`, after its brace.
    pub(super) fn parameter(&mut self, start: usize, is_quoted: bool) -> Parsed {
        if self.has("#}") || self.has("!}") {
            self.at += 2;
            return Ok(());
        }
        if self.take("!") {
            // The value is a name, perhaps with a subscript that runs a command, except for the keys of an array.
            if !self.is_at_whole_array() {
                self.note(Why::Indirection, start);
            }
        } else {
            self.take("#");
        }
        let rest = self.rest();
        let length = name_length(rest).max(usize::from(rest.starts_with(['@', '*', '?', '-', '$', '!', '#'])));
        let name = &rest[..length];
        if length == 0 {
            return self.syntax_error();
        }
        self.at += length;
        if self.has("[") {
            let rest = &self.text[self.at + 1..];
            let length =
                rest.bytes().take_while(u8::is_ascii_digit).count().max(usize::from(rest.starts_with(['@', '*'])));
            if length > 0 && rest[length..].starts_with(']') {
                self.at += length + 2;
            } else {
                self.note(Why::Arithmetic, start);
            }
        }
        match self.byte(0) {
            Some(b':') if !matches!(self.byte(1), Some(b'-' | b'=' | b'?' | b'+')) => {
                let rest = self.rest();
                let end = rest.find('}').unwrap_or(rest.len());
                if !rest[..end].bytes().all(|byte| byte.is_ascii_digit() || b": -".contains(&byte)) {
                    self.note(Why::Arithmetic, start);
                }
            }
            // `@P` expands the value as a prompt, which can contain commands.
            Some(b'@') => self.note(Why::Indirection, start),
            Some(byte) if b"}:-=?+#%/^,[".contains(&byte) => {}
            _ => return self.syntax_error(),
        }
        if self.has("=") || self.has(":=") {
            if steers_shell(name) {
                self.note(Why::ShellVariable, start);
            }
            if is_evaluated(name) {
                self.note(Why::Arithmetic, start);
            }
        }
        let mut value = Builder::default();
        loop {
            match self.byte(0) {
                None => return self.syntax_error(),
                Some(b'}') => {
                    self.at += 1;
                    return self.quoted_line_end(start);
                }
                // The shell and the text before decide whether these quote or substitute.
                Some(b'\'' | b'$') if is_quoted && self.skip_harmless_quotes() => {}
                Some(b'\'') if is_quoted => return self.syntax_error(),
                Some(b'<' | b'>') if self.byte(1) == Some(b'(') => return self.syntax_error(),
                Some(b' ' | b'\t' | b'\n') => self.at += 1,
                Some(b'\\') if is_quoted && !matches!(self.byte(1), Some(b'$' | b'`' | b'"' | b'\\' | b'}' | b'/')) => {
                    self.at += 1
                }
                Some(b'$') if is_quoted => self.dollar(&mut value, true)?,
                Some(b'`') if is_quoted => self.backquoted(&mut value, true)?,
                Some(_) => self.piece(&mut value)?,
            }
        }
    }

    /// Skips `'…'` or `$'…'`, if quoting makes no difference to the text.
    fn skip_harmless_quotes(&mut self) -> bool {
        let has_no_meaning = |byte: u8| byte.is_ascii_alphanumeric() || b" \t_-+.,:;/|&@%=*?#^".contains(&byte);
        let rest = self.rest();
        let Some(text) = rest.strip_prefix('$').unwrap_or(rest).strip_prefix('\'') else {
            return false;
        };
        let Some((quoted, behind)) = text.split_once('\'') else {
            return false;
        };
        let mut bytes = quoted.bytes();
        while let Some(byte) = bytes.next() {
            let is_harmless = match byte {
                b'\\' => bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric()),
                byte => has_no_meaning(byte),
            };
            if !is_harmless {
                return false;
            }
        }
        self.at = self.text.len() - behind.len();
        true
    }

    /// Returns `true` at `name[@]}` and `name[*]}`.
    fn is_at_whole_array(&self) -> bool {
        let rest = self.rest();
        rest.split_once('[')
            .is_some_and(|(name, rest)| is_name(name) && (rest.starts_with("@]}") || rest.starts_with("*]}")))
    }

    /// Parses arithmetic to its end. Names in it are evaluated, and so are their values, which can contain a command.
    pub(super) fn arithmetic(&mut self, also: &[u8]) -> Parsed {
        let start = self.at;
        let mut depth = 0_usize;
        let mut is_known = true;
        let mut ignored = Builder::default();
        loop {
            match self.byte(0) {
                Some(b')') if depth == 0 => {
                    if !self.take("))") {
                        // These were nested parentheses.
                        return self.syntax_error();
                    }
                    if !is_known {
                        self.note(Why::Arithmetic, start);
                    }
                    return self.quoted_line_end(start);
                }
                Some(b'$') => {
                    is_known = false;
                    self.dollar(&mut ignored, true)?;
                }
                Some(b'`') => {
                    is_known = false;
                    self.backquoted(&mut ignored, true)?;
                }
                Some(byte) => {
                    match byte {
                        b'(' => depth += 1,
                        b')' => depth -= 1,
                        _ if b"0123456789 \t\n+-*/%<>=!&|^~?:,".contains(&byte) || also.contains(&byte) => {}
                        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'[' | b']' | b'#' => is_known = false,
                        _ => return self.syntax_error(),
                    }
                    self.at += 1;
                }
                None => return self.syntax_error(),
            }
        }
    }
}
