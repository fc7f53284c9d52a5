//! Notes about installs: a record for each workspace, and the files created for all workspaces.

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

/// The changes of `install` to a settings file, so that `uninstall` can undo them.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The workspace's root.
    pub(crate) workspace: PathBuf,
    /// The repository of the workspace, and the workspace's folder in it.
    pub(crate) repository: Option<String>,
    /// The pieces that were inserted into the settings file.
    pub(crate) inserted: edit::Inserted,
    /// The pieces that the inserted ones replace. They are kept until the settings are written, because the record is
    /// written first, and the run may be killed in between.
    #[serde(default)]
    pub(crate) replaced: edit::Inserted,
    /// The linkage of each hook's binary.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, Link>,
    /// The SHA-256 of each hook's binary, by [`fingerprint`]. During a run, also that of the previous binary.
    pub(crate) binaries: BTreeMap<String, BTreeSet<String>>,
    /// The function of each hook. It identifies the same hook in a plugin.
    #[serde(default)]
    pub(crate) functions: BTreeMap<String, Function>,
    /// The hooks of each order with their functions, by the name of the order.
    #[serde(default)]
    pub(crate) orders: BTreeMap<String, Vec<(String, Function)>>,
    /// The hooks whose answers can replace a tool's input or output. `None` if an older release installed them.
    pub(crate) rewriting: Option<BTreeSet<String>>,
    /// The SHA-256 of the code from which the hooks were built.
    pub(crate) code: Option<String>,
    /// The oldest client that the hooks support.
    pub(crate) min_client: Option<MinClient>,
    /// The events for which no entries were written, because of clients that do not support them.
    #[serde(default)]
    pub(crate) left_out: BTreeSet<String>,
    /// `true` if the hooks record their runs.
    #[serde(default)]
    pub(crate) records_runs: bool,
    /// Given if the hooks are audited.
    pub(crate) audit: Option<Audit>,
    /// The settings of the project, if this is a folder within it that also has the project's hooks.
    pub(crate) owner: Option<PathBuf>,
    /// The folders within the project that also have the hooks.
    #[serde(default)]
    pub(crate) within: Within,
}

/// The function of a hook, and the version of its package.
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

/// Returns the SHA-256 of a binary, in hexadecimal digits.
pub(crate) fn fingerprint(binary: &[u8]) -> String {
    hex(&Hash::hash(binary))
}

impl Record {
    /// Returns `true` if the record belongs to this workspace: the folder is the same, or both are clones of one
    /// repository.
    pub(crate) fn is_of(&self, checkout: &Checkout) -> bool {
        let is_same = |root: &Path| root == checkout.root;
        is_same(&self.workspace)
            || self.workspace.canonicalize().is_ok_and(|root| is_same(&root))
            || self.repository.is_some() && self.repository == checkout.repository
    }

    /// Returns `true` if a place still has an unchanged entry or a binary. Another project may now be in its folder.
    pub(crate) fn is_at(&self, place: &Place, settings: &Document) -> bool {
        let has = |hook: &String| matches!(place.binary(hook).read(), Ok(Some(bytes)) if self.knows(hook, &bytes));
        self.inserted_into(Some(settings)).is_in(settings) || self.binaries.keys().any(has)
    }

    pub(crate) fn write(&self, place: &Place) -> Result<()> {
        place.notes.write(&place.record(), &serde_json::to_vec_pretty(self)?)
    }

