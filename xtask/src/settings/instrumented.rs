//! A copy of a settings file that the client can be given without harm: whatever it would start is replaced.
//!
//! All else stays byte for byte, so that what the client reads, fires and drops of the copy is the truth of the file.
//! A value is replaced only by one of its own kind: a mistake stays the mistake it is.

use std::ops::Range;

use serde_json::json;

use crate::settings::check::kinds::is_url;
use crate::settings::document::{Document, Leniency, Places, Position};
use crate::settings::entries::handlers;
use crate::settings::value::Value;

/// The replacements of a handler's own work.
pub(crate) struct Replacements<'a> {
    /// Says what a shell shall run for the handler of this number.
    pub(crate) shell: &'a dyn Fn(usize) -> String,
    /// The same for a command that is started without a shell.
    pub(crate) program: &'a dyn Fn(usize) -> String,
    /// URL that an `http` handler calls.
    pub(crate) url: &'a dyn Fn(usize) -> String,
    /// The name by which all others are known.
    pub(crate) name: &'a dyn Fn(usize) -> String,
    /// A command that prints a key for the API.
    pub(crate) key_command: &'a str,
}

/// The copy, and the handlers that have a number in it.
#[derive(Debug)]
pub(crate) struct Instrumented {
    pub(crate) text: String,
    pub(crate) handlers: Vec<NumberedHandler>,
    /// `true` if the file says anything, so that the client has something to read.
    pub(crate) has_keys: bool,
}

/// A handler that is where the client looks for one, sound or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedHandler {
    pub(crate) number: usize,
    pub(crate) place: Position,
    /// As the client writes it: `hooks.PreToolUse.0.hooks.1`.
    pub(crate) path: String,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) condition: Option<String>,
    /// `command`, `http` …, if it says so.
    pub(crate) kind: Option<String>,
    /// Command or URL.
    pub(crate) target: Option<String>,
    pub(crate) is_async: bool,
}

/// The keys whose objects name programs, servers, folders or variables, and that the client does not look into for hooks.
const EMPTIED: [&str; 9] = [
    "env", "enabledPlugins", "extraKnownMarketplaces", "lspServers", "managedMcpServers", "mcpServers", "policyHelper",
    "policyHelpers", "sandbox",
];

/// Replaces what the client would start, for handlers with numbers from `first` on.
pub(crate) fn instrumented(document: &Document, first: usize, replacements: &Replacements<'_>) -> Instrumented {
    let text = document.text();
    let mut muting = Muting {
        places: Places::new(text),
        leniencies: &document.leniencies,
        next: first,
        replacements,
        edits: Vec::new(),
        handlers: Vec::new(),
    };
    for member in &document.root.members {
        muting.key(&member.name, &member.value);
    }
    muting.edits.sort_by_key(|(range, _)| range.start);
    let mut instrumented = text.to_owned();
    for (range, replacement) in muting.edits.into_iter().rev() {
        instrumented.replace_range(range, &replacement);
    }
    Instrumented {
        text: instrumented,
        handlers: muting.handlers,
        has_keys: !document.root.members.is_empty(),
    }
}

struct Muting<'a> {
    places: Places<'a>,
    /// Syntax of the text that JSON does not have.
    leniencies: &'a [Leniency],
    next: usize,
    replacements: &'a Replacements<'a>,
    edits: Vec<(Range<usize>, String)>,
    handlers: Vec<NumberedHandler>,
}

