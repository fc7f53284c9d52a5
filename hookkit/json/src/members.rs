//! Records the positions of the members of an object.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::Deserialize;

use super::de::{Deserializer, Known};
use super::scan::Span;
use super::{Error, Input, PayloadProjection, Projection, Scanner, borrowed, text, unescape};

/// The positions of an object's member in a document.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: Span,
    pub(super) value: Span,
    /// Indexes of the member's own members in [`Index::inner`], if it is an object whose members were recorded.
    pub(super) inner: Range<usize>,
}

// Called for each member of a payload: always inlined, since hooks are built with a low threshold.
impl Member {
    /// Returns the key as written in the document, with escapes.
    #[inline(always)]
    pub(super) fn raw_key<'a>(&self, document: &'a [u8]) -> &'a [u8] {
        &document[self.key.text.clone()]
    }

    pub(super) fn key<'a>(&self, document: &'a [u8]) -> Result<Cow<'a, str>, Error> {
        let raw = self.raw_key(document);
        if self.key.is_plain() { borrowed(raw) } else { unescape(raw) }
    }

    #[inline(always)]
    pub(super) fn is(&self, name: &str, document: &[u8]) -> bool {
        if !self.key.is_plain() {
            return self.is_escaped(name, document);
        }
        // Nearly all keys differ in length, so the document need not be read.
        let Range { start, end } = self.key.text;
        end - start == name.len() && text::same(self.raw_key(document), name.as_bytes())
    }

    #[cold]
    fn is_escaped(&self, name: &str, document: &[u8]) -> bool {
        self.key(document).is_ok_and(|key| key == name)
    }
}

/// Maximum number of recorded members. Each takes about 64 bytes of memory, even if its text has only five or six.
const MAX_MEMBERS: usize = 1 << 20;

/// Fails if `count` is already the maximum number of members.
#[inline(always)]
fn another(count: usize) -> Result<(), Error> {
    if count < MAX_MEMBERS { Ok(()) } else { Err(too_many()) }
}

#[cold]
fn too_many() -> Error {
    Error::new(format_args!("it has more than {MAX_MEMBERS} members"))
}

/// The members of an object in order, and the members of the objects among them.
#[derive(Debug)]
pub struct Index {
    outer: Vec<Member>,
    inner: Vec<Member>,
}

impl Index {
    /// Creates the index of the object at the scanner's position. [`next`](Self::next) adds its members, one by one.
    #[inline(always)]
    pub fn start<S: Input>(scanner: &mut Scanner<S>) -> Result<Self, Error> {
        scanner.object_start()?;
        // The usual number of members of a payload.
        Ok(Self { outer: Vec::with_capacity(16), inner: Vec::with_capacity(16) })
    }

    /// Adds the next member. Returns `false` at the end of the object.
    ///
    /// A value that is not in `projection` may be replaced by `null`.
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
        self.outer.push(Member { key, value, inner: known..self.inner.len() });
        Ok(true)
    }

    /// Returns `true` if the last added member has this key.
    #[inline(always)]
    pub fn last_is(&self, name: &str, document: &[u8]) -> bool {
        self.outer.last().is_some_and(|member| member.is(name, document))
    }
}

/// Returns the members of an object.
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
        members.push(Member { key, value, inner: 0..0 });
    }
    Ok(())
}

/// Returns the last member with this name.
#[inline(never)]
pub(super) fn last<'m>(members: &'m [Member], name: &str, document: &[u8]) -> Option<&'m Member> {
    members.iter().rfind(|member| member.is(name, document))
}

/// Returns the fingerprints of the members' keys. The fingerprint of a key with an escape may be wrong.
pub(super) fn fingerprints(members: &[Member], document: &[u8]) -> u64 {
    let each = members.iter().map(|member| match member.key.is_plain() {
        true => text::fingerprint(member.raw_key(document)),
        false => u64::MAX,
    });
    each.fold(0, |all, fingerprint| all | fingerprint)
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
    /// Returns the members of a scanned document.
    #[inline]
    pub fn new(document: &'a [u8], index: &'m Index) -> Self {
        Self { document, index }
    }

    /// Returns the value of a member. If several have this name, the last one counts.
    #[inline(never)]
    pub fn get(self, name: &str) -> Option<Deserializer<'m, 'a>> {
        let mut members = self.index.outer.iter();
        let member = members.rfind(|member| member.is(name, self.document))?;
        let inner = &self.index.inner[member.inner.clone()];
        Some(Deserializer::known(self.document, &member.value, inner))
    }

    /// Returns the document with a new value for a member; `None` if the member is absent.
    pub fn replaced(self, name: &str, value: &[u8]) -> Option<Vec<u8>> {
        let present = &last(&self.index.outer, name, self.document)?.value.text;
        Some([&self.document[..present.start], value, &self.document[present.end..]].concat())
    }

    /// Returns `true` if the member of this name is this string.
    pub fn has_string(self, name: &str, string: &str) -> bool {
        let value = self.get(name).map(Deserializer::text);
        let string_in = |value: &'a [u8]| value.strip_prefix(b"\"")?.strip_suffix(b"\"");
        value.and_then(string_in).is_some_and(|value| text::same(value, string.as_bytes()))
    }

    /// Decodes a type from its members in the document.
    pub fn decode<T: Deserialize<'a>>(self) -> Result<T, Error> {
        T::deserialize(Known(self))
    }

    /// Returns all members.
    pub(super) fn all(self) -> &'m [Member] {
        &self.index.outer
    }

    /// Returns the members of the objects among the members.
    pub(super) fn inner(self) -> &'m [Member] {
        &self.index.inner
    }
}
