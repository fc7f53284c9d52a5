//! The file where a hook sets environment variables for the session's commands.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};

use crate::event::GivesEnvFile;
use crate::json::PayloadProjection;
use crate::quote::{QUOTE, quoted};
use crate::{Error, FromInput, Payload};

/// Sets environment variables for later Bash calls.
///
/// The client runs the file before each call (`CLAUDE_ENV_FILE`). It provides one on
/// [`SessionStart`](crate::event::SessionStart), [`Setup`](crate::event::Setup),
/// [`CwdChanged`](crate::event::CwdChanged) and [`FileChanged`](crate::event::FileChanged); on other events the
/// argument does not compile. Variables set on the last two events are kept until the current directory changes. All
/// facts about the client are from version 2.1.330.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Sets a variable to the folder of the project's tools.
/// #[hook(SessionStart)]
/// pub fn tools(context: Context, file: EnvFile) -> Result<(), Error> {
///     file.set("PROJECT_TOOLS", context.project_dir.join("tools"))
/// }
///
/// // A test uses its own file.
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

/// Maximum size of the file. The client prepends the files of all hooks to a command, in one argument of bash, which
/// Linux limits to 128 KiB in total.
const MAX_BYTES: u64 = 96 << 10;

/// Size of a page, which the kernel writes as a whole. If the process is killed, it stops between two pages.
const PAGE: usize = 4096;

/// Maximum length of the quoted part of a value on every line except the last.
const MAX_IN_A_LINE: usize = PAGE - 64;

/// Maximum length of the quoted part of a value on the last line, which also has the name.
const MAX_IN_LAST_LINE: usize = PAGE / 2;

/// Maximum length of a name, so that its line fits into a page.
const MAX_NAME: usize = 1024;

/// Variables that are read-only in bash: setting one would print an error before every command.
const READONLY: [&str; 6] = ["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"];

impl EnvFile {
    /// Creates an `EnvFile` with this path, for a test.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()) }
    }

    /// Returns the path; `None` if the client provided no file, for example to hooks in PowerShell.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Sets a variable to any text, including quotes, dollar signs and newlines.
    ///
    /// Hooks that run at the same time do not mix their lines. If a hook is killed, its variable is set completely or
    /// not at all: the client would prepend half a line to every command.
    ///
    /// Each variable is set on its own: variables set before an error stay set. A hook that sets several should go on
    /// after an error, and report it to the user: the client writes a hook's failure only to its debug log.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Sets the variables that the project lists.
    /// #[hook(SessionStart)]
    /// pub fn listed(file: EnvFile) -> SessionStartAnswer {
    ///     let errors = [("B-X", "1"), ("C", "2")].map(|(name, value)| file.set(name, value).err());
    ///     let errors: Vec<String> = errors.into_iter().flatten().map(|err| err.to_string()).collect();
    ///     match errors.is_empty() {
    ///         true => SessionStartAnswer::pass(),
    ///         false => SessionStartAnswer::pass().with_system_message(errors.join("\n")),
    ///     }
    /// }
    /// # fn main() -> Result<(), Error> {
    /// # let path = std::env::temp_dir().join(format!("hookkit-set-{}", std::process::id()));
    /// # assert_ne!(listed(EnvFile::new(&path)), SessionStartAnswer::pass());
    /// # assert_eq!(std::fs::read_to_string(&path)?, "export C='2'\n");
    /// # std::fs::remove_file(path)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the name is invalid: it has characters other than ASCII letters, digits and `_`, begins with a digit,
    /// or is read-only in bash (`UID`).
    /// Fails if the value contains a NUL byte or is not UTF-8: the client reads the file as text, and would alter it.
    /// Fails if the file would be larger than 96 KiB: beyond that, the client could not start commands.
    /// Fails if the client provided no file, or if it cannot be written.
    pub fn set(&self, name: &str, value: impl AsRef<OsStr>) -> Result<(), Error> {
        let lines = export(name, value.as_ref())?;
        let Some(path) = &self.path else {
            return Err(not_set(name, format_args!("the client provided no file for variables (`CLAUDE_ENV_FILE`)")));
        };
        let unwritten = |err| not_set(name, format_args!("{} cannot be written: {err}", path.display()));
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unwritten)?;
        // Closing the file unlocks it. Without locks, hooks that run at the same time could mix their lines.
        let _ = file.lock();
        let length = file.metadata().map_err(unwritten)?.len();
        let is_in_a_line = is_in_a_line(&mut file, length).map_err(unwritten)?;
        let text = placed(&lines, length, is_in_a_line);
        if length + text.len() as u64 > MAX_BYTES {
            return Err(not_set(
                name,
                format_args!(
                    "it takes {} bytes, and {} already has {length} of at most {MAX_BYTES}",
                    text.len(),
                    path.display()
                ),
            ));
        }
        // Not `write_all`: at the file size limit, a second write raises SIGXFSZ and half a line would remain.
        match file.write(text.as_bytes()) {
            Ok(written) if written == text.len() => Ok(()),
            failed => {
                let _ = file.set_len(length);
                Err(unwritten(failed.err().unwrap_or_else(|| io::ErrorKind::WriteZero.into())))
            }
        }
    }
}

#[cold]
fn not_set(name: &str, why: fmt::Arguments<'_>) -> Error {
    Error::msg(format_args!("`{name}` cannot be set: {why}"))
}

/// Returns `true` if the file does not end with a newline.
fn is_in_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != [b'\n'])
}

/// Joins lines to append to a file of this length. Adds empty lines where needed, so that each line is within a page.
fn placed(lines: &[String], length: u64, is_in_a_line: bool) -> String {
    let mut text = String::from(if is_in_a_line { "\n" } else { "" });
    for line in lines {
        // The cast does not overflow: the file has few pages.
        let used = (length as usize + text.len()) % PAGE;
        if used + line.len() > PAGE {
            text.extend(iter::repeat_n('\n', PAGE - used));
        }
        text += line;
    }
    text
}

/// Returns the lines that set a variable in any POSIX shell, each shorter than a page. Only the last line sets it.
fn export(name: &str, value: &OsStr) -> Result<Vec<String>, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.bytes().all(is_plain) {
        return Err(Error::msg(format_args!(
            "`{name}` is not a valid variable name: use letters, digits and `_`, and no digit first"
        )));
    }
    if name.len() > MAX_NAME {
        let why = format_args!("its name has more than {MAX_NAME} characters");
        return Err(not_set(name, why));
    }
    if READONLY.contains(&name) {
        return Err(not_set(name, format_args!("it is read-only in bash")));
    }
    let Some(value) = value.to_str() else {
        let why = format_args!("its value is not UTF-8, and the client would alter it");
        return Err(not_set(name, why));
    };
    if value.contains('\0') {
        let why = format_args!("its value contains a NUL byte");
        return Err(not_set(name, why));
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

/// Returns the length of the longest prefix that has at most `max` bytes when quoted.
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
    const LOCAL: Option<&'static str> = Some("a service has no `EnvFile`: the file is on the user's machine");
    const OF_CLAUDE: Option<&'static str> = Some("EnvFile");

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self { path: payload.variable("CLAUDE_ENV_FILE").map(PathBuf::from) })
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
    fn variables_come_from_the_surroundings_of_the_payload() {
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
