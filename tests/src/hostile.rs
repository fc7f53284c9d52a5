//! Text of an adversary, as it reaches hooks by payloads and xtask by settings.

/// A title, a bell, the cleared screen by both kinds of control characters, NUL, DEL, text that is reversed by each
/// character that can, line ends.
pub const HOSTILE: &str = "$(touch canary)`touch canary`';touch canary;'\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{8}\u{202a}\u{202b}\u{202c}\u{202d}\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}\u{202e}txt.exe\u{2028}\r\nhookkit: hook `other` failed";

/// Returns `true` if a text cannot control a terminal.
pub fn has_no_controls(text: &str) -> bool {
    let turns = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    let steers = |char: char| {
        char.is_control() && char != '\n'
            || turns.contains(&char)
            || ('\u{202a}'..='\u{202e}').contains(&char)
            || ('\u{2066}'..='\u{2069}').contains(&char)
    };
    !text.contains(steers)
}
