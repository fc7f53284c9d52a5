//! Shows findings like a compiler: the position, the line with a caret below it, the effect, and the fix.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use hookkit_protocol::escape::{LineEnds, escape};

use crate::settings::finding::{Finding, Severity};
use crate::settings::position::Position;
use crate::terminal::style::{BOLD, DIMMED, ERROR, GOOD, NOTE, PLAIN, WARNING};
use crate::terminal::text::{Text, advised};
use crate::terminal::width::{beginning, end, width};
use crate::terminal::{self, cut};

/// A finding in a file's text.
pub(crate) struct Report<'r> {
    pub(crate) finding: &'r Finding,
    /// Additional facts.
    pub(crate) notes: Vec<String>,
    /// The file's text, if it was read.
    pub(crate) text: Option<&'r str>,
    /// Positions in the text, in order: the finding's own, and those of similar findings.
    pub(crate) places: Vec<Position>,
}

/// Maximum number of columns for a source line, if the screen's width cannot be determined.
const LONGEST_LINE: usize = 120;

/// Number of columns before the second and later lines of a title.
const TITLE_INDENT: usize = 4;

/// Maximum number of lines to show for one finding.
pub(crate) const SHOWN: usize = 4;

/// Maximum number of further positions to list for one finding.
const LISTED: usize = 8;

/// Maximum length of a message, because it can contain a command from a file.
const LONGEST: usize = 600;

impl Report<'_> {
    /// Returns the report, for a screen with this number of columns.
    pub(crate) fn render(&self, columns: Option<usize>) -> Text {
        let Finding { what, does, fix, .. } = self.finding;
        let lines = self.lines();
        let (shown, more): (Vec<_>, Vec<_>) = self.places.iter().partition(|place| {
            let line = lines.get(&place.line);
            line.is_some_and(|line| line.column == place.column)
        });
        let last = lines.keys().next_back().copied();
        let gutter = last.map_or(0, |last| last.to_string().len());
        let room = columns.unwrap_or(LONGEST_LINE).saturating_sub(gutter + 3);
        let source = Excerpt::new(&lines, room);

        let message =
            |text: &str, prefix: usize| wrapped(&advised(text), columns.map(|columns| columns.saturating_sub(prefix)));
        let (level, word) = match self.finding.severity {
            Severity::Error => (Level::ERROR, "error"),
            Severity::Warning => (Level::WARNING, "warning"),
            Severity::Note => (Level::NOTE, "note"),
        };
        // The renderer would align the title's continuation lines with its head, which is long.
        let code = self.finding.code.name;
        let head = format!("{word}[{code}]: ");
        let title = message(&format!("{head}{what}"), TITLE_INDENT);
        let mut title = title.lines();
        let first = title.next().and_then(|first| first.get(head.len()..));
        let first = level.primary_title(first.unwrap_or_default());
        let mut group = Group::with_title(first.id(code));

        let label = wrapped(does, None);
        let end = source.carets.first().map(|caret| caret.column + 1 + width(&label));
        let has_label = end.is_some_and(|end| columns.is_none() || end <= room);
        if let Some(first) = source.first {
            let mut carets = source.carets.iter();
            let labelled = carets.next().map(|caret| {
                let caret = AnnotationKind::Primary.span(caret.bytes.clone());
                caret.label((has_label && !label.is_empty()).then_some(&*label))
            });
            let others = carets.map(|caret| AnnotationKind::Primary.span(caret.bytes.clone()));
            let snippet = Snippet::source(&source.text).line_start(first).fold(true);
            group = group.element(snippet.annotations(labelled.into_iter().chain(others)));
        }
        let indent = gutter + " = note: ".len();
        if !has_label && !does.is_empty() {
            group = group.element(Level::NOTE.message(message(does, indent)));
        }
        let also = also_at(&more, shown.is_empty());
        for note in self.notes.iter().map(String::as_str).chain(also.as_deref()) {
            group = group.element(Level::NOTE.message(message(note, indent)));
        }
        if !fix.is_empty() {
            group = group.element(Level::HELP.message(message(fix, indent)));
        }
        let rendered = RENDERER.render(&[group]);

        // The renderer would count columns in the displayed line, which is cut and escaped.
        let mut shown = Text::new();
        let mut text = String::new();
        for (index, line) in rendered.lines().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
            if index > 0 {
                continue;
            }
            for line in title.by_ref() {
                let _ = writeln!(text, "{:TITLE_INDENT$}{BOLD}{line}{BOLD:#}", "");
            }
            if let Some(file) = self.finding.file.as_deref().map(terminal::shown) {
                let place = self.places.first();
                let place = place.map_or_else(String::new, |place| format!(":{}:{}", place.line, place.column));
                let arrow = format_args!("{DIMMED}-->{DIMMED:#}");
                let _ = writeln!(text, "{:gutter$}{arrow} {file}{place}", "");
            }
        }
        shown.rendered(text);
        shown
    }

    /// Returns the lines to show, by number.
    fn lines(&self) -> BTreeMap<usize, Line<'_>> {
        let mut lines = BTreeMap::new();
        let Some(text) = self.text else {
            return lines;
        };
        let mut places = self.places.iter().peekable();
        let mut previous = "";
        for (number, line) in (1..).zip(text.lines()) {
            while places.next_if(|place| place.line < number).is_some() {}
            if places.peek().is_none() || lines.len() == SHOWN {
                break;
            }
            if let Some(place) = places.next_if(|place| place.line == number) {
                let line = line.trim_start_matches('\u{feff}');
                let line = Line { text: line, column: place.column, previous };
                lines.insert(number, line);
            }
            previous = line;
        }
        lines
    }
}

