//! Takes and removes snapshots.

use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::mem;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::fstat;

use crate::git::LIMIT;
use crate::log::LOG;
use crate::walk::{self, Before, Found, Walk};
use crate::{Bounds, Call, Row};

/// A step after which tests kill the process.
macro_rules! step {
    ($name:literal) => {
        #[cfg(test)]
        test_support::steps::step($name)
    };
}

const LOCK: &str = "lock";
const PACKING: &str = "packing";
const INDEX: &str = "index";
const BOUNDS: &str = "bounds.json";

/// A function that runs git with these bytes as its input, for at most this time, and returns the output.
pub type Run = fn(Command, Vec<u8>, Duration) -> io::Result<Vec<u8>>;

/// The snapshots of one project.
pub struct Store {
    folder: PathBuf,
    root: PathBuf,
    pub(crate) runs: Run,
}

/// A new snapshot, or the last one if nothing has changed since then.
#[derive(Debug)]
pub struct Kept {
    /// Number of the snapshot.
    pub number: u64,
    /// Files and folders that this snapshot leaves out and the one before did not, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// An index: the last snapshot, and the files in it.
#[derive(Default)]
struct Index<'i> {
    number: u64,
    tree: &'i str,
    /// Number of snapshots that took too long. Each of them reduces the size limit to a quarter.
    late: u32,
    entries: &'i [u8],
    files: Before<'i>,
}

impl<'i> Index<'i> {
    /// Parses an index. A damaged index is empty, so that every file is read again.
    fn parse(bytes: &'i [u8]) -> Self {
        let parsed = || {
            let (head, entries) = bytes.split_at_checked(bytes.iter().position(|byte| *byte == b'\n')? + 1)?;
            let mut words = str::from_utf8(head).ok()?.trim_end_matches('\n').split(' ');
            Some(Self {
                number: words.next()?.parse().ok()?,
                late: words.next()?.parse().ok()?,
                tree: words.next()?,
                entries,
                files: Before::new(entries)?,
            })
        };
        parsed().unwrap_or_default()
    }

    fn write(&self, store: &Store) -> io::Result<()> {
        let head = format!("{} {} {}\n", self.number, self.late, self.tree);
        store.write(INDEX, &[head.as_bytes(), self.entries].concat())
    }
}

impl Store {
    /// Returns the stores of all projects, to read their rows.
    pub fn all(snapshots: &Path, runs: Run) -> Vec<Self> {
        let folders = fs::read_dir(snapshots).into_iter().flatten().flatten();
        let store = |folder: DirEntry| Self { folder: folder.path(), root: PathBuf::new(), runs };
        folders.map(store).collect()
    }

    /// Returns the store of the project with this root. `snapshots` is the folder for the stores of all projects.
    pub fn new(snapshots: &Path, root: &Path, runs: Run) -> Self {
        let name = hookkit_protocol::file_name::file_name(root.as_os_str().as_encoded_bytes());
        Self { folder: snapshots.join(name), root: root.to_owned(), runs }
    }

    /// Keeps the current files of the project, for a call that is about to run. If no file has changed since the last
    /// snapshot, only the call is written.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot cannot be taken within [`Bounds::seconds`], another process holds the lock, the store is
    /// full, or a file of the store cannot be written. No part of the snapshot is visible then, the next one is
    /// complete, and the row of the call has the reason.
    pub fn keep(&self, call: &Call, bounds: &Bounds) -> io::Result<Kept> {
        let start = SystemTime::now();
        self.create()?;
        let mut call = call.at(start);
        self.keep_before(&mut call, bounds, start).inspect_err(|err| {
            call.missed = Some(err.to_string());
            // The error is reported even if it cannot be logged.
            let _ = self.append(&Row::Call(call));
        })
    }

