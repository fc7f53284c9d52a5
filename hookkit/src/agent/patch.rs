//! Splits a patch of `apply_patch` into calls of `Write` or `Edit`, one for each file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bounded;

/// A change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    path: PathBuf,
    /// Text to replace; `None` if the whole file is written.
    old: Option<String>,
    new: String,
}

/// A file in a patch, with the changes read so far.
struct Change {
    edit: Edit,
    /// The old and the new lines of each hunk, which begins with `@@`.
    hunks: Vec<[Vec<String>; 2]>,
    moved_to: Option<PathBuf>,
}

/// Maximum size of a file that is read to find the position of its hunks.
const MOST: u64 = 16 << 20;

/// Parses a patch into edits. A line that may begin a file counts as the beginning of one, so that no file is missed.
pub(super) fn edits(patch: &str, folder: &Path) -> Vec<Edit> {
    let (mut edits, mut change) = (Vec::new(), None::<Change>);
    for line in patch.lines() {
        let head = line.trim();
        let path = |word: &str| head.strip_prefix(word).map(|path| folder.join(path.trim()));
        let begin = |path: PathBuf, old: Option<String>| Change {
            edit: Edit { path, old, new: String::new() },
            hunks: Vec::new(),
            moved_to: None,
        };
        let next = path("*** Add File:")
            .or_else(|| path("*** Delete File:"))
            .map(|path| begin(path, None))
            .or_else(|| Some(begin(path("*** Update File:")?, Some(String::new()))));
        if let Some(next) = next {
            edits.extend(change.replace(next).into_iter().flat_map(Change::edits));
            continue;
        }
        let Some(change) = &mut change else { continue };
        if let Some(path) = path("*** Move to:") {
            change.moved_to = Some(path);
        } else if change.edit.old.is_none() {
            if let Some(line) = line.strip_prefix('+') {
                change.edit.new += line;
                change.edit.new.push('\n');
            }
        } else if head.starts_with("@@") || change.hunks.is_empty() {
            change.hunks.push(Default::default());
            change.add(line);
        } else {
            change.add(line);
        }
    }
    edits.extend(change.into_iter().flat_map(Change::edits));
    edits
}

impl Change {
    fn add(&mut self, line: &str) {
        let Some([old, new]) = self.hunks.last_mut() else {
            return;
        };
        let text = line.get(1..).unwrap_or_default().to_owned();
        match line.bytes().next() {
            Some(b'-') => old.push(text),
            Some(b'+') => new.push(text),
            Some(b' ') | None => {
                old.push(text.clone());
                new.push(text);
            }
            Some(_) => {}
        }
    }

    /// Returns the edit of the file, and another edit for the new path if the patch moves the file.
    fn edits(mut self) -> impl Iterator<Item = Edit> {
        let mut moved = None;
        if self.edit.old.is_some() {
            let side = |side: usize| {
                let lines = self.hunks.iter().flat_map(|hunk| &hunk[side]);
                lines.map(String::as_str).collect::<Vec<_>>().join("\n")
            };
            let (mut old, mut new) = (side(0), side(1));
            let mut all = new.clone();
            if (self.hunks.len() > 1 || self.moved_to.is_some())
                && let Some((text, place, after)) = self.placed()
            {
                all = [&text[..place.start], &after, &text[place.end..]].concat();
                (old, new) = (text[place].to_owned(), after);
            }
            moved = self.moved_to.take().map(|path| Edit { path, old: None, new: all });
            (self.edit.old, self.edit.new) = (Some(old), new);
        }
        [self.edit].into_iter().chain(moved)
    }

    /// Returns the file's text, the range from the first hunk to the last, and the text that replaces it. `None` if the
    /// hunks are not found in the file.
    fn placed(&self) -> Option<(String, Range<usize>, String)> {
        let text = String::from_utf8(bounded::read(&self.edit.path, MOST).ok()?).ok()?;
        let (mut first, mut at, mut after) = (None, 0, String::new());
        for [old, new] in &self.hunks {
            let old = old.join("\n");
            let place = at + text[at..].find(&old)?;
            if first.is_some() {
                after += &text[at..place];
            }
            first = first.or(Some(place));
            after += &new.join("\n");
            at = place + old.len();
        }
        Some((text, first?..at, after))
    }
}

impl Edit {
    pub(super) fn tool(&self) -> &'static str {
        if self.old.is_some() { "Edit" } else { "Write" }
    }

    pub(super) fn input(&self) -> Value {
        match &self.old {
            Some(old) => json!({"file_path": self.path, "old_string": old, "new_string": self.new}),
            None => json!({"file_path": self.path, "content": self.new}),
        }
    }

    /// Returns the response that Claude Code's tool would give.
    pub(super) fn response(&self) -> Value {
        match &self.old {
            Some(old) => json!({
                "filePath": self.path, "oldString": old, "newString": self.new, "originalFile": null, "structuredPatch": [],
                "userModified": false, "replaceAll": false,
            }),
            None => json!({
                "type": "create", "filePath": self.path, "content": self.new, "structuredPatch": [], "originalFile": null,
            }),
        }
    }
}
