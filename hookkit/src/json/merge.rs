//! Puts what a type has written into the object that it was read from.

use super::de::Deserializer;
use super::members::{Member, members};
use super::{Error, Object, Wants};

/// The text of an object, with the members that a type names as the type has `written` them, and all others as they
/// were.
///
/// What a type leaves away is absent afterwards, but for what says nothing (`null`, `false`, `[]`): to the type that is
/// the same, and the client's schema may want it.
/// Where the type names no members (it wants all of the value, or is no object), what it has written is everything.
pub(crate) fn merged(original: Option<Deserializer<'_, '_>>, named: Wants, written: Vec<u8>) -> Result<Vec<u8>, Error> {
    let is_object = |text: &[u8]| text.first() == Some(&b'{');
    let (Wants::Members(named), Some(original)) = (named, original.map(Deserializer::text)) else {
        return Ok(written);
    };
    if !is_object(original) || !is_object(&written) {
        return Ok(written);
    }
    let (before, after) = (members(original)?, members(&written)?);
    let mut text = Vec::with_capacity(original.len() + written.len());
    let mut object = Object::new(&mut text);
    let mut is_in_place = vec![false; after.len()];
    for (at, member) in before.iter().enumerate() {
        let key = member.key(original)?;
        // Of a member that stands twice the last one counts.
        if before[at + 1..].iter().any(|later| later.is(&key, original)) {
            continue;
        }
        match after.iter().position(|new| new.is(&key, &written)) {
            Some(new) => {
                is_in_place[new] = true;
                object.raw(member.raw_key(original), value(&after[new], &written));
            }
            None => {
                let value = value(member, original);
                if !named.contains(&&*key) || matches!(value, b"null" | b"false" | b"[]") {
                    object.raw(member.raw_key(original), value);
                }
            }
        }
    }
    for (member, is_in_place) in after.iter().zip(is_in_place) {
        if !is_in_place {
            object.raw(member.raw_key(&written), value(member, &written));
        }
    }
    object.end();
    Ok(text)
}

fn value<'d>(member: &Member, document: &'d [u8]) -> &'d [u8] {
    &document[member.value.text.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_type_names_is_as_it_wrote_it_and_all_else_as_it_was() {
        const NAMED: Wants = Wants::Members(&["a", "b", "é"]);
        for (original, written, result) in [
            (r#"{"a":1,"x":2}"#, r#"{"a":3}"#, r#"{"a":3,"x":2}"#),
            (
                r#"{ "x" : [ 1 ] , "a" : 1 }"#,
                r#"{"b":2,"a":1}"#,
                r#"{"x":[ 1 ],"a":1,"b":2}"#,
            ),
            (r#"{"a":1,"b":"gone","x":null}"#, r#"{"a":1}"#, r#"{"a":1,"x":null}"#),
            (
                r#"{"a":false,"b":null,"\u00e9":[]}"#,
                "{}",
                r#"{"a":false,"b":null,"\u00e9":[]}"#,
            ),
            (r#"{"\u0061":1}"#, r#"{"a":2}"#, r#"{"\u0061":2}"#),
            (
                r#"{"a":1,"a":2,"x":1,"x":"\ud800"}"#,
                r#"{"a":2}"#,
                r#"{"a":2,"x":"\ud800"}"#,
            ),
            ("{}", "{}", "{}"),
            ("[1]", r#"{"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":2}"#, "[1]", "[1]"),
        ] {
            let original = Deserializer::new(original.as_bytes());
            let merged = merged(Some(original), NAMED, written.as_bytes().to_vec()).unwrap();
            assert_eq!(String::from_utf8(merged).unwrap(), result);
        }
    }

    #[test]
    fn who_names_no_members_has_written_all() {
        let original = || Some(Deserializer::new(br#"{"a":1,"x":2}"#));
        for (original, named) in [(original(), Wants::All), (None, Wants::Members(&["a"]))] {
            assert_eq!(merged(original, named, b"{}".to_vec()).unwrap(), b"{}");
        }
    }
}
