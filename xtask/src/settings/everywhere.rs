//! The hooks of a project in its folders ([`Within`]): installed after those of its root, and removed before them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use crate::cargo::checkout::Checkout;
use crate::disk::packages;
use crate::settings::apply::{self, Locked};
use crate::settings::place::{Place, PlaceKind};
use crate::settings::plan::Hooks;
use crate::settings::record::{Created, Record};
use crate::settings::snapshot::Snapshot;
use crate::settings::sources::Sources;
use crate::settings::within::Within;
use crate::settings::{installed, scope, start};

/// The most folders of a project.
const MOST: usize = 200;

/// Finds the folders within a project whose sessions do not read these settings.
///
/// # Errors
///
/// Fails if the settings are none of a project's, or the project has more folders than a run can write.
pub(crate) fn find(place: &Place) -> Result<Within> {
    let root = match place.kind() {
        PlaceKind::Project(root) => root,
        PlaceKind::Local(root) => {
            ensure!(
                start::reaches_others(root, scope::home().as_deref()),
                "{} is not the root of a repository's main working tree, so its settings.local.json reaches no other folder\n\
                 For all folders of this user: --scope user",
                root.display()
            );
            root
        }
        PlaceKind::Folder { .. } | PlaceKind::User | PlaceKind::Managed(_) | PlaceKind::Other => {
            bail!(
                "--everywhere is for the settings of a project; those of a user and of the organization reach all folders already"
            )
        }
    };
    let found = packages::below(root, MOST + 1);
    let names = |folders: Vec<PathBuf>| {
        let within = folders
            .iter()
            .filter_map(|folder| folder.strip_prefix(root).ok()?.to_str());
        within.map(str::to_owned).collect()
    };
    let within = Within {
        packages: match place.is_shared() {
            true => names(found.packages),
            false => BTreeSet::new(),
        },
        repositories: names(found.repositories),
    };
    ensure!(
        within.names().count() <= MOST,
        "{} has more than {MOST} folders with packages; name those where sessions start by `folders` in hookkit.toml",
        root.display()
    );
    Ok(within)
}

/// Makes these the workspace's hooks in a folder within a project, which has them already.
///
/// # Errors
///
/// Fails where that is refused.
pub(crate) fn install(place: &Place, checkout: &Checkout, hooks: &Hooks<'_>, former: Option<&str>) -> Result<()> {
    let locked = Locked::new(place)?;
    match place.is_committed() {
        true => locked.install_entries(checkout, &hooks.within_folder(), former),
        false => locked.install(
            &Snapshot::read(place)?,
            &checkout.for_one_user(),
            &hooks.within_folder(),
        ),
    }
}

/// Returns all folders that may have the workspace's hooks.
///
/// # Errors
///
/// Those of [`installed::identity`].
pub(crate) fn known(root: &Place, workspace: &Path) -> Result<Within> {
    if root.project().is_none() {
        return Ok(Within::default());
    }
    let record = Record::read(root)?;
    let sources = match root.is_shared() {
        true => Sources::read(root)?,
        false => Sources::default(),
    };
    let checkout = Checkout::of(workspace, root.sharing_project())?;
    let identity = installed::identity(root, record.as_ref(), &sources, &checkout)?;
    let mut within = record.map(|record| record.within).unwrap_or_default();
    let shared = identity.source().map(|source| source.folders.clone());
    within.packages.extend(shared.unwrap_or_default());
    Ok(within)
}

/// Takes the workspace's hooks out of folders within a project. Returns whether there were any.
///
/// # Errors
///
/// Those of [`apply::uninstall`].
pub(crate) fn uninstall(root: &Place, within: &Within, workspace: &Path) -> Result<bool> {
    let mut found = false;
    for folder in &within.packages {
        found |= apply::uninstall_entries(&root.within(Path::new(folder))?)?;
    }
    for folder in &within.repositories {
        let place = root.of_repository(Path::new(folder))?;
        // Hooks that this machine has not installed there are none of the project's.
        if Created::noted(&place)?.is_some() {
            found |= apply::uninstall(&place, workspace)?.is_some();
        }
    }
    Ok(found)
}
