//! Configuration files of a project or a user, which can change without an `install`.
//!
//! A hook's own configuration is a [`Config`](crate::Config), which `install` checks. A file is for values that do not
//! come from the installer, or that a hook itself changes:
//!
//! ```
//! use hookkit::config_file::ConfigFile;
//! use hookkit::prelude::*;
//! use serde::Deserialize;
//!
//! #[derive(Default, Deserialize)]
//! struct Limits {
//!     longest: Option<usize>,
//! }
//!
//! /// Asks about commands that are longer than the project allows.
//! #[hook(PreToolUse)]
//! pub fn long_command(call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
//!     let limits: Limits = ConfigFile::in_project(&context, ".claude/limits.json").json()?.unwrap_or_default();
//!     Ok(match limits.longest {
//!         Some(longest) if call.input.command.len() > longest => PreToolUseAnswer::ask("it is too long to be read"),
//!         _ => PreToolUseAnswer::pass(),
//!     })
//! }
//!
//! # fn main() -> Result<(), Error> {
//! # let folder = std::env::temp_dir().join(format!("hookkit-config-file-{}", std::process::id()));
//! # let mut context = Context::default();
//! # context.project_dir = folder.clone();
//! # std::fs::create_dir_all(&folder)?;
//! let call = || PreToolUse::new("Bash", tool::Bash::new("cargo test"));
//! assert_eq!(long_command(call(), context.clone())?, PreToolUseAnswer::pass());
//! ConfigFile::in_project(&context, ".claude/limits.json").update(|text| *text = r#"{"longest": 5}"#.to_owned())?;
//! assert_eq!(long_command(call(), context)?, PreToolUseAnswer::ask("it is too long to be read"));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! A checkout determines the files of a project, and the model can edit them: do not read anything from them that a
//! guard relies on.
//!
//! The module requires the feature `config-file`.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::disk::{self, Lock};
use crate::place::Place;
use crate::{Context, Error};

/// Maximum size of a file, so that it is read quickly.
const MAX_BYTES: u64 = 1 << 20;

/// A configuration file. The [module](self) has an example.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    place: Place,
}

impl ConfigFile {
    /// Refers to a file of the project ([`Context::project_dir`]), at a relative path.
    ///
    /// A link at the path or at one of its folders is an error: a checkout can contain one that leads out of the
    /// project. A link that another program creates at the same moment may still be followed.
    pub fn in_project(context: &Context, file: impl Into<PathBuf>) -> Self {
        Self { place: Place::in_project(context, file) }
    }

    /// Refers to a file of the project as [`Context::project_file`] finds it: in the main working tree, if the file
    /// exists there. Links are errors.
    pub fn of_project(context: &Context, file: impl Into<PathBuf>) -> Self {
        let (file, mut context) = (file.into(), context.clone());
        let main = context.main_project_dir();
        if main.join(&file).symlink_metadata().is_ok() {
            context.project_dir = main;
        }
        Self::in_project(&context, file)
    }

