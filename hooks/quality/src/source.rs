//! Splits a text into code, comments and quotations.
//!
//! This is not a lexer of any language. A table of delimiters is enough to distinguish these three in nearly all cases.

use crate::prelude::*;

/// Counts the bytes that are read, for tests of the run time.
macro_rules! reads {
    ($bytes:expr) => {
        #[cfg(test)]
        $crate::source::tests::READ.with(|read| read.set(read.get() + $bytes));
    };
}
pub(crate) use reads;

/// The delimiters of a comment or a quotation.
pub(crate) struct Span {
    open: &'static str,
    close: &'static str,
    is_comment: bool,
    /// `true` if the span can continue after the end of a line.
    is_long: bool,
    /// `true` if a backslash escapes the next character.
    escapes: bool,
}

impl Span {
    /// Reads a kind and its delimiters: `line //`, `block /* */`, `string "`; a `long` string over several lines; a
    /// `verbatim` one, in which a backslash is not an escape.
    pub(crate) fn parse(text: &'static str) -> Self {
        let (kind, delimiters) = text.split_once(' ').unwrap_or_default();
        let (open, close) = delimiters.split_once(' ').unwrap_or((delimiters, delimiters));
        Self {
            open,
            close: if kind == "line" { "\n" } else { close },
            is_comment: lists("block line", kind),
            is_long: !lists("line string", kind),
            escapes: lists("long string", kind),
        }
    }
}

/// A text that was split.
pub(crate) struct SourceText<'t> {
    pub text: &'t str,
    /// The text with blanks in place of comments and strings, so that everything else keeps its position.
    pub code: String,
    /// Ranges of the comments, without their opening delimiters.
    pub comments: Vec<Range<usize>>,
}

impl<'t> SourceText<'t> {
    /// Splits a text. If several spans begin in the same way, the first one counts.
    pub(crate) fn new(text: &'t str, spans: &[Span]) -> Self {
        let mut source = Self { text, code: String::with_capacity(text.len()), comments: Vec::new() };
        // A span that has no end from here on has none later. Searching again could take forever.
        let mut endless = vec![false; spans.len()];
        let (mut at, mut line_end) = (0, 0);
        while let Some(char) = text[at..].chars().next() {
            let Some(number) = spans.iter().position(|span| text[at..].starts_with(span.open)) else {
                source.code.push(char);
                at += char.len_utf8();
                continue;
            };
            let span = &spans[number];
            let inner = at + span.open.len();
            // Each line is scanned once, however many quotes it has.
            if inner > line_end || at == 0 {
                line_end = text[inner..].find('\n').map_or(text.len(), |length| inner + length);
            }
            let limit = if span.is_long && !endless[number] { text.len() } else { line_end };
            let end = span.end(&text[..limit], inner);
            endless[number] |= span.is_long && end.is_none();
            // An unterminated quote, as in text between two tags, hides at most the line.
            let end = end.unwrap_or(line_end);
            if span.is_comment {
                source.comments.push(inner..end);
            }
            source.blank_out(at..end);
            at = end;
        }
        source
    }

    fn blank_out(&mut self, range: Range<usize>) {
        let blanks = self.text[range].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        self.code.extend(blanks);
    }
}

impl Span {
    /// Returns the end of a span that begins before `start`.
    fn end(&self, text: &str, start: usize) -> Option<usize> {
        let mut chars = text[start..].char_indices();
        while let Some((at, char)) = chars.next() {
            if text[start + at..].starts_with(self.close) {
                return Some(start + at + self.close.len());
            }
            if self.escapes && char == '\\' {
                chars.next();
            }
        }
        None
    }
}

/// Returns the positions of these words in a text. They must be whole words; the last one may continue if a `…` follows
/// it.
pub(crate) fn anywhere<'t>(text: &'t str, words: &'static str) -> impl Iterator<Item = Range<usize>> + 't {
    reads!(text.len());
    let first = words.split([' ', '…']).next().unwrap_or(words);
    text.match_indices(first).filter_map(move |(start, _)| {
        let is_within_word = first.starts_with(is_of_word) && text[..start].ends_with(is_of_word);
        let rest = after_words(&text[start..], words, u8::eq)?;
        (!is_within_word).then_some(start..text.len() - rest.len())
    })
}

/// Returns the text after these words, if the text begins with them as whole words.
pub(crate) fn after_words<'t>(text: &'t str, words: &str, is_same: impl Fn(&u8, &u8) -> bool) -> Option<&'t str> {
    let (words, may_go_on) = match words.strip_suffix('…') {
        Some(words) => (words, true),
        None => (words, false),
    };
    let mut rest = text;
    for (number, word) in words.split(' ').enumerate() {
        if number > 0 {
            rest = rest.trim_start_matches([' ', '\t']);
        }
        let (start, behind) = rest.split_at_checked(word.len())?;
        if !start.bytes().zip(word.bytes()).all(|(one, other)| is_same(&one, &other)) {
            return None;
        }
        rest = behind;
    }
    let goes_on = |char: char| is_of_word(char) || char == '-';
    let is_longer = words.ends_with(is_of_word) && rest.starts_with(goes_on);
    (may_go_on || !is_longer).then_some(rest)
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub(crate) static READ: Cell<usize> = const { Cell::new(0) };
    }

    fn spans() -> [Span; 5] {
        ["line //", "block /* */", "verbatim r\" \"", "long `", "string \""].map(Span::parse)
    }

    #[test]
    fn comments_and_strings_are_blanks_in_the_code() {
        for (text, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b\n */ c", "a     \n    c"),
            ("a \"// b\" c", "a        c"),
            (r#"a "\"b" c"#, "a       c"),
            (r#"a r"\" c"#, "a      c"),
            ("a `ä\n\"` c", "a    \n   c"),
            ("a 'ä' c", "a 'ä' c"),
        ] {
            let source = SourceText::new(text, &spans());
            assert_eq!(source.code, code);
            assert_eq!(source.code.len(), text.len());
        }
    }

    #[test]
    fn comments_are_without_what_opens_them() {
        let comments = |text: &'static str| -> Vec<&str> {
            let source = SourceText::new(text, &spans());
            source.comments.into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(comments("a // b // c\n//d"), [" b // c", "d"]);
        assert_eq!(comments("/* a // b\n */ // c"), [" a // b\n */", " c"]);
        assert!(comments("\"// a\" `\n// b\n`").is_empty());
    }

    #[test]
    fn what_nothing_ends_is_over_with_its_line() {
        for text in ["a \" b\n// c", "a /* b\n// c", "a ` b\n// c", "a \"\\\n// c"] {
            let source = SourceText::new(text, &spans());
            let expected = Some(" c");
            assert_eq!(source.comments.last().map(|range| &text[range.clone()]), expected, "{text}");
        }
        let many = "/*\n".repeat(100_000);
        assert_eq!(SourceText::new(&many, &spans()).comments.len(), 100_000);
    }
}
