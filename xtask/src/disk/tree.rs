//! A folder with all its files, read as a value and replaced as a whole.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result, bail, ensure};

use crate::disk::beneath::{Beneath, Folder, if_there, is_unsupported};

/// The files in a folder, by relative path. Folders without files are not included.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, File>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
    /// `true` if every user can write to the file or to a folder above it, or if it runs with its owner's rights.
    pub(crate) is_exposed: bool,
}

/// Maximum number of files, folders and levels to read, because a checkout may have any number.
const MOST: usize = 1_000;
const DEEPEST: usize = 8;

/// Maximum size of all files in bytes. A sparse file takes memory, but no disk space.
const BYTES: usize = 1 << 29;

/// Counts of the files and folders read so far, and the files' bytes.
#[derive(Default)]
struct Found {
    count: usize,
    bytes: usize,
}

impl Tree {
    pub(crate) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.insert(path.into(), bytes.into(), 0o644);
    }

    pub(crate) fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.insert(path.into(), bytes.into(), 0o755);
    }

    fn insert(&mut self, path: String, bytes: Vec<u8>, mode: u32) {
        let (is_program, is_exposed) = (mode & 0o100 != 0, mode & 0o6002 != 0);
        self.0.insert(path, File { bytes, is_program, is_exposed });
    }

    /// Returns a file's bytes.
    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(|file| &*file.bytes)
    }

    /// Reads a folder. `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the folder contains anything but files and folders, or too many of them.
    pub(crate) fn read(folder: &Beneath) -> Result<Option<Self>> {
        let Some(opened) = if_there(folder.open()).with_context(|| format!("reading {folder}"))? else {
            return Ok(None);
        };
        let mut tree = Self::default();
        let mut found = Found::default();
        tree.collect(&opened, folder, "", 0, &mut found)?;
        Ok(Some(tree))
    }

    /// Adds the files in a folder. `exposed` is the mode bit for writing by every user, if a folder above has it.
    fn collect(
        &mut self,
        opened: &Folder,
        folder: &Beneath,
        prefix: &str,
        exposed: u32,
        found: &mut Found,
    ) -> Result<()> {
        let exposed = exposed | opened.own_stat()?.mode & 0o002;
        ensure!(prefix.matches('/').count() <= DEEPEST, "{folder} is nested too deep");
        for name in opened.names()? {
            let path = folder.join(&name);
            found.count += 1;
            ensure!(found.count <= MOST, "{folder} has too many files");
            let text = name.to_str().with_context(|| format!("{path} is not UTF-8"))?;
            let stat = opened.stat(&name)?.with_context(|| format!("{path} is gone"))?;
            let inner = format!("{prefix}{text}");
            if stat.is_folder() {
                self.collect(&path.open()?, &path, &format!("{inner}/"), exposed, found)?;
            } else if stat.is_file() {
                let bytes = opened.read(&name)?.with_context(|| format!("{path} is gone"))?;
                found.bytes += bytes.len();
                ensure!(found.bytes <= BYTES, "{folder} has more than {} MiB", BYTES >> 20);
                self.insert(inner, bytes, stat.mode | exposed);
            } else {
                bail!("{path} is neither a file nor a folder");
            }
        }
        Ok(())
    }

    /// Replaces a folder's files with these, if it has the files in `before`. `None` means that the folder does not
    /// exist.
    ///
    /// The new folder is written next to the old one, and the two are swapped. If the run is killed, one of them is in
    /// place. The old folder is then read again, and restored if another program has changed it meanwhile.
    ///
    /// # Errors
    ///
    /// Fails if the folder has other files; then it is not changed.
    pub(crate) fn replace(&self, folder: &Beneath, before: Option<&Self>) -> Result<()> {
        let parent = folder.parent().create()?;
        let (name, new) = (folder.name()?, next_to(folder)?);
        let new_name = new.name()?;
        let _lock = parent.lock().with_context(|| format!("writing {folder}"))?;
        // Left by an earlier, killed run.
        remove(&new)?;
        self.write(&new).with_context(|| format!("writing {new}"))?;
        match before {
            // A folder can only replace an empty one.
            None => parent.rename(new_name, &parent, name)?,
            Some(before) => match parent.exchange(new_name, name) {
                // The file system cannot swap them: for a moment, neither is in place.
                Err(err) if is_unsupported(&err) => {
                    before.ensure_in(folder)?;
                    remove(folder)?;
                    parent.rename(new_name, &parent, name)?;
                }
                Err(err) => return Err(err.into()),
                Ok(()) => {
                    let unchanged = before.ensure_in(&new);
                    if unchanged.is_err() {
                        parent.exchange(new_name, name)?;
                    }
                    remove(&new)?;
                    unchanged?;
                }
            },
        }
        parent.sync().with_context(|| format!("writing {folder}"))
    }

    /// Removes a folder with exactly these files.
    ///
    /// # Errors
    ///
    /// Fails if the folder has other files; then it is not changed.
    pub(crate) fn take_away(&self, folder: &Beneath) -> Result<()> {
        let parent = folder.parent().open()?;
        let (name, aside) = (folder.name()?, next_to(folder)?);
        let _lock = parent.lock().with_context(|| format!("removing {folder}"))?;
        remove(&aside)?;
        parent.rename(name, &parent, aside.name()?)?;
        if let Err(changed) = self.ensure_in(&aside) {
            parent.rename(aside.name()?, &parent, name)?;
            return Err(changed);
        }
        remove(&aside)?;
        parent.sync().with_context(|| format!("removing {folder}"))
    }

    /// Checks that a folder has exactly these files.
    fn ensure_in(&self, folder: &Beneath) -> Result<()> {
        let present = Self::read(folder)?;
        ensure!(present.as_ref() == Some(self), "another program has changed it meanwhile, so it was left as it is");
        Ok(())
    }

    fn write(&self, folder: &Beneath) -> Result<()> {
        folder.create()?;
        for (path, file) in &self.0 {
            let at = folder.join(path);
            let mode = if file.is_program { 0o755 } else { 0o644 };
            let mut opened = at.parent().create()?.create_new(at.name()?, mode)?;
            opened.write_all(&file.bytes)?;
            opened.sync_all()?;
        }
        Ok(())
    }
}

