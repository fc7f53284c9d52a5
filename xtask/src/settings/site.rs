//! A settings location and the workspace whose hooks are installed there. The state is read before a build, and hooks
//! are installed after it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::cargo::checkout::Checkout;
use crate::cargo::workspace::Workspace;
use crate::disk::files;
use crate::settings::apply::Locked;
use crate::settings::drift::{Difference, differing, differing_entries};
use crate::settings::place::Place;
use crate::settings::plan::Hooks;
use crate::settings::scope::{self, Target};
use crate::settings::sources::{self, Identity};
use crate::settings::state::State;
use crate::settings::within::Folders;
use crate::settings::{everywhere, installed, shown};
use crate::terminal::{inform, one_line};

/// A settings location and its state before an install.
pub(crate) struct Site {
    pub(crate) state: State,
    checkout: Checkout,
    /// The workspace's identity in the project's own files.
    pub(crate) identity: Identity,
    /// The repository around the project's root. `None` if the root is itself a repository.
    pub(crate) outer: Option<PathBuf>,
    /// The workspace's hooks in other settings that the client reads in the same session.
    pub(crate) others: Vec<(Place, BTreeSet<String>)>,
    /// The folders in the project that also get the hooks.
    pub(crate) folders: Folders,
    /// `true` if these are all folders that were found.
    everywhere: bool,
}

/// The options of an install that decide what is read.
pub(crate) struct Look {
    /// `true` if nothing may be changed.
    pub(crate) is_check: bool,
    /// `true` if the hooks are also written into settings that the client ignores.
    pub(crate) is_forced: bool,
    /// `true` to search for folders whose sessions do not read the settings.
    pub(crate) everywhere: bool,
}

impl Site {
    /// Reads everything that an install depends on. Settings that are not editable are reported before a build, which
    /// can take minutes.
    ///
    /// # Errors
    ///
    /// Fails if hooks could not be installed there.
    pub(crate) fn look(target: &Target, workspace: &Workspace, look: Look) -> Result<Self> {
        let naming = workspace.naming();
        let place = target.place(&naming)?;
        installed::ensure_own(&place)?;
        let mut checkout = Checkout::of(&workspace.root, place.sharing_project())?;
        if !look.is_check {
            checkout = checkout.with_version()?;
            place.check_folders()?;
            place.check_file()?;
        }
        let read = |place: &Place| -> Result<State> {
            let state = State::read(place).map_err(|err| shown::explained(place, err))?;
            if let Some(settings) = &state.settings {
                installed::report_findings(place, settings, look.is_forced)?;
            }
            Ok(state)
        };
        let state = read(&place)?;
        let identity = state.identity(&checkout)?;
        let folders = everywhere::find(&state, &checkout, &identity, look.everywhere)?;
        for (_, folder) in folders.within.places(&place)? {
            folder.check_folders()?;
            if !look.is_check {
                folder.check_file()?;
            }
            let of_folder = read(&folder)?;
            everywhere::ensure_of_project(&of_folder, &place)?;
            of_folder.ensure_proven(&checkout, &identity, &[])?;
        }
        if let Some(source) = identity.source() {
            source.ensure_not_older(&workspace.root, &place)?;
        }
        if place.is_shared() {
            workspace.warn_outside();
        }
        if checkout.is_dirty {
            inform!("note: uncommitted changes in {} are installed on this machine only", workspace.root.display());
        }
        let others = target.others(&place, &naming).into_iter().map(|other| {
            let settings = installed::settings(&other).ok().flatten();
            let named = installed::named(settings.as_ref(), &other);
            (other, named)
        });
        let others: Vec<(Place, BTreeSet<String>)> = others.collect();
        for (other, _) in others.iter().filter(|(_, named)| !named.is_empty()) {
            let mut agents = [&place, other].into_iter().filter_map(Place::agent);
            if let Some(agent) = agents.next() {
                bail!(
                    "{} would run hooks twice, from {other} and from {place}, and hooks for Claude Code cannot read \
                     its payloads\nTo remove the hooks in the first: cargo xtask uninstall{}",
                    agent.name,
                    scope::options(other)
                );
            }
        }
        let outer = |project| files::repository(project).filter(|root| *root != project);
        Ok(Self {
            others,
            outer: place.project().and_then(outer).map(Path::to_owned),
            state,
            checkout,
            identity,
            folders,
            everywhere: look.everywhere,
        })
    }

    /// Returns the hooks that an install keeps. `None` if it installs all hooks of the workspace.
    pub(crate) fn kept(&self) -> Option<BTreeSet<String>> {
        let installed = self.state.hooks();
        match self.identity.source().filter(|_| self.state.place.is_shared()) {
            Some(source) => source.hooks.as_ref().map(|chosen| chosen | &installed),
            None => Some(installed),
        }
    }

    /// Returns the changes that an install would make.
    pub(crate) fn drift(&self, hooks: &Hooks<'_>) -> Result<Vec<Difference>> {
        let mut drift = differing(&self.state, hooks)?;
        for (folder, place) in hooks.folders.within.places(&self.state.place)? {
            let of_folder = if place.is_committed() {
                differing_entries(&place, installed::settings(&place)?.as_ref(), hooks)
            } else {
                differing(&State::read(&place)?, hooks)?
            };
            drift.extend(of_folder.into_iter().map(|difference| Difference {
                name: format!("{} in {}", difference.name, one_line(folder)),
                ..difference
            }));
        }
        let gone = self.folders.gone.names();
        drift.extend(gone.map(|folder| {
            let what = "no longer in `folders`";
            Difference::new('-', &one_line(folder), what)
        }));
        if let (Some(source), Some(location)) = (self.identity.source(), &self.checkout.location)
            && !source.is(location)
        {
            drift.push(Difference::new('~', sources::FILE, format!("{source} → {location}")));
        }
        Ok(drift)
    }

    /// Makes these hooks the workspace's only ones here. Returns the changes. `None` if another run has installed
    /// something meanwhile: then nothing changes, and the hooks must be chosen again.
    pub(crate) fn install(&mut self, hooks: &Hooks<'_>) -> Result<Option<Vec<Difference>>> {
        let place = self.state.place.clone();
        let locked = Locked::new(&place)?;
        let (before, now) = (self.state.hooks(), State::read(&place)?);
        let identity = now.identity(&self.checkout)?;
        let is_same = identity == self.identity && now.hooks() == before;
        (self.state, self.identity) = (now, identity);
        if !is_same {
            self.folders = everywhere::find(&self.state, &self.checkout, &self.identity, self.everywhere)?;
            return Ok(None);
        }
        let changed = self.drift(hooks)?;
        let gone = &self.folders.gone;
        let mut present = gone.clone();
        present.extend(hooks.folders.within.clone());
        everywhere::follow(&place, gone, &present)?;
        everywhere::uninstall(&place, gone, &self.checkout.root)?;
        locked.install(&self.state, &self.checkout, hooks)?;
        let former = self.identity.former_name().map(String::as_str);
        for (_, folder) in hooks.folders.within.places(&place)? {
            everywhere::install(&place, &folder, &self.checkout, hooks, former)?;
        }
        Ok(Some(changed))
    }
}
