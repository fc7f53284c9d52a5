//! Settings that turn off correct hooks (client 2.1.330).

use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::source::{Handler, HookFile, at};
use crate::settings::folders::Scope;
use crate::settings::position::Position;
use crate::settings::reading::Key;

/// A settings key that turns hooks off.
pub(crate) struct Switch {
    pub(crate) key: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) place: Position,
    off: Off,
}

/// The hooks that are turned off.
enum Off {
    All,
    /// All hooks except those in managed settings.
    Unmanaged,
    /// All hooks except those in managed settings, and in plugins that managed settings enable.
    Unforced,
    /// Hooks in settings files, except managed ones.
    Settings,
    /// Hooks that call a URL that matches none of these patterns.
    Urls(Vec<String>),
}

impl fmt::Display for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.key, at(&self.path, self.place))
    }
}

impl Switch {
    fn new(key: &'static str, source: &HookFile, found: &Key, off: Off) -> Self {
        Self { key, path: source.path.clone(), place: found.place, off }
    }

    /// Returns `true` if the switch turns this hook off.
    pub(crate) fn holds_for(&self, source: &HookFile, handler: &Handler) -> bool {
        let is_managed = source.scope == Scope::Managed;
        match &self.off {
            Off::All => true,
            Off::Unmanaged => !is_managed,
            Off::Unforced => !is_managed && !matches!(source.scope, Scope::Plugin { is_forced: true, .. }),
            Off::Settings => !is_managed && !source.is_plugin(),
            Off::Urls(patterns) => {
                let url = handler.values["url"].as_str().unwrap_or_default();
                handler.kind() == "http" && !patterns.iter().any(|pattern| matches(pattern, url))
            }
        }
    }

    /// Returns `true` if the switch also stops the client from loading a plugin's module.
    pub(crate) fn keeps_out(&self, plugin: &Scope) -> bool {
        match self.off {
            Off::All | Off::Unmanaged => true,
            Off::Unforced | Off::Settings => !matches!(plugin, Scope::Plugin { is_forced: true, .. }),
            Off::Urls(_) => false,
        }
    }
}

/// Returns the switches in settings files, which must be sorted from weakest to strongest.
pub(super) fn find(sources: &[HookFile]) -> Vec<Switch> {
    let is_true: fn(&Value) -> bool = |value| *value == true;
    let names_hooks: fn(&Value) -> bool = |value| {
        let list = value.as_array();
        *value == true || list.is_some_and(|list| list.iter().any(|area| area == "hooks"))
    };
    // The hooks turned off by the key in managed settings, and in any other file. A stronger file's `false` overrides
    // `true`.
    let keys = [
        ("disableAllHooks", is_true, Off::All, Some(Off::Unmanaged)),
        ("allowManagedHooksOnly", is_true, Off::Unforced, None),
        ("strictPluginOnlyCustomization", names_hooks, Off::Settings, None),
    ];
    let switches = keys.into_iter().filter_map(|(key, is_on, managed, other)| {
        let mut strongest = sources.iter().rev().filter_map(|source| Some((source, source.key(key)?)));
        let (source, found) = strongest.next().filter(|(_, found)| is_on(&found.value))?;
        let off = if source.scope == Scope::Managed { managed } else { other? };
        Some(Switch::new(key, source, found, off))
    });
    switches.chain(urls(sources)).collect()
}

/// Returns the switch for allowed URLs, which merges the lists from all files.
fn urls(sources: &[HookFile]) -> Option<Switch> {
    const KEY: &str = "allowedHttpHookUrls";
    let lists: Vec<_> = sources.iter().filter_map(|source| Some((source, source.key(KEY)?))).collect();
    let patterns = lists.iter().flat_map(|(_, found)| found.value.as_array().into_iter().flatten());
    let patterns = patterns.filter_map(|pattern| pattern.as_str().map(str::to_owned)).collect();
    let (source, found) = lists.last()?;
    Some(Switch::new(KEY, source, found, Off::Urls(patterns)))
}

/// Returns `true` if a URL matches a pattern, in which `*` means any text. A pattern without a path matches all paths.
fn matches<'u>(pattern: &str, url: &'u str) -> bool {
    let has_path = pattern.split_once("://").is_none_or(|(_, rest)| rest.contains(['/', '*']));
    if !has_path {
        let behind = url.strip_prefix(pattern);
        return behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(['/', '?', '#']));
    }
    let Some((start, parts)) = pattern.split_once('*') else { return url == pattern };
    let (parts, last) = parts.rsplit_once('*').unwrap_or(("", parts));
    let within = url.strip_prefix(start).and_then(|rest| rest.strip_suffix(last));
    let after = |rest: &'u str, part| Some(rest.split_once(part)?.1);
    within.is_some_and(|rest| parts.split('*').try_fold(rest, after).is_some())
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_pattern_matches_a_url_as_in_the_client() {
        let url = "http://127.0.0.1:8080/hook?a=b";
        for (pattern, expected) in [
            ("*", true),
            (url, true),
            ("http://127.0.0.1:*/*", true),
            ("http://127.0.0.1*", true),
            ("http://127.0.0.1:8080", true),
            ("http://127.0.0.1:808", false),
            ("http://127.0.0.1:8080/", false),
            ("https://*", false),
            ("http://*/other", false),
        ] {
            assert_eq!(matches(pattern, url), expected, "{pattern}");
        }
    }
}
