//! Decodes values whose positions the scanner found.

use serde::de::{self, Expected, IntoDeserializer, Unexpected, Visitor};
use std::borrow::Cow;

use super::access::{AllMembers, Elements, NumberedFields, StructFields};
use super::members::{Member, Members, members};
use super::scan::Span;
use super::{Error, Scanner, borrowed, raw, unescape};

/// The struct name of hookkit's own types, which identify a field by index and skip unknown members.
pub const WIRE: &str = "$hookkit::wire";

/// Decodes one value from its text.
///
/// It differs from serde_json's deserializer in three ways, and in these it behaves like the client: if a member occurs
/// twice, the last one counts; a lone surrogate is read as U+FFFD; and members that the type does not name are neither
/// kept nor decoded.
#[derive(Clone, Copy)]
pub struct Deserializer<'m, 'a> {
    text: &'a [u8],
    /// `true` if the text is certainly a string without escapes.
    plain: bool,
    /// The document that contains the text. `members` has the recorded members of the text, if the text is an object.
    document: &'a [u8],
    members: &'m [Member],
}

impl<'m, 'a> Deserializer<'m, 'a> {
    /// Creates a deserializer of one value that the [`Scanner`] found.
    #[inline]
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, plain: false, document: text, members: &[] }
    }

    /// Creates a deserializer of the value at this span of a document, with its members if they were recorded.
    #[inline]
    pub(super) fn known(document: &'a [u8], value: &Span, members: &'m [Member]) -> Self {
        Self { text: &document[value.text.clone()], plain: value.is_plain(), document, members }
    }

    #[inline]
    pub(super) fn text(self) -> &'a [u8] {
        self.text
    }

    /// Returns the members of the object, and the document that contains them. `wanted` is for the error if the value
    /// is not an object.
    fn members(self, wanted: &dyn Expected) -> Result<(&'a [u8], Cow<'m, [Member]>), Error> {
        if self.text.first() != Some(&b'{') {
            return Err(self.mismatch(wanted));
        }
        if self.members.is_empty() {
            return Ok((self.text, members(self.text)?.into()));
        }
        Ok((self.document, self.members.into()))
    }

    /// Returns all members of the object.
    fn all_members(self, wanted: &dyn Expected) -> Result<AllMembers<'m, 'a>, Error> {
        let (document, members) = self.members(wanted)?;
        AllMembers::new(document, members)
    }

    /// Returns the members of the object that have one of these names.
    fn fields(self, names: &'static [&'static str], wanted: &dyn Expected) -> Result<NumberedFields<'m, 'a>, Error> {
        let (document, members) = self.members(wanted)?;
        Ok(NumberedFields(StructFields::new(document, members, &[], names)))
    }

    fn scanner(self) -> Scanner<&'a [u8]> {
        Scanner::new(self.text)
    }

    /// Decodes a scanned value that begins with a quote.
    fn string(self) -> Result<Cow<'a, str>, Error> {
        let text = &self.text[1..self.text.len() - 1];
        if self.plain {
            return borrowed(text);
        }
        unescape(text)
    }

    /// Returns `true` if the value is `null`.
    pub fn is_null(self) -> bool {
        self.literal("null")
    }

    /// Decodes the value as a string.
    pub fn as_str(self) -> Result<Cow<'a, str>, Error> {
        if self.text.first() == Some(&b'"') {
            return self.string();
        }
        Err(self.mismatch(&"a string"))
    }

    fn literal(self, literal: &str) -> bool {
        self.text == literal.as_bytes()
    }

    /// Returns the value's text if it is a number in JSON's grammar, which is stricter than Rust's.
    pub(super) fn number(self) -> Option<&'a str> {
        let text = std::str::from_utf8(self.text).ok()?;
        let digits = |text: &'a str| text.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let mut rest = digits(unsigned);
        let integer = &unsigned[..unsigned.len() - rest.len()];
        if integer.is_empty() || (integer.len() > 1 && integer.starts_with('0')) {
            return None;
        }
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = digits(fraction);
            if rest.len() == fraction.len() {
                return None;
            }
        }
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            rest = digits(exponent);
            if rest.len() == exponent.len() {
                return None;
            }
        }
        rest.is_empty().then_some(text)
    }

    /// Returns the whole part of a non-negative number; `None` for any other value.
    pub fn count(self) -> Option<u64> {
        let digits = self.text.iter().position(|byte| !byte.is_ascii_digit());
        let (digits, rest) = self.text.split_at(digits.unwrap_or(self.text.len()));
        if rest.contains(&b'e') || rest.contains(&b'E') {
            return None;
        }
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    /// Decodes the value as an integer of 64 bits.
    #[inline]
    fn visit_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Some(text) = self.number() else {
            return Err(self.mismatch(&visitor));
        };
        if let Ok(value) = text.parse::<u64>() {
            return visitor.visit_u64(value);
        }
        match text.parse::<i64>() {
            Ok(value) => visitor.visit_i64(value),
            Err(_) => Err(self.mismatch(&visitor)),
        }
    }

    fn visit_large_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.number().unwrap_or_default();
        if let Ok(value) = text.parse() {
            return visitor.visit_u128(value);
        }
        match text.parse() {
            Ok(value) => visitor.visit_i128(value),
            Err(_) => Err(self.mismatch(&visitor)),
        }
    }

    /// Decodes the value as an integer or a float.
    fn visit_number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Some(text) = self.number() else {
            return Err(self.mismatch(&visitor));
        };
        if let Ok(value) = text.parse::<u64>() {
            return visitor.visit_u64(value);
        }
        match text.parse::<i64>() {
            // `-0` is a float: as an integer it would lose its sign.
            Ok(value) if value != 0 => visitor.visit_i64(value),
            _ => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => visitor.visit_f64(value),
                _ => Err(Error::new(format_args!("number `{text}` is out of range"))),
            },
        }
    }

    /// Returns the error for a value of the wrong kind.
    #[cold]
    fn mismatch(self, wanted: &dyn Expected) -> Error {
        de::Error::invalid_type(Unexpected::Other(self.kind()), wanted)
    }

    /// Returns the kind of the value, for a message.
    #[cold]
    pub(super) fn kind(self) -> &'static str {
        match self.text.first() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            _ if self.literal("null") => "null",
            _ if self.literal("true") || self.literal("false") => "a boolean",
            _ if self.number().is_some() => "a number",
            _ => "text that is not a JSON value",
        }
    }
}

