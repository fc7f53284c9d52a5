//! Finds the word that was meant by a misspelled word.

use std::sync::LazyLock;

use crate::agents::AGENTS;
use crate::event::EVENTS;

/// Returns the word that was most likely meant. The texts may differ in case and by typing errors: one if short, up to
/// three if long.
///
/// ```
/// use hookkit_protocol::near;
///
/// assert_eq!(near("Wirte", ["Read", "Write"]), Some("Write"));
/// assert_eq!(near("Deploy", ["Read", "Write"]), None);
/// ```
pub fn near<'w>(written: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    /// Maximum length of a text that can be a misspelled word, in bytes. All words are much shorter.
    const LONGEST: usize = 200;
    let plain = |word: &str| word.replace(['_', '-'], "").to_lowercase();
    if written.len() > LONGEST {
        return None;
    }
    let written = plain(written);
    let slips = match written.len() {
        ..8 => 1,
        8..13 => 2,
        _ => 3,
    };
    // Most are longer or shorter by more.
    let length = |word: &str| word.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).count();
    let words = words.into_iter().filter(|word| length(word).abs_diff(written.len()) <= slips);
    let distances = words.map(|word| (strsim::damerau_levenshtein(&plain(word), &written), word));
    let (_, nearest) = distances.filter(|(distance, _)| *distance <= slips).min_by_key(|(distance, _)| *distance)?;
    Some(nearest)
}

/// Returns the event that a name was probably meant for. The name may be misspelled, incomplete, have extra words, or
/// be another agent's name of the event.
///
/// ```
/// use hookkit_protocol::near_event;
///
/// assert_eq!(near_event("UserPromptSubmitted"), Some("UserPromptSubmit"));
/// assert_eq!(near_event("PreTool"), Some("PreToolUse"));
/// assert_eq!(near_event("BeforeToolUse"), Some("PreToolUse"));
/// assert_eq!(near_event("PreCommit"), None);
/// ```
pub fn near_event(name: &str) -> Option<&'static str> {
    /// Each name of an event in lowercase, the client's names first.
    static NAMES: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
        let own = EVENTS.iter().map(|event| (event.name, event.name));
        let of_agents = AGENTS.iter().flat_map(|agent| agent.events).map(|event| (event.own, event.name));
        own.chain(of_agents).map(|(name, event)| (name.to_lowercase(), event)).collect()
    });
    let plain = name.to_lowercase();
    let is_part = |known: &str| plain.len() > 4 && known.contains(&plain) || plain.contains(known);
    let part = || {
        let parts = NAMES.iter().filter(|(known, _)| is_part(known));
        Some(parts.min_by_key(|(known, _)| known.len().abs_diff(name.len()))?.1)
    };
    near(name, EVENTS.iter().map(|event| event.name)).or_else(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_named_that_was_probably_meant() {
        for (name, event) in [
            ("OnStop", Some("Stop")),
            ("PostTool", Some("PostToolUse")),
            ("PromptSubmit", Some("UserPromptSubmit")),
            ("AgentStop", Some("SubagentStop")),
            ("AfterTool", Some("PostToolUse")),
            ("comment", None),
            ("On", None),
        ] {
            assert_eq!(near_event(name), event, "{name}");
        }
    }

    #[test]
    fn typing_errors_and_another_case_are_recognized() {
        let tools = ["Bash", "Read", "Write", "Edit", "WebFetch", "TodoWrite"];
        for (written, meant) in [
            ("bash", Some("Bash")),
            ("Wirte", Some("Write")),
            ("Webfetch", Some("WebFetch")),
            ("Todo_Write", Some("TodoWrite")),
            ("TodoWirtes", Some("TodoWrite")),
            ("Todo", None),
            ("Notebook", None),
            ("Deploy", None),
        ] {
            assert_eq!(near(written, tools), meant, "{written}");
        }
    }
}
