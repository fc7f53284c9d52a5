//! A rule about the input fields that a hook reads.

use hookkit_protocol::event::{Event, MatcherTarget};

use super::language::has;
use crate::settings::code::commands;
use crate::settings::finding::Finding;

/// Fields of tool inputs that no event has at the top level.
const OF_TOOLS: [&str; 7] = ["file_path", "notebook_path", "command", "content", "new_string", "old_string", "url"];

/// Parts of a program that parses its input as JSON.
const READERS: &[&str] = &["jq ", "json.load", "JSON.parse", "JSON.load", "decode_json"];

/// Finds a field of the tool input that one of the hook's texts reads from the top level of this event's JSON.
pub(super) fn fields(event: &Event, texts: &[String]) -> Option<Finding> {
    if event.matcher_target != MatcherTarget::ToolName {
        return None;
    }
    // A program that mentions these may read a field in two steps.
    let knows = ["tool_input", "tool_response", "toolInput"];
    if texts.iter().any(|text| has(text, &knows)) {
        return None;
    }
    let readers = texts.iter().filter(|text| has(text, READERS));
    let name = readers.flat_map(|text| OF_TOOLS.into_iter().filter(|name| is_read(text, name))).next()?;
    Some(commands::field_elsewhere(name))
}

/// Returns `true` if a program reads this field of an object, as `jq '.name'`, `["name"]` or `get("name")`.
fn is_read(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, name)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !after.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let of_jq = before.strip_suffix('.').filter(|_| text.contains("jq "));
        let quoted = before.strip_suffix(['\'', '"']).unwrap_or_default();
        let is_index = after.starts_with(['\'', '"']) && after[1..].starts_with(']');
        is_whole
            && (of_jq.is_some_and(|rest| rest.ends_with(['\'', '"', ' ', '(']))
                || quoted.ends_with("get(")
                || quoted.ends_with('[') && is_index)
    })
}
