//! Skips long strings, arrays and objects, 64 bytes a step.
//!
//! A step turns its bytes into masks, a bit for each byte, from which follows at once what stands inside of strings and
//! what does not. Only escapes, and brackets outside of strings, are looked at one by one.

use super::text::{self, is_letter_of_escape};

/// Sixty-four bytes, and the one behind them: it may be the letter of an escape that begins with the last one.
type Window = [u8; 65];

const BLOCK: usize = 64;

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
    while let Some(window) = window(text, at) {
        match quotes(window, escaped) {
            Some((0, escaped_next)) => escaped = escaped_next,
            Some((quotes, _)) => return at + quotes.trailing_zeros() as usize,
            None => break,
        }
        at += BLOCK;
    }
    at + usize::from(escaped)
}

/// Goes on inside of an array or an object by whole blocks, as long as nothing in them needs a closer look; where that is.
///
/// Stops behind a closing bracket where it is the outermost one, and at a misplaced bracket.
pub(super) fn skip(text: &[u8], mut at: usize, nesting: &mut Nesting) -> (usize, Result<bool, Misplaced>) {
    let mut escaped = false;
    while let Some(window) = window(text, at) {
        let Some((quotes, escaped_next)) = quotes(window, escaped) else {
            break;
        };
        let before = if nesting.in_string { u64::MAX } else { 0 };
        let in_strings = prefix_xor(quotes) ^ before;
        if in_strings != u64::MAX {
            let mut brackets = text::brackets(block(window)) & !in_strings;
            while brackets != 0 {
                let index = brackets.trailing_zeros() as usize;
                match nesting.bracket(window[index]) {
                    Ok(false) => {}
                    Ok(true) => return (at + index + 1, Ok(true)),
                    Err(misplaced) => return (at + index, Err(misplaced)),
                }
                brackets &= brackets - 1;
            }
        }
        nesting.in_string = in_strings >> 63 == 1;
        escaped = escaped_next;
        at += BLOCK;
    }
    (at + usize::from(escaped), Ok(false))
}

#[inline]
fn window(text: &[u8], at: usize) -> Option<&Window> {
    text.get(at..)?.first_chunk()
}

#[inline]
fn block(window: &Window) -> &[u8; BLOCK] {
    let [block @ .., _] = window;
    block
}

/// The quotes of a block that begin and end strings, and whether the first byte of the next one belongs to an escape.
///
/// `None` where the block needs a closer look, for an escape of more than one letter or a control character.
#[inline]
fn quotes(window: &Window, escaped: bool) -> Option<(u64, bool)> {
    let masks = text::masks(block(window));
    if masks.has_controls {
        return None;
    }
    let mut backslashes = masks.backslashes & !u64::from(escaped);
    let mut quotes = masks.quotes & !u64::from(escaped);
    let mut escaped_next = false;
    while backslashes != 0 {
        let index = backslashes.trailing_zeros() as usize;
        if !is_letter_of_escape(window[index % BLOCK + 1]) {
            return None;
        }
        // The second backslash of a pair escapes nothing, and an escaped quote ends nothing.
        let rest = !(0b11 << index);
        backslashes &= rest;
        quotes &= rest;
        escaped_next = index == BLOCK - 1;
    }
    Some((quotes, escaped_next))
}

/// For each bit, whether an odd number of bits is set up to it: from quotes, what stands inside of strings.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
