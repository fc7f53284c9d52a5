//! The types of the client's JSON: its objects, its words, and values of several forms.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

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
///         /// A field has its doc comment, its name and its type; the member's name, where that is another one, is behind `=`.
///         stop_hook_active: bool,
///     }
///
///     /// A constructor puts each argument into the field of its name, and the default into the others.
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
/// A field's type says how it is read and written:
///
/// | field | absent | `null` | written |
/// |---|---|---|---|
/// | `name: Option<T>` | `None` | `None` | if it is `Some` |
/// | `name?: T`, a flag or a list | the default | the default | if it is not the default |
/// | `name: T` | an error | an error | always |
/// | `name: T as defaulted` | the default | an error | always |
/// | `name: T as written` | the default | the default | always |
///
/// In a struct `with defaults`, each `name: T` is `as defaulted`.
/// An `Option<u64>` is a [count](crate::open::count): a value that is not a count is `None`. `as exact`, it is an error.
/// A struct `without Eq` has a field that has no `Eq`.
///
/// Members that a struct does not name are skipped. An array is not a struct, by serde_json either.
///
/// serde's derive makes five functions and an enum to decode each struct; here there are two functions.
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
            #[allow(clippy::needless_update, reason = "some have no other fields")]
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

        /// The empty word, which the client never sends.
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
            const MEMBERS: &'static [&'static str] =
                &[$($crate::wire::last(&[stringify!($field) $(, $member)?])),*];
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
    const MEMBERS: &'static [&'static str];
    /// A bit for each member that has to be there.
    const REQUIRED: u64;

    /// Reads the value of the member with this number; skips that of one that the struct does not have.
    fn read<'de, A: MapAccess<'de>>(&mut self, at: usize, members: &mut A) -> Result<(), A::Error>;

    /// Writes all fields, in order.
    fn write<M: SerializeMap>(&self, members: &mut Members<M>) -> Result<(), M::Error>;
}

/// The type of a field, as it is read and written in the way `How`: a word behind `as`, `optional` for `?:`, or `()`.
pub(crate) trait Member<How = ()>: Sized {
    const IS_REQUIRED: bool;

    /// Reads the value of the member whose name was taken last.
    fn read<'de, A: MapAccess<'de>>(members: &mut A) -> Result<Self, A::Error>;

    /// Returns whether it is written.
    fn is_written(&self) -> bool {
        true
    }
}

/// A value whose absence has no meaning of its own.
pub(crate) trait Value: DeserializeOwned + Serialize {
    /// Reads one that may be `null`.
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

/// The ways in which a field is read and written.
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

/// The name of a member: the last of the field's and the client's, where that is another one.
pub(crate) const fn last(names: &[&'static str]) -> &'static str {
    names[names.len() - 1]
}

/// A bit for each field that is required; none where the struct has `defaults`.
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
        let mut seen = 0_u64;
        while let Some(at) = members.next_key_seed(Name(T::MEMBERS))? {
            if at < T::MEMBERS.len() {
                if seen & 1 << at != 0 {
                    return Err(A::Error::duplicate_field(T::MEMBERS[at]));
                }
                seen |= 1 << at;
            }
            value.read(at, &mut members)?;
        }
        let missing = T::REQUIRED & !seen;
        if missing != 0 {
            return Err(A::Error::missing_field(T::MEMBERS[missing.trailing_zeros() as usize]));
        }
        Ok(value)
    }
}

/// Takes the name of a member for its number: that of none of these is how many there are.
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

    /// hookkit's own deserializer gives the number.
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
        // Their number is only known in the end.
        object: serializer.serialize_map(None)?,
        names: T::MEMBERS.iter(),
    };
    value.write(&mut members)?;
    members.object.end()
}

/// The members of an object that is written.
pub(crate) struct Members<M> {
    object: M,
    /// The names of those that are still to come.
    names: std::slice::Iter<'static, &'static str>,
}

impl<M: SerializeMap> Members<M> {
    /// Writes the next one, or passes it over.
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
        /// A field of each kind that may be absent.
        pub struct Lenient {
            /// A word of the language, whose member has a name of its own.
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

