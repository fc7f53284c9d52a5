//! Logs of JSON lines, to which several hooks append at the same time.
//!
//! ```
//! use hookkit::log::Log;
//! use hookkit::prelude::*;
//! use hookkit::{Error, Timestamp};
//! use serde::Serialize;
//!
//! #[derive(Serialize)]
//! struct Call<'c> {
//!     time: Timestamp,
//!     tool: &'c str,
//!     input: &'c Json,
//! }
//!
//! /// Logs each tool call in the project.
//! #[hook(PreToolUse, on_failure = continue)]
//! pub fn log_calls(call: PreToolUse, context: Context) -> Result<(), Error> {
//!     Log::in_project(&context, ".claude/calls.jsonl").append(&Call {
//!         time: Timestamp::now(),
//!         tool: &call.tool_name,
//!         input: &call.input,
//!     })
//! }
//!
//! # fn main() -> Result<(), Error> {
//! # let folder = std::env::temp_dir().join(format!("hookkit-log-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let mut context = Context::default();
//! # context.project_dir = folder.clone();
//! // The client keeps the line ends that the model writes between tokens; a record is one line nevertheless.
//! log_calls(PreToolUse::new("Bash", Json::parse("{\n\"command\":\"ls\"}")?), context)?;
//! let log = std::fs::read_to_string(folder.join(".claude/calls.jsonl"))?;
//! assert!(log.ends_with("\"tool\":\"Bash\",\"input\":{ \"command\":\"ls\"}}\n"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! Inputs, prompts and results contain secrets. Only the user can read a log that is created here (mode 0600); keep a
//! project's log out of the repository with a line in `.gitignore`.
//!
//! The module requires the feature `log`.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use crate::disk::{self, Lock};
use crate::place::Place;
use crate::{Context, Error};

/// Default size limit: 8 MiB. A larger log becomes the old log, and a new one begins.
const LIMIT: u64 = 8 << 20;

/// A file of JSON lines. The [module](self) has an example.
#[derive(Debug, Clone)]
pub struct Log {
    place: Place,
    limit: u64,
}

impl Log {
    /// Creates a log in the project ([`Context::project_dir`]), at a relative path.
    ///
    /// A link at the path or at one of its folders is an error: a checkout can contain one that leads out of the
    /// project. A link that another program creates at the same moment may still be followed.
    pub fn in_project(context: &Context, file: impl Into<PathBuf>) -> Self {
        Self { place: Place::in_project(context, file), limit: LIMIT }
    }

    /// Creates a log at a path that no checkout controls, such as one in
    /// [`Environment::home`](crate::Environment::home). Links are followed.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::anywhere(path), limit: LIMIT }
    }

    /// Sets the maximum size in bytes; the default is 8 MiB.
    ///
    /// A record that would make the log larger begins a new one. The old records move to a file with `.old` in its
    /// name, `calls.old.jsonl` for `calls.jsonl`, and replace the records there. So both files together have at most
    /// twice this size.
    #[must_use]
    pub fn limit(self, bytes: u64) -> Self {
        Self { limit: bytes, ..self }
    }

    /// Appends a record, as one line, and creates the file and its folders if they are missing.
    ///
    /// Hooks that run at the same time wait for each other, so that no record is lost or mixed with another. A record
    /// is written as a whole or not at all. Only a process that is killed while writing can leave a partial record, on
    /// its own line. If the log is moved or removed, a new one begins.
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be represented in JSON, or is larger than the limit. Fails if the file cannot be
    /// written, is not a regular file, or is a link below a project. Fails if another process locks it for 5 seconds or
    /// until the hook's time is up, or if its file system has no locks.
    pub fn append(&self, record: &impl Serialize) -> Result<(), Error> {
        let line = serde_json::to_vec(record).map_err(|err| self.unwritten(&err))?;
        self.append_line(line).map_err(|err| self.unwritten(&err))
    }

    /// Appends a record that is already JSON.
    fn append_line(&self, mut line: Vec<u8>) -> io::Result<()> {
        for byte in &mut line {
            // In valid JSON they only occur between tokens, where a blank means the same.
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        line.push(b'\n');
        let size = line.len() as u64;
        if size > self.limit {
            return Err(io::Error::other(format!(
                "a record of {size} bytes does not fit into {}: leave out long fields, or raise the `limit`",
                self.limit
            )));
        }
        self.place.create_folders()?;
        let lock = self.lock()?;
        let mut file = lock.file();
        let mut length = file.metadata()?.len();
        if length + size > self.limit {
            self.make_room(file)?;
            length = 0;
        }
        if length > 0 && last_byte(file)? != b'\n' {
            line.insert(0, b'\n');
        }
        file.seek(SeekFrom::End(0))?;
        // Not `write_all`: at the file size limit, a second write raises SIGXFSZ and half a line would remain.
        let written = match file.write(&line) {
            Ok(written) if written == line.len() => return Ok(()),
            Ok(_) => ErrorKind::StorageFull.into(),
            Err(err) => err,
        };
        let _ = file.set_len(length);
        Err(written)
    }

    fn lock(&self) -> io::Result<Lock> {
        let mut options = disk::private();
        // On Windows, a file that is opened to append cannot be truncated.
        options.append(cfg!(unix)).truncate(false);
        let longest = disk::wait(disk::MAX_WAIT);
        let lock = Lock::take(self.place.open(options)?, File::try_lock, Instant::now() + longest);
        lock.map_err(|err| match err.kind() {
            ErrorKind::TimedOut => {
                io::Error::other(format!("another process has locked it for {:.1} s", longest.as_secs_f32()))
            }
            ErrorKind::Unsupported => io::Error::other("its file system has no locks: put the log on another one"),
            _ => err,
        })
    }

    /// Moves the records to the older log. The log stays the same file, because others may wait for its lock.
    fn make_room(&self, mut file: &File) -> io::Result<()> {
        let path = self.place.path();
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push(".old");
        if let Some(extension) = path.extension() {
            name.push(".");
            name.push(extension);
        }
        let mut options = disk::private();
        options.truncate(true);
        let mut old = self.place.with_name(name).open(options)?;
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file, &mut old)?;
        file.set_len(0)
    }

    #[cold]
    fn unwritten(&self, why: &dyn std::fmt::Display) -> Error {
        Error::msg(format_args!("cannot append to the log `{}`: {why}", self.place.path().display()))
    }
}

fn last_byte(mut file: &File) -> io::Result<u8> {
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last[0])
}

#[cfg(test)]
mod tests;
