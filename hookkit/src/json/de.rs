//! Decodes values from the spans that the scanner found.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::value::{BytesDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};

use super::members::{Member, Members, members};
use super::{Error, Scanner, raw, unescape};

/// Decodes one value from its text.
///
/// It differs from serde_json's in three ways, all of them the client's: of a member that stands twice the last one
/// counts, a lone surrogate is read as U+FFFD, and members that the type does not name are neither kept nor decoded.
#[derive(Clone, Copy)]
pub(crate) struct Deserializer<'m, 'a> {
    text: &'a [u8],
    /// The document that the text is of, and the text's members in it, if it is an object of which they are known.
    document: &'a [u8],
    members: &'m [Member],
}

impl<'m, 'a> Deserializer<'m, 'a> {
    /// `text` is one value, as the [`Scanner`] found it.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            document: text,
            members: &[],
        }
    }

    /// The value at this place of a document, with its members, if they are known.
    #[inline]
    pub(super) fn known(document: &'a [u8], value: Range<usize>, members: &'m [Member]) -> Self {
        Self {
            text: &document[value],
            document,
            members,
        }
    }

    #[inline]
    pub(super) fn text(self) -> &'a [u8] {
        self.text
    }

    /// The members of the object that it is.
    fn members(self) -> Result<AllMembers<'m, 'a>, Error> {
        if self.members.is_empty() {
            return AllMembers::new(self.text, members(self.text)?.into());
        }
        AllMembers::new(self.document, self.members.into())
    }

    fn scanner(self) -> Scanner<&'a [u8]> {
        Scanner::new(self.text)
    }

    /// The value, which was scanned before and begins with a quote, as a string.
    fn string(self) -> Result<Cow<'a, str>, Error> {
        unescape(&self.text[1..self.text.len() - 1])
    }

    /// The value as a string, if it is one.
    pub(crate) fn as_str(self) -> Result<Cow<'a, str>, Error> {
        if self.text.first() == Some(&b'"') {
            return self.string();
        }
        Err(self.mismatch(&"a string"))
    }

    fn literal(self, literal: &str) -> bool {
        self.text == literal.as_bytes()
    }

    /// The value's text where it is a number by JSON's grammar, which is narrower than Rust's.
    fn number(self) -> Option<&'a str> {
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

    /// The value as an integer, where it is one that fits.
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

    /// The value as whatever number it is.
    fn visit_number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Some(text) = self.number() else {
            return Err(self.mismatch(&visitor));
        };
        if let Ok(value) = text.parse::<u64>() {
            return visitor.visit_u64(value);
        }
        match text.parse::<i64>() {
            // `-0` is a fraction: as an integer it would lose its sign.
            Ok(value) if value != 0 => visitor.visit_i64(value),
            _ => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => visitor.visit_f64(value),
                _ => Err(Error::new(format_args!("number `{text}` is out of range"))),
            },
        }
    }

    /// The value is not of the kind that the type wants.
    #[cold]
    fn mismatch(self, wanted: &dyn Expected) -> Error {
        let found = match self.text.first() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            _ if self.literal("null") => "null",
            _ if self.literal("true") || self.literal("false") => "a boolean",
            _ if self.number().is_some() => "a number",
            _ => "text that is no JSON value",
        };
        de::Error::invalid_type(Unexpected::Other(found), wanted)
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
            match self.string()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for Deserializer<'_, 'de> {
    type Error = Error;

    // Apart, so that a type without fractions does not link what reads them.
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
        let mut elements = Elements { scanner, index: 0 };
        let value = visitor.visit_seq(&mut elements)?;
        if elements.is_over() {
            return Ok(value);
        }
        Err(Error::new(format_args!(
            "expected {} elements, found more",
            elements.index
        )))
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
        if self.text.first() != Some(&b'{') {
            return Err(self.mismatch(&visitor));
        }
        visitor.visit_map(self.members()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.text.first() != Some(&b'{') {
            return Err(self.mismatch(&visitor));
        }
        // All of them: what a type does not name it may refuse.
        let mut members = self.members()?;
        members.of_struct = true;
        visitor.visit_map(members)
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
                let members = self.members()?;
                if members.rest.len() != 1 {
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

/// Members that are known, to be read as a struct or as a map.
pub(super) struct Known<'m, 'a>(pub(super) &'m Members<'a>);

impl<'de> de::Deserializer<'de> for Known<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(AllMembers::new(self.0.document, self.0.all().into())?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(StructFields::new(self.0, fields))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The fields of a struct, each once, where there is a member for it.
struct StructFields<'m, 'a> {
    members: &'m Members<'a>,
    fields: std::slice::Iter<'static, &'static str>,
    current: Option<(&'static str, Deserializer<'m, 'a>)>,
}

impl<'m, 'a> StructFields<'m, 'a> {
    fn new(members: &'m Members<'a>, fields: &'static [&'static str]) -> Self {
        Self {
            members,
            fields: fields.iter(),
            current: None,
        }
    }
}

impl<'a> de::MapAccess<'a> for StructFields<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        for field in &mut self.fields {
            if let Some(value) = self.members.get(field) {
                self.current = Some((field, value));
                let key: StrDeserializer<'_, Error> = field.into_deserializer();
                return seed.deserialize(key).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) = self.current.take().ok_or_else(value_before_key)?;
        seed.deserialize(value).map_err(|err| err.inside(key))
    }
}

/// All members of an object, each key once.
struct AllMembers<'m, 'a> {
    document: &'a [u8],
    rest: Cow<'m, [Member]>,
    next: usize,
    /// Whether the keys are compared with names, and need not be checked to be text.
    of_struct: bool,
}

impl<'m, 'a> AllMembers<'m, 'a> {
    fn new(document: &'a [u8], members: Cow<'m, [Member]>) -> Result<Self, Error> {
        let rest = if may_repeat(document, &members) {
            last_of_each(document, &members)?.into()
        } else {
            members
        };
        Ok(Self {
            document,
            rest,
            next: 0,
            of_struct: false,
        })
    }
}

/// Whether a key stands twice. Of many members none is compared with each other one: it may.
fn may_repeat(document: &[u8], members: &[Member]) -> bool {
    const FEW: usize = 16;
    let key = |at: usize| members[at].raw_key(document);
    let repeats = |at: usize| (at + 1..members.len()).any(|later| key(later) == key(at));
    members.len() > FEW || members.iter().any(|member| member.key.escaped) || (0..members.len()).any(repeats)
}

/// Of each key the last member, in order.
#[cold]
fn last_of_each(document: &[u8], members: &[Member]) -> Result<Vec<Member>, Error> {
    let mut seen = BTreeMap::new();
    let mut is_last = vec![true; members.len()];
    for (index, member) in members.iter().enumerate() {
        if let Some(earlier) = seen.insert(member.key(document)?, index) {
            is_last[earlier] = false;
        }
    }
    let last = members.iter().zip(is_last).filter(|(_, is_last)| *is_last);
    Ok(last.map(|(member, _)| member.clone()).collect())
}

impl<'a> de::MapAccess<'a> for AllMembers<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(member) = self.rest.get(self.next) else {
            return Ok(None);
        };
        self.next += 1;
        if self.of_struct && !member.key.escaped {
            let key = BytesDeserializer::new(member.raw_key(self.document));
            return seed.deserialize(key).map(Some);
        }
        seed.deserialize(MapKey(member.key(self.document)?)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let current = self.next.checked_sub(1).ok_or_else(value_before_key)?;
        let member = &self.rest[current];
        let value = Deserializer::new(&self.document[member.value.clone()]);
        let inside = |err: Error| err.inside(&member.key(self.document).unwrap_or_default());
        seed.deserialize(value).map_err(inside)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len() - self.next)
    }
}

/// A key of a map, which in JSON is always a string, and in Rust may be a number or a type of one's own.
struct MapKey<'a>(Cow<'a, str>);

macro_rules! parsed_keys {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse() {
                Ok(key) => visitor.$visit(key),
                Err(_) => Err(de::Error::invalid_type(Unexpected::Str(&self.0), &visitor)),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for MapKey<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(key) => visitor.visit_borrowed_str(key),
            Cow::Owned(key) => visitor.visit_string(key),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    parsed_keys! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32 deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32 deserialize_u64 visit_u64
        deserialize_u128 visit_u128
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cold]
fn value_before_key() -> Error {
    Error::new(format_args!("a value was asked for before its key"))
}

struct Elements<'a> {
    scanner: Scanner<&'a [u8]>,
    index: usize,
}

impl Elements<'_> {
    /// Whether nothing is left. The text is a whole value, so that it ends with the array.
    fn is_over(&mut self) -> bool {
        self.scanner.end().is_ok() || matches!(self.scanner.element(self.index == 0), Ok(None))
    }
}

impl<'a> de::SeqAccess<'a> for &mut Elements<'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(element) = self.scanner.element(self.index == 0)? else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Deserializer::new(self.scanner.slice(element)))
            .map(Some)
            .map_err(|err| err.inside(&index.to_string()))
    }
}
