//! Reads lines of a file of any size. Only one line is in memory at a time.

use std::io::{self, BufRead, BufReader, Read};

/// Maximum length of a line; longer ones are skipped.
const LONGEST: u64 = 64 << 20;

/// Lines of a transcript.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

/// A line, without its line feed.
#[derive(Debug, PartialEq)]
pub(crate) enum Line<'l> {
    Whole(&'l [u8]),
    /// The last line, if it does not end with a line feed. The client may still be writing it.
    Last(&'l [u8]),
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(1 << 18, reader), line: Vec::new() }
    }

    /// Returns the next line. `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let is_ended = self.take_up_to(LONGEST)?;
        if is_ended {
            self.line.pop();
            return Ok(Some(Line::Whole(&self.line)));
        }
        let length = u64::try_from(self.line.len()).unwrap_or(u64::MAX);
        if length < LONGEST {
            return Ok((length > 0).then_some(Line::Last(&self.line)));
        }
        self.line = Vec::new();
        while !self.take_up_to(1 << 20)? && !self.line.is_empty() {}
        Ok(Some(Line::TooLong))
    }

    /// Reads the rest of a line, up to this many bytes. Returns `true` if the line ends with a line feed.
    fn take_up_to(&mut self, limit: u64) -> io::Result<bool> {
        self.line.clear();
        (&mut self.reader).take(limit).read_until(b'\n', &mut self.line)?;
        Ok(self.line.ends_with(b"\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_skipped_and_the_last_line_may_be_incomplete() -> io::Result<()> {
        let long = io::repeat(b'x').take(LONGEST + (3 << 20));
        let text = (&b"one\n\n"[..]).chain(long).chain(&b"\ntwo\nthr"[..]);
        let mut lines = Lines::new(text);
        for expected in [Line::Whole(b"one"), Line::Whole(b""), Line::TooLong, Line::Whole(b"two"), Line::Last(b"thr")]
        {
            assert_eq!(lines.next()?, Some(expected));
        }
        assert_eq!(lines.next()?, None);
        Ok(())
    }
}
