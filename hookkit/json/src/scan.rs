//! Finds where JSON values begin and end, without decoding them.

use std::fmt;
use std::ops::Range;

use super::blocks::{self, MAX_DEPTH, Misplaced, Nesting};
use super::source::DISCARDED;
use super::{Error, Input, text};

/// The range of a key, between its quotes, or of a value.
#[derive(Debug, Clone)]
pub struct Span {
    /// The range in the document.
    pub text: Range<usize>,
    escapes: Escapes,
}

/// The escapes of a string: none, or unknown.
///
/// The type is as wide as the rest of a [`Span`]. A `bool` would be copied piece by piece with seven bytes of padding,
/// and the scanner makes a span for every value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Escapes {
    None,
    Unknown,
}

impl Span {
    #[inline]
    fn new(text: Range<usize>, is_plain: bool) -> Self {
        let escapes = if is_plain { Escapes::None } else { Escapes::Unknown };
        Self { text, escapes }
    }

    /// Creates the span of a value whose kind and escapes are unknown.
    pub fn of_value(text: Range<usize>) -> Self {
        Self::new(text, false)
    }

    /// Returns `true` if the value is certainly a string without escapes.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.escapes == Escapes::None
    }
}

/// A position in a text, which grows while its [`Input`] reads more.
///
/// All results are ranges of the text.
pub struct Scanner<S> {
    source: S,
    at: usize,
    /// Start of the scanned text that may be discarded to free its memory.
    unwanted_from: Option<usize>,
    /// Number of discarded bytes.
    discarded: usize,
}

impl<'a> Scanner<&'a [u8]> {
    /// Returns the text of a range.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> &'a [u8] {
        &self.source[range]
    }
}

impl<S: Input> Scanner<S> {
    /// Creates a scanner at the start of a text.
    #[inline]
    pub fn new(source: S) -> Self {
        Self { source, at: 0, unwanted_from: None, discarded: 0 }
    }

    /// Returns the text before the scanner's position.
    #[inline]
    pub fn scanned(&self) -> &[u8] {
        &self.source.text()[..self.at]
    }

    /// Returns the scanner's position.
    #[inline]
    pub fn place(&self) -> usize {
        self.at
    }

    /// Reads more text. Returns `false` at the end.
    #[cold]
    fn more(&mut self) -> Result<bool, Error> {
        let end = self.source.text().len();
        if let Some(start) = self.unwanted_from
            && end - start > DISCARDED.len()
        {
            self.at = self.source.discard(start..end);
            self.discarded += end - self.at;
        }
        self.source.more()
    }

