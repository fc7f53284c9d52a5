//! Decodes values from the spans that the scanner found.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::de::value::{BytesDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};

use super::scan::RawString;
use super::{Error, Scanner, raw, unescape};

/// Decodes one value from its text.
///
/// It differs from serde_json's in three ways, all of them the client's: of a member that stands twice the last one
/// counts, a lone surrogate is read as U+FFFD, and members that the type does not name are neither kept nor decoded.
#[derive(Clone, Copy)]
pub(crate) struct Deserializer<'m, 'a> {
    text: &'a [u8],
    /// Its members, if it is an object, and they were scanned before.
    members: &'m [Member<'a>],
}

impl<'a> Deserializer<'_, 'a> {
    /// `text` is one value, as the [`Scanner`] found it.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, members: &[] }
    }

    /// The members of the object that it is.
    fn members(&self) -> Result<Cow<'_, [Member<'a>]>, Error> {
        if self.members.is_empty() {
            return Ok(Members::plain(self.text)?.into());
        }
        Ok(self.members.into())
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
        let mut elements = Elements {
            scanner,
            first: true,
            index: 0,
        };
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
        visitor.visit_map(AllMembers::new(&self.members()?)?)
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
        let members = self.members()?;
        let mut members = AllMembers::new(&members)?;
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
                if members.len() != 1 {
                    return Err(Error::new(format_args!("expected one member that names the variant")));
                }
                visitor.visit_enum(de::value::MapAccessDeserializer::new(AllMembers::new(&members)?))
            }
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// A member's key.
#[derive(Debug, Clone, Copy)]
struct Key<'a> {
    raw: &'a [u8],
    escaped: bool,
}

impl<'a> Key<'a> {
    #[inline]
    fn new(scanner: &Scanner<&'a [u8]>, key: RawString) -> Self {
        Self {
            raw: scanner.slice(key.text),
            escaped: key.escaped,
        }
    }

    fn text(self) -> Result<Cow<'a, str>, Error> {
        unescape(self.raw)
    }

    #[inline]
    fn is(self, name: &str) -> bool {
        if self.escaped {
            return self.is_escaped(name);
        }
        // Most names differ in their lengths or their first letters: that is quicker told than by comparing memory.
        self.raw.len() == name.len() && self.raw.first() == name.as_bytes().first() && self.raw == name.as_bytes()
    }

    #[cold]
    fn is_escaped(self, name: &str) -> bool {
        self.text().is_ok_and(|text| text == name)
    }
}

/// A member of an object.
#[derive(Debug, Clone)]
struct Member<'a> {
    key: Key<'a>,
    value: &'a [u8],
    /// Where its own members are in [`Members::inner`], if it is an object of which they were taken down.
    inner: Range<usize>,
}

/// The payload's members in their order, and the members of those that are objects themselves: what handlers read stands
/// there, and no text is scanned twice.
///
/// Of a member that stands twice the last one counts, as in `JSON.parse`.
#[derive(Debug)]
pub(crate) struct Members<'a> {
    outer: Vec<Member<'a>>,
    inner: Vec<Member<'a>>,
}

