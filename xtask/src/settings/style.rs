//! The style of a file, so that hookkit's additions look like the rest.

use std::io;
use std::ops::Range;

use anyhow::Result;
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::settings::document::Document;
use crate::settings::value::{List, Member, Object, Value};

/// Bytes to insert at a position.
pub(crate) struct Insertion {
    pub(super) at: usize,
    pub(super) text: String,
    /// Offset of a comma, if there is a comment between the comma and the text.
    pub(super) comma_at: Option<usize>,
}

/// An object or a list, with the positions of its members or elements.
pub(crate) struct Container {
    pub(super) range: Range<usize>,
    pub(super) elements: Vec<Range<usize>>,
}

impl Document {
    /// Returns an insertion of `items` at the end of a container, in the style of the text around it.
    pub(crate) fn append(&self, container: &Container, items: &[impl Item]) -> Result<Insertion> {
        let Range { start, end } = container.range.clone();
        let last = container.elements.last();
        let after_last = last.map_or(start + 1, |last| last.end);
        let is_comma = |range: &&Range<usize>| {
            self.text[range.start..].starts_with(',') && after_last <= range.start && range.end < end
        };
        let trailing_comma = self.leniencies.iter().find(is_comma);
        let after_comma = trailing_comma.map_or(after_last, |comma| comma.end);
        // A comment on the same line belongs to the text before it.
        let mut at = after_comma;
        for comment in self.comments(after_comma..end) {
            if self.text[at..comment.start].trim_matches([' ', '\t']).is_empty() {
                at = comment.end;
            }
        }
        let needs_comma = last.is_some() && trailing_comma.is_none();
        let is_apart = needs_comma && at != after_last;
        let insertion = |text: String| Insertion { at, text, comma_at: is_apart.then_some(after_last) };
        let comma = if needs_comma && !is_apart { "," } else { "" };
        // If the last element has a trailing comma, ours gets one, too.
        let end_comma = trailing_comma.map_or("", |_| ",");

        let root = self.root.range.clone();
        let is_one_line = |range: &Range<usize>| !self.text[range.clone()].contains(['\n', '\r']);
        if last.is_some() && is_one_line(&container.range) || is_one_line(&root) && !self.root.members.is_empty() {
            let sample = if last.is_some() { &container.range } else { &root };
            let style = Inline::like(&self.text[sample.clone()]);
            let items = items.iter().map(|item| item.inline(style)).collect::<Result<Vec<_>>>()?;
            let separator = if style.after_comma { ", " } else { "," };
            let blank = match last {
                Some(_) if style.after_comma || comma.is_empty() => " ",
                _ => "",
            };
            return Ok(insertion(format!("{comma}{blank}{}{end_comma}", items.join(separator))));
        }

        let newline = self.newline(at);
        let outer = self.indentation(start);
        let child = last.filter(|last| self.is_first_on_its_line(last.start)).map(|last| self.indentation(last.start));
        let unit = child
            .and_then(|child| child.strip_prefix(outer))
            .filter(|unit| !unit.is_empty())
            .unwrap_or_else(|| self.indentation_unit());
        let indentation = child.map_or_else(|| format!("{outer}{unit}"), str::to_owned);
        let lead = format!("{newline}{indentation}");
        // A neighbor of the same kind that is on one line. Members of the root have different kinds.
        let is_model = |last: &&Range<usize>| {
            container.range != root && is_one_line(last) && self.text[(*last).clone()].contains('{')
        };
        let model = last.filter(is_model);
        let items = items
            .iter()
            .map(|item| match model {
                Some(model) => item.inline(Inline::like(&self.text[model.clone()])),
                None => Ok(item.block(unit)?.replace('\n', &lead)),
            })
            .collect::<Result<Vec<_>>>()?
            .join(&format!(",{lead}"));
        let is_open = self.text[at..end - 1].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        Ok(insertion(if last.is_some() || is_open {
            format!("{comma}{lead}{items}{end_comma}")
        } else {
            format!("{lead}{items}{newline}{outer}")
        }))
    }

    /// Returns the line ending of neighboring lines.
    fn newline(&self, at: usize) -> &'static str {
        let found = self.text[..at].rfind('\n').or_else(|| self.text[at..].find('\n').map(|length| at + length));
        match found {
            Some(found) if self.text[..found].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// Returns the whitespace at the start of this position's line.
    fn indentation(&self, at: usize) -> &str {
        let line = self.line_start(at);
        let length = self.text[line..].len() - self.text[line..].trim_start_matches([' ', '\t']).len();
        &self.text[line..(line + length).min(at)]
    }

    fn is_first_on_its_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].trim_matches([' ', '\t']).is_empty()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Returns one level of the file's indentation.
    fn indentation_unit(&self) -> &str {
        let outer = self.indentation(self.root.range.start);
        let unit = self
            .root
            .members
            .iter()
            .map(|member| member.name_range.start)
            .find(|&start| self.is_first_on_its_line(start))
            .and_then(|start| self.indentation(start).strip_prefix(outer));
        unit.filter(|unit| !unit.is_empty()).unwrap_or("  ")
    }
}

/// An item that a container can have.
pub(crate) trait Item {
    /// Writes the item on one line.
    fn inline(&self, style: Inline) -> Result<String>;
    /// Writes the item on several lines. The first line is not indented.
    fn block(&self, unit: &str) -> Result<String>;
}

/// An element of a list.
impl<T: Serialize> Item for &T {
    fn inline(&self, style: Inline) -> Result<String> {
        written(self, style)
    }

    fn block(&self, unit: &str) -> Result<String> {
        written(self, PrettyFormatter::with_indent(unit.as_bytes()))
    }
}

/// A member of an object: a key and a value.
pub(crate) struct Keyed<'m, V>(pub(super) &'m str, pub(super) &'m V);

impl<V: Serialize> Item for Keyed<'_, V> {
    fn inline(&self, style: Inline) -> Result<String> {
        let colon = if style.after_colon { ": " } else { ":" };
        Ok(format!("{}{colon}{}", serde_json::to_string(self.0)?, self.1.inline(style)?))
    }

    fn block(&self, unit: &str) -> Result<String> {
        Ok(format!("{}: {}", serde_json::to_string(self.0)?, (&self.1).block(unit)?))
    }
}

fn written(value: &impl Serialize, formatter: impl Formatter) -> Result<String> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, formatter))?;
    Ok(String::from_utf8(text)?)
}

/// The whitespace in a container on one line.
#[derive(Clone, Copy)]
pub(crate) struct Inline {
    after_colon: bool,
    after_comma: bool,
    in_braces: bool,
}

impl Inline {
    fn like(sample: &str) -> Self {
        let after_colon = sample.contains("\": ") || !sample.contains("\":");
        Self {
            after_colon,
            after_comma: sample.contains(", ") || after_colon && !sample.contains(','),
            in_braces: sample.contains("{ "),
        }
    }
}

impl Formatter for Inline {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        match (first, self.after_comma) {
            (true, _) => Ok(()),
            (false, true) => writer.write_all(b", "),
            (false, false) => writer.write_all(b","),
        }
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first && self.in_braces {
            return writer.write_all(b" ");
        }
        self.begin_array_value(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.after_colon { b": " } else { b":" })
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.in_braces { b" }" } else { b"}" })
    }
}

pub(crate) fn object(object: &Object) -> Container {
    Container { range: object.range.clone(), elements: object.members.iter().map(Member::range).collect() }
}

pub(crate) fn list(list: &List) -> Container {
    Container { range: list.range.clone(), elements: list.elements.iter().map(Value::range).collect() }
}
