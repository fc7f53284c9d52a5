//! Widths of the screen and of texts.

use std::env;
use std::os::fd::AsFd;

use rustix::termios::{isatty, tcgetwinsize};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The minimum screen width that is used.
const NARROWEST: usize = 40;

/// Returns a stream's number of columns: from `COLUMNS`, or otherwise from the terminal.
///
/// Lines in a pipe have no limit.
pub(crate) fn columns(stream: impl AsFd) -> Option<usize> {
    let named = env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let columns = named.or_else(|| {
        let is_terminal = isatty(&stream);
        is_terminal.then(|| tcgetwinsize(&stream).ok().map(|size| usize::from(size.ws_col)))?
    });
    columns.filter(|columns| *columns > 0).map(|columns| columns.max(NARROWEST))
}

/// Returns the number of columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the longest prefix of a text that fits into this number of columns.
pub(crate) fn beginning(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, char)| {
        taken += char.width().unwrap_or_default();
        taken > columns
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Returns the longest suffix of a text that fits into this number of columns.
pub(crate) fn end(text: &str, columns: usize) -> &str {
    let mut taken = 0;
    let begin = text.char_indices().rev().find(|(_, char)| {
        taken += char.width().unwrap_or_default();
        taken > columns
    });
    begin.map_or(text, |(at, char)| &text[at + char.len_utf8()..])
}

/// Returns a text with an ellipsis in place of its middle, if it is wider than this.
pub(crate) fn without_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let left = columns.saturating_sub(1);
    // A path's end is more informative than its beginning.
    let begin = left / 3;
    format!("{}…{}", beginning(text, begin), end(text, left - begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_loses_its_middle_by_columns() {
        for (text, columns, shown) in [
            ("settings.json", 13, "settings.json"),
            ("/home/user/project/.claude/settings.json", 20, "/home/…settings.json"),
            ("日本語日本語日本語", 10, "日…語日本"),
            ("ab", 1, "…"),
        ] {
            let cut = without_middle(text, columns);
            assert!(width(&cut) <= columns, "{cut}");
            assert_eq!(cut.chars().next(), shown.chars().next(), "{cut}");
        }
        assert_eq!(without_middle("/home/user/project/.claude/settings.json", 20), "/home/…settings.json");
    }
}
