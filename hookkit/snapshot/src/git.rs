//! Reads and writes the git repository of a store.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hookkit_protocol::git_variables::ELSEWHERE;

use crate::store::Store;

/// Time limit of a run of git for which no command waits.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// The folder of the refs. The name of a ref is the number of its snapshot.
const REFS: &str = "refs/snapshots";

/// The folder for links in a tree. The other folders are named after the modes of their files.
pub(crate) const LINK: &str = "link";

/// A file, or a link, in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Permission bits, as for `chmod`; `None` for a link. The content of a link is its target.
    pub mode: Option<u32>,
    /// Git's object id of the content. Equal contents have the same id.
    pub id: String,
    /// Length in bytes.
    pub size: u64,
}

/// Input for `git fast-import`: a commit without parents.
pub(crate) struct Stream(Vec<u8>);

impl Stream {
    /// Starts with the tree of another snapshot. The tree can be empty.
    pub(crate) fn new(number: u64, at: i128, tree: &str) -> Self {
        let seconds = at / 1_000_000_000;
        let mut stream = format!("commit {REFS}/{number}\ncommitter hookkit <> {seconds} +0000\ndata 0\n");
        if !tree.is_empty() {
            stream += &format!("M 040000 {tree} \"\"\n");
        }
        Self(stream.into())
    }

    pub(crate) fn remove(&mut self, mode: &str, path: &[u8]) {
        self.0.extend(b"D ");
        self.path(&[mode.as_bytes(), b"/", path]);
    }

    pub(crate) fn add(&mut self, mode: &str, path: &[u8], content: &[u8]) {
        self.file(&[mode.as_bytes(), b"/", path], content);
    }

    /// Adds the list of left-out files.
    pub(crate) fn add_list(&mut self, content: &[u8]) {
        self.file(&[b"left-out"], content);
    }

    /// Returns the stream. At its end, git prints the tree and then writes the ref.
    pub(crate) fn end(mut self) -> Vec<u8> {
        self.0.extend(b"ls \"\"\ndone\n");
        self.0
    }

    fn file(&mut self, path: &[&[u8]], content: &[u8]) {
        self.0.extend(b"M 100644 inline ");
        self.path(path);
        self.0.extend(format!("data {}\n", content.len()).bytes());
        self.0.extend([content, b"\n"].concat());
    }

    /// Writes a path, quoted with C-style escapes.
    fn path(&mut self, parts: &[&[u8]]) {
        self.0.push(b'"');
        for byte in parts.iter().copied().flatten() {
            match byte {
                b'"' | b'\\' | ..b' ' | 0x7f.. => self.0.extend(format!("\\{byte:03o}").bytes()),
                byte => self.0.push(*byte),
            }
        }
        self.0.extend(b"\"\n");
    }
}

