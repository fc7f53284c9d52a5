//! Gives visitors access to the members of objects and the elements of arrays.

use std::borrow::Cow;
use std::collections::BinaryHeap;

use serde::de::value::{StrDeserializer, U64Deserializer};
use serde::de::{self, DeserializeSeed, IntoDeserializer, Unexpected, Visitor};

use super::de::{Deserializer, visit_text};
use super::members::{Member, fingerprints, last};
use super::{Error, Scanner, text};

/// The fields of a struct that have a member in the object, each once.
pub(super) struct StructFields<'m, 'a> {
    document: &'a [u8],
    members: Cow<'m, [Member]>,
    /// The recorded members of the objects among these members.
    inner: &'m [Member],
    names: &'static [&'static str],
    /// Fingerprints of the keys. They make most searches for absent fields unnecessary.
    fingerprints: u64,
    /// The index of the field that was found last, and the next index to search.
    current: usize,
    next: usize,
    value: Deserializer<'m, 'a>,
}

impl<'m, 'a> StructFields<'m, 'a> {
    pub(super) fn new(
        document: &'a [u8],
        members: Cow<'m, [Member]>,
        inner: &'m [Member],
        names: &'static [&'static str],
    ) -> Self {
        Self {
            document,
            fingerprints: fingerprints(&members, document),
            members,
            inner,
            names,
            current: 0,
            next: 0,
            value: Deserializer::new(b""),
        }
    }

    /// Advances to the next field that has a member and returns its index.
    #[inline(never)]
    fn next(&mut self) -> Option<usize> {
        while let Some(name) = self.names.get(self.next) {
            self.current = self.next;
            self.next += 1;
            if self.fingerprints & text::fingerprint(name.as_bytes()) == 0 {
                continue;
            }
            if let Some(member) = last(&self.members, name, self.document) {
                let inner = &self.inner[member.inner.clone()];
                self.value = Deserializer::known(self.document, &member.value, inner);
                return Some(self.current);
            }
        }
        None
    }

    #[cold]
    fn inside(&self, err: Error) -> Error {
        err.inside(self.names[self.current])
    }
}

impl<'a> de::MapAccess<'a> for StructFields<'_, 'a> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(at) = self.next() else { return Ok(None) };
        let key: StrDeserializer<'_, Error> = self.names[at].into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.value).map_err(|err| self.inside(err))
    }
}

/// The fields of [`StructFields`], identified by index, for a type that accepts indexes or names.
pub(super) struct NumberedFields<'m, 'a>(pub(super) StructFields<'m, 'a>);

impl<'a> de::MapAccess<'a> for NumberedFields<'_, 'a> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(at) = self.0.next() else { return Ok(None) };
        let key: U64Deserializer<Error> = (at as u64).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        self.0.next_value_seed(seed)
    }
}

/// All members of an object. Each key occurs once.
pub(super) struct AllMembers<'m, 'a> {
    document: &'a [u8],
    rest: Cow<'m, [Member]>,
    next: usize,
}

impl<'m, 'a> AllMembers<'m, 'a> {
    pub(super) fn new(document: &'a [u8], members: Cow<'m, [Member]>) -> Result<Self, Error> {
        let rest = if may_repeat(document, &members) { last_of_each(document, &members)?.into() } else { members };
        Ok(Self { document, rest, next: 0 })
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len() - self.next
    }

    /// Returns the value of the last returned key.
    fn current(&self) -> Result<Deserializer<'static, 'a>, Error> {
        let current = self.next.checked_sub(1).ok_or_else(value_before_key)?;
        Ok(Deserializer::known(self.document, &self.rest[current].value, &[]))
    }

    #[cold]
    fn inside(&self, err: Error) -> Error {
        let current = &self.rest[self.next - 1];
        err.inside(&current.key(self.document).unwrap_or_default())
    }
}

/// Returns `true` if a key occurs twice, or if there are too many members to compare with each other.
fn may_repeat(document: &[u8], members: &[Member]) -> bool {
    const FEW: usize = 16;
    if members.len() > FEW {
        return true;
    }
    let mut seen = 0_u64;
    members.iter().enumerate().any(|(at, member)| {
        let key = member.raw_key(document);
        let fingerprint = text::fingerprint(key);
        let may_be_seen = seen & fingerprint != 0;
        seen |= fingerprint;
        let is_same = |other: &Member| text::same(other.raw_key(document), key);
        !member.key.is_plain() || may_be_seen && members[..at].iter().any(is_same)
    })
}

/// Returns the last member of each key, in the order of the document.
#[cold]
fn last_of_each(document: &[u8], members: &[Member]) -> Result<Vec<Member>, Error> {
    // A heap needs a tenth of the code of a map or a sort, at the same complexity.
    let mut keys = BinaryHeap::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        keys.push((member.key(document)?, index));
    }
    let mut is_last = vec![false; members.len()];
    let mut before = None;
    while let Some((key, index)) = keys.pop() {
        // Of equal keys the last member comes first.
        if before.as_ref() != Some(&key) {
            is_last[index] = true;
            before = Some(key);
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
        let key = member.key(self.document)?;
        seed.deserialize(MapKey(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self.current()?;
        seed.deserialize(value).map_err(|err| self.inside(err))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len())
    }
}

/// A key of a map. In JSON it is always a string; in Rust it may be a number or a user's type.
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
        visit_text(self.0, visitor)
    }

    /// Visits the name of a field, which is compared but not kept.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(&self.0)
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
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
}

#[cold]
fn value_before_key() -> Error {
    Error::new(format_args!("a value was requested before its key"))
}

/// The elements of an array.
pub(super) struct Elements<'a> {
    scanner: Scanner<&'a [u8]>,
    index: usize,
}

impl<'a> Elements<'a> {
    /// Creates the elements of an array whose start was consumed.
    pub(super) fn new(scanner: Scanner<&'a [u8]>) -> Self {
        Self { scanner, index: 0 }
    }

    /// Returns the number of elements that were read.
    pub(super) fn taken(&self) -> usize {
        self.index
    }

    /// Returns `true` if no element is left. The text is one whole value, so it ends with the array.
    pub(super) fn is_over(&mut self) -> bool {
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
        seed.deserialize(Deserializer::new(self.scanner.slice(element.text)))
            .map(Some)
            .map_err(|err| err.inside(&index.to_string()))
    }
}