/// Returns a path next to a folder, for its replacement or for the replaced folder.
fn next_to(folder: &Beneath) -> Result<Beneath> {
    let name = folder.name()?.to_string_lossy();
    Ok(folder.parent().join(format!(".{name}.hookkit-new")))
}

/// Removes the leftovers of a killed run next to a folder, because the client would load them, too.
pub(crate) fn tidy(folder: &Beneath) -> Result<()> {
    let _lock = folder.parent().open()?.lock().with_context(|| format!("reading {folder}"))?;
    remove(&next_to(folder)?)
}

/// Removes a folder and everything in it, without following links. Does nothing if it does not exist.
fn remove(folder: &Beneath) -> Result<()> {
    let Some(opened) = if_there(folder.open()).with_context(|| format!("removing {folder}"))? else {
        return Ok(());
    };
    for name in opened.names()? {
        if opened.stat(&name)?.is_some_and(|stat| stat.is_folder()) {
            remove(&folder.join(&name))?;
        } else {
            opened.remove(&name)?;
        }
    }
    folder.remove_folder().with_context(|| format!("removing {folder}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use test_support::Has;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.add(*path, *text);
        }
        tree
    }

    #[test]
    fn a_file_that_others_can_change_or_that_runs_as_its_owner_is_exposed() {
        use std::os::unix::fs::PermissionsExt;

        let folder = test_support::folder();
        fs::create_dir_all(folder.path().join("b/c")).unwrap();
        fs::write(folder.path().join("b/c/a"), "").unwrap();
        for (name, mode, expected) in [
            ("b/c/a", 0o644, false),
            ("b/c/a", 0o775, false),
            ("b/c/a", 0o646, true),
            ("b/c/a", 0o4755, true),
            ("b/c/a", 0o2755, true),
            ("b/c", 0o777, true),
            ("b", 0o777, true),
            ("", 0o777, true),
        ] {
            let path = folder.path().join(name);
            let before = fs::metadata(&path).unwrap().permissions();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let tree = Tree::read(&Beneath::named(folder.path())).unwrap().unwrap();
            assert_eq!(tree.0["b/c/a"].is_exposed, expected, "{name} {mode:o}");
            fs::set_permissions(&path, before).unwrap();
        }
    }

    #[test]
    fn a_folder_is_read_as_it_was_written() {
        let folder = test_support::folder();
        let at = Beneath::named(folder.path()).join("plugin");
        let mut written = tree(&[("README.md", "# hooks"), (".claude-plugin/plugin.json", "{}")]);
        written.add_program("bin/hooks", "#!/bin/sh\n");
        written.replace(&at, None).unwrap();
        assert_eq!(Tree::read(&at).unwrap(), Some(written));
    }

    #[test]
    fn files_that_are_not_in_the_new_folder_go() {
        let folder = test_support::folder();
        let at = Beneath::named(folder.path()).join("plugin");
        let old = tree(&[("old/a", "1"), ("b", "2")]);
        old.replace(&at, None).unwrap();
        // A killed run.
        tree(&[("c", "half")]).write(&next_to(&at).unwrap()).unwrap();
        let new = tree(&[("b", "3")]);
        new.replace(&at, Some(&old)).unwrap();
        assert_eq!(Tree::read(&at).unwrap(), Some(new));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_are_neither_read_nor_followed() {
        let folder = test_support::folder();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("plugin/bin")).unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::write(root.join("outside/kept"), "").unwrap();
        symlink(root.join("outside"), root.join("plugin/bin/link")).unwrap();
        let at = Beneath::named(&root).join("plugin");
        let refused = Tree::read(&at).unwrap_err().to_string();
        refused.ends("plugin/bin/link is neither a file nor a folder");
        remove(&at).unwrap();
        assert!(root.join("outside/kept").exists());
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_refused() {
        let folder = test_support::folder();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        symlink(root.join("outside"), root.join("skills")).unwrap();
        let at = Beneath::named(&root).join("skills/plugin");
        tree(&[("a", "1")]).replace(&at, None).unwrap_err();
        Tree::read(&at).unwrap_err();
        assert_eq!(fs::read_dir(root.join("outside")).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_was_changed_since_it_was_read_is_left_as_it_is() {
        let folder = test_support::folder();
        let at = Beneath::named(folder.path()).join("plugin");
        let (before, new) = (tree(&[("a", "1")]), tree(&[("a", "2")]));
        let changed = tree(&[("a", "1"), ("mine/notes", "")]);
        changed.replace(&at, None).unwrap();
        for refused in [new.replace(&at, Some(&before)), new.replace(&at, None), before.take_away(&at)] {
            refused.unwrap_err();
            assert_eq!(Tree::read(&at).unwrap().as_ref(), Some(&changed));
        }
        changed.take_away(&at).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn one_run_at_a_time_writes_next_to_a_folder() {
        let folder = test_support::folder();
        let at = Beneath::named(folder.path()).join("plugin");
        let parent = at.parent().open().unwrap();
        let lock = parent.lock().unwrap();
        let refused = format!("{:#}", tree(&[("a", "1")]).replace(&at, None).unwrap_err());
        assert!(refused.contains("another run"), "{refused}");
        drop(lock);
        tree(&[("a", "1")]).replace(&at, None).unwrap();
    }

    #[test]
    fn files_with_holes_take_no_memory() {
        let folder = test_support::folder();
        let at = Beneath::named(&folder.path().canonicalize().unwrap());
        for name in ["a", "b", "c"] {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_len(1 << 28).unwrap();
        }
        let refused = Tree::read(&at).unwrap_err().to_string();
        assert!(refused.ends_with("has more than 512 MiB"), "{refused}");
    }
}
