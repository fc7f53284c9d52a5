//! Words of which the client has a few, and to which it adds at any time.

use std::fmt;
use std::marker::PhantomData;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::Number;

/// Declares an enum of the client's words, whose last variant, `Other`, keeps every word that it does not name.
///
/// It has no default. [`wire!`](crate::wire::wire) adds the empty word as one, which the client never sends.
macro_rules! open_enum {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$about_variant:meta])* $variant:ident = $word:literal,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$about_variant])* $variant,)*
            /// A word that this version of hookkit does not know.
            ///
            /// A later one may: compare with [`as_str`](Self::as_str) what is not named here.
            Other(String),
        }

        impl $name {
            /// The client's word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)*
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::wire::Value for $name {}

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::open::Word(std::marker::PhantomData))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use open_enum;

/// Takes a word without making a string of it.
pub(crate) struct Word<T>(pub(crate) PhantomData<T>);

impl<T: for<'w> From<&'w str>> Visitor<'_> for Word<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, word: &str) -> Result<T, E> {
        Ok(T::from(word))
    }
}

/// Takes `null` for the default, too: for a field whose absence means it.
pub(crate) fn or_default<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

/// Takes a count that only the client writes: the whole part of one with a fraction, and none of what is not a count.
///
/// It is not worth an error, which would keep a hook from being called.
pub(crate) fn count<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let number: Option<Number> = Option::deserialize(value)?;
    Ok(number.and_then(|number| number.count()))
}

#[cfg(test)]
mod tests {
    use crate::{Json, PermissionMode};

    #[test]
    fn a_word_is_kept_whether_it_is_known_or_not() {
        for (word, mode) in [
            ("default", PermissionMode::Default),
            ("acceptEdits", PermissionMode::AcceptEdits),
            ("Plan", PermissionMode::Other("Plan".to_owned())),
            ("a \\\"b\\\"", PermissionMode::Other("a \"b\"".to_owned())),
        ] {
            let json = Json::parse(format!("\"{word}\"")).unwrap();
            assert_eq!(json.decode::<PermissionMode>().unwrap(), mode);
            assert_eq!(serde_json::to_string(&mode).unwrap(), json.text());
        }
        assert!(Json::parse("1").unwrap().decode::<PermissionMode>().is_err());
        assert_eq!(
            Json::parse("null").unwrap().decode::<Option<PermissionMode>>().unwrap(),
            None
        );
    }
}