/// Passes a text to a visitor, without a copy if it is borrowed.
#[inline]
pub(super) fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Error> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

macro_rules! numbers {
    ($visit:ident: $($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$visit(visitor)
        }
    )*};
}

macro_rules! strings {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            if self.text.first() != Some(&b'"') {
                return Err(self.mismatch(&visitor));
            }
            visit_text(self.string()?, visitor)
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Deserializer<'_, 'de> {
    type Error = Error;

    // Separate, so that a type without floats does not link the code that parses them.
    numbers! {
        visit_integer:
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    numbers! { visit_large_integer: deserialize_i128 deserialize_u128 }

    numbers! { visit_number: deserialize_f32 deserialize_f64 }

    strings! {
        deserialize_str deserialize_string deserialize_char deserialize_identifier
        deserialize_bytes deserialize_byte_buf
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text.first() {
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'{') => self.deserialize_map(visitor),
            Some(b'[') => self.deserialize_seq(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'n') => self.deserialize_unit(visitor),
            _ => self.visit_number(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text {
            b"true" => visitor.visit_bool(true),
            b"false" => visitor.visit_bool(false),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.literal("null") {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.literal("null") {
            return visitor.visit_unit();
        }
        Err(self.mismatch(&visitor))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    // If the name is the token, the compiler leaves out the rest: serde_json's `Value` with its floats, 90 KB of
    // a hook that keeps values as text.
    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if name == raw::TOKEN {
            let text = std::str::from_utf8(self.text).map_err(de::Error::custom)?;
            return visitor.visit_str(text);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.text.first() != Some(&b'[') {
            return Err(self.mismatch(&visitor));
        }
        let mut scanner = self.scanner();
        scanner.array_start()?;
        let mut elements = Elements::new(scanner);
        let value = visitor.visit_seq(&mut elements)?;
        if elements.is_over() {
            return Ok(value);
        }
        Err(Error::new(format_args!("expected {} elements, found more", elements.taken())))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let members = self.all_members(&visitor)?;
        visitor.visit_map(members)
    }

    // Inlined: the caller's type fixes the name, so one of the two branches remains.
    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == WIRE {
            let members = self.fields(fields, &visitor)?;
            return visitor.visit_map(members);
        }
        // Reads all members: the type may reject those that it does not declare.
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.text.first() {
            Some(b'"') => visitor.visit_enum(self.string()?.into_deserializer()),
            Some(b'{') => {
                let members = self.all_members(&visitor)?;
                if members.len() != 1 {
                    return Err(Error::new(format_args!("expected one member that names the variant")));
                }
                visitor.visit_enum(de::value::MapAccessDeserializer::new(members))
            }
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// A deserializer of recorded members, as a struct or as a map.
pub(super) struct Known<'m, 'a>(pub(super) Members<'m, 'a>);

impl<'de> de::Deserializer<'de> for Known<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(AllMembers::new(self.0.document, self.0.all().into())?)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let members = StructFields::new(self.0.document, self.0.all().into(), self.0.inner(), fields);
        if name == WIRE {
            return visitor.visit_map(NumberedFields(members));
        }
        visitor.visit_map(members)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
