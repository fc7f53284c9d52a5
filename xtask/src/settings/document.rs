//! A parsed settings file in which every value has its position.

use std::borrow::Cow;
use std::ops::Range;

use hookkit_protocol::agents::Form;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use toml_edit::TomlError;

use crate::agents::script;
use crate::settings::code::reading;
use crate::settings::finding::{Finding, Ignored, Refusal};
use crate::settings::position::{BYTE_ORDER_MARK, Position};
use crate::settings::toml;
use crate::settings::value::{List, Object, Value};

/// Decodes bytes as text.
pub(crate) fn decoded(bytes: &[u8]) -> Result<&str, Refusal> {
    std::str::from_utf8(bytes).map_err(|err| {
        let before = String::from_utf8_lossy(&bytes[..err.valid_up_to()]);
        refused(reading::not_utf_8(), &before, before.len())
    })
}

/// Returns a finding that makes the client ignore the whole file, with its position.
fn refused(finding: Finding, text: &str, at: usize) -> Refusal {
    Box::new(Finding { does: String::new(), ignored: Ignored::File, place: Some(Position::of(text, at)), ..finding })
}

/// The bytes of a text in which comments and trailing commas are overwritten for the parser. All positions are
/// unchanged.
pub(crate) struct Masked<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    leniencies: Vec<Range<usize>>,
    /// The first syntax that the parser accepts but is neither JSON nor JSON with comments.
    fault: Option<(usize, &'static str)>,
}

impl<'a> Masked<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut masked = Self { original: text, text: Cow::Borrowed(text), leniencies: Vec::new(), fault: None };
        let bytes = text.as_bytes();
        let mut at = 0;
        if text.starts_with(BYTE_ORDER_MARK) {
            at = BYTE_ORDER_MARK.len_utf8();
            masked.text.to_mut().replace_range(..at, "   ");
        }
        // A comma followed by only whitespace and comments so far.
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
                    masked.leniencies.push(at..end);
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
                b'}' | b']' => masked.leniencies.extend(comma.take().map(|comma| comma..comma + 1)),
                b' ' | b'\t' | b'\r' | b'\n' | b'/' => {}
                _ => comma = None,
            }
        }
        masked
    }

    /// Skips a string, and overwrites lone surrogates: the client reads them, but the parser does not.
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
                    self.fault.get_or_insert((at, "unescaped control character (a line break, a tab …) in a string"));
                    at += 1;
                }
                _ => at += 1,
            }
        }
        // The string is unterminated: the parser will report it.
        bytes.len()
    }

    /// Returns the last byte before a position that is neither whitespace nor in a comment.
    pub(crate) fn last_before(&self, at: usize) -> Option<usize> {
        let mut end = at;
        loop {
            end = self.original[..end].trim_end_matches([' ', '\t', '\r', '\n']).len();
            let mut comments = comments(self.original, &self.leniencies);
            match comments.find(|comment| comment.start < end && end <= comment.end) {
                Some(comment) => end = comment.start,
                None => return self.original[..end].char_indices().next_back().map(|(at, _)| at),
            }
        }
    }

    /// Parses the text as JSON with comments and trailing commas, and no other extensions.
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
                    return Err(refused(reading::not_json(what), original, fault));
                }
                if matches!(err.kind(), ParseErrorKind::NestingDepthExceeded) {
                    return Err(refused(reading::nested_too_deep(), original, at));
                }
                let mut what = err.kind().to_string();
                what[..1].make_ascii_lowercase();
                return Err(refusal(original, at, &what));
            }
        };
        let Some(root) = parsed else {
            return Err(refused(reading::empty_file(), original, 0));
        };
        if let Some((at, what)) = self.fault {
            return Err(refused(reading::not_json(what), original, at));
        }
        let ast::Value::Object(root) = root else {
            return Err(refused(reading::not_an_object(), original, root.start()));
        };
        let (text, leniencies) = (original.to_owned(), self.leniencies.clone());
        Ok(Document { text, form: Form::default(), leniencies, root: Object::of(root) })
    }
}

/// Returns the comments among a text's leniencies.
fn comments<'l>(text: &str, leniencies: &'l [Range<usize>]) -> impl Iterator<Item = &'l Range<usize>> {
    leniencies.iter().filter(|range| text[range.start..].starts_with('/'))
}

/// Returns the surrogate in an escape at this position.
fn surrogate(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

/// Returns the reason why the parser rejects a text, with the fix.
fn refusal(text: &str, at: usize, what: &str) -> Refusal {
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let is_mark = marks.iter().any(|mark| line.starts_with(mark));
        if is_mark && text.contains("<<<<<<<") {
            return refused(reading::merge_conflict(), text, line_start);
        }
        line_start += line.len();
    }
    let template = ["{{", "{%", "<%"].iter().filter_map(|mark| find_outside_strings(text, mark)).min();
    match template {
        Some(template) => refused(reading::unrendered_template(), text, template),
        None => refused(reading::not_json(what), text, at),
    }
}

