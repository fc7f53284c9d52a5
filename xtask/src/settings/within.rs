//! The folders of a project whose sessions have its hooks, too, though they do not read its settings.
//!
//! A package's folder gets a `settings.json`, which its team commits; its entries start the programs of the project. In a
//! repository within the project a `settings.local.json` has all that an install makes: it is another team's, and sessions
//! in its folders and worktrees read that file ([`start`](hookkit_protocol::start)).

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::settings::place::Place;

/// The folders, by their paths in the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Within {
    /// Those of packages, which the project's own file lists.
    pub(crate) packages: BTreeSet<String>,
    /// The roots of repositories, which only this machine knows.
    pub(crate) repositories: BTreeSet<String>,
}

impl Within {
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.repositories.is_empty()
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.packages.extend(other.packages);
        self.repositories.extend(other.repositories);
    }

    /// Returns those that are not among others.
    pub(crate) fn without(&self, others: &Self) -> Self {
        Self {
            packages: &self.packages - &others.packages,
            repositories: &self.repositories - &others.repositories,
        }
    }

    /// Returns the paths.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.packages.iter().chain(&self.repositories)
    }

    /// Returns the place of each folder that is there.
    ///
    /// # Errors
    ///
    /// Fails if a link is on the way to one.
    pub(crate) fn places(&self, root: &Place) -> Result<Vec<(&str, Place)>> {
        let mut places = Vec::new();
        for folder in &self.packages {
            let place = root.within(Path::new(folder))?;
            if place.claude().parent().stat()?.is_some_and(|found| found.is_folder()) {
                places.push((folder.as_str(), place));
            }
        }
        for folder in &self.repositories {
            let place = root.of_repository(Path::new(folder))?;
            if place.project().is_some_and(|root| root.join(".git").exists()) {
                places.push((folder.as_str(), place));
            }
        }
        Ok(places)
    }
}
