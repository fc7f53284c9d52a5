//! Values that are not decoded yet.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeOwned, DeserializeSeed, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::Error;
use super::de::Deserializer;
use super::members::members;
use super::text::plain;
use super::{string, unescape};

/// A JSON value that is kept as the client wrote it, and decoded on request.
///
/// Use it for values of unknown shape: the input of any tool, the answer of an MCP server.
/// Members keep their order, numbers their digits.
///
/// ```
/// use hookkit::Json;
///
/// let input = Json::parse(r#"{"command":"ls","timeout":1e3}"#).unwrap();
/// #[derive(serde::Deserialize)]
/// struct Command {
///     command: String,
/// }
/// assert_eq!(input.decode::<Command>().unwrap().command, "ls");
/// assert_eq!(input.text(), r#"{"command":"ls","timeout":1e3}"#);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Json(pub(super) Box<str>);

/// The struct name that requests a value's text from hookkit's deserializer.
pub(super) const TOKEN: &str = "$hookkit::text";

impl Json {
    /// Parses a value.
    ///
    /// # Errors
    ///
    /// Fails if the text is not one JSON value.
    pub fn parse(text: impl Into<Box<str>>) -> Result<Self, Error> {
        let text = text.into();
        let _: &serde_json::value::RawValue = serde_json::from_str(&text).map_err(Error::of)?;
        Ok(Self(text))
    }

    /// Serializes a value, for the members of an answer that can be any JSON.
    ///
    /// # Errors
    ///
    /// Fails if the value cannot be serialized, such as a map whose keys are not strings.
    pub fn encode(value: &impl Serialize) -> Result<Self, Error> {
        let text = serde_json::to_string(value).map_err(Error::of)?;
        Ok(Self(text.into()))
    }

    /// Creates a value from scanned text, which may have white space around it.
    #[doc(hidden)]
    pub fn scanned(text: &[u8]) -> Result<Self, Error> {
        match std::str::from_utf8(text.trim_ascii()) {
            Ok(text) => Ok(Self(text.into())),
            Err(err) => Err(super::not_utf8(&err)),
        }
    }

