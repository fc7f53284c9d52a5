//! What `install` made of a project's sources: `.claude/hookkit.lock`, which is committed beside `hookkit.toml`.
//!
//! By it a checkout is compared with what its team has installed, and nothing is built or run for that.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::beneath::Beneath;
use crate::definition::Definition;
use crate::installed;
use crate::place::Place;
use crate::settings;
use crate::sources::{self, Sources};
use crate::workspace::Metadata;
use crate::{hex, listed, one_line, write};

/// The name of the file, in the client's folder.
const FILE: &str = "hookkit.lock";

/// What was installed, by the source's name.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Pins(BTreeMap<String, Pin>);

/// What was installed of a source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pin {
    /// The SHA-256 of the code that the hooks are made of, where it is in the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The entries of each hook in the settings.
    hooks: BTreeMap<String, Vec<Placed>>,
}

/// An entry in the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Placed {
    event: String,
    group: Value,
}

/// The file of a place, which is a project's.
pub(crate) fn file(place: &Place) -> Beneath {
    place.claude().join(FILE)
}

impl Pin {
    /// What is installed of a workspace.
    pub(crate) fn new(hooks: &[Definition], place: &Place, root: &Path) -> Result<Self> {
        let placed = |hook: &Definition| {
            let entries = installed::entries(hook, place);
            let placed = entries.iter().map(|entry| Placed {
                event: entry.event.clone(),
                group: settings::group(entry),
            });
            (hook.name.clone(), placed.collect())
        };
        let is_within = place.project().is_some_and(|project| root.starts_with(project));
        Ok(Self {
            code: is_within.then(|| code(root)).transpose()?,
            hooks: hooks.iter().map(placed).collect(),
        })
    }
}

impl Pins {
    fn read(place: &Place) -> Result<Option<Self>> {
        let file = file(place);
        let (_, pins) = write::read_as(&file, |bytes| bytes.map(|bytes| Self::parse(bytes, &file)).transpose())?;
        Ok(pins)
    }

    fn parse(bytes: &[u8], file: &Beneath) -> Result<Self> {
        serde_json::from_slice(bytes)
            .with_context(|| format!("{file} cannot be read; remove it, and write it anew: cargo xtask install"))
    }
}

/// Looks whether the file can be read.
///
/// # Errors
///
/// Where it cannot.
pub(crate) fn check(place: &Place) -> Result<()> {
    Pins::read(place).map(drop)
}

/// Returns the text of the file with what was installed of a source, or without that source; `None` where none is left.
pub(crate) fn with(bytes: Option<&[u8]>, name: &str, pin: Option<&Pin>, file: &Beneath) -> Result<Option<Vec<u8>>> {
    let mut pins = bytes
        .map(|bytes| Pins::parse(bytes, file))
        .transpose()?
        .unwrap_or_default();
    match pin {
        Some(pin) => drop(pins.0.insert(name.to_owned(), pin.clone())),
        None => drop(pins.0.remove(name)),
    }
    let mut text = serde_json::to_vec_pretty(&pins)?;
    text.push(b'\n');
    Ok((!pins.0.is_empty()).then_some(text))
}

