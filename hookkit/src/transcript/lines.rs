//! Iteration over the lines of a file, from either end.

use std::fs::File;
use std::ops::Range;
use std::{fmt, io};

use crate::sys;

/// A line, without the line feed that ends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'b> {
    /// Offset of the line in the file.
    pub(super) offset: u64,
    /// Length of the line in bytes.
    pub(super) length: u64,
    /// The bytes, unless the line is longer than the limit.
    pub(super) text: Option<&'b [u8]>,
    /// `true` if a line feed ends the line. Otherwise it is the last line, and may be incomplete.
    pub(super) is_ended: bool,
}

/// The remaining lines of a part of a file.
///
/// The part begins at the start of a line. Memory holds one block for each end, and the current line.
pub(super) struct Lines {
    /// The bytes not yet taken from either end.
    rest: Range<u64>,
    /// Number of bytes that are read at once.
    block: u64,
    /// Length of the longest line that is kept.
    limit: u64,
    front: Block,
    back: Block,
    /// The line taken last.
    line: Vec<u8>,
}

impl Lines {
    pub(super) fn new(part: Range<u64>) -> Self {
        Self {
            rest: part,
            // A fuzzer's files are small, and should have several blocks, too.
            block: if cfg!(fuzzing) { 64 } else { 64 * 1024 },
            limit: super::LONGEST_LINE,
            front: Block::default(),
            back: Block::default(),
            line: Vec::new(),
        }
    }

    /// Returns the bytes that were not taken yet.
    pub(super) fn rest(&self) -> Range<u64> {
        self.rest.clone()
    }

    /// Drops the remaining lines.
    pub(super) fn stop(&mut self) {
        self.rest.start = self.rest.end;
    }

    /// Takes the first of the remaining lines.
    pub(super) fn next(&mut self, file: &File) -> io::Result<Option<Line<'_>>> {
        let Range { start, end } = self.rest;
        let mut is_ended = false;
        self.line.clear();
        while !is_ended && self.rest.start < end {
            let at = self.rest.start;
            self.front.fill(file, at..end.min(at + self.block))?;
            let known = self.front.left();
            let line_feed = find(known);
            let piece = &known[..line_feed.unwrap_or(known.len())];
            if at - start + piece.len() as u64 <= self.limit {
                self.line.extend_from_slice(piece);
            }
            is_ended = line_feed.is_some();
            let taken = piece.len() + usize::from(is_ended);
            self.front.left.start += taken;
            self.rest.start += taken as u64;
        }
        let length = self.rest.start - start - u64::from(is_ended);
        Ok((start < end).then(|| self.taken(start, length, is_ended)))
    }

    /// Takes the last of the remaining lines.
    pub(super) fn next_back(&mut self, file: &File) -> io::Result<Option<Line<'_>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let is_ended = self.before_end(file)?.ends_with(b"\n");
        self.take_back(usize::from(is_ended));
        let end = self.rest.end;
        // In reverse order, so that a long line is not moved for each of its blocks.
        let mut pieces = Vec::new();
        while !self.rest.is_empty() {
            let known = self.before_end(file)?;
            let line_feed = rfind(known);
            let piece = known[line_feed.map_or(0, |at| at + 1)..].to_vec();
            self.take_back(piece.len());
            if end - self.rest.end <= self.limit {
                pieces.push(piece);
            }
            if line_feed.is_some() {
                break;
            }
        }
        self.line.clear();
        for piece in pieces.iter().rev() {
            self.line.extend_from_slice(piece);
        }
        Ok(Some(self.taken(self.rest.end, end - self.rest.end, is_ended)))
    }

    /// Returns the bytes in memory that end where the unread rest ends. Reads a block if there are none.
    fn before_end(&mut self, file: &File) -> io::Result<&[u8]> {
        let Range { start, end } = self.rest;
        self.back.fill(file, start.max(end.saturating_sub(self.block))..end)?;
        Ok(self.back.left())
    }

    /// Takes bytes from the end of the rest.
    fn take_back(&mut self, count: usize) {
        self.back.left.end -= count;
        self.rest.end -= count as u64;
    }

    /// Returns the line taken last.
    fn taken(&self, offset: u64, length: u64, is_ended: bool) -> Line<'_> {
        Line { offset, length, text: (length <= self.limit).then_some(&self.line), is_ended }
    }
}

/// Formats the lines without the bytes in memory.
impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lines").field(&self.rest).finish()
    }
}

/// A part of the file, in memory.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// Range of the bytes that were not taken yet.
    left: Range<usize>,
}

impl Block {
    fn left(&self) -> &[u8] {
        &self.bytes[self.left.clone()]
    }

    /// Reads this part of the file if all bytes of the previous part were taken.
    fn fill(&mut self, file: &File, part: Range<u64>) -> io::Result<()> {
        if self.left.is_empty() {
            self.bytes.resize(usize_of(part.end - part.start), 0);
            read(file, &mut self.bytes, part.start)?;
            self.left = 0..self.bytes.len();
        }
        Ok(())
    }
}

fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    sys::read_exact_at(file, bytes, offset).map_err(|err| match err.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(err.kind(), "the file was truncated while it was read"),
        _ => err,
    })
}

