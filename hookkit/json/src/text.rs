//! Finds the special bytes of a text: the inner loops of the scanner.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::brackets;
#[cfg(not(target_arch = "x86_64"))]
use portable::{masks, specials};
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::brackets;
#[cfg(target_arch = "x86_64")]
use sse2::{masks, specials};

/// The special bytes of a block: a bit for each byte, the first byte lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Masks {
    quotes: u64,
    backslashes: u64,
    /// The letters of escapes: all letters, or only the letter of the most common escape.
    letters: u64,
    has_controls: bool,
}

/// Skips a string's plain text and simple escapes, starting at `at`, and returns the position at which it stopped.
///
/// It stops at the closing quote, a control character, an escape of several bytes, or the end of `text`, which can be
/// in the middle of an escape. Also returns `false` if there were certainly no escapes on the way.
#[inline(always)]
pub(super) fn run(text: &[u8], at: usize) -> (usize, bool) {
    // Most strings are as short as names.
    let Some(step) = text.get(at..).and_then(<[u8]>::first_chunk) else {
        return run_by_steps(text, at, at);
    };
    let plain = plain_in_step(step);
    if step.get(plain) == Some(&b'"') {
        return (at + plain, false);
    }
    run_by_steps(text, at + plain, at)
}

/// Skips text like [`run`]: by steps up to the first escape at or after `blocks_from`, and then by blocks.
pub(super) fn run_by_steps(text: &[u8], mut at: usize, mut blocks_from: usize) -> (usize, bool) {
    let mut escaped = false;
    loop {
        at += plain(text.get(at..).unwrap_or_default());
        if at >= text.len() || !is_simple_escape(text, at) {
            return (at, escaped);
        }
        escaped = true;
        at += 2;
        // Escapes are often followed by more, which cost nothing if they are skipped by blocks.
        if at >= blocks_from {
            at = skip_in_string(text, at);
            // The block that must be read byte by byte would stop it again.
            blocks_from = at + 64;
        }
    }
}

/// Minimum length of a long text. Shorter texts are not counted.
#[cfg(any(test, target_arch = "x86_64"))]
const LONG: usize = 16 * 1024;

/// Number of bytes in long texts that makes it worth detecting AVX2, which takes 30 microseconds in a virtual machine.
#[cfg(target_arch = "x86_64")]
const MUCH: usize = 1 << 20;

/// Number of bytes that were read in long texts.
#[cfg(target_arch = "x86_64")]
static READ: AtomicUsize = AtomicUsize::new(0);

/// Skips the text of a string by whole blocks, to its end or to a block that must be read byte by byte.
fn skip_in_string(text: &[u8], at: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if text.len().saturating_sub(at) >= LONG {
        if READ.load(Ordering::Relaxed) >= MUCH
            && let Some(end) = avx2::skip_in_string(text, at)
        {
            return end;
        }
        let end = skip_by(text, at, masks);
        if end.saturating_sub(at) >= LONG {
            READ.fetch_add(end - at, Ordering::Relaxed);
        }
        return end;
    }
    skip_by(text, at, masks)
}

#[inline(always)]
fn skip_by(text: &[u8], mut at: usize, masks: impl Fn(&[u8; 64]) -> Masks) -> usize {
    let mut escaped = false;
    while let Some(block) = text[at..].first_chunk() {
        match unescaped(&masks(block), block, escaped) {
            Some((0, escaped_next)) => escaped = escaped_next,
            Some((quotes, _)) => return at + quotes.trailing_zeros() as usize,
            None => break,
        }
        at += block.len();
    }
    // The letter of the last escape was not read.
    at - usize::from(escaped)
}

/// Returns the quotes of a block that begin and end strings, and `true` if the block ends in the middle of an escape.
/// `escaped` is that second value for the previous block.
///
/// `None` if the block must be read byte by byte: it has an escape of several bytes, or a control character.
#[inline]
pub(super) fn quotes(block: &[u8; 64], escaped: bool) -> Option<(u64, bool)> {
    unescaped(&masks(block), block, escaped)
}

