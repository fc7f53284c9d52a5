//! Where the scanner's text comes from: bytes that are all there, or a reader.

use std::io::{self, Read};
use std::ops::Range;

use super::Error;

/// Text that may grow while it is scanned.
pub trait Source {
    /// Whether it makes room of what is not wanted.
    const DISCARDS: bool;

    /// What is there so far.
    fn text(&self) -> &[u8];

    /// Reads on; false where there is no more.
    fn more(&mut self) -> Result<bool, Error>;

    /// Puts `null` in place of everything from `start` on, which was scanned and is not wanted.
    fn discard(&mut self, start: usize);

    /// Puts blanks in place of text that was scanned and is not wanted.
    fn blank(&mut self, range: Range<usize>);
}

/// Text that is all there, and stays as it is.
impl Source for &[u8] {
    const DISCARDS: bool = false;

    #[inline]
    fn text(&self) -> &[u8] {
        self
    }

    #[inline]
    fn more(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    #[inline]
    fn discard(&mut self, _: usize) {}

    #[inline]
    fn blank(&mut self, _: Range<usize>) {}
}

/// Text that is read while it is scanned. Room that discarded text leaves is used again.
pub struct Stream<R> {
    reader: R,
    buffer: Vec<u8>,
    filled: usize,
}

/// How much is read at once: as much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// How much of a text is kept. Whoever sends more has no file or command in mind, and where the system ends a process for
/// want of memory, nobody can refuse any more.
const MAX_KEPT: usize = 128 << 20;

#[cold]
fn too_much() -> Error {
    Error::new(format_args!(
        "what the hook reads of it has more than {} MiB",
        MAX_KEPT >> 20
    ))
}

/// What discarded text becomes.
pub(super) const DISCARDED: &[u8; 4] = b"null";

impl<R: Read> Stream<R> {
    /// A text that begins with `start`, and goes on in `reader`.
    pub fn new(start: &[u8], reader: R) -> Self {
        let mut buffer = vec![0; start.len() + CHUNK];
        buffer[..start.len()].copy_from_slice(start);
        Self {
            reader,
            buffer,
            filled: start.len(),
        }
    }
}

impl<R: Read> Source for Stream<R> {
    const DISCARDS: bool = true;

    #[inline]
    fn text(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    fn more(&mut self) -> Result<bool, Error> {
        // Only text that is wanted fills the buffer. Memory that is not read into is not touched.
        if self.buffer.len() - self.filled < CHUNK / 2 {
            if self.filled > MAX_KEPT {
                return Err(too_much());
            }
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count > 0);
                }
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                Err(err) => return Err(Error::new(format_args!("cannot be read: {err}"))),
            }
        }
    }

    fn discard(&mut self, start: usize) {
        self.filled = start + DISCARDED.len();
        self.buffer[start..self.filled].copy_from_slice(DISCARDED);
    }

    fn blank(&mut self, range: Range<usize>) {
        self.buffer[range].fill(b' ');
    }
}