impl<'a> Members<'a> {
    /// The members of an object, and of no other.
    fn plain(object: &'a [u8]) -> Result<Vec<Member<'a>>, Error> {
        let mut scanner = Scanner::new(object);
        let mut members = Vec::new();
        scanner.object_start()?;
        Self::rest(&mut scanner, &mut members)?;
        Ok(members)
    }

    /// The members of an object whose start was consumed.
    #[inline]
    fn rest(scanner: &mut Scanner<&'a [u8]>, members: &mut Vec<Member<'a>>) -> Result<(), Error> {
        let mut first = true;
        while let Some(key) = scanner.member_key(first)? {
            first = false;
            let value = scanner.member_value()?;
            members.push(Member {
                key: Key::new(scanner, key),
                value: scanner.slice(value),
                inner: 0..0,
            });
        }
        Ok(())
    }

    /// The members of the object that comes next, of which `next` adds one after the other.
    pub(crate) fn start(scanner: &mut Scanner<&'a [u8]>) -> Result<Self, Error> {
        scanner.object_start()?;
        // As many as a payload has.
        Ok(Self {
            outer: Vec::with_capacity(16),
            inner: Vec::with_capacity(16),
        })
    }

    /// Whether the member that was added last has this key.
    #[inline]
    pub(crate) fn last_is(&self, name: &str) -> bool {
        self.outer.last().is_some_and(|member| member.key.is(name))
    }

    /// Adds the next member; false at the object's end.
    #[inline]
    pub(crate) fn next(&mut self, scanner: &mut Scanner<&'a [u8]>) -> Result<bool, Error> {
        let Some(key) = scanner.member_key(self.outer.is_empty())? else {
            return Ok(false);
        };
        let known = self.inner.len();
        let value = match scanner.is_at(b'{') {
            Some(start) => {
                scanner.object_start()?;
                Self::rest(scanner, &mut self.inner)?;
                scanner.slice_from(start)
            }
            None => {
                let value = scanner.member_value()?;
                scanner.slice(value)
            }
        };
        self.outer.push(Member {
            key: Key::new(scanner, key),
            value,
            inner: known..self.inner.len(),
        });
        Ok(true)
    }

    #[inline]
    fn find(&self, name: &str) -> Option<Deserializer<'_, 'a>> {
        let member = self.outer.iter().rfind(|member| member.key.is(name))?;
        Some(Deserializer {
            text: member.value,
            members: &self.inner[member.inner.clone()],
        })
    }

    pub(crate) fn get(&self, name: &str) -> Option<Deserializer<'_, 'a>> {
        self.find(name)
    }

    /// Whether there is a member of this name that is this string.
    pub(crate) fn has_string(&self, name: &str, string: &str) -> bool {
        let value = self.get(name).map(|value| value.text);
        value.and_then(|value| value.strip_prefix(b"\"")?.strip_suffix(b"\"")) == Some(string.as_bytes())
    }

    /// Decodes a type from those members that it names.
    pub(crate) fn decode<T: de::Deserialize<'a>>(&self) -> Result<T, Error> {
        T::deserialize(Scanned(self))
    }
}

/// Members that were found before, to be read as a struct or as a map.
struct Scanned<'m, 'a>(&'m Members<'a>);

impl<'de> de::Deserializer<'de> for Scanned<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(AllMembers::new(&self.0.outer)?)
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
    rest: Cow<'m, [Member<'a>]>,
    next: usize,
    /// Whether the keys are compared with names, and need not be checked to be text.
    of_struct: bool,
}

impl<'m, 'a> AllMembers<'m, 'a> {
    fn new(members: &'m [Member<'a>]) -> Result<Self, Error> {
        Ok(Self {
            rest: if may_repeat(members)? {
                last_of_each(members)?.into()
            } else {
                members.into()
            },
            next: 0,
            of_struct: false,
        })
    }
}

/// Whether a key stands twice. Of many members none is compared with each other one: it may.
fn may_repeat(members: &[Member<'_>]) -> Result<bool, Error> {
    const FEW: usize = 16;
    if members.len() > FEW || members.iter().any(|member| member.key.escaped) {
        return Ok(true);
    }
    let repeats = |at: usize| {
        members[at + 1..]
            .iter()
            .any(|member| member.key.raw == members[at].key.raw)
    };
    Ok((0..members.len()).any(repeats))
}

/// Of each key the last member, in order.
fn last_of_each<'a>(members: &[Member<'a>]) -> Result<Vec<Member<'a>>, Error> {
    let mut last = BTreeMap::new();
    for (index, member) in members.iter().enumerate() {
        last.insert(member.key.text()?, index);
    }
    let mut indices: Vec<usize> = last.into_values().collect();
    indices.sort_unstable();
    Ok(indices.into_iter().map(|index| members[index].clone()).collect())
}

impl<'a> de::MapAccess<'a> for AllMembers<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(member) = self.rest.get(self.next) else {
            return Ok(None);
        };
        let key = member.key;
        self.next += 1;
        if self.of_struct && !key.escaped {
            return seed.deserialize(BytesDeserializer::new(key.raw)).map(Some);
        }
        seed.deserialize(MapKey(key.text()?)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let current = self.next.checked_sub(1).ok_or_else(value_before_key)?;
        let Member { key, value, .. } = &self.rest[current];
        let value = seed.deserialize(Deserializer::new(value));
        value.map_err(|err| err.inside(&key.text().unwrap_or_default()))
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
    first: bool,
    index: usize,
}

impl Elements<'_> {
    /// Whether nothing is left. The text is a whole value, so that it ends with the array.
    fn is_over(&mut self) -> bool {
        self.scanner.end().is_ok() || matches!(self.scanner.element(&mut self.first), Ok(None))
    }
}

impl<'a> de::SeqAccess<'a> for &mut Elements<'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(element) = self.scanner.element(&mut self.first)? else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Deserializer::new(self.scanner.slice(element)))
            .map(Some)
            .map_err(|err| err.inside(&index.to_string()))
    }
}