/// Returns a note about the finding's other positions.
fn also_at(places: &[&Position], is_all: bool) -> Option<String> {
    // The first is reported as the finding's own.
    let places = if is_all { places.get(1..)? } else { places };
    let (listed, left) = places.split_at(places.len().min(LISTED));
    let listed: Vec<String> = listed.iter().map(|place| format!("{}:{}", place.line, place.column)).collect();
    let left = match left.len() {
        0 => String::new(),
        left => format!(", and {left} more like those"),
    };
    (!listed.is_empty()).then(|| format!("also at {}{left}", listed.join(", ")))
}

const RENDERER: Renderer = Renderer::styled()
    // Lines are cut before: a renderer of lines without end would read all of one.
    .term_width(100_000)
    .error(ERROR)
    .warning(WARNING)
    .note(NOTE)
    .help(GOOD)
    .line_num(DIMMED)
    .emphasis(BOLD)
    .context(NOTE)
    .none(PLAIN);

/// Wraps another person's text to this width, without its line ends and escapes.
fn wrapped(text: &str, columns: Option<usize>) -> String {
    let mut words = Text::new();
    words.plain(escape(&cut(text, LONGEST), LineEnds::Blank));
    words.render(columns)
}

/// A line of a file, with a column.
struct Line<'t> {
    text: &'t str,
    column: usize,
    /// The previous line.
    previous: &'t str,
}

/// Lines in displayed form.
#[derive(Default)]
struct Excerpt {
    /// The number of the first line.
    first: Option<usize>,
    text: String,
    carets: Vec<Caret>,
}

struct Caret {
    bytes: Range<usize>,
    /// The column after the position.
    column: usize,
}

impl Excerpt {
    fn new(lines: &BTreeMap<usize, Line<'_>>, room: usize) -> Self {
        let mut source = Self::default();
        let mut at = None;
        for (number, line) in lines {
            source.first.get_or_insert(*number);
            // A single line between two is shown; several are left out, so they are empty here.
            let lines = at.map_or(0, |at| number - at);
            source.text.extend(std::iter::repeat_n('\n', lines));
            if lines == 2 {
                source.text.pop();
                let end = line.previous.char_indices().nth(room + 1);
                let previous = &line.previous[..end.map_or(line.previous.len(), |(end, _)| end)];
                source.text += &shortened(&shown(previous), room);
                source.text.push('\n');
            }
            at = Some(*number);
            let (text, bytes) = line.cut(room);
            let offset = source.text.len();
            source
                .carets
                .push(Caret { column: width(&text[..bytes.end]), bytes: offset + bytes.start..offset + bytes.end });
            source.text += &text;
        }
        source
    }
}

impl Line<'_> {
    /// Returns the part of the line to show, and the position's range in it.
    fn cut(&self, room: usize) -> (String, Range<usize>) {
        let at = self.text.char_indices().nth(self.column.saturating_sub(1));
        let at = at.map_or(self.text.len(), |(at, _)| at);
        let (before, rest) = self.text.split_at(at);
        let (place, after) = rest.split_at(word(rest));
        // As much as might fit: a line can be a file of megabytes.
        let begins = |text: &str| {
            let end = text.char_indices().nth(room + 1).map_or(text.len(), |(end, _)| end);
            shown(&text[..end])
        };
        let begin = before.char_indices().rev().nth(room).map_or(0, |(begin, _)| begin);
        let (before, place, after) = (shown(&before[begin..]), begins(place), begins(after));
        if begin == 0 && width(&before) + width(&place) + width(&after) <= room {
            let bytes = before.len()..before.len() + place.len();
            return (before + &place + &after, bytes);
        }
        let place = shortened(&place, room / 2);
        let left = room.saturating_sub(width(&place));
        // Each side gets the space that the other does not need.
        let for_before = left - width(&after).min(left / 2);
        let before = if begin == 0 && width(&before) <= for_before {
            before
        } else {
            format!("…{}", end(&before, for_before.saturating_sub(1)))
        };
        let after = shortened(&after, left.saturating_sub(width(&before)));
        let bytes = before.len()..before.len() + place.len();
        (before + &place + &after, bytes)
    }
}

/// Returns part of a line without anything that a terminal would interpret.
fn shown(text: &str) -> String {
    escape(text, LineEnds::Blank).replace('\t', "    ")
}

fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns { text.to_owned() } else { format!("{}…", beginning(text, columns.saturating_sub(1))) }
}

