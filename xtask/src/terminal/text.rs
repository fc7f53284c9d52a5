//! Text in styled pieces. It is escaped and wrapped when it is printed.

use std::fmt::{self, Display, Write as _};
use std::path::Path;
use std::{env, mem};

use anstyle::Style;
use hookkit_protocol::escape::{LineEnds, escape};

use super::style::{ADDED, BOLD, COMMAND, DIMMED, DONE, ERROR, PATH, PLAIN, REMOVED, WARNING};
use super::width::{beginning, width, without_middle};

/// Text for the user. Escapes from other texts are shown as characters. Only this text's styles reach a terminal.
///
/// Text written with `write!` is plain.
#[derive(Default, Clone, PartialEq)]
pub(crate) struct Text(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    /// Words. A line may end at the spaces between them.
    Words(Style, String),
    /// A command, kept on one line if possible. A longer one continues after a backslash, so that it can be copied.
    Command(String),
    /// A path, kept on one line. If it is longer than a line, its middle is left out.
    Path(Style, String),
    /// The column for the continuation lines of a long line.
    Hang,
    /// Lines printed as they are.
    Verbatim(Style, String),
    /// Lines that are already escaped, with their styles as escapes.
    Rendered(String),
}

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds words in this style.
    pub(crate) fn words(&mut self, style: Style, words: impl Display) -> &mut Self {
        self.push(Piece::Words(style, words.to_string()))
    }

    /// Adds plain words.
    pub(crate) fn plain(&mut self, words: impl Display) -> &mut Self {
        self.words(PLAIN, words)
    }

    /// Adds a hook's name, or a section title.
    pub(crate) fn bold(&mut self, words: impl Display) -> &mut Self {
        self.words(BOLD, words)
    }

    /// Adds words that are less important.
    pub(crate) fn dimmed(&mut self, words: impl Display) -> &mut Self {
        self.words(DIMMED, words)
    }

    /// Adds a command to type.
    pub(crate) fn command(&mut self, command: impl Display) -> &mut Self {
        self.push(Piece::Command(command.to_string()))
    }

    /// Adds a path.
    pub(crate) fn path(&mut self, path: impl Display) -> &mut Self {
        self.push(Piece::Path(PATH, path.to_string()))
    }

    /// Adds a command from another person's file. If one of its paths is longer than a line, the path's middle is left
    /// out.
    pub(crate) fn foreign_command(&mut self, command: &str) -> &mut Self {
        for (index, word) in command.split(' ').enumerate() {
            if index > 0 {
                self.bold(' ');
            }
            if word.contains('/') {
                self.push(Piece::Path(BOLD, word.to_owned()))
            } else {
                self.bold(word)
            };
        }
        self
    }

    /// Adds unwrapped lines: JSON or a diff.
    pub(crate) fn verbatim(&mut self, style: Style, lines: impl Display) -> &mut Self {
        self.push(Piece::Verbatim(style, lines.to_string()))
    }

    /// Adds lines that are already escaped, with their styles as escapes.
    pub(crate) fn rendered(&mut self, lines: String) -> &mut Self {
        self.push(Piece::Rendered(lines))
    }

    /// Adds lines that begin with `+`, `-`, `~` or `!`, in the colors of additions, removals, changes and refusals.
    pub(crate) fn diff(&mut self, lines: &str) -> &mut Self {
        for line in lines.lines() {
            let blanks = line.len() - line.trim_start().len();
            let (blanks, change) = line.split_at(blanks);
            let (mark, rest) = change.split_once(' ').unwrap_or(("", change));
            self.plain(blanks);
            let styles = [("+", ADDED), ("-", REMOVED), ("~", WARNING), ("!", ERROR)];
            match styles.iter().find(|(known, _)| *known == mark) {
                Some((_, style)) => self.words(*style, mark).plain(' ').hang(),
                None => self.plain(mark).plain(if mark.is_empty() { "" } else { " " }),
            };
            self.plain(rest).line_end();
        }
        self
    }

    /// Makes the current column the column for this line's continuation lines.
    pub(crate) fn hang(&mut self) -> &mut Self {
        self.push(Piece::Hang)
    }

    /// Adds spaces after a text in a column: up to the column's width, plus two.
    pub(crate) fn pad(&mut self, text: &str, column: usize) -> &mut Self {
        self.plain(" ".repeat(column.saturating_sub(width(text)) + 2))
    }

    pub(crate) fn line_end(&mut self) -> &mut Self {
        self.plain('\n')
    }

    pub(crate) fn append(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Adds a line about files that were written to a path, or were already there.
    pub(crate) fn put(&mut self, verb: &str, count: &str, path: impl Display, is_changed: bool) -> &mut Self {
        if is_changed {
            self.words(DONE, verb).plain(format_args!(" {count} in ")).path(path)
        } else {
            self.words(DONE, "Nothing has changed").plain(": ").path(path).plain(format_args!(" has {count}"))
        };
        self.line_end()
    }

    /// Joins texts with a separator.
    pub(crate) fn joined(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut joined = Self::new();
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                joined.plain(between);
            }
            joined.append(text);
        }
        joined
    }

    fn push(&mut self, piece: Piece) -> &mut Self {
        self.0.push(piece);
        self
    }

    /// Returns the text for a terminal with this number of columns, with styles as escapes.
    pub(crate) fn render(&self, columns: Option<usize>) -> String {
        let mut page = Page { columns, ..Page::default() };
        let own = |text: &str, ends| advised(&escape(text, ends));
        for piece in &self.0 {
            match piece {
                Piece::Words(style, words) => page.words(*style, &own(words, LineEnds::Kept)),
                Piece::Command(text) => page.add(COMMAND, &own(text, LineEnds::Blank), Excess::Continued),
                Piece::Path(style, text) => page.add(*style, &escape(text, LineEnds::Blank), Excess::LeftOut),
                Piece::Hang => page.hang(),
                Piece::Verbatim(style, lines) => page.verbatim(*style, &escape(lines, LineEnds::Kept)),
                Piece::Rendered(lines) => page.rendered(lines),
            }
        }
        page.end_word();
        page.open(PLAIN);
        page.text
    }

    /// Returns the text without styles or wrapping.
    #[cfg(test)]
    pub(crate) fn unstyled(&self) -> String {
        anstream::adapter::strip_str(&self.render(None)).to_string()
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(Piece::Words(PLAIN, words)) = self.0.last_mut() {
            words.push_str(text);
        } else {
            self.plain(text);
        }
        Ok(())
    }
}

