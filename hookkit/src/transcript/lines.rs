//! The lines of a file, from either end, one at a time.

use std::fs::File;
use std::ops::Range;
use std::{fmt, io};

use crate::sys;

/// A line, without the line feed that ends it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'b> {
    /// Where in the file it begins.
    pub(super) offset: u64,
    /// How many bytes it has.
    pub(super) length: u64,
    /// The bytes, unless there are too many of them to be kept.
    pub(super) text: Option<&'b [u8]>,
    /// Whether a line feed ends it. If not, it is the last one, and may be half-written.
    pub(super) is_ended: bool,
}

/// Those lines of a part of a file that were not taken yet.
///
/// The part begins where a line does. What is read of it is kept no longer than the line that it belongs to.
pub(super) struct Lines {
    /// What was not taken yet, from neither end.
    rest: Range<u64>,
    /// How much is read at once.
    block: usize,
    /// From how many bytes on a line is not kept.
    limit: u64,
    front: Window,
    back: Window,
}

impl Lines {
    pub(super) fn new(part: Range<u64>) -> Self {
        Self {
            rest: part,
            // A fuzzer's files are small, and blocks shall end in them, too.
            block: if cfg!(fuzzing) { 64 } else { 64 * 1024 },
            limit: super::LONGEST_LINE,
            front: Window::default(),
            back: Window::default(),
        }
    }

    /// What was not taken yet.
    pub(super) fn rest(&self) -> Range<u64> {
        self.rest.clone()
    }

    /// Takes nothing more.
    pub(super) fn stop(&mut self) {
        self.rest.start = self.rest.end;
    }

    /// Takes the first line that is left.
    pub(super) fn next(&mut self, file: &File) -> io::Result<Option<Line<'_>>> {
        let Range { start, end: rest_end } = self.rest;
        if start >= rest_end {
            return Ok(None);
        }
        // Of a line that is too long what was searched is let go of.
        let (mut kept_from, mut searched) = (start, start);
        let (end, is_ended) = loop {
            let known = self.front.keep_from(kept_from, rest_end);
            let new = usize_of(searched - kept_from);
            if let Some(at) = find(&known[new..]) {
                break (searched + at as u64, true);
            }
            searched = kept_from + known.len() as u64;
            if searched == rest_end {
                break (rest_end, false);
            }
            if searched - start > self.limit {
                kept_from = searched;
                self.front.keep_from(kept_from, rest_end);
            }
            self.front.read_on(file, self.block, rest_end)?;
        };
        self.rest.start = end + u64::from(is_ended);
        let length = end - start;
        Ok(Some(Line {
            offset: start,
            length,
            text: (length <= self.limit).then(|| &self.front.bytes()[..usize_of(length)]),
            is_ended,
        }))
    }

    /// Takes the last line that is left.
    pub(super) fn next_back(&mut self, file: &File) -> io::Result<Option<Line<'_>>> {
        let Range {
            start: rest_start,
            end: rest_end,
        } = self.rest;
        if rest_start >= rest_end {
            return Ok(None);
        }
        if self.back.keep_to(rest_end, rest_start).is_empty() {
            self.back.read_back(file, self.block, rest_start)?;
        }
        let is_ended = self.back.bytes().ends_with(b"\n");
        let end = rest_end - u64::from(is_ended);
        let (mut kept_to, mut searched) = (end, end);
        let start = loop {
            let known = self.back.keep_to(kept_to, rest_start);
            let known_start = kept_to - known.len() as u64;
            if let Some(at) = rfind(&known[..usize_of(searched - known_start)]) {
                break known_start + at as u64 + 1;
            }
            searched = known_start;
            if searched == rest_start {
                break rest_start;
            }
            if end - searched > self.limit {
                kept_to = searched;
                self.back.keep_to(kept_to, rest_start);
            }
            self.back.read_back(file, self.block, rest_start)?;
        };
        self.rest.end = start;
        let length = end - start;
        Ok(Some(Line {
            offset: start,
            length,
            text: (length <= self.limit).then(|| {
                let known = self.back.bytes();
                &known[known.len() - usize_of(length)..]
            }),
            is_ended,
        }))
    }
}

/// Without the bytes that it keeps.
impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lines").field(&self.rest).finish()
    }
}

/// A stretch of the file, in memory. It grows at either end.
#[derive(Default)]
struct Window {
    buffer: Vec<u8>,
    /// Which bytes of the buffer are the file's.
    filled: Range<usize>,
    /// Where in the file they begin.
    offset: u64,
}

