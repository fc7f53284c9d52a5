//! Escapes text of unknown origin for a terminal: a path, a command, or an error that contains such text.

use std::borrow::Cow;

/// The treatment of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Line ends are kept.
    Kept,
    /// Each line end becomes a blank, so that the text is one line.
    Blank,
}

/// Escapes characters that control a terminal or change the order of the displayed text. The escapes are those of JSON.
///
/// Inside a JSON string, the escape means the character that it replaces.
pub fn escape(text: &str, line_ends: LineEnds) -> Cow<'_, str> {
    let is_kept = |byte: u8| matches!(byte, b' '..=b'~' | b'\t') || byte == b'\n' && line_ends == LineEnds::Kept;
    if text.bytes().all(is_kept) {
        return text.into();
    }
    escaped(text, line_ends).into()
}

#[cold]
fn escaped(text: &str, line_ends: LineEnds) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        match (char, line_ends) {
            ('\n' | '\r', LineEnds::Blank) => shown.push(' '),
            ('\t', _) | ('\n', LineEnds::Kept) => shown.push(char),
            // Each of these has at most four digits.
            _ if steers(char) => {
                shown.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    let digit = (u32::from(char) >> shift & 15) as usize;
                    shown.push_str(&"0123456789abcdef"[digit..=digit]);
                }
            }
            _ => shown.push(char),
        }
    }
    shown
}

/// Returns `true` for control characters, including those beyond ASCII, and for characters that change the direction of
/// text or end a line.
fn steers(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_that_control_a_terminal_are_escaped() {
        for (text, kept, one_line) in [
            ("plain ~ text\t", "plain ~ text\t", "plain ~ text\t"),
            ("caf\u{e9} \u{1f980} \u{ad}", "caf\u{e9} \u{1f980} \u{ad}", "caf\u{e9} \u{1f980} \u{ad}"),
            ("a\nb\r\nc", "a\nb\\u000d\nc", "a b  c"),
            ("\x1b]0;title\x07", "\\u001b]0;title\\u0007", "\\u001b]0;title\\u0007"),
            (
                "\x1b[2J\u{9b}2J\x7f\0\x08",
                "\\u001b[2J\\u009b2J\\u007f\\u0000\\u0008",
                "\\u001b[2J\\u009b2J\\u007f\\u0000\\u0008",
            ),
            ("a\u{202e}txt.exe\u{2069}\u{2028}", "a\\u202etxt.exe\\u2069\\u2028", "a\\u202etxt.exe\\u2069\\u2028"),
        ] {
            assert_eq!(escape(text, LineEnds::Kept), kept, "{text:?}");
            assert_eq!(escape(text, LineEnds::Blank), one_line, "{text:?}");
        }
    }

    #[test]
    fn in_json_an_escape_means_the_character_that_it_replaces() {
        let text = "\u{9b}2J\x7f\u{202e}";
        let json = serde_json::to_string(text).unwrap();
        let shown = escape(&json, LineEnds::Kept);
        assert!(shown.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