#[inline(always)]
fn unescaped(masks: &Masks, block: &[u8; 64], escaped: bool) -> Option<(u64, bool)> {
    if masks.has_controls {
        return None;
    }
    // Escapes are scattered, so a branch for blocks without any would be mispredicted too often.
    let (begin, letters) = escapes(masks.backslashes, escaped);
    // So would a branch for each escape.
    let mut unusual = letters & !(masks.quotes | masks.backslashes | masks.letters);
    while unusual != 0 {
        if !is_letter_of_escape(block[unusual.trailing_zeros() as usize]) {
            return None;
        }
        unusual &= unusual - 1;
    }
    // An escaped quote does not end a string.
    Some((masks.quotes & !letters, begin >> 63 == 1))
}

/// Returns the backslashes that begin an escape, and the bytes after them. In a row of backslashes, every other one
/// begins an escape.
///
/// Subtracting the backslashes from the odd bits carries through each row, and separates its even and odd bits, as in
/// simdjson.
#[inline]
fn escapes(backslashes: u64, escaped: bool) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let escaped = u64::from(escaped);
    let may_begin = backslashes & !escaped;
    let rows = ((may_begin << 1) | ODD).wrapping_sub(may_begin) ^ ODD;
    (rows & backslashes, rows ^ (backslashes | escaped))
}

/// Returns `true` if two names are equal. Compares most names, which are short, by their first and last eight bytes.
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

/// Returns a key's fingerprint, one bit of 64, which distinguishes most keys of an object.
#[inline]
pub(super) fn fingerprint(key: &[u8]) -> u64 {
    1 << ((key.len() ^ usize::from(key.first().copied().unwrap_or_default())) % 64)
}

/// Returns a short text as a string if it is ASCII, as most are. The standard library's check is optimized for long texts.
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
    // SAFETY: no byte has its highest bit set, so each is a character by itself.
    (high & 0x8080_8080_8080_8080 == 0).then(|| unsafe { str::from_utf8_unchecked(text) })
}

/// Returns the number of bytes at the start of `text` that have no special meaning in a string.
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
        // The bytes of the last step before the rest were already found plain.
        return text.len() - last.len() + plain_in_step(last);
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    text.len() - rest.len() + rest.iter().take_while(plain).count()
}

/// Returns the number of bytes at the start of a step that have no special meaning in a string.
#[inline]
pub(super) fn plain_in_step(step: &[u8; 16]) -> usize {
    (specials(step) | 1 << 16).trailing_zeros() as usize
}

/// Returns `true` if an escape of a single letter is at `at`.
#[inline]
fn is_simple_escape(text: &[u8], at: usize) -> bool {
    text[at] == b'\\' && text.get(at + 1).is_some_and(|letter| is_letter_of_escape(*letter))
}

/// Returns `true` if a backslash and this byte form an escape.
#[inline]
pub(super) fn is_letter_of_escape(byte: u8) -> bool {
    meaning(byte) != 0
}

