//! The scanner's input: a complete text, or a reader.

use std::io::{self, Read};
use std::ops::{Deref, DerefMut, Range};

use super::Error;

/// Text that may grow while it is scanned.
pub trait Input {
    /// `true` if [`discard`](Self::discard) frees the memory of text that was not requested.
    const DISCARDS: bool;

    /// Returns the text that was read so far.
    fn text(&self) -> &[u8];

    /// Reads more text. Returns `false` at the end.
    fn more(&mut self) -> Result<bool, Error>;

    /// Replaces scanned text with `null` and moves up the text after it. Returns the end of the `null`.
    fn discard(&mut self, text: Range<usize>) -> usize;
}

/// A complete text, which is never changed.
impl Input for &[u8] {
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
    fn discard(&mut self, text: Range<usize>) -> usize {
        text.end
    }
}

/// Text that is read while it is scanned. The memory of discarded text is reused.
pub struct Stream<'b, R> {
    reader: R,
    buffer: Buffer<'b>,
    filled: usize,
}

/// Borrowed bytes, replaced by owned bytes when they do not suffice.
struct Buffer<'b> {
    first: &'b mut [u8],
    grown: Vec<u8>,
}

impl Deref for Buffer<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        if self.grown.is_empty() { self.first } else { &self.grown }
    }
}

impl DerefMut for Buffer<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        if self.grown.is_empty() { self.first } else { &mut self.grown }
    }
}

/// Number of bytes for each read: the capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// Maximum number of bytes of a text that are kept. A larger text is neither a file nor a command, and a process that
/// is killed for lack of memory cannot deny anything.
const MAX_KEPT: usize = 128 << 20;

#[cold]
fn too_much() -> Error {
    Error::new(format_args!("the part that the hook reads is larger than {} MiB", MAX_KEPT >> 20))
}

/// Text that replaces discarded text.
pub(super) const DISCARDED: &[u8; 4] = b"null";

impl<'b, R: Read> Stream<'b, R> {
    /// Creates a text that begins with `start` and continues with `reader`. The memory of `start` is reused.
    pub fn new(start: &'b mut [u8], reader: R) -> Self {
        Self { reader, filled: start.len(), buffer: Buffer { first: start, grown: Vec::new() } }
    }
}

impl<R: Read> Input for Stream<'_, R> {
    const DISCARDS: bool = true;

    #[inline]
    fn text(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    fn more(&mut self) -> Result<bool, Error> {
        // Only requested text fills the buffer: untouched memory costs nothing.
        if self.buffer.len() - self.filled < CHUNK / 2 {
            if self.filled > MAX_KEPT {
                return Err(too_much());
            }
            let Buffer { first, grown } = &mut self.buffer;
            if grown.is_empty() {
                grown.extend_from_slice(first);
            }
            grown.resize(self.filled + CHUNK, 0);
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

    fn discard(&mut self, text: Range<usize>) -> usize {
        let end = text.start + DISCARDED.len();
        self.buffer.copy_within(text.end..self.filled, end);
        self.buffer[text.start..end].copy_from_slice(DISCARDED);
        self.filled -= text.end - end;
        end
    }
}
