//! `cargo xtask run --watch`: a run, and the tests of the hook's pack, again on each save.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs, thread};

use anyhow::{Context, Result, ensure};

use crate::cargo::command::cargo;
use crate::cargo::metadata::Metadata;
use crate::terminal::{Done, counted, fail, print, shown};

/// Time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(300);

/// Number of files that are looked at.
const MOST_FILES: usize = 20_000;

/// Endings of the files of a pack and its tests.
const ENDINGS: [&str; 4] = ["json", "jsonl", "rs", "toml"];

/// Runs a hook until it is ended from outside. `once` runs it once, and returns its package.
pub(super) fn run(payloads: &[PathBuf], once: impl Fn() -> Result<String>) -> Result<Done> {
    ensure!(
        !payloads.iter().any(|path| path.as_os_str() == "-"),
        "stdin cannot be read twice: with `--watch`, name a file"
    );
    loop {
        // Before the run, so that what is saved meanwhile is seen.
        let watched = Watched::of(payloads)?;
        let before = watched.files();
        // What is wrong now is what the author is working on.
        if let Err(err) = once().and_then(|package| test(&package)) {
            fail(&err);
        }
        print(format!(
            "\nWaiting for a change of {}; Ctrl-C ends it.",
            counted(before.len(), "file")
        ))?;
        let changed = watched.wait(&before);
        print(format!("\nChanged: {}\n", shown(&changed)))?;
    }
}

/// Runs the tests of the hook's pack, if it is in this workspace.
fn test(package: &str) -> Result<()> {
    let metadata = Metadata::here()?;
    if !metadata.packages.iter().any(|known| known.name == package) {
        return Ok(());
    }
    let tested = cargo()
        .args(["test", "--quiet", "--package", package])
        .current_dir(&metadata.workspace_root)
        .status()
        .context("cargo could not be run")?;
    print(match tested.success() {
        true => format!("The tests of `{package}` pass."),
        false => format!("The tests of `{package}` fail."),
    })
}

/// The last change and the length of each file.
type Files = BTreeMap<PathBuf, (SystemTime, u64)>;

/// The places of a workspace's files.
struct Watched {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
}

impl Watched {
    /// Returns the folders of the workspace's packages, and the payloads.
    fn of(payloads: &[PathBuf]) -> Result<Self> {
        let here = env::current_dir()?;
        let mut files = payloads.to_vec();
        let folders = match Metadata::here() {
            Ok(metadata) => {
                let root = &metadata.workspace_root;
                files.push(root.join("Cargo.toml"));
                let packages = metadata.packages.iter().map(|package| package.folder().to_owned());
                packages.filter(|folder| folder.starts_with(root)).collect()
            }
            // A manifest cannot be read at this moment.
            Err(_) => vec![here],
        };
        Ok(Self { folders, files })
    }

    fn files(&self) -> Files {
        let mut files = Files::new();
        for path in &self.files {
            add(path, &mut files);
        }
        let mut folders = self.folders.clone();
        while let Some(folder) = folders.pop() {
            // It may be removed at this moment.
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, name) = (entry.path(), entry.file_name());
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && !is_hidden && name != "target" => folders.push(path),
                    Ok(kind) if kind.is_file() && is_source(&path) => add(&path, &mut files),
                    _ => {}
                }
            }
            if files.len() > MOST_FILES {
                break;
            }
        }
        files
    }

    /// Waits until a file was changed, added or removed, and no more are. Returns one of these.
    fn wait(&self, before: &Files) -> PathBuf {
        let mut changed: Option<(PathBuf, Files)> = None;
        loop {
            thread::sleep(INTERVAL);
            let now = self.files();
            match changed {
                Some((path, last)) if last == now => return path,
                _ => changed = difference(before, &now).map(|path| (path, now)),
            }
        }
    }
}

/// Returns a file that is in one of two lists, or differs in them.
fn difference(before: &Files, now: &Files) -> Option<PathBuf> {
    let is_other = |(path, _): &(&PathBuf, _)| before.get(*path) != now.get(*path);
    let mut all = now.iter().chain(before);
    all.find(is_other).map(|(path, _)| path.clone())
}

fn is_source(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

fn add(path: &Path, files: &mut Files) {
    if let Ok(metadata) = fs::metadata(path) {
        let time = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.insert(path.to_owned(), (time, metadata.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_changed_added_or_removed_differs() -> Result<()> {
        let folder = test_support::folder();
        let path = |name: &str| folder.path().join(name);
        let look = |names: &[&str]| {
            let mut files = Files::new();
            names.iter().for_each(|name| add(&path(name), &mut files));
            files
        };
        fs::write(path("a.rs"), "a")?;
        let before = look(&["a.rs", "b.rs"]);
        assert_eq!(difference(&before, &look(&["a.rs", "b.rs"])), None);
        fs::write(path("b.rs"), "b")?;
        assert_eq!(difference(&before, &look(&["a.rs", "b.rs"])), Some(path("b.rs")));
        assert_eq!(difference(&look(&["a.rs"]), &look(&[])), Some(path("a.rs")));
        fs::write(path("a.rs"), "longer")?;
        assert_eq!(difference(&before, &look(&["a.rs"])), Some(path("a.rs")));
        assert!(is_source(Path::new("a/b.rs")) && !is_source(Path::new("a/b.orig")));
        Ok(())
    }
}
