//! Plans the changes of an install or uninstall from the state alone, without reading or writing files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::binaries::definition::{Definition, names};
use crate::binaries::link::Link;
use crate::binaries::recording::Audit;
use crate::cargo::checkout::Checkout;
use crate::cargo::min_client::MinClient;
use crate::settings::check::ensure_no_new_findings;
use crate::settings::document::Document;
use crate::settings::edit::{self, Made};
use crate::settings::entries::Entry;
use crate::settings::installed::{self, without_ours};
use crate::settings::pinned::Pin;
use crate::settings::place::Place;
use crate::settings::record::{self, Created, Function, Record};
use crate::settings::sources::{Identity, Source};
use crate::settings::startup;
use crate::settings::state::State;
use crate::settings::within::Folders;

/// The hooks that an install leaves installed.
pub(crate) struct Hooks<'h> {
    /// All hooks of the workspace.
    pub(crate) all: &'h [Definition],
    /// The chosen hooks.
    pub(crate) definitions: &'h [Definition],
    /// The binary of each hook, by name.
    pub(crate) binaries: &'h BTreeMap<String, Vec<u8>>,
    pub(crate) links: &'h BTreeMap<String, Link>,
    /// The names in the project's own file. `None` for all hooks.
    pub(crate) chosen: Option<&'h BTreeSet<String>>,
    /// The folders in the project that also have the hooks.
    pub(crate) folders: &'h Folders,
    /// The settings of the project, if the hooks are for one of its folders.
    pub(crate) owner: Option<&'h Path>,
    /// `true` if the hooks are also written into settings that the client ignores.
    pub(crate) is_forced: bool,
    /// The oldest client that the hooks support.
    pub(crate) min_client: Option<&'h MinClient>,
    /// The events without entries, because of clients that do not support them.
    pub(crate) left_out: &'h BTreeSet<String>,
    /// `true` if the hooks record their runs.
    pub(crate) record_runs: bool,
    /// Set if the hooks are audited.
    pub(crate) audit: Option<Audit>,
}

impl Hooks<'_> {
    /// Returns the install record before the entries of these hooks are added.
    pub(crate) fn noted(&self, record: Option<Record>, checkout: &Checkout) -> Record {
        let (orders, single): (Vec<_>, Vec<_>) = self.definitions.iter().partition(|hook| !hook.members.is_empty());
        let function = |hook: &Definition| (hook.declared.name.clone(), Function::of(&hook.declared));
        let of_order = |order: &Definition| order.members.iter().map(function).collect();
        let orders = orders.into_iter().map(|order| (order.declared.name.clone(), of_order(order)));
        let rewriting = self.definitions.iter().filter(|hook| hook.replaces().is_some());
        Record {
            workspace: checkout.root.clone(),
            repository: checkout.repository.clone(),
            code: checkout.hash.clone(),
            min_client: self.min_client.cloned(),
            left_out: self.left_out.clone(),
            records_runs: self.record_runs,
            audit: self.audit,
            owner: self.owner.map(Path::to_owned),
            within: self.folders.within.clone(),
            functions: single.into_iter().map(function).collect(),
            orders: orders.collect(),
            rewriting: names(rewriting).map(str::to_owned).collect(),
            ..record.unwrap_or_default()
        }
    }
}

/// The changes of an install.
pub(crate) struct Plan {
    /// The state before anything is written, so that the next run recognizes every binary if this run is killed.
    pub(crate) begun: (Created, Record),
    /// The workspace's entries in the project's own files, and its former name there.
    pub(crate) shared: Option<(Source, Pin, Option<String>)>,
    /// Hooks that the workspace has installed under other names.
    pub(crate) former: Vec<(Place, Record)>,
}

impl Plan {
    /// Plans an install that makes `hooks` the workspace's only hooks here.
    ///
    /// # Errors
    ///
    /// Fails if the install is not possible.
    pub(crate) fn new(state: &State, checkout: &Checkout, hooks: &Hooks<'_>) -> Result<Self> {
        let place = &state.place;
        let identity = state.identity(checkout)?;
        let shared = shared(state, checkout, hooks, &identity)?;
        let former = state.former(checkout, &identity);
        let mut record = hooks.noted(state.record.clone(), checkout);
        for (hook, binary) in hooks.binaries {
            record.binaries.entry(hook.clone()).or_default().insert(record::fingerprint(binary));
        }
        let begun = (state.created.clone(), record);
        // It is made again to be written, since another program may write meanwhile.
        Edit::install(place, state.settings.as_ref(), hooks, &begun, &former)?;
        state.ensure_proven(checkout, &identity, &entries(hooks.definitions, place))?;
        Ok(Self { begun, shared, former })
    }
}

