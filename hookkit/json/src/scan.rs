//! Finds where JSON values begin and end, without decoding them.
//!
//! Values that are skipped are checked for strings, escapes and nesting; that is what it takes to find their end.
//! Values that are read are checked in full by the [`Deserializer`](super::Deserializer).

use std::fmt;
use std::ops::Range;

use super::blocks::{self, MAX_DEPTH, Misplaced, Nesting};
use super::source::DISCARDED;
use super::{Error, Input, text};

/// The place of a key, between its quotes, or of a value.
#[derive(Debug, Clone)]
pub struct Span {
    /// Its place in the document.
    pub text: Range<usize>,
    escapes: Escapes,
}

/// The escapes of a string, as far as they are known.
///
/// It is as wide as the rest of a [`Span`]: a `bool` would be copied together with seven bytes of padding, piece by piece,
/// and spans are what the scanner makes.
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

    /// A value of which no more is known than where it is.
    pub fn of_value(text: Range<usize>) -> Self {
        Self::new(text, false)
    }

    /// Returns whether it is known to be a string without escapes.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.escapes == Escapes::None
    }
}

/// A place in a text, which grows where its [`Input`] has more.
///
/// Whatever is found is given as a range of the text.
pub struct Scanner<S> {
    source: S,
    at: usize,
    /// From where on scanned text may be discarded to make room.
    unwanted_from: Option<usize>,
    /// Number of bytes that were discarded.
    discarded: usize,
}

impl<'a> Scanner<&'a [u8]> {
    /// The text of a range.
    #[inline]
    pub fn slice(&self, range: Range<usize>) -> &'a [u8] {
        &self.source[range]
    }
}

impl<S: Input> Scanner<S> {
    /// A scanner at the start of a text.
    #[inline]
    pub fn new(source: S) -> Self {
        Self {
            source,
            at: 0,
            unwanted_from: None,
            discarded: 0,
        }
    }

    /// The text up to where the scanner is.
    #[inline]
    pub fn scanned(&self) -> &[u8] {
        &self.source.text()[..self.at]
    }

    /// Returns the scanner's place.
    #[inline]
    pub fn place(&self) -> usize {
        self.at
    }

    /// Makes the text go on behind its present end.
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

    /// The byte that comes next, not consumed.
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

    /// The byte that comes next, not consumed; there must be one.
    #[inline]
    fn byte(&mut self) -> Result<u8, Error> {
        match self.peek()? {
            Some(byte) => Ok(byte),
            None => Err(self.cut_off()),
        }
    }

    /// The next byte that is not a white space, not consumed; there must be one.
    #[inline]
    fn token(&mut self) -> Result<u8, Error> {
        loop {
            match self.byte()? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                token => return Ok(token),
            }
        }
    }

    /// Consumes `token`, after white space, if it comes next.
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

    /// Only white space may be left of the text that is there.
    pub fn end(&mut self) -> Result<(), Error> {
        let rest = &self.source.text()[self.at..];
        let blank = rest
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
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

    /// Returns the error for text that was not expected here.
    #[cold]
    fn unexpected(&self, wanted: fmt::Arguments<'_>) -> Error {
        let at = self.at + self.discarded;
        match self.source.text().get(self.at) {
            None => self.cut_off(),
            Some(byte) if byte.is_ascii_graphic() => Error::new(format_args!(
                "expected {wanted} at byte {at}, found `{}`",
                char::from(*byte)
            )),
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

    /// Consumes a string behind its opening quote; whether there are escapes in it.
    fn string_rest(&mut self) -> Result<bool, Error> {
        // Behind an escape that a block stops at there are often more of them.
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
                // The text goes on now.
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
        // Most are strings, and are where the scanner is.
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

    /// Consumes one value, and lets go of it where that makes room: `null` is in its place then.
    pub fn unwanted_value(&mut self) -> Result<Span, Error> {
        /// To let go of less makes little room: what is behind it has to move up.
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

    /// Returns the offset of an object, if that is what comes next. It is not consumed.
    #[inline(always)]
    pub fn object_ahead(&mut self) -> Result<Option<usize>, Error> {
        let next = match self.source.text().get(self.at) {
            // No white space, as from the client.
            Some(byte @ (b'"' | b'{')) => *byte,
            _ => self.token()?,
        };
        Ok((next == b'{').then_some(self.at))
    }

    /// A number or a word: whatever reaches to the next separator.
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

    /// An array or an object, of which only strings and brackets are looked at.
    fn container(&mut self) -> Result<(), Error> {
        let mut nesting = Nesting::new();
        loop {
            let (at, closed) = blocks::skip(self.source.text(), self.at, &mut nesting);
            self.at = at;
            if closed.map_err(|bracket| self.misplaced(&bracket))? {
                return Ok(());
            }
            // What a block cannot settle: an escape of several bytes, a fault, or where the text ends.
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

    /// Consumes the next key, with its colon, of an object whose start was consumed; or the object's end.
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

    /// Consumes a key as the client writes it, without white space or escapes. `None`, and nothing consumed, where it is
    /// anything else.
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

    /// Consumes the next element of an array whose start was consumed; or the array's end.
    pub fn element(&mut self, first: bool) -> Result<Option<Span>, Error> {
        if !self.next_in(b']', first)? {
            return Ok(None);
        }
        self.value().map(Some)
    }

    /// Consumes what is before the next item of a container; false at the container's end, which is `close`.
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
