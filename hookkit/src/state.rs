//! State that hooks keep between their runs.
//!
//! A hook runs for a few milliseconds, and several hooks of one session can run at the same time. With the argument
//! [`States`], a hook keeps a value for the session, or for the project:
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::state::States;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Default, Serialize, Deserialize)]
//! struct Seen {
//!     files: u32,
//! }
//!
//! /// Reminds the model of the changelog at every tenth edit of a session.
//! #[hook(PostToolUse, matcher = "Edit|Write")]
//! pub fn remind(_event: PostToolUse, states: States) -> Result<Option<PostToolUseAnswer>, Error> {
//!     let files = states.of_session::<Seen>("remind")?.update(|seen| {
//!         seen.files += 1;
//!         seen.files
//!     })?;
//!     Ok((files % 10 == 0).then(|| PostToolUseAnswer::pass().with_context("Does the changelog have a line for this?")))
//! }
//!
//! // A test uses its own folder.
//! # fn main() -> Result<(), Error> {
//! # use hookkit::Json;
//! # let folder = std::env::temp_dir().join(format!("hookkit-state-{}", std::process::id()));
//! let states = || States::new(&folder, &Context::default());
//! let edit = || PostToolUse::new("Edit", Json::default(), Json::default());
//! for _ in 0..9 {
//!     assert_eq!(remind(edit(), states())?, None);
//! }
//! assert!(remind(edit(), states())?.is_some());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `testing`, a `testing::Session` has its own folder for states, and can read them.
//!
//! The module requires the feature `state`.
//!
//! # Location
//!
//! State is in `$XDG_STATE_HOME/hookkit`, or `~/.local/state/hookkit`; on Windows in `%LOCALAPPDATA%\hookkit`. For a
//! hook of a plugin it is in the plugin's data folder (`CLAUDE_PLUGIN_DATA`). It is never in the project, where it
//! could be committed, and only the user can read it (modes 0700 and 0600). Each session and each project has a folder,
//! with a JSON file for each name. All hooks that use a name share one value, so a published pack should include its
//! own name in each (`acme-guards remind`).
//!
//! # Lifetime
//!
//! A session's states are removed after 30 days without use, the client's default for transcripts. A hook that creates
//! the folder of another session removes up to 32 old folders. A project's states are kept, even after the project was
//! removed.
//!
//! # Durability
//!
//! Treat a state like a cache: do not keep secrets in it, nor anything that must not be lost.
//! If a process is killed, its state has the old value or the new one.
//! Writes are not flushed to disk: after a power failure the value can be missing.

use std::ffi::OsString;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::{PayloadProjection, Projection};
use crate::{Context, Error, Event, FromInput, Payload, context};

mod files;
#[cfg(test)]
mod tests;

use files::{Files, Locked};

/// Name of the folder that contains the sessions' folders.
const SESSIONS: &str = "sessions";

/// The states that a hook can use: an argument on any event.
///
/// The [module](self) has an example.
#[derive(Debug, Clone)]
pub struct States {
    /// Folder with all states; `None` if no environment variable determines it.
    root: Option<PathBuf>,
    session_id: String,
    project_dir: PathBuf,
}

impl States {
    /// Creates states in this folder, for the session and the project of a context: for a test, or for a hook with its
    /// own folder. The first update creates the folder.
    pub fn new(folder: impl Into<PathBuf>, context: &Context) -> Self {
        Self {
            root: Some(folder.into()),
            session_id: context.session_id.clone(),
            project_dir: context.project_dir.clone(),
        }
    }

    /// Returns the state with this name in this session. A resumed session and subagents share it.
    ///
    /// # Errors
    ///
    /// Fails if there is no folder: neither `XDG_STATE_HOME` nor `HOME` is set to an absolute path.
    pub fn of_session<T>(&self, name: &str) -> Result<State<T>, Error> {
        self.state(SESSIONS, self.session_id.as_bytes(), name)
    }

    /// Returns the state with this name in this project, the folder where the session was started
    /// ([`Context::project_dir`]). Each worktree is its own project.
    ///
    /// # Errors
    ///
    /// Fails like [`of_session`](Self::of_session).
    pub fn of_project<T>(&self, name: &str) -> Result<State<T>, Error> {
        self.state("projects", self.project_dir.as_os_str().as_encoded_bytes(), name)
    }

    /// Returns the path of a folder with this name next to the states, for files that a hook writes itself. The folder
    /// is not created.
    ///
    /// # Errors
    ///
    /// Fails like [`of_session`](Self::of_session).
    pub fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        Ok(self.root(name)?.join(files::file_name(name.as_bytes())))
    }

    fn root(&self, name: &str) -> Result<&PathBuf, Error> {
        self.root.as_ref().ok_or_else(|| {
            Error::msg(format_args!(
                "there is no folder for the state `{name}`: set `XDG_STATE_HOME` or `HOME` to an absolute path \
                 (in a test: `testing::Session`)"
            ))
        })
    }

    fn state<T>(&self, kind: &'static str, owner: &[u8], name: &str) -> Result<State<T>, Error> {
        Ok(State { files: Files::new(self.root(name)?, kind, owner, name), value: PhantomData })
    }
}

