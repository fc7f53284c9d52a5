//! A place, and the workspace whose hooks go there: the look before a build, and the install after it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cargo::checkout::Checkout;
use crate::cargo::workspace::Workspace;
use crate::settings::apply::Locked;
use crate::settings::drift::differing;
use crate::settings::place::{Place, outer_repository};
use crate::settings::plan::Hooks;
use crate::settings::scope::Target;
use crate::settings::snapshot::Snapshot;
use crate::settings::sources::Identity;
use crate::settings::{installed, shown};
use crate::terminal::inform;

/// A place, as a workspace finds it.
pub(crate) struct Site {
    pub(crate) place: Place,
    checkout: Checkout,
    seen: Snapshot,
    /// The workspace as the project's own files know it.
    pub(crate) identity: Identity,
    /// The repository around the project's root, if that is not one itself.
    pub(crate) outer: Option<PathBuf>,
    /// The hooks of the workspace in other settings that the client reads in the same session.
    pub(crate) others: Vec<(Place, BTreeSet<String>)>,
}

impl Site {
    /// Reads everything that an install goes by. What cannot be edited is refused before minutes are spent on a build.
    ///
    /// # Errors
    ///
    /// Fails if nothing could be installed there.
    pub(crate) fn look(target: &Target, workspace: &Workspace, is_check: bool, is_forced: bool) -> Result<Self> {
        let naming = workspace.naming();
        let place = target.place(&naming)?;
        let mut checkout = Checkout::of(&workspace.root, place.sharing_project())?;
        if !is_check {
            checkout = checkout.with_version()?;
            place.check_folders()?;
            place.check_file()?;
        }
        let seen = Snapshot::read(&place).map_err(|err| shown::explained(&place, err))?;
        if let Some(settings) = &seen.settings {
            installed::report_findings(&place, settings, is_forced)?;
        }
        let identity = seen.identity(&place, &checkout)?;
        if let Some(source) = identity.source() {
            source.ensure_not_older(&workspace.root, &place)?;
        }
        if checkout.version.is_dirty {
            inform(format_args!(
                "note: what is not committed in {} is installed here, and nowhere else: others have the commit",
                workspace.root.display()
            ));
        }
        let others = target.others(&place, &naming).into_iter().map(|other| {
            let settings = installed::settings(&other).ok().flatten();
            let named = installed::named(settings.as_ref(), &other);
            (other, named)
        });
        Ok(Self {
            others: others.collect(),
            outer: place.project().and_then(outer_repository).map(Path::to_owned),
            place,
            checkout,
            seen,
            identity,
        })
    }

    /// Returns the workspace's hooks that are installed.
    pub(crate) fn hooks(&self) -> BTreeSet<String> {
        self.seen.hooks(&self.place)
    }

    /// Returns the hooks that an install keeps; `None` if it installs all of the workspace's.
    pub(crate) fn kept(&self) -> Option<BTreeSet<String>> {
        let installed = self.hooks();
        match self.identity.source().filter(|_| self.place.is_shared()) {
            Some(source) => source.hooks.as_ref().map(|chosen| chosen | &installed),
            None => Some(installed),
        }
    }

    /// Returns what an install would change.
    pub(crate) fn drift(&self, hooks: &Hooks<'_>) -> Result<Vec<(String, &'static str)>> {
        let seen = &self.seen;
        differing(&self.place, seen.settings.as_ref(), seen.script.as_deref(), hooks)
    }

    /// Makes these the workspace's hooks here, and no others. Returns whether they were that before; `None`, and nothing has
    /// changed, if other hooks are to be chosen, since another run has installed something meanwhile.
    pub(crate) fn install(&mut self, hooks: &Hooks<'_>) -> Result<Option<bool>> {
        let locked = Locked::new(&self.place)?;
        let (before, now) = (self.hooks(), Snapshot::read(&self.place)?);
        let identity = now.identity(&self.place, &self.checkout)?;
        let is_same = identity == self.identity && now.hooks(&self.place) == before;
        (self.seen, self.identity) = (now, identity);
        if !is_same {
            return Ok(None);
        }
        let was_current = before.len() == hooks.definitions.len() && self.drift(hooks)?.is_empty();
        locked.install(&self.seen, &self.checkout, hooks)?;
        Ok(Some(was_current))
    }
}