impl Store {
    /// Creates the repository in one step: it is complete or does not exist.
    pub(crate) fn init(&self, deadline: Instant) -> io::Result<()> {
        // Without templates, it has no hooks.
        let arguments = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1", "."];
        let new = self.path("new-git");
        for folder in [&new, &self.git()] {
            match fs::remove_dir_all(folder) {
                Err(err) if err.kind() == ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
        fs::create_dir(&new)?;
        self.run(&new, &arguments, Vec::new(), deadline)?;
        fs::rename(new, self.git())
    }

    /// Writes a snapshot. Returns its tree.
    pub(crate) fn import(&self, stream: Vec<u8>, deadline: Instant) -> io::Result<String> {
        let arguments = ["fast-import", "--quiet", "--done", "--force", "--depth=0", "--date-format=raw"];
        let output = self.run(&self.git(), &arguments, stream, deadline)?;
        let line = String::from_utf8_lossy(&output);
        let tree = line.strip_prefix("040000 tree ").and_then(|rest| rest.split('\t').next());
        tree.map(str::to_owned).ok_or_else(|| io::Error::other(format!("git fast-import printed {line:?}")))
    }

    /// Returns the complete snapshots by number, each with the object id of its tree. Snapshots of equal files have the
    /// same id.
    ///
    /// # Errors
    ///
    /// Fails if git fails.
    pub fn snapshots(&self) -> io::Result<BTreeMap<u64, String>> {
        if !self.git().exists() {
            return Ok(BTreeMap::new());
        }
        let arguments = ["for-each-ref", "--format=%(refname:lstrip=2) %(tree)", REFS];
        let output = self.ask(&arguments, Vec::new())?;
        let text = String::from_utf8_lossy(&output);
        let trees = text.lines().filter_map(|line| {
            let (number, tree) = line.split_once(' ')?;
            Some((number.parse().ok()?, tree.to_owned()))
        });
        Ok(trees.collect())
    }

    /// Returns the files and links of a snapshot, keyed by their paths from the root.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot is missing, git fails, or a path leads out of the project or into git's own folder.
    pub fn files(&self, number: u64) -> io::Result<BTreeMap<PathBuf, Content>> {
        let output = self.ask(&["ls-tree", "-r", "-z", "--long", &format!("{REFS}/{number}")], Vec::new())?;
        let mut files = BTreeMap::new();
        for line in output.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            let invalid = || io::Error::other(format!("snapshot {number} has {:?}", String::from_utf8_lossy(line)));
            let tab = line.iter().position(|byte| *byte == b'\t').ok_or_else(invalid)?;
            let facts = String::from_utf8_lossy(&line[..tab]).into_owned();
            let Some((mode, path)) = split(&line[tab + 1..]) else {
                continue;
            };
            let is_git = |name: &OsStr| name.eq_ignore_ascii_case(".git");
            let is_plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !is_git(name));
            let mut facts = facts.split_whitespace().skip(2);
            let content = || {
                let mode = match mode {
                    LINK => None,
                    mode => Some(u32::from_str_radix(mode, 8).ok()?),
                };
                let (id, size) = (facts.next()?.to_owned(), facts.next()?.parse().ok()?);
                path.components().all(is_plain).then_some(Content { mode, id, size })
            };
            files.insert(path.to_owned(), { content }().ok_or_else(invalid)?);
        }
        Ok(files)
    }

    /// Returns the names that a snapshot leaves out, one per line, with the reason.
    ///
    /// # Errors
    ///
    /// Fails if the snapshot is missing, or git fails.
    pub fn left_out(&self, number: u64) -> io::Result<String> {
        let list = self.ask(&["cat-file", "blob", &format!("{REFS}/{number}:left-out")], Vec::new())?;
        Ok(String::from_utf8_lossy(&list).into_owned())
    }

    /// Returns the bytes of these contents, in the order of `ids`. All of them are held in memory.
    ///
    /// # Errors
    ///
    /// Fails if git fails, or does not have one of the contents.
    pub fn contents(&self, ids: &[&str]) -> io::Result<Vec<Vec<u8>>> {
        let output = self.ask(&["cat-file", "--batch"], ids.join("\n").into())?;
        let mut rest = &output[..];
        let mut next = |id: &str| {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let size = str::from_utf8(&rest[..end]).ok()?.strip_prefix(id)?.strip_prefix(" blob ")?;
            let (content, after) = rest[end + 1..].split_at_checked(size.parse().ok()?)?;
            rest = after.strip_prefix(b"\n")?;
            Some(content.to_owned())
        };
        let contents = ids.iter().map(|id| next(id).ok_or_else(|| io::Error::other(format!("{id} is missing"))));
        contents.collect()
    }

    /// Returns the files that differ between two snapshots.
    ///
    /// # Errors
    ///
    /// Fails if one of the snapshots is missing, or git fails.
    pub fn changed(&self, from: u64, to: u64) -> io::Result<BTreeSet<PathBuf>> {
        let [from, to] = [from, to].map(|number| format!("{REFS}/{number}"));
        let arguments = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", &from, &to];
        let output = self.ask(&arguments, Vec::new())?;
        let paths = output.split(|byte| *byte == 0).filter_map(split);
        Ok(paths.map(|(_, path)| path.to_owned()).collect())
    }

