//! This machine's state about installed hooks.
//!
//! This state is in a folder that belongs to the user, and never next to the settings, where a checkout could contain
//! it. Each folder with settings has these files:
//!
//! | file | content |
//! |---|---|
//! | `lock` | held by the run that changes something there |
//! | `journal.json` | the temporary files of the run that changes something there |
//! | `created.json` | the folders, files, `hooks` and lists that hookkit has created |
//! | `paused-NAME.json` | the scripts in place of the workspace's binaries, by their SHA-256 |
//! | `record-NAME.json` | what the workspace of this name has installed, and the SHA-256 of each binary |
//!
//! Shared files:
//!
//! | file | content |
//! |---|---|
//! | `accepted.json` | the sources of hooks whose code this user has accepted, for all projects |
//! | `runs.jsonl`, `runs.old.jsonl` | the input and output of hooks that record their runs |
//! | `audit` | the decisions of audited hooks, in the format of `hookkit-spool` |

#![expect(clippy::disallowed_methods, reason = "the folder is the user's own")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, ensure};
use hmac_sha256::Hash;
use rustix::process::geteuid;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::disk::beneath::Beneath;
use crate::disk::lock::Lock;
use crate::disk::{files, temporary};
use crate::terminal::hex;

/// Returns hookkit's folder below the folder in a variable, or else below the user's home.
fn in_home(variable: &str, within: &str) -> Option<PathBuf> {
    // The XDG Base Directory Specification 0.8 says to ignore a relative path.
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(absolute(variable).or_else(|| Some(absolute("HOME")?.join(within)))?.join("hookkit"))
}

/// Returns the state folder: `$XDG_STATE_HOME/hookkit`, or `~/.local/state/hookkit`.
#[cfg(not(test))]
fn folder() -> Option<PathBuf> {
    in_home("XDG_STATE_HOME", ".local/state")
}

/// Returns the tests' state folder, which differs for each checkout and user. It is in memory if it fits.
#[cfg(test)]
fn folder() -> Option<PathBuf> {
    let package = std::env::current_dir().ok()?;
    let checkout = hex(&Hash::hash(package.as_os_str().as_encoded_bytes())[..8]);
    let user = rustix::process::getuid().as_raw();
    Some(test_support::temporary().join(format!("hookkit-state-of-units-{checkout}-{user}")))
}

/// Returns the folder for files that hookkit can regenerate: `$XDG_CACHE_HOME/hookkit`, or `~/.cache/hookkit`.
pub(crate) fn cache() -> Option<PathBuf> {
    in_home("XDG_CACHE_HOME", ".cache")
}

/// Creates a folder and its parents, accessible only to the user.
fn made(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates a folder that only the user can read and write.
pub(crate) fn create(folder: &Path) -> Result<()> {
    made(folder).with_context(|| format!("creating {}", folder.display()))?;
    ensure!(
        !is_shared(folder),
        "{} is a link or belongs to another user, or others can write to it; set XDG_STATE_HOME or XDG_CACHE_HOME",
        folder.display()
    );
    Ok(())
}

/// Name of the file with accepted sources.
const ACCEPTED: &str = "accepted.json";

/// Returns the state folder. Fails if other users, or the project with this root, could have written there.
fn own(project: Option<&Path>) -> Result<PathBuf, &'static str> {
    let state = folder().ok_or("there is no state folder; set HOME or XDG_STATE_HOME")?;
    let is_home = |root: &Path| std::env::var_os("HOME").is_some_and(|home| root == Path::new(&home));
    match project {
        Some(root) if is_within(&state, root) && !is_home(root) => {
            Err("the state folder is in the project, where others can write; set XDG_STATE_HOME to a private folder")
        }
        _ if is_shared(&state) => Err(SHARED),
        _ => Ok(state),
    }
}

/// Returns the sources whose code the user allows to be built and run. A file that other users or the project could
/// have written is ignored.
pub(crate) fn accepted(project: &Path) -> BTreeSet<String> {
    let folder = own(Some(project));
    Notes { folder }.parsed(ACCEPTED).ok().flatten().unwrap_or_default()
}

/// Returns the workspaces whose hooks are installed, from all install records. Records that the project could have
/// written are ignored.
pub(crate) fn workspaces(project: &Path) -> BTreeSet<PathBuf> {
    #[derive(Deserialize)]
    struct Named {
        workspace: PathBuf,
    }
    records::<Named>(Some(project)).into_iter().map(|record| record.workspace).collect()
}

