//! Every hook of the linked crates, for listers.

use std::fmt::Write;

use crate::HookDef;
use crate::json::Object;

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
    let mut text = String::new();
    for hook in hooks() {
        let mut line = Vec::new();
        let mut object = Object::new(&mut line);
        object.string("path", hook.path);
        object.string("name", hook.name);
        object.string("description", hook.description);
        object.string("event", hook.event.name);
        object.optional_string("matcher", hook.matcher);
        if let Some(seconds) = hook.timeout {
            object.number("timeout", seconds);
        }
        object.string("on_failure", hook.on_failure.as_str());
        object.end();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", String::from_utf8_lossy(&line));
    }
    text
}