    /// Returns the value's text, as the client wrote it.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Decodes the value, as hookkit decodes a handler's arguments.
    ///
    /// # Errors
    ///
    /// Fails if the value does not have the shape of `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let value = Deserializer::new(self.0.trim().as_bytes());
        T::deserialize(value)
    }

    /// Returns all strings in the value, at every depth, each with the name of its member. Use it to check the calls of
    /// tools whose inputs have no type. An element of an array has the array's name.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Asks before an MCP tool is called with an internal host.
    /// #[hook(PreToolUse, matcher = "mcp__.*")]
    /// pub fn stay_inside(call: PreToolUse<Json>) -> PreToolUseAnswer {
    ///     match call.input.strings().iter().find(|(_, text)| text.contains("internal.example.com")) {
    ///         Some((name, _)) => PreToolUseAnswer::ask(format!("`{name}` is about an internal host")),
    ///         None => PreToolUseAnswer::pass(),
    ///     }
    /// }
    /// # fn main() {
    /// let input = Json::parse(r#"{"page":{"urls":["https://internal.example.com"]}}"#).unwrap();
    /// assert_eq!(input.strings(), [("urls".to_owned(), "https://internal.example.com".to_owned())]);
    /// # }
    /// ```
    pub fn strings(&self) -> Vec<(String, String)> {
        let text = self.0.as_bytes();
        let (mut found, mut around, mut name) = (Vec::new(), Vec::new(), String::new());
        let mut at = 0;
        while let Some(byte) = text.get(at) {
            at += 1;
            match byte {
                b'{' | b'[' => around.push(name.clone()),
                b'}' | b']' => name = around.pop().unwrap_or_default(),
                b'"' => {
                    let end = at + length_of_string(&text[at..]);
                    let string = unescape(&text[at..end - 1]).map(Cow::into_owned).unwrap_or_default();
                    at = end;
                    let is_name = text.get(at..).unwrap_or_default().trim_ascii_start().starts_with(b":");
                    match is_name {
                        true => name = string,
                        false => found.push((name.clone(), string)),
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Replaces parts of the value's strings; returns `None` if there are no such parts. Everything else stays as the
    /// client wrote it. Use it to remove something from the output of any tool.
    ///
    /// `parts` gets all strings in one text, each followed by a line end, so that it also finds a text that is split
    /// among several strings. The text includes the names of members, as in `name:"value`. `parts` returns the ranges
    /// of the parts in order, each with its replacement. If a part is split among several strings, the first string
    /// gets the replacement, and the others lose their part.
    ///
    /// ```
    /// use hookkit::Json;
    ///
    /// let output = Json::parse(r#"{"stdout": "key: 1234\n", "code": 0}"#).unwrap();
    /// let output = output.with_replaced(|text| {
    ///     let start = text.find("1234").unwrap();
    ///     vec![(start..start + 4, "…".to_owned())]
    /// });
    /// assert_eq!(output.unwrap().text(), r#"{"stdout": "key: …\n", "code": 0}"#);
    /// ```
    pub fn with_replaced(&self, parts: impl FnOnce(&str) -> Vec<(Range<usize>, String)>) -> Option<Self> {
        let text = self.0.as_bytes();
        let (mut strings, mut all, mut at) = (Vec::new(), String::new(), 0);
        while let Some(length) = text[at..].iter().position(|byte| *byte == b'"') {
            let start = at + length;
            at = start + 1 + length_of_string(&text[start + 1..]);
            let from = all.len();
            all.push_str(&unescape(&text[start + 1..at - 1]).unwrap_or_default());
            strings.push((start..at, from..all.len()));
            let is_name = text.get(at..).unwrap_or_default().trim_ascii_start().starts_with(b":");
            all.push_str(if is_name { ":\"" } else { "\n" });
        }
        let parts = parts(&all);
        let (mut out, mut done, mut next) = (Vec::with_capacity(text.len()), 0, 0);
        for (place, own) in strings {
            let (mut new, mut kept) = (String::new(), own.start);
            while let Some((part, by)) = parts.get(next).filter(|(part, _)| part.start < own.end) {
                new.push_str(&all[kept..part.start.max(kept)]);
                new.push_str(if part.start >= own.start { by } else { "" });
                kept = part.end.clamp(kept, own.end);
                if part.end > own.end {
                    break;
                }
                next += 1;
            }
            if kept > own.start {
                new.push_str(&all[kept..own.end]);
                out.extend_from_slice(&text[done..place.start]);
                string(&mut out, &new);
                done = place.end;
            }
        }
        out.extend_from_slice(&text[done..]);
        let out = String::from_utf8(out).ok().filter(|_| !parts.is_empty())?;
        Some(Self(out.into()))
    }

    /// Returns the text of a member, if the value is an object and the member is a string.
    #[doc(hidden)]
    pub fn word(&self, name: &str) -> Option<String> {
        let document = self.0.trim().as_bytes();
        let members = members(document).ok()?;
        let member = members.iter().rfind(|member| member.is(name, document))?;
        let value = Deserializer::known(document, &member.value, &[]);
        value.as_str().ok().map(Cow::into_owned)
    }

    /// Returns the first of these names that the value has as a member, if it is an object.
    #[doc(hidden)]
    pub fn first_member(&self, names: &[&'static str]) -> Option<&'static str> {
        let document = self.0.trim().as_bytes();
        let members = members(document).ok()?;
        let is_there = |name: &&&str| members.iter().any(|member| member.is(name, document));
        names.iter().find(is_there).copied()
    }
}

/// Returns the length of a string, including its closing quote. `text` begins after the opening quote.
fn length_of_string(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        end += plain(text.get(end..).unwrap_or_default());
        match text.get(end) {
            Some(b'"') | None => return end + 1,
            Some(byte) => end += 1 + usize::from(*byte == b'\\'),
        }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({})", self.0)
    }
}

/// Creates `null`.
impl Default for Json {
    fn default() -> Self {
        Self("null".into())
    }
}

/// Writes the value's own text if the serializer is serde_json's.
///
/// `serde_json::to_value` parses the text, and fails if a `Value` cannot represent it: half of a surrogate pair (`\ud800`),
/// or a number that is too large.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TOKEN, JsonVisitor)
    }
}

pub(super) struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    /// Takes the text from hookkit's own deserializer, which recognizes the token.
    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json(text.into()))
    }

    /// Decodes from any other deserializer, and from serde itself for the members of a flattened type.
    ///
    /// Numbers and the order of members are then as in serde_json's `Value`.
    fn visit_newtype_struct<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let value = std::marker::PhantomData::<serde_json::Value>.deserialize(deserializer)?;
        Ok(Json(value.to_string().into()))
    }
}