    /// Refers to a file at a path that no checkout controls, such as one in
    /// [`Environment::home`](crate::Environment::home). Links are followed.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { place: Place::anywhere(path) }
    }

    /// Returns the path.
    pub fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Returns the text, or `None` if there is no file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is larger than 1 MiB, is not UTF-8 or not a regular file, or is a link in a
    /// project.
    pub fn text(&self) -> Result<Option<String>, Error> {
        self.read().map_err(|err| self.failed("read", &err))
    }

    /// Returns the value of a JSON file, or `None` if there is no file.
    ///
    /// # Errors
    ///
    /// Fails like [`text`](Self::text), and if the text does not have the shape of `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        let Some(text) = self.text()? else { return Ok(None) };
        let value = serde_json::from_str(text.trim_start_matches('\u{feff}'));
        value.map(Some).map_err(|err| {
            Error::msg(format_args!(
                "`{}` is not a valid configuration: {err}: fix or remove the file",
                self.path().display()
            ))
        })
    }

    /// Changes the text and returns the result of `change`. A missing file counts as empty. If the text differs, the
    /// file is replaced as a whole, so that a reader finds the old text or the new one.
    ///
    /// Missing folders are created, and the file keeps its permissions. Updates by hooks that run at the same time wait
    /// for each other, except on Windows. Edits by other programs do not wait.
    ///
    /// # Errors
    ///
    /// Fails like [`text`](Self::text), and if the file cannot be replaced; the old one stays.
    pub fn update<R>(&self, change: impl FnOnce(&mut String) -> R) -> Result<R, Error> {
        let prepared = self.place.create_folders().and_then(|()| self.lock());
        let _lock = prepared.map_err(|err| self.failed("changed", &err))?;
        let old = self.text()?.unwrap_or_default();
        let mut text = old.clone();
        let result = change(&mut text);
        if text != old {
            self.replace(&text).map_err(|err| self.failed("changed", &err))?;
        }
        Ok(result)
    }

    /// Changes the value of a JSON file, as [`update`](Self::update) changes text. A missing file counts as the type's
    /// default. The new text is indented, and has only the members of `T`.
    ///
    /// # Errors
    ///
    /// Fails like [`update`](Self::update), and if the file is invalid; the file is not changed then.
    pub fn update_json<T: DeserializeOwned + Serialize + Default, R>(
        &self,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, Error> {
        self.update(|text| {
            // The file is locked, and has this text.
            let mut value = self.json()?.unwrap_or_default();
            let result = change(&mut value);
            *text = serde_json::to_string_pretty(&value)? + "\n";
            Ok(result)
        })?
    }

    /// Removes the file. Returns `false` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be removed, or is a link in a project.
    pub fn remove(&self) -> Result<bool, Error> {
        let removed = self.open().and_then(|file| {
            drop(file);
            fs::remove_file(self.path())
        });
        match removed {
            Ok(()) => Ok(true),
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(false),
            Err(err) => Err(self.failed("removed", &err)),
        }
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        self.place.open(options)
    }

    fn read(&self) -> io::Result<Option<String>> {
        let mut text = String::new();
        match self.open() {
            Ok(file) => file.take(MAX_BYTES + 1).read_to_string(&mut text)?,
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(err),
        };
        match text.len() as u64 > MAX_BYTES {
            true => Err(io::Error::other("it is larger than 1 MiB")),
            false => Ok(Some(text)),
        }
    }

    /// Locks the folder. A lock of the file itself would be lost when it is replaced, and a separate lock file would be
    /// litter.
    fn lock(&self) -> io::Result<Option<Lock>> {
        if cfg!(windows) {
            return Ok(None);
        }
        let path = self.path();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = File::open(folder.unwrap_or(Path::new(".")))?;
        let longest = disk::wait(disk::MAX_WAIT);
        match Lock::take(folder, File::try_lock, Instant::now() + longest) {
            Ok(lock) => Ok(Some(lock)),
            Err(err) if err.kind() == ErrorKind::TimedOut => Err(io::Error::other(format!(
                "another process has locked its folder for {:.1} s",
                longest.as_secs_f32()
            ))),
            // Not every file system has locks.
            Err(_) => Ok(None),
        }
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        // If the user's path is a link, its target is replaced.
        let path = self.path();
        let path = path.canonicalize().unwrap_or(path);
        let Some(name) = path.file_name() else {
            return Err(ErrorKind::InvalidFilename.into());
        };
        let new = path.with_file_name(format!(".{}.{}.new", name.to_string_lossy(), process::id()));
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
            file.write_all(text.as_bytes())?;
            if let Ok(old) = fs::metadata(&path) {
                file.set_permissions(old.permissions())?;
            }
            file.sync_all()?;
            drop(file);
            disk::rename(&new, &path)
        };
        write().inspect_err(|err| {
            if err.kind() != ErrorKind::AlreadyExists {
                let _ = fs::remove_file(&new);
            }
        })
    }

    #[cold]
    fn failed(&self, what: &str, why: &dyn fmt::Display) -> Error {
        Error::msg(format_args!("the configuration `{}` cannot be {what}: {why}", self.path().display()))
    }
}

#[cfg(test)]
mod tests;
