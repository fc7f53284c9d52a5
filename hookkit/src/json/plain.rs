//! How far plain text goes: the inner loop of the scanner.
//!
//! Text is plain up to a quote, a backslash or a control character. Sixteen bytes are looked at in one step.

#[cfg(not(target_arch = "x86_64"))]
use portable::first_end;
#[cfg(target_arch = "x86_64")]
use sse2::first_end;

/// How many bytes at the start of `text` are plain.
#[inline]
pub(super) fn plain_length(text: &[u8]) -> usize {
    let (steps, rest) = text.as_chunks();
    for (index, step) in steps.iter().enumerate() {
        if let Some(end) = first_end(step) {
            return index * 16 + end;
        }
    }
    text.len() - rest.len() + rest.iter().take_while(|byte| is_plain(**byte)).count()
}

fn is_plain(byte: u8) -> bool {
    byte != b'"' && byte != b'\\' && byte >= b' '
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "the portable path takes three times the instructions")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };

    /// Where plain text ends in these bytes.
    #[inline]
    pub(super) fn first_end(step: &[u8; 16]) -> Option<usize> {
        // SAFETY: the function needs SSE2 and nothing else, and SSE2 is part of this architecture.
        let ends = unsafe { ends(step) };
        (ends != 0).then_some(ends.trailing_zeros() as usize)
    }

    /// A bit for each byte that is not plain.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn ends(step: &[u8; 16]) -> i32 {
        let half = |from: usize| {
            let bytes = step[from..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(bytes).cast_signed()
        };
        let bytes = _mm_set_epi64x(half(8), half(0));
        let quotes = _mm_cmpeq_epi8(bytes, all(b'"'));
        let backslashes = _mm_cmpeq_epi8(bytes, all(b'\\'));
        let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, all(0x1f)), bytes);
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn all(byte: u8) -> __m128i {
        _mm_set1_epi8(byte.cast_signed())
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    /// Where plain text ends in these bytes, eight at a time.
    pub(super) fn first_end(step: &[u8; 16]) -> Option<usize> {
        let half = |from: usize| {
            let bytes = step[from..].first_chunk().copied().unwrap_or_default();
            first_end_of_eight(u64::from_le_bytes(bytes)).map(|end| from + end)
        };
        half(0).or_else(|| half(8))
    }

    fn first_end_of_eight(bytes: u64) -> Option<usize> {
        const ONES: u64 = u64::from_le_bytes([1; 8]);
        const HIGH_BITS: u64 = ONES << 7;
        // Subtracting borrows from a byte that is too small, and marks it by its high bit. A borrow can mark bytes above
        // it, too, but never the first one by mistake.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes & HIGH_BITS;
        let is = |byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
        let ends = is(b'"') | is(b'\\') | below(bytes, 0x20);
        (ends != 0).then_some(ends.trailing_zeros() as usize / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::{first_end, is_plain, plain_length, portable};

    #[test]
    fn every_byte_at_every_place_is_judged_alike() {
        for byte in 0..=u8::MAX {
            for place in 0..40 {
                let mut text = [b'a'; 40];
                text[place] = byte;
                // Bytes beyond the first must not matter.
                text[39] = b'"';
                let expected = if is_plain(byte) { 39 } else { place };
                assert_eq!(plain_length(&text), expected, "byte {byte} at {place}");
            }
            for place in 0..16 {
                let mut step = [0x80_u8; 16];
                step[place] = byte;
                assert_eq!(portable::first_end(&step), first_end(&step), "byte {byte} at {place}");
            }
        }
    }
}
