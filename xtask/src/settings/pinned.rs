//! A project's installed hooks: `.claude/hookkit.lock`, which is committed next to `hookkit.toml`.
//!
//! With this file, a checkout can be compared with its team's hooks without building or running anything.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::binaries::definition::Definition;
use crate::cargo::accepted::ensure_known;
use crate::cargo::checkout;
use crate::cargo::min_client::MinClient;
use crate::disk::beneath::Beneath;
use crate::disk::write;
use crate::settings::document::Document;
use crate::settings::place::Place;
use crate::settings::sources::{self, Source, Sources};
use crate::settings::within::is_behind_link;
use crate::settings::{entries, installed, startup};
use crate::terminal::{joined, listed, one_line};

/// The name of the file in the client's folder.
const FILE: &str = "hookkit.lock";

/// Installed hooks by source name.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Pins(BTreeMap<String, Pin>);

/// The installed hooks of a source.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// The source's repository and its folder in it, or the source's path.
    from: String,
    /// The commit, if the source is in its own repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    rev: Option<String>,
    /// The SHA-256 of the code, or git's hash of the workspace's folder in that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The oldest client that the hooks support.
    #[serde(rename = "min-client", skip_serializing_if = "Option::is_none")]
    min_client: Option<MinClient>,
    /// Each hook's entries in the settings.
    hooks: BTreeMap<String, Vec<Placed>>,
}

/// An entry in the settings.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    event: String,
    group: Value,
}

/// Returns the file for a project's settings.
pub(crate) fn file(place: &Place) -> Beneath {
    place.claude.join(FILE)
}

impl Pin {
    /// Returns the pin for these hooks, which were built from this code.
    pub(crate) fn new(hooks: &[Definition], place: &Place, code: Option<&str>, min_client: Option<&MinClient>) -> Self {
        let placed = |hook: &Definition| {
            let entries = installed::entries(hook, place);
            let placed =
                entries.iter().map(|entry| Placed { event: entry.event.clone(), group: entries::group(entry) });
            (hook.declared.name.clone(), placed.collect())
        };
        Self {
            from: String::new(),
            rev: None,
            code: code.map(str::to_owned),
            min_client: min_client.cloned(),
            hooks: hooks.iter().map(placed).collect(),
        }
    }

    /// Returns the commit and the code on one line, to be compared by the project's script.
    pub(crate) fn line(&self) -> String {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{} {}\n", text(&self.rev), text(&self.code))
    }
}

impl Pins {
    pub(crate) fn read(place: &Place) -> Result<Option<Self>> {
        let file = file(place);
        write::read_as(&file, |bytes| bytes.map(|bytes| Self::parse(bytes, &file)).transpose())
    }

    fn parse(bytes: &[u8], file: &Beneath) -> Result<Self> {
        serde_json::from_slice(bytes)
            .with_context(|| format!("{file} cannot be read; remove it, and write it again: cargo xtask install"))
    }

    /// Sets the commit from which hooks are installed: the working tree's commit, unless the hooks are unchanged.
    pub(crate) fn name_commit(&self, pin: &mut Pin, source: &mut Source, place: &Place, head: Option<&str>) {
        let is_same = |before: &Pin| {
            (&pin.code, &pin.min_client, &pin.hooks, &source.rev)
                == (&before.code, &before.min_client, &before.hooks, &before.rev)
        };
        if !self.0.get(&place.workspace).is_some_and(is_same) {
            source.rev = head.map(str::to_owned);
        }
        pin.rev.clone_from(&source.rev);
        pin.from = source.whence();
    }
}

/// Returns the text of the file with a source's installed hooks, or without the source. `None` if no source is left.
pub(crate) fn with(bytes: Option<&[u8]>, name: &str, pin: Option<&Pin>, file: &Beneath) -> Result<Option<Vec<u8>>> {
    let mut pins = bytes.map(|bytes| Pins::parse(bytes, file)).transpose()?.unwrap_or_default();
    pins.0.remove(name);
    pins.0.extend(pin.map(|pin| (name.to_owned(), pin.clone())));
    // The startup script also reads it, line by line.
    let mut text = serde_json::to_vec_pretty(&pins)?;
    text.push(b'\n');
    Ok((!pins.0.is_empty()).then_some(text))
}

