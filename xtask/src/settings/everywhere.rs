//! A project's hooks in its folders ([`Within`]). They are installed after the root's hooks, and removed before them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use crate::cargo::checkout::Checkout;
use crate::disk::packages;
use crate::settings::apply::{self, Locked};
use crate::settings::document::Document;
use crate::settings::place::{Place, PlaceKind};
use crate::settings::plan::Hooks;
use crate::settings::record::{Created, Record};
use crate::settings::sources::{self, Identity};
use crate::settings::state::State;
use crate::settings::within::{Folders, Within, is_behind_link};
use crate::settings::{installed, scope, start};
use crate::terminal::{inform, one_line, quoted};

/// Maximum number of folders in a project.
const MOST: usize = 200;

/// Returns the folders in a project whose sessions do not read these settings.
///
/// # Errors
///
/// Fails if the settings do not belong to a project.
fn below(place: &Place) -> Result<Within> {
    let root = match &place.kind {
        PlaceKind::Project(root) => root,
        PlaceKind::Local(root) => {
            ensure!(
                start::reaches_others(root, scope::home().as_deref()),
                "{} is not the root of a repository's main working tree, so its settings.local.json applies to no \
                 other folder\nFor all folders of this user: --scope user",
                root.display()
            );
            root
        }
        _ => {
            bail!(
                "--everywhere is for the settings of a project; user and organization settings already apply to all \
                 folders"
            )
        }
    };
    let found = packages::below(root, MOST + 1);
    let names = |folders: Vec<PathBuf>| {
        folders.iter().filter_map(|folder| folder.strip_prefix(root).ok()?.to_str()).map(str::to_owned).collect()
    };
    Ok(Within {
        packages: if place.is_shared() { names(found.packages) } else { BTreeSet::new() },
        repositories: names(found.repositories),
    })
}

/// Finds the folders for an install: those of the last install or, with `everywhere`, all.
pub(crate) fn find(state: &State, checkout: &Checkout, identity: &Identity, everywhere: bool) -> Result<Folders> {
    let (place, noted) = (&state.place, state.within());
    let source = identity.source().filter(|_| place.is_shared());
    let mut listed = source.map(|source| source.folders.clone()).unwrap_or_default();
    if !everywhere && listed.is_empty() && noted.is_empty() {
        return Ok(Folders::default());
    }
    let project = place.root();
    let below = below(place)?;
    if everywhere {
        let folders = Within { repositories: BTreeSet::new(), ..below.clone() };
        listed.extend(folders.in_place(project).packages);
        ensure!(
            listed.len() + below.repositories.len() <= MOST,
            "{} has more than {MOST} folders with packages and repositories\n\
             List those where sessions start under `folders` in {}, and install without --everywhere",
            project.display(),
            sources::file(place)
        );
    }
    let within =
        Within { packages: listed.clone(), repositories: &below.repositories | &noted.repositories }.in_place(project);
    let mut gone = noted.without(&within);
    gone.extend(strays(place, &below.without(&within), checkout, identity)?);
    Ok(Folders { listed, within, gone })
}

/// Returns the folders that have the project's hooks. For packages, these are folders with entries in their settings,
/// if the entries provably belong to the workspace. Repositories can have their own hooks, so for these the install
/// record decides. An unreadable file has no removable entries.
fn strays(root: &Place, folders: &Within, checkout: &Checkout, identity: &Identity) -> Result<Within> {
    let mut strays = Within::default();
    for (folder, place) in folders.places(root)? {
        if place.is_committed() {
            let Ok(state) = State::read(&place) else { continue };
            if state.commands().next().is_some() && state.ensure_proven(checkout, identity, &[]).is_ok() {
                strays.packages.insert(folder.to_owned());
            }
        } else if Record::read(&place)?.is_some_and(|record| is_owned(&record, root)) {
            strays.repositories.insert(folder.to_owned());
        }
    }
    Ok(strays)
}

/// Checks that no other install has put the workspace's hooks into a folder of a project.
///
/// # Errors
///
/// Fails if another install has.
pub(crate) fn ensure_of_project(state: &State, root: &Place) -> Result<()> {
    let place = &state.place;
    let mut commands = state.settings.iter().flat_map(Document::commands);
    let options = match commands.find_map(|command| place.of_another_install(command)) {
        Some(other) => format!(" --project {}", quoted(other.display())),
        None if state.record.as_ref().is_some_and(|record| !place.is_committed() && !is_owned(record, root)) => {
            scope::options(place)
        }
        None => return Ok(()),
    };
    bail!("{place} has hooks of this workspace from another install; remove that first: cargo xtask uninstall{options}")
}