/// Returns the folder for states, from the hook's environment variables.
pub(crate) fn root(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says to ignore empty and relative paths.
    let folder = |name: &str| Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute());
    let own = || match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => Some(folder("HOME")?.join(".local/state")),
    };
    let base = folder("CLAUDE_PLUGIN_DATA").or_else(|| folder("XDG_STATE_HOME"));
    Some(base.or_else(own)?.join("hookkit"))
}

impl<E: Event> FromInput<E> for States {
    const LOCAL: Option<&'static str> = Some("a service has no `States`: the files are on the user's machine");

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            root: root(|name| payload.variable(name)),
            session_id: payload.string("session_id")?.into_owned(),
            project_dir: context::project_dir(payload, || Ok(payload.string("cwd")?.into_owned().into()))?,
        })
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add_member("session_id", Projection::All);
        projection.add_member("cwd", Projection::All);
    }
}

/// A value that is kept between runs. Its first value is the type's default.
pub struct State<T> {
    files: Files,
    value: PhantomData<fn() -> T>,
}

impl<T: Default + Serialize + DeserializeOwned> State<T> {
    /// Returns the value. It does not wait for an update in progress, and never returns half of a value.
    ///
    /// A value that cannot be decoded, for example from another version of the hook, is moved to another file and
    /// reported on stderr; the default is returned instead. Give a new field `#[serde(default)]` to keep the other
    /// fields.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    /// Fails if an invalid value cannot be moved, for the same reasons as [`update`](Self::update).
    pub fn read(&self) -> Result<T, Error> {
        let Some(bytes) = self.files.read()? else {
            return Ok(T::default());
        };
        match serde_json::from_slice(&bytes) {
            Ok(value) => {
                self.files.keep();
                Ok(value)
            }
            // Another process may have replaced it with a valid one, so it is read again under the lock.
            Err(_) => Self::load(&self.files.lock()?),
        }
    }

    /// Changes the value and returns the result of `change`. The state is locked during the change, so that no update
    /// is lost; do slow work before or after.
    ///
    /// The value is written whatever `change` returns, but not if it panics.
    /// An invalid value is moved to another file first, as in [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// Fails if another process locks the state for 5 seconds, or until the hook's time is up.
    /// Fails if the value cannot be written: it is larger than 1 MiB, cannot be represented in JSON (a map whose keys
    /// are not strings), or the disk is full. The old value stays.
    /// Fails if the file system does not support locks.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, Error> {
        self.change(self.files.lock()?, change)
    }

    /// Changes the value like [`update`](Self::update), or immediately returns `None` if another hook is updating it.
    ///
    /// The state can therefore lock work that only one hook should do at a time. During the work, other calls of
    /// `try_update` return `None`, and [`read`](Self::read) returns the old value. A killed process holds no lock.
    ///
    /// ```
    /// use hookkit::prelude::*;
    /// use hookkit::process::Command;
    /// use hookkit::state::States;
    ///
    /// /// Builds the search index after edits, once for edits that are made at the same time.
    /// #[hook(PostToolUse, matcher = "Edit|Write", async)]
    /// pub fn index(_event: PostToolUse, states: States) -> Result<(), Error> {
    ///     states.of_project::<u32>("acme index")?.try_update(|builds| {
    ///         *builds += 1;
    ///         Command::new("make").arg("index").output()
    ///     })?;
    ///     Ok(())
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`update`](Self::update), except for the lock of another hook.
    pub fn try_update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<Option<R>, Error> {
        match self.files.lock_within(Duration::ZERO)? {
            Some(locked) => self.change(locked, change).map(Some),
            None => Ok(None),
        }
    }

    fn change<R>(&self, locked: Locked<'_>, change: impl FnOnce(&mut T) -> R) -> Result<R, Error> {
        let mut value = Self::load(&locked)?;
        let result = change(&mut value);
        let json = serde_json::to_vec(&value).map_err(|err| self.files.unwritten(&err))?;
        locked.replace(&json)?;
        Ok(result)
    }

    fn load(locked: &Locked<'_>) -> Result<T, Error> {
        let Some(bytes) = locked.read()? else {
            return Ok(T::default());
        };
        serde_json::from_slice(&bytes).or_else(|err| {
            locked.move_aside(&err)?;
            Ok(T::default())
        })
    }
}

impl<T> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.files.path()).finish()
    }
}
