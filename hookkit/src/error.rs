//! The one error type of the library.

use std::{fmt, io};

use crate::json;

/// Why a hook could not do its work.
///
/// A handler that returns it leaves the outcome to the hook's failure policy; its text goes to stderr, and to whoever
/// the client shows a failed hook's stderr.
/// A handler may return any other error that can be displayed, too.
pub struct Error(Box<Kind>);

enum Kind {
    Message(String),
    Io(io::Error),
    Json(serde_json::Error),
}

impl Error {
    /// An error in the author's words: a lowercase fragment without a full stop, that names what was found and what to
    /// do about it.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self(Box::new(Kind::Message(message.to_string())))
    }

    /// The bytes on stdin are no payload.
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
        match &*self.0 {
            Kind::Message(message) => f.write_str(message),
            Kind::Io(err) => err.fmt(f),
            Kind::Json(err) => err.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(err: io::Error) -> Self {
        Self(Box::new(Kind::Io(err)))
    }
}

impl From<json::Error> for Error {
    fn from(err: json::Error) -> Self {
        Self::msg(err)
    }
}

impl From<serde_json::Error> for Error {
    fn from(err: serde_json::Error) -> Self {
        Self(Box::new(Kind::Json(err)))
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::msg(message)
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::msg(message)
    }
}
