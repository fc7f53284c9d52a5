//! The file by which a hook sets variables for the session's commands.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};

use crate::event::GivesEnvFile;
use crate::json::PayloadProjection;
use crate::{Error, FromInput, Payload};

/// Sets variables for the Bash calls that come after the hook.
///
/// The client reads such a file before each of them (`CLAUDE_ENV_FILE`).
/// It gives one on [`SessionStart`](crate::event::SessionStart), [`Setup`](crate::event::Setup),
/// [`CwdChanged`](crate::event::CwdChanged) and [`FileChanged`](crate::event::FileChanged); on other events the
/// argument does not compile.
/// What was set on the last two holds until the current directory changes.
/// All facts about the client are those of 2.1.330.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Lets every command find the project's tools.
/// #[hook(SessionStart)]
/// pub fn tools(context: Context, file: EnvFile) -> Result<(), Error> {
///     file.set("PROJECT_TOOLS", context.project_dir.join("tools"))
/// }
///
/// // A test gives one of its own.
/// # fn main() -> Result<(), Error> {
/// # let path = std::env::temp_dir().join(format!("hookkit-{}", std::process::id()));
/// tools(Context::default(), EnvFile::new(&path))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "export PROJECT_TOOLS='tools'\n");
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvFile {
    path: Option<PathBuf>,
}

/// The client puts the files of all hooks before a command, in one argument of bash, of which Linux takes 128 KiB with the
/// command itself.
const MAX_BYTES: u64 = 96 << 10;

/// The kernel writes a page of a file as a whole. Before the next page it looks whether the process was
/// killed, and leaves the rest unwritten.
const PAGE: usize = 4096;

/// Maximum number of bytes of a quoted value on a line that is not its last one.
const MAX_IN_A_LINE: usize = PAGE - 64;

/// And in the last one, which has the name, too.
const MAX_IN_LAST_LINE: usize = PAGE / 2;

/// Maximum length of a name, so that its line fits a page.
const MAX_NAME: usize = 1024;

/// Variables that bash keeps read-only: the line would be an error before every command.
const READONLY: [&str; 6] = ["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"];

impl EnvFile {
    /// A file at this path, for a test.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: Some(path.into()),
        }
    }

    /// The file; `None` where the client gave none, as it does to hooks in PowerShell.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Sets a variable, whatever text its value is: quotes, dollars, line ends.
    ///
    /// It is appended to the file so that hooks that run at the same time do not mix their lines, and that one which is
    /// killed on the way sets the variable or does not: the client would put half a line before every command.
    ///
    /// # Errors
    ///
    /// When bash could not have such a variable: its name has other characters than ASCII letters, digits and `_`, begins
    /// with a digit, or is one that bash keeps read-only (`UID`), or its value contains a NUL byte.
    /// When the value is not UTF-8: the client reads the file as text, and would change it.
    /// When the file would have more than 96 KiB: with too much before them, the client can start no commands any more.
    /// When the client gave no file, or nothing can be written to it.
    pub fn set(&self, name: &str, value: impl AsRef<OsStr>) -> Result<(), Error> {
        let lines = export(name, value.as_ref())?;
        let Some(path) = &self.path else {
            return Err(refused(
                name,
                format_args!("the client provided no file for variables (`CLAUDE_ENV_FILE`)"),
            ));
        };
        let unwritten = |err| refused(name, format_args!("{} cannot be written: {err}", path.display()));
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(unwritten)?;
        // The lock goes with the file. Where there are none, hooks that run at the same time are on their own.
        let _ = file.lock();
        let length = file.metadata().map_err(unwritten)?.len();
        let is_in_a_line = is_in_a_line(&mut file, length).map_err(unwritten)?;
        let text = placed(&lines, length, is_in_a_line);
        if length + text.len() as u64 > MAX_BYTES {
            return Err(refused(
                name,
                format_args!(
                    "it takes {} bytes, and {} already has {length} of at most {MAX_BYTES}",
                    text.len(),
                    path.display()
                ),
            ));
        }
        // Not `write_all`: where a file may not grow, a second try is SIGXFSZ, and the half of a line would stay.
        match file.write(text.as_bytes()) {
            Ok(written) if written == text.len() => Ok(()),
            failed => {
                let _ = file.set_len(length);
                Err(unwritten(
                    failed.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into()),
                ))
            }
        }
    }
}

