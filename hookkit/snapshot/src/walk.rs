//! Walks through the files of a project and reads the changed ones.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::iter;
use std::mem;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use hookkit_protocol::agents::AGENTS;
use rustix::fs::{
    Access, AtFlags, CWD, Dev, FileType, Mode, OFlags, RawMode, Stat, accessat, openat, readlinkat, statat,
};
use rustix::io::Errno;

use crate::Bounds;
use crate::git::{LINK, Stream};

/// Flags that open a folder, unless it is a link.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Flags that open a file, unless it is a link, and do not wait for the other end of a pipe.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Maximum depth of folders: each level takes an open file and a function call. Deeper folders are left out.
const DEEPEST: usize = 100;

/// A name in an index.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'i> {
    /// All bytes of the entry.
    bytes: &'i [u8],
    /// Path from the root.
    pub path: &'i [u8],
    state: &'i [u8],
}

/// First byte of the state of a file.
const FILE_STATE: u8 = b'=';

/// First byte of the state of a file that may still change without getting new times, because the clock of its file
/// system has not advanced.
const FRESH: u8 = b'?';

/// First byte of the state of a name that is left out. The reason follows it.
const LEFT_OUT: u8 = b'-';

impl<'i> Entry<'i> {
    /// Takes the first entry of the rest of an index.
    pub(crate) fn next(rest: &mut &'i [u8]) -> Option<Self> {
        let [a, b, c, d] = *rest.first_chunk()?;
        let path = 4 + usize::from(u16::from_le_bytes([a, b]));
        let (bytes, after) = rest.split_at_checked(path + usize::from(u16::from_le_bytes([c, d])))?;
        *rest = after;
        Some(Self { bytes, path: &bytes[4..path], state: &bytes[path..] })
    }

    /// Returns the bytes of an entry. The longest path of an entry is longer than the kernel's longest path.
    fn written(path: &[u8], state: &[u8]) -> Vec<u8> {
        let length = |bytes: &[u8]| u16::try_from(bytes.len()).unwrap_or_default().to_le_bytes();
        [&length(path)[..], &length(state), path, state].concat()
    }
}

/// Names in the last snapshot that the current walk has not found yet.
#[derive(Default)]
pub(crate) struct Before<'i> {
    /// The names in the order of the last walk, which is mostly the order of the current one.
    ordered: &'i [u8],
    /// All remaining names, once a name came in another order.
    others: HashMap<&'i [u8], Entry<'i>>,
}

impl<'i> Before<'i> {
    /// Returns the names in an index's entries; `None` if the entries are damaged.
    pub(crate) fn new(entries: &'i [u8]) -> Option<Self> {
        let mut rest = entries;
        while Entry::next(&mut rest).is_some() {}
        rest.is_empty().then(|| Self { ordered: entries, others: HashMap::new() })
    }

    fn take(&mut self, path: &[u8]) -> Option<Entry<'i>> {
        let mut rest = self.ordered;
        if let Some(entry) = Entry::next(&mut rest) {
            if entry.path == path {
                self.ordered = rest;
                return Some(entry);
            }
            self.others = mem::take(self).left().map(|entry| (entry.path, entry)).collect();
        }
        self.others.remove(path)
    }

    fn left(mut self) -> impl Iterator<Item = Entry<'i>> {
        iter::from_fn(move || Entry::next(&mut self.ordered)).chain(self.others.into_values())
    }

    fn is_empty(&self) -> bool {
        self.ordered.is_empty() && self.others.is_empty()
    }
}

/// Returns `true` for another agent's folder of installed hooks.
fn holds_hooks(folder: &Path) -> bool {
    let around = folder.parent().filter(|_| folder.ends_with("hookkit"));
    let is_of = |around: &Path, file| Path::new(file).parent().is_some_and(|folder| around.ends_with(folder));
    around.is_some_and(|around| AGENTS.iter().any(|agent| is_of(around, agent.file.path)))
}

fn is_left_out(state: &[u8]) -> bool {
    state.starts_with(&[LEFT_OUT])
}

