//! Events recorded in sessions of the client (2.1.330), one for each event and subject.

use serde_json::Value;

/// The events, one JSON object on each line.
pub const EVENTS: &str = include_str!("recorded.jsonl");

/// Path of the project in the recorded session.
pub const PROJECT: &str = "/home/user/project";

/// Path of the user's home folder in the recorded session.
pub const HOME: &str = "/home/user";

/// Returns the path of the member with this name inside another member of the event: `tool_input.command` for
/// `command`.
pub fn nested(event: &Value, name: &str) -> Option<String> {
    let outer = event.as_object()?.iter().find(|(_, value)| value.get(name).is_some())?.0;
    Some(format!("{outer}.{name}"))
}