impl Window {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.filled.clone()]
    }

    fn end(&self) -> u64 {
        self.offset + self.filled.len() as u64
    }

    /// Lets go of what is before `from`; what is there of the bytes up to `to`.
    fn keep_from(&mut self, from: u64, to: u64) -> &[u8] {
        if (self.offset..=self.end()).contains(&from) {
            self.filled.start += usize_of(from - self.offset);
        } else {
            self.filled = 0..0;
        }
        self.offset = from;
        let known = self.bytes();
        &known[..known.len().min(usize_of(to - from))]
    }

    /// Lets go of what is behind `to`; what is there of the bytes from `from` on.
    fn keep_to(&mut self, to: u64, from: u64) -> &[u8] {
        if (self.offset..=self.end()).contains(&to) {
            self.filled.end -= usize_of(self.end() - to);
        } else {
            self.filled = self.buffer.len()..self.buffer.len();
            self.offset = to;
        }
        let known = self.bytes();
        &known[known.len() - known.len().min(usize_of(to - from))..]
    }

    /// Reads another block behind what is there, up to `to`.
    fn read_on(&mut self, file: &File, block: usize, to: u64) -> io::Result<()> {
        let count = block.min(usize_of(to - self.end()));
        if self.buffer.len() - self.filled.end < count {
            self.make_room(block, |_, _| 0);
        }
        let end = self.filled.end;
        read(
            file,
            &mut self.buffer[end..end + count],
            self.offset + self.filled.len() as u64,
        )?;
        self.filled.end += count;
        Ok(())
    }

    /// Reads another block before what is there, down to `from`.
    fn read_back(&mut self, file: &File, block: usize, from: u64) -> io::Result<()> {
        let count = block.min(usize_of(self.offset - from));
        if self.filled.start < count {
            self.make_room(block, |room, filled| room - filled);
        }
        let start = self.filled.start - count;
        let offset = self.offset - count as u64;
        read(file, &mut self.buffer[start..start + count], offset)?;
        self.filled.start = start;
        self.offset = offset;
        Ok(())
    }

    /// Moves what is there to where it shall begin, in a buffer that has room for as much again, and for a block: a long
    /// line is not moved once for each of its blocks.
    fn make_room(&mut self, block: usize, place: fn(room: usize, filled: usize) -> usize) {
        let filled = self.filled.len();
        let room = self.buffer.len().max(2 * filled + block);
        let start = place(room, filled);
        if room == self.buffer.len() {
            self.buffer.copy_within(self.filled.clone(), start);
        } else {
            // Memory that is not read into is not touched.
            let mut buffer = vec![0; room];
            buffer[start..start + filled].copy_from_slice(self.bytes());
            self.buffer = buffer;
        }
        self.filled = start..start + filled;
    }
}

fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    sys::read_exact_at(file, bytes, offset).map_err(|err| match err.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(err.kind(), "it became shorter while it was read"),
        _ => err,
    })
}

/// A length in memory, or the most that memory can have.
fn usize_of(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

/// How many bytes are searched at once.
const STEP: usize = 64;

/// Where the first line feed is.
fn find(bytes: &[u8]) -> Option<usize> {
    let (steps, _) = bytes.as_chunks::<STEP>();
    let passed = STEP * steps.iter().take_while(|step| !step.contains(&b'\n')).count();
    let at = bytes[passed..].iter().position(|byte| *byte == b'\n')?;
    Some(passed + at)
}

/// Where the last line feed is.
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

    /// The lines from the front, or from the back, or by turns.
    fn lines(file: &File, block: usize, limit: u64, mut from_back: impl FnMut() -> bool) -> Vec<Owned> {
        let mut lines = Lines::new(0..file.metadata().unwrap().len());
        (lines.block, lines.limit) = (block, limit);
        let (mut front, mut back) = (Vec::new(), Vec::new());
        loop {
            let is_back = from_back();
            let line = if is_back {
                lines.next_back(file)
            } else {
                lines.next(file)
            };
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
    fn lines_are_the_same_from_both_ends_wherever_blocks_end() {
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
    fn a_line_feed_is_found_wherever_it_is() {
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
    fn memory_holds_a_line_whatever_the_file_has() {
        let line = [b'x'; 999];
        let file = file_of(&[&line[..], b"\n"].concat().repeat(20_000));
        let mut lines = Lines::new(0..20_000_000);
        while lines.next(&file).unwrap().is_some() && lines.next_back(&file).unwrap().is_some() {
            for window in [&lines.front, &lines.back] {
                assert!(window.buffer.len() <= lines.block + 2 * line.len());
            }
        }
    }

    #[test]
    fn a_file_that_becomes_shorter_is_an_error() {
        let file = file_of(b"one\ntwo\n");
        let mut lines = Lines::new(0..8);
        file.set_len(3).unwrap();
        let error = lines.next(&file).unwrap_err().to_string();
        assert_eq!(error, "it became shorter while it was read");
        assert!(lines.next_back(&file).is_err());
    }
}