/// Returns the state of a file: kind and mode, size, inode, and times. Each change of the file alters one of them.
fn state(stat: &Stat, is_fresh: bool) -> [u8; 53] {
    let mut state = [0; 53];
    state[0] = if is_fresh { FRESH } else { FILE_STATE };
    state[1..5].copy_from_slice(&bits(stat.st_mode).to_le_bytes());
    let numbers: [i128; 6] = [
        stat.st_size.into(),
        stat.st_ino.into(),
        stat.st_mtime.into(),
        stat.st_mtime_nsec.into(),
        stat.st_ctime.into(),
        stat.st_ctime_nsec.into(),
    ];
    for (place, number) in state[5..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes()[..8]);
    }
    state
}

/// Converts a mode of this system, which has fewer bits on macOS.
fn bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}

/// Returns the name of a tree's folder for files with this state.
fn mode(state: &[u8]) -> String {
    let mode = state[1..].first_chunk().map_or(0, |mode| u32::from_le_bytes(*mode)) as RawMode;
    match FileType::from_raw_mode(mode) {
        FileType::Symlink => LINK.to_owned(),
        _ => format!("{:o}", bits(Mode::from_raw_mode(mode).bits())),
    }
}

/// A walk through a project, compared with the last snapshot.
pub(crate) struct Walk<'w> {
    pub bounds: &'w Bounds,
    pub root: OwnedFd,
    pub device: Dev,
    pub before: Before<'w>,
    /// Start time, in nanoseconds since 1970.
    pub start: i128,
    pub deadline: Instant,
    pub found: Found<'w>,
}

/// Names that a walk has found and removed from `before`. A name that remains in `before` was deleted.
#[derive(Default)]
pub(crate) struct Found<'w> {
    same: Vec<Entry<'w>>,
    changed: Vec<Changed<'w>>,
}

/// A name that is new, or has another state than in the last snapshot.
struct Changed<'w> {
    /// Numbers of names in `same` and `changed` that the walk found before this one.
    place: (usize, usize),
    path: Vec<u8>,
    state: Vec<u8>,
    size: u64,
    before: Option<Entry<'w>>,
}

/// The content of a snapshot.
pub(crate) struct Contents {
    /// Input for git.
    pub stream: Vec<u8>,
    /// Rest of the index.
    pub index: Vec<u8>,
    /// `false` if the next snapshots keep the rest.
    pub is_complete: bool,
    /// Names that were not left out before, each with the reason.
    pub left_out: Vec<(String, String)>,
}

