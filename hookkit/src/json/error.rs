use std::fmt;

/// Why a document, or a value of it, could not be read; and where.
#[derive(Debug)]
pub(crate) struct Error {
    /// The members that lead to the value, joined by dots; empty for the document itself.
    path: String,
    message: String,
}

impl Error {
    #[cold]
    pub(crate) fn new(message: fmt::Arguments<'_>) -> Self {
        Self {
            path: String::new(),
            message: message.to_string(),
        }
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
