//! Reads regular files within limits, from paths that are not trusted.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
///
/// Fails if it is a folder, a pipe or a device, or cannot be opened. For a missing file, the error keeps its kind.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file, but a folder, a pipe or a device"));
    }
    File::open(path)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
///
/// Fails like [`open`], and if the file is larger or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if length as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes; shorten it")));
    }
    Ok(bytes)
}

/// Reads a regular file of at most `most` bytes as text.
///
/// ```
/// use hookkit::bounded;
/// use hookkit::prelude::*;
///
/// /// Gives the model the first rules of the project.
/// #[hook(SessionStart)]
/// pub fn rules(context: Context) -> Result<SessionStartAnswer, Error> {
///     let rules = bounded::text(&context.project_file(".claude/first-rules.md"), 10_000)?;
///     Ok(SessionStartAnswer::pass().with_context(rules))
/// }
/// # fn main() {}
/// ```
///
/// # Errors
///
/// Fails like [`read`], and if the file is not UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    io::read_to_string(&*read(path, most)?)
}

// The tests need a named pipe.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_pipe_a_folder_and_what_is_too_long_are_errors() {
        let folder = test_support::folder();
        let at = |name: &str| folder.path().join(name);
        let error = |name: &str| text(&at(name), 8).unwrap_err().to_string();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("long"), "123456789").unwrap();
        fs::write(at("text"), "12345678").unwrap();
        assert!(error("pipe").starts_with("it is not a file"));
        assert!(error("folder").starts_with("it is not a file"));
        assert!(error("long").starts_with("it has more than 8 bytes"));
        assert_eq!(text(&at("text"), 8).unwrap(), "12345678");
        assert_eq!(text(&at("none"), 8).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
