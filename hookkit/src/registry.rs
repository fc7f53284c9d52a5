//! Every hook of the linked crates, for listers.

use serde::Serialize;

use crate::__private::{Declared, Written};
use crate::{Entry, HookDef};

pub use inventory::submit;

/// One hook, as the attribute registers it.
pub struct Registered {
    /// Its definition.
    pub hook: &'static HookDef,
    /// What of it stands in the attribute.
    pub declared: Declared,
    /// The package that it is in, as Cargo.toml names it.
    pub package: &'static str,
    /// The version of that package.
    pub package_version: &'static str,
}

inventory::collect!(Registered);

/// What changes whenever somebody who reads an older listing would misunderstand it.
///
/// A member that is added, and has a default, is no such change.
const VERSION: u32 = 1;

/// Every hook of the crates that this program is linked with, as xtask reads it: one JSON object.
pub fn list() -> String {
    let mut registered: Vec<_> = inventory::iter::<Registered>().collect();
    registered.sort_by_key(|registered| registered.hook.path);
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
    path: &'static str,
    name: &'static str,
    description: &'static str,
    entries: Vec<EntryLine>,
    #[serde(rename = "if")]
    condition: Option<&'static str>,
    timeout: Option<u32>,
    status_message: Option<&'static str>,
    on_failure: &'static str,
    mode: Option<&'static str>,
    written_matcher: Option<Written>,
    written_condition: Option<Written>,
    package: &'static str,
    package_version: &'static str,
}

impl Line {
    fn new(registered: &Registered) -> Self {
        let hook = registered.hook;
        Self {
            path: hook.path,
            name: hook.name,
            description: hook.description,
            entries: hook.entries.iter().map(EntryLine::new).collect(),
            condition: hook.condition,
            timeout: hook.timeout,
            status_message: hook.status_message,
            on_failure: hook.on_failure.as_str(),
            mode: hook.mode.field(),
            written_matcher: registered.declared.matcher,
            written_condition: registered.declared.condition,
            package: registered.package,
            package_version: registered.package_version,
        }
    }
}

#[derive(Serialize)]
struct EntryLine {
    event: &'static str,
    matcher: Option<&'static str>,
    blocks_in_settings: bool,
}

impl EntryLine {
    fn new(entry: &Entry) -> Self {
        Self {
            event: entry.event.name,
            matcher: entry.matcher,
            blocks_in_settings: entry.blocks_in_settings,
        }
    }
}
