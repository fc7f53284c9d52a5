//! The spool of an audit: lines that hooks append, kept until a separate program ships them.
//!
//! ```text
//! audit/
//!   open.jsonl       the segment that hooks append to, one at a time
//!   0189…e3.jsonl    a closed segment, which does not change any more; the name is the id of its first line
//!   0189…e3.shipped  a closed segment that was shipped
//!   offsets          how far the other segments were shipped
//!   program-0a3      the SHA-256 of a hook's program, and the state of its file
//! ```
//!
//! A line consists of [`HEAD`], an id from [`new_id`], and the rest. It is written by one call, and the file is locked
//! during the call. A killed process leaves a whole line, or the beginning of one, which the next process removes. So
//! every complete line stays, and a closed segment has only whole lines.
//!
//! A segment is closed by renaming it when it reaches a size or an age. At the cap, the oldest shipped segments are
//! removed. If that is not enough, nothing more is written, and each hook decides what to report. A segment that was
//! not shipped is never removed.
//!
//! Writes are not flushed to disk: they survive the end of any process, but not a power failure.
//!
//! The spool exists on Unix only.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hmac_sha256::Hash;

#[cfg(test)]
#[path = "../../src/soak.rs"]
mod soak;
#[cfg(test)]
mod tests;

/// The beginning of each line, up to the id: the file has one OTLP message on each line, whose first attribute is the
/// id.
pub const HEAD: &str = concat!(
    r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":["#,
    r#"{"key":"log.record.uid","value":{"stringValue":""#
);

/// Length of an id.
const ID: usize = 32;

/// Name of the segment that hooks append to.
const OPEN: &str = "open.jsonl";

/// Extension of a closed segment.
const CLOSED: &str = "jsonl";

/// Extension of a shipped segment.
const SHIPPED: &str = "shipped";

/// Name of the file that records how far segments were shipped.
const OFFSETS: &str = "offsets";

/// A folder with segments.
#[derive(Debug, Clone)]
pub struct Spool {
    folder: PathBuf,
    limits: Limits,
}

/// The limits of a spool.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Size in bytes at which a segment is closed.
    pub segment: u64,
    /// Age of the first line at which a segment is closed.
    pub age: Duration,
    /// Maximum size of all segments together, in bytes.
    pub cap: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { segment: 8 << 20, age: Duration::from_secs(60 * 60), cap: 1 << 30 }
    }
}

/// A segment, as it was found.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The file.
    pub path: PathBuf,
    /// The id of the segment's first line.
    pub id: String,
    /// Size in bytes.
    pub size: u64,
    /// State of the segment.
    pub state: State,
}

/// The state of a segment. Segments are listed in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The segment was shipped.
    Shipped,
    /// The segment is closed, and not shipped yet.
    Closed,
    /// The segment is open: hooks append to it.
    Open,
}

/// Returns a new id of a line: the time, then random digits. Later ids sort after earlier ones.
pub fn new_id(at: SystemTime) -> String {
    let nanoseconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    format!("{nanoseconds:016x}{:016x}", RandomState::new().hash_one(nanoseconds))
}

/// Marks a step of a change on disk, at which a test can end the process.
fn step(_name: &str) {
    #[cfg(test)]
    tests::step(_name);
}