/// Returns the length of the word at the start of a text: a string, a number, a name, or a single character.
fn word(text: &str) -> usize {
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, '"')) => {
            let mut is_escaped = false;
            let end = chars.find(|(_, char)| {
                let is_end = *char == '"' && !is_escaped;
                is_escaped = *char == '\\' && !is_escaped;
                is_end
            });
            end.map_or(1, |(end, _)| end + 1)
        }
        Some((_, first)) => {
            let is_of_word = |char: char| char.is_alphanumeric() || "_-+.".contains(char);
            let end = text.char_indices().find(|(_, char)| !is_of_word(*char));
            end.map_or(text.len(), |(end, _)| end.max(first.len_utf8()))
        }
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::code::reading;

    const TEXT: &str = "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"comand\"}]}],\n    // one\n\n\n\n    // two\n  }\n}\n";

    fn finding() -> Finding {
        Finding {
            severity: Severity::Error,
            what: "there is no type `comand` of a hook".to_owned(),
            does: "Claude Code ignores this hook".to_owned(),
            fix: "write `command`".to_owned(),
            file: Some(".claude/settings.json".into()),
            ..reading::unknown_hook_type()
        }
    }

    fn report<'r>(finding: &'r Finding, text: Option<&'r str>, places: &[(usize, usize)]) -> Report<'r> {
        let places = places.iter().map(|(line, column)| Position { line: *line, column: *column });
        Report { finding, notes: Vec::new(), text, places: places.collect() }
    }

    /// Shows a finding with its line, effect and fix; a note whose effect does not fit under the line; a finding with
    /// many positions; and two without a position.
    #[test]
    fn findings_are_shown_with_their_lines() {
        let many = [vec![(4, 5), (8, 5)], (10..30).map(|line| (line, 1)).collect()].concat();
        let comments =
            Finding { what: "JSON has no comments".to_owned(), does: String::new(), fix: String::new(), ..finding() };
        let finding = finding();
        let first = report(&finding, Some(TEXT), &[(3, 34)]);
        let narrow = anstream::adapter::strip_str(&first.render(Some(45)).render(None)).to_string();
        let alike = report(&comments, Some(TEXT), &many);
        let bare = report(&finding, None, &[]);
        let beyond = report(&finding, Some(TEXT), &[(99, 9)]);
        let [first, alike, bare, beyond] = [first, alike, bare, beyond].map(|report| report.render(None).unstyled());
        let expected = include_str!("../../lines/shown-findings.txt");
        assert_eq!([first, narrow, alike, bare, beyond].join("\n"), expected);
        let behind = report(&finding, Some(TEXT), &[(1, 9)]).render(None).unstyled();
        assert!(behind.contains("1 | {\n  |  ^ Claude"), "{behind}");
    }

    #[test]
    fn of_a_line_without_end_there_is_the_place_and_what_is_around_it() {
        let finding = finding();
        for (before, after) in [(0, 0), (100_000, 0), (0, 100_000), (100_000, 100_000), (3, 60)] {
            let text = format!("{}\"comand\"{}", "x ".repeat(before), " y".repeat(after));
            for columns in [None, Some(40), Some(80), Some(140)] {
                let report = report(&finding, Some(&text), &[(1, 2 * before + 1)]);
                let shown = anstream::adapter::strip_str(&report.render(columns).render(None)).to_string();
                assert!(shown.contains("\"comand\"") && shown.contains("^^^^^^^^"), "{shown}");
                let widest = shown.lines().map(width).max().unwrap_or_default();
                assert!(widest <= columns.unwrap_or(LONGEST_LINE + 40), "{columns:?}: {shown}");
            }
        }
        let text = format!("\"{}", "é".repeat(100_000));
        let report = report(&finding, Some(&text), &[(1, 1)]);
        assert!(report.render(None).render(None).len() < 2_000);
    }

    #[test]
    fn severities_have_colours_and_what_others_wrote_has_none() {
        let hostile = "\u{1b}[31m\u{7}\u{202e}\tx";
        let text = format!("{hostile} \"{hostile}\" {hostile}");
        for (severity, head) in [
            (Severity::Error, "\u{1b}[1m\u{1b}[31merror[unknown-hook-type]\u{1b}[0m"),
            (Severity::Warning, "\u{1b}[33mwarning[unknown-hook-type]\u{1b}[0m"),
            (Severity::Note, "\u{1b}[34mnote[unknown-hook-type]\u{1b}[0m"),
        ] {
            let finding = Finding {
                severity,
                what: hostile.to_owned(),
                does: hostile.to_owned(),
                fix: hostile.to_owned(),
                file: Some(hostile.into()),
                ..finding()
            };
            let notes = vec![hostile.to_owned()];
            let shown = Report { notes, ..report(&finding, Some(&text), &[(1, 9)]) }.render(None).render(None);
            assert!(shown.starts_with(head), "{shown:?}");
            assert!(!shown.contains(['\u{7}', '\u{202e}']), "{shown:?}");
            // The line has it three times.
            assert_eq!(shown.matches("\\u001b[31m").count(), 8, "{shown}");
        }
    }
}