impl<'w> Walk<'w> {
    /// Walks through all folders.
    ///
    /// # Errors
    ///
    /// Fails if a folder cannot be read completely, or the time is over.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let root = self.root.try_clone()?;
        self.folder(&root, &mut Vec::new(), 0)
    }

    /// Returns `true` if nothing differs from the last snapshot.
    pub(crate) fn is_same(&self) -> bool {
        self.found.changed.is_empty() && self.before.is_empty()
    }

    fn folder(&mut self, folder: &OwnedFd, path: &mut Vec<u8>, depth: usize) -> io::Result<()> {
        let names = match names(folder) {
            // The folder was just removed.
            Err(Errno::NOENT) if depth > 0 => return Ok(()),
            read => read?,
        };
        if depth > 0 && names.iter().any(|name| **name == *TAG) && is_cache(folder) {
            self.leave_out(path, "-a cache, according to its CACHEDIR.TAG");
            return Ok(());
        }
        for name in names {
            let length = path.len();
            if [c".", c"..", c".git"].contains(&&*name) {
                continue;
            }
            if length > 0 {
                path.push(b'/');
            }
            path.extend(name.to_bytes());
            self.entry(folder, &name, path, depth)?;
            path.truncate(length);
        }
        Ok(())
    }

    fn entry(&mut self, folder: &OwnedFd, name: &CStr, path: &mut Vec<u8>, depth: usize) -> io::Result<()> {
        if Instant::now() >= self.deadline {
            return Err(ErrorKind::TimedOut.into());
        }
        let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
            // The entry was just removed.
            return Ok(());
        };
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        let kind = FileType::from_raw_mode(stat.st_mode);
        let why = match kind {
            // Case-insensitive systems take the name for git's own folder, and git rejects it.
            _ if name.to_bytes().eq_ignore_ascii_case(b".git") => "-git's own on some systems",
            FileType::Directory => {
                let named = Path::new(OsStr::from_bytes(path));
                match openat(folder, name, FOLDER, Mode::empty()) {
                    _ if self.bounds.left_out.iter().any(|end| named.ends_with(end)) => "-in the list `left_out`",
                    _ if holds_hooks(named) => "-installed hooks",
                    _ if stat.st_dev != self.device => "-another file system",
                    _ if depth >= DEEPEST => "-too deep",
                    Ok(inner) => return self.folder(&inner, path, depth + 1),
                    Err(Errno::NOENT) => return Ok(()),
                    Err(_) => UNREADABLE,
                }
            }
            FileType::RegularFile if size > self.bounds.largest() => "-larger than the limit `file`",
            FileType::RegularFile | FileType::Symlink => {
                // A file system without fractions counts in steps of one or two seconds.
                let tick = if stat.st_ctime_nsec == 0 { 2_000_000_000 } else { 20_000_000 };
                let changed = i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec);
                let is_fresh = changed + tick >= self.start;
                let state = state(&stat, is_fresh);
                let before = self.before.take(path);
                let same = before.filter(|entry| !is_fresh && entry.state == state);
                // A file that was just removed is not found when it is read.
                let access = || accessat(folder, name, Access::READ_OK, AtFlags::EACCESS);
                if same.is_none() && kind != FileType::Symlink && !matches!(access(), Ok(()) | Err(Errno::NOENT)) {
                    self.note(path, UNREADABLE.as_bytes(), 0, before);
                    return Ok(());
                }
                if self.found.same.len() + self.found.changed.len() >= self.bounds.files {
                    return Err(io::Error::other("there are more files than the limit `files`"));
                }
                match same {
                    Some(entry) => self.found.same.push(entry),
                    None => self.note(path, &state, size, before),
                }
                return Ok(());
            }
            _ => "-a pipe, a socket or a device",
        };
        self.leave_out(path, why);
        Ok(())
    }

    fn leave_out(&mut self, path: &[u8], why: &str) {
        let before = self.before.take(path);
        self.note(path, why.as_bytes(), 0, before);
    }

    fn note(&mut self, path: &[u8], state: &[u8], size: u64, before: Option<Entry<'w>>) {
        match before.filter(|entry| entry.state == state && state[0] != FRESH) {
            Some(entry) => self.found.same.push(entry),
            None => self.found.changed.push(Changed {
                place: (self.found.same.len(), self.found.changed.len()),
                path: path.to_owned(),
                state: state.to_owned(),
                size,
                before,
            }),
        }
    }

    /// Reads the changed files, the smallest first, up to a number of bytes.
    pub(crate) fn read(mut self, number: u64, tree: &str, most: u64) -> Contents {
        let mut stream = Stream::new(number, self.start, tree);
        let replaced = self.found.changed.iter().filter_map(|changed| changed.before);
        let replaced = replaced.chain(self.before.left());
        for entry in replaced.filter(|entry| !is_left_out(entry.state)) {
            stream.remove(&mode(entry.state), entry.path);
        }
        let (mut left_out, mut bytes, mut is_complete) = (BTreeMap::new(), 0, true);
        let same_left_out = self.found.same.iter().filter(|entry| is_left_out(entry.state));
        left_out.extend(same_left_out.map(|entry| (entry.path.to_owned(), (entry.state.to_owned(), false))));
        let mut written = Vec::new();
        self.found.changed.sort_by_key(|changed| changed.size);
        for Changed { place, path, mut state, size, before } in self.found.changed {
            if !is_left_out(&state) {
                bytes += size + OVERHEAD;
                let mode = mode(&state);
                let read = if bytes > most || Instant::now() >= self.deadline {
                    Err(LATER)
                } else {
                    match content(&self.root, &path, mode == LINK, self.bounds.largest()) {
                        Err(err) if err.kind() == ErrorKind::NotFound => continue,
                        content => content.or(Err(UNREADABLE)),
                    }
                };
                match read {
                    Ok(content) => stream.add(&mode, &path, &content),
                    Err(why) => {
                        is_complete &= why != LATER;
                        state = why.into();
                    }
                }
            }
            written.push((place, Entry::written(&path, &state)));
            if is_left_out(&state) {
                left_out.insert(path, (state, !before.is_some_and(|entry| is_left_out(entry.state))));
            }
        }
        // In the order of the walk.
        written.sort_by_key(|(place, _)| *place);
        let (mut index, mut written) = (Vec::new(), written.into_iter().peekable());
        for place in 0..=self.found.same.len() {
            while let Some((_, entry)) = written.next_if(|((same, _), _)| *same == place) {
                index.extend(entry);
            }
            index.extend(self.found.same.get(place).map_or(&[][..], |entry| entry.bytes));
        }
        let (mut list, mut new) = (String::new(), Vec::new());
        for (path, (state, is_new)) in left_out {
            let [path, why] = [&path, &state[1..]].map(|text| String::from_utf8_lossy(text).into_owned());
            list += &format!("{}: {why}\n", path.escape_debug());
            if is_new {
                new.push((path, why));
            }
        }
        stream.add_list(list.as_bytes());
        Contents { stream: stream.end(), index, is_complete, left_out: new }
    }
}