impl Spool {
    /// Creates the spool in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>, limits: Limits) -> Self {
        Self { folder: folder.into(), limits }
    }

    /// Appends a line, which must have exactly one line end, at its end. Waits at most this long for other hooks.
    ///
    /// # Errors
    ///
    /// Fails if the line cannot be written as a whole; no part of it remains then. Also fails if the cap is reached, or
    /// if other hooks hold the lock for too long.
    pub fn append(&self, line: &[u8], wait: Duration) -> io::Result<()> {
        let path = self.folder.join(OPEN);
        let deadline = Instant::now() + wait;
        let mut turns = 0;
        loop {
            // Even without time to wait, it may close a segment.
            if turns > 2 && Instant::now() >= deadline {
                return Err(ErrorKind::TimedOut.into());
            }
            turns += 1;
            let locked = Locked::wait(self.open(&path)?, deadline)?;
            let file = &locked.0;
            step("locked");
            let found = file.metadata()?;
            ensure_own(&found)?;
            // Another hook has closed it, before this one had the lock.
            if fs::metadata(&path).map(|at| at.ino()).ok() != Some(found.ino()) {
                continue;
            }
            let length = whole(file, found.len())?;
            let is_full = length + line.len() as u64 > self.limits.segment;
            if length > 0 && (is_full || self.is_old(file)) {
                self.close(file, length)?;
                continue;
            }
            // Not `write_all`: at the size limit of files, a second write raises SIGXFSZ.
            let written = match (&*file).write(line) {
                Ok(written) if written == line.len() => {
                    step("written");
                    return Ok(());
                }
                Ok(_) => ErrorKind::StorageFull.into(),
                Err(err) => err,
            };
            let _ = file.set_len(length);
            return Err(written);
        }
    }

    /// Opens the segment for appending. A link is an error.
    fn open(&self, path: &Path) -> io::Result<File> {
        let open = || private().read(true).append(true).create(true).open(path);
        open().or_else(|err| match err.kind() {
            ErrorKind::NotFound => {
                self.create()?;
                open()
            }
            _ => Err(err),
        })
    }

    /// Creates the folder, with access for the user only.
    fn create(&self) -> io::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    /// Returns `true` if the first line is old.
    fn is_old(&self, file: &File) -> bool {
        let first = first_id(file).and_then(|id| u64::from_str_radix(&id[..16], 16).ok());
        let began = first.map(|nanoseconds| UNIX_EPOCH + Duration::from_nanos(nanoseconds));
        let age = began.and_then(|began| SystemTime::now().duration_since(began).ok());
        age.is_some_and(|age| age > self.limits.age)
    }

    /// Closes the open segment, which is locked.
    fn close(&self, file: &File, length: u64) -> io::Result<()> {
        let segments = self.segments()?;
        let mut total: u64 = segments.iter().map(|segment| segment.size).sum();
        for oldest in segments.iter().filter(|segment| segment.state == State::Shipped) {
            if total + self.limits.segment > self.limits.cap {
                fs::remove_file(&oldest.path)?;
                step("removed");
                total -= oldest.size;
            }
        }
        if total + self.limits.segment > self.limits.cap {
            return Err(io::Error::other(format!(
                "{total} bytes in {} are not shipped, and the limit is {}: cargo-hookkit audit ship",
                self.folder.display(),
                self.limits.cap
            )));
        }
        debug_assert!(length > 0);
        // A damaged first line has no id, so the segment gets a new one.
        let id = first_id(file).unwrap_or_else(|| new_id(SystemTime::now()));
        step("closing");
        fs::rename(self.folder.join(OPEN), self.folder.join(id).with_extension(CLOSED))?;
        step("closed");
        Ok(())
    }

    /// Returns the paths of a segment for one line of a process that cannot continue: the path to write to, and the
    /// path to rename it to. Such a process writes the line with functions that allocate nothing.
    pub fn own_segment(&self, id: &str) -> [PathBuf; 2] {
        ["part", CLOSED].map(|extension| self.folder.join(id).with_extension(extension))
    }

    /// Returns the segments: first the shipped ones, then the closed ones, the oldest first, and last the open one.
    /// Only regular files count.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read. A missing folder has no segments.
    pub fn segments(&self) -> io::Result<Vec<Segment>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(err) => return Err(err),
        };
        let mut segments = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let word = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).map(str::to_owned);
            let (Some(name), Some(extension)) = (word(path.file_stem()), word(path.extension())) else {
                continue;
            };
            let is_id = name.len() == ID && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            let state = match &*extension {
                CLOSED if is_id => State::Closed,
                SHIPPED if is_id => State::Shipped,
                CLOSED if path.ends_with(OPEN) => State::Open,
                _ => continue,
            };
            // It may have been renamed or removed meanwhile.
            let Some(found) = fs::symlink_metadata(&path).ok().filter(Metadata::is_file) else {
                continue;
            };
            let id = match state {
                State::Open => {
                    let file = private().read(true).open(&path).ok();
                    file.and_then(|file| first_id(&file)).unwrap_or_default()
                }
                _ => name,
            };
            segments.push(Segment { path, id, size: found.len(), state });
        }
        segments.sort_by(|one, other| (one.state, &one.id).cmp(&(other.state, &other.id)));
        Ok(segments)
    }

    /// Marks a closed segment as shipped. At the cap, shipped segments are removed first.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be renamed.
    pub fn mark_shipped(&self, segment: &Segment) -> io::Result<()> {
        fs::rename(&segment.path, segment.path.with_extension(SHIPPED))
    }

    /// Returns how far each segment was shipped, keyed by the segment's id.
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be read. A missing record has no entries.
    pub fn offsets(&self) -> io::Result<BTreeMap<String, u64>> {
        let mut text = String::new();
        match private().read(true).open(self.folder.join(OFFSETS)) {
            Err(err) if err.kind() == ErrorKind::NotFound => 0,
            file => file?.read_to_string(&mut text)?,
        };
        let rows = text.lines().filter_map(|row| row.split_once(' '));
        Ok(rows.filter_map(|(id, offset)| Some((id.to_owned(), offset.parse().ok()?))).collect())
    }

    /// Replaces the record of [`offsets`](Self::offsets).
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be written; the old one stays then.
    pub fn set_offsets(&self, offsets: &BTreeMap<String, u64>) -> io::Result<()> {
        let text: String = offsets.iter().map(|(id, offset)| format!("{id} {offset}\n")).collect();
        self.replace(OFFSETS, &text)
    }

    /// Replaces a file of the folder as a whole.
    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        let new = path.with_extension(std::process::id().to_string());
        let mut file = private().write(true).create(true).truncate(true).open(&new)?;
        file.write_all(text.as_bytes())?;
        step("replacing");
        fs::rename(&new, &path)
    }

    /// Returns the SHA-256 of this process's program, in hexadecimal digits. It is computed once for each state of the
    /// program's file, and kept.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be read.
    pub fn own_program(&self) -> io::Result<String> {
        // On Linux, the running file, even if it was replaced on disk.
        let program = match cfg!(target_os = "linux") {
            true => "/proc/self/exe".into(),
            false => std::env::current_exe()?,
        };
        self.program(&program)
    }

    fn program(&self, program: &Path) -> io::Result<String> {
        let found = fs::metadata(program)?;
        let state = format!(
            "{} {} {} {}.{:09} {}.{:09} ",
            found.dev(),
            found.ino(),
            found.len(),
            found.mtime(),
            found.mtime_nsec(),
            found.ctime(),
            found.ctime_nsec()
        );
        // Programs can share a file, which bounds the number of files. The last program to write it wins.
        let note = format!("program-{:03x}", found.ino() & 0xfff);
        let mut text = [0; 256];
        if let Ok(mut file) = private().read(true).open(self.folder.join(&note))
            && let Ok(length) = file.read(&mut text)
            && let Some(hash) = text[..length].strip_prefix(state.as_bytes())
            && hash.len() == 64
        {
            return Ok(String::from_utf8_lossy(hash).into_owned());
        }
        let (mut hash, mut file) = (Hash::new(), File::open(program)?);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                read => hash.update(&buffer[..read]),
            }
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        // Without this file, the hash is computed again.
        let _ = self.replace(&note, &format!("{state}{hash}"));
        Ok(hash)
    }
}

