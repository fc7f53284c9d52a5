//! A settings file's text, parsed so that every value knows where it is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
#[cfg(test)]
use std::panic::Location;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::settings::code::Code;
use crate::settings::value::{List, Object, Value};

/// A place in a text, as an editor counts: from one, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    pub(crate) fn of(text: &str, at: usize) -> Self {
        Self::START.behind(&text[..at])
    }

    /// Returns that of the end of a text that begins here.
    pub(crate) fn behind(self, text: &str) -> Self {
        // An editor does not show the byte order mark.
        let columns = |line: &str| line.trim_start_matches(BYTE_ORDER_MARK).chars().count();
        match text.rfind('\n') {
            Some(newline) => Self {
                line: self.line + text.matches('\n').count(),
                column: 1 + columns(&text[newline + 1..]),
            },
            None => Self {
                column: self.column + columns(text),
                ..self
            },
        }
    }
}

/// Positions in a text that are asked for one after the other.
///
/// From one to the next: of a long text every line would be counted for each of them.
pub(crate) struct Places<'t> {
    text: &'t str,
    at: usize,
    place: Position,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            place: Position::START,
        }
    }

    /// Returns that of a byte. It is quick behind the one that was asked for before.
    pub(crate) fn of(&mut self, at: usize) -> Position {
        self.place = match self.text.get(self.at..at) {
            Some(between) => self.place.behind(between),
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

/// A reason for leaving a text alone: it is unknown where our entries should go.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) place: Position,
    pub(crate) what: String,
    /// Fix for its author.
    pub(crate) fix: &'static str,
    /// The line of the rule, by which a test knows that each has a fix that works.
    #[cfg(test)]
    pub(crate) site: &'static Location<'static>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.what, self.fix)
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    #[cfg_attr(test, track_caller)]
    fn new(code: Code, (text, at): (&str, usize), what: impl Into<String>, fix: &'static str) -> Self {
        Self {
            code,
            place: Position::of(text, at),
            what: what.into(),
            fix,
            #[cfg(test)]
            site: Location::caller(),
        }
    }

    #[cfg_attr(test, track_caller)]
    fn no_json(text: &str, at: usize, what: &str) -> Self {
        let fix = "fix it manually; until then Claude Code ignores the whole file";
        Self::new(Code::NotJson, (text, at), format!("this is not JSON: {what}"), fix)
    }
}