/// Returns all readable install records.
pub(crate) fn records<T: DeserializeOwned>(project: Option<&Path>) -> Vec<T> {
    let folder = own(project).map(|folder| folder.join("places"));
    let places = folder.iter().flat_map(|folder| files::entries(folder));
    let notes = places.map(|place| Notes { folder: Ok(place.path()) });
    let records = notes.flat_map(|notes| {
        let records = notes.records().into_iter();
        let read = move |name: String| notes.parsed(&Notes::record(&name)).ok()?;
        records.filter_map(read).collect::<Vec<_>>()
    });
    records.collect()
}

/// Records that the user accepts a source for the project with this root.
pub(crate) fn accept(source: &str, project: &Path) -> Result<()> {
    let folder = own(Some(project)).map_err(Error::msg)?;
    create(&folder)?;
    let lock = Lock::take(&folder, Lock::LIMIT)?;
    // A killed run left it: no other run writes it while this one holds the lock.
    files::remove(&folder.join(format!("{}{ACCEPTED}", temporary::OURS)))?;
    let mut accepted = accepted(project);
    accepted.insert(source.to_owned());
    let written = temporary::note(&Beneath::user(&folder).join(ACCEPTED), &accepted);
    drop(lock);
    written
}

/// Returns the file in which hooks record their runs. Only the user can access it. An older one, `runs.old.jsonl`, may
/// be next to it.
///
/// # Errors
///
/// Fails if the user has no state folder, or if other users can write there.
pub(crate) fn runs() -> Result<PathBuf> {
    named("runs.jsonl")
}

/// Returns the folder with the snapshots of all projects.
///
/// # Errors
///
/// Fails like [`runs`].
pub(crate) fn snapshots() -> Result<PathBuf> {
    named("snapshots")
}

/// The audit folder of hooks in managed settings, below the home folder of the user who runs them.
pub(crate) const AUDIT_OF_EACH_USER: &str = ".local/state/hookkit/audit";

/// Returns the folder of the audit.
///
/// # Errors
///
/// Fails like [`runs`].
pub(crate) fn audit() -> Result<PathBuf> {
    named("audit")
}

/// Returns the path of a file with this name in the state folder.
fn named(name: &str) -> Result<PathBuf> {
    Ok(own(None).map_err(Error::msg)?.join(name))
}

/// The state of one folder with settings.
#[derive(Clone)]
pub(crate) struct Notes {
    /// The folder, or the reason why there is no state, with the fix.
    folder: Result<PathBuf, &'static str>,
}

/// The reason why a folder that [is shared](is_shared) is not used.
const SHARED: &str = "the state folder is a link or belongs to another user, or other users can write to it or to a \
     parent folder; set XDG_STATE_HOME to a private folder";

/// Returns `true` if others can write to a folder, if it is a link (which others may have created), or if others can
/// replace it.
fn is_shared(folder: &Path) -> bool {
    let is_own =
        |folder: &Metadata| folder.is_dir() && folder.uid() == geteuid().as_raw() && folder.mode() & 0o022 == 0;
    // In a sticky folder, such as for temporary files, only the owner can.
    let is_open = |folder: &Path| fs::metadata(folder).is_ok_and(|folder| folder.mode() & 0o1002 == 0o0002);
    fs::symlink_metadata(folder).is_ok_and(|folder| !is_own(&folder)) || folder.ancestors().skip(1).any(is_open)
}

/// Returns `true` if a folder, or the existing part of its path, is inside another one.
fn is_within(folder: &Path, outer: &Path) -> bool {
    let existing = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    folder.starts_with(outer) || existing.is_some_and(|existing| existing.starts_with(outer))
}

/// Prefix of a record's file name.
const RECORD: &str = "record-";

impl Notes {
    /// Returns the state of a folder with settings. `project` is the project's root, if there is one.
    pub(crate) fn of(claude: &Path, project: Option<&Path>) -> Self {
        let key = hex(&Hash::hash(claude.as_os_str().as_bytes())[..16]);
        let folder = own(project).and_then(|state| {
            let places = state.join("places");
            let folder = places.join(key);
            if is_shared(&places) || is_shared(&folder) { Err(SHARED) } else { Ok(folder) }
        });
        Self { folder }
    }

    /// Returns the state's folder, and creates it if it is missing.
    ///
    /// # Errors
    ///
    /// Fails if the user has no state folder, or if it cannot be created.
    pub(crate) fn create(&self) -> Result<&Path> {
        let folder = self.folder.as_ref().map_err(|why| Error::msg(*why))?;
        made(folder)
            .with_context(|| format!("creating {}; XDG_STATE_HOME can select another folder", folder.display()))?;
        Ok(folder)
    }