    /// Returns the next byte without consuming it.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>, Error> {
        loop {
            if let Some(byte) = self.source.text().get(self.at) {
                return Ok(Some(*byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// Returns the next byte without consuming it. Fails at the end.
    #[inline]
    fn byte(&mut self) -> Result<u8, Error> {
        match self.peek()? {
            Some(byte) => Ok(byte),
            None => Err(self.cut_off()),
        }
    }

    /// Skips white space and returns the next byte without consuming it. Fails at the end.
    #[inline]
    fn token(&mut self) -> Result<u8, Error> {
        loop {
            match self.byte()? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                token => return Ok(token),
            }
        }
    }

    /// Skips white space, and consumes `token` if it comes next.
    #[inline]
    fn eat(&mut self, token: u8) -> Result<bool, Error> {
        // The client writes no white space.
        if self.source.text().get(self.at) == Some(&token) {
            self.at += 1;
            return Ok(true);
        }
        let found = self.token()? == token;
        self.at += usize::from(found);
        Ok(found)
    }

    #[inline]
    fn expect(&mut self, token: u8) -> Result<(), Error> {
        if self.eat(token)? {
            return Ok(());
        }
        Err(self.unexpected(format_args!("`{}`", char::from(token))))
    }

    /// Fails if the remaining text has anything but white space.
    pub fn end(&mut self) -> Result<(), Error> {
        let rest = &self.source.text()[self.at..];
        let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        self.at += blank.count();
        if self.at == self.source.text().len() {
            return Ok(());
        }
        Err(self.unexpected(format_args!("the end")))
    }

    #[cold]
    fn cut_off(&self) -> Error {
        Error::cut_off(self.at + self.discarded)
    }

    /// Returns the error for unexpected text at the scanner's position.
    #[cold]
    fn unexpected(&self, wanted: fmt::Arguments<'_>) -> Error {
        let at = self.at + self.discarded;
        match self.source.text().get(self.at) {
            None => self.cut_off(),
            Some(byte) if byte.is_ascii_graphic() => {
                Error::new(format_args!("expected {wanted} at byte {at}, found `{}`", char::from(*byte)))
            }
            Some(byte) => Error::new(format_args!("expected {wanted} at byte {at}, found byte 0x{byte:02x}")),
        }
    }

    /// Consumes a string.
    #[inline]
    pub fn string(&mut self) -> Result<Span, Error> {
        if !self.eat(b'"')? {
            return Err(self.unexpected(format_args!("a string")));
        }
        let start = self.at;
        let escaped = self.string_rest()?;
        let text = start..self.at - 1;
        Ok(Span::new(text, !escaped))
    }

    /// Consumes a string after its opening quote. Returns `true` if it has escapes.
    fn string_rest(&mut self) -> Result<bool, Error> {
        // An escape that stops a block is often followed by more of them.
        const APART: usize = 128;
        let mut escaped = false;
        let mut blocks_from = self.at;
        loop {
            let (end, passed) = text::run_by_steps(self.source.text(), self.at, blocks_from);
            self.at = end;
            escaped |= passed;
            if self.source.text().get(end) == Some(&b'"') {
                self.at += 1;
                return Ok(escaped);
            }
            match self.peek()? {
                Some(b'\\') => {
                    self.escape()?;
                    escaped = true;
                    blocks_from = self.at + APART;
                }
                Some(0..0x20) => return Err(self.unexpected(format_args!("an escaped control character"))),
                // `peek` read more text.
                Some(_) => {}
                None => return Err(self.cut_off()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        self.at += 1;
        match self.byte()? {
            letter if text::is_letter_of_escape(letter) => self.at += 1,
            b'u' => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.byte()?.is_ascii_hexdigit() {
                        return Err(self.unexpected(format_args!("a hexadecimal digit")));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.unexpected(format_args!("an escape"))),
        }
        Ok(())
    }

    /// Consumes one value of any kind.
    #[inline(always)]
    pub fn value(&mut self) -> Result<Span, Error> {
        // Most are strings, without white space before them.
        let start = self.at;
        let text = self.source.text();
        if text.get(start) == Some(&b'"') {
            let (end, escaped) = text::run(text, start + 1);
            if text.get(end) == Some(&b'"') {
                self.at = end + 1;
                return Ok(Span::new(start..end + 1, !escaped));
            }
        }
        self.any_value()
    }

    #[inline(never)]
    fn any_value(&mut self) -> Result<Span, Error> {
        let first = self.token()?;
        let start = self.at;
        match first {
            b'"' => {
                self.at += 1;
                self.string_rest()?;
            }
            b'{' | b'[' => self.container()?,
            _ => self.scalar()?,
        }
        Ok(Span::of_value(start..self.at))
    }

    /// Consumes one value and replaces it with `null` if that frees memory.
    pub fn unwanted_value(&mut self) -> Result<Span, Error> {
        /// Minimum size of a replaced value: the text after it has to be moved.
        const LITTLE: usize = 4 * 1024;
        if !S::DISCARDS {
            return self.value();
        }
        self.token()?;
        let start = self.at;
        let discarded_before = self.discarded;
        self.unwanted_from = Some(start);
        let scanned = self.value();
        self.unwanted_from = None;
        let value = scanned?;
        if self.discarded == discarded_before && value.text.len() < LITTLE {
            return Ok(value);
        }
        let end = self.source.discard(start..self.at);
        self.discarded += self.at - end;
        self.at = end;
        Ok(Span::of_value(start..end))
    }

    /// Returns the position of the next value if it is an object, without consuming it.
    #[inline(always)]
    pub fn object_ahead(&mut self) -> Result<Option<usize>, Error> {
        let next = match self.source.text().get(self.at) {
            // The client writes no white space.
            Some(byte @ (b'"' | b'{')) => *byte,
            _ => self.token()?,
        };
        Ok((next == b'{').then_some(self.at))
    }

    /// Consumes a number or a word, up to the next separator.
    fn scalar(&mut self) -> Result<(), Error> {
        if !is_scalar(self.byte()?) {
            return Err(self.unexpected(format_args!("a value")));
        }
        loop {
            let text = &self.source.text()[self.at..];
            let length = text.iter().take_while(|byte| is_scalar(**byte)).count();
            let is_over = length < text.len();
            self.at += length;
            if is_over || !self.more()? {
                return Ok(());
            }
        }
    }

    /// Consumes an array or an object and checks only its strings and brackets.
    fn container(&mut self) -> Result<(), Error> {
        let mut nesting = Nesting::new();
        loop {
            let (at, closed) = blocks::skip(self.source.text(), self.at, &mut nesting);
            self.at = at;
            if closed.map_err(|bracket| self.misplaced(&bracket))? {
                return Ok(());
            }
            // A block cannot handle long escapes, faults or the end of the text.
            if nesting.in_string {
                nesting.in_string = false;
                self.string_rest()?;
                continue;
            }
            loop {
                let byte = self.byte()?;
                match byte {
                    b'"' => {
                        self.at += 1;
                        self.string_rest()?;
                        break;
                    }
                    b'{' | b'[' | b'}' | b']' => {
                        let closed = nesting.bracket(byte).map_err(|bracket| self.misplaced(&bracket))?;
                        self.at += 1;
                        if closed {
                            return Ok(());
                        }
                    }
                    _ => self.at += 1,
                }
            }
        }
    }

    #[cold]
    fn misplaced(&self, bracket: &Misplaced) -> Error {
        match bracket {
            Misplaced::TooDeep => Error::new(format_args!("nests deeper than {} levels", MAX_DEPTH + 2)),
            Misplaced::OtherKind => self.unexpected(format_args!("the other closing bracket")),
        }
    }

    /// Consumes the `{` of an object.
    #[inline]
    pub fn object_start(&mut self) -> Result<(), Error> {
        self.expect(b'{')
    }

    /// Consumes the next key and its colon, or the end of the object. The start of the object is already consumed.
    #[inline(always)]
    pub fn key(&mut self, first: bool) -> Result<Option<Span>, Error> {
        match self.compact_key(first) {
            Some(key) => Ok(Some(key)),
            None => self.any_key(first),
        }
    }

    #[inline(never)]
    fn any_key(&mut self, first: bool) -> Result<Option<Span>, Error> {
        if !self.next_in(b'}', first)? {
            return Ok(None);
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Consumes a key as the client writes it, without white space or escapes. Returns `None`, and consumes nothing, for
    /// any other text.
    #[inline(always)]
    fn compact_key(&mut self, first: bool) -> Option<Span> {
        let text = self.source.text();
        let start = match (first, text.get(self.at..)?) {
            (true, [b'"', ..]) => self.at + 1,
            (false, [b',', b'"', ..]) => self.at + 2,
            _ => return None,
        };
        let (end, escaped) = text::run(text, start);
        if escaped || !text.get(end..)?.starts_with(b"\":") {
            return None;
        }
        self.at = end + 2;
        Some(Span::new(start..end, true))
    }

    /// Consumes the `[` of an array.
    pub fn array_start(&mut self) -> Result<(), Error> {
        self.expect(b'[')
    }

    /// Consumes the next element, or the end of the array. The start of the array is already consumed.
    pub fn element(&mut self, first: bool) -> Result<Option<Span>, Error> {
        if !self.next_in(b']', first)? {
            return Ok(None);
        }
        self.value().map(Some)
    }

    /// Consumes the text before the next item of a container. Returns `false` at `close`, the end of the container.
    #[inline]
    fn next_in(&mut self, close: u8, first: bool) -> Result<bool, Error> {
        if !first && self.eat(b',')? {
            return Ok(true);
        }
        if self.eat(close)? {
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        Err(self.unexpected(format_args!("`,` or `{}`", char::from(close))))
    }
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}
