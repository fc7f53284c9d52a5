//! Skips long strings, arrays and objects, 64 bytes a step.
//!
//! A step turns its bytes into masks with a bit for each byte. The masks show which bytes are in strings. Only escapes,
//! and brackets outside of strings, are read one by one.

use super::text;

/// Maximum depth of arrays and objects below the first two levels of the payload. With these two levels it is 127, as
/// in serde_json.
pub(super) const MAX_DEPTH: u32 = 125;

/// The open brackets of a value that is being skipped.
pub(super) struct Nesting {
    /// A bit for each open bracket, the innermost one lowest. A brace has a set bit.
    braces: u128,
    depth: u32,
    pub(super) in_string: bool,
}

/// The error for a misplaced bracket.
#[derive(Debug)]
pub(super) enum Misplaced {
    TooDeep,
    OtherKind,
}

impl Nesting {
    pub(super) fn new() -> Self {
        Self { braces: 0, depth: 0, in_string: false }
    }

    /// Records a bracket. Returns `true` if it closes the outermost one.
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

/// Skips whole blocks in an array or an object and returns the position at which it stopped.
///
/// It stops before a block that must be read byte by byte, after the outermost closing bracket (`true`), or at a
/// misplaced bracket.
pub(super) fn skip(text: &[u8], mut at: usize, nesting: &mut Nesting) -> (usize, Result<bool, Misplaced>) {
    let mut escaped = false;
    while let Some(block) = text[at..].first_chunk() {
        let Some((quotes, escaped_next)) = text::quotes(block, escaped) else {
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

/// Sets each bit that has an odd number of set bits up to and including itself. For quotes, these are the bytes in
/// strings.
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