    /// Returns the reason why there is no state, with the fix.
    pub(crate) fn why_not(&self) -> Option<&'static str> {
        self.folder.as_ref().err().copied()
    }

    /// Returns the path of a state file. `None` if there is no state.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref().ok()?.join(name))
    }

    /// Returns the file name of a record.
    pub(crate) fn record(name: &str) -> String {
        format!("{RECORD}{name}.json")
    }

    /// Reads a state file.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.path(name).map_or(Ok(None), |path| files::read(&path))
    }

    /// Reads a state file as JSON. An unreadable one counts as missing.
    pub(crate) fn parsed<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        Ok(self.read(name)?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Writes a state file that only the user can read.
    pub(crate) fn write(&self, name: &str, value: &impl Serialize) -> Result<()> {
        temporary::note(&Beneath::user(self.create()?).join(name), value)
    }

    /// Removes a state file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        self.path(name).map_or(Ok(()), |path| files::remove(&path))
    }

    /// Removes the folder, unless it contains more than this run's lock.
    pub(crate) fn leave(&self) {
        let Some(folder) = self.folder.as_ref().ok().filter(|_| self.names() == [Lock::NAME]) else {
            return;
        };
        // A leftover does no harm. A run that waits for the lock notices that the file is gone.
        let _ = fs::remove_file(Lock::file(folder)).and_then(|()| fs::remove_dir(folder));
    }

    /// Returns the names of the workspaces with install records.
    pub(crate) fn records(&self) -> Vec<String> {
        let of = |name: &OsStr| Some(name.to_str()?.strip_prefix(RECORD)?.strip_suffix(".json")?.to_owned());
        self.names().iter().filter_map(|name| of(name.as_ref())).collect()
    }

    /// Removes unfinished state files of a killed run.
    pub(crate) fn clean(&self) -> Result<()> {
        for name in self.names().iter().filter(|name| name.starts_with(temporary::OURS)) {
            self.remove(name)?;
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let files = self.folder.iter().flat_map(|folder| files::entries(folder));
        files.filter_map(|file| file.file_name().into_string().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_in_a_project_are_not_believed() -> Result<()> {
        let state = folder().context("a folder")?;
        let project = state.parent().context("its folder")?;
        let claude = project.join(".claude");
        Notes::of(&claude, None).write("record-x.json", &serde_json::json!({}))?;
        let notes = Notes::of(&claude, Some(project));
        assert_eq!(notes.read("record-x.json")?, None);
        assert!(notes.records().is_empty());
        let refused = notes.create().map(Path::to_owned).map_err(|err| err.to_string());
        assert!(refused.is_err_and(|message| message.contains("is in the project")));
        Ok(())
    }

    #[test]
    fn a_folder_that_everybody_can_exchange_is_shared() -> Result<()> {
        use std::os::unix::fs::PermissionsExt;

        let outer = test_support::folder();
        let state = outer.path().join("state/hookkit");
        create(&state)?;
        for (mode, expected) in [(0o777, true), (0o1777, false), (0o775, false), (0o702, true), (0o700, false)] {
            fs::set_permissions(outer.path().join("state"), fs::Permissions::from_mode(mode))?;
            assert_eq!(is_shared(&state), expected, "{mode:o}");
            assert_eq!(is_shared(&state.join("places")), expected, "{mode:o}: a folder that is to be made");
        }
        Ok(())
    }

    #[test]
    fn notes_that_others_can_write_or_that_a_link_leads_to_are_not_believed() -> Result<()> {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let elsewhere = test_support::folder();
        let claude = elsewhere.path().join(".claude");
        let notes = Notes::of(&claude, None);
        notes.write("record-x.json", &serde_json::json!({}))?;
        let folder = notes.create()?.to_owned();
        let believed = || Notes::of(&claude, None).read("record-x.json");
        assert_eq!(believed()?.as_deref(), Some(&b"{}"[..]));
        for mode in [0o777, 0o720] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode))?;
            assert_eq!(believed()?, None, "{mode:o}");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
        let moved = elsewhere.path().join("notes");
        fs::create_dir(&moved)?;
        fs::rename(folder.join("record-x.json"), moved.join("record-x.json"))
            .or_else(|_| fs::write(moved.join("record-x.json"), "{}"))?;
        fs::remove_dir_all(&folder)?;
        symlink(&moved, &folder)?;
        assert_eq!(believed()?, None);
        assert!(Notes::of(&claude, None).create().is_err());
        Ok(fs::remove_file(&folder)?)
    }
}