/// Returns the oldest client that a source's hooks support. An unreadable file has its own finding.
pub(crate) fn min_client(place: &Place) -> Option<MinClient> {
    let pins = Pins::read(place).ok().flatten()?;
    pins.0.get(&place.workspace)?.min_client.clone()
}

/// Describes a source from the file, with one line per hook. The file comes with the checkout, so the text is only for
/// people, and no code relies on it.
pub(crate) fn described(place: &Place, name: &str) -> Vec<String> {
    let pins = Pins::read(place).ok().flatten().unwrap_or_default();
    let described = pins.0.get(name).into_iter().flat_map(|pin| &pin.hooks).map(|(hook, placed)| {
        let on = placed.iter().map(|placed| {
            let matcher = placed.group["matcher"].as_str().map_or_else(String::new, |matcher| format!(" {matcher}"));
            format!("{}{matcher}", placed.event)
        });
        one_line(format_args!("{hook}: {}", joined(on, ", ")))
    });
    described.collect()
}

/// Lists how the project differs from the result of `install`: in its own file, in this one, in the settings, and in
/// code inside the project.
///
/// # Errors
///
/// Fails if one of them cannot be read.
pub(crate) fn differences(place: &Place) -> Result<Vec<String>> {
    let sources = Sources::read(place)?;
    let pins = Pins::read(place)?;
    let pin = |name: &String| pins.as_ref().and_then(|pins| pins.0.get(name));
    let mut found = of_settings(place, &sources, pins.as_ref(), |_| true)?;
    for folder in sources.folders() {
        let of_folder = place.within(Path::new(folder))?;
        let is_there = of_folder.project().is_some_and(Path::is_dir);
        if !is_there || is_behind_link(place.root(), Path::new(folder)) {
            continue;
        }
        let has_folder = |source: &Source| source.folders.contains(folder);
        let of_folder = of_settings(&of_folder, &sources, pins.as_ref(), has_folder)?;
        found.extend(of_folder.into_iter().map(|found| format!("{}: {found}", one_line(folder))));
    }
    found.extend(of_files(place, &sources, pins.as_ref())?);
    for (name, source) in &sources.all {
        let (Some(code), Some(folder)) = (pin(name).and_then(|pin| pin.code.as_ref()), source.in_project(place)) else {
            continue;
        };
        let name = one_line(name);
        if folder.join("Cargo.toml").stat()?.is_none() {
            found.push(format!("`{name}`: there is no workspace in {folder}"));
            continue;
        }
        ensure_known(&folder.path())?;
        if checkout::code(&folder.path())? != *code {
            found.push(format!("`{name}`: its code differs from the installed code"));
        }
    }
    Ok(found)
}

/// Lists contradictions between the files next to the settings. No code is read or run.
///
/// # Errors
///
/// Fails if one of the files cannot be read.
pub(crate) fn disagreements(place: &Place) -> Result<Vec<String>> {
    of_files(place, &Sources::read(place)?, Pins::read(place)?.as_ref())
}

/// Compares the settings of a project, or of a folder in it, with the installed hooks of some sources.
fn of_settings(
    place: &Place,
    sources: &Sources,
    pins: Option<&Pins>,
    is_here: impl Fn(&Source) -> bool,
) -> Result<Vec<String>> {
    let settings = installed::settings(place)?;
    let installed = Entries::of(settings.as_ref(), place);
    let mut found = Vec::new();
    for name in installed.0.keys().filter(|name| !sources.all.contains_key(*name)) {
        let hooks = listed(installed.hooks(name).map(one_line));
        let name = one_line(name);
        found.push(format!("settings.json has hooks of `{name}`, which is not in {}: {hooks}", sources::FILE));
    }
    let pins = pins.iter().flat_map(|pins| &pins.0);
    for (name, pin) in pins.filter(|(name, _)| sources.all.get(*name).is_some_and(&is_here)) {
        let of_source = place.named_as(name);
        let shown = one_line(name);
        let starts = || settings.as_ref().is_some_and(|settings| settings.has(&startup::entry(&of_source)));
        if !pin.hooks.is_empty() && !starts() {
            found.push(format!(
                "`{shown}`: settings.json does not have the entry that `install` wrote to run hookkit.sh at session start: `{}`",
                one_line(of_source.startup_command())
            ));
        }
        let mut say = |what: &str, hook: &str| found.push(format!("`{}` of `{shown}`: {what}", one_line(hook)));
        for hook in installed.hooks(name).filter(|hook| !pin.hooks.contains_key(*hook)) {
            say("it is in the settings, but was not installed", hook);
        }
        for (hook, placed) in &pin.hooks {
            if let Some(what) = installed.compare(name, hook, placed) {
                say(what, hook);
            }
        }
    }
    Ok(found)
}

