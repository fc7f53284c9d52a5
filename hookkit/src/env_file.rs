//! The file by which a hook sets variables for the session's commands.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::event::GivesEnvFile;
use crate::json::PayloadWants;
use crate::{Error, FromInput, Payload};

/// Sets variables for the Bash calls that come after the hook.
///
/// The client reads such a file before each of them (`CLAUDE_ENV_FILE`).
/// It gives one on [`SessionStart`](crate::event::SessionStart), [`Setup`](crate::event::Setup),
/// [`CwdChanged`](crate::event::CwdChanged) and [`FileChanged`](crate::event::FileChanged); on another event this is no
/// argument.
/// What was set on the last two holds until the current directory changes.
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

    /// Sets a variable, whatever its value holds: quotes, dollars, line ends.
    ///
    /// It is appended to the file in one piece, so that hooks that run at the same time do not mix their lines.
    ///
    /// # Errors
    ///
    /// When a shell could not have such a variable: its name has other characters than ASCII letters, digits and `_`, or
    /// begins with a digit, or its value holds a NUL byte.
    /// When the client gave no file, or nothing can be written to it.
    pub fn set(&self, name: &str, value: impl AsRef<OsStr>) -> Result<(), Error> {
        let line = export(name, value.as_ref().as_bytes())?;
        let Some(path) = &self.path else {
            return Err(Error::msg(format_args!(
                "`{name}` cannot be set: the client gave no file for variables (`CLAUDE_ENV_FILE`)"
            )));
        };
        let unwritten = |err: std::io::Error| {
            Error::msg(format_args!(
                "`{name}` cannot be set: {} cannot be written: {err}",
                path.display()
            ))
        };
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(unwritten)?;
        let written = file.write(&line).map_err(unwritten)?;
        if written < line.len() {
            return Err(unwritten(std::io::ErrorKind::WriteZero.into()));
        }
        Ok(())
    }
}

/// A line that sets a variable in any POSIX shell.
fn export(name: &str, value: &[u8]) -> Result<Vec<u8>, Error> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.bytes().all(is_plain) {
        return Err(Error::msg(format_args!(
            "`{name}` is no name for a variable: write letters, digits and `_`, and no digit first"
        )));
    }
    if value.contains(&0) {
        return Err(Error::msg(format_args!(
            "`{name}` cannot be set: its value holds a NUL byte, which no variable can"
        )));
    }
    let mut line = format!("export {name}='").into_bytes();
    for byte in value {
        match byte {
            // Nothing means anything between single quotes, but their end.
            b'\'' => line.extend(b"'\\''"),
            _ => line.push(*byte),
        }
    }
    line.extend(b"'\n");
    Ok(line)
}

impl<E: GivesEnvFile> FromInput<E> for EnvFile {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            path: payload.variable("CLAUDE_ENV_FILE").map(PathBuf::from),
        })
    }

    fn wants(_: &mut PayloadWants) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use crate::event::{SessionStart, Stop};

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
        let payload = Payload::scan(b"{}", variables).unwrap();
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
