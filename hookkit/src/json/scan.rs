//! Finds where JSON values begin and end, without decoding them.
//!
//! Values that are skipped are checked for strings, escapes and nesting; that is what it takes to find their end.
//! Values that are read are checked in full by the [`Deserializer`](super::Deserializer).

use super::Error;

/// How deep arrays and objects may nest inside the payload's object: with it, 127 levels, as in serde_json.
const MAX_DEPTH: usize = 126;

/// A place in a document.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// The next byte that is no white space, not consumed.
    pub(crate) fn next_token(&mut self) -> Result<u8, Error> {
        self.skip_space();
        self.peek().ok_or_else(|| self.cut_off())
    }

    /// Consumes `token`, after white space, if it comes next.
    fn eat(&mut self, token: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: u8) -> Result<(), Error> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.unexpected(format_args!("`{}`", char::from(token))))
    }

    /// Only white space may be left.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.skip_space();
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(self.unexpected(format_args!("the end")))
    }

    pub(crate) fn cut_off(&self) -> Error {
        Error::new(format_args!("ends at byte {} in the middle of a value", self.at))
    }

    /// What stands here is not what was wanted.
    pub(crate) fn unexpected(&self, wanted: std::fmt::Arguments<'_>) -> Error {
        match self.peek() {
            None => self.cut_off(),
            Some(byte) if byte.is_ascii_graphic() => Error::new(format_args!(
                "expected {wanted} at byte {}, found `{}`",
                self.at,
                char::from(byte)
            )),
            Some(byte) => Error::new(format_args!(
                "expected {wanted} at byte {}, found byte 0x{byte:02x}",
                self.at
            )),
        }
    }

    /// Consumes a string; what stands between its quotes, still escaped.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Error> {
        self.skip_space();
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(format_args!("a string")));
        }
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek().ok_or_else(|| self.cut_off())? {
                b'"' => break,
                b'\\' => self.escape()?,
                0..0x20 => return Err(self.unexpected(format_args!("an escaped control character"))),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(&self.bytes[start..self.at - 1])
    }

    fn escape(&mut self) -> Result<(), Error> {
        self.at += 1;
        match self.peek().ok_or_else(|| self.cut_off())? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().ok_or_else(|| self.cut_off())?.is_ascii_hexdigit() {
                        return Err(self.unexpected(format_args!("a hexadecimal digit")));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.unexpected(format_args!("an escape"))),
        }
        Ok(())
    }

    /// Consumes one value of any kind; its text.
    pub(crate) fn value(&mut self) -> Result<&'a [u8], Error> {
        let first = self.next_token()?;
        let start = self.at;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.container()?,
            _ => self.scalar()?,
        }
        Ok(&self.bytes[start..self.at])
    }

    /// A number or a word: whatever reaches to the next separator.
    fn scalar(&mut self) -> Result<(), Error> {
        let start = self.at;
        while matches!(
            self.peek(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'+' | b'.')
        ) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected(format_args!("a value")));
        }
        Ok(())
    }

    /// An array or an object, of which only strings and brackets are looked at.
    fn container(&mut self) -> Result<(), Error> {
        // The closing bracket that each open one wants, innermost last.
        let mut closers = [0_u8; MAX_DEPTH];
        let mut depth = 0;
        loop {
            match self.peek().ok_or_else(|| self.cut_off())? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                open @ (b'{' | b'[') => {
                    // `{` and `}`, as `[` and `]`, are two apart in ASCII.
                    *closers.get_mut(depth).ok_or_else(too_deep)? = open + 2;
                    depth += 1;
                }
                b'}' | b']' => {
                    depth -= 1;
                    if self.peek() != Some(closers[depth]) {
                        return Err(self.unexpected(format_args!("`{}`", char::from(closers[depth]))));
                    }
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Consumes an object, giving `visit` each key, still escaped, and the text of its value.
    pub(crate) fn object(
        &mut self,
        mut visit: impl FnMut(&'a [u8], &'a [u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.expect(b'{')?;
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            let value = self.value()?;
            visit(key, value)?;
            if !self.eat(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// Consumes the `[` of an array.
    pub(crate) fn array_start(&mut self) -> Result<(), Error> {
        self.expect(b'[')
    }

    /// The next element of an array whose start was consumed; `first` tells that none was taken yet.
    pub(crate) fn element(&mut self, first: bool) -> Result<Option<&'a [u8]>, Error> {
        if self.eat(b']') {
            return Ok(None);
        }
        if !first {
            self.expect(b',')?;
        }
        self.value().map(Some)
    }
}

fn too_deep() -> Error {
    Error::new(format_args!("nests deeper than {MAX_DEPTH} levels"))
}
