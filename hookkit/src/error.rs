//! The error type of the library.

use std::{fmt, io};

use crate::json;

/// An error of a hook.
///
/// When a handler returns it, the hook's failure policy applies. The text goes to stderr, and the client shows it as
/// for any failed hook.
/// A handler may also return any other error that implements `Display`.
pub struct Error(Box<str>);

impl Error {
    /// Creates an error with a message: a lowercase fragment without a full stop that says what is wrong and how to fix
    /// it.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self(message.to_string().into())
    }

    /// Creates the error for bytes on stdin that are not a payload.
    #[cold]
    pub(crate) fn unreadable(err: &json::Error, bytes: &[u8]) -> Self {
        if bytes.trim_ascii().is_empty() {
            return Self::msg("stdin is empty; the client sends one JSON object");
        }
        Self::msg(format_args!("stdin is not the JSON object that the client sends: {err}"))
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
