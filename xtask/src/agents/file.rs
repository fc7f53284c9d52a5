//! The file of hooks of another agent.

use std::path::Path;

use anyhow::{Result, bail};
use hookkit_protocol::agents::Agent;
use serde_json::Value;

/// Checks that an agent would read a file of hooks.
///
/// # Errors
///
/// Fails if it would drop the whole file: the error says why, and the fix.
pub(crate) fn ensure_read(agent: &Agent, file: &Path, text: &str) -> Result<()> {
    if let Some((why, fix)) = fault(agent, text) {
        let (file, name) = (file.display(), agent.name);
        bail!("{file}: {name} would read none of its hooks, since {why}; {fix}");
    }
    Ok(())
}

/// Returns the reason why an agent would drop a file, and the fix.
pub(crate) fn fault(agent: &Agent, text: &str) -> Option<(String, &'static str)> {
    let parsed: Value = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        Err(err) => return Some((format!("it is not strict JSON ({err})"), "fix it first")),
    };
    let keys = agent.file.keys;
    let mut present = parsed.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    if let Some(other) = present.find(|key| !keys.is_empty() && !keys.contains(key)) {
        return Some((format!("it has the key `{other}`"), "remove it first"));
    }
    if keys.is_empty() {
        return None;
    }
    for (event, groups) in parsed["hooks"].as_object().into_iter().flatten() {
        let Some(groups) = groups.as_array() else {
            return Some((format!("`{event}` is not a list"), "make it a list"));
        };
        let mut handlers = groups.iter().filter_map(|group| group["hooks"].as_array()).flatten();
        if handlers.any(|handler| !handler["command"].is_string()) {
            let why = format!("a handler on {event} has no `command`");
            return Some((why, "add it, or remove the handler"));
        }
    }
    None
}