    fn keep_before(&self, call: &mut Call, bounds: &Bounds, start: SystemTime) -> io::Result<Kept> {
        let deadline = Instant::now() + Duration::from_secs(bounds.seconds);
        let _lock = self.lock(LOCK, deadline)?;
        let index = self.index();
        let mut last = Index::parse(&index);
        let since_1970 = start.duration_since(UNIX_EPOCH).unwrap_or_default();
        let root = walk::open(&self.root)?;
        let mut walk = Walk {
            bounds,
            device: fstat(&root)?.st_dev,
            root,
            before: mem::take(&mut last.files),
            start: i128::try_from(since_1970.as_nanos()).unwrap_or_default(),
            deadline,
            found: Found::default(),
        };
        walk.run()?;
        if walk.is_same() {
            call.number = last.number;
            self.append(&Row::Call(call.clone()))?;
            return Ok(Kept { number: last.number, left_out: Vec::new() });
        }
        let size = self.size();
        // A user who restores files must not have to remove snapshots first.
        if size > bounds.store && !call.session.is_empty() {
            return Err(io::Error::other(format!(
                "the snapshots of this project take {size} bytes, and the limit is {}: run `cargo xtask snapshots prune`",
                bounds.store
            )));
        }
        let number = self.next_number()?;
        call.number = number;
        self.append(&Row::Call(call.clone()))?;
        step!("the call");
        self.write(BOUNDS, &serde_json::to_vec(bounds)?)?;
        if !self.git().join("HEAD").exists() {
            self.init(deadline)?;
        }
        step!("the repository");
        let read = walk.read(number, last.tree, bounds.snapshot >> (2 * last.late.min(3)));
        let imported = self.import(read.stream, deadline);
        if imported.is_err()
            && let Ok(Some(_packing)) = self.try_lock(PACKING)
        {
            // The error of git is the one to report.
            let _ = self.remove_leftovers();
        }
        let tree = match imported {
            Err(err) if err.kind() == ErrorKind::TimedOut => {
                last.late += 1;
                last.write(self)?;
                return Err(err);
            }
            Err(err) => {
                // The last tree may be missing. The next snapshot begins without one.
                Index::default().write(self)?;
                return Err(err);
            }
            Ok(tree) => tree,
        };
        step!("the snapshot");
        let index = Index {
            number,
            tree: &tree,
            late: if read.is_complete { 0 } else { last.late },
            entries: &read.index,
            ..Index::default()
        };
        index.write(self)?;
        step!("the index");
        self.append(&Row::Kept { number, milliseconds: start.elapsed().map_or(0, milliseconds) })?;
        Ok(Kept { number, left_out: read.left_out })
    }

    /// Removes old snapshots, according to the bounds of the last snapshot, which is kept. Returns the number of
    /// removed snapshots. Other processes can take snapshots at the same time.
    ///
    /// # Errors
    ///
    /// Fails if another process holds the lock, git fails, or a file cannot be written. The remaining snapshots are
    /// complete.
    pub fn expire(&self) -> io::Result<usize> {
        /// Number of packs that git searches without losing time.
        const PACKS: usize = 50;
        let packing = self.try_lock(PACKING)?;
        let lock = self.lock(LOCK, Instant::now() + LIMIT)?;
        if packing.is_some() {
            self.remove_leftovers()?;
        }
        let (bounds, rows) = (self.bounds()?, self.rows()?);
        let numbers: Vec<u64> = self.snapshots()?.into_keys().collect();
        let most = if self.size() > bounds.store { numbers.len() / 2 } else { bounds.snapshots };
        let days = Duration::from_secs(bounds.days.saturating_mul(24 * 60 * 60));
        let is_old = |number: u64| {
            let mut calls = rows.iter().rev().filter_map(Row::call);
            let call = calls.find(|call| call.number == number);
            call.is_none_or(|call| call.time().elapsed().is_ok_and(|age| age > days))
        };
        let excess = numbers.len().saturating_sub(most);
        let end = numbers.len().saturating_sub(1);
        let old = (0..end).take_while(|place| *place < excess || is_old(numbers[*place])).count();
        if old > 0 {
            // A killed process leaves the index of an older snapshot.
            if Index::parse(&self.index()).number < numbers[old] {
                Index::default().write(self)?;
            }
            self.remove(&numbers[..old])?;
            step!("the refs");
            let mut left = Vec::new();
            // Calls without a number are between the others.
            for row in rows.iter().skip_while(|row| row.number() < numbers[old]) {
                left.extend(row.line()?);
            }
            self.write(LOG, &left)?;
        }
        if packing.is_some() && (old > 0 || self.packs().count() > 2 * PACKS) {
            self.pack_refs()?;
            self.pack_all(lock)?;
        }
        Ok(old)
    }

    /// Combines all packs into one, without content that no snapshot has. Calls can take snapshots while it is written.
    fn pack_all(&self, lock: File) -> io::Result<()> {
        let mut old: Vec<PathBuf> = self.packs().map(|file| file.path()).collect();
        let last = self.snapshots()?.into_keys().next_back();
        drop(lock);
        let mut new = vec![self.pack(None)?];
        step!("the pack");
        let _lock = self.lock(LOCK, Instant::now() + LIMIT)?;
        // A snapshot that was taken meanwhile may have contents of an old pack that no other snapshot has.
        let (before, since): (Vec<u64>, Vec<u64>) =
            self.snapshots()?.into_keys().partition(|number| Some(*number) <= last);
        if !since.is_empty() {
            new.push(self.pack(Some((&since, before.last().copied())))?);
        }
        step!("the second pack");
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        old.retain(|path| !new.iter().any(|new| name(path).starts_with(new)));
        // The index of a pack sorts before the pack itself.
        old.sort();
        for file in old {
            fs::remove_file(file)?;
            step!("an old file");
        }
        Ok(())
    }