/// Converts a string to words. A command after a colon is kept together, up to a semicolon.
impl<T: Display> From<T> for Text {
    fn from(lines: T) -> Self {
        let mut text = Self::new();
        for (index, line) in lines.to_string().split('\n').enumerate() {
            if index > 0 {
                text.line_end();
            }
            let start = [": cargo", ": cd "].iter().filter_map(|start| line.find(start)).min();
            let (words, command) = line.split_at(start.map_or(line.len(), |at| at + 2));
            let (command, rest) = command.split_at(command.find("; ").unwrap_or(command.len()));
            text.plain(words).command(command).plain(rest);
        }
        text
    }
}

/// The minimum number of columns for a path.
const SHORTEST: usize = 12;

/// Number of spaces before a command's continuation lines; more than before its first line.
const CONTINUED: usize = 4;

/// Treatment of a piece that is longer than a line.
#[derive(Clone, Copy, PartialEq)]
enum Excess {
    /// Split a word after a comma, as in JSON. Without a comma, the terminal splits it.
    Commas,
    /// Split a command between two arguments, with a backslash.
    Continued,
    /// Leave out the middle of a path.
    LeftOut,
}

impl Excess {
    /// Returns the number of bytes that fit on a line with this number of columns, and the end of that line.
    fn cut(self, text: &str, columns: usize) -> Option<(usize, &'static str)> {
        match self {
            Self::Commas => {
                let end = beginning(text, columns).rfind(',')? + 1;
                Some((end, ""))
            }
            Self::Continued => {
                let line = beginning(text, columns.saturating_sub(1));
                let is_within = |at: usize| line[..at].matches(['\'', '"']).count() % 2 == 1;
                let blanks = || {
                    let all = line.rmatch_indices(' ').map(|(at, _)| at);
                    all.filter(|at| *at > 0 && !is_within(*at))
                };
                // An option stays with its value.
                let end = blanks().find(|at| text[*at..].starts_with(" -")).or_else(|| blanks().next())? + 1;
                Some((end, "\\"))
            }
            Self::LeftOut => None,
        }
    }
}

