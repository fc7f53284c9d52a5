//! Compares wildcards byte by byte, as git does.

/// Returns `true` if a pattern matches a whole text. Calls `step` for each part of the pattern that it tries.
///
/// After a mismatch, the last `*` takes one more byte, or if there is none, the last `**/` takes one more folder.
/// Earlier ones are not tried again, because the last one can take the same bytes.
pub(super) fn is_match(pattern: &[u8], text: &[u8], folds_case: bool, mut step: impl FnMut()) -> bool {
    let (mut part, mut at) = (0, 0);
    // For the last `*` and the last `**/`: the positions after it in the pattern and in the text.
    let (mut star, mut folders) = (None, None);
    loop {
        step();
        let rest = &pattern[part..];
        let matched_length = match (rest.first(), text.get(at)) {
            (None, None) => return true,
            (None, Some(_)) => None,
            (Some(b'*'), _) => {
                let stars = rest.iter().take_while(|byte| **byte == b'*').count();
                let begins_folder = part == 0 || pattern[part - 1] == b'/';
                part += stars;
                match &rest[stars..] {
                    [] if stars > 1 && begins_folder => return true,
                    [b'/', ..] if stars > 1 && begins_folder => {
                        part += 1;
                        (star, folders) = (None, Some((part, at)));
                    }
                    // Unlike `**/`, it takes one folder at least.
                    [b'\\', b'/', ..] if stars > 1 && begins_folder => {
                        let Some(next) = next_folder(text, at) else {
                            return false;
                        };
                        (part, at) = (part + 2, next);
                        (star, folders) = (None, Some((part, at)));
                    }
                    _ => star = Some((part, at)),
                }
                continue;
            }
            // No part can take more text.
            (Some(_), None) => return false,
            (Some(_), Some(byte)) => match one(rest, *byte, folds_case) {
                Some((length, is_equal)) => is_equal.then_some(length),
                None => return false,
            },
        };
        (part, at) = match (matched_length, star, folders) {
            (Some(length), _, _) => (part + length, at + 1),
            (None, Some((behind, from)), _) if text.get(from).is_some_and(|byte| *byte != b'/') => {
                *star.insert((behind, from + 1))
            }
            (None, _, Some((behind, from))) => match next_folder(text, from) {
                Some(next) => {
                    star = None;
                    *folders.insert((behind, next))
                }
                None => return false,
            },
            _ => return false,
        };
    }
}

/// Returns the position after the next slash.
fn next_folder(text: &[u8], from: usize) -> Option<usize> {
    let slash = text[from..].iter().position(|byte| *byte == b'/')?;
    Some(from + slash + 1)
}

/// Returns the length of the first part of a pattern, which is not a star, and `true` if the part matches a byte.
///
/// Returns `None` if the pattern can never match.
fn one(pattern: &[u8], byte: u8, folds_case: bool) -> Option<(usize, bool)> {
    let other = match folds_case && byte.is_ascii_alphabetic() {
        true => byte ^ 0x20,
        false => byte,
    };
    match pattern.first()? {
        b'?' => Some((1, byte != b'/')),
        b'[' => {
            let (is_one, rest) = brackets(&pattern[1..], [byte, other])?;
            Some((pattern.len() - rest.len(), is_one && byte != b'/'))
        }
        _ => {
            let (literal, rest) = unescaped(pattern)?;
            Some((pattern.len() - rest.len(), literal == byte || literal == other))
        }
    }
}

/// Returns the first character of a pattern, without its escape, and the rest.
fn unescaped(pattern: &[u8]) -> Option<(u8, &[u8])> {
    match pattern {
        [b'\\', escaped, rest @ ..] => Some((*escaped, rest)),
        [] | [b'\\'] => None,
        [byte, rest @ ..] => Some((*byte, rest)),
    }
}

/// Returns `true` if a set contains one of two bytes; also returns the pattern after the set. `pattern` begins after
/// the set's `[`.
///
/// Returns `None` if the set is not closed, or has an unknown class.
fn brackets(pattern: &[u8], bytes: [u8; 2]) -> Option<(bool, &[u8])> {
    let (is_negative, mut rest) = match pattern {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, pattern),
    };
    let mut is_in = false;
    // The character that a `-` makes the beginning of a range.
    let mut low = None;
    // At the beginning of a set, `]` is one of its characters.
    let mut is_first = true;
    loop {
        (low, rest) = match (rest, low) {
            ([b']', behind @ ..], _) if !is_first => return Some((is_in != is_negative, behind)),
            ([b'-', high, ..], Some(low)) if *high != b']' => {
                let (high, behind) = unescaped(&rest[1..])?;
                is_in |= bytes.iter().any(|byte| (low..=high).contains(byte));
                (None, behind)
            }
            ([b'[', b':', inside @ ..], _) => {
                let end = inside.iter().position(|byte| *byte == b']')?;
                if let Some(name) = inside[..end].strip_suffix(b":") {
                    is_in |= bytes.iter().any(class(name)?);
                    (None, &inside[end + 1..])
                } else {
                    is_in |= bytes.contains(&b'[');
                    (Some(b'['), &rest[1..])
                }
            }
            _ => {
                let (byte, behind) = unescaped(rest)?;
                is_in |= bytes.contains(&byte);
                (Some(byte), behind)
            }
        };
        is_first = false;
    }
}

/// Returns the test for a character class such as `alpha`.
pub(super) fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        // In git, form feeds and vertical tabs are not spaces.
        b"space" => |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}