/// Returns the workspace's new entries in the project's own files, if a team shares them.
fn shared(
    state: &State,
    checkout: &Checkout,
    hooks: &Hooks<'_>,
    identity: &Identity,
) -> Result<Option<(Source, Pin, Option<String>)>> {
    let Some(location) = &checkout.location else { return Ok(None) };
    let (place, script) = (&state.place, state.script.as_deref());
    ensure!(
        script.is_none() || startup::is_ours(script),
        "{} is not what `install` writes there, so nothing was changed; move it elsewhere",
        startup::file(place)
    );
    let source = identity.source().filter(|source| source.is(location)).cloned();
    let mut source = source.unwrap_or_else(|| Source::of(location));
    source.hooks = hooks.chosen.cloned();
    source.folders.clone_from(&hooks.folders.listed);
    let mut pin = Pin::new(hooks.definitions, place, checkout.code.as_deref(), hooks.min_client);
    state.pins.name_commit(&mut pin, &mut source, place, checkout.commit.as_deref());
    Ok(Some((source, pin, identity.former_name().cloned())))
}

/// A change to the settings, and the state about it.
pub(crate) struct Edit {
    /// The new settings. `None` if there is no file.
    pub(crate) after: Option<Document>,
    /// The record with the insertions.
    pub(crate) record: Record,
    pub(crate) created: Created,
    /// Sentences about user additions that the change removes, and about edited entries that stay.
    pub(crate) lost: Vec<String>,
}

impl Edit {
    /// Adds the entries of hooks, and removes the workspace's other entries.
    pub(crate) fn install(
        place: &Place,
        before: Option<&Document>,
        hooks: &Hooks<'_>,
        (created, record): &(Created, Record),
        former: &[(Place, Record)],
    ) -> Result<Self> {
        if let Some(settings) = before {
            installed::ensure_read(place, settings, hooks.is_forced)?;
        }
        let (mut created, mut record, mut lost) = (created.clone(), record.clone(), Vec::new());
        record.links.clone_from(hooks.links);
        created.settle(before, place);
        let mut settings = match before {
            Some(settings) => settings.renewed()?,
            None => Document::of(place.form(), &place.new_settings())?,
        };
        let made = created.made_in(&settings, place);
        for (former, record) in former {
            settings = without_ours(&settings, record, made, former, &mut lost)?;
        }
        record.settle(&settings);
        let settings = edited(settings, hooks.definitions, &mut record, made, place, &mut lost)?;
        made.extend(record.inserted.made());
        Ok(Self { after: created.kept(settings, place), record, created, lost })
    }

    /// Removes the entries of these settings locations.
    pub(crate) fn uninstall(
        place: &Place,
        before: Option<&Document>,
        created: &Created,
        ours: &[(Place, Record)],
    ) -> Result<Self> {
        let (mut created, mut lost) = (created.clone(), Vec::new());
        let mut after = before.cloned();
        if let Some(settings) = before {
            created.settle(Some(settings), place);
            let mut rest = settings.clone();
            let made = created.made_in(settings, place);
            for (place, record) in ours {
                rest = without_ours(&rest, record, made, place, &mut lost)?;
            }
            after = created.kept(rest, place);
        }
        Ok(Self { after, record: Record::default(), created, lost })
    }
}

/// Returns the hooks' entries in a settings file.
pub(crate) fn entries(hooks: &[Definition], place: &Place) -> Vec<Entry> {
    let of_hooks = hooks.iter().flat_map(|hook| installed::entries(hook, place));
    let has_check = place.is_committed() && !hooks.is_empty();
    of_hooks.chain(has_check.then(|| startup::entry(place))).collect()
}

/// Returns the settings with these hooks as the workspace's only ones. User additions that are removed are added to
/// `lost`.
fn edited(
    settings: Document,
    hooks: &[Definition],
    record: &mut Record,
    made: &mut Made,
    place: &Place,
    lost: &mut Vec<String>,
) -> Result<Document> {
    let entries = entries(hooks, place);
    if settings.has_only(&entries, |command| place.is_ours(command) || record.wrote(command)) {
        return Ok(settings);
    }
    let base = without_ours(&settings, record, made, place, lost)?;
    made.note_blanks(&base);
    let edited = edit::insert(&base, &entries).with_context(|| installed::refused(place))?;
    if place.agent().is_none() {
        ensure_no_new_findings(&base, &edited.document)?;
    }
    if record.inserted != edited.inserted {
        record.replaced = std::mem::replace(&mut record.inserted, edited.inserted);
    }
    Ok(edited.document)
}