/// Returns the meaning of a backslash followed by this byte; 0 if they do not form an escape.
#[inline]
pub(super) const fn meaning(byte: u8) -> u8 {
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
    MEANINGS[byte as usize]
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

    /// Returns a bit for each bracket and brace.
    #[inline]
    pub(in super::super) fn brackets(block: &[u8; 64]) -> u64 {
        // SAFETY: as above.
        unsafe { with_sse2::brackets(block) }
    }

    /// Returns a bit for each byte that is special in a string.
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
                letters: bits([a, b, c, d].map(|step| equal(step, b'n'))),
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

        /// Converts bytes that are all ones or all zeros into one bit each.
        #[inline]
        #[target_feature(enable = "sse2")]
        fn bits(steps: [__m128i; 4]) -> u64 {
            let [a, b, c, d] = steps.map(|step| u64::from(_mm_movemask_epi8(step).cast_unsigned()));
            a | b << 16 | c << 32 | d << 48
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "it reads large texts in half the time")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
        _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    use super::{Masks, meaning, skip_by};

    /// Skips text like the parent module's function; `None` if the processor does not have AVX2.
    pub(super) fn skip_in_string(text: &[u8], at: usize) -> Option<usize> {
        // SAFETY: the function needs AVX2 and nothing else, and this processor has it.
        is_x86_feature_detected!("avx2").then(|| unsafe { with_avx2(text, at) })
    }

    #[cfg(test)]
    pub(super) fn masks_of(block: &[u8; 64]) -> Option<Masks> {
        // SAFETY: as above.
        is_x86_feature_detected!("avx2").then(|| unsafe { masks(block) })
    }

    #[target_feature(enable = "avx2")]
    fn with_avx2(text: &[u8], at: usize) -> usize {
        skip_by(text, at, |block| masks(block))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn masks(block: &[u8; 64]) -> Masks {
        let (steps, _) = block.as_chunks();
        let [low, high] = [load(&steps[0]), load(&steps[1])];
        let smallest = _mm256_min_epu8(low, high);
        let controls = equal(_mm256_min_epu8(smallest, all(0x1f)), smallest);
        let bits = |byte| bits(equal(low, all(byte)), equal(high, all(byte)));
        Masks {
            quotes: bits(b'"'),
            backslashes: bits(b'\\'),
            letters: !self::bits(no_letters(low), no_letters(high)),
            has_controls: _mm256_movemask_epi8(controls) != 0,
        }
    }

    /// Tables for the lower and the upper half of a byte. An entry has the letters of escapes with this half, as a bit
    /// for each upper half. A byte is such a letter if the entries of its two halves have a bit in common.
    const HALVES: [[u8; 32]; 2] = {
        let mut halves = [[0; 32]; 2];
        let mut byte = 0;
        while byte < 0x80 {
            if meaning(byte) != 0 {
                let (lower, upper) = (byte as usize % 16, byte as usize / 16);
                // Twice, since each half of a step has its own table.
                halves[0][lower] |= 1 << upper;
                halves[0][lower + 16] |= 1 << upper;
                halves[1][upper] = 1 << upper;
                halves[1][upper + 16] = 1 << upper;
            }
            byte += 1;
        }
        halves
    };

    /// Sets all bits of each byte that is not the letter of an escape.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn no_letters(step: __m256i) -> __m256i {
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(step), all(0xf));
        // Bytes that are not ASCII are looked up as 0.
        let of_lower = _mm256_shuffle_epi8(load(&HALVES[0]), step);
        let of_upper = _mm256_shuffle_epi8(load(&HALVES[1]), upper);
        equal(_mm256_and_si256(of_lower, of_upper), _mm256_setzero_si256())
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(step: &[u8; 32]) -> __m256i {
        // SAFETY: thirty-two bytes can be read there, and they need not be aligned.
        unsafe { _mm256_loadu_si256(step.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal(one: __m256i, other: __m256i) -> __m256i {
        _mm256_cmpeq_epi8(one, other)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn all(byte: u8) -> __m256i {
        _mm256_set1_epi8(byte.cast_signed())
    }

    /// Converts bytes that are all ones or all zeros into one bit each.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(low: __m256i, high: __m256i) -> u64 {
        let [low, high] = [low, high].map(|step| u64::from(_mm256_movemask_epi8(step).cast_unsigned()));
        low | high << 32
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
            letters: bits(block, |bytes| equal(bytes, b'n')),
            has_controls: bits(block, |bytes| !at_least(bytes, 0x20)) != 0,
        }
    }

    /// Returns a bit for each bracket and brace.
    pub(in super::super) fn brackets(block: &[u8; 64]) -> u64 {
        bits(block, |bytes| {
            // `[` and `{`, and `]` and `}`, differ by this bit alone.
            let braces = bytes | (ONES * u64::from(b'{' ^ b'['));
            equal(braces, b'{') | equal(braces, b'}')
        })
    }

    /// Returns a bit for each byte that is special in a string.
    pub(super) fn specials(step: &[u8; 16]) -> u32 {
        let specials = |bytes| equal(bytes, b'"') | equal(bytes, b'\\') | !at_least(bytes, 0x20);
        bits(step, specials) as u32
    }

    /// Returns the high bits of the bytes in the results of `is`, which gets eight bytes at a time.
    fn bits(bytes: &[u8], is: impl Fn(u64) -> u64) -> u64 {
        let eights = bytes.as_chunks().0.iter().enumerate();
        eights.fold(0, |all, (index, eight)| {
            let low = (is(u64::from_le_bytes(*eight)) >> 7) & ONES;
            all | (low.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (index * 8)
        })
    }

    /// Sets the high bit of each byte that is at least `limit`. The lower bits are undefined.
    fn at_least(bytes: u64, limit: u64) -> u64 {
        // No sum overflows its byte, so the bytes are independent.
        ((bytes & LOW_BITS) + (LOW_BITS - ONES * (limit - 1))) | bytes
    }

    fn equal(bytes: u64, byte: u8) -> u64 {
        !at_least(bytes ^ (ONES * u64::from(byte)), 1)
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "x86_64")]
    use super::avx2;
    use super::{
        LONG, Masks, brackets, is_letter_of_escape, masks, portable, run, same, short_ascii, skip_by, skip_in_string,
        specials,
    };

    /// Miri tries a part of the cases: it runs a thousand times as long.
    const STEP: usize = if cfg!(miri) { 17 } else { 1 };

    #[test]
    fn all_implementations_agree_on_every_byte_at_every_position() {
        for byte in (0..=u8::MAX).step_by(STEP) {
            for filler in [b'a', b'"', 0x80, 0xff] {
                for place in (0..64).step_by(STEP) {
                    let mut block = [filler; 64];
                    block[place] = byte;
                    let bits =
                        |is: fn(&u8) -> bool| (0..64).fold(0, |mask, bit| mask | u64::from(is(&block[bit])) << bit);
                    let expected = Masks {
                        quotes: bits(|byte| *byte == b'"'),
                        backslashes: bits(|byte| *byte == b'\\'),
                        letters: bits(|byte| *byte == b'n'),
                        has_controls: bits(|byte| *byte < b' ') != 0,
                    };
                    assert_eq!(masks(&block), expected, "{block:?}");
                    assert_eq!(portable::masks(&block), expected, "{block:?}");
                    #[cfg(target_arch = "x86_64")]
                    if let Some(masks) = avx2::masks_of(&block) {
                        let letters = bits(|byte| is_letter_of_escape(*byte));
                        assert_eq!(masks, Masks { letters, ..expected }, "{block:?}");
                    }
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
    fn names_are_equal_if_every_byte_is() {
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
    fn a_short_ascii_text_is_a_string() {
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
    fn all_implementations_skip_a_long_text_to_the_same_position() {
        let texts = [("x\\n", "\""), ("\\\\", "\""), ("\\\"\\t\\/", "\\u0041"), ("é\\f", "\n"), ("\\b", "\\x")];
        for (piece, end) in texts.into_iter().step_by(STEP) {
            for before in (0..65).step_by(STEP) {
                let filler = "x".repeat(before) + &piece.repeat(LONG / piece.len());
                let text = format!("{filler}{end}{filler}");
                let skipped = skip_in_string(text.as_bytes(), 0);
                assert!(filler.len() - skipped < 65, "{piece} {end} {before}");
                let expected = skip_by(text.as_bytes(), 0, portable::masks);
                assert_eq!(skipped, expected, "{piece} {end} {before}");
            }
        }
    }

    #[test]
    fn a_run_ends_where_the_string_does() {
        for before in (0..200).step_by(STEP) {
            let plain = "x".repeat(before);
            for (rest, end, escaped) in [
                ("\"", 0, false),
                ("\\n\\\\\" behind the string, which is long enough for another step", 4, true),
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
