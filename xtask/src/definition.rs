//! A hook's definition, as the lister prints it.

use serde::{Deserialize, Serialize};

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

impl Definition {
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
