//! A project's settings files that a session reads, according to [`hookkit_protocol::start`].

use std::path::{Path, PathBuf};

use hookkit_protocol::start::{self, Disk};

use crate::disk::bounded;
use crate::disk::files::entries;

/// Finds files on this machine.
struct Machine;

impl Disk for Machine {
    fn is_file_or_folder(&self, path: &Path) -> bool {
        path.is_dir() || path.is_file()
    }

    fn text(&self, path: &Path) -> Option<String> {
        String::from_utf8(bounded::read(path).ok()?).ok()
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }
}

/// Returns the other folder from which a session reads `settings.local.json`.
pub(crate) fn outer(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    start::outer(folder, home, &Machine)
}

/// Returns `true` if sessions in subfolders of this root, and in linked worktrees, read its `settings.local.json`.
pub(crate) fn reaches_others(folder: &Path, home: Option<&Path>) -> bool {
    let is_main = || main_tree(folder).is_some_and(|main| main == folder);
    root(folder) == Some(folder) && Some(folder) != home && is_main()
}

/// Returns the root of the working tree that contains a folder.
pub(crate) fn root(folder: &Path) -> Option<&Path> {
    start::root(folder, &Machine)
}

/// Returns the main working tree for the working tree with this root.
pub(crate) fn main_tree(root: &Path) -> Option<PathBuf> {
    start::main_tree(root, &Machine)
}

/// Returns `true` if two roots are working trees of the same repository.
pub(crate) fn are_linked(root: &Path, other: &Path) -> bool {
    let main = main_tree(root);
    main.is_some() && main == main_tree(other)
}

/// Returns the roots of a repository's linked working trees, at most `most`, given its main working tree.
pub(crate) fn linked(main: &Path, most: usize) -> Vec<PathBuf> {
    let mut linked: Vec<PathBuf> = entries(&main.join(".git/worktrees"))
        .take(most)
        .filter_map(|note| {
            let note = note.path();
            let link = String::from_utf8(bounded::read(&note.join("gitdir")).ok()?).ok()?;
            let tree = note.join(link.trim()).parent()?.canonicalize().ok()?;
            (main_tree(&tree)? == main && tree != main).then_some(tree)
        })
        .collect();
    linked.sort();
    linked
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use super::*;

    /// A repository `main` with a working tree `linked`, in the form that git creates.
    struct Trees {
        root: PathBuf,
        _folder: tempfile::TempDir,
    }

    impl Trees {
        fn new() -> io::Result<Self> {
            let folder = test_support::folder();
            let trees = Self { root: folder.path().canonicalize()?, _folder: folder };
            for folder in ["main/app", "linked/app", "main/.git/worktrees/linked"] {
                fs::create_dir_all(trees.path(folder))?;
            }
            trees.write("main/.git/worktrees/linked/commondir", "../..\n")?;
            trees.write("main/.git/worktrees/linked/gitdir", &trees.text("linked/.git\n"))?;
            trees.write("linked/.git", &trees.text("gitdir: main/.git/worktrees/linked\n"))?;
            Ok(trees)
        }

        fn path(&self, path: &str) -> PathBuf {
            self.root.join(path)
        }

        /// Returns a text with an absolute path.
        fn text(&self, text: &str) -> String {
            let (key, path) =
                text.rsplit_once(' ').map_or((String::new(), text), |(key, path)| (format!("{key} "), path));
            format!("{key}{}/{path}", self.root.display())
        }

        fn write(&self, path: &str, text: &str) -> io::Result<()> {
            fs::write(self.path(path), text)
        }

        fn outer(&self, folder: &str) -> Option<PathBuf> {
            let outer = outer(&self.path(folder), None)?;
            Some(outer.strip_prefix(&self.root).map_or(outer.clone(), Path::to_owned))
        }
    }

    #[test]
    fn a_session_reads_the_local_settings_of_the_main_working_tree() -> io::Result<()> {
        let trees = Trees::new()?;
        for (folder, outer) in [
            ("main", None),
            ("main/app", Some("main")),
            ("linked", Some("main")),
            ("linked/app", Some("main")),
            ("", None),
        ] {
            assert_eq!(trees.outer(folder).as_deref(), outer.map(Path::new), "{folder}");
            assert_eq!(reaches_others(&trees.path(folder), None), folder == "main", "{folder}");
        }
        assert!(!reaches_others(&trees.path("main"), Some(&trees.path("main"))));
        assert_eq!(outer(&trees.path("main/app"), Some(&trees.path("main"))), None);
        assert_eq!(outer(&trees.path("linked"), Some(&trees.path("main"))), None);
        assert_eq!(linked(&trees.path("main"), 9), [trees.path("linked")]);
        assert_eq!(linked(&trees.path("linked"), 9), [] as [PathBuf; 0]);
        Ok(())
    }

    #[test]
    fn links_of_a_worktree_may_be_relative() -> io::Result<()> {
        let trees = Trees::new()?;
        trees.write("main/.git/worktrees/linked/gitdir", "../../../../linked/.git\n")?;
        trees.write("linked/.git", "\n gitdir:../main/.git/worktrees/linked \n")?;
        assert_eq!(trees.outer("linked").as_deref(), Some(Path::new("main")));
        assert_eq!(linked(&trees.path("main"), 9), [trees.path("linked")]);
        Ok(())
    }

    #[test]
    fn a_file_that_names_another_repository_is_not_followed() -> io::Result<()> {
        let other = |trees: &Trees| {
            fs::create_dir_all(trees.path("other/app"))?;
            fs::copy(trees.path("linked/.git"), trees.path("other/.git")).map(drop)
        };
        // A copy of a worktree's file.
        let trees = Trees::new()?;
        other(&trees)?;
        assert_eq!(trees.outer("other"), None);
        assert_eq!(trees.outer("other/app").as_deref(), Some(Path::new("other")));
        // A `.git` file that points to the repository itself, or to no repository.
        for target in ["main/.git", "none", "main/.git/worktrees"] {
            trees.write("other/.git", &trees.text(&format!("gitdir: {target}")))?;
            assert_eq!(trees.outer("other/app").as_deref(), Some(Path::new("other")), "{target}");
        }
        assert_eq!(linked(&trees.path("main"), 9), [trees.path("linked")]);
        // A folder that is not below the repository's `worktrees`.
        fs::create_dir(trees.path("main/.git/elsewhere"))?;
        fs::rename(trees.path("main/.git/worktrees/linked"), trees.path("main/.git/elsewhere/linked"))?;
        trees.write("linked/.git", &trees.text("gitdir: main/.git/elsewhere/linked"))?;
        assert_eq!(trees.outer("linked/app").as_deref(), Some(Path::new("linked")));
        Ok(())
    }

    #[test]
    fn a_worktree_of_a_bare_repository_has_no_other_folder() -> io::Result<()> {
        let trees = Trees::new()?;
        fs::rename(trees.path("main/.git"), trees.path("main/bare"))?;
        trees.write("linked/.git", &trees.text("gitdir: main/bare/worktrees/linked"))?;
        assert_eq!((trees.outer("linked"), trees.outer("linked/app")), (None, None));
        Ok(())
    }
}
