//! Entries of a plugin in the checkout. They include every file in its folder, because a plugin adds servers, skills,
//! agents, and programs in the session's PATH.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookkit_protocol::mods;
use serde_json::Value;

use super::checkout::Kind;
use super::documents;
use super::found::{Finder, Place};
use crate::diagnose::active::plugins::marketplace;
use crate::diagnose::active::source::json;
use crate::disk::bounded::plain;
use crate::settings::part::Part;

/// The folder with the manifest of a plugin or marketplace.
pub(super) const FOLDER: &str = ".claude-plugin";
const MANIFEST: &str = ".claude-plugin/plugin.json";

/// Maximum number of files and folders in a plugin, and of nested folders.
const MOST: usize = 2_000;
const DEEPEST: usize = 12;

/// The parts to compare if the plugin is the root of the checkout. Everything else in the root belongs to the project.
const OF_ROOT: &[&str] = &[
    FOLDER, ".lsp.json", ".mcp.json", "agents", "bin", "commands", "hooks", "monitors", "output-styles",
    "settings.json", "skills", "themes",
];

/// Adds the entries of the plugin in a folder.
pub(super) fn add(finder: &mut Finder<'_>, folder: &Path, start: &Path) {
    let bases = [folder.to_owned(), start.to_owned()];
    let mut left = if folder.as_os_str().is_empty() {
        OF_ROOT.iter().map(PathBuf::from).collect()
    } else {
        vec![folder.to_owned()]
    };
    let mut count = 0;
    while let Some(path) = left.pop() {
        count += 1;
        let within = path.strip_prefix(folder).unwrap_or(&path);
        if count > MOST || within.components().count() > DEEPEST {
            let why = format!("it has more than {MOST} files, or more than {DEEPEST} levels of folders");
            return finder.unread(folder, &why);
        }
        if finder.checkout.kind(&path) == Kind::Folder {
            left.extend(finder.within(&path));
            continue;
        }
        let part = match within.to_str() {
            Some(MANIFEST) => Part::Manifest,
            Some("hooks/hooks.json" | ".mcp.json" | ".lsp.json") => Part::PluginHooks,
            _ => {
                let place = Place::of(&path);
                finder.file(&path, &place);
                if path.extension().is_some_and(|ending| ending == "json") {
                    let bytes = finder.read(&path).unwrap_or_default();
                    finder.called([&*String::from_utf8_lossy(&bytes)], &bases, &place);
                    note_modules(finder, folder, json(&bytes).ok());
                }
                continue;
            }
        };
        let value = documents::add(finder, &path, &part, &bases);
        note_modules(finder, folder, value.filter(|_| part != Part::Manifest));
    }
}

/// Records a plugin that has a file with a module. The manifest may declare any file as a hooks file.
fn note_modules(finder: &mut Finder<'_>, folder: &Path, value: Option<Value>) {
    if value.is_some_and(|value| value.get(mods::KEY).is_some()) && !folder.as_os_str().is_empty() {
        finder.found.modules.insert(folder.to_owned());
    }
}

/// Adds the plugins from marketplaces that settings specify as paths in the checkout.
pub(super) fn of_marketplaces(finder: &mut Finder<'_>, settings: &Value, start: &Path) {
    let known = settings["extraKnownMarketplaces"].as_object();
    for market in known.into_iter().flat_map(|known| known.values()) {
        let path = market["source"]["path"].as_str();
        let Some(path) = path.and_then(|path| finder.checkout.within(&plain(&start.join(path)))) else {
            continue;
        };
        let (file, root) = marketplace(&path);
        for folder in offered(finder, &file, &root) {
            add(finder, &folder, start);
        }
    }
}

/// Adds a marketplace, and returns the folders of its plugins.
fn offered(finder: &mut Finder<'_>, file: &Path, root: &Path) -> Vec<PathBuf> {
    let Some(bytes) = finder.read(file) else {
        return Vec::new();
    };
    finder.whole(file, &bytes);
    let market = json(&bytes).unwrap_or_default();
    let prefix = market["metadata"]["pluginRoot"].as_str();
    let prefix = root.join(prefix.unwrap_or_default());
    let offers = market["plugins"].as_array().into_iter().flatten();
    let sources = offers.filter_map(|offer| offer["source"].as_str());
    let folders = sources.flat_map(|source| [root.join(source), prefix.join(source)]);
    let folders: BTreeSet<PathBuf> = folders.map(|folder| plain(&folder)).collect();
    let is_there = |folder: &PathBuf| finder.checkout.kind(folder) != Kind::Missing;
    folders.into_iter().filter(is_there).collect()
}
