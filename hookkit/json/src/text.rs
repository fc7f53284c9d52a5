//! Which bytes of a text mean something: the inner loops of the scanner.

use super::blocks;

#[cfg(not(target_arch = "x86_64"))]
use portable::specials;
#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::{brackets, masks};
#[cfg(target_arch = "x86_64")]
use sse2::specials;
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::{brackets, masks};

/// What stands where in a block: a bit for each byte, the first one lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks {
    pub(super) quotes: u64,
    pub(super) backslashes: u64,
    /// The letter of the commonest escape.
    pub(super) ns: u64,
    pub(super) has_controls: bool,
}

/// From how many bytes on a string is looked at by blocks.
const LONG: usize = 128;

/// Where a string's text, from `at` on, cannot simply go on: at its closing quote, at a control character, at an escape
/// that takes more than one byte, or where `text` ends, be it in the middle of an escape.
///
/// Beside it whether there may have been escapes on the way; if not, there were none.
#[inline(always)]
pub(super) fn run(text: &[u8], at: usize) -> (usize, bool) {
    // Most strings are names, or hardly longer.
    let Some(step) = text.get(at..).and_then(<[u8]>::first_chunk) else {
        return any_run(text, at);
    };
    let plain = plain_in_step(step);
    if step.get(plain) == Some(&b'"') {
        return (at + plain, false);
    }
    any_run(text, at + plain)
}

fn any_run(text: &[u8], mut at: usize) -> (usize, bool) {
    let start = at;
    let mut escaped = false;
    while let Some(step) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let step_start = at;
        let mut specials = specials(step);
        at += step.len();
        while specials != 0 {
            let index = specials.trailing_zeros();
            let special = step_start + index as usize;
            if !is_simple_escape(text, special) {
                return (special, escaped);
            }
            escaped = true;
            // What follows the backslash is no special of its own, even where the next step begins with it.
            at = at.max(special + 2);
            specials &= u32::MAX << (index + 2);
        }
        if at - start >= LONG {
            let block = blocks::skip_in_string(text, at);
            // Whether there were escapes in it is not worth another look.
            escaped |= block > at;
            at = block;
        }
    }
    loop {
        match text.get(at) {
            Some(b'"' | b'\\' | 0..0x20) if !is_simple_escape(text, at) => return (at, escaped),
            Some(b'\\') => {
                escaped = true;
                at += 2;
            }
            Some(_) => at += 1,
            None => return (at, escaped),
        }
    }
}

/// Whether two names are one. They are short: most are compared by their first and their last eight bytes.
#[inline]
pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let ends = |name: &[u8]| Some((*name.first_chunk::<8>()?, *name.last_chunk::<8>()?));
    match (ends(one), ends(other)) {
        (Some(ends), Some(other_ends)) => ends == other_ends && (one.len() <= 16 || one == other),
        _ => one.iter().eq(other),
    }
}

/// What a key looks like, as one bit of 64: most keys of an object are told apart by it.
#[inline]
pub(super) fn looks(key: &[u8]) -> u64 {
    1 << ((key.len() ^ usize::from(key.first().copied().unwrap_or_default())) % 64)
}

/// A short text as a string, if it is ASCII: most are, and the standard library's check is made for long ones.
#[inline]
#[expect(unsafe_code, reason = "a quarter of the instructions that four short strings take")]
pub(super) fn short_ascii(text: &[u8]) -> Option<&str> {
    const SHORT: usize = 64;
    if text.len() > SHORT {
        return None;
    }
    let (eights, rest) = text.as_chunks();
    let high = eights.iter().fold(0, |high, eight| high | u64::from_le_bytes(*eight));
    let high = rest.iter().fold(high, |high, byte| high | u64::from(*byte));
    // SAFETY: no byte has its highest bit set, so that each is a character by itself.
    (high & 0x8080_8080_8080_8080 == 0).then(|| unsafe { str::from_utf8_unchecked(text) })
}

