//! The one error type of the library.

use std::{fmt, io};

use crate::json;

/// Why a hook could not do its work.
///
/// A handler that returns it leaves the outcome to the hook's failure policy; its text goes to stderr, which
/// the client shows as it shows any failed hook's.
/// A handler may return any other error that can be displayed, too.
pub struct Error(Box<str>);

impl Error {
    /// An error in the author's words: a lowercase fragment without a full stop, that names what was found and what to
    /// do about it.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self(message.to_string().into())
    }

    /// The bytes on stdin are not a payload.
    #[cold]
    pub(crate) fn unreadable(err: &json::Error, bytes: &[u8]) -> Self {
        if bytes.trim_ascii().is_empty() {
            return Self::msg("stdin is empty; the client sends one JSON object");
        }
        Self::msg(format_args!(
            "stdin is not the JSON object that the client sends: {err}"
        ))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

macro_rules! from {
    ($($error:ty)*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::msg(error)
            }
        }
    )*};
}

from! { io::Error json::Error serde_json::Error String &str }
