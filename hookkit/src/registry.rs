//! Every hook of the linked crates, for listers.

use hookkit_protocol::hook::{Declaration, OnEvent, Written};
use serde::Serialize;

use crate::__private::Source;
use crate::HookDef;

pub use inventory::submit;

/// One hook, as the attribute registers it.
pub struct Registered {
    /// Its definition.
    pub hook: &'static HookDef,
    /// What else the attribute knows.
    pub source: Source,
}

inventory::collect!(Registered);

/// What changes whenever somebody who reads an older listing would misunderstand it.
///
/// A member that is added, and has a default, is no such change.
const VERSION: u32 = 1;

/// Every hook of the crates that this program is linked with, as xtask reads it: one JSON object.
pub fn list() -> String {
    let mut registered: Vec<_> = inventory::iter::<Registered>().collect();
    registered.sort_by_key(|registered| registered.hook.declared.path);
    let listing = Listing {
        version: VERSION,
        hookkit: env!("CARGO_PKG_VERSION"),
        hooks: registered.into_iter().map(Line::new).collect(),
    };
    serde_json::to_string(&listing).expect("text and numbers can always be written")
}

#[derive(Serialize)]
struct Listing {
    version: u32,
    hookkit: &'static str,
    hooks: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    declared: &'static Declaration,
    entries: Vec<OnEvent>,
    written_matcher: Option<Written>,
    written_condition: Option<Written>,
}

impl Line {
    fn new(registered: &Registered) -> Self {
        let entries = registered.hook.entries.iter().map(|entry| OnEvent {
            event: entry.event.name,
            matcher: entry.matcher,
            blocks_in_settings: entry.blocks_in_settings,
        });
        Self {
            declared: &registered.hook.declared,
            entries: entries.collect(),
            written_matcher: registered.source.matcher,
            written_condition: registered.source.condition,
        }
    }
}
