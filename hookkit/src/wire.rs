//! Declarations of the types of the client's JSON: objects, words, and values of several forms.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use hookkit_protocol::is_same;
use serde::de::{DeserializeOwned, DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serialize, Serializer};

use crate::json::WIRE;
use crate::{Json, Number};

/// Declares the types of the client's JSON.
///
/// ```text
/// wire! {
///     /// A struct is read from an object and written as one.
///     pub struct Stop {
///         /// A field has a doc comment, a name and a type; after `=` is the member's name, if it differs.
///         stop_hook_active: bool,
///     }
///
///     /// A constructor sets the fields with its arguments' names; the others have their defaults.
///     pub new Stop(stop_hook_active: bool);
///
///     /// Words: see `open_enum!`.
///     pub enum Effort { … }
///
///     /// One of several forms: see `open_union!`.
///     pub enum ReadResponse by "type" { … }
/// }
/// ```
///
/// A field's type determines how it is read and written:
///
/// | field | absent | `null` | written |
/// |---|---|---|---|
/// | `name: Option<T>` | `None` | `None` | if it is `Some` |
/// | `name?: T` (a flag or a list) | the default | the default | if it is not the default |
/// | `name: T` | an error | an error | always |
/// | `name: T as defaulted` | the default | an error | always |
/// | `name: T as written` | the default | the default | always |
///
/// In a struct `with defaults`, each `name: T` is `as defaulted`.
/// An `Option<u64>` is a [count](crate::open::count): a value that is not a count is `None`, or an error with `as
/// exact`.
/// A struct `without Eq` has a field whose type is not `Eq`.
///
/// Unknown members are skipped. An array is never read as a struct, not even by serde_json.
///
/// serde's derive generates five functions and an enum to decode each struct; this macro generates two functions.
macro_rules! wire {
    ($(
        $(#[$about:meta])*
        pub $kind:ident $name:ident $($word:ident)* $($tag:literal)? $(($($argument:tt)*);)? $({ $($body:tt)* })?
    )*) => {
        $($crate::wire::wire_item! {
            $(#[$about])*
            pub $kind $name $($word)* $($tag)? $(($($argument)*))? $({ $($body)* })?
        })*
    };
}

/// One item of [`wire!`].
macro_rules! wire_item {
    (
        $(#[$about:meta])*
        pub struct $name:ident $(with $defaults:ident)? $(without $eq:ident)? { $($field:tt)* }
    ) => {
        $crate::wire::wire_struct! {
            [$($defaults)?] [$($eq)?]
            $(#[$about])*
            pub struct $name { $($field)* }
        }
    };
    ($(#[$about:meta])* pub new $name:ident($($argument:ident: $type:ty),*)) => {
        impl $name {
            $(#[$about])*
            #[allow(clippy::needless_update, reason = "some structs have no other fields")]
            pub fn new($($argument: $type),*) -> Self {
                Self {
                    $($argument: $argument.into(),)*
                    ..Self::default()
                }
            }
        }
    };
    ($(#[$about:meta])* pub enum $name:ident by $tag:tt { $($form:tt)* }) => {
        $crate::tool::open_union! {
            $(#[$about])*
            pub enum $name by $tag { $($form)* }
        }
    };
    ($(#[$about:meta])* pub enum $name:ident { $($body:tt)* }) => {
        $crate::open::open_enum! {
            $(#[$about])*
            pub enum $name { $($body)* }
        }

        /// Returns the empty word, which the client never sends.
        impl Default for $name {
            fn default() -> Self {
                Self::Other(String::new())
            }
        }
    };
}

/// One struct of [`wire!`].
macro_rules! wire_struct {
    ([$($defaults:ident)?] [] $($struct:tt)*) => {
        $crate::wire::wire_struct! {
            [$($defaults)?] [Eq]
            #[derive(Eq)]
            $($struct)*
        }
    };
    (
        [$($defaults:ident)?] [Eq]
        $(#[$about:meta])*
        pub struct $name:ident {
            $(
                $(#[$about_field:meta])*
                $field:ident $(?: $optional:ty)? $(: $type:ty $(as $how:ident)?)? $(= $member:literal)?,
            )*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$about_field])* pub $field: $($optional)? $($type)?,)*
        }

        impl $crate::wire::Wire for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [&'static str] =
                &[$($crate::wire::last(&[stringify!($field) $(, $member)?])),*];
            const MEMBERS: &'static [&'static str] = match $crate::wire::has_foreign(Self::FIELDS) {
                true => &[
                    $($crate::wire::last(&[stringify!($field) $(, $member)?]),)*
                    $($crate::wire::foreign($crate::wire::last(&[stringify!($field) $(, $member)?])),)*
                ],
                false => Self::FIELDS,
            };
            const REQUIRED: u64 = $crate::wire::required(
                &[$(stringify!($defaults),)?],
                &[$(
                    $(<$optional as $crate::wire::Member<$crate::wire::optional>>::IS_REQUIRED)?
                    $(<$type as $crate::wire::Member<$($crate::wire::$how)?>>::IS_REQUIRED)?
                ),*],
            );

            #[inline]
            fn read<'de, A: serde::de::MapAccess<'de>>(&mut self, at: usize, members: &mut A) -> Result<(), A::Error> {
                $(
                    if at == 0 {
                        self.$field =
                            $(<$optional as $crate::wire::Member<$crate::wire::optional>>)?
                            $(<$type as $crate::wire::Member<$($crate::wire::$how)?>>)?
                            ::read(members)?;
                        return Ok(());
                    }
                    let at = at.wrapping_sub(1);
                )*
                let _ = at;
                $crate::wire::skip(members)
            }

            fn write<M: serde::ser::SerializeMap>(&self, members: &mut $crate::wire::Members<M>) -> Result<(), M::Error> {
                $(
                    let is_written =
                        $(<$optional as $crate::wire::Member<$crate::wire::optional>>)?
                        $(<$type as $crate::wire::Member<$($crate::wire::$how)?>>)?
                        ::is_written(&self.$field);
                    members.member(&self.$field, is_written)?;
                )*
                let _ = members;
                Ok(())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::deserialize(deserializer)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::wire::serialize(self, serializer)
            }
        }
    };
}

pub(crate) use {wire, wire_item, wire_struct};

/// A struct that [`wire!`] declares.
pub(crate) trait Wire: Default {
    const NAME: &'static str;
    /// The members' names, in the order of the fields.
    const FIELDS: &'static [&'static str];
    /// The fields' names, then the same list with the [foreign](FOREIGN) names where they exist. If there are no
    /// foreign names, only the first list.
    const MEMBERS: &'static [&'static str];
    /// A bit for each required member.
    const REQUIRED: u64;

    /// Reads the value of the member with this index; skips the value of an unknown member.
    fn read<'de, A: MapAccess<'de>>(&mut self, at: usize, members: &mut A) -> Result<(), A::Error>;

    /// Writes all fields, in order.
    fn write<M: SerializeMap>(&self, members: &mut Members<M>) -> Result<(), M::Error>;
}

/// The type of a field. `How` is the way to read and write it: a word after `as`, `optional` for `?:`, or `()`.
pub(crate) trait Member<How = ()>: Sized {
    const IS_REQUIRED: bool;

    /// Reads the value of the member whose name was just read.
    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error>;

    /// Returns `true` if the field is written.
    fn is_written(&self) -> bool {
        true
    }
}

/// A type for which an absent member has no special meaning.
pub(crate) trait Value: DeserializeOwned + Serialize {
    /// Reads a value that may be `null`.
    fn read_optional<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Option<Self>, A::Error> {
        members.next_value()
    }
}

impl Value for Json {}
impl Value for Number {}
impl Value for PathBuf {}
impl Value for String {}
impl Value for bool {}
impl Value for f64 {}
impl<T: Value> Value for BTreeMap<String, T> {}
impl<T: Value> Value for Vec<T> {}
impl<T: Wire + DeserializeOwned + Serialize> Value for T {}

impl Value for u64 {
    fn read_optional<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Option<Self>, A::Error> {
        let number: Option<Number> = members.next_value()?;
        Ok(number.and_then(|number| number.count()))
    }
}

impl<T: Value> Member<()> for T {
    const IS_REQUIRED: bool = true;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        members.next_value()
    }
}

impl<T: Value> Member<()> for Option<T> {
    const IS_REQUIRED: bool = false;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        T::read_optional(members)
    }

    fn is_written(&self) -> bool {
        self.is_some()
    }
}

/// The ways to read and write a field.
mod how {
    #![expect(non_camel_case_types, reason = "they are the macro's words")]

    pub(crate) enum optional {}
    pub(crate) enum defaulted {}
    pub(crate) enum written {}
    pub(crate) enum exact {}
}

pub(crate) use how::{defaulted, exact, optional, written};

impl<T: DeserializeOwned + Default + PartialEq> Member<optional> for T {
    const IS_REQUIRED: bool = false;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        Ok(members.next_value::<Option<_>>()?.unwrap_or_default())
    }

    fn is_written(&self) -> bool {
        *self != T::default()
    }
}

impl<T: Value> Member<defaulted> for T {
    const IS_REQUIRED: bool = false;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        members.next_value()
    }
}

impl<T: DeserializeOwned + Default> Member<written> for T {
    const IS_REQUIRED: bool = false;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        Ok(members.next_value::<Option<_>>()?.unwrap_or_default())
    }
}

impl Member<exact> for Option<u64> {
    const IS_REQUIRED: bool = false;

    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error> {
        members.next_value()
    }

    fn is_written(&self) -> bool {
        self.is_some()
    }
}

/// Names of members in an input, each with the name that another client sends instead. If both are present, the first
/// one wins.
///
/// Copilot CLI (1.0.102) runs the hooks of a project's `.claude/settings.json`, with Claude Code's event and tool
/// names.
pub(crate) const FOREIGN: [(&str, &str); 4] =
    [("file_path", "path"), ("content", "file_text"), ("old_string", "old_str"), ("new_string", "new_str")];

/// Returns the foreign name of a member, or its own name if there is none.
pub(crate) const fn foreign(member: &'static str) -> &'static str {
    let mut at = 0;
    while at < FOREIGN.len() {
        if is_same(FOREIGN[at].0.as_bytes(), member.as_bytes()) {
            return FOREIGN[at].1;
        }
        at += 1;
    }
    member
}

/// Returns `true` if one of these members has a foreign name.
pub(crate) const fn has_foreign(members: &[&'static str]) -> bool {
    let mut at = 0;
    while at < members.len() {
        if !is_same(foreign(members[at]).as_bytes(), members[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the name of a member: the client's name if it is given, or the field's.
pub(crate) const fn last(names: &[&'static str]) -> &'static str {
    names[names.len() - 1]
}

/// Returns a bit for each required field; none if the struct has `defaults`.
pub(crate) const fn required(defaults: &[&str], fields: &[bool]) -> u64 {
    assert!(fields.len() < 64);
    let (mut bits, mut at) = (0, 0);
    while defaults.is_empty() && at < fields.len() {
        bits |= (fields[at] as u64) << at;
        at += 1;
    }
    bits
}

/// Reads a struct from an object.
#[inline]
pub(crate) fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(WIRE, T::MEMBERS, Object(PhantomData))
}

/// Skips the value of a member.
#[inline]
pub(crate) fn skip<'de, A: MapAccess<'de>>(members: &mut A) -> Result<(), A::Error> {
    members.next_value::<IgnoredAny>().map(drop)
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Wire> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct ")?;
        f.write_str(T::NAME)
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<T, A::Error> {
        let mut value = T::default();
        let (mut seen, mut foreign) = (0_u64, 0_u64);
        while let Some(mut at) = members.next_key_seed(Name(T::MEMBERS))? {
            if at < T::FIELDS.len() {
                if seen & 1 << at != 0 {
                    return Err(A::Error::duplicate_field(T::FIELDS[at]));
                }
                seen |= 1 << at;
            } else if at < T::MEMBERS.len() {
                // A foreign name. The field's own name has precedence: it overwrites this value, and is never
                // overwritten.
                at -= T::FIELDS.len();
                if seen & 1 << at != 0 {
                    at = T::FIELDS.len();
                } else {
                    foreign |= 1 << at;
                }
            }
            value.read(at, &mut members)?;
        }
        let missing = T::REQUIRED & !(seen | foreign);
        if missing != 0 {
            return Err(A::Error::missing_field(T::FIELDS[missing.trailing_zeros() as usize]));
        }
        Ok(value)
    }
}

/// A seed that reads the name of a member as its index. For an unknown name, the index is the number of members.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }

    /// Accepts the index that hookkit's own deserializer passes.
    fn visit_u64<E>(self, at: u64) -> Result<usize, E> {
        Ok(usize::try_from(at).unwrap_or(usize::MAX))
    }

    fn visit_str<E>(self, name: &str) -> Result<usize, E> {
        let at = self.0.iter().position(|one| *one == name);
        Ok(at.unwrap_or(self.0.len()))
    }
}

/// Writes a struct as an object.
#[inline]
pub(crate) fn serialize<T: Wire, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut members = Members {
        // The number of members is only certain once they are written.
        object: serializer.serialize_map(None)?,
        names: T::FIELDS.iter(),
    };
    value.write(&mut members)?;
    members.object.end()
}

/// A serializer for the members of an object.
pub(crate) struct Members<M> {
    object: M,
    /// The names of the remaining members.
    names: std::slice::Iter<'static, &'static str>,
}

impl<M: SerializeMap> Members<M> {
    /// Writes the next member, or skips it.
    pub(crate) fn member<T: Serialize>(&mut self, value: &T, is_written: bool) -> Result<(), M::Error> {
        match self.names.next() {
            Some(name) if is_written => self.object.serialize_entry(name, value),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(unreachable_pub, reason = "the macro's types are public")]

    use serde::de::DeserializeOwned;

    use super::Serialize;
    use crate::Json;

    wire! {
        /// A field of each kind that may be absent from the object.
        pub struct Lenient {
            /// A Rust keyword, whose member has another name.
            r#type: Option<String> = "Type",
            /// A count.
            count: Option<u64>,
            /// A count that is exact.
            exact: Option<u64> as exact,
            /// A flag.
            flag?: bool,
            /// A list.
            list?: Vec<u64>,
            /// A flag that is always written.
            written: bool as written,
            /// A list that has a default, and is not `null`.
            defaulted: Vec<u64> as defaulted,
        }

        /// Required fields.
        pub struct Strict without Eq {
            /// A flag.
            flag: bool,
            /// An object.
            inner: Inner,
        }

        /// Like `Strict`, but without required members.
        pub struct Inner with defaults without Eq {
            /// A fraction.
            fraction: f64,
            /// A name.
            name: String,
        }

        /// Creates a value for a test.
        pub new Inner(name: &str);
    }

    /// Decodes and encodes a text; returns the JSON or the error.
    fn written<T: DeserializeOwned + Serialize>(text: &str) -> String {
        let value = Json::parse(text).unwrap().decode::<T>();
        value.map_or_else(|err| err.to_string(), |value| serde_json::to_string(&value).unwrap())
    }

    #[test]
    fn the_type_of_a_field_determines_how_it_is_read_and_written() {
        test_support::lines!("lines/fields.txt").check(|section, text| match section.name {
            "required fields" => written::<Strict>(text),
            _ => written::<Lenient>(text),
        });
    }

    #[test]
    fn a_constructor_sets_the_fields_that_it_names() {
        let inner = Inner::new("a");
        assert_eq!((inner.fraction, inner.name.as_str()), (0.0, "a"));
    }

    /// Some formats need to know the number of members beforehand.
    #[test]
    fn the_members_that_are_written_are_counted() {
        let expected = serde_json::json!({"written": false, "defaulted": []});
        assert_eq!(serde_json::to_value(Lenient::default()).unwrap(), expected);
        let empty = crate::tool::TaskStop::default();
        assert_eq!(serde_json::to_string(&[&empty, &empty]).unwrap(), "[{},{}]");
    }
}