/// Returns the SHA-256 of the code of a workspace's packs, and of what it has of its own that they depend on: the files in
/// `src`, `Cargo.toml` and `build.rs` of each package, and `Cargo.lock`.
fn code(root: &Path) -> Result<String> {
    let metadata = Metadata::of(root)?;
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let mut next: Vec<PathBuf> = Vec::new();
    for package in &metadata.packages {
        if package.dependency("hookkit").is_some() && package.dependency("hookkit-xtask").is_none() {
            next.push(package.folder().to_owned());
        }
    }
    while let Some(folder) = next.pop() {
        if !folder.starts_with(root) || !folders.insert(folder.clone()) {
            continue;
        }
        let package = metadata.packages.iter().find(|package| package.folder() == folder);
        let paths = package.into_iter().flat_map(|package| &package.dependencies);
        next.extend(paths.filter_map(|dependency| dependency.path.clone()));
    }
    let base = Beneath::project(root);
    let mut files = BTreeMap::new();
    for folder in &folders {
        let within = folder.strip_prefix(root)?;
        let src = if within.as_os_str().is_empty() {
            PathBuf::from("src")
        } else {
            within.join("src")
        };
        collect(&base, &src, &mut files)?;
        for name in ["Cargo.toml", "build.rs"] {
            add(&base, &within.join(name), &mut files)?;
        }
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        add(&base, Path::new(name), &mut files)?;
    }
    let mut hash = Hash::new();
    for (path, bytes) in files {
        for part in [path.as_os_str().as_encoded_bytes(), &bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(hex(&hash.finalize()))
}

fn collect(base: &Beneath, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    let name = base.join(folder);
    if name.stat()?.is_none() {
        return Ok(());
    }
    let open = name.open().with_context(|| format!("reading {name}"))?;
    for entry in open.names()? {
        let path = folder.join(&entry);
        match open.stat(&entry)? {
            Some(stat) if stat.is_file() => add(base, &path, files)?,
            _ => collect(base, &path, files)?,
        }
    }
    Ok(())
}

fn add(base: &Beneath, file: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<()> {
    let name = base.join(file);
    let bytes = name.read().with_context(|| format!("reading {name}"))?;
    files.extend(bytes.map(|bytes| (file.to_owned(), bytes)));
    Ok(())
}

/// Describes what the file has of a source, a line for each hook. It comes with the checkout: a person reads it, and nothing
/// else goes by it.
pub(crate) fn described(place: &Place, name: &str) -> Vec<String> {
    let pins = Pins::read(place).ok().flatten().unwrap_or_default();
    let hooks = pins.0.get(name).into_iter().flat_map(|pin| &pin.hooks);
    let described = hooks.map(|(hook, placed)| {
        let on = placed.iter().map(|placed| {
            let matcher = placed.group["matcher"]
                .as_str()
                .map_or_else(String::new, |matcher| format!(" {matcher}"));
            format!("{}{matcher}", placed.event)
        });
        one_line(&format!("{hook}: {}", on.collect::<Vec<_>>().join(", "))).into_owned()
    });
    described.collect()
}

/// Lists what is not as `install` has left it: of the project's own file, of this one, and of the settings.
///
/// # Errors
///
/// Where one of them cannot be read.
pub(crate) fn differences(place: &Place) -> Result<Vec<String>> {
    let sources = Sources::read(place)?;
    let text = installed::settings(place)?.unwrap_or_default();
    let standing = Standing::of(&text, place);
    let mut found = Vec::new();
    let known: BTreeSet<&str> = sources.names().collect();
    for name in standing.names().filter(|name| !known.contains(name)) {
        let hooks = standing.hooks(name);
        found.push(format!(
            "settings.json has hooks of `{}`, which {} does not name: {}",
            one_line(name),
            sources::FILE,
            listed(hooks.iter().map(|hook| one_line(hook)))
        ));
    }
    let Some(pins) = Pins::read(place)? else {
        if !known.is_empty() {
            found.push(format!("{FILE} is missing"));
        }
        return Ok(found);
    };
    for name in pins.0.keys().filter(|name| !known.contains(name.as_str())) {
        found.push(format!(
            "{FILE} has `{}`, which {} does not name",
            one_line(name),
            sources::FILE
        ));
    }
    for (name, source) in sources.iter() {
        let name = name.as_str();
        let Some(pin) = pins.0.get(name) else {
            found.push(format!("nothing of `{}` was installed", one_line(name)));
            continue;
        };
        let mut say =
            |what: &str, hook: &str| found.push(format!("`{}` of `{}`: {what}", one_line(hook), one_line(name)));
        for hook in source
            .hooks
            .iter()
            .flatten()
            .filter(|hook| !pin.hooks.contains_key(*hook))
        {
            say("it is chosen, and was not installed", hook);
        }
        for hook in standing
            .hooks(name)
            .iter()
            .filter(|hook| !pin.hooks.contains_key(**hook))
        {
            say("the settings have it, and it was not installed", hook);
        }
        for (hook, placed) in &pin.hooks {
            if source.hooks.as_ref().is_some_and(|chosen| !chosen.contains(hook)) {
                say("it is installed, and not chosen", hook);
            }
            match standing.compare(name, hook, placed) {
                None => {}
                Some(what) => say(what, hook),
            }
        }
        if let (Some(code), Some(folder)) = (&pin.code, source.in_project(place)) {
            match folder.join("Cargo.toml").stat()?.is_some() {
                false => found.push(format!("`{}`: there is no workspace in {folder}", one_line(name))),
                true if self::code(&folder.path())? != *code => {
                    found.push(format!("`{}`: its code is not what was installed", one_line(name)));
                }
                true => {}
            }
        }
    }
    Ok(found)
}

/// The entries in the settings that name hooks of ours.
struct Standing {
    /// The workspace, the hook, the event, and the group as far as it is ours to write.
    entries: Vec<(String, String, String, Value)>,
}

impl Standing {
    fn of(text: &str, place: &Place) -> Self {
        let groups = settings::own_groups(text).into_iter();
        let named = groups.filter_map(|(event, command, group)| {
            let (folder, hook) = place.named(&command)?;
            Some((folder.to_owned(), hook.to_owned(), event, group))
        });
        Self {
            entries: named.collect(),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> = self.entries.iter().map(|(name, ..)| name.as_str()).collect();
        names.into_iter()
    }

    fn hooks(&self, name: &str) -> BTreeSet<&str> {
        let of_name = self.entries.iter().filter(|(of, ..)| of == name);
        of_name.map(|(_, hook, ..)| hook.as_str()).collect()
    }

    /// Says what is otherwise of a hook's entries.
    fn compare(&self, name: &str, hook: &str, placed: &[Placed]) -> Option<&'static str> {
        let mut standing: Vec<(&str, &Value)> = Vec::new();
        for (of, named, event, group) in &self.entries {
            if of == name && named == hook {
                standing.push((event, group));
            }
        }
        if standing.is_empty() {
            return Some("the settings do not name it");
        }
        let is_there = |placed: &Placed| standing.contains(&(placed.event.as_str(), &placed.group));
        let is_same = standing.len() == placed.len() && placed.iter().all(is_there);
        (!is_same).then_some("its entry in the settings is not what was installed")
    }
}