    /// Returns the record of an earlier `install`. An unreadable record counts as missing.
    pub(crate) fn read(place: &Place) -> Result<Option<Self>> {
        let bytes = place.notes.read(&place.record())?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
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

    /// Returns `true` if `install` has put this hook there, or was killed while it did so.
    pub(crate) fn names(&self, hook: &str) -> bool {
        self.links.contains_key(hook) || self.binaries.contains_key(hook)
    }

    /// Returns `true` if `install` has written an entry with this command.
    pub(crate) fn wrote(&self, command: &str) -> bool {
        let text = Value::from(command).to_string();
        [&self.inserted, &self.replaced].iter().any(|inserted| inserted.has(&text))
    }

    /// Returns `true` if `install` wrote this binary of a hook.
    pub(crate) fn knows(&self, hook: &str, binary: &[u8]) -> bool {
        self.binaries.get(hook).is_some_and(|known| known.contains(&fingerprint(binary)))
    }

    /// Removes entries from the record that the settings do not have, whenever the run that wrote the record was
    /// stopped.
    pub(crate) fn settle(&mut self, settings: &Document) {
        self.inserted = self.inserted_into(Some(settings)).clone();
        self.replaced = edit::Inserted::default();
    }
}

/// The user's files and folders that exist because of hookkit, whichever workspace was the first.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Created {
    /// The folder with the settings, for people who read the notes.
    path: PathBuf,
    /// `true` if the folder exists because of hookkit.
    pub(crate) folder: bool,
    /// `true` if the folder around it exists because of hookkit, such as `etc` when a package is made.
    #[serde(default)]
    pub(crate) outer: bool,
    /// `true` if the folder of the organization's parts exists because of hookkit.
    #[serde(default)]
    pub(crate) parts: bool,
    /// The names of the settings files in it that exist because of hookkit.
    settings: BTreeSet<String>,
    /// The contents of the settings files that exist because of hookkit, by the names of the files.
    #[serde(default)]
    pub(crate) made: BTreeMap<String, edit::Made>,
    /// For each part of the managed settings that is a file of hookkit, the SHA-256 of all texts that were written, or
    /// that are about to be written.
    #[serde(default)]
    pub(crate) texts: BTreeMap<String, BTreeSet<String>>,
}

impl Created {
    /// Records the texts of a part of the managed settings, by their SHA-256. Without a text, removes the part from the
    /// note.
    pub(crate) fn note_texts(&mut self, place: &Place, texts: BTreeSet<String>) -> Result<()> {
        if texts.is_empty() {
            self.texts.remove(place.name())
        } else {
            self.texts.insert(place.name().to_owned(), texts)
        };
        self.write(place)
    }

    /// Returns the note.
    pub(crate) fn noted(place: &Place) -> Result<Option<Self>> {
        let bytes = place.notes.read(CREATED)?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Returns a new note about the files that are about to be created.
    pub(crate) fn begin(place: &Place) -> Result<Self> {
        Ok(Self {
            path: place.claude().path(),
            folder: place.claude().stat()?.is_none(),
            outer: place.claude().parent().stat()?.is_none(),
            parts: match place.folder_of_parts() {
                Some(parts) => parts.stat()?.is_none(),
                None => false,
            },
            ..Self::default()
        })
    }

    /// Returns the note of a folder that was moved, with its new path.
    pub(crate) fn moved_to(self, place: &Place) -> Self {
        Self { path: place.claude().path(), ..self }
    }

    /// Updates the note from the current settings.
    pub(crate) fn settle(&mut self, settings: Option<&Document>, place: &Place) {
        let name = place.name();
        let Some(settings) = settings else {
            self.settings.insert(name.to_owned());
            self.made.remove(name);
            return;
        };
        if !settings.commands().any(is_of_hookkit) {
            // Whatever we created once, this is the user's.
            self.forget(place);
        }
        self.made_in(settings, place).retain_in(settings);
    }

    /// Removes the settings file from the note. A file with this name then belongs to the user.
    pub(crate) fn forget(&mut self, place: &Place) {
        self.settings.remove(place.name());
        self.made.remove(place.name());
    }

    /// Returns the containers of the settings that exist because of hookkit.
    pub(crate) fn made_in(&mut self, settings: &Document, place: &Place) -> &mut edit::Made {
        self.made.entry(place.name().to_owned()).or_insert_with(|| edit::Made::guess(settings, is_of_hookkit))
    }

    /// Returns the settings. `None` if they are empty, and the file exists because of hookkit.
    pub(crate) fn kept(&self, settings: Document, place: &Place) -> Option<Document> {
        let is_new = settings.is_bare() || settings.text() == place.new_settings();
        let goes = is_new && self.settings.contains(place.name());
        (!goes).then_some(settings)
    }

    pub(crate) fn write(&self, place: &Place) -> Result<()> {
        place.notes.write(CREATED, &serde_json::to_vec_pretty(self)?)
    }
}

/// The name of the note about files that exist because of hookkit.
pub(crate) const CREATED: &str = "created.json";
