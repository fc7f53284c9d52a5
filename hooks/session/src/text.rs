//! Handles text written by others.

/// Returns `true` if a character is not a control character, and does not change the order of a text.
pub(crate) fn is_plain(char: char) -> bool {
    let is_order =
        matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !char.is_control() && !is_order
}
