//! State about installs: a record for each workspace, and the files created for all workspaces.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use hmac_sha256::Hash;
use hookkit_protocol::hook::Declaration;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::binaries::link::Link;
use crate::binaries::recording::Audit;
use crate::cargo::checkout::Checkout;
use crate::cargo::min_client::MinClient;
use crate::settings::document::Document;
use crate::settings::edit;
use crate::settings::place::Place;
use crate::settings::place::commands::is_of_hookkit;
use crate::settings::within::Within;
use crate::terminal::hex;

/// The changes that `install` made to a settings file, for `uninstall` to undo.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The workspace's root.
    pub(crate) workspace: PathBuf,
    /// The repository of the workspace, and the workspace's folder in it.
    pub(crate) repository: Option<String>,
    /// The pieces inserted into the settings file.
    pub(crate) inserted: edit::Inserted,
    /// The pieces replaced by the inserted ones. They are kept until the settings are written, because the record is
    /// written first, and the run may be killed in between.
    pub(crate) replaced: edit::Inserted,
    /// Link type of each hook's binary.
    pub(crate) links: BTreeMap<String, Link>,
    /// The [`fingerprint`] of each hook's binary. During a run, also the previous binary's.
    pub(crate) binaries: BTreeMap<String, BTreeSet<String>>,
    /// The function of each hook. It identifies the same hook in a plugin.
    pub(crate) functions: BTreeMap<String, Function>,
    /// The hooks in each order with their functions, by order name.
    pub(crate) orders: BTreeMap<String, Vec<(String, Function)>>,
    /// The hooks whose answers can replace a tool's input or output.
    pub(crate) rewriting: BTreeSet<String>,
    /// The SHA-256 of the code from which the hooks were built.
    pub(crate) code: Option<String>,
    /// The oldest client that the hooks support.
    pub(crate) min_client: Option<MinClient>,
    /// The events for which no entries were written, because of clients that do not support them.
    pub(crate) left_out: BTreeSet<String>,
    /// `true` if the hooks record their runs.
    pub(crate) records_runs: bool,
    /// Set if the hooks are audited.
    pub(crate) audit: Option<Audit>,
    /// The settings of the project, if this is one of its folders and also has the project's hooks.
    pub(crate) owner: Option<PathBuf>,
    /// The folders in the project that also have the hooks.
    pub(crate) within: Within,
}

/// A hook's function, and its package's version.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Function {
    pub(crate) package: String,
    pub(crate) package_version: String,
    pub(crate) path: String,
}

impl Function {
    pub(crate) fn of(hook: &Declaration<String>) -> Self {
        Self { package: hook.package.clone(), package_version: hook.package_version.clone(), path: hook.path.clone() }
    }
}

/// Returns the SHA-256 of a binary, in hexadecimal.
pub(crate) fn fingerprint(binary: &[u8]) -> String {
    hex(&Hash::hash(binary))
}

impl Record {
    /// Returns `true` if the record belongs to this workspace: it has the same folder, or is another clone of the
    /// repository.
    pub(crate) fn is_of(&self, checkout: &Checkout) -> bool {
        let is_same = |root: &Path| root == checkout.root;
        is_same(&self.workspace)
            || self.workspace.canonicalize().is_ok_and(|root| is_same(&root))
            || self.repository.is_some() && self.repository == checkout.repository
    }

    /// Returns `true` if an unchanged entry or a binary is still there. Another project may now be in the folder.
    pub(crate) fn is_at(&self, place: &Place, settings: &Document) -> bool {
        let has = |hook: &String| matches!(place.binary(hook).read(), Ok(Some(bytes)) if self.knows(hook, &bytes));
        self.inserted_into(Some(settings)).is_in(settings) || self.binaries.keys().any(has)
    }

    pub(crate) fn write(&self, place: &Place) -> Result<()> {
        place.notes.write(&place.record(), self)
    }

    /// Reads the record of an earlier `install`. An unreadable record counts as missing.
    pub(crate) fn read(place: &Place) -> Result<Option<Self>> {
        place.notes.parsed(&place.record())
    }

    /// Returns the inserted pieces that are in the settings.
    ///
    /// If neither the inserted nor the replaced pieces are there unchanged, returns the inserted ones.
    pub(crate) fn inserted_into(&self, settings: Option<&Document>) -> &edit::Inserted {
        let is_in = |inserted: &edit::Inserted| settings.is_some_and(|settings| inserted.is_in(settings));
        if is_in(&self.replaced) && !is_in(&self.inserted) {
            return &self.replaced;
        }
        &self.inserted
    }