/// Converts a length; a length that does not fit becomes the maximum.
fn usize_of(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

/// Number of bytes searched at once.
const STEP: usize = 64;

/// Returns the position of the first line feed.
fn find(bytes: &[u8]) -> Option<usize> {
    let (steps, _) = bytes.as_chunks::<STEP>();
    let passed = STEP * steps.iter().take_while(|step| !step.contains(&b'\n')).count();
    let at = bytes[passed..].iter().position(|byte| *byte == b'\n')?;
    Some(passed + at)
}

/// Returns the position of the last line feed.
fn rfind(bytes: &[u8]) -> Option<usize> {
    let (_, steps) = bytes.as_rchunks::<STEP>();
    let passed = STEP * steps.iter().rev().take_while(|step| !step.contains(&b'\n')).count();
    bytes[..bytes.len() - passed].iter().rposition(|byte| *byte == b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak;
    use crate::transcript::tests::file_of;

    type Owned = (u64, Option<Vec<u8>>, bool);

    /// Collects the lines, taking each from the end that `from_back` chooses.
    fn lines(file: &File, block: u64, limit: u64, mut from_back: impl FnMut() -> bool) -> Vec<Owned> {
        let mut lines = Lines::new(0..file.metadata().unwrap().len());
        (lines.block, lines.limit) = (block, limit);
        let (mut front, mut back) = (Vec::new(), Vec::new());
        loop {
            let is_back = from_back();
            let line = if is_back { lines.next_back(file) } else { lines.next(file) };
            let Some(line) = line.unwrap() else { break };
            assert_eq!(line.text.is_none(), line.length > limit);
            let line = (line.offset, line.text.map(<[u8]>::to_vec), line.is_ended);
            if is_back { back.push(line) } else { front.push(line) }
        }
        back.reverse();
        front.extend(back);
        front
    }

    fn expected(bytes: &[u8], limit: u64) -> Vec<Owned> {
        let mut offset = 0;
        let pieces = bytes.split_inclusive(|byte| *byte == b'\n');
        pieces
            .map(|piece| {
                let text = piece.strip_suffix(b"\n");
                let (text, is_ended) = (text.unwrap_or(piece), text.is_some());
                let line = (offset, (text.len() as u64 <= limit).then(|| text.to_vec()), is_ended);
                offset += piece.len() as u64;
                line
            })
            .collect()
    }

    #[test]
    fn lines_are_the_same_from_both_ends_for_every_block_size() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in soak::rounds(12, 120) {
            let longest = [3, 70, 300][random.usize(..3)];
            let mut bytes = Vec::new();
            for _ in 0..random.usize(..12) {
                bytes.extend((0..random.usize(..longest)).map(|_| random.u8(b' '..)));
                bytes.push(b'\n');
            }
            if random.bool() {
                bytes.extend((0..random.usize(..longest)).map(|_| random.u8(b' '..)));
            }
            let file = file_of(&bytes);
            for block in [1, 2, 7, 64, 1000] {
                for limit in [1, 50, 10_000] {
                    let expected = expected(&bytes, limit);
                    assert_eq!(lines(&file, block, limit, || false), expected);
                    assert_eq!(lines(&file, block, limit, || true), expected);
                    assert_eq!(lines(&file, block, limit, || random.bool()), expected);
                }
            }
        }
    }

    #[test]
    fn a_line_feed_is_found_at_every_position() {
        for length in 0..200 {
            let mut bytes = vec![b'x'; length];
            assert_eq!((find(&bytes), rfind(&bytes)), (None, None));
            for first in 0..length {
                bytes[first] = b'\n';
                bytes[length - 1] = b'\n';
                assert_eq!((find(&bytes), rfind(&bytes)), (Some(first), Some(length - 1)));
                bytes[length - 1] = b'x';
                bytes[first] = b'\n';
                assert_eq!((find(&bytes), rfind(&bytes)), (Some(first), Some(first)));
                bytes[first] = b'x';
            }
        }
    }

    #[test]
    fn a_long_line_is_not_moved_for_each_of_its_blocks() {
        const LENGTH: usize = 10_000_000;
        let mut bytes = vec![b'x'; LENGTH];
        bytes[10] = b'\n';
        let file = file_of(&bytes);
        // 10 MB in blocks of 100 bytes would be 500 GB to move.
        for is_back in [false, true] {
            assert_eq!(lines(&file, 100, u64::MAX, || is_back).len(), 2);
        }
    }

    #[test]
    fn memory_holds_one_line_of_any_file() {
        let line = [b'x'; 999];
        let file = file_of(&[&line[..], b"\n"].concat().repeat(20_000));
        let mut lines = Lines::new(0..20_000_000);
        while lines.next(&file).unwrap().is_some() && lines.next_back(&file).unwrap().is_some() {
            for block in [&lines.front, &lines.back] {
                assert!(block.bytes.len() as u64 <= lines.block);
            }
            assert!(lines.line.capacity() <= 2 * line.len());
        }
    }

    #[test]
    fn a_file_truncated_while_reading_is_an_error() {
        let file = file_of(b"one\ntwo\n");
        let mut lines = Lines::new(0..8);
        file.set_len(3).unwrap();
        let error = lines.next(&file).unwrap_err().to_string();
        assert_eq!(error, "the file was truncated while it was read");
        assert!(lines.next_back(&file).is_err());
    }
}
