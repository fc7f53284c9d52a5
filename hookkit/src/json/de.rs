use std::borrow::Cow;
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, DeserializeSeed, IntoDeserializer, Unexpected, Visitor};

use super::{Error, Scanner, raw, unescape};

/// Decodes one value from its text.
///
/// It differs from serde_json's in three ways, all of them the client's: of a member that stands twice the last one
/// counts, a lone surrogate is read as U+FFFD, and members that the type does not name are neither kept nor decoded.
#[derive(Clone, Copy)]
pub(crate) struct Deserializer<'a> {
    text: &'a [u8],
}

impl<'a> Deserializer<'a> {
    /// `text` is one value, as the [`Scanner`] found it.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text }
    }

    fn scanner(self) -> Scanner<'a> {
        Scanner::new(self.text)
    }

    fn string(self) -> Result<Cow<'a, str>, Error> {
        unescape(self.scanner().string()?)
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
    fn mismatch<'de, V: Visitor<'de>>(self, wanted: &V) -> Error {
        let found = match self.text.first() {
            Some(b'"') => Unexpected::Other("a string"),
            Some(b'{') => Unexpected::Other("an object"),
            Some(b'[') => Unexpected::Other("an array"),
            _ if self.literal("null") => Unexpected::Other("null"),
            _ if self.literal("true") => Unexpected::Bool(true),
            _ if self.literal("false") => Unexpected::Bool(false),
            _ if self.number().is_some() => Unexpected::Other("a number"),
            _ => Unexpected::Other("text that is no JSON value"),
        };
        de::Error::invalid_type(found, wanted)
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.visit_number(visitor)
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

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = Error;

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

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
            taken: 0,
            ended: false,
        };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.next()? {
            None => Ok(value),
            Some(_) => Err(de::Error::custom(format_args!(
                "expected {} elements, found more",
                elements.taken - 1
            ))),
        }
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
        visitor.visit_map(Members::all(&mut self.scanner())?.iter())
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.text.first() != Some(&b'{') {
            return Err(self.mismatch(&visitor));
        }
        visitor.visit_map(Members::of(&mut self.scanner(), fields)?.iter())
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
                let members = Members::all(&mut self.scanner())?;
                match members.0.as_slice() {
                    [_] => visitor.visit_enum(de::value::MapAccessDeserializer::new(members.iter())),
                    _ => Err(Error::new(format_args!("expected one member that names the variant"))),
                }
            }
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// An object's members, each key once.
#[derive(Debug)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a [u8])>);

impl<'a> Members<'a> {
    /// All members of the object that comes next.
    pub(crate) fn all(scanner: &mut Scanner<'a>) -> Result<Self, Error> {
        let mut members = Vec::new();
        scanner.object(|key, value| {
            members.push((unescape(key)?, value));
            Ok(())
        })?;
        if has_repeats(&members) {
            // The sort is stable, and of each run the first is kept: the one that came last, as in JSON.parse.
            members.reverse();
            members.sort_by(|left: &(Cow<'_, str>, _), right| left.0.cmp(&right.0));
            members.dedup_by(|later, earlier| later.0 == earlier.0);
        }
        Ok(Self(members))
    }

    /// The members that `fields` names.
    fn of(scanner: &mut Scanner<'a>, fields: &[&str]) -> Result<Self, Error> {
        let mut members = Self(Vec::with_capacity(fields.len()));
        scanner.object(|key, value| {
            let key = unescape(key)?;
            if fields.contains(&&*key) {
                members.insert(key, value);
            }
            Ok(())
        })?;
        Ok(members)
    }

    /// Adds a member; one of the same name gives way.
    fn insert(&mut self, key: Cow<'a, str>, value: &'a [u8]) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(member) => member.1 = value,
            None => self.0.push((key, value)),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Deserializer<'a>> {
        let (_, value) = self.0.iter().find(|(known, _)| known == key)?;
        Some(Deserializer::new(value))
    }

    fn iter(&self) -> MemberAccess<'_, 'a> {
        MemberAccess {
            members: self.0.iter(),
            current: None,
        }
    }

    /// Decodes a struct from those members that it names.
    pub(crate) fn decode<T: de::Deserialize<'a>>(&self) -> Result<T, Error> {
        T::deserialize(Struct(self))
    }
}

fn has_repeats(members: &[(Cow<'_, str>, &[u8])]) -> bool {
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| &**key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

/// Members that were found before, read as a struct.
struct Struct<'m, 'a>(&'m Members<'a>);

impl<'de> de::Deserializer<'de> for Struct<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.0.iter())
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct MemberAccess<'m, 'a> {
    members: std::slice::Iter<'m, (Cow<'a, str>, &'a [u8])>,
    current: Option<(&'m str, &'a [u8])>,
}

impl<'a> de::MapAccess<'a> for MemberAccess<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.members.next() else {
            return Ok(None);
        };
        self.current = Some((key, value));
        let key: StrDeserializer<'_, Error> = (&**key).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) = self
            .current
            .take()
            .ok_or_else(|| Error::new(format_args!("a value was asked for before its key")))?;
        seed.deserialize(Deserializer::new(value))
            .map_err(|err| err.inside(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

struct Elements<'a> {
    scanner: Scanner<'a>,
    taken: usize,
    ended: bool,
}

impl<'a> Elements<'a> {
    fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
        if self.ended {
            return Ok(None);
        }
        let element = self.scanner.element(self.taken == 0)?;
        self.taken += usize::from(element.is_some());
        self.ended = element.is_none();
        Ok(element)
    }
}

impl<'a> de::SeqAccess<'a> for &mut Elements<'a> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(element) = self.next()? else {
            return Ok(None);
        };
        let index = self.taken - 1;
        seed.deserialize(Deserializer::new(element))
            .map(Some)
            .map_err(|err| err.inside(&index.to_string()))
    }
}

impl fmt::Debug for Deserializer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Deserializer({})", String::from_utf8_lossy(self.text))
    }
}