#[cold]
fn refused(name: &str, why: fmt::Arguments<'_>) -> Error {
    Error::msg(format_args!("`{name}` cannot be set: {why}"))
}

/// Returns `true` if what is in the file ends without a line end.
fn is_in_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != [b'\n'])
}

/// Lines as they go to the end of a file of this length: each within a page, and empty ones between them.
fn placed(lines: &[String], length: u64, is_in_a_line: bool) -> String {
    let mut text = String::from(if is_in_a_line { "\n" } else { "" });
    for line in lines {
        // It fits, since no file is longer than a few pages.
        let used = (length as usize + text.len()) % PAGE;
        if used + line.len() > PAGE {
            text.extend(iter::repeat_n('\n', PAGE - used));
        }
        text += line;
    }
    text
}

/// Lines that set a variable in any POSIX shell, each shorter than a page. None but the last one sets it.
fn export(name: &str, value: &OsStr) -> Result<Vec<String>, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.bytes().all(is_plain) {
        return Err(Error::msg(format_args!(
            "`{name}` is not a valid variable name: use letters, digits and `_`, and no digit first"
        )));
    }
    if name.len() > MAX_NAME {
        let why = format_args!("its name has more than {MAX_NAME} characters");
        return Err(refused(name, why));
    }
    if READONLY.contains(&name) {
        return Err(refused(name, format_args!("bash keeps it read-only")));
    }
    let Some(value) = value.to_str() else {
        let why = format_args!("its value is not UTF-8, and the client would alter it");
        return Err(refused(name, why));
    };
    if value.contains('\0') {
        let why = format_args!("its value contains a NUL byte");
        return Err(refused(name, why));
    }
    let mut rest = value;
    let mut lines = Vec::new();
    while quotable(rest, MAX_IN_LAST_LINE) < rest.len() {
        let (part, behind) = rest.split_at(quotable(rest, MAX_IN_A_LINE));
        let sum = if lines.is_empty() { "" } else { "$_hookkit" };
        lines.push(format!("_hookkit={sum}{}\n", quoted(part)));
        rest = behind;
    }
    lines.push(match lines.is_empty() {
        true => format!("export {name}={}\n", quoted(rest)),
        false => format!("export {name}=\"$_hookkit\"{}; unset _hookkit\n", quoted(rest)),
    });
    Ok(lines)
}

/// A quote between single quotes.
const QUOTE: &str = "'\\''";

/// A word for a shell: nothing means anything between single quotes, but their end.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', QUOTE))
}

/// Returns the length of the part of a text that takes at most `max` bytes when it is quoted.
fn quotable(text: &str, max: usize) -> usize {
    let mut length = 0;
    let mut places = text.char_indices();
    let behind = places.find(|(_, char)| {
        length += if *char == '\'' { QUOTE.len() } else { char.len_utf8() };
        length > max
    });
    behind.map_or(text.len(), |(place, _)| place)
}

impl<E: GivesEnvFile> FromInput<E> for EnvFile {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            path: payload.variable("CLAUDE_ENV_FILE").map(PathBuf::from),
        })
    }

    fn projection(_: &mut PayloadProjection) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use crate::event::{SessionStart, Stop};
    use crate::payload::Surroundings;

    #[test]
    fn variables_come_from_what_the_payload_came_with() {
        let variables = |name: &str| match name {
            "CLAUDE_ENV_FILE" => Some("/variables.sh".into()),
            "CLAUDE_CODE_REMOTE" => Some("true".into()),
            "CLAUDE_CODE_SESSION_ATTENDED" => Some("0".into()),
            "CLAUDE_PLUGIN_ROOT" => Some("/plugin".into()),
            "CLAUDE_PLUGIN_DATA" => Some("".into()),
            _ => None,
        };
        let payload = Payload::scan(b"{}", Surroundings::variables(variables)).unwrap();
        let file = <EnvFile as FromInput<SessionStart>>::from_input(&payload).unwrap();
        assert_eq!(file, EnvFile::new("/variables.sh"));
        let environment = <Environment as FromInput<Stop>>::from_input(&payload).unwrap();
        assert!(environment.is_remote() && !environment.is_attended());
        assert_eq!(environment.plugin_root(), Some("/plugin".into()));
        assert_eq!(environment.plugin_data(), None);

        let payload = Payload::parse(b"{}").unwrap();
        let file = <EnvFile as FromInput<SessionStart>>::from_input(&payload).unwrap();
        assert_eq!(file.path(), None);
    }
}