/// Returns `true` if a record's hooks were installed for a project.
fn is_owned(record: &Record, root: &Place) -> bool {
    record.owner.as_deref() == Some(root.settings())
}

/// Updates the workspace's hooks in a folder of a project that already has them.
///
/// # Errors
///
/// Fails if the change is not possible.
pub(crate) fn install(
    root: &Place,
    place: &Place,
    checkout: &Checkout,
    hooks: &Hooks<'_>,
    former: Option<&str>,
) -> Result<()> {
    let none = Folders::default();
    let (locked, hooks) =
        (Locked::new(place)?, Hooks { folders: &none, owner: Some(root.settings()), chosen: None, ..*hooks });
    if place.is_committed() {
        locked.install_entries(checkout, &hooks, former)
    } else {
        locked.install(&State::read(place)?, &Checkout { location: None, ..checkout.clone() }, &hooks)
    }
}

/// Moves the state of missing folders to the folders that have their settings now.
///
/// # Errors
///
/// Fails if a state file cannot be written.
pub(crate) fn follow(root: &Place, noted: &Within, present: &Within) -> Result<()> {
    let present = present.places(root)?;
    for (_, former) in noted.places(root)? {
        let is_gone = former.claude.stat().is_ok_and(|claude| claude.is_none());
        let record = Record::read(&former)?.filter(|record| is_gone && is_owned(record, root));
        let Some(record) = record else { continue };
        let has_moved = |(_, place): &&(&str, Place)| {
            let settings = installed::settings(place).ok().flatten();
            let has_ours = settings.is_some_and(|settings| record.inserted.is_in(&settings));
            has_ours && Record::read(place).is_ok_and(|record| record.is_none())
        };
        if let Some((_, place)) = present.iter().find(has_moved) {
            Locked::new(place)?.follow(&former, &record)?;
        }
    }
    Ok(())
}

/// Removes the workspace's hooks from all folders in a project. Returns `false` if there were none.
///
/// # Errors
///
/// Fails like [`uninstall`] and [`installed::identity`].
pub(crate) fn uninstall_all(root: &Place, workspace: &Path) -> Result<bool> {
    if root.project().is_none() {
        return Ok(false);
    }
    let state = State::read(root)?;
    let checkout = Checkout::of(workspace, root.sharing_project())?;
    let identity = state.identity(&checkout)?;
    let mut within = state.within();
    let listed = identity.source().into_iter().flat_map(|source| source.folders.clone());
    within.packages.extend(listed);
    let mut names = vec![root.clone()];
    for (place, record) in state.former(&checkout, &identity) {
        within.extend(record.within);
        names.push(place);
    }
    // A folder may have moved. Only a project's settings have folders.
    let below = below(root).unwrap_or_default();
    let mut found = false;
    for root in names {
        follow(&root, &within, &below)?;
        within.extend(strays(&root, &below.without(&within), &checkout, &identity)?);
        found |= uninstall(&root, &within, workspace)?;
    }
    Ok(found)
}

/// Removes the workspace's hooks from folders in a project. Returns `false` if there were none.
///
/// # Errors
///
/// Fails like [`apply::uninstall`].
pub(crate) fn uninstall(root: &Place, within: &Within, workspace: &Path) -> Result<bool> {
    let (project, mut found) = (root.root(), false);
    for (folder, place) in within.places(root)? {
        let settings = Path::new(folder).join(".claude").join(place.name());
        if is_behind_link(project, &settings) {
            inform!("note: the path of {} has a link, so it was not changed", one_line(place));
            continue;
        }
        // Hooks that this machine installed there separately do not belong to the project.
        if Record::read(&place)?.is_some_and(|record| !is_owned(&record, root)) {
            continue;
        }
        if place.is_committed() {
            found |= apply::uninstall_entries(&place)?;
        } else if Created::noted(&place)?.is_none() {
            continue;
        } else if project.join(folder).is_dir() {
            found |= apply::uninstall(&place, workspace)?.is_some();
        } else {
            apply::forget(&place)?;
        }
    }
    Ok(found)
}
