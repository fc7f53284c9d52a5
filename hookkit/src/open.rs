//! Enums of the client's words, to which new versions can add words.

use std::fmt;
use std::marker::PhantomData;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::Number;

/// Declares an enum of the client's words; its last variant, `Other`, keeps any other word.
///
/// The enum has no default. [`wire!`](crate::wire::wire) adds one: the empty word, which the client never sends.
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
            /// A word without a variant in this version of hookkit.
            ///
            /// A later version may add a variant for it, so compare such words by [`as_str`](Self::as_str).
            Other(String),
        }

        impl $name {
            /// Returns the client's word.
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

/// A visitor that reads one of the client's words without allocating a string.
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

/// Reads a field whose default also applies to `null`.
pub(crate) fn or_default<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(value: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

/// Reads a count that only the client writes. A fraction is truncated; a value that is not a count becomes `None`.
///
/// An error would keep the hook from being called, and a count is not worth that.
pub(crate) fn count<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let number: Option<Number> = Option::deserialize(value)?;
    Ok(number.and_then(|number| number.count()))
}

#[cfg(test)]
mod tests {
    use crate::{Json, PermissionMode};

    #[test]
    fn known_and_unknown_words_are_kept() {
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
        let found = Json::parse("null").unwrap().decode::<Option<PermissionMode>>().unwrap();
        assert_eq!(found, None);
    }
}