    /// Removes the refs of snapshots.
    pub(crate) fn remove(&self, numbers: &[u64]) -> io::Result<()> {
        let lines: String = numbers.iter().map(|number| format!("delete {REFS}/{number}\n")).collect();
        self.ask(&["update-ref", "--stdin"], lines.into()).map(drop)
    }

    /// Writes a pack with the content of the wanted snapshots, without the content that another snapshot (the second
    /// value, if given) already has; `None` packs all snapshots. Returns the common prefix of the pack's file names.
    pub(crate) fn pack(&self, snapshots: Option<(&[u64], Option<u64>)>) -> io::Result<String> {
        // Deltas would take long.
        let mut arguments = vec!["pack-objects", "--quiet", "--revs", "--window=0"];
        let mut revisions = String::new();
        match snapshots {
            None => arguments.push("--all"),
            Some((wanted, without)) => {
                wanted.iter().for_each(|number| revisions += &format!("{REFS}/{number}\n"));
                without.iter().for_each(|number| revisions += &format!("--not\n{REFS}/{number}\n"));
            }
        }
        arguments.push("objects/pack/pack");
        let output = self.ask(&arguments, revisions.into())?;
        Ok(format!("pack-{}.", String::from_utf8_lossy(&output).trim_end()))
    }

    /// Packs the refs into one file.
    pub(crate) fn pack_refs(&self) -> io::Result<()> {
        self.ask(&["pack-refs", "--all"], Vec::new()).map(drop)
    }

    /// Removes files that a failed or killed git left behind: parts of an incomplete pack, locks, and reports of
    /// crashes. No other git can run at that time.
    pub(crate) fn remove_leftovers(&self) -> io::Result<()> {
        for folder in ["", REFS, "objects/pack"] {
            for file in fs::read_dir(self.git().join(folder)).into_iter().flatten().flatten() {
                let name = file.file_name();
                let name = name.to_string_lossy();
                if name.starts_with("tmp_") || name.starts_with("fast_import_crash_") || name.ends_with(".lock") {
                    fs::remove_file(file.path())?;
                }
            }
        }
        Ok(())
    }

    fn ask(&self, arguments: &[&str], input: Vec<u8>) -> io::Result<Vec<u8>> {
        self.run(&self.git(), arguments, input, Instant::now() + LIMIT)
    }

    /// Runs git on the repository. No configuration but the repository's is read.
    fn run(&self, folder: &Path, arguments: &[&str], input: Vec<u8>, deadline: Instant) -> io::Result<Vec<u8>> {
        let mut git = Command::new("git");
        for name in ELSEWHERE {
            git.env_remove(name);
        }
        git.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("LC_ALL", "C"),
            // Without this, glibc returns memory to the system after each object.
            ("MALLOC_TRIM_THRESHOLD_", "100000000"),
        ])
        // Each snapshot is a pack and, like other states, not flushed to disk.
        .args(["-c", "fastimport.unpackLimit=1", "-c", "core.fsync=none", "-c", "pack.compression=1"])
        // Other systems' names for `.git` are plain names.
        .args(["-c", "core.protectNTFS=false", "-c", "core.protectHFS=false"])
        .args(["-c", "core.hooksPath=/dev/null", "--git-dir=."])
        .args(arguments)
        .current_dir(folder);
        (self.runs)(git, input, deadline.saturating_duration_since(Instant::now()))
    }
}

/// Splits a path in a tree into the mode and the path in the project.
fn split(path: &[u8]) -> Option<(&str, &Path)> {
    let slash = path.iter().position(|byte| *byte == b'/')?;
    Some((str::from_utf8(&path[..slash]).ok()?, Path::new(OsStr::from_bytes(&path[slash + 1..]))))
}