/// A text being rendered.
#[derive(Default)]
struct Page {
    columns: Option<usize>,
    text: String,
    /// The number of used columns in the line.
    taken: usize,
    /// The number of spaces after them, dropped if the line ends there.
    blanks: usize,
    /// The number of spaces at the start of the line.
    indent: Option<usize>,
    hang: Option<usize>,
    /// The current style.
    style: Style,
    /// The styled pieces that are not on a line yet.
    word: Vec<(Style, String, Excess)>,
}

impl Page {
    fn words(&mut self, style: Style, words: &str) {
        for (index, line) in words.split('\n').enumerate() {
            if index > 0 {
                self.end_line();
            }
            for (index, word) in line.split(' ').enumerate() {
                if index > 0 {
                    self.end_word();
                    self.blanks += 1;
                }
                self.add(style, word, Excess::Commas);
            }
        }
    }

    fn add(&mut self, style: Style, text: &str, excess: Excess) {
        if !text.is_empty() {
            self.word.push((style, text.to_owned(), excess));
        }
    }

    fn hang(&mut self) {
        self.end_word();
        self.hang = Some(self.taken + self.blanks);
    }

    fn verbatim(&mut self, style: Style, lines: &str) {
        self.end_word();
        self.blanks();
        for (index, line) in lines.split('\n').enumerate() {
            if index > 0 {
                self.end_line();
            }
            self.put(style, line);
        }
    }

    fn rendered(&mut self, lines: &str) {
        self.end_word();
        self.open(PLAIN);
        self.text += lines;
    }

    /// Puts the pending word on the current line, or on the next line if it does not fit.
    fn end_word(&mut self) {
        let mut word = mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let indent = *self.indent.get_or_insert(self.blanks);
        let mut next = indent;
        let taken: usize = word.iter().map(|(_, text, _)| width(text)).sum();
        if let Some(columns) = self.columns {
            // A first column wider than half of the screen leaves too little space after it.
            let hang = self.hang.filter(|hang| *hang <= columns / 2).unwrap_or(indent);
            next = hang;
            if self.taken + self.blanks + taken > columns && self.taken > hang {
                self.open(PLAIN);
                self.text.push('\n');
                (self.taken, self.blanks) = (0, hang);
            }
            let excess = (self.taken + self.blanks + taken).saturating_sub(columns);
            if let Some((_, path, _)) = word.iter_mut().find(|(.., how)| *how == Excess::LeftOut && excess > 0) {
                *path = without_middle(path, width(path).saturating_sub(excess).max(SHORTEST));
            }
        }
        // Spaces between words of the same style belong to it.
        if word.first().is_some_and(|(style, ..)| *style != self.style) {
            self.open(PLAIN);
        }
        self.blanks();
        for (style, text, excess) in word {
            self.put_cut(style, &text, excess, next);
        }
    }

    /// Puts a piece, on several lines if it is too long. Its continuation lines begin at this column.
    fn put_cut(&mut self, style: Style, mut text: &str, excess: Excess, next: usize) {
        let more = if excess == Excess::Continued { CONTINUED } else { 0 };
        while let Some(columns) = self.columns.filter(|columns| self.taken + width(text) > *columns) {
            let Some((end, line_end)) = excess.cut(text, columns.saturating_sub(self.taken)) else {
                break;
            };
            self.put(style, &text[..end]);
            self.put(style, line_end);
            self.open(PLAIN);
            self.text.push('\n');
            (self.taken, self.blanks) = (0, next + more);
            self.blanks();
            text = &text[end..];
        }
        self.put(style, text);
    }

    fn blanks(&mut self) {
        let blanks = mem::take(&mut self.blanks);
        self.indent.get_or_insert(blanks);
        self.text.extend(std::iter::repeat_n(' ', blanks));
        self.taken += blanks;
    }

    fn put(&mut self, style: Style, text: &str) {
        if !text.is_empty() {
            self.open(style);
        }
        self.text += text;
        self.taken += width(text);
    }

    /// Ends the current style, and begins another.
    fn open(&mut self, style: Style) {
        if style != self.style {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{:#}{style}", self.style);
            self.style = style;
        }
    }

    fn end_line(&mut self) {
        self.end_word();
        self.open(PLAIN);
        self.text.push('\n');
        *self = Self { columns: self.columns, text: mem::take(&mut self.text), ..Self::default() };
    }
}

/// Returns the running command: a project without an xtask uses `cargo-hookkit`.
pub(crate) fn program() -> &'static str {
    let program = env::args_os().next().unwrap_or_default();
    if Path::new(&program).file_stem().is_some_and(|name| name == "cargo-hookkit") {
        "cargo-hookkit"
    } else {
        "cargo xtask"
    }
}