/// Returns the text that bytes are.
pub(crate) fn decoded(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|err| {
        let before = String::from_utf8_lossy(&bytes[..err.valid_up_to()]);
        Refusal::new(
            Code::NotUtf8,
            (&before, before.len()),
            "this is not UTF-8",
            "save the file in that encoding",
        )
    })
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Syntax that our parser takes and JSON does not.
#[derive(Debug, Clone)]
pub(crate) struct Leniency {
    pub(crate) kind: LeniencyKind,
    pub(crate) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LeniencyKind {
    Comment,
    TrailingComma,
}

/// The bytes of a text, with what the parser must not see written over. All of it keeps its place.
pub(crate) struct Masked<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    leniencies: Vec<Leniency>,
    /// The first thing that neither JSON nor JSON with comments has, and that the parser accepts.
    fault: Option<(usize, &'static str)>,
}

impl<'a> Masked<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut masked = Self {
            original: text,
            text: Cow::Borrowed(text),
            leniencies: Vec::new(),
            fault: None,
        };
        let bytes = text.as_bytes();
        let mut at = 0;
        if text.starts_with(BYTE_ORDER_MARK) {
            at = BYTE_ORDER_MARK.len_utf8();
            masked.text.to_mut().replace_range(..at, "   ");
        }
        // A comma that nothing but blanks and comments follow so far.
        let mut comma = None;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            at = match byte {
                b'"' => masked.string(text, at),
                b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                    let length = match bytes[at + 1] {
                        b'/' => text[at..].find(['\n', '\r']),
                        _ => text[at + 2..].find("*/").map(|length| length + 4),
                    };
                    let end = length.map_or(text.len(), |length| at + length);
                    masked.leniencies.push(Leniency {
                        kind: LeniencyKind::Comment,
                        range: at..end,
                    });
                    end
                }
                0x0b | 0x0c => {
                    masked.fault.get_or_insert((at, "unescaped control character"));
                    at + 1
                }
                0x80.. => {
                    let char = text[at..].chars().next().unwrap_or(' ');
                    if char.is_whitespace() {
                        masked.fault.get_or_insert((at, "whitespace that JSON does not allow"));
                    }
                    at + char.len_utf8()
                }
                _ => at + 1,
            };
            match byte {
                b',' => comma = Some(start),
                b'}' | b']' => {
                    if let Some(comma) = comma.take() {
                        masked.leniencies.push(Leniency {
                            kind: LeniencyKind::TrailingComma,
                            range: comma..comma + 1,
                        });
                    }
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'/' => {}
                _ => comma = None,
            }
        }
        masked
    }

    /// Goes past a string, and writes over halves of surrogate pairs: the client reads them, our parser does not.
    fn string(&mut self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let mut at = start + 1;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => return at + 1,
                b'\\' => match surrogate(bytes, at) {
                    Some(0xd800..=0xdbff) if matches!(surrogate(bytes, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
                    Some(_) => {
                        self.text.to_mut().replace_range(at..at + 6, "\\ufffd");
                        at += 6;
                    }
                    None => at += 2,
                },
                ..0x20 => {
                    self.fault
                        .get_or_insert((at, "unescaped control character (a line break, a tab …) in a string"));
                    at += 1;
                }
                _ => at += 1,
            }
        }
        // It does not end: the parser will say so.
        bytes.len()
    }

    /// Returns the last byte before a position that is neither a blank nor in a comment.
    pub(crate) fn last_before(&self, at: usize) -> Option<usize> {
        let mut end = at;
        loop {
            end = self.original[..end].trim_end_matches([' ', '\t', '\r', '\n']).len();
            let comment = self
                .leniencies
                .iter()
                .find(|found| found.kind == LeniencyKind::Comment && found.range.start < end && end <= found.range.end);
            match comment {
                Some(comment) => end = comment.range.start,
                None => return self.original[..end].char_indices().next_back().map(|(at, _)| at),
            }
        }
    }

    /// Parses the text as JSON with comments and trailing commas, and nothing else that JSON has not.
    fn parse(&self) -> Result<Document, Refusal> {
        let original = self.original;
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = match parse_to_ast(&self.text, &CollectOptions::default(), &options) {
            Ok(parsed) => parsed.value,
            Err(err) => {
                let at = err.range().start;
                if let Some((fault, what)) = self.fault.filter(|(fault, _)| *fault < at) {
                    return Err(Refusal::no_json(original, fault, what));
                }
                if matches!(err.kind(), ParseErrorKind::NestingDepthExceeded) {
                    return Err(Refusal::new(
                        Code::NestedTooDeep,
                        (original, at),
                        "hookkit follows objects and lists in one another no deeper than this",
                        "put the hooks into another settings file",
                    ));
                }
                let mut what = err.kind().to_string();
                what[..1].make_ascii_lowercase();
                return Err(refusal(original, at, &what));
            }
        };
        let Some(root) = parsed else {
            return Err(Refusal::new(
                Code::EmptyFile,
                (original, 0),
                "the file is empty",
                "delete it, or write `{}`",
            ));
        };
        if let Some((at, what)) = self.fault {
            return Err(Refusal::no_json(original, at, what));
        }
        let ast::Value::Object(root) = root else {
            return Err(Refusal::new(
                Code::NotAnObject,
                (original, root.start()),
                "the settings should be an object",
                "wrap it in an object, `{ … }`",
            ));
        };
        Ok(Document {
            text: original.to_owned(),
            leniencies: self.leniencies.clone(),
            root: Object::of(root),
        })
    }
}

/// Returns the half of a surrogate pair that an escape here denotes.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