/// Locks a folder, for a program that ships it; `None` if another program holds the lock.
///
/// # Errors
///
/// Fails if the folder cannot be written to.
pub fn lock_to_ship(folder: &Path) -> io::Result<Option<Locked>> {
    let file = private().write(true).create(true).open(folder.join("ship.lock"))?;
    match Locked::wait(file, Instant::now()) {
        Err(err) if err.kind() == ErrorKind::TimedOut => Ok(None),
        locked => locked.map(Some),
    }
}

/// Returns options that follow no link, do not wait for a pipe, and create files with access for the user only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

/// Checks that a file is regular and has no other hard link.
fn ensure_own(found: &Metadata) -> io::Result<()> {
    match found.is_file() && found.nlink() <= 1 {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file, or it has a second name; remove it")),
    }
}

/// A locked file.
#[derive(Debug)]
pub struct Locked(File);

impl Locked {
    fn wait(file: File, deadline: Instant) -> io::Result<Self> {
        let mut pause = Duration::from_micros(50);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Err(ErrorKind::TimedOut.into()),
                // The kernel's own wait has no timeout.
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }
}

impl Drop for Locked {
    /// Unlocks the file. Closing it would not be enough while a forked process has a copy and has not started its
    /// program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Returns the length of the complete lines in a file and removes the rest of a line that a killed process left after
/// them.
///
/// # Errors
///
/// Fails if the file cannot be read or truncated.
pub fn whole(file: &File, length: u64) -> io::Result<u64> {
    let mut buffer = [0; 4096];
    let (mut end, mut block) = (length, 1);
    while end > 0 {
        let start = end.saturating_sub(block);
        let bytes = &mut buffer[..(end - start) as usize];
        file.read_exact_at(bytes, start)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        // The last byte is nearly always a line end.
        (end, block) = (start, buffer.len() as u64);
    }
    if end < length {
        file.set_len(end)?;
        step("removed the rest");
    }
    Ok(end)
}

/// Returns the id of the first line of a segment; `None` if the line is damaged.
pub fn first_id(file: &File) -> Option<String> {
    let mut bytes = [0; HEAD.len() + ID];
    file.read_exact_at(&mut bytes, 0).ok()?;
    id_of(&bytes).map(str::to_owned)
}

/// Returns the id of a line; `None` if it does not begin with one.
pub fn id_of(line: &[u8]) -> Option<&str> {
    let id = line.strip_prefix(HEAD.as_bytes())?.get(..ID)?;
    let id = str::from_utf8(id).ok()?;
    id.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(id)
}

/// Returns a reason without its quotations, which differ from call to call, so that all reasons of one rule are equal.
pub fn without_quotations(reason: &str) -> String {
    let parts = reason.split('`').enumerate();
    let parts: Vec<&str> = parts.map(|(number, part)| if number % 2 == 0 { part } else { "…" }).collect();
    parts.join("`")
}
