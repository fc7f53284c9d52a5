//! The state on which an install or uninstall depends. It is read both before and after the settings location is
//! locked.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::cargo::checkout::Checkout;
use crate::settings::document::Document;
use crate::settings::entries::Entry;
use crate::settings::pinned::Pins;
use crate::settings::place::Place;
use crate::settings::record::{Created, Record};
use crate::settings::sources::{Identity, Sources};
use crate::settings::within::Within;
use crate::settings::{installed, startup};

/// The state of a settings location. While it is not locked, another run may change it.
pub(crate) struct State {
    pub(crate) place: Place,
    pub(crate) settings: Option<Document>,
    /// The hooks that this workspace has installed.
    pub(crate) record: Option<Record>,
    /// The hooks that were installed under other names.
    others: Vec<(Place, Record)>,
    /// The files and folders that hookkit has created.
    pub(crate) created: Created,
    /// `true` if an earlier install has recorded what it created.
    pub(crate) is_noted: bool,
    pub(crate) sources: Sources,
    pub(crate) pins: Pins,
    /// The script of a project.
    pub(crate) script: Option<Vec<u8>>,
}

impl State {
    /// Reads the settings and the files next to them.
    ///
    /// # Errors
    ///
    /// Fails if one of these files cannot be read, or could not be edited.
    pub(crate) fn read(place: &Place) -> Result<Self> {
        let settings = installed::settings(place)?;
        let mut others = Vec::new();
        for other in place.others() {
            others.extend(Record::read(&other)?.map(|record| (other, record)));
        }
        let (mut sources, mut pins, mut script) = Default::default();
        if place.is_shared() {
            sources = Sources::read(place)?;
            pins = Pins::read(place)?.unwrap_or_default();
            script = startup::file(place).read()?;
        }
        let noted = Created::noted(place)?;
        Ok(Self {
            place: place.clone(),
            settings,
            record: Record::read(place)?,
            others,
            is_noted: noted.is_some(),
            created: noted.map_or_else(|| Created::begin(place), Ok)?,
            sources,
            pins,
            script,
        })
    }

    /// Returns the workspace's installed hooks, from the record or from the settings of a clone.
    pub(crate) fn hooks(&self) -> BTreeSet<String> {
        let mut hooks = installed::named(self.settings.as_ref(), &self.place);
        hooks.extend(self.record.iter().flat_map(|record| record.links.keys().cloned()));
        hooks
    }

    /// Returns the commands of the workspace's entries in the settings.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        self.settings.iter().flat_map(Document::commands).filter(|command| self.place.is_ours(command))
    }

    /// Returns the folders in the project that the last install wrote to.
    pub(crate) fn within(&self) -> Within {
        let record = self.record.as_ref();
        record.map(|record| record.within.clone()).unwrap_or_default()
    }

    /// Checks that no other workspace has this name here, and returns the workspace's identity in the project's files.
    ///
    /// # Errors
    ///
    /// Fails if the name belongs to another workspace, or if this cannot be determined. Only entries that provably
    /// belong to the workspace are changed.
    pub(crate) fn identity(&self, checkout: &Checkout) -> Result<Identity> {
        installed::identity(&self.place, self.record.as_ref(), &self.sources, checkout)
    }

    /// Returns the workspace's hooks that are installed under former names.
    pub(crate) fn former(&self, checkout: &Checkout, identity: &Identity) -> Vec<(Place, Record)> {
        let was = identity.former_name();
        let is_was = |other: &Place| Some(&other.workspace) == was;
        let mut former: Vec<(Place, Record)> = self.others.clone();
        former.retain(|(other, record)| {
            is_was(other) || record.workspace == checkout.root && !self.sources.all.contains_key(&other.workspace)
        });
        if let Some(name) = was.filter(|_| !former.iter().any(|(other, _)| is_was(other))) {
            former.push((self.place.named_as(name), Record::default()));
        }
        former
    }

    /// Checks that entries with this workspace's name belong to it, if the project's own file does not list it. As
    /// proof, this machine's record must have them, or they must be the `expected` entries, which would be written.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined. Only entries that provably belong to the workspace are removed.
    pub(crate) fn ensure_proven(&self, checkout: &Checkout, identity: &Identity, expected: &[Entry]) -> Result<()> {
        let (Some(settings), Identity::New) = (&self.settings, identity) else {
            return Ok(());
        };
        let place = &self.place;
        let is_here = |record: &&Record| record.is_of(checkout) && record.is_at(place, settings);
        let record = self.record.as_ref().filter(is_here);
        let names = |hook: &str| record.is_some_and(|record| record.names(hook));
        let is_recorded = |command: &str| {
            let hook = place.hook(command);
            // An entry of another folder is ours if that folder's record has it.
            hook.is_some_and(|hook| {
                names(hook) || !place.is_committed() && place.agent().is_none() && command != place.command(hook)
            }) || record.is_some_and(|record| record.wrote(command))
        };
        ensure!(
            self.commands().count() == expected.iter().filter(|entry| settings.has(entry)).count()
                || self.commands().all(is_recorded),
            installed::unproven(place, settings, checkout.location.as_ref().filter(|_| place.is_shared()))
        );
        Ok(())
    }
}
