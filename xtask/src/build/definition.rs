//! A hook's definition, as the lister prints it.

use anyhow::{Context, Result, ensure};
use hookkit_protocol::hook::{Declaration, OnEvent, Written};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cargo::packs::krate;

/// What the lister prints.
#[derive(Deserialize)]
pub(crate) struct Listing {
    pub(crate) hooks: Vec<Definition>,
}

/// What can be read of any listing.
#[derive(Deserialize)]
struct Head {
    version: u32,
    hookkit: String,
}

/// The version of the listing that is known here. What hooks of an older hookkit do not say has a default.
const VERSION: u32 = 1;

impl Listing {
    /// Reads what a lister said: that of the hookkit which the packs are written for, be it older than ours or newer.
    pub(crate) fn parse(said: &[u8]) -> Result<Self> {
        let head: Head = serde_json::from_slice(said).context("reading what the lister said")?;
        ensure!(
            head.version <= VERSION,
            "the packs are written for hookkit {}, which says of its hooks what this xtask, of hookkit {}, does not know; \
             update it: cargo update hookkit-xtask",
            head.hookkit,
            env!("CARGO_PKG_VERSION")
        );
        serde_json::from_slice(said)
            .with_context(|| format!("reading what the lister of hookkit {} said", head.hookkit))
    }
}

/// A hook, as its attribute declares it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Definition {
    #[serde(flatten)]
    pub(crate) declared: Declaration<String>,
    pub(crate) entries: Vec<OnEvent<String>>,
    /// How its author wrote a matcher, if there is one that is not the types'.
    #[serde(skip_serializing)]
    pub(crate) written_matcher: Option<Written>,
    /// How its author wrote an `if`.
    #[serde(skip_serializing)]
    pub(crate) written_condition: Option<Written>,
    /// The values of its configuration, if it takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<Value>,
    /// What the workspace changes of it. All else is told as it is with that.
    #[serde(flatten, skip_deserializing)]
    pub(crate) changes: Changes,
}

impl Definition {
    /// The function's path for generated code, which calls a crate by its package.
    pub(crate) fn path_from_outside(&self) -> String {
        let within = self.declared.path.split_once("::").map_or("", |(_, within)| within);
        format!("{}::{within}", krate(&self.declared.package))
    }

    /// The first paragraph of the description, in one line, for a table.
    pub(crate) fn summary(&self) -> String {
        let lines = self.declared.description.lines().map(str::trim);
        let lines = lines
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }

    /// Whether nobody has said yet what it does: that is still the template's sentence.
    fn is_unwritten(&self) -> bool {
        self.summary() == UNWRITTEN
    }

    /// What it is called on: `PreToolUse Edit|Write`.
    pub(crate) fn subject(&self) -> String {
        let each = self.entries.iter().map(|entry| match &entry.matcher {
            Some(matcher) => format!("{} {matcher}", entry.event),
            None => entry.event.clone(),
        });
        each.collect::<Vec<_>>().join(", ")
    }
}

/// Warns whoever takes these hooks of those that are as `new hook` made them.
pub(crate) fn tell_unwritten(hooks: &[Definition]) {
    let unwritten: Vec<&String> = hooks
        .iter()
        .filter(|hook| hook.is_unwritten())
        .map(|hook| &hook.declared.name)
        .collect();
    if !unwritten.is_empty() {
        crate::terminal::tell(format_args!(
            "warning: nobody has written yet what these do, in the first line of their doc comments: {}",
            crate::terminal::listed(unwritten)
        ));
    }
}

/// The summary of a hook whose author has not written one yet.
pub(crate) const UNWRITTEN: &str =
    "What it does, where it stays silent, and what it cannot see: users read this before they install it.";

/// The changes of one table to one hook.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Changes {
    /// The hook is not to be installed.
    pub(crate) off: bool,
    /// The options that are not as its author wrote them.
    pub(crate) overridden: Vec<&'static str>,
    /// Its table's key.
    #[serde(skip)]
    pub(crate) key: String,
    /// Its name, where it has another one now.
    #[serde(skip)]
    pub(crate) former_name: Option<String>,
    /// The launcher's code, where it is not that of any hook.
    #[serde(skip)]
    pub(crate) launcher: Option<String>,
    /// The values of its configuration that are written there.
    #[serde(skip)]
    pub(crate) config: Option<Value>,
}

impl Changes {
    /// The hook's name in Cargo.toml, where it changes anything.
    pub(crate) fn key(&self) -> Option<&str> {
        (!self.key.is_empty()).then_some(&self.key)
    }
}

#[cfg(test)]
mod tests {
    use hookkit_protocol::hook::Mode;

    use super::*;

    #[test]
    fn a_listing_of_a_newer_version_is_refused_in_words() {
        // Nothing else of it need be known.
        let newer = format!(r#"{{"version": {}, "hookkit": "7.1.0", "hooks": {{}}}}"#, VERSION + 1);
        let refused = Listing::parse(newer.as_bytes()).err().map(|err| err.to_string());
        let ours = env!("CARGO_PKG_VERSION");
        assert_eq!(
            refused,
            Some(format!(
                "the packs are written for hookkit 7.1.0, which says of its hooks what this xtask, of hookkit {ours}, does \
                 not know; update it: cargo update hookkit-xtask"
            ))
        );
    }

    #[test]
    fn what_an_older_hookkit_does_not_say_has_a_default_and_what_a_newer_one_adds_is_let_be() -> Result<()> {
        let said = r#"{
            "version": 1,
            "hookkit": "0.1.0",
            "new": {},
            "hooks": [{
                "name": "guard",
                "description": "Guards\nthe tests.\n\nIn many words.",
                "entries": [{"event": "Stop", "blocks_in_settings": false, "new": null}],
                "on_failure": "block",
                "path": "acme_guards::guard",
                "package": "acme-guards",
                "package_version": "1.0.0",
                "overridden": ["name"],
                "off": true,
                "new": [1]
            }]
        }"#;
        let listing = Listing::parse(said.as_bytes())?;
        let [hook] = &listing.hooks[..] else { panic!("one hook") };
        assert_eq!((&*hook.declared.name, hook.subject()), ("guard", "Stop".to_owned()));
        assert_eq!(hook.summary(), "Guards the tests.");
        assert_eq!(
            (
                &hook.declared.condition,
                hook.declared.timeout,
                &hook.declared.status_message
            ),
            (&None, None, &None)
        );
        assert_eq!(
            (hook.declared.mode, hook.written_matcher, hook.written_condition),
            (Mode::Awaited, None, None)
        );
        // What the workspace changes is not for a pack to say.
        assert!(!hook.changes.off && hook.changes.overridden.is_empty());
        Ok(())
    }

    #[test]
    fn what_every_hook_says_has_no_default() {
        let said = r#"{"version": 1, "hookkit": "0.1.9", "hooks": [{"name": "guard"}]}"#;
        let refused = Listing::parse(said.as_bytes()).err().map(|err| format!("{err:#}"));
        assert!(refused.is_some_and(|refused| {
            refused.starts_with("reading what the lister of hookkit 0.1.9 said: missing field")
        }));
    }
}
