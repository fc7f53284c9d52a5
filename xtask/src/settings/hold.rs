//! hookkit's managed settings file that stops mods from skipping hooks.
//!
//! A mod is JavaScript in a plugin that runs inside the client. It can skip all hooks outside managed settings, unless
//! the client's own guard is active. Managed settings activate this guard.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use hookkit_protocol::mods::{FIRST_PLUGINS, GUARD, ONLY_MANAGED};

use crate::disk::write;
use crate::settings::apply::Locked;
use crate::settings::place::Place;
use crate::settings::record::{Created, fingerprint};
use crate::terminal::quoted;

/// A limit on mods.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Hold {
    /// Mods are loaded and cannot skip or change hooks and permissions; they still run programs, and can answer a call in the
    /// tool's place
    HooksHold,
    /// Mods are left out, except for those of managed settings; the command hooks of the same plugins run
    NoMods,
}

impl Hold {
    /// Returns the text of the file, with the client's guard around all mods. The client joins the lists from several
    /// files, so the guard stays even if another file does not have it.
    pub(crate) fn text(self) -> String {
        let option = match self {
            Self::HooksHold => String::new(),
            Self::NoMods => {
                format!(",\n  \"pluginConfigs\": {{\"{GUARD}\": {{\"options\": {{\"{ONLY_MANAGED}\": true}}}}}}")
            }
        };
        format!("{{\n  \"{FIRST_PLUGINS}\": [\"{GUARD}\"]{option}\n}}\n")
    }
}

/// Writes or removes one of hookkit's files in the managed settings. `by` is the command that does this. Returns
/// `false` if nothing changed.
///
/// # Errors
///
/// Fails if another file has its name, or if the file cannot be written.
pub(crate) fn put(place: &Place, text: Option<&str>, by: &str) -> Result<bool> {
    let after = text.map(|text| text.as_bytes().to_vec());
    let locked = Locked::new(place)?;
    let mut created = Created::noted(place)?.map_or_else(|| Created::begin(place), Ok)?;
    let known = created.texts.get(place.name()).cloned().unwrap_or_default();
    let change = |before: Option<&[u8]>| {
        let is_ours = |before| known.contains(&fingerprint(before));
        ensure!(
            before.is_none_or(is_ours) || before == after.as_deref(),
            "{place} is not what `{by}` wrote for this user, so nothing was changed; move it elsewhere, or remove it: \
             rm {}",
            quoted(place)
        );
        Ok(after.clone())
    };
    let before = write::read(&place.file())?;
    let is_changed = change(before.as_deref())? != before;
    if is_changed {
        // Recorded first, so that the next run recognizes every file if this one is killed.
        let mut texts = known.clone();
        texts.extend(after.as_deref().map(fingerprint));
        created.note_texts(place, texts)?;
        if let Err(err) = write::edit(&locked.run, &place.file(), place.settings(), change) {
            created.note_texts(place, known)?;
            return Err(err);
        }
    }
    if after.is_none() && !known.is_empty() {
        created.note_texts(place, BTreeSet::new())?;
    }
    Ok(is_changed)
}

#[cfg(test)]
mod tests;