/// Finds a text outside of strings on one line, because braces are common in commands.
fn find_outside_strings(text: &str, mark: &str) -> Option<usize> {
    let (mut at, mut is_in_string) = (0, false);
    while let Some(char) = text[at..].chars().next() {
        let next = at + char.len_utf8();
        match char {
            _ if !is_in_string && text[at..].starts_with(mark) => return Some(at),
            '\n' => is_in_string = false,
            '"' => is_in_string = !is_in_string,
            '\\' if text[next..].starts_with(['\\', '"']) => at += 1,
            _ => {}
        }
        at += char.len_utf8();
    }
    None
}

/// An editable text: a JSON object with comments and trailing commas, or TOML. It is parsed once; TOML tables are
/// parsed again when they are removed.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(super) text: String,
    pub(crate) form: Form,
    /// Syntax that the parser accepts although it is not JSON: comments and trailing commas, in order.
    pub(super) leniencies: Vec<Range<usize>>,
    pub(crate) root: Object,
}

impl Document {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be parsed. Claude Code then ignores the file, too.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        Masked::new(text).parse()
    }

    /// Parses a text in an agent's format.
    ///
    /// # Errors
    ///
    /// Fails if the text cannot be parsed.
    pub(crate) fn of(form: Form, text: &str) -> Result<Self, Refusal> {
        let refused = |what: &str, at| refused(reading::not_readable(what), text, at);
        let owned = text.to_owned();
        match form {
            Form::Json | Form::JsonWithComments => Self::parse(text),
            Form::Toml => {
                let of_toml = |err: TomlError| refused(err.message(), err.span().map_or(0, |span| span.start));
                let root = toml::root(text).map_err(of_toml)?;
                Ok(Self { text: owned, form, leniencies: Vec::new(), root })
            }
            Form::Script => {
                let Range { start, end } = script::hooks(text).map_err(|(why, _)| refused(why, 0))?;
                // All positions refer to the whole text.
                let hooks = " ".repeat(start) + &text[start..end] + &" ".repeat(text.len() - end);
                Ok(Self { text: owned, form, ..Self::parse(&hooks)? })
            }
        }
    }

    /// Returns the text with the code around a script's hooks updated to this version of hookkit.
    pub(crate) fn renewed(&self) -> Result<Self, Refusal> {
        match script::renewed(&self.text).filter(|_| self.form == Form::Script) {
            Some(text) => Self::of(self.form, &text),
            None => Ok(self.clone()),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns `true` if the text is a plain JSON object without members, or empty TOML.
    pub(crate) fn is_bare(&self) -> bool {
        if self.form == Form::Toml {
            return self.text.trim().is_empty();
        }
        self.root.members.is_empty() && self.leniencies.is_empty() && !self.text.starts_with(BYTE_ORDER_MARK)
    }

    /// Returns the parts of the text that JSON does not allow, in order.
    pub(crate) fn beyond_json(&self) -> impl Iterator<Item = &str> {
        self.leniencies.iter().map(|range| &self.text[range.clone()])
    }

    fn refuse(&self, finding: Finding, at: usize) -> Refusal {
        refused(finding, &self.text, at)
    }

    /// Returns the member with this name. Two members with the same name are an error.
    pub(crate) fn member<'v>(&self, object: &'v Object, name: &str) -> Result<Option<&'v Value>, Refusal> {
        let mut found = object.members.iter().filter(|member| member.name == name);
        let first = found.next();
        if let Some(second) = found.next() {
            return Err(self.refuse(reading::defined_twice(name), second.name_range.start));
        }
        Ok(first.map(|member| &member.value))
    }

    /// Returns the value of `hooks`, if there is one.
    pub(crate) fn hooks(&self) -> Result<Option<&Object>, Refusal> {
        let Some(hooks) = self.member(&self.root, "hooks")? else {
            return Ok(None);
        };
        let object = hooks.as_object();
        let finding = match self.form {
            Form::Toml => reading::hooks_should_be_tables,
            _ => reading::hooks_should_be_object,
        };
        let refusal = || self.refuse(finding(), hooks.range().start);
        object.map(Some).ok_or_else(refusal)
    }

    /// Returns the groups of an event, if there are any.
    pub(crate) fn groups<'v>(&self, hooks: &'v Object, event: &str) -> Result<Option<&'v List>, Refusal> {
        let Some(groups) = self.member(hooks, event)? else {
            return Ok(None);
        };
        let refusal = || self.refuse(reading::event_should_be_list(event), groups.range().start);
        groups.as_list().map(Some).ok_or_else(refusal)
    }

    /// Returns the comments in a range, in order.
    pub(crate) fn comments(&self, within: Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        let is_within = move |range: &&Range<usize>| within.start <= range.start && range.end <= within.end;
        comments(&self.text, &self.leniencies).filter(is_within)
    }
}
