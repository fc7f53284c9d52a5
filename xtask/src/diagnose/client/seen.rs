//! The record of a client's session: the listed handlers, the started ones, and the reasons for the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use hookkit_protocol::event::{self, EVENTS};
use serde_json::Value;

use crate::diagnose::client::answer::{File, HandlerRow, listed_plainly};
use crate::diagnose::client::model::{Model, marked};
use crate::diagnose::client::session::World;
use crate::settings::instrumented::NumberedHandler;

pub(super) const SETTINGS: &str = "hookkit-settings";
pub(super) const LIST: &str = "hookkit-list";

/// The record of a session.
pub(super) struct Seen {
    /// Settings that the client has read; `None` if it does not report them.
    pub(super) sources: Option<BTreeSet<String>>,
    /// Handlers in the client's list; `None` if it has no list.
    registered: Option<BTreeSet<usize>>,
    pub(super) all_disabled: bool,
    /// Number of times that each handler was started, and its subjects.
    fired: BTreeMap<usize, (usize, BTreeSet<String>)>,
    pub(super) happened: BTreeMap<String, BTreeSet<String>>,
}

impl Seen {
    pub(super) fn new(world: &World, model: &Model, lines: &[Value], first_control: usize) -> Result<Self> {
        let response = |id: &str| {
            let answers = lines.iter().filter(|line| line["type"] == "control_response");
            let mut answers = answers.map(|line| &line["response"]);
            let answer = answers.find(|answer| answer["request_id"] == id && answer["subtype"] == "success");
            answer.map(|answer| &answer["response"])
        };
        let names = |list: &Value| -> Option<BTreeSet<String>> {
            let names = list.as_array()?.iter().filter_map(|source| source["source"].as_str());
            Some(names.map(str::to_owned).collect())
        };
        let listing = response(LIST);
        let registered = listing.and_then(|listing| listing["hooks"].as_array());
        let registered = registered.map(|hooks| hooks.iter().filter_map(|hook| marked(&hook.to_string())).collect());
        let mut fired: BTreeMap<usize, (usize, BTreeSet<String>)> = BTreeMap::new();
        let mut happened: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (number, payload) in world.heard()? {
            let control = number
                .checked_sub(first_control)
                .and_then(|position| EVENTS.get(position));
            let event = control
                .map(|event| event.name)
                .or_else(|| payload["hook_event_name"].as_str());
            let field = event
                .and_then(event::event)
                .and_then(|event| event.matcher_target.field());
            let subject = field.and_then(|field| payload[field].as_str()).map(str::to_owned);
            if let Some(control) = control {
                happened.entry(control.name.to_owned()).or_default().extend(subject);
            } else {
                let (count, on) = fired.entry(number).or_default();
                *count += 1;
                on.extend(subject);
            }
        }
        for (number, count) in model.heard() {
            fired.entry(number).or_default().0 += count;
        }
        Ok(Self {
            sources: response(SETTINGS).and_then(|settings| names(&settings["sources"])),
            registered,
            all_disabled: listing.is_some_and(|listing| listing["policy"]["allDisabled"] == true),
            fired,
            happened,
        })
    }

    pub(super) fn handler(&self, path: &Path, handler: NumberedHandler, file: Option<&File>) -> HandlerRow {
        let (fired, on) = self.fired.get(&handler.number).cloned().unwrap_or_default();
        let listed = self.registered.as_ref().map(|known| known.contains(&handler.number));
        // A handler that fired may be newer than the list.
        let registered = if fired > 0 { Some(true) } else { listed };
        let why = (fired == 0).then(|| self.why(&handler, registered, file));
        HandlerRow {
            file: path.to_owned(),
            line: handler.place.line,
            column: handler.place.column,
            event: handler.event,
            matcher: handler.matcher,
            condition: handler.condition,
            r#type: handler.kind,
            target: handler.target,
            registered,
            fired,
            on,
            why,
        }
    }

    fn why(&self, handler: &NumberedHandler, registered: Option<bool>, file: Option<&File>) -> String {
        if let Some(file) = file.filter(|file| file.read == Some(false)) {
            let reason = file.withheld.as_ref().or(file.said.first());
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            return format!("its file is not read{reason}");
        }
        let said = file.into_iter().flat_map(|file| &file.said);
        let mut about = said.filter(|words| is_about(words, &handler.path));
        if let Some(words) = about.next() {
            return words.clone();
        }
        if self.all_disabled {
            return "all hooks are turned off by `disableAllHooks`".to_owned();
        }
        if registered == Some(false) {
            return "the client does not list it, and gives no reason".to_owned();
        }
        if handler.kind.as_deref() == Some("mcp_tool") {
            return "unknown if it fires: no MCP server is started here".to_owned();
        }
        let Some(subjects) = self.happened.get(&handler.event) else {
            return format!("the session had no {}", handler.event);
        };
        // The client ignores the matcher on this event.
        let ignores_matcher =
            event::event(&handler.event).is_some_and(|event| event.matcher_target == event::MatcherTarget::Ignored);
        let matcher = handler.matcher.as_ref().filter(|_| !ignores_matcher);
        let what = match (matcher, &handler.condition) {
            (Some(_), None) => "its matcher matches none of them",
            (None, Some(_)) => "its `if` matches none of them",
            (Some(_), Some(_)) => "its matcher and its `if` match none of them",
            (None, None) if handler.is_async => {
                "the client does not wait for it, and the session may have ended before it started"
            }
            (None, None) => "it did not fire, and the client gives no reason",
        };
        let on = match subjects.is_empty() {
            true => String::new(),
            false => format!(" on {}", listed_plainly(subjects)),
        };
        format!("the session had {}{on}: {what}", handler.event)
    }
}

/// Returns `true` if a message of the client is about the value at a handler's path, or about one that contains it.
fn is_about(words: &str, path: &str) -> bool {
    let Some((place, _)) = words.split_once(": ") else {
        return false;
    };
    let is_within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    place.starts_with("hooks") && (is_within(path, place) || is_within(place, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_about_the_value_that_it_names_and_those_within() {
        let path = "hooks.PreToolUse.1.hooks.0";
        for (words, expected) in [
            ("hooks.PreToolUse.1.hooks.0: Invalid", true),
            ("hooks.PreToolUse.1.hooks.0.command: Expected", true),
            ("hooks.PreToolUse.1: Expected", true),
            ("hooks.PreToolUse: Expected", true),
            ("hooks.PreToolUse.1.hooks.01: Invalid", false),
            ("hooks.PreToolUse.10: Invalid", false),
            ("permissions.allow: Invalid", false),
            ("Invalid", false),
        ] {
            assert_eq!(is_about(words, path), expected, "{words}");
        }
    }
}
