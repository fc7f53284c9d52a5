//! Decodes the client's own records, whose format is not documented.
//!
//! A member that is absent or has an unexpected type becomes its type's default, so no row is lost.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::Deserialize;

use crate::Json;
use crate::json::{Scanned, lossy};

/// Decodes the first member that exists among these names.
pub(super) fn read<T: Lenient>(object: &Scanned<'_>, names: &[&str]) -> T {
    let text = names.iter().find_map(|name| object.get(name));
    text.and_then(T::read).unwrap_or_default()
}

/// Returns the whole object.
pub(super) fn json_of(object: &Scanned<'_>) -> Json {
    Json::read(object.text()).unwrap_or_default()
}

/// A type that becomes its default if it cannot be decoded.
pub(super) trait Lenient: Default {
    /// Decodes the text of one value.
    fn read(text: &[u8]) -> Option<Self>;
}

impl Lenient for String {
    fn read(text: &[u8]) -> Option<Self> {
        lossy(text, |value| value.as_str().map(Cow::into_owned))
    }
}

impl Lenient for PathBuf {
    fn read(text: &[u8]) -> Option<Self> {
        String::read(text).map(Self::from)
    }
}

impl Lenient for bool {
    fn read(text: &[u8]) -> Option<Self> {
        Some(text == b"true")
    }
}

impl Lenient for u64 {
    fn read(text: &[u8]) -> Option<Self> {
        str::from_utf8(text).ok()?.parse().ok()
    }
}

impl Lenient for Json {
    fn read(text: &[u8]) -> Option<Self> {
        lossy(text.trim_ascii(), |value| Self::deserialize(value))
    }
}

impl<T: Lenient> Lenient for Option<T> {
    fn read(text: &[u8]) -> Option<Self> {
        (text != b"null").then(|| T::read(text))
    }
}

/// Declares a struct decoded from an object. Each field is read from the first of its member names that exists.
///
/// A field without a member name gets its default; the caller sets it.
macro_rules! record {
    (
        $(#[$about:meta])*
        $visibility:vis struct $record:ident {
            $($(#[$about_field:meta])* pub $field:ident: $type:ty $(= $($name:literal)|+)?,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        #[non_exhaustive]
        $visibility struct $record {
            $($(#[$about_field])* pub $field: $type,)*
        }

        impl $record {
            fn of(object: &$crate::json::Scanned<'_>) -> Self {
                Self {
                    $($field: $crate::transcript::record::read(object, &[$($($name),+)?]),)*
                }
            }
        }

        impl $crate::transcript::record::Lenient for $record {
            fn read(text: &[u8]) -> Option<Self> {
                let object = $crate::json::Scanned::scan(text).ok()?;
                Some(Self::of(&object))
            }
        }
    };
}

/// Declares a [`record!`] that also has the members of every row of the conversation.
macro_rules! conversation_row {
    (
        $(#[$about:meta])*
        pub struct $record:ident {
            $($own:tt)*
        }
    ) => {
        $crate::transcript::record::record! {
            $(#[$about])*
            pub struct $record {
                $($own)*
                /// Id of the row.
                pub uuid: String = "uuid",
                /// Id of the previous row in the conversation. `None` at the start and after a compaction.
                pub parent_uuid: Option<String> = "parentUuid",
                /// Id of the session.
                pub session_id: String = "sessionId" | "session_id",
                /// Time of writing, in ISO 8601 and UTC.
                pub timestamp: String = "timestamp",
                /// Version of the client.
                pub version: String = "version",
                /// Current directory when the row was written.
                pub cwd: std::path::PathBuf = "cwd",
                /// Git branch when the row was written, in a repository.
                pub git_branch: Option<String> = "gitBranch",
                /// `true` if the row is part of a subagent's conversation.
                ///
                /// Client 2.1.330 writes a separate file for each subagent, in which this is `true` for every row. Older
                /// clients wrote the rows of subagents to the session's file.
                pub is_sidechain: bool = "isSidechain",
                /// Id of the subagent, in the rows of its conversation.
                pub agent_id: Option<String> = "agentId" | "agent_id",
                /// In `stream-json` output: id of the call that started the row's subagent.
                pub parent_tool_use_id: Option<String> = "parent_tool_use_id",
            }
        }

        impl $record {
            /// Decodes a row. A row with the id of a subagent's call is part of the subagent's conversation.
            fn of_row(object: &$crate::json::Scanned<'_>) -> Self {
                let mut row = Self::of(object);
                row.is_sidechain |= row.parent_tool_use_id.is_some();
                row
            }
        }
    };
}

pub(super) use {conversation_row, record};
