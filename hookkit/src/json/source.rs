//! Where the scanner's text comes from: bytes that are all there, or a reader.

use std::io::{self, Read};
use std::ops::Range;

use super::Error;

/// Text that may grow while it is scanned.
pub(crate) trait Source {
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
pub(crate) struct Stream<'b, R> {
    reader: R,
    buffer: &'b mut [u8],
    /// The buffer, once the first one had too little room.
    grown: Vec<u8>,
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

impl<'b, R: Read> Stream<'b, R> {
    /// A text that begins with `start`, and goes on in `reader`. The room of `start` is used again.
    pub(crate) fn new(start: &'b mut [u8], reader: R) -> Self {
        Self {
            reader,
            filled: start.len(),
            buffer: start,
            grown: Vec::new(),
        }
    }

    fn buffer(&mut self) -> &mut [u8] {
        if self.grown.is_empty() {
            self.buffer
        } else {
            &mut self.grown
        }
    }
}

impl<R: Read> Source for Stream<'_, R> {
    const DISCARDS: bool = true;

    #[inline]
    fn text(&self) -> &[u8] {
        let buffer = if self.grown.is_empty() {
            &*self.buffer
        } else {
            &self.grown
        };
        &buffer[..self.filled]
    }

    fn more(&mut self) -> Result<bool, Error> {
        // Only text that is wanted fills the buffer. Memory that is not read into is not touched.
        let filled = self.filled;
        if self.buffer().len() - filled < CHUNK / 2 {
            if filled > MAX_KEPT {
                return Err(too_much());
            }
            let is_first = self.grown.is_empty();
            self.grown.resize(filled + CHUNK, 0);
            if is_first {
                self.grown[..filled].copy_from_slice(&self.buffer[..filled]);
            }
        }
        let room = match self.grown.is_empty() {
            true => &mut self.buffer[filled..],
            false => &mut self.grown[filled..],
        };
        loop {
            match self.reader.read(room) {
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
        let filled = self.filled;
        self.buffer()[start..filled].copy_from_slice(DISCARDED);
    }

    fn blank(&mut self, range: Range<usize>) {
        self.buffer()[range].fill(b' ');
    }
}
