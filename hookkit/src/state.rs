//! State of hooks that is kept between their runs.
//!
//! A hook is a process of a few milliseconds, and several of one session can run at the same time.
//! [`States`] is the argument by which it keeps a value for the session, or for the project, until the next run:
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
//! /// Reminds of the changelog at every tenth edit of a session.
//! #[hook(PostToolUse, matcher = "Edit|Write")]
//! pub fn remind(_event: PostToolUse, states: States) -> Result<Option<PostToolUseAnswer>, Error> {
//!     let files = states.of_session::<Seen>("remind")?.update(|seen| {
//!         seen.files += 1;
//!         seen.files
//!     })?;
//!     Ok((files % 10 == 0).then(|| PostToolUseAnswer::pass().with_context("Does the changelog have a line for this?")))
//! }
//!
//! // A test gives a folder.
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
//! Tests that go by an event's JSON set the variable: `testing::with_variables([("XDG_STATE_HOME", folder)], || …)`.
//!
//! The module is behind the feature `state`.
//!
//! # Where
//!
//! In `$XDG_STATE_HOME/hookkit`, or `~/.local/state/hookkit`; on Windows in `%LOCALAPPDATA%\hookkit`.
//! A hook of a plugin has it in the folder that the client gives the plugin for its data (`CLAUDE_PLUGIN_DATA`).
//! Nothing of it is in the project, where it would be committed, and only the user can read it (modes 0700 and
//! 0600).
//! There is a folder for each session and for each project, and in it a file of JSON for each name: all hooks that use a
//! name use one value, and a pack that is shared says its own name, too (`acme-guards remind`).
//!
//! # How long
//!
//! A session's states are removed after 30 days without use, which is how long the client keeps transcripts unless its
//! settings say otherwise: the first hook that makes another session's folder takes out up to 32 old ones.
//! Those of a project stay, also after the project was removed.
//!
//! # What is in them
//!
//! Secrets do not belong there, nor what could not be lost: a state is as safe as a cache is.
//! A process that is killed on the way leaves the old value or the new one.
//! It is not waited for the disk: when the machine loses its power, it can be none.

use std::ffi::OsString;
use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::json::{PayloadProjection, Projection};
use crate::{Context, Error, Event, FromInput, Payload, context};

mod files;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use files::{Files, Held};

/// Folder of the sessions' folders.
const SESSIONS: &str = "sessions";

/// The states that a hook can use: an argument on any event.
///
/// The [module](self) has an example.
#[derive(Debug, Clone)]
pub struct States {
    /// `None` where no variable says where they could be.
    root: Option<PathBuf>,
    session_id: String,
    project_dir: PathBuf,
}

impl States {
    /// States in this folder, for the session and the project of a context: for a test, or for a hook that has a folder of
    /// its own. It is made with the first state.
    pub fn new(folder: impl Into<PathBuf>, context: &Context) -> Self {
        Self {
            root: Some(folder.into()),
            session_id: context.session_id.clone(),
            project_dir: context.project_dir.clone(),
        }
    }

    /// Returns the state of this name in this session, also when it is resumed. Subagents share it.
    ///
    /// # Errors
    ///
    /// When there is no folder: neither `XDG_STATE_HOME` nor `HOME` is set to an absolute path.
    pub fn of_session<T>(&self, name: &str) -> Result<State<T>, Error> {
        self.state(SESSIONS, self.session_id.as_bytes(), name)
    }

    /// Returns the state of this name in this project, which is the folder that sessions are started in
    /// ([`Context::project_dir`]): a worktree is one by itself.
    ///
    /// # Errors
    ///
    /// As for [`of_session`](Self::of_session).
    pub fn of_project<T>(&self, name: &str) -> Result<State<T>, Error> {
        self.state("projects", self.project_dir.as_os_str().as_encoded_bytes(), name)
    }

    fn state<T>(&self, kind: &'static str, owner: &[u8], name: &str) -> Result<State<T>, Error> {
        let Some(root) = &self.root else {
            return Err(Error::msg(format_args!(
                "there is no folder for the state `{name}`: set `XDG_STATE_HOME` or `HOME` to an absolute path"
            )));
        };
        Ok(State {
            files: Files::new(root, kind, owner, name),
            value: PhantomData,
        })
    }
}

/// The folder that the variables of a hook's process lead to.
fn root(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // An empty or a relative one is none, as the XDG specification says.
    let folder = |name: &str| Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute());
    let own = || match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => Some(folder("HOME")?.join(".local/state")),
    };
    let base = folder("CLAUDE_PLUGIN_DATA").or_else(|| folder("XDG_STATE_HOME"));
    Some(base.or_else(own)?.join("hookkit"))
}

impl<E: Event> FromInput<E> for States {
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

/// One value that is remembered. As long as there is none, it is the type's default.
pub struct State<T> {
    files: Files,
    value: PhantomData<fn() -> T>,
}

impl<T: Default + Serialize + DeserializeOwned> State<T> {
    /// The value: an old one or a new one, and never half of it. Who updates it meanwhile is not waited for.
    ///
    /// A value that does not fit the type, as that of another version of the hook may not, is put aside with a line on stderr;
    /// the hook goes on with the default. A field that is new wants a `#[serde(default)]` to keep the others.
    ///
    /// # Errors
    ///
    /// When there is a file that cannot be read, with its path.
    /// When there is a value to be put aside, and the state cannot be had for that, as in [`update`](Self::update).
    pub fn read(&self) -> Result<T, Error> {
        let Some(bytes) = self.files.read()? else {
            return Ok(T::default());
        };
        match serde_json::from_slice(&bytes) {
            Ok(value) => {
                self.files.keep();
                Ok(value)
            }
            // Another process could have replaced it by a better one: it is looked at again under the lock.
            Err(_) => Self::load(&self.files.hold()?),
        }
    }

    /// Changes the value, and returns what `change` does. Who updates the same state meanwhile waits, so that no change is
    /// lost; what takes long belongs before it or after it.
    ///
    /// The value is written whatever `change` returns, and is not when it panics.
    /// One that does not fit the type is put aside first, as in [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// When another process has held the state for 5 seconds, or for as long as the hook has.
    /// When the value cannot be written: it has more than 1 MiB, is nothing that JSON has (a map whose keys are not texts),
    /// or the disk is full. The old one stays.
    /// When the file system has no locks.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, Error> {
        let held = self.files.hold()?;
        let mut value = Self::load(&held)?;
        let result = change(&mut value);
        let json = serde_json::to_vec(&value).map_err(|err| self.files.unwritten(&err))?;
        held.replace(&json)?;
        Ok(result)
    }

    fn load(held: &Held<'_>) -> Result<T, Error> {
        let Some(bytes) = held.read()? else {
            return Ok(T::default());
        };
        serde_json::from_slice(&bytes).or_else(|err| {
            held.put_aside(&err)?;
            Ok(T::default())
        })
    }
}

impl<T> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.files.path()).finish()
    }
}