/// Says why the parser does not take a text, and what to do about it.
fn refusal(text: &str, at: usize, what: &str) -> Refusal {
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let is_mark = marks.iter().any(|mark| line.starts_with(mark));
        if is_mark && text.contains("<<<<<<<") {
            return Refusal::new(
                Code::MergeConflict,
                (text, line_start),
                "a merge left a conflict marker here",
                "resolve the conflict first",
            );
        }
        line_start += line.len();
    }
    let template = ["{{", "{%", "<%"]
        .iter()
        .filter_map(|mark| find_outside_strings(text, mark))
        .min();
    if let Some(template) = template {
        return Refusal::new(
            Code::UnrenderedTemplate,
            (text, template),
            "this is a template, not JSON",
            "check the generated file instead, and put the hooks into the template manually",
        );
    }
    Refusal::no_json(text, at, what)
}

/// Finds a mark, but not within what looks like a string on one line: many a command has braces.
fn find_outside_strings(text: &str, mark: &str) -> Option<usize> {
    let (mut at, mut is_in_string) = (0, false);
    while let Some(char) = text[at..].chars().next() {
        let behind = at + char.len_utf8();
        match char {
            _ if !is_in_string && text[at..].starts_with(mark) => return Some(at),
            '\n' => is_in_string = false,
            '"' => is_in_string = !is_in_string,
            '\\' if text[behind..].starts_with(['\\', '"']) => at += 1,
            _ => {}
        }
        at += char.len_utf8();
    }
    None
}

/// A text that can be edited: an object, in JSON but for comments and trailing commas. It is parsed once.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(super) text: String,
    pub(super) leniencies: Vec<Leniency>,
    pub(crate) root: Object,
}

impl Document {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// Fails where the text is nothing that we could look into. Claude Code drops such a file, too.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        Masked::new(text).parse()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text is an object without members, in plain JSON.
    pub(crate) fn is_bare(&self) -> bool {
        self.root.members.is_empty() && self.leniencies.is_empty() && !self.text.starts_with(BYTE_ORDER_MARK)
    }

    /// Returns what the text has and JSON has not, in order.
    pub(crate) fn beyond_json(&self) -> impl Iterator<Item = &str> {
        self.leniencies.iter().map(|found| &self.text[found.range.clone()])
    }

    #[cfg_attr(test, track_caller)]
    fn refuse(&self, code: Code, at: usize, what: String, fix: &'static str) -> Refusal {
        Refusal::new(code, (&self.text, at), what, fix)
    }

    /// Returns the member of this name, which must not be there twice.
    pub(crate) fn member<'v>(&self, object: &'v Object, name: &str) -> Result<Option<&'v Value>, Refusal> {
        let mut found = object.members.iter().filter(|member| member.name == name);
        let first = found.next();
        if let Some(second) = found.next() {
            let what = format!("`{name}` is defined twice, and Claude Code reads only the last one");
            return Err(self.refuse(Code::DuplicateKey, second.name_range.start, what, "merge the two"));
        }
        Ok(first.map(|member| &member.value))
    }

    /// Returns the value of `hooks`, if it is there.
    pub(crate) fn hooks(&self) -> Result<Option<&Object>, Refusal> {
        let Some(hooks) = self.member(&self.root, "hooks")? else {
            return Ok(None);
        };
        let fix = "Claude Code finds no hooks in it as it is; give it one list for each event";
        let what = "`hooks` should be an object";
        let refuse = || self.refuse(Code::HooksNotAnObject, hooks.range().start, what.to_owned(), fix);
        hooks.as_object().ok_or_else(refuse).map(Some)
    }

    /// Returns the groups of an event, if it is there.
    pub(crate) fn groups<'v>(&self, hooks: &'v Object, event: &str) -> Result<Option<&'v List>, Refusal> {
        let Some(groups) = self.member(hooks, event)? else {
            return Ok(None);
        };
        let what = format!("`hooks.{event}` should be a list");
        let fix = "until then Claude Code reads no hooks in it; wrap it in a list, `[ … ]`";
        let refuse = || self.refuse(Code::EventNotAList, groups.range().start, what, fix);
        groups.as_list().ok_or_else(refuse).map(Some)
    }

    /// Returns the comments in a range, in order.
    pub(crate) fn comments(&self, within: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        self.leniencies
            .iter()
            .filter(|found| found.kind == LeniencyKind::Comment)
            .map(|found| &found.range)
            .filter(move |range| within.start <= range.start && range.end <= within.end)
    }
}