fn of_files(place: &Place, sources: &Sources, pins: Option<&Pins>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let has_sources = !sources.all.is_empty();
    if has_sources && !startup::is_written(place)? {
        found.push("hookkit.sh is missing, or is another file".to_owned());
    }
    let Some(pins) = pins else {
        found.extend(has_sources.then(|| format!("{FILE} is missing")));
        return Ok(found);
    };
    for name in pins.0.keys().filter(|name| !sources.all.contains_key(*name)) {
        found.push(format!("{FILE} has `{}`, which is not in {}", one_line(name), sources::FILE));
    }
    for (name, source) in &sources.all {
        let (pin, name) = (pins.0.get(name), one_line(name));
        let Some(pin) = pin else {
            found.push(format!("no hook of `{name}` was installed"));
            continue;
        };
        let mut say = |what: &str, hook: &str| found.push(format!("`{}` of `{name}`: {what}", one_line(hook)));
        if let Some(chosen) = &source.hooks {
            for hook in chosen.iter().filter(|hook| !pin.hooks.contains_key(*hook)) {
                say("it is chosen, but was not installed", hook);
            }
            for hook in pin.hooks.keys().filter(|hook| !chosen.contains(*hook)) {
                say("it is installed, but not chosen", hook);
            }
        }
        let mut say = |what: String| found.push(format!("`{name}`: {} names {what}", sources::FILE));
        if pin.from != source.whence() {
            say(format!("{source}, but it was installed from {}", one_line(&pin.from)));
        }
        if source.rev != pin.rev {
            let commit = |rev: &Option<String>| rev.as_deref().map_or("none".into(), one_line);
            say(format!("the commit {}, but {} was installed", commit(&source.rev), commit(&pin.rev)));
        }
    }
    Ok(found)
}

/// Entries in the settings that start hookkit's hooks, by workspace and hook: their events, and the part of their
/// groups that hookkit writes.
struct Entries(BTreeMap<String, BTreeMap<String, Groups>>);

/// Events, each with a group.
type Groups = Vec<(String, Rc<Value>)>;

impl Entries {
    fn of(settings: Option<&Document>, place: &Place) -> Self {
        let mut entries = Self(BTreeMap::new());
        for (event, commands, mut group) in settings.into_iter().flat_map(Document::own_groups) {
            for handler in group["hooks"].as_array_mut().into_iter().flatten() {
                if let Some(command) = handler["command"].as_str().and_then(|command| place.in_root(command)) {
                    handler["command"] = command.into();
                }
            }
            // A group in a hostile file can have any number of commands.
            let group = Rc::new(group);
            for (workspace, hook) in commands.iter().filter_map(|command| place.named(command)) {
                let hooks = entries.0.entry(workspace.to_owned()).or_default();
                let of_hook = hooks.entry(hook.to_owned()).or_default();
                of_hook.push((event.to_owned(), Rc::clone(&group)));
            }
        }
        entries
    }

    fn hooks(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get(name).into_iter().flat_map(BTreeMap::keys).map(String::as_str)
    }

    /// Describes the difference in a hook's entries.
    fn compare(&self, name: &str, hook: &str, placed: &[Placed]) -> Option<&'static str> {
        let Some(found) = self.0.get(name).and_then(|hooks| hooks.get(hook)) else {
            return (!placed.is_empty()).then_some("it is not in the settings");
        };
        // A hook has an entry for each of its events.
        let sorted = |mut entries: Vec<_>| {
            entries.sort_by_key(|(event, _): &(&String, &Value)| *event);
            entries
        };
        let placed = sorted(placed.iter().map(|placed| (&placed.event, &placed.group)).collect());
        let found = sorted(found.iter().map(|(event, group)| (event, &**group)).collect());
        (placed != found).then_some("its entry in the settings differs from the installed one")
    }
}