        /// Fields that have to be there.
        pub struct Strict without Eq {
            /// A flag.
            flag: bool,
            /// An object.
            inner: Inner,
        }

        /// As `Strict`, but that nothing has to be there.
        pub struct Inner with defaults without Eq {
            /// A fraction.
            fraction: f64,
            /// A name.
            name: String,
        }

        /// One for a test.
        pub new Inner(name: &str);
    }

    /// Returns the JSON of a decoded text, or the error.
    fn written<T: DeserializeOwned + Serialize>(text: &str) -> String {
        let value = Json::parse(text).unwrap().decode::<T>();
        value.map_or_else(|err| err.to_string(), |value| serde_json::to_string(&value).unwrap())
    }

    #[test]
    fn a_field_is_read_and_written_as_its_type_says() {
        for (text, expected) in [
            ("{}", r#"{"written":false,"defaulted":[]}"#),
            (
                r#"{"Type":null,"count":null,"exact":null,"flag":null,"list":null,"written":null}"#,
                r#"{"written":false,"defaulted":[]}"#,
            ),
            (
                r#"{"Type":"","count":0,"exact":0,"flag":false,"list":[],"written":false,"defaulted":[]}"#,
                r#"{"Type":"","count":0,"exact":0,"written":false,"defaulted":[]}"#,
            ),
            (
                r#"{"other":[{}],"defaulted":[3],"written":true,"list":[2],"flag":true,"exact":1,"count":1.5,"Type":"t"}"#,
                r#"{"Type":"t","count":1,"exact":1,"flag":true,"list":[2],"written":true,"defaulted":[3]}"#,
            ),
            (r#"{"count":-1}"#, r#"{"written":false,"defaulted":[]}"#),
            (r#"{"exact":1.5}"#, "`exact`: invalid type: a number, expected u64"),
            (
                r#"{"defaulted":null}"#,
                "`defaulted`: invalid type: null, expected a sequence",
            ),
            (r#"{"flag":0}"#, "`flag`: invalid type: a number, expected a boolean"),
            ("[]", "invalid type: an array, expected struct Lenient"),
        ] {
            assert_eq!(written::<Lenient>(text), expected, "{text}");
        }
    }

    #[test]
    fn a_field_that_is_required_has_to_be_there() {
        for (text, expected) in [
            (
                r#"{"inner":{},"flag":true}"#,
                r#"{"flag":true,"inner":{"fraction":0.0,"name":""}}"#,
            ),
            (r#"{"inner":{}}"#, "missing field `flag`"),
            (r#"{"flag":true}"#, "missing field `inner`"),
            ("{}", "missing field `flag`"),
            (
                r#"{"flag":null,"inner":{}}"#,
                "`flag`: invalid type: null, expected a boolean",
            ),
            (
                r#"{"flag":true,"inner":{"name":7}}"#,
                "`inner.name`: invalid type: a number, expected a string",
            ),
            // Of a member that is there twice the last one counts, also where the first one is faulty.
            (
                r#"{"flag":0,"inner":7,"inner":{"name":"a"},"fl\u0061g":false}"#,
                r#"{"flag":false,"inner":{"fraction":0.0,"name":"a"}}"#,
            ),
        ] {
            assert_eq!(written::<Strict>(text), expected, "{text}");
        }
    }

    #[test]
    fn a_constructor_sets_the_fields_that_it_names() {
        let inner = Inner::new("a");
        assert_eq!((inner.fraction, inner.name.as_str()), (0.0, "a"));
    }

    /// Some formats ask for the number of members beforehand.
    #[test]
    fn the_members_that_are_written_are_counted() {
        assert_eq!(
            serde_json::to_value(Lenient::default()).unwrap(),
            serde_json::json!({"written": false, "defaulted": []})
        );
        let empty = crate::tool::TaskStop::default();
        assert_eq!(serde_json::to_string(&[&empty, &empty]).unwrap(), "[{},{}]");
    }
}
