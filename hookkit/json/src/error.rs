//! The error for a document that cannot be read.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

/// The error for a document that cannot be read, or for one of its values.
///
/// The error is one machine word, because every step of the scanner returns it.
#[derive(Debug)]
pub struct Error(Box<Fault>);

#[derive(Debug)]
struct Fault {
    /// The members that lead to the value, joined by dots; empty for the document itself.
    path: String,
    message: String,
    /// `true` if the text ends too early, and may become valid with more text.
    is_cut_off: bool,
}

impl Error {
    /// Creates an error about the whole document.
    #[doc(hidden)]
    #[cold]
    pub fn new(message: fmt::Arguments<'_>) -> Self {
        Self(Box::new(Fault { path: String::new(), message: message.to_string(), is_cut_off: false }))
    }

    /// Converts an error of serde_json.
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

    /// Returns `true` if the text ends too early, and may become valid with more text.
    #[doc(hidden)]
    pub fn is_cut_off(&self) -> bool {
        self.0.is_cut_off
    }

    /// Adds `key` to the front of the error's path: the key of the object that contains the error.
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

    // The defaults print the value, and so link the code that prints floats: 17 KB in every hook.
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
