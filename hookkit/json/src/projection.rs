//! The members of a payload that a type reads. All other members need not be kept.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

use super::scan::Span;
use super::{Input, Scanner, text};

/// The part of a value that is read.
#[derive(Debug, Clone, Copy)]
pub enum Projection {
    /// The whole value is read.
    All,
    /// Nothing is read: the value is only scanned.
    Nothing,
    /// The named members of an object are read, each as a whole. Any value that is not an object is read as a whole.
    Members(&'static [&'static str]),
}

impl Projection {
    /// Returns the fields that `T` requests when it is decoded from an object.
    ///
    /// Returns [`All`](Self::All) for a type that does not declare its fields: a map, or a type with a flattened part.
    pub fn of<'de, T: Deserialize<'de>>() -> Self {
        let is_ignored = Cell::new(false);
        match T::deserialize(Probe(&is_ignored)) {
            Err(Fields(Some(fields))) => Self::Members(fields),
            Ok(_) if is_ignored.get() => Self::Nothing,
            // A map, or a type that discards errors: the fields that it reads are unknown.
            _ => Self::All,
        }
    }

    /// Returns the part of a member that is read.
    #[inline]
    pub(super) fn of_member<S: Input>(self, key: &Span, scanner: &Scanner<S>) -> Self {
        match self {
            // A key with escapes may be any of them.
            Self::Members(names) if key.is_plain() => {
                let key = &scanner.scanned()[key.text.clone()];
                let is_wanted = names.iter().any(|name| text::same(name.as_bytes(), key));
                if is_wanted { Self::All } else { Self::Nothing }
            }
            Self::Members(_) => Self::All,
            _ => self,
        }
    }
}

/// The part of a payload that all types together read.
#[derive(Debug)]
pub struct PayloadProjection {
    members: Vec<(&'static str, Projection)>,
    /// The part read of each member that is not in `members`.
    others: Projection,
}

impl PayloadProjection {
    /// The projection with the whole payload.
    pub const ALL: Self = Self { members: Vec::new(), others: Projection::All };

    /// Creates an empty projection.
    #[inline]
    pub fn nothing() -> Self {
        Self { members: Vec::with_capacity(24), others: Projection::Nothing }
    }

    /// Adds a projection of the payload.
    #[inline]
    pub fn add(&mut self, projection: Projection) {
        match projection {
            Projection::All => *self = Self::ALL,
            Projection::Members(names) if !self.is_all() => {
                self.members.extend(names.iter().map(|name| (*name, Projection::All)));
            }
            _ => {}
        }
    }

    /// Adds a projection of a member.
    #[inline]
    pub fn add_member(&mut self, name: &'static str, projection: Projection) {
        if !self.is_all() {
            self.members.push((name, projection));
        }
    }

    fn is_all(&self) -> bool {
        matches!(self.others, Projection::All)
    }

    /// Returns the part of a member that is read.
    pub(super) fn of_member<S: Input>(&self, key: &Span, scanner: &Scanner<S>) -> Projection {
        if !key.is_plain() {
            return Projection::All;
        }
        let key = &scanner.scanned()[key.text.clone()];
        let mut named = self.members.iter().filter(|(name, _)| text::same(name.as_bytes(), key));
        match (named.next(), named.next()) {
            (None, _) => self.others,
            (Some((_, projection)), None) => *projection,
            // Several types read it, perhaps different parts.
            (Some(_), Some(_)) => Projection::All,
        }
    }
}

/// A deserializer that has no value, and records the fields that a type requests.
struct Probe<'p>(
    /// `true` if the type reads nothing.
    &'p Cell<bool>,
);

/// The requested fields; `None` for all fields.
#[derive(Debug)]
struct Fields(Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Fields;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fields> {
        Err(Fields(None))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Fields> {
        Err(Fields(Some(fields)))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fields> {
        let value = visitor.visit_some(Probe(self.0));
        // The presence of a value is read, even if the value is ignored.
        self.0.set(false);
        value
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fields> {
        self.0.set(true);
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a probe has no value")
    }
}

impl std::error::Error for Fields {}

impl serde::de::Error for Fields {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use serde::de::IgnoredAny;

    use crate::Json;

    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "it is only probed")]
    struct Named {
        path: String,
        #[serde(alias = "contents")]
        content: Option<String>,
    }

    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "it is only probed")]
    struct Flattened {
        path: String,
        #[serde(flatten)]
        rest: HashMap<String, String>,
    }

    /// A type for which errors are discarded.
    struct Lenient;

    impl<'de> Deserialize<'de> for Lenient {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let _ = Named::deserialize(deserializer);
            Ok(Self)
        }
    }

    #[test]
    fn a_projection_has_the_fields_that_a_type_names() {
        let names = |projection: Projection| match projection {
            Projection::Members(names) => names.to_vec(),
            Projection::All => vec!["all"],
            Projection::Nothing => vec!["nothing"],
        };
        assert_eq!(names(Projection::of::<Named>()), ["path", "content", "contents"]);
        let expected = ["path", "content", "contents"];
        assert_eq!(names(Projection::of::<Option<Named>>()), expected);
        assert_eq!(names(Projection::of::<IgnoredAny>()), ["nothing"]);
        assert_eq!(names(Projection::of::<Option<IgnoredAny>>()), ["all"]);
        assert_eq!(names(Projection::of::<Flattened>()), ["all"]);
        assert_eq!(names(Projection::of::<Json>()), ["all"]);
        assert_eq!(names(Projection::of::<Lenient>()), ["all"]);
    }

    #[test]
    fn a_projection_of_everything_absorbs_all_others() {
        let mut first = PayloadProjection::ALL;
        first.add_member("tool_input", Projection::Nothing);
        first.add(Projection::Members(&["path"]));
        let mut last = PayloadProjection::nothing();
        last.add_member("tool_input", Projection::Nothing);
        last.add(Projection::All);
        for projection in [first, last] {
            assert!(projection.is_all() && projection.members.is_empty());
        }
    }
}