/// How many bytes at the start of `text` stand for themselves in a string.
pub(super) fn plain(text: &[u8]) -> usize {
    let (steps, rest) = text.as_chunks();
    for (index, step) in steps.iter().enumerate() {
        let specials = specials(step);
        if specials != 0 {
            return index * step.len() + specials.trailing_zeros() as usize;
        }
    }
    if let Some(last) = text.last_chunk()
        && !rest.is_empty()
    {
        // What of the last step is not of the rest is known to be plain.
        return text.len() - last.len() + plain_in_step(last);
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    text.len() - rest.len() + rest.iter().take_while(plain).count()
}

/// How many of sixteen bytes stand for themselves, up to the first that does not.
#[inline]
pub(super) fn plain_in_step(step: &[u8; 16]) -> usize {
    (specials(step) | 1 << 16).trailing_zeros() as usize
}

/// Whether an escape of a single letter stands at `at`.
#[inline]
fn is_simple_escape(text: &[u8], at: usize) -> bool {
    text[at] == b'\\' && text.get(at + 1).is_some_and(|letter| is_letter_of_escape(*letter))
}

/// Whether a backslash and this byte are an escape.
#[inline]
pub(super) fn is_letter_of_escape(byte: u8) -> bool {
    meaning(byte) != 0
}

/// What a backslash and this byte stand for; 0 where they are no escape of a single letter.
#[inline]
pub(super) fn meaning(byte: u8) -> u8 {
    const MEANINGS: [u8; 256] = {
        let mut meanings = [0; 256];
        let mut letters: &[(u8, u8)] = &[
            (b'"', b'"'),
            (b'\\', b'\\'),
            (b'/', b'/'),
            (b'b', 0x8),
            (b'f', 0xc),
            (b'n', b'\n'),
            (b'r', b'\r'),
            (b't', b'\t'),
        ];
        while let [(letter, meaning), rest @ ..] = letters {
            meanings[*letter as usize] = *meaning;
            letters = rest;
        }
        meanings
    };
    MEANINGS[usize::from(byte)]
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the portable path takes three times the instructions")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };

    use super::Masks;

    #[inline]
    pub(in super::super) fn masks(block: &[u8; 64]) -> Masks {
        // SAFETY: the function needs SSE2 and nothing else, and SSE2 is part of this architecture.
        unsafe { with_sse2::masks(block) }
    }

    /// A bit for each bracket and brace.
    #[inline]
    pub(in super::super) fn brackets(block: &[u8; 64]) -> u64 {
        // SAFETY: as above.
        unsafe { with_sse2::brackets(block) }
    }

    /// A bit for each byte that does not stand for itself in a string.
    #[inline]
    pub(super) fn specials(step: &[u8; 16]) -> u32 {
        // SAFETY: as above.
        unsafe { with_sse2::specials(step) }
    }

    mod with_sse2 {
        use super::*;

        #[inline]
        #[target_feature(enable = "sse2")]
        pub(super) fn masks(block: &[u8; 64]) -> Masks {
            let [a, b, c, d] = steps(block);
            let smallest = _mm_min_epu8(_mm_min_epu8(a, b), _mm_min_epu8(c, d));
            Masks {
                quotes: bits([a, b, c, d].map(|step| equal(step, b'"'))),
                backslashes: bits([a, b, c, d].map(|step| equal(step, b'\\'))),
                ns: bits([a, b, c, d].map(|step| equal(step, b'n'))),
                has_controls: _mm_movemask_epi8(at_most(smallest, 0x1f)) != 0,
            }
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        pub(super) fn brackets(block: &[u8; 64]) -> u64 {
            bits(steps(block).map(|step| {
                // `[` and `{`, and `]` and `}`, differ by this bit alone.
                let braces = _mm_or_si128(step, all(b'{' ^ b'['));
                _mm_or_si128(equal(braces, b'{'), equal(braces, b'}'))
            }))
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        pub(super) fn specials(step: &[u8; 16]) -> u32 {
            let step = load(step);
            let ends = _mm_or_si128(equal(step, b'"'), equal(step, b'\\'));
            _mm_movemask_epi8(_mm_or_si128(ends, at_most(step, 0x1f))).cast_unsigned()
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        fn steps(block: &[u8; 64]) -> [__m128i; 4] {
            [0, 16, 32, 48].map(|from| load(block[from..].first_chunk().unwrap_or(&[0; 16])))
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        fn load(step: &[u8; 16]) -> __m128i {
            // SAFETY: sixteen bytes can be read there, and they need not be aligned.
            unsafe { _mm_loadu_si128(step.as_ptr().cast()) }
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        fn equal(step: __m128i, byte: u8) -> __m128i {
            _mm_cmpeq_epi8(step, all(byte))
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        fn at_most(step: __m128i, byte: u8) -> __m128i {
            _mm_cmpeq_epi8(_mm_min_epu8(step, all(byte)), step)
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        fn all(byte: u8) -> __m128i {
            _mm_set1_epi8(byte.cast_signed())
        }

        /// A bit for each byte, of bytes that are all ones or all zeros.
        #[inline]
        #[target_feature(enable = "sse2")]
        fn bits(steps: [__m128i; 4]) -> u64 {
            let [a, b, c, d] = steps.map(|step| u64::from(_mm_movemask_epi8(step).cast_unsigned()));
            a | b << 16 | c << 32 | d << 48
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::Masks;

    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const LOW_BITS: u64 = ONES * 0x7f;

    pub(in super::super) fn masks(block: &[u8; 64]) -> Masks {
        Masks {
            quotes: bits(block, |bytes| equal(bytes, b'"')),
            backslashes: bits(block, |bytes| equal(bytes, b'\\')),
            ns: bits(block, |bytes| equal(bytes, b'n')),
            has_controls: bits(block, |bytes| !at_least(bytes, 0x20)) != 0,
        }
    }

    /// A bit for each bracket and brace.
    pub(in super::super) fn brackets(block: &[u8; 64]) -> u64 {
        bits(block, |bytes| {
            // `[` and `{`, and `]` and `}`, differ by this bit alone.
            let braces = bytes | (ONES * u64::from(b'{' ^ b'['));
            equal(braces, b'{') | equal(braces, b'}')
        })
    }

    /// A bit for each byte that does not stand for itself in a string.
    pub(super) fn specials(step: &[u8; 16]) -> u32 {
        let specials = |bytes| equal(bytes, b'"') | equal(bytes, b'\\') | !at_least(bytes, 0x20);
        bits(step, specials) as u32
    }

    /// The high bits of what `is` makes of eight bytes after the other.
    fn bits(bytes: &[u8], is: impl Fn(u64) -> u64) -> u64 {
        let eights = bytes.as_chunks().0.iter().enumerate();
        eights.fold(0, |all, (index, eight)| {
            let low = (is(u64::from_le_bytes(*eight)) >> 7) & ONES;
            all | (low.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (index * 8)
        })
    }

    /// Sets the high bit of each byte that is at least `limit`; the lower bits are rubbish.
    fn at_least(bytes: u64, limit: u64) -> u64 {
        // No sum leaves its byte, so that each is judged by itself.
        ((bytes & LOW_BITS) + (LOW_BITS - ONES * (limit - 1))) | bytes
    }

    fn equal(bytes: u64, byte: u8) -> u64 {
        !at_least(bytes ^ (ONES * u64::from(byte)), 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{Masks, brackets, masks, portable, run, same, short_ascii, specials};

    #[test]
    fn every_byte_at_every_place_is_judged_alike() {
        for byte in 0..=u8::MAX {
            for filler in [b'a', b'"', 0x80, 0xff] {
                for place in 0..64 {
                    let mut block = [filler; 64];
                    block[place] = byte;
                    let bits =
                        |is: fn(&u8) -> bool| (0..64).fold(0, |mask, bit| mask | u64::from(is(&block[bit])) << bit);
                    let expected = Masks {
                        quotes: bits(|byte| *byte == b'"'),
                        backslashes: bits(|byte| *byte == b'\\'),
                        ns: bits(|byte| *byte == b'n'),
                        has_controls: bits(|byte| *byte < b' ') != 0,
                    };
                    assert_eq!(masks(&block), expected, "{block:?}");
                    assert_eq!(portable::masks(&block), expected, "{block:?}");
                    let expected = bits(|byte| b"[]{}".contains(byte));
                    assert_eq!(brackets(&block), expected, "{block:?}");
                    assert_eq!(portable::brackets(&block), expected, "{block:?}");
                    let step = block.first_chunk().unwrap();
                    let expected = bits(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) as u32 & 0xffff;
                    assert_eq!(specials(step), expected, "{block:?}");
                    assert_eq!(portable::specials(step), expected, "{block:?}");
                }
            }
        }
    }

    #[test]
    fn names_are_the_same_if_every_byte_is() {
        let name = b"a_name_of_more_than_sixteen_bytes";
        for length in 0..name.len() {
            assert!(same(&name[..length], &name[..length]));
            assert!(!same(&name[..length], &name[..=length]));
            for place in 0..length {
                let mut other = name[..length].to_vec();
                other[place] = b'X';
                assert!(!same(&name[..length], &other), "{length} {place}");
            }
        }
    }

    #[test]
    fn a_short_text_is_taken_if_it_is_ascii() {
        for length in 0..70 {
            let text = vec![b'x'; length];
            assert_eq!(short_ascii(&text).is_some(), length <= 64);
            for place in 0..length {
                let mut text = text.clone();
                text[place] = 0x80;
                assert_eq!(short_ascii(&text), None, "{length} {place}");
            }
        }
    }

    #[test]
    fn a_run_ends_where_the_string_does() {
        for before in 0..200 {
            let plain = "x".repeat(before);
            for (rest, end, escaped) in [
                ("\"", 0, false),
                (
                    "\\n\\\\\" behind the string, which is long enough for another step",
                    4,
                    true,
                ),
                ("\\\"\"", 2, true),
                ("\\u0041\"", 0, false),
                ("\\x\"", 0, false),
                ("\n\"", 0, false),
                ("", 0, false),
                ("\\", 0, false),
            ] {
                let text = format!("{plain}{rest}");
                assert_eq!(run(text.as_bytes(), 0).0, before + end, "{text}");
                assert_eq!(run(text.as_bytes(), before), (before + end, escaped), "{text}");
            }
        }
    }
}
