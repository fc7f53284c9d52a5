//! A hook's definition, as the lister prints it.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::overrides::Changes;
use crate::packs::krate;

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
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) entries: Vec<OnEvent>,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    /// In seconds.
    pub(crate) timeout: Option<u32>,
    pub(crate) status_message: Option<String>,
    pub(crate) on_failure: OnFailure,
    /// `None`: the client waits for it.
    pub(crate) mode: Option<Mode>,
    /// The function's path, from its crate on.
    pub(crate) path: String,
    /// The package that it is in.
    pub(crate) package: String,
    pub(crate) package_version: String,
    /// How its author wrote a matcher, if there is one that is not the types'.
    #[serde(skip_serializing)]
    pub(crate) written_matcher: Option<Written>,
    /// How its author wrote an `if`.
    #[serde(skip_serializing)]
    pub(crate) written_condition: Option<Written>,
    /// What the workspace changes of it. All else is told as it is with that.
    #[serde(flatten, skip_deserializing)]
    pub(crate) changes: Changes,
}

/// How a value is written in an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Written {
    Checked,
    /// In `unchecked(…)`.
    Unchecked,
}

/// A hook on one of its events.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct OnEvent {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    /// Whether the settings say `onFailure: "block"`.
    pub(crate) blocks_in_settings: bool,
}

/// What a failure of the hook means for the action at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnFailure {
    Block,
    Continue,
}

/// How a hook runs that the client does not wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Mode {
    Async,
    AsyncRewake,
}

impl OnEvent {
    /// Whether the client heeds `onFailure: "block"` on it.
    pub(crate) fn heeds_on_failure(&self) -> bool {
        hookkit_protocol::event::event(&self.event).is_some_and(|event| event.heeds_on_failure())
    }
}

impl Definition {
    /// The function's path for generated code, which calls a crate by its package.
    pub(crate) fn path_from_outside(&self) -> String {
        let within = self.path.split_once("::").map_or("", |(_, within)| within);
        format!("{}::{within}", krate(&self.package))
    }

    /// The first sentence or so of the description, for a table.
    pub(crate) fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default()
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
