//! Finds the word in a hook that a finding is about.
//!
//! Rules only give the position of a whole hook, or of a matcher with its hooks. In most files that is a line with only
//! a brace. So the text report shows the value or the key that the finding mentions.

use crate::settings::position::Position;

/// Maximum number of bytes to search in a hook.
const LONGEST: usize = 20_000;

/// Returns the position of the first string in the object at `place` that a finding mentions: a string that contains a
/// text in the finding's backticks, or a key that is a word of the finding. If there is none, returns `place`.
pub(crate) fn pointed(text: &str, place: Position, what: &str) -> Position {
    let Some(object) = at(text, place) else {
        return place;
    };
    let strings = strings(object);
    let quoted = what.split('`').skip(1).step_by(2).filter(|word| !word.is_empty());
    let mut quoted = quoted.filter_map(|word| strings.iter().find(|(_, string)| string.contains(word)));
    let words = || what.split(|char: char| !char.is_alphanumeric());
    let is_key = |end: usize| object[end..].trim_start().starts_with(':');
    let mut keys = strings.iter().filter(|(end, key)| is_key(*end) && words().any(|word| word == *key));
    let found = quoted.next().or_else(|| keys.next());
    found.map_or(place, |(end, string)| place.after(&object[..end - string.len() - 2]))
}

/// Returns the text from a position on. `None` if no object begins there.
fn at(text: &str, place: Position) -> Option<&str> {
    let lines = text.split_inclusive('\n').take(place.line.checked_sub(1)?);
    let rest = &text[lines.map(str::len).sum()..];
    let rest = rest.trim_start_matches('\u{feff}');
    let (at, _) = rest.lines().next()?.char_indices().nth(place.column.checked_sub(1)?)?;
    Some(&rest[at..]).filter(|rest| rest.starts_with('{'))
}

/// Returns the strings of the object at the start of a text, each with the offset after it. Empty if the object does
/// not end.
fn strings(text: &str) -> Vec<(usize, &str)> {
    let (mut strings, mut depth, mut begin, mut is_escaped) = (Vec::new(), 0, None, false);
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match (begin, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(from), b'"') => {
                strings.push((at + 1, &text[from..at]));
                begin = None;
            }
            (Some(_), _) => {}
            (None, b'"') => begin = Some(at + 1),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth -= 1,
            _ => {}
        }
        match (depth, begin) {
            (0, None) if at > 0 => return strings,
            (0, _) => break,
            _ => {}
        }
    }
    Vec::new()
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
