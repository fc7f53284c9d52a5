//! Folders of a project whose sessions also have its hooks, although they do not read its settings.
//!
//! A package's folder gets a `settings.json`, which its team commits. Its entries start the project's programs. A
//! repository within the project belongs to another team, so its `settings.local.json` gets a complete install:
//! sessions in its folders and worktrees read that file ([`start`](hookkit_protocol::start)).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::settings::place::Place;
use crate::settings::start;

/// Folders, as paths relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Within {
    /// Package folders, which are listed in the project's own file.
    pub(crate) packages: BTreeSet<String>,
    /// Repository roots, which are recorded only on this machine.
    pub(crate) repositories: BTreeSet<String>,
}

/// The folders of an install.
#[derive(Clone, Default)]
pub(crate) struct Folders {
    /// Package folders listed in the project's own file, including missing ones.
    pub(crate) listed: BTreeSet<String>,
    /// Existing folders that get the hooks.
    pub(crate) within: Within,
    /// Folders that lose the workspace's hooks.
    pub(crate) gone: Within,
}

/// Returns `true` if a path in a project contains a link, or is one.
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

    /// Returns the folders that can have a project's hooks: those in its own working tree, and other repositories. A
    /// linked worktree already has the project's settings.
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

    /// Returns the settings location of each folder.
    ///
    /// # Errors
    ///
    /// Fails if a path cannot be used in a command.
    pub(crate) fn places(&self, root: &Place) -> Result<Vec<(&str, Place)>> {
        let packages = self.packages.iter().map(|folder| (folder, root.within(Path::new(folder))));
        let repositories = self.repositories.iter().map(|folder| (folder, root.of_repository(Path::new(folder))));
        packages.chain(repositories).map(|(folder, place)| Ok((folder.as_str(), place?))).collect()
    }
}
