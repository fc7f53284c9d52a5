//! Every hook of the linked crates, for listers.

use serde::Serialize;

use crate::{Entry, HookDef};

pub use inventory::submit;

/// One hook, as the attribute registers it.
pub struct Registered(pub &'static HookDef);

inventory::collect!(Registered);

/// Every hook of the crates that this program is linked with, sorted by path.
fn hooks() -> Vec<&'static HookDef> {
    let mut hooks: Vec<_> = inventory::iter::<Registered>().map(|registered| registered.0).collect();
    hooks.sort_by_key(|hook| hook.path);
    hooks
}

/// The hooks as xtask reads them: a JSON object a line.
pub fn list() -> String {
    let lines = hooks().into_iter().map(|hook| {
        let line = Line {
            path: hook.path,
            name: hook.name,
            description: hook.description,
            entries: hook.entries.iter().map(EntryLine::new).collect(),
            condition: hook.condition,
            timeout: hook.timeout,
            status_message: hook.status_message,
            on_failure: hook.on_failure.as_str(),
            mode: hook.mode.field(),
        };
        serde_json::to_string(&line).expect("text and numbers can always be written") + "\n"
    });
    lines.collect()
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
