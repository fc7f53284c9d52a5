//! Text of an adversary, as it reaches hooks by payloads and xtask by settings.

/// A title, a bell, the cleared screen by both kinds of control characters, NUL, DEL, text that is turned around, line ends.
pub const HOSTILE: &str = "$(touch canary)`touch canary`';touch canary;'\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{8}\u{202e}txt.exe\u{2028}\r\nhookkit: hook `other` failed";

/// Returns whether nothing in it steers a terminal.
pub fn is_legible(text: &str) -> bool {
    let steers = |char: char| char.is_control() && char != '\n' || "\u{202e}\u{2028}".contains(char);
    !text.contains(steers)
}
