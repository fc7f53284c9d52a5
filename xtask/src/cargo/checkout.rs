//! The sources of a workspace of hooks: their location and version, in a form that is valid elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hmac_sha256::Hash;

use crate::cargo::location::{self, Location};
use crate::cargo::metadata::Metadata;
use crate::disk::beneath::Beneath;
use crate::terminal::hex;

/// The sources of a workspace.
#[derive(Clone, Default)]
pub(crate) struct Checkout {
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// The repository with the workspace, and the workspace's folder in it, in words that are the same in each clone.
    pub(crate) repository: Option<String>,
    /// The workspace's location relative to a project whose team shares the hooks.
    pub(crate) location: Option<Location>,
    /// The commit, if the workspace is in a repository of its own.
    pub(crate) commit: Option<String>,
    /// `true` if files differ from the commit.
    pub(crate) is_dirty: bool,
    /// The SHA-256 of the code, or git's hash of the workspace's folder in the commit.
    pub(crate) code: Option<String>,
    /// The SHA-256 of the code, which does not depend on the workspace's location.
    pub(crate) hash: Option<String>,
}

impl Checkout {
    /// Asks git about the workspace with this root. `project` is the project of a team that shares the hooks.
    ///
    /// # Errors
    ///
    /// Fails if its path from the project is not UTF-8.
    pub(crate) fn of(root: &Path, project: Option<&Path>) -> Result<Self> {
        Ok(Self {
            root: root.to_owned(),
            repository: location::repository(root),
            location: project.map(|project| Location::of(root, project)).transpose()?,
            ..Self::default()
        })
    }

    /// Adds the sources' version, which the project's files contain.
    pub(crate) fn with_version(mut self) -> Result<Self> {
        let root = &self.root;
        let has_code = root.join("Cargo.toml").is_file();
        self.hash = match self.location {
            _ if !has_code => None,
            Some(Location::Path(_)) => Some(code(root)?),
            // Only this machine's install record has it.
            _ => code(root).ok(),
        };
        match self.location {
            Some(Location::Git { .. }) => {
                self.commit = location::head(root);
                self.is_dirty = location::is_dirty(root);
                self.code = location::tree(root);
            }
            Some(Location::Path(_)) => self.code.clone_from(&self.hash),
            None => {}
        }
        Ok(self)
    }
}

/// Returns the SHA-256 of the code of a workspace's packs and of their dependencies within the workspace: the files in
/// `src`, `Cargo.toml` and `build.rs` of each package, and `Cargo.lock`.
pub(crate) fn code(root: &Path) -> Result<String> {
    let metadata = Metadata::of(root)?;
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let packs = metadata.packages.iter().filter(|package| package.is_pack());
    let mut next: Vec<PathBuf> = packs.map(|pack| pack.folder().to_owned()).collect();
    while let Some(folder) = next.pop() {
        if !folder.starts_with(root) || !folders.insert(folder.clone()) {
            continue;
        }
        let package = metadata.packages.iter().find(|package| package.folder() == folder);
        let paths = package.into_iter().flat_map(|package| &package.dependencies);
        next.extend(paths.filter_map(|dependency| dependency.path.clone()));
    }
    let base = Beneath::project(root);
    let mut files = BTreeMap::new();
    for folder in &folders {
        let within = folder.strip_prefix(root)?;
        collect(&base, &within.join("src"), &mut files)?;
        for name in ["Cargo.toml", "build.rs"] {
            add(&base, &within.join(name), &mut files)?;
        }
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        add(&base, Path::new(name), &mut files)?;
    }
    let mut hash = Hash::new();
    for (path, content) in files {
        let path = path.as_os_str().as_encoded_bytes();
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path);
        hash.update(content);
    }
    Ok(hex(&hash.finalize()))
}

/// Adds the files in a folder and its subfolders. Links are not code, nor are editor files with a leading dot.
fn collect(base: &Beneath, folder: &Path, files: &mut BTreeMap<PathBuf, [u8; 32]>) -> Result<()> {
    let name = base.join(folder);
    if !name.stat()?.is_some_and(|stat| stat.is_folder()) {
        return Ok(());
    }
    let open = name.open().with_context(|| format!("reading {name}"))?;
    for entry in open.names()? {
        let path = folder.join(&entry);
        match open.stat(&entry)? {
            _ if entry.as_encoded_bytes().starts_with(b".") => {}
            Some(stat) if stat.is_file() => add(base, &path, files)?,
            _ => collect(base, &path, files)?,
        }
    }
    Ok(())
}

/// Adds a file's SHA-256 if the file exists.
fn add(base: &Beneath, file: &Path, files: &mut BTreeMap<PathBuf, [u8; 32]>) -> Result<()> {
    let name = base.join(file);
    let bytes = name.content()?;
    files.extend(bytes.map(|bytes| (file.to_owned(), Hash::hash(&bytes))));
    Ok(())
}
