//! A folder with all its files, read as a value and replaced as a whole.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;

use anyhow::{Context, Result, bail, ensure};

use crate::disk::beneath::{Beneath, Folder, if_there, is_unsupported};

/// The files of a folder, by their paths from it. Folders without files are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, File>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

/// The most files, folders and levels that are read: a checkout may have any number.
const MOST: usize = 1_000;
const DEEPEST: usize = 8;

impl Tree {
    pub(crate) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.insert(path.into(), bytes.into(), false);
    }

    pub(crate) fn add_program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.insert(path.into(), bytes.into(), true);
    }

    fn insert(&mut self, path: String, bytes: Vec<u8>, is_program: bool) {
        self.0.insert(path, File { bytes, is_program });
    }

    /// Returns the bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(|file| &*file.bytes)
    }

    /// Reads a folder; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails if anything in it is not a regular file or a folder, or if it has too many of them.
    pub(crate) fn read(folder: &Beneath) -> Result<Option<Self>> {
        let Some(opened) = if_there(folder.open()).with_context(|| format!("reading {folder}"))? else {
            return Ok(None);
        };
        let mut tree = Self::default();
        let mut count = 0;
        tree.collect(&opened, folder, "", &mut count)?;
        Ok(Some(tree))
    }

    fn collect(&mut self, opened: &Folder, folder: &Beneath, prefix: &str, count: &mut usize) -> Result<()> {
        ensure!(prefix.matches('/').count() <= DEEPEST, "{folder} is nested too deep");
        for name in opened.names()? {
            let path = folder.join(&name);
            *count += 1;
            ensure!(*count <= MOST, "{folder} has too many files");
            let text = name.to_str().with_context(|| format!("{path} is not UTF-8"))?;
            let stat = opened.stat(&name)?.with_context(|| format!("{path} is gone"))?;
            let inner = format!("{prefix}{text}");
            match () {
                () if stat.is_folder() => self.collect(&path.open()?, &path, &format!("{inner}/"), count)?,
                () if stat.is_file() => {
                    let bytes = opened.read(&name)?.with_context(|| format!("{path} is gone"))?;
                    self.insert(inner, bytes, stat.mode & 0o100 != 0);
                }
                () => bail!("{path} is neither a file nor a folder"),
            }
        }
        Ok(())
    }

    /// Makes a folder hold these files and no others.
    ///
    /// They are written next to it, and the two change places: a run that is killed leaves the one or the other.
    pub(crate) fn replace(&self, folder: &Beneath) -> Result<()> {
        let parent = folder.parent().create()?;
        let name = folder.name()?;
        let new = folder.parent().join(next_to(name));
        // What an earlier run has left that was killed.
        remove(&new)?;
        self.write(&new).with_context(|| format!("writing {new}"))?;
        let new_name = new.name()?;
        match parent.stat(name)? {
            None => parent.rename_within(new_name, name)?,
            Some(_) => {
                match parent.exchange(new_name, name) {
                    // The file system cannot exchange: for a moment there is neither folder.
                    Err(err) if is_unsupported(&err) => {
                        remove(folder)?;
                        parent.rename_within(new_name, name)?;
                    }
                    exchanged => exchanged?,
                }
                remove(&new)?;
            }
        }
        parent.sync().with_context(|| format!("writing {folder}"))
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

/// Returns the name of a folder that is being written.
fn next_to(name: &OsStr) -> String {
    format!(".{}.hookkit-new", name.to_string_lossy())
}

/// Removes a folder with everything in it, without following links. Nothing is done if it does not exist.
pub(crate) fn remove(folder: &Beneath) -> Result<()> {
    let Some(opened) = if_there(folder.open()).with_context(|| format!("removing {folder}"))? else {
        return Ok(());
    };
    for name in opened.names()? {
        match opened.stat(&name)?.is_some_and(|stat| stat.is_folder()) {
            true => remove(&folder.join(&name))?,
            false => opened.remove(&name)?,
        }
    }
    folder.remove_folder().with_context(|| format!("removing {folder}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.add(*path, *text);
        }
        tree
    }

    #[test]
    fn a_folder_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let at = Beneath::named(&folder.path().canonicalize().unwrap()).join("plugin");
        let mut written = tree(&[("README.md", "# hooks"), (".claude-plugin/plugin.json", "{}")]);
        written.add_program("bin/hooks", "#!/bin/sh\n");
        written.replace(&at).unwrap();
        assert_eq!(Tree::read(&at).unwrap(), Some(written));
    }

    #[test]
    fn files_that_are_not_in_the_new_folder_go() {
        let folder = tempfile::tempdir().unwrap();
        let at = Beneath::named(&folder.path().canonicalize().unwrap()).join("plugin");
        tree(&[("old/a", "1"), ("b", "2")]).replace(&at).unwrap();
        // A run that was killed.
        tree(&[("c", "half")])
            .write(&at.parent().join(next_to("plugin".as_ref())))
            .unwrap();
        let new = tree(&[("b", "3")]);
        new.replace(&at).unwrap();
        assert_eq!(Tree::read(&at).unwrap(), Some(new));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_are_neither_read_nor_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("plugin/bin")).unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        fs::write(root.join("outside/kept"), "").unwrap();
        symlink(root.join("outside"), root.join("plugin/bin/link")).unwrap();
        let at = Beneath::named(&root).join("plugin");
        let refused = Tree::read(&at).unwrap_err().to_string();
        assert!(
            refused.ends_with("plugin/bin/link is neither a file nor a folder"),
            "{refused}"
        );
        remove(&at).unwrap();
        assert!(root.join("outside/kept").exists());
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("outside")).unwrap();
        symlink(root.join("outside"), root.join("skills")).unwrap();
        let at = Beneath::named(&root).join("skills/plugin");
        tree(&[("a", "1")]).replace(&at).unwrap_err();
        Tree::read(&at).unwrap_err();
        assert_eq!(fs::read_dir(root.join("outside")).unwrap().count(), 0);
    }
}
