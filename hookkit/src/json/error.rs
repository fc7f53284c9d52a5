use std::fmt;

/// Why a document, or a value of it, could not be read; and where.
#[derive(Debug)]
pub(crate) struct Error {
    /// The members that lead to the value, joined by dots; empty for the document itself.
    path: String,
    message: String,
    /// The text ends too early; with more of it, it may be valid.
    cut_off: bool,
}

impl Error {
    #[cold]
    pub(crate) fn new(message: fmt::Arguments<'_>) -> Self {
        Self {
            path: String::new(),
            message: message.to_string(),
            cut_off: false,
        }
    }

    #[cold]
    pub(crate) fn cut_off(at: usize) -> Self {
        Self {
            cut_off: true,
            ..Self::new(format_args!("ends at byte {at} in the middle of a value"))
        }
    }

    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// The same fault, seen from the object that has the faulty value as its member `key`.
    #[cold]
    pub(crate) fn inside(mut self, key: &str) -> Self {
        if !self.path.is_empty() {
            self.path.insert(0, '.');
        }
        self.path.insert_str(0, key);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "`{path}`: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(format_args!("{message}"))
    }
}
