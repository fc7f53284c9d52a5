//! The author's workspace: its build folders, its packs, and the name under which its hooks are installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cargo::hookkit::hookkit;
use crate::cargo::lockfile::Lockfile;
use crate::cargo::metadata::{Metadata, Settings};
use crate::cargo::packs::{self, Pack};
use crate::cargo::patch::patches;
use crate::cargo::{manifest, profile, unnamed};
use crate::disk::files;
use crate::terminal::{inform, listed};

/// The workspace that contains a folder.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// The folder where cargo runs, so that the author's configuration applies.
    pub(crate) cwd: PathBuf,
    /// The folder of the generated packages.
    pub(crate) generated: PathBuf,
    /// The folder of the built packages.
    pub(crate) built: PathBuf,
    /// The library crates with the workspace's hooks.
    pub(crate) packs: Vec<Pack>,
    /// Descriptions of packages with hooks that the workspace depends on but does not list.
    unnamed: Vec<String>,
    /// The dependency on the packs' hookkit, as the inside of an inline table.
    pub(crate) hookkit: String,
    /// The workspace's `[patch]` tables, with paths that are valid in every folder.
    pub(crate) patches: String,
    /// The workspace's settings for proc macros and build scripts.
    pub(crate) host_profile: String,
    /// `true` if all path packages are below the root, so that the workspace can be built at another path.
    pub(crate) is_self_contained: bool,
    /// Paths of dependencies outside the workspace's repository, which no clone has.
    outside: BTreeSet<PathBuf>,
    /// The versions pinned by the workspace's Cargo.lock, if it has one.
    pub(crate) lock: Option<Lockfile>,
    /// The table `[workspace.metadata.hookkit]`.
    pub(crate) settings: Settings,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    pub(crate) fn find() -> Result<Self> {
        Self::new(&Metadata::here()?)
    }

    pub(crate) fn new(metadata: &Metadata) -> Result<Self> {
        let root = metadata.workspace_root.clone();
        let settings = metadata.settings()?;
        let lock = Lockfile::read(&root.join("Cargo.lock"))?;
        let patches = patches(&root)?;
        let packs = packs::find(metadata, &settings.packs, lock.as_ref())?;
        let hookkit = hookkit(metadata, &packs, lock.as_ref())?;
        let generated = metadata.target_directory.join("hookkit");
        let repository = files::repository(&root);
        let is_outside = |path: &&Path| repository.is_some_and(|repository| !path.starts_with(repository));
        Ok(Self {
            cwd: root.clone(),
            built: metadata.target_directory.clone(),
            generated,
            hookkit,
            is_self_contained: patches.is_empty() && metadata.paths().all(|path| path.starts_with(&root)),
            unnamed: unnamed::find(metadata, &settings.packs, lock.as_ref()),
            outside: metadata.paths().filter(is_outside).map(Path::to_owned).collect(),
            packs,
            patches,
            host_profile: profile::host(&manifest::read(&root)?),
            lock,
            settings,
            root,
        })
    }

    /// Warns about dependencies whose hooks are not installed because the workspace does not list them as packs.
    pub(crate) fn warn_unnamed(&self) {
        for unnamed in &self.unnamed {
            inform!("note: {unnamed}");
        }
    }

    /// Warns about dependencies outside the workspace's repository: `sync` fails in a clone of it.
    pub(crate) fn warn_outside(&self) {
        if !self.outside.is_empty() {
            inform!(
                "warning: `sync` fails for others, since this is outside the workspace's repository: {}; in its \
                 Cargo.toml, depend on a repository: git = \"…\"",
                listed(self.outside.iter().map(|path| path.display().to_string()))
            );
        }
    }

    /// Returns the naming of the workspace's hooks.
    pub(crate) fn naming(&self) -> Naming {
        Naming::new(&self.root, &self.settings)
    }
}

/// The name under which a workspace's hooks are installed. Two workspaces with different names never change each
/// other's hooks.
pub(crate) struct Naming {
    pub(crate) root: PathBuf,
    /// The name from the workspace's settings.
    pub(crate) given: Option<String>,
}

impl Naming {
    fn new(root: &Path, settings: &Settings) -> Self {
        Self { root: root.to_owned(), given: settings.name.clone() }
    }

    /// Returns the name of the workspace around the current folder, even if its packs cannot be built.
    pub(crate) fn find() -> Result<Self> {
        let metadata = Metadata::here()?;
        Ok(Self::new(&metadata.workspace_root, &metadata.settings()?))
    }

    /// Returns the name for a project's settings, or for other settings.
    ///
    /// A workspace inside the project has the same name in each clone and worktree, whatever their folders are called,
    /// because they share the settings that contain the name.
    pub(crate) fn within(&self, project: Option<&Path>) -> Result<String> {
        if let Some(name) = &self.given {
            return Ok(name.clone());
        }
        let within = project.and_then(|project| self.root.strip_prefix(project).ok());
        let name = match within {
            Some(within) if within.as_os_str().is_empty() => Some("project".to_owned()),
            Some(within) => within.to_str().map(|within| within.replace('/', "-")),
            None => None,
        };
        name.with_context(|| {
            format!(
                "the hooks of {} need a name that distinguishes them from hooks of other workspaces in the same \
                 settings; write it into its Cargo.toml:\n\n[workspace.metadata.hookkit]\nname = \"…\"",
                self.root.display()
            )
        })
    }
}
