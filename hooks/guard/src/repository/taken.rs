//! Files that git takes although no word names them: `git add -A`, `git commit -a`, `git stash -u`.

use std::ffi::OsString;

use crate::prelude::*;

/// A git command that takes all files of a kind, from the work tree or from paths in it.
pub(crate) struct Takes {
    /// The kind of files, as options of `git ls-files`.
    kind: &'static str,
    /// Folders and patterns; empty for all files.
    places: Vec<String>,
    /// `true` if ignored files are taken, too.
    pub is_forced: bool,
}

impl Takes {
    /// Parses a command; `None` if it takes nothing, or only files that its words name.
    pub(crate) fn of(git: &Git) -> Option<Self> {
        const NEW: &str = "--others --exclude-standard";
        const ALL_NEW: &str = "--others";
        const CHANGED: &str = "--modified";
        let (name, rest) = git.words.split_first()?;
        let read = LazyCell::new(|| Read::of_git(git.words));
        let has = |names| read.writes(names);
        let operands = || read.words().into_iter().filter_map(Word::literal);
        let stashes =
            || matches!(rest.first().and_then(Word::literal), Some("push" | "save")) || operands().count() == 0;
        let (kind, is_whole) = match name.literal()? {
            "add" | "stage" if has("n dry-run") || has("e i p patch") => return None,
            "add" | "stage" if has("u update") => (CHANGED, true),
            "add" | "stage" if has("f force") => (ALL_NEW, has("A all")),
            "add" | "stage" => (NEW, has("A all")),
            "commit" if has("a all") => (CHANGED, true),
            "stash" if stashes() && has("a all") => (ALL_NEW, true),
            "stash" if stashes() && has("u include-untracked") => (NEW, true),
            _ => return None,
        };
        let mut places: Vec<String> = operands().map(str::to_owned).collect();
        // The operand is a message, or may be any path.
        let is_any = !name.is("add stage") || operands().any(|place| place.starts_with(':'));
        if is_any {
            places.clear();
        }
        (is_any || is_whole || !places.is_empty()).then_some(Self { kind, places, is_forced: kind == ALL_NEW })
    }

    /// Returns the files that the command takes in a folder; empty if git cannot be asked.
    pub(crate) fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let found = || {
            let tree = WorkTree::find(folder)?;
            let folder = folder.canonicalize().ok()?;
            let places = self.places.iter().map(|place| folder.join(place));
            // Named files are judged by themselves.
            let places: Vec<PathBuf> = places.filter(|place| !place.is_file()).collect();
            if places.is_empty() && !self.places.is_empty() {
                return None;
            }
            let output = tree
                .read(
                    "ls-files",
                    self.kind
                        .split(' ')
                        .chain(["-z", "--"])
                        .map(OsString::from)
                        .chain(places.into_iter().map(OsString::from)),
                )
                .ok()?;
            Some(
                output
                    .stdout
                    .split(|byte| *byte == 0)
                    .filter_map(|name| str::from_utf8(name).ok())
                    .map(|name| tree.root().join(name))
                    .collect(),
            )
        };
        found().unwrap_or_default()
    }
}
