//! Merges the changes of a typed value into the JSON that it was read from.

use super::de::Deserializer;
use super::members::{Member, members};
use super::{Error, Object, Scanner};

/// Depth to which objects and lists are merged; deeper values are taken from `written`.
const MAX_DEPTH: u32 = 64;

/// Number of elements to search for an element's old value if the list's length has changed.
const NEAR: usize = 1_000;

/// Applies a change to `original`: the difference between `base` and `written`. Both are serializations of the type
/// that was read from `original`, one before the change and one after it.
///
/// Members that are the same in both keep their original text, at every depth: unknown members, `null`s, and the digits
/// of numbers. Members that differ are taken from `written`; a member that only `base` has is removed.
pub fn merged(original: Deserializer<'_, '_>, base: &[u8], written: &[u8]) -> Result<Vec<u8>, Error> {
    let mut text = Vec::with_capacity(original.text().len() + written.len());
    merge(original.text(), base, written, MAX_DEPTH, &mut text)?;
    Ok(text)
}

fn merge(original: &[u8], base: &[u8], written: &[u8], depth: u32, text: &mut Vec<u8>) -> Result<(), Error> {
    if base == written {
        text.extend_from_slice(original);
        return Ok(());
    }
    let Some(depth) = depth.checked_sub(1) else {
        text.extend_from_slice(written);
        return Ok(());
    };
    match [original, base, written].map(|text| text.first().copied()) {
        [Some(b'{'), Some(b'{'), Some(b'{')] => objects(original, base, written, depth, text),
        [Some(b'['), Some(b'['), Some(b'[')] => lists(original, base, written, depth, text),
        _ => {
            text.extend_from_slice(written);
            Ok(())
        }
    }
}

fn objects(original: &[u8], base: &[u8], written: &[u8], depth: u32, text: &mut Vec<u8>) -> Result<(), Error> {
    let (before, of_base, after) = (members(original)?, members(base)?, members(written)?);
    let mut object = Object::new(text);
    let mut is_in_place = vec![false; after.len()];
    for (at, member) in before.iter().enumerate() {
        let key = member.key(original)?;
        // If a member occurs twice, the last one counts.
        if before[at + 1..].iter().any(|later| later.is(&key, original)) {
            continue;
        }
        let was_read = of_base.iter().find(|member| member.is(&key, base));
        let new = after.iter().position(|new| new.is(&key, written));
        if let Some(new) = new {
            is_in_place[new] = true;
        }
        let (old, key) = (value(member, original), member.raw_key(original));
        match (was_read, new.map(|new| value(&after[new], written))) {
            (Some(was_read), Some(new)) => {
                let mut merged = Vec::new();
                merge(old, value(was_read, base), new, depth, &mut merged)?;
                object.raw(key, &merged);
            }
            (None, Some(new)) => object.raw(key, new),
            (None, None) => object.raw(key, old),
            (Some(_), None) => {}
        }
    }
    for (member, is_in_place) in after.iter().zip(is_in_place) {
        if !is_in_place {
            object.raw(member.raw_key(written), value(member, written));
        }
    }
    object.end();
    Ok(())
}

fn lists(original: &[u8], base: &[u8], written: &[u8], depth: u32, text: &mut Vec<u8>) -> Result<(), Error> {
    let (before, of_base, after) = (elements(original)?, elements(base)?, elements(written)?);
    if before.len() != of_base.len() {
        text.extend_from_slice(written);
        return Ok(());
    }
    let mut next = 0;
    text.push(b'[');
    for (at, new) in after.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        // If the length is the same, each element kept its place; if not, the remaining ones kept their order.
        let was_at = match of_base.len() == after.len() {
            true => Some(at),
            false => (next..of_base.len()).take(NEAR).find(|&at| of_base[at] == *new),
        };
        match was_at {
            Some(at) => {
                next = at + 1;
                merge(before[at], of_base[at], new, depth, text)?;
            }
            None => text.extend_from_slice(new),
        }
    }
    text.push(b']');
    Ok(())
}

fn elements(list: &[u8]) -> Result<Vec<&[u8]>, Error> {
    let mut scanner = Scanner::new(list);
    scanner.array_start()?;
    let mut elements = Vec::new();
    while let Some(element) = scanner.element(elements.is_empty())? {
        elements.push(&list[element.text]);
    }
    Ok(elements)
}

fn value<'d>(member: &Member, document: &'d [u8]) -> &'d [u8] {
    &document[member.value.text.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_members_keep_their_text_at_every_depth() {
        test_support::lines!("lines/merged.txt").check_inputs(|_, documents| {
            let [original, base, written] = [0, 1, 2].map(|at| documents[at].as_bytes());
            String::from_utf8(merged(Deserializer::new(original), base, written).unwrap()).unwrap()
        });
    }

    #[test]
    fn a_value_that_is_too_deep_is_replaced() {
        let deep = |value: &str| "[".repeat(10_000) + value + &"]".repeat(10_000);
        let [original, base, written] = ["1.0", "1", "2"].map(deep);
        let merged = merged(Deserializer::new(original.as_bytes()), base.as_bytes(), written.as_bytes());
        assert!(merged.is_err() || merged.unwrap() == written.as_bytes());
    }
}
