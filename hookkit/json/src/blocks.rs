//! Skips long strings, arrays and objects, 64 bytes a step.
//!
//! A step turns its bytes into masks, a bit for each byte, from which follows at once what stands inside of strings and
//! what does not. Only escapes, and brackets outside of strings, are looked at one by one.

use super::text::{self, is_letter_of_escape};

/// How deep arrays and objects may nest inside of a member of a member of the payload: with those two 127 levels, as in
/// serde_json.
pub(super) const MAX_DEPTH: u32 = 125;

/// What is open at a place inside of a value that is being skipped.
pub(super) struct Nesting {
    /// A bit for each open bracket, the innermost one last: set for a brace.
    braces: u128,
    depth: u32,
    pub(super) in_string: bool,
}

/// What is wrong with a bracket.
#[derive(Debug)]
pub(super) enum Misplaced {
    TooDeep,
    OtherKind,
}

impl Nesting {
    pub(super) fn new() -> Self {
        Self {
            braces: 0,
            depth: 0,
            in_string: false,
        }
    }

    /// Takes a bracket into account; true if it closes the outermost one.
    #[inline]
    pub(super) fn bracket(&mut self, byte: u8) -> Result<bool, Misplaced> {
        let is_brace = matches!(byte, b'{' | b'}');
        if matches!(byte, b'{' | b'[') {
            if self.depth == MAX_DEPTH {
                return Err(Misplaced::TooDeep);
            }
            self.braces = self.braces << 1 | u128::from(is_brace);
            self.depth += 1;
            return Ok(false);
        }
        if is_brace != (self.braces & 1 == 1) {
            return Err(Misplaced::OtherKind);
        }
        self.braces >>= 1;
        self.depth -= 1;
        Ok(self.depth == 0)
    }
}

/// Goes on inside of a string by whole blocks, to its end or to where something needs a closer look.
pub(super) fn skip_in_string(text: &[u8], mut at: usize) -> usize {
    let mut escaped = false;
    while let Some(block) = text[at..].first_chunk() {
        match quotes(block, escaped) {
            Some((0, escaped_next)) => escaped = escaped_next,
            Some((quotes, _)) => return at + quotes.trailing_zeros() as usize,
            None => break,
        }
        at += block.len();
    }
    // The letter of the last escape was not looked at.
    at - usize::from(escaped)
}

/// Goes on inside of an array or an object by whole blocks, as long as nothing in them needs a closer look; where that is.
///
/// Stops behind a closing bracket where it is the outermost one, and at a misplaced bracket.
pub(super) fn skip(text: &[u8], mut at: usize, nesting: &mut Nesting) -> (usize, Result<bool, Misplaced>) {
    let mut escaped = false;
    while let Some(block) = text[at..].first_chunk() {
        let Some((quotes, escaped_next)) = quotes(block, escaped) else {
            break;
        };
        if quotes != 0 || !nesting.in_string {
            let before = if nesting.in_string { u64::MAX } else { 0 };
            let in_strings = prefix_xor(quotes) ^ before;
            let mut brackets = text::brackets(block) & !in_strings;
            while brackets != 0 {
                let index = brackets.trailing_zeros() as usize;
                match nesting.bracket(block[index]) {
                    Ok(false) => {}
                    Ok(true) => return (at + index + 1, Ok(true)),
                    Err(misplaced) => return (at + index, Err(misplaced)),
                }
                brackets &= brackets - 1;
            }
            nesting.in_string = in_strings >> 63 == 1;
        }
        escaped = escaped_next;
        at += block.len();
    }
    (at - usize::from(escaped), Ok(false))
}

/// The quotes of a block that begin and end strings, and whether it ends in the middle of an escape, as the one before it
/// did if `escaped`.
///
/// `None` where the block needs a closer look, for an escape of more than one letter or a control character.
#[inline]
fn quotes(block: &[u8; 64], escaped: bool) -> Option<(u64, bool)> {
    let masks = text::masks(block);
    if masks.has_controls {
        return None;
    }
    if masks.backslashes == 0 && !escaped {
        return Some((masks.quotes, false));
    }
    let (begin, letters) = escapes(masks.backslashes, escaped);
    // Nearly all of them are these; looking at each one would be mispredicted in every block.
    let mut unusual = letters & !(masks.quotes | masks.backslashes | masks.ns);
    while unusual != 0 {
        if !is_letter_of_escape(block[unusual.trailing_zeros() as usize]) {
            return None;
        }
        unusual &= unusual - 1;
    }
    // An escaped quote ends nothing.
    Some((masks.quotes & !letters, begin >> 63 == 1))
}

/// The backslashes that begin an escape, and the bytes that stand behind one: of several in a row it is every other one.
///
/// Subtracting them from the odd bits carries through each row, and leaves apart what is even and odd in it; the way is
/// simdjson's.
#[inline]
fn escapes(backslashes: u64, escaped: bool) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let escaped = u64::from(escaped);
    let may_begin = backslashes & !escaped;
    let rows = ((may_begin << 1) | ODD).wrapping_sub(may_begin) ^ ODD;
    (rows & backslashes, rows ^ (backslashes | escaped))
}

/// For each bit, whether an odd number of bits is set up to it: from quotes, what stands inside of strings.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
