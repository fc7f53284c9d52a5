//! Files of text whose names others choose.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Reads a file of at most so many bytes.
///
/// # Errors
///
/// When it is a folder, a pipe or a device, has more bytes, is not text, or cannot be read.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<String> {
    // To open a pipe would wait for who writes it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file; put one with text in its place"));
    }
    let mut text = String::new();
    let length = File::open(path)?.take(most + 1).read_to_string(&mut text)?;
    if length as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes; shorten it")));
    }
    Ok(text)
}

// They need a pipe that has a path.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_pipe_a_folder_and_what_is_too_long_are_errors() {
        let folder = test_support::folder();
        let at = |name: &str| folder.path().join(name);
        let error = |name: &str| read(&at(name), 8).unwrap_err().to_string();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("long"), "123456789").unwrap();
        fs::write(at("text"), "12345678").unwrap();
        assert!(error("pipe").starts_with("it is not a file"));
        assert!(error("folder").starts_with("it is not a file"));
        assert!(error("long").starts_with("it has more than 8 bytes"));
        assert_eq!(read(&at("text"), 8).unwrap(), "12345678");
        assert_eq!(read(&at("none"), 8).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
