//! Snapshots of a project's files, taken by the hook `keep-snapshots`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, io};

use anyhow::{Context, Result, ensure};
use hookkit_secrets::masked;
use hookkit_snapshot::{Call, Content, Row, Store};
use serde::Serialize;

use crate::cargo::program::{fed, search_path};
use crate::disk::{bounded, state};
use crate::history::lines::{Line, Lines};
use crate::history::row;

/// The snapshots of a project, and its calls.
pub(crate) struct Snapshots {
    pub(crate) root: PathBuf,
    pub(crate) store: Store,
    /// Complete snapshots by number, each with its tree hash, which is the same for equal files.
    pub(crate) trees: BTreeMap<u64, String>,
    /// All calls without secrets, the oldest first.
    pub(crate) calls: Vec<Call>,
}

impl Snapshots {
    /// Opens the snapshots of a project.
    ///
    /// # Errors
    ///
    /// Fails if there are no snapshots, or if they cannot be read.
    pub(crate) fn of(project: Option<&Path>) -> Result<Self> {
        let project = project.map_or_else(env::current_dir, |project| Ok(project.to_owned()))?;
        let root = hookkit_snapshot::root(&project, env::home_dir().as_deref());
        let root = root.with_context(|| {
            format!("there is no folder {}; create it if a command has removed it", project.display())
        })?;
        let none = || format!("there are no snapshots of {}; the hook keep-snapshots takes them", project.display());
        let root = root.with_context(none)?;
        let store = Store::new(&state::snapshots()?, &root, run);
        ensure!(store.exists(), none());
        Ok(Self { trees: store.snapshots()?, calls: store.calls()?.iter().map(shown).collect(), store, root })
    }

    /// Takes a snapshot of the current files. Returns its number.
    pub(crate) fn now(&mut self, command: &str, about: String) -> Result<u64> {
        let call = Call { tool: command.to_owned(), about, ..Call::default() };
        let kept = self.store.keep(&call, &self.store.bounds()?);
        let number = kept.context("the snapshot of the current files failed, so nothing was changed")?.number;
        self.trees = self.store.snapshots()?;
        Ok(number)
    }

    /// Returns the files in a snapshot.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot is missing.
    pub(crate) fn files(&self, number: u64) -> Result<BTreeMap<PathBuf, Content>> {
        ensure!(self.trees.contains_key(&number), "there is no snapshot {number}; `cargo xtask snapshots` lists them");
        Ok(self.store.files(number)?)
    }

    /// Calls a function with each file and its bytes. Only a few files are in memory at a time.
    pub(crate) fn each<'f>(
        &self,
        files: impl IntoIterator<Item = (&'f PathBuf, &'f Content)>,
        mut call: impl FnMut(&Path, &Content, &[u8]) -> Result<()>,
    ) -> Result<()> {
        const MOST: u64 = 32 << 20;
        let mut files = files.into_iter().peekable();
        while files.peek().is_some() {
            let (mut some, mut size) = (Vec::new(), 0);
            while let Some((path, content)) = files.next_if(|_| size < MOST) {
                size += content.size;
                some.push((path, content));
            }
            let ids: Vec<&str> = some.iter().map(|(_, content)| &*content.id).collect();
            for ((path, content), bytes) in some.iter().zip(self.store.contents(&ids)?) {
                call(path, content, &bytes)?;
            }
        }
        Ok(())
    }
}

/// The tool name of a snapshot taken by `restore`.
pub(crate) const RESTORE: &str = "restore";

/// Totals over the snapshots of all projects.
#[derive(Default, Serialize)]
pub(crate) struct Sums {
    pub(crate) projects: usize,
    pub(crate) taken: usize,
    /// Size on disk.
    pub(crate) bytes: u64,
    /// Time spent on snapshots.
    pub(crate) milliseconds: u64,
    /// Number of runs of `restore`.
    pub(crate) restored: usize,
}

impl Sums {
    /// Reads the rows of all projects.
    ///
    /// # Errors
    ///
    /// Fails if the user has no snapshots folder, or if rows cannot be read.
    pub(crate) fn read() -> Result<Self> {
        let mut sums = Self::default();
        for store in Store::all(&state::snapshots()?, run) {
            sums.projects += 1;
            sums.bytes += store.size();
            for row in store.rows()? {
                if let Row::Kept { milliseconds, .. } = row {
                    sums.taken += 1;
                    sums.milliseconds += milliseconds;
                }
            }
            let is_restored = |call: &&Call| call.tool == RESTORE && call.missed.is_none();
            sums.restored += store.calls()?.iter().filter(is_restored).count();
        }
        Ok(sums)
    }
}

/// Runs git on a snapshot store.
fn run(mut git: Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
    git.envs(search_path(Path::new("")).map(|path| ("PATH", path)));
    fed(&mut git, input, limit)
}

/// Returns a call without anything that the model must not see.
fn shown(call: &Call) -> Call {
    Call { about: masked(&call.about).into_owned(), ..call.clone() }
}

/// Returns the prompt that led to a call, from its transcript and without secrets.
pub(crate) fn prompt(call: &Call) -> Option<String> {
    let mut lines = Lines::new(bounded::open(Path::new(&call.transcript)).ok()?);
    let mut prompt = None;
    while let Some(line) = lines.next().ok()? {
        let (Line::Whole(text) | Line::Last(text)) = line else {
            continue;
        };
        match row::Row::scan(text)?.entry() {
            row::Entry::Prompt(text) => prompt = Some(masked(&text).into_owned()),
            row::Entry::Calls(calls) if calls.iter().any(|found| found.id == call.id) => return prompt,
            _ => {}
        }
    }
    prompt
}
