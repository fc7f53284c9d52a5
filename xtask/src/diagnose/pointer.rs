//! Finds the word of a hook that a finding is about.
//!
//! A rule's place is that of a whole hook, or of a matcher with its hooks. In most files that is a line with a brace
//! alone, so the report for people shows the value or the key that the finding names.

use crate::settings::position::Position;

/// Maximum number of bytes of a hook that are searched.
const LONGEST: usize = 20_000;

/// Returns the place of the first string that a finding names, in the object at `place`: one that contains a text that
/// the finding has in backticks, or a key that is one of its words. If there is none, returns `place`.
pub(crate) fn pointed(text: &str, place: Position, what: &str) -> Position {
    let Some(object) = object(text, place) else {
        return place;
    };
    let strings = strings(object);
    let quoted = what.split('`').skip(1).step_by(2).filter(|word| !word.is_empty());
    let mut quoted = quoted.filter_map(|word| strings.iter().find(|(_, string)| string.contains(word)));
    let words = || what.split(|char: char| !char.is_alphanumeric());
    let mut keys = strings
        .iter()
        .filter(|(end, _)| object[*end..].trim_start().starts_with(':'));
    let found = quoted
        .next()
        .or_else(|| keys.find(|(_, key)| words().any(|word| word == *key)));
    found.map_or(place, |(end, string)| place.behind(&object[..end - string.len() - 2]))
}

/// Returns the text of the object that begins at a place, if there is one.
fn object(text: &str, place: Position) -> Option<&str> {
    let lines = text.split_inclusive('\n').take(place.line.checked_sub(1)?);
    let rest = &text[lines.map(str::len).sum()..];
    let rest = rest.trim_start_matches('\u{feff}');
    let (at, _) = rest.lines().next()?.char_indices().nth(place.column.checked_sub(1)?)?;
    let rest = Some(&rest[at..]).filter(|rest| rest.starts_with('{'))?;
    let (mut depth, mut is_string, mut is_escaped) = (0, false, false);
    let end = rest.bytes().take(LONGEST).position(|byte| {
        if is_string {
            is_string = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            return false;
        }
        match byte {
            b'"' => is_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    rest.get(..=end?)
}

/// Returns the strings of a JSON text, each with the offset after it.
fn strings(text: &str) -> Vec<(usize, &str)> {
    let (mut strings, mut begin, mut is_escaped) = (Vec::new(), None, false);
    for (at, byte) in text.bytes().enumerate() {
        match begin {
            None if byte == b'"' => begin = Some(at + 1),
            None => {}
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if byte == b'\\' => is_escaped = true,
            Some(from) if byte == b'"' => {
                strings.push((at + 1, &text[from..at]));
                begin = None;
            }
            Some(_) => {}
        }
    }
    strings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_points_at_the_value_or_the_key_that_it_names() {
        let text = "\u{feff}{\n  \"Stop\": [\n    {\n      \"matcher\": \"\\\"é\",\n      \"timeout\": 9,\n      \"command\": \"./a.sh && x\"\n    }\n  ]\n}\n";
        let at = |line, column| Position { line, column };
        for (what, place, pointed_at) in [
            ("there is no file `./a.sh`", at(3, 5), at(6, 18)),
            ("`gone` has a timeout that is long", at(3, 5), at(5, 7)),
            ("`\\\"é` matches nothing", at(3, 5), at(4, 18)),
            ("this hook never runs", at(3, 5), at(3, 5)),
            ("`Stop` is not an event", at(2, 3), at(2, 3)),
            ("`a` and ``", at(99, 1), at(99, 1)),
            ("a timeout", at(3, 99), at(3, 99)),
        ] {
            assert_eq!(pointed(text, place, what), pointed_at, "{what}");
        }
        let open = "{\"a\": {\"timeout\": 1";
        assert_eq!(pointed(open, at(1, 7), "a timeout"), at(1, 7));
    }
}