    /// Removes other projects' stores that had no call for twice their [`Bounds::days`].
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be removed.
    pub fn remove_unused(&self) -> io::Result<()> {
        for store in Self::all(self.folder.parent().unwrap_or(&self.folder), self.runs) {
            let days = store.bounds().unwrap_or_default().days.saturating_mul(2 * 24 * 60 * 60);
            let used = fs::metadata(store.path(LOG)).and_then(|log| log.modified());
            let is_unused = used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age.as_secs() > days));
            if is_unused && store.folder != self.folder {
                let locks = (store.try_lock(PACKING)?, store.try_lock(LOCK)?);
                if let (Some(_), Some(_)) = locks {
                    fs::remove_dir_all(&store.folder)?;
                }
            }
        }
        Ok(())
    }

    /// Removes all snapshots.
    ///
    /// # Errors
    ///
    /// Fails if another process holds the lock, or a file cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        let deadline = Instant::now() + LIMIT;
        let (_packing, _lock) = (self.lock(PACKING, deadline)?, self.lock(LOCK, deadline)?);
        fs::remove_dir_all(&self.folder)
    }

    /// Returns `true` if the store has a snapshot, or a call without one.
    pub fn exists(&self) -> bool {
        self.path(LOG).exists()
    }

    /// Returns the bounds of the last snapshot, or the default.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read, or is invalid.
    pub fn bounds(&self) -> io::Result<Bounds> {
        match fs::read(self.path(BOUNDS)) {
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(Bounds::default()),
            read => Ok(serde_json::from_slice(&read?)?),
        }
    }

    /// Returns the size of the snapshots' contents on disk, in bytes.
    pub fn size(&self) -> u64 {
        self.packs().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
    }

    /// Returns the files of packs. Each pack has two.
    fn packs(&self) -> impl Iterator<Item = DirEntry> {
        fs::read_dir(self.git().join("objects/pack")).into_iter().flatten().flatten()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn index(&self) -> Vec<u8> {
        fs::read(self.path(INDEX)).unwrap_or_default()
    }

    pub(crate) fn git(&self) -> PathBuf {
        self.path("git")
    }

    /// Creates the folder, with access for the user only.
    fn create(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        if self.folder.canonicalize()?.starts_with(&self.root) {
            return Err(io::Error::other(format!(
                "the folder for snapshots, {}, is in the project: set XDG_STATE_HOME to another folder",
                self.folder.display()
            )));
        }
        Ok(())
    }

    fn lock(&self, name: &str, deadline: Instant) -> io::Result<File> {
        let lock = private().append(true).open(self.path(name))?;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    let message = "another process is taking a snapshot of this project";
                    return Err(io::Error::new(ErrorKind::WouldBlock, message));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Takes a lock; returns `None` if another process has it.
    fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        match self.lock(name, Instant::now()) {
            Err(err) if err.kind() == ErrorKind::WouldBlock => Ok(None),
            locked => locked.map(Some),
        }
    }

    /// Replaces a file of the store.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.path("new");
        private().write(true).truncate(true).open(&new)?.write_all(bytes)?;
        step!("a file");
        fs::rename(new, self.path(name))
    }
}

/// Returns options that create a file with access for the user only.
pub(crate) fn private() -> OpenOptions {
    let mut options = File::options();
    options.create(true);
    options.mode(0o600);
    options
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Returns the folder whose files are kept for a project: the work tree around it, or if there is none, the project's
/// folder.
/// The path has no links. `None` if the folder contains the user's home folder.
///
/// # Errors
///
/// Fails if the project does not exist.
pub fn root(project: &Path, home: Option<&Path>) -> io::Result<Option<PathBuf>> {
    let project = project.canonicalize()?;
    let home = home.and_then(|home| home.canonicalize().ok()).unwrap_or_default();
    let tree = project.ancestors().find(|folder| folder.join(".git").exists());
    let mut folders = [tree, Some(&project)].into_iter().flatten();
    Ok(folders.find(|folder| !home.starts_with(folder)).map(Path::to_owned))
}
