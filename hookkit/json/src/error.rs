//! Errors of a document.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// Why a document, or a value of it, could not be read; and where.
///
/// One word long: it is part of what every step of the scanner returns.
#[derive(Debug)]
pub struct Error(Box<Fault>);

#[derive(Debug)]
struct Fault {
    /// The members that lead to the value, joined by dots; empty for the document itself.
    path: String,
    message: String,
    /// The text ends too early; with more of it, it may be valid.
    is_cut_off: bool,
}

impl Error {
    /// An error about the whole document.
    #[doc(hidden)]
    #[cold]
    pub fn new(message: fmt::Arguments<'_>) -> Self {
        Self(Box::new(Fault {
            path: String::new(),
            message: message.to_string(),
            is_cut_off: false,
        }))
    }

    /// serde_json's words for it.
    #[cold]
    pub(super) fn of(err: serde_json::Error) -> Self {
        Self::new(format_args!("{err}"))
    }

    #[cold]
    pub(super) fn cut_off(at: usize) -> Self {
        let mut error = Self::new(format_args!("ends at byte {at} in the middle of a value"));
        error.0.is_cut_off = true;
        error
    }

    /// Returns whether the text ends too early: with more of it, it may be valid.
    #[doc(hidden)]
    pub fn is_cut_off(&self) -> bool {
        self.0.is_cut_off
    }

    /// The same fault, seen from the object that has the faulty value as its member `key`.
    #[doc(hidden)]
    #[cold]
    pub fn inside(mut self, key: &str) -> Self {
        let path = &mut self.0.path;
        if !path.is_empty() {
            path.insert(0, '.');
        }
        path.insert_str(0, key);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.path.as_str() {
            "" => f.write_str(&self.0.message),
            path => write!(f, "`{path}`: {}", self.0.message),
        }
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(format_args!("{message}"))
    }

    // The defaults can print the value that they found, and with it link what prints floats: 17 KB in every hook.
    #[cold]
    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(format_args!("invalid type: {}, expected {wanted}", kind(&found)))
    }

    #[cold]
    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::new(format_args!("invalid value: {}, expected {wanted}", kind(&found)))
    }
}

fn kind<'u>(found: &Unexpected<'u>) -> &'u str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "an array",
        Unexpected::Map => "an object",
        Unexpected::Other(kind) => kind,
        _ => "a value of another kind",
    }
}