    /// Returns `true` if `install` has installed this hook, or was killed while doing so.
    pub(crate) fn names(&self, hook: &str) -> bool {
        self.links.contains_key(hook) || self.binaries.contains_key(hook)
    }

    /// Returns `true` if `install` wrote an entry with this command.
    pub(crate) fn wrote(&self, command: &str) -> bool {
        let text = Value::from(command).to_string();
        [&self.inserted, &self.replaced].iter().any(|inserted| inserted.has(&text))
    }

    /// Returns `true` if `install` wrote this binary of a hook.
    pub(crate) fn knows(&self, hook: &str, binary: &[u8]) -> bool {
        self.binaries.get(hook).is_some_and(|known| known.contains(&fingerprint(binary)))
    }

    /// Removes entries that are not in the settings from the record, in case the run was killed.
    pub(crate) fn settle(&mut self, settings: &Document) {
        self.inserted = self.inserted_into(Some(settings)).clone();
        self.replaced = edit::Inserted::default();
    }
}

/// Files and folders of the user that hookkit has created, for any workspace.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Created {
    /// The folder with the settings, for people who read the file.
    path: PathBuf,
    /// `true` if hookkit has created the folder.
    pub(crate) folder: bool,
    /// `true` if hookkit has created its parent folder, such as `etc` in a package.
    pub(crate) outer: bool,
    /// `true` if hookkit has created the folder of the organization's settings files.
    pub(crate) parts: bool,
    /// Names of the settings files that hookkit has created in it.
    settings: BTreeSet<String>,
    /// The containers that hookkit has created in settings files, by file name.
    pub(crate) made: BTreeMap<String, edit::Made>,
    /// For each of hookkit's files in the managed settings, the SHA-256 of all texts that were written, or will be.
    pub(crate) texts: BTreeMap<String, BTreeSet<String>>,
}

impl Created {
    /// Records the texts of a managed settings file by their SHA-256. Without texts, removes the file from the record.
    pub(crate) fn note_texts(&mut self, place: &Place, texts: BTreeSet<String>) -> Result<()> {
        if texts.is_empty() {
            self.texts.remove(place.name())
        } else {
            self.texts.insert(place.name().to_owned(), texts)
        };
        self.write(place)
    }

    /// Reads the state file.
    pub(crate) fn noted(place: &Place) -> Result<Option<Self>> {
        place.notes.parsed(CREATED)
    }

    /// Returns a new record of the files that will be created.
    pub(crate) fn begin(place: &Place) -> Result<Self> {
        Ok(Self {
            path: place.claude.path(),
            folder: place.claude.stat()?.is_none(),
            outer: place.claude.parent().stat()?.is_none(),
            parts: match place.folder_of_parts() {
                Some(parts) => parts.stat()?.is_none(),
                None => false,
            },
            ..Self::default()
        })
    }

    /// Returns the record of a moved folder, with its new path.
    pub(crate) fn moved_to(self, place: &Place) -> Self {
        Self { path: place.claude.path(), ..self }
    }

    /// Updates the record from the current settings.
    pub(crate) fn settle(&mut self, settings: Option<&Document>, place: &Place) {
        let name = place.name();
        let Some(settings) = settings else {
            self.settings.insert(name.to_owned());
            self.made.remove(name);
            return;
        };
        if !settings.commands().any(is_of_hookkit) {
            // Whatever we created once, it now belongs to the user.
            self.forget(place);
        }
        self.made_in(settings, place).retain_in(settings);
    }

    /// Removes the settings file from the record. From then on, a file with this name belongs to the user.
    pub(crate) fn forget(&mut self, place: &Place) {
        self.settings.remove(place.name());
        self.made.remove(place.name());
    }

    /// Returns the containers in the settings that hookkit has created.
    pub(crate) fn made_in(&mut self, settings: &Document, place: &Place) -> &mut edit::Made {
        self.made.entry(place.name().to_owned()).or_insert_with(|| edit::Made::guess(settings, is_of_hookkit))
    }

    /// Returns the settings. `None` if they are empty and hookkit has created the file.
    pub(crate) fn kept(&self, settings: Document, place: &Place) -> Option<Document> {
        let is_new = settings.is_bare() || settings.text() == place.new_settings();
        let goes = is_new && self.settings.contains(place.name());
        (!goes).then_some(settings)
    }

    pub(crate) fn write(&self, place: &Place) -> Result<()> {
        place.notes.write(CREATED, self)
    }
}

/// Name of the file that records what hookkit has created.
pub(crate) const CREATED: &str = "created.json";
