//! The folders of a project whose sessions also have its hooks, although they do not read its settings.
//!
//! The folder of a package gets a `settings.json`, which its team commits. The entries in it start the programs of the
//! project. A repository within the project belongs to another team, so its `settings.local.json` gets a whole install:
//! sessions in its folders and worktrees read that file ([`start`](hookkit_protocol::start)).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::settings::place::Place;
use crate::settings::start;

/// The folders, by their paths from the project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Within {
    /// Folders of packages, which are listed in the project's own file.
    pub(crate) packages: BTreeSet<String>,
    /// The roots of repositories, which are only recorded on this machine.
    pub(crate) repositories: BTreeSet<String>,
}

/// The folders of an install.
#[derive(Clone, Default)]
pub(crate) struct Folders {
    /// Folders of packages that the project's own file lists, including missing ones.
    pub(crate) listed: BTreeSet<String>,
    /// Existing folders that get the hooks.
    pub(crate) within: Within,
    /// Folders that lose the hooks of the workspace.
    pub(crate) gone: Within,
}

/// Returns `true` if a path in a project has a link on the way, or at its end.
pub(crate) fn is_behind_link(project: &Path, within: &Path) -> bool {
    within.ancestors().filter(|path| !path.as_os_str().is_empty()).any(|path| project.join(path).is_symlink())
}

impl Within {
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.repositories.is_empty()
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.packages.extend(other.packages);
        self.repositories.extend(other.repositories);
    }

    /// Returns the folders that are not in `others`.
    pub(crate) fn without(&self, others: &Self) -> Self {
        Self { packages: &self.packages - &others.packages, repositories: &self.repositories - &others.repositories }
    }

    /// Returns the paths.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.packages.iter().chain(&self.repositories)
    }

    /// Returns the folders that can have the hooks of a project: those in its own working tree, and other repositories.
    /// A linked worktree already has the settings of the project.
    pub(crate) fn in_place(&self, project: &Path) -> Self {
        let is_there = |folder: &&String| !is_behind_link(project, Path::new(folder)) && project.join(folder).is_dir();
        let top = start::root(project);
        let is_of_project = |folder: &&String| start::root(&project.join(folder)) == top;
        let is_repository = |folder: &&String| {
            let root = project.join(folder);
            root.join(".git").exists() && !start::are_linked(&root, top.unwrap_or(project))
        };
        let packages = self.packages.iter().filter(is_there).filter(is_of_project);
        let repositories = self.repositories.iter().filter(is_there).filter(is_repository);
        Self { packages: packages.cloned().collect(), repositories: repositories.cloned().collect() }
    }

    /// Returns the place of each folder.
    ///
    /// # Errors
    ///
    /// Fails if a path cannot be part of a command.
    pub(crate) fn places(&self, root: &Place) -> Result<Vec<(&str, Place)>> {
        let packages = self.packages.iter().map(|folder| (folder, root.within(Path::new(folder))));
        let repositories = self.repositories.iter().map(|folder| (folder, root.of_repository(Path::new(folder))));
        packages.chain(repositories).map(|(folder, place)| Ok((folder.as_str(), place?))).collect()
    }
}