impl Muting<'_> {
    fn replace(&mut self, value: &Value, with: &serde_json::Value) {
        let range = value.range();
        let is_within = |found: &Leniency| range.start <= found.range.start && found.range.end <= range.end;
        // A comment or a comma too many stays a mistake: the client ignores the file because of it.
        let mistake = if self.leniencies.iter().any(is_within) {
            "/**/"
        } else {
            ""
        };
        self.edits.push((range, format!("{with}{mistake}")));
    }

    /// Replaces what a key of the settings themselves would start.
    fn key(&mut self, name: &str, value: &Value) {
        match value {
            Value::Object(hooks) if name == "hooks" => {
                for event in &hooks.members {
                    self.event(&event.name, &event.value);
                }
            }
            Value::Object(_) if EMPTIED.contains(&name) => self.replace(value, &json!({})),
            Value::Text(..) if name == "apiKeyHelper" => self.replace(value, &json!(self.replacements.key_command)),
            Value::Text(..) if ["Helper", "Refresh", "Export"].iter().any(|end| name.ends_with(end)) => {
                self.replace(value, &json!("true"));
            }
            // A folder of the user's.
            Value::Text(..) if name.ends_with("Directory") => self.replace(value, &json!("folder")),
            value => self.member(name, value),
        }
    }

    fn event(&mut self, event: &str, value: &Value) {
        let Value::List(groups) = value else {
            return self.member(event, value);
        };
        for (number, group) in groups.elements.iter().enumerate() {
            let list = handlers(group);
            let matcher = group
                .as_object()
                .and_then(|group| group.text("matcher"))
                .map(str::to_owned);
            for (position, handler) in list.into_iter().flat_map(|list| &list.elements).enumerate() {
                let path = format!("hooks.{event}.{number}.hooks.{position}");
                self.handler(event, matcher.clone(), path, handler);
            }
            // Whatever else is in the group: a list that is there twice, say.
            for member in group.as_object().into_iter().flat_map(|group| &group.members) {
                let is_list = list.is_some_and(|list| list.range == member.value.range());
                if !is_list {
                    self.member(&member.name, &member.value);
                }
            }
            if group.as_object().is_none() {
                self.anything(group);
            }
        }
    }

    fn handler(&mut self, event: &str, matcher: Option<String>, path: String, value: &Value) {
        let number = self.next;
        self.next += 1;
        let object = value.as_object();
        let text = |name: &str| object.and_then(|object| object.text(name)).map(str::to_owned);
        let flag = |name: &str| {
            let flag = object.and_then(|object| object.get(name));
            matches!(flag, Some(Value::Flag(true, _)))
        };
        self.handlers.push(NumberedHandler {
            number,
            place: self.places.of(value.range().start),
            path,
            event: event.to_owned(),
            matcher,
            condition: text("if"),
            kind: text("type"),
            target: text("command")
                .or_else(|| text("url"))
                .or_else(|| text("prompt"))
                .or_else(|| text("server")),
            is_async: flag("async") || flag("asyncRewake"),
        });
        let Some(object) = object else {
            return self.anything(value);
        };
        let has_args = object.get("args").is_some_and(|args| args.as_list().is_some());
        let is_mcp = object.text("type") == Some("mcp_tool");
        for member in &object.members {
            let (name, value) = (member.name.as_str(), &member.value);
            let with = match (name, value) {
                ("command", Value::Text(..)) if has_args => json!((self.replacements.program)(number)),
                ("command", Value::Text(..)) => json!((self.replacements.shell)(number)),
                ("url", Value::Text(url, _)) if is_url(url) => json!((self.replacements.url)(number)),
                ("prompt" | "server", Value::Text(..)) => json!((self.replacements.name)(number)),
                // No server is there, and that must stop nothing.
                ("onFailure", _) if is_mcp => json!("continue"),
                _ => {
                    self.member(name, value);
                    continue;
                }
            };
            self.replace(value, &with);
        }
    }

    /// Replaces what a value would start that is not a handler as far as we know. If the client sees one in it, it starts
    /// nothing.
    fn anything(&mut self, value: &Value) {
        match value {
            Value::List(list) => list.elements.iter().for_each(|value| self.anything(value)),
            Value::Object(object) => {
                for member in &object.members {
                    self.member(&member.name, &member.value);
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, name: &str, value: &Value) {
        match value {
            Value::Text(..) if name == "command" => self.replace(value, &json!("true")),
            Value::List(_) if name == "additionalDirectories" => self.replace(value, &json!([])),
            value => self.anything(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mute(text: &str) -> Instrumented {
        let replacements = Replacements {
            shell: &|number| format!("'/h/{number}'"),
            program: &|number| format!("/h/{number}"),
            url: &|number| format!("http://127.0.0.1:1/{number}"),
            name: &|number| format!("heard {number}"),
            key_command: "echo key",
        };
        instrumented(&Document::parse(text).expect("it parses"), 3, &replacements)
    }

    #[test]
    fn only_what_would_be_started_is_replaced() {
        test_support::lines!("lines/instrumented.txt").check(|_, text| mute(text).text);
    }

    #[test]
    fn a_handler_is_known_by_its_place() {
        let text = "{\"hooks\": {\"PreToolUse\": [{}, {\"matcher\": \"Bash\", \"hooks\": [\n  \"x\",\n  {\"type\": \"command\", \"command\": \"a\", \"async\": true}]}]}}";
        let handlers = mute(text).handlers;
        let places: Vec<_> = handlers
            .iter()
            .map(|handler| (handler.number, handler.place.line, handler.path.as_str()))
            .collect();
        assert_eq!(
            places,
            [
                (3, 2, "hooks.PreToolUse.1.hooks.0"),
                (4, 3, "hooks.PreToolUse.1.hooks.1")
            ]
        );
        assert_eq!(handlers[1].matcher.as_deref(), Some("Bash"));
        assert_eq!(handlers[1].target.as_deref(), Some("a"));
        assert!(handlers[1].is_async && !handlers[0].is_async);
    }

    #[test]
    fn what_does_not_parse_is_not_copied() {
        for text in ["", "[]", "{\"a\" 1}", "{\"a\": \"\t\"}"] {
            assert!(Document::parse(text).is_err(), "{text}");
        }
    }
}
