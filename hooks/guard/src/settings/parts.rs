//! Settings of a file, compared part by part.

use crate::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

use hookkit::protocol::settings::{HARMLESS_FLAGS, HARMLESS_TEXTS};

use crate::settings_files::{escaped, json};

/// The settings of a file: path, name, and a digest of the value. Harmless settings are left out.
///
/// Values are not kept: values of `env` can be secrets.
#[derive(Serialize, Deserialize)]
pub(super) enum Parts {
    Known(Vec<(String, String, u64)>),
    /// A file that the client may be able to read, but not this hook.
    Unreadable,
}

/// Paths of settings in a file, in the order of display: the members of an object, or the strings of a list.
///
/// For a list, the second column is the change that weakens no guard. If the third is `true`, the client itself writes there
/// what its user allows.
const PLACES: &[(&str, Option<&str>, bool)] = &[
    ("hooks", None, false),
    ("permissions.deny", Some("new"), false),
    ("permissions.ask", Some("new"), false),
    ("", None, false),
    ("permissions", None, false),
    ("permissions.allow", Some("gone"), true),
    ("permissions.additionalDirectories", Some("gone"), true),
    ("env", None, false),
    ("enabledPlugins", None, true),
    ("enabledMcpjsonServers", Some("gone"), true),
    ("disabledMcpjsonServers", Some("new"), true),
];

/// The author of a change.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Writer {
    Anyone,
    /// The client, which writes what its user allows.
    Client,
}

impl Default for Parts {
    fn default() -> Self {
        Self::Known(Vec::new())
    }
}

impl Parts {
    /// Parses the text of a file.
    pub(super) fn of(text: &str) -> Self {
        let Some(members) = json(text) else { return Self::Unreadable };
        let mut parts = Vec::new();
        add("", &members, &mut parts);
        Self::Known(parts)
    }

    /// Describes how the settings `now` weaken a session's guards, compared with `self`.
    pub(super) fn weaker(&self, now: &Self, writer: Writer) -> Option<String> {
        const MOST: usize = 3;
        let Self::Known(now) = now else {
            return Some("it cannot be read as JSON of at most 1 MiB".to_owned());
        };
        let before = match self {
            Self::Known(before) => before.as_slice(),
            Self::Unreadable => &[],
        };
        let mut found = Vec::new();
        for &(path, harmless, is_of_client) in PLACES {
            let mut all: BTreeMap<&str, [Option<u64>; 2]> = BTreeMap::new();
            for (number, parts) in [before, now].into_iter().enumerate() {
                for (_, name, digest) in parts.iter().filter(|(place, ..)| place == path) {
                    all.entry(name).or_default()[number] = Some(*digest);
                }
            }
            for (name, [before, now]) in all.into_iter().filter(|(_, [before, now])| before != now) {
                let change = match (before, now) {
                    (None, _) => "new",
                    (_, None) => "gone",
                    _ => "changed",
                };
                let is_of_client = is_of_client
                    || matches!((path, name), ("permissions", "defaultMode") | ("", "enableAllProjectMcpServers"));
                if harmless != Some(change) && !(is_of_client && writer == Writer::Client) {
                    let name = shown(name);
                    let setting = match (path, harmless) {
                        ("", _) => format!("`{name}`"),
                        (path, None) => format!("`{path}.{name}`"),
                        (path, Some(_)) => format!("`{name}` in `{path}`"),
                    };
                    found.push(format!("{setting} is {change}"));
                }
            }
        }
        (!found.is_empty()).then(|| joined(found, MOST, ", "))
    }
}

/// Adds the settings in an object.
fn add(place: &str, members: &Map<String, Value>, parts: &mut Vec<(String, String, u64)>) {
    for (name, value) in members {
        let path = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
        // Their names have no dot.
        let is_one = !name.is_empty() && !name.contains('.');
        let known = PLACES.iter().find(|(known, ..)| is_one && *known == path);
        match (known, value, texts(value)) {
            (Some((_, Some(_), _)), _, Some(texts)) => {
                parts.extend(texts.map(|text| (path.clone(), text.to_owned(), 0)));
            }
            (Some((_, None, _)), Value::Object(members), _) => add(&path, members, parts),
            (_, Value::String(_), _) if place.is_empty() && HARMLESS_TEXTS.contains(&&**name) => {}
            (_, Value::Bool(_), _) if place.is_empty() && HARMLESS_FLAGS.contains(&&**name) => {}
            _ => parts.push((place.to_owned(), name.clone(), digest(value))),
        }
    }
}

/// Returns a name for display: shortened, and without control characters.
fn shown(name: &str) -> String {
    const LONGEST: usize = 80;
    let short: String = name.chars().take(LONGEST).collect();
    let more = if short.len() < name.len() { "…" } else { "" };
    format!("{}{more}", escaped(&short))
}

/// Returns the elements of a list of strings.
fn texts(value: &Value) -> Option<impl Iterator<Item = &str>> {
    let list = value.as_array()?;
    list.iter().all(Value::is_string).then(|| list.iter().filter_map(Value::as_str))
}

/// Returns the digest of a value. Two values with the same digest cannot be found within a session.
fn digest(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weaker(before: &str, now: &str, writer: Writer) -> Option<String> {
        Parts::of(before).weaker(&Parts::of(now), writer)
    }

    #[test]
    fn each_change_weakens_what_is_said() {
        test_support::lines!("lines/settings-parts.txt").check_inputs(|section, inputs| {
            let writer = match section.name {
                "a change by the client" => Writer::Client,
                _ => Writer::Anyone,
            };
            let &[before, now] = inputs else { panic!("{inputs:?}: a row has two settings") };
            weaker(before, now, writer).unwrap_or_else(|| "nothing".to_owned())
        });
    }

    #[test]
    fn what_is_shown_is_short_and_on_one_line() {
        let rule = format!("Bash(\u{1b}[2J\n{})", "x".repeat(200));
        let now = serde_json::json!({"permissions": {"allow": [rule]}}).to_string();
        let found = weaker("{}", &now, Writer::Anyone).unwrap();
        assert!(found.starts_with(r"`Bash(\u001b[2J xxx") && found.contains("…`") && found.len() < 150, "{found}");
    }
}
