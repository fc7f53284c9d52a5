//! Positions in a text.

use std::fmt;

/// A position in a text as an editor shows it: in characters, starting from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    pub(crate) fn of(text: &str, at: usize) -> Self {
        Self::START.after(&text[..at])
    }

    /// Returns the end position of a text that begins here.
    pub(crate) fn after(self, text: &str) -> Self {
        // An editor does not show the byte order mark.
        let columns = |line: &str| line.trim_start_matches(BYTE_ORDER_MARK).chars().count();
        match text.rfind('\n') {
            Some(newline) => {
                Self { line: self.line + text.matches('\n').count(), column: 1 + columns(&text[newline + 1..]) }
            }
            None => Self { column: self.column + columns(text), ..self },
        }
    }
}

/// Positions in a text, which must be requested in ascending order. Each is counted from the previous one, not from the
/// start of the text.
pub(crate) struct Places<'t> {
    text: &'t str,
    at: usize,
    place: Position,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, place: Position::START }
    }

    /// Returns the position of a byte. This is fast if it is after the previously requested one.
    pub(crate) fn of(&mut self, at: usize) -> Position {
        self.place = match self.text.get(self.at..at) {
            Some(between) => self.place.after(between),
            None => Position::of(self.text, at),
        };
        self.at = at;
        self.place
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