/// Returns the names in a folder.
#[cfg(target_os = "linux")]
fn names(folder: &OwnedFd) -> rustix::io::Result<Vec<CString>> {
    // A `Dir` allocates more for each folder.
    let mut block = [mem::MaybeUninit::uninit(); 16 << 10];
    let mut entries = rustix::fs::RawDir::new(folder, &mut block);
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        names.push(entry?.file_name().to_owned());
    }
    Ok(names)
}

#[cfg(not(target_os = "linux"))]
fn names(folder: &OwnedFd) -> rustix::io::Result<Vec<CString>> {
    rustix::fs::Dir::read_from(folder)?.map(|entry| Ok(entry?.file_name().to_owned())).collect()
}

/// Name of the file that marks a folder as a cache: <https://bford.info/cachedir/>.
const TAG: &CStr = c"CACHEDIR.TAG";

/// First bytes of a cache's tag. A folder whose tag begins differently is not a cache.
const SIGNATURE: &[u8; 43] = b"Signature: 8a477f597d28d172789f06886806bc55";

/// Returns `true` if the tag of a folder has the signature.
fn is_cache(folder: &OwnedFd) -> bool {
    let mut start = [0; SIGNATURE.len()];
    let tag = openat(folder, TAG, FILE, Mode::empty()).map(File::from);
    tag.is_ok_and(|mut tag| tag.read_exact(&mut start).is_ok()) && start == *SIGNATURE
}

/// Number of bytes that take as long to read as opening a file takes.
pub(crate) const OVERHEAD: u64 = 3000;

/// The state of a file that was not read.
const LATER: &str = "-too much has changed for one snapshot: the next snapshots keep it";

/// The state of a file that cannot be read.
const UNREADABLE: &str = "-cannot be read";

/// Opens the root of a walk.
pub(crate) fn open(root: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, root, FOLDER, Mode::empty())?)
}

/// Reads a file or a link by its path from the root, without following a link.
fn content(root: &OwnedFd, path: &[u8], is_link: bool, most: u64) -> io::Result<Vec<u8>> {
    let mut folder = root.try_clone()?;
    let mut names = path.split(|byte| *byte == b'/').peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            folder = openat(&folder, name, FOLDER, Mode::empty())?;
        } else if is_link {
            return Ok(readlinkat(&folder, name, Vec::new())?.into_bytes());
        } else {
            let file: File = openat(&folder, name, FILE, Mode::empty())?.into();
            let mut bytes = Vec::new();
            let length = file.metadata()?.is_file().then(|| file.take(most + 1).read_to_end(&mut bytes));
            if length.transpose()?.is_some_and(|length| length as u64 <= most) {
                return Ok(bytes);
            }
        }
    }
    Err(io::Error::other("it changed while it was read"))
}
