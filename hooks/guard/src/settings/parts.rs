//! The settings of a file, compared part by part.

use crate::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

use hookkit::protocol::escape::{LineEnds, escape};
use hookkit::protocol::settings::{HARMLESS_FLAGS, HARMLESS_TEXTS};
use serde_json::{Map, Value};

/// The settings of a file: of each the place, the name, and a digest of the value. What is harmless is left out.
///
/// Values are not kept: those of `env` can be secrets.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Parts {
    Known(Vec<(Place, String, u64)>),
    /// The client may read what this hook cannot.
    Unreadable,
}

/// The place of a setting in a file. What is shown first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Place {
    /// The hooks of an event.
    Hook,
    Deny,
    Ask,
    /// A member of the file.
    Member,
    /// A member of `permissions`.
    Permission,
    Allow,
    Directory,
    Variable,
    Plugin,
    EnabledServer,
    DisabledServer,
}

/// The origin of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Ok(members) = serde_json::from_str::<Map<String, Value>>(text) else {
            return Self::Unreadable;
        };
        let mut parts = Vec::new();
        let mut add = |place: Place, name: &str, value: &Value| parts.push((place, name.to_owned(), digest(value)));
        for (name, value) in &members {
            match (name.as_str(), value) {
                (name, Value::String(_)) if HARMLESS_TEXTS.contains(&name) => {}
                (name, Value::Bool(_)) if HARMLESS_FLAGS.contains(&name) => {}
                ("permissions", Value::Object(members)) => {
                    for (name, value) in members {
                        match (Place::of_rules(name), texts(value)) {
                            (Some(place), Some(rules)) => rules.for_each(|rule| add(place, rule, &Value::Null)),
                            _ => add(Place::Permission, name, value),
                        }
                    }
                }
                (name, value) => match (Place::of_members(name), Place::of_servers(name), value, texts(value)) {
                    (Some(place), _, Value::Object(members), _) => {
                        members.iter().for_each(|(name, value)| add(place, name, value));
                    }
                    (_, Some(place), _, Some(servers)) => servers.for_each(|server| add(place, server, &Value::Null)),
                    _ => add(Place::Member, name, value),
                },
            }
        }
        Self::Known(parts)
    }

    /// Describes how the settings `now` guard a session less than these do.
    pub(super) fn weaker(&self, now: &Self, writer: Writer) -> Option<String> {
        const MOST: usize = 3;
        let Self::Known(now) = now else {
            return Some("it cannot be read as JSON of at most 1 MiB".to_owned());
        };
        let mut all: BTreeMap<(Place, &str), [Option<u64>; 2]> = BTreeMap::new();
        let before = match self {
            Self::Known(before) => before.as_slice(),
            Self::Unreadable => &[],
        };
        for (number, parts) in [before, now].into_iter().enumerate() {
            for (place, name, digest) in parts {
                all.entry((*place, name)).or_default()[number] = Some(*digest);
            }
        }
        let mut found = Vec::new();
        for ((place, name), [before, now]) in all {
            let change = match (before, now) {
                (None, _) => Change::New,
                (_, None) => Change::Gone,
                (Some(before), Some(now)) if before == now => continue,
                _ => Change::Changed,
            };
            if place.weakens(name, change, writer) {
                found.push(format!("{} is {}", place.shown(name), change.word()));
            }
        }
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        if more > 0 {
            found.push(format!("and {more} more"));
        }
        (!found.is_empty()).then(|| found.join(", "))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    New,
    Gone,
    Changed,
}

impl Change {
    fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
        }
    }
}

impl Place {
    /// Returns the place of the members of an object.
    fn of_members(object: &str) -> Option<Self> {
        Some(match object {
            "hooks" => Self::Hook,
            "env" => Self::Variable,
            "enabledPlugins" => Self::Plugin,
            _ => return None,
        })
    }

    /// Returns the place of the elements of a list in `permissions`.
    fn of_rules(list: &str) -> Option<Self> {
        Some(match list {
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "allow" => Self::Allow,
            "additionalDirectories" => Self::Directory,
            _ => return None,
        })
    }

    /// Returns the place of the elements of a list in the file.
    fn of_servers(list: &str) -> Option<Self> {
        Some(match list {
            "enabledMcpjsonServers" => Self::EnabledServer,
            "disabledMcpjsonServers" => Self::DisabledServer,
            _ => return None,
        })
    }

    /// Returns `true` if a change makes the guards weaker.
    fn weakens(self, name: &str, change: Change, writer: Writer) -> bool {
        match (self, change) {
            (Self::Deny | Self::Ask, Change::New) | (Self::Allow | Self::Directory, Change::Gone) => false,
            (Self::DisabledServer, Change::New) | (Self::EnabledServer, Change::Gone) => false,
            (Self::Allow | Self::Directory | Self::EnabledServer | Self::DisabledServer | Self::Plugin, _) => {
                writer == Writer::Anyone
            }
            (Self::Permission, _) if name == "defaultMode" => writer == Writer::Anyone,
            (Self::Member, _) if name == "enableAllProjectMcpServers" => writer == Writer::Anyone,
            _ => true,
        }
    }

    /// Returns a setting as it is shown: as far as it is short, and without what a terminal would take for its own.
    fn shown(self, name: &str) -> String {
        const LONGEST: usize = 80;
        let short: String = name.chars().take(LONGEST).collect();
        let more = if short.len() < name.len() { "…" } else { "" };
        let name = format!("{}{more}", escape(&short, LineEnds::Blank));
        match self {
            Self::Deny => format!("`{name}` in `permissions.deny`"),
            Self::Ask => format!("`{name}` in `permissions.ask`"),
            Self::Allow => format!("`{name}` in `permissions.allow`"),
            Self::Directory => format!("`{name}` in `permissions.additionalDirectories`"),
            Self::EnabledServer => format!("`{name}` in `enabledMcpjsonServers`"),
            Self::DisabledServer => format!("`{name}` in `disabledMcpjsonServers`"),
            Self::Permission => format!("`permissions.{name}`"),
            Self::Plugin => format!("`enabledPlugins.{name}`"),
            Self::Hook => format!("`hooks.{name}`"),
            Self::Variable => format!("`env.{name}`"),
            Self::Member => format!("`{name}`"),
        }
    }
}

/// Returns the elements of a list of strings.
fn texts(value: &Value) -> Option<impl Iterator<Item = &str>> {
    let list = value.as_array()?;
    list.iter().all(Value::is_string).then(|| list.iter().filter_map(Value::as_str))
}

/// Two values of one digest are not found in the time of a session.
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