/// Replaces `cargo xtask` in hookkit's texts by the running program: `cargo xtask` would start cargo in a folder that
/// may configure it.
pub(crate) fn advised(text: &str) -> String {
    text.replace("cargo xtask", program())
}

#[cfg(test)]
mod tests {
    use super::super::style::ERROR;
    use super::*;

    fn plain(text: &Text, columns: usize) -> String {
        anstream::adapter::strip_str(&text.render(Some(columns))).to_string()
    }

    #[test]
    fn a_line_that_is_too_long_goes_on_below_its_last_column() {
        let mut text = Text::new();
        text.plain("  ").bold("guard").pad("guard", 8).hang();
        text.plain("refuses what cannot be undone, and says why it does so");
        assert_eq!(
            plain(&text, 40),
            "  guard     refuses what cannot be\n            undone, and says why it does\n            so"
        );
        assert_eq!(text.unstyled(), "  guard     refuses what cannot be undone, and says why it does so");
    }

    #[test]
    fn a_column_is_as_wide_as_what_is_seen_of_it() {
        let row = |name: &str| {
            let mut text = Text::new();
            text.bold(name).pad(name, 6).plain("|");
            plain(&text, 80)
        };
        assert_eq!([row("abcdef"), row("日本")], ["abcdef  |", "日本    |"]);
    }

    #[test]
    fn a_path_loses_its_middle_and_a_command_is_continued() {
        let mut text = Text::new();
        text.path("/home/user/a/very/long/way/to/the/project/.claude/settings.json").plain(":12 (project)\n");
        text.plain("To fix this: ").command("cargo xtask install --project /a/very/long/way");
        assert_eq!(
            plain(&text, 40),
            "/home/user/a…ct/.claude/settings.json:12\n(project)\nTo fix this:\ncargo xtask install \\\n    --project /a/very/long/way"
        );
        assert!(text.unstyled().contains("way/to/the/project/.claude/settings.json:12 (project)\n"));
    }

    #[test]
    fn a_command_is_not_cut_within_quotes() {
        let mut text = Text::new();
        text.plain("  ").command("cargo xtask run guard --set 'tool_input.command=rm -r x'");
        assert_eq!(plain(&text, 40), "  cargo xtask run guard \\\n      --set 'tool_input.command=rm -r x'");
        assert!(text.unstyled().ends_with("guard --set 'tool_input.command=rm -r x'"));
    }

    #[test]
    fn a_long_word_ends_its_lines_behind_commas() {
        let mut text = Text::new();
        text.plain("  result   ").hang();
        text.plain(r#"it answers {"event":"PreToolUse","decision":"deny","reason":"no"}"#);
        assert_eq!(
            plain(&text, 40),
            "  result   it answers\n           {\"event\":\"PreToolUse\",\n           \"decision\":\"deny\",\n           \"reason\":\"no\"}"
        );
        let mut text = Text::new();
        text.plain("word".repeat(20));
        assert_eq!(plain(&text, 40), "word".repeat(20));
    }

    #[test]
    fn escapes_of_others_are_written_out_in_every_kind_of_piece() {
        let hostile = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{202e}";
        let mut text = Text::new();
        text.words(ERROR, hostile).line_end().path(hostile).line_end();
        text.command(hostile).verbatim(PLAIN, hostile);
        let _ = write!(text, "{hostile}");
        let shown = text.render(Some(60));
        assert!(!shown.contains('\u{7}') && !shown.contains('\u{202e}'), "{shown:?}");
        assert!(!shown.contains("\u{1b}[31mred") && !shown.contains("\u{1b}]"), "{shown:?}");
        assert_eq!(shown.matches("\\u001b[31mred").count(), 5, "{shown:?}");
    }

    #[test]
    fn styles_begin_and_end_around_their_words_alone() {
        let mut text = Text::new();
        text.words(ERROR, "it failed").plain(": why\n").path("a b");
        assert_eq!(text.render(None), "\u{1b}[1m\u{1b}[31mit failed\u{1b}[0m: why\n\u{1b}[36ma b\u{1b}[0m");
    }
}
