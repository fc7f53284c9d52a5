//! The parts of a text that hold hooks, and by which rules.

use jsonc_parser::ast::{Object, Value};

use crate::settings::document::{Document, last_member};

/// The part of a text that holds hooks, and its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'p> {
    /// `hooks` of a settings file.
    Settings,
    /// `hooks` of a plugin's `hooks/hooks.json`, or of a file in its place.
    PluginHooks,
    /// The events in `hooks` of a plugin's `plugin.json`.
    Manifest,
    /// The same in the entry of a `marketplace.json` for this plugin.
    Offer(&'p str),
}

impl Part<'_> {
    /// The values that should hold events with their hooks.
    pub(crate) fn maps<'d, 'a>(&self, document: &'d Document<'a>) -> Vec<&'d Value<'a>> {
        let root = &document.root;
        match self {
            Self::Settings | Self::PluginHooks => last_member(root, "hooks").into_iter().collect(),
            Self::Manifest => inline(root),
            Self::Offer(plugin) => offer(root, plugin).map_or_else(Vec::new, inline),
        }
    }
}

/// The events in `hooks`, which can hold paths of files, too.
fn inline<'d, 'a>(object: &'d Object<'a>) -> Vec<&'d Value<'a>> {
    let maps = match last_member(object, "hooks") {
        Some(Value::Array(list)) => list.elements.iter().collect(),
        Some(hooks) => vec![hooks],
        None => Vec::new(),
    };
    maps.into_iter().filter(|map| map.as_object().is_some()).collect()
}

/// A marketplace's entry for a plugin.
fn offer<'d, 'a>(root: &'d Object<'a>, plugin: &str) -> Option<&'d Object<'a>> {
    let offers = last_member(root, "plugins")?.as_array()?;
    let mut offers = offers.elements.iter().filter_map(Value::as_object);
    offers.find(|offer| {
        let name = last_member(offer, "name").and_then(Value::as_string_lit);
        name.is_some_and(|name| name.value == plugin)
    })
}
