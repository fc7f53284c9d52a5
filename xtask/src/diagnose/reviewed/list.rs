//! A checkout's reviewed list, and its differences from the checkout's entries.

use std::collections::BTreeMap;
use std::path::Path;
use std::process;

use anyhow::{Context, Result};

use super::entry::Entry;
use super::found::{Found, Place};
use crate::cargo::location;
use crate::disk::beneath::Beneath;
use crate::disk::{bounded, temporary};

/// The file of the list, which is committed.
pub(crate) const FILE: &str = ".claude/hookkit.reviewed";

/// The first lines of a list.
const HEAD: &str = "\
# Everything that this checkout makes Claude Code run, as reviewed: FILE PART VALUE.
# `cargo-hookkit verify` compares it with the checkout, and `cargo-hookkit verify --accept` writes it.
";

/// The entries of a list, with their lines.
#[derive(Default)]
pub(crate) struct List(BTreeMap<Entry, usize>);

/// A difference between a list and the checkout's entries.
pub(crate) struct Difference<'f> {
    /// The entry in the list, with its line.
    pub(crate) before: Option<(&'f Entry, usize)>,
    /// The entry in the checkout, with its place.
    pub(crate) now: Option<(&'f Entry, &'f Place)>,
}

impl Difference<'_> {
    pub(crate) fn change(&self) -> &'static str {
        match (self.before, self.now) {
            (None, _) => "new",
            (_, None) => "gone",
            _ => "changed",
        }
    }

    /// Returns the current entry or, if there is none, the listed one.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        let now = self.now.map(|(entry, _)| entry);
        now.or(self.before.map(|(entry, _)| entry))
    }
}

impl List {
    /// Reads the list of a checkout or of a commit; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if it is not a list, not a regular file, or too long, or if the commit does not exist.
    pub(crate) fn read(root: &Path, commit: Option<&str>) -> Result<Option<Self>> {
        let bytes = match commit {
            None => bytes(root)?,
            Some(commit) => location::file_at(root, commit, FILE)?,
        };
        bytes.map(|bytes| Self::parse(&bytes)).transpose()
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        let text = str::from_utf8(bytes).with_context(|| unusable("it is not UTF-8"))?;
        let mut entries = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry =
                Entry::parse(line).with_context(|| unusable(&format!("line {number} is not FILE PART VALUE")))?;
            entries.insert(entry, number);
        }
        Ok(Self(entries))
    }

    /// Returns the differences, sorted by file. An unreadable file is a difference even if it is in the list.
    pub(crate) fn differences<'f>(&'f self, found: &'f Found) -> Vec<Difference<'f>> {
        type Sides<'f> = (Vec<(&'f Entry, usize)>, Vec<(&'f Entry, &'f Place)>);
        let mut parts: BTreeMap<(&str, &str), Sides<'f>> = BTreeMap::new();
        for (entry, line) in self.0.iter().filter(|(entry, _)| !found.entries.contains_key(entry)) {
            let of_part = parts.entry((&entry.file, &entry.part)).or_default();
            of_part.0.push((entry, *line));
        }
        for (entry, place) in &found.entries {
            if entry.is_unread() || !self.0.contains_key(entry) {
                let of_part = parts.entry((&entry.file, &entry.part)).or_default();
                of_part.1.push((entry, place));
            }
        }
        let mut differences = Vec::new();
        for (before, now) in parts.into_values() {
            let (mut before, mut now) = (before.into_iter(), now.into_iter());
            loop {
                let difference = Difference { before: before.next(), now: now.next() };
                if difference.entry().is_none() {
                    break;
                }
                differences.push(difference);
            }
        }
        differences
    }
}

fn unusable(why: &str) -> String {
    format!(
        "{FILE} cannot be compared: {why}\nReview what this checkout runs, and write the list again: cargo-hookkit \
         verify --accept"
    )
}

fn bytes(root: &Path) -> Result<Option<Vec<u8>>> {
    let file = Beneath::project(root).join(FILE);
    let bytes = file.read_up_to(bounded::BYTES);
    bytes.with_context(|| format!("reading {file}"))
}

/// Returns the text of a list with these entries.
fn text(found: &Found) -> String {
    let entries = found.entries.keys().filter(|entry| !entry.is_unread());
    let mut lines: Vec<String> = entries.map(Entry::line).collect();
    lines.sort();
    lines.iter().fold(HEAD.to_owned(), |text, line| text + line + "\n")
}

/// Writes a list with these entries. Returns `false` if the list already had this text.
///
/// # Errors
///
/// Fails if its path is not a regular file, or if `.claude` is not a folder.
pub(crate) fn write(root: &Path, found: &Found) -> Result<bool> {
    let file = Beneath::project(root).join(FILE);
    let text = text(found);
    if bytes(root)?.is_some_and(|before| before == text.as_bytes()) {
        return Ok(false);
    }
    let written = || -> Result<()> {
        let folder = file.parent().create()?;
        let name = format!("{}reviewed-{}", temporary::OURS, process::id());
        temporary::prepared(&folder, name.into(), text.as_bytes(), 0o644, |_| Ok(()))?.rename(&folder, file.name()?)?;
        Ok(folder.sync()?)
    };
    written().with_context(|| format!("writing {file}"))?;
    Ok(true)
}
