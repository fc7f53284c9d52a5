//! Records the offsets of the members of an object.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::Deserialize;

use super::de::{Deserializer, Known};
use super::scan::Span;
use super::{Error, Input, PayloadProjection, Projection, Scanner, borrowed, text, unescape};

/// The offsets of a member of an object in a document.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: Span,
    pub(super) value: Span,
    /// Indexes of its own members in [`Index::inner`], if it is an object of which they were recorded.
    pub(super) inner: Range<usize>,
}

impl Member {
    /// Its key as it is in the document.
    #[inline]
    pub(super) fn raw_key<'a>(&self, document: &'a [u8]) -> &'a [u8] {
        &document[self.key.text.clone()]
    }

    pub(super) fn key<'a>(&self, document: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        let raw = self.raw_key(document);
        if self.key.is_plain() {
            borrowed(raw)
        } else {
            unescape(raw)
        }
    }

    #[inline]
    pub(super) fn is(&self, name: &str, document: &[u8]) -> bool {
        if !self.key.is_plain() {
            return self.is_escaped(name, document);
        }
        // Nearly all are distinguished by their lengths, for which the document need not be looked at.
        let Range { start, end } = self.key.text;
        end - start == name.len() && text::same(self.raw_key(document), name.as_bytes())
    }

    #[cold]
    fn is_escaped(&self, name: &str, document: &[u8]) -> bool {
        self.key(document).is_ok_and(|key| key == name)
    }
}

/// Maximum number of members that are recorded. Each takes some 64 bytes, and in the text no more than five or six.
const MAX_MEMBERS: usize = 1 << 20;

/// Returns `true` if there may be a member more than `count`.
#[inline]
fn another(count: usize) -> Result<(), Error> {
    if count < MAX_MEMBERS { Ok(()) } else { Err(too_many()) }
}

#[cold]
fn too_many() -> Error {
    Error::new(format_args!("it has more than {MAX_MEMBERS} members"))
}

/// The members of an object in their order, and the members of those that are objects themselves: what handlers read
/// is there, and no text is scanned twice.
#[derive(Debug)]
pub struct Index {
    outer: Vec<Member>,
    inner: Vec<Member>,
}

impl Index {
    /// Of the object that comes next, of which `next` adds one member after the other.
    #[inline]
    pub fn start<S: Input>(scanner: &mut Scanner<S>) -> Result<Self, Error> {
        scanner.object_start()?;
        // As many as a payload has.
        Ok(Self {
            outer: Vec::with_capacity(16),
            inner: Vec::with_capacity(16),
        })
    }

    /// Adds the next member; false at the object's end.
    ///
    /// Text that is not read may be discarded: it is then `null`.
    pub fn next<S: Input>(&mut self, scanner: &mut Scanner<S>, projection: &PayloadProjection) -> Result<bool, Error> {
        let Some(key) = scanner.key(self.outer.is_empty())? else {
            return Ok(false);
        };
        let known = self.inner.len();
        another(self.outer.len() + known)?;
        let object = scanner.object_ahead()?;
        let value = if S::DISCARDS || object.is_some() {
            match (projection.of_member(&key, scanner), object) {
                (Projection::Nothing, _) => scanner.unwanted_value()?,
                (projection, Some(start)) => {
                    scanner.object_start()?;
                    rest(scanner, projection, &mut self.inner)?;
                    Span::of_value(start..scanner.place())
                }
                (_, None) => scanner.value()?,
            }
        } else {
            scanner.value()?
        };
        self.outer.push(Member {
            key,
            value,
            inner: known..self.inner.len(),
        });
        Ok(true)
    }

    /// Returns `true` if the member that was added last has this key.
    #[inline]
    pub fn last_is(&self, name: &str, document: &[u8]) -> bool {
        self.outer.last().is_some_and(|member| member.is(name, document))
    }
}

/// The members of an object.
pub(super) fn members(object: &[u8]) -> Result<Vec<Member>, Error> {
    let mut scanner = Scanner::new(object);
    let mut members = Vec::new();
    scanner.object_start()?;
    rest(&mut scanner, Projection::All, &mut members)?;
    Ok(members)
}

/// Adds the members of an object whose start was consumed.
fn rest<S: Input>(scanner: &mut Scanner<S>, projection: Projection, members: &mut Vec<Member>) -> Result<(), Error> {
    let mut first = true;
    while let Some(key) = scanner.key(first)? {
        first = false;
        another(members.len())?;
        let value = if S::DISCARDS && matches!(projection.of_member(&key, scanner), Projection::Nothing) {
            scanner.unwanted_value()?
        } else {
            scanner.value()?
        };
        members.push(Member {
            key,
            value,
            inner: 0..0,
        });
    }
    Ok(())
}

/// The last member of a name.
#[inline(never)]
pub(super) fn last<'m>(members: &'m [Member], name: &str, document: &[u8]) -> Option<&'m Member> {
    members.iter().rfind(|member| member.is(name, document))
}

/// The looks of the keys of members; one with an escape in it may be any.
pub(super) fn looks(members: &[Member], document: &[u8]) -> u64 {
    let each = members.iter().map(|member| match member.key.is_plain() {
        true => text::looks(member.raw_key(document)),
        false => u64::MAX,
    });
    each.fold(0, |all, looks| all | looks)
}

/// The members of a document that is an object.
///
/// If a member occurs twice, the last one counts, as in `JSON.parse`.
#[derive(Debug, Clone, Copy)]
pub struct Members<'m, 'a> {
    pub(super) document: &'a [u8],
    index: &'m Index,
}

impl<'m, 'a> Members<'m, 'a> {
    /// The members of a document that was scanned.
    #[inline]
    pub fn new(document: &'a [u8], index: &'m Index) -> Self {
        Self { document, index }
    }

    /// The value of a member; if there are two of the name, of the last.
    #[inline(never)]
    pub fn get(self, name: &str) -> Option<Deserializer<'m, 'a>> {
        let mut members = self.index.outer.iter();
        let member = members.rfind(|member| member.is(name, self.document))?;
        let inner = &self.index.inner[member.inner.clone()];
        Some(Deserializer::known(self.document, &member.value, inner))
    }

    /// Returns `true` if there is a member of this name that is this string.
    pub fn has_string(self, name: &str, string: &str) -> bool {
        let value = self.get(name).map(Deserializer::text);
        let string_in = |value: &'a [u8]| value.strip_prefix(b"\"")?.strip_suffix(b"\"");
        value
            .and_then(string_in)
            .is_some_and(|value| text::same(value, string.as_bytes()))
    }

    /// Decodes a type from those members that it names.
    pub fn decode<T: Deserialize<'a>>(self) -> Result<T, Error> {
        T::deserialize(Known(self))
    }

    /// All of them.
    pub(super) fn all(self) -> &'m [Member] {
        &self.index.outer
    }

    /// The members of those that are objects.
    pub(super) fn inner(self) -> &'m [Member] {
        &self.index.inner
    }
}
