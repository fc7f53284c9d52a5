//! The parts of a text that contain hooks, and each part's rules.

use crate::settings::document::Document;
use crate::settings::value::{Object, Value};

/// The part of a text that contains hooks, and its rules.
#[derive(Clone, PartialEq)]
pub(crate) enum Part<'p> {
    /// `hooks` in a settings file.
    Settings,
    /// `hooks` in a plugin's `hooks/hooks.json`, or in a file that replaces it.
    PluginHooks,
    /// Events in `hooks` in a plugin's `plugin.json`.
    Manifest,
    /// Events in `hooks` in this plugin's entry in a `marketplace.json`.
    Offer(&'p str),
}

impl Part<'_> {
    /// Returns the values that should contain events with their hooks.
    pub(crate) fn maps<'d>(&self, document: &'d Document) -> Vec<&'d Value> {
        let root = &document.root;
        match self {
            Self::Settings | Self::PluginHooks => root.get("hooks").into_iter().collect(),
            Self::Manifest => inline(root),
            Self::Offer(plugin) => offer(root, plugin).map_or_else(Vec::new, inline),
        }
    }
}

/// Returns the events in `hooks`. This key can also contain file paths.
fn inline(object: &Object) -> Vec<&Value> {
    let maps = object.all("hooks").iter();
    maps.filter(|map| map.as_object().is_some()).collect()
}

/// Returns a marketplace's entry for a plugin.
fn offer<'d>(root: &'d Object, plugin: &str) -> Option<&'d Object> {
    root.get("plugins")?.elements().iter().filter_map(Value::as_object).find(|offer| offer.text("name") == Some(plugin))
}
