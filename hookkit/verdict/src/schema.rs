//! The client's schema of an answer, and the check for the first violation.

use std::fmt;

use hookkit_protocol::event::{self, EVENTS, Event};
use hookkit_protocol::output::{MEMBERS, Member, MemberKind};

use super::UNKNOWN;
use super::node::Node;

/// The key of the object that belongs to one event.
pub(super) const SPECIFIC: &str = "hookSpecificOutput";

/// The key of the event's name in that object.
const EVENT_NAME: &str = "hookEventName";

/// A valid answer.
pub(super) struct Answer {
    /// The whole answer.
    whole: Node,
    /// The event to which the answer's object belongs.
    pub specific: Option<&'static Event>,
}

/// Returns `true` for a value that lets the client go on without waiting.
pub(super) fn is_marker(value: &Node) -> bool {
    value.get("async") == Some(&Node::Flag(true))
}

impl Answer {
    pub(super) fn new(whole: Node) -> Result<Self, Fault> {
        match specific(&whole) {
            Ok(specific) => Ok(Self { whole, specific }),
            Err(fault) => Err(Fault { answer: whole.pretty(), ..fault }),
        }
    }

    /// Returns `true` if the answer has no member that the client reads.
    pub(super) fn is_empty(&self) -> bool {
        self.specific.is_none() && !MEMBERS.iter().any(|member| self.top(member.name).is_some())
    }

    /// Returns a member at the top level.
    pub(super) fn top(&self, name: &str) -> Option<&Node> {
        self.whole.get(name)
    }

    /// Returns a non-empty string at the top level.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.top(name)?.text()
    }

    pub(super) fn is_block(&self) -> bool {
        self.text("decision") == Some("block")
    }

    /// Returns `true` if the answer itself denies, whatever the exit code.
    pub(super) fn is_denial(&self) -> bool {
        self.is_block() || self.specific_text("permissionDecision") == Some("deny")
    }

    pub(super) fn stops(&self) -> bool {
        self.top("continue") == Some(&Node::Flag(false))
    }

    /// Returns a member of the event's own object, if the client reads it.
    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        let object = self.whole.get(SPECIFIC)?;
        has(own(self.specific?), name).then(|| object.get(name))?
    }

    /// Returns a non-empty string of the event's own object.
    pub(super) fn specific_text(&self, name: &str) -> Option<&str> {
        self.member(name)?.text()
    }

    /// Returns the keys that the client ignores, each with a hint.
    pub(super) fn unknown_keys(&self) -> Vec<(String, String)> {
        let is_common = |key: &str| has(MEMBERS, key);
        let is_specific = |key: &str| key == EVENT_NAME || EVENTS.iter().any(|event| has(own(event), key));
        let mut unknown = Vec::new();
        for key in self.whole.keys().filter(|key| *key != SPECIFIC && !is_common(key)) {
            let hint = if is_specific(key) { "; it belongs in `hookSpecificOutput`" } else { "" };
            unknown.push((format!("`{key}`"), format!("an unknown key at the top level{hint}")));
        }
        let Some((event, object)) = self.specific.zip(self.whole.get(SPECIFIC)) else {
            return unknown;
        };
        for key in object.keys().filter(|key| *key != EVENT_NAME && !has(own(event), key)) {
            let hint = if is_common(key) { "; it belongs at the top level" } else { "" };
            let why = format!("an unknown key on {}{hint}", event.name);
            unknown.push((format!("`{SPECIFIC}.{key}`"), why));
        }
        unknown
    }

    /// Returns the answer as the client keeps it: only the members of its schema, in the schema's order.
    pub(super) fn kept(&self) -> Node {
        let known = |object: &Node, members: &[Member]| -> Vec<(String, Node)> {
            let kept = members.iter().filter_map(|member| {
                let value = object.get(member.name)?;
                Some((member.name.to_owned(), value.clone()))
            });
            kept.collect()
        };
        let mut kept = known(&self.whole, MEMBERS);
        if let (Some(event), Some(object)) = (self.specific, self.whole.get(SPECIFIC)) {
            let mut specific = vec![(EVENT_NAME.to_owned(), Node::Text(event.name.to_owned()))];
            specific.extend(known(object, own(event)));
            kept.push((SPECIFIC.to_owned(), Node::Map(specific)));
        }
        Node::Map(kept)
    }
}

/// Returns the members of an event's own object.
fn own(event: &Event) -> &'static [Member] {
    event.members.unwrap_or_default()
}

fn has(members: &[Member], key: &str) -> bool {
    members.iter().any(|member| member.name == key)
}

/// The first mistake that makes an answer void, in the client's words.
pub(super) struct Fault {
    path: String,
    what: String,
    /// The whole answer.
    answer: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)
    }
}

impl Fault {
    fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), answer: String::new() }
    }

    fn of_type(path: impl Into<String>, expected: &str, found: Option<&Node>) -> Self {
        let found = found.map_or("undefined", Node::type_name);
        Self::new(path, format!("expected {expected}, received {found}"))
    }

    /// Returns the client's message.
    pub(super) fn message(&self) -> String {
        let answer = &self.answer;
        format!(
            "Hook JSON output validation failed — {self}\n\nThe hook's output was: {answer}\n\nExpected schema:\n{UNKNOWN}"
        )
    }
}

/// Checks an answer and returns the event to which its object belongs.
fn specific(whole: &Node) -> Result<Option<&'static Event>, Fault> {
    if !matches!(whole, Node::Map(_)) {
        return Err(Fault::of_type("", "object", Some(whole)));
    }
    check_members(whole, MEMBERS, "")?;
    let Some(object) = whole.get(SPECIFIC) else {
        return Ok(None);
    };
    if !matches!(object, Node::Map(_)) {
        return Err(Fault::of_type(SPECIFIC, "object", Some(object)));
    }
    let Some(name) = object.get(EVENT_NAME) else {
        let what = format!("{SPECIFIC} is missing required field \"{EVENT_NAME}\"");
        return Err(Fault::new("", what));
    };
    let event = name.text().and_then(event::event);
    let Some(event) = event.filter(|event| event.members.is_some()) else {
        let first =
            ["PreToolUse", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "Setup", "PreModelSwitch"];
        let what = format!("expected one of {} | …", quoted(&first, " | "));
        return Err(Fault::new(within(SPECIFIC, EVENT_NAME), what));
    };
    check_members(object, own(event), SPECIFIC)?;
    Ok(Some(event))
}

/// Returns the path of a member of the object at `path`.
fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Checks the members of the object at `path`, in the client's order.
fn check_members(object: &Node, known: &[Member], path: &str) -> Result<(), Fault> {
    for member in known {
        let value = object.get(member.name);
        if value.is_some() || member.is_required {
            check(value, member.kind, &within(path, member.name))?;
        }
    }
    Ok(())
}

fn check(value: Option<&Node>, kind: MemberKind, path: &str) -> Result<(), Fault> {
    let expected = match (kind, value) {
        (MemberKind::Any, _)
        | (MemberKind::Flag, Some(Node::Flag(_)))
        | (MemberKind::Text, Some(Node::Text(_)))
        | (MemberKind::Map, Some(Node::Map(_))) => return Ok(()),
        (MemberKind::Word(words), Some(Node::Text(text))) if words.contains(&text.as_str()) => return Ok(()),
        (MemberKind::Word(words), _) => {
            let what = format!("Invalid option: expected one of {}", quoted(words, "|"));
            return Err(Fault::new(path, what + &hint_of_legacy(path, value)));
        }
        (MemberKind::Texts, Some(Node::List(items))) => {
            return match items.iter().position(|item| !matches!(item, Node::Text(_))) {
                Some(at) => Err(Fault::of_type(within(path, &at.to_string()), "string", items.get(at))),
                None => Ok(()),
            };
        }
        (MemberKind::Decision, Some(decision @ Node::Map(_))) => return check_decision(decision, path),
        (MemberKind::Decision, _) => {
            let mut fault = Fault::of_type(path, "object", value);
            fault.what += " (PermissionRequest decision must be {\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\": \"...\"})";
            return Err(fault);
        }
        (MemberKind::Flag, _) => "boolean",
        (MemberKind::Text, _) => "string",
        (MemberKind::Texts, _) => "array",
        (MemberKind::Map, _) => "record",
    };
    Err(Fault::of_type(path, expected, value))
}

/// Returns a hint if the legacy field `decision` has a permission word.
fn hint_of_legacy(path: &str, value: Option<&Node>) -> String {
    let Some(word @ ("allow" | "deny" | "ask")) = value.and_then(Node::text).filter(|_| path == "decision") else {
        return String::new();
    };
    let legacy = "top-level decision is the legacy approve|block field";
    let meant = format!("for \"{word}\" use hookSpecificOutput.permissionDecision in a PreToolUse hook");
    let other = if word == "ask" {
        String::new()
    } else {
        format!(", or hookSpecificOutput.decision: {{\"behavior\": \"{word}\"}} in a PermissionRequest hook")
    };
    format!(" ({legacy}; {meant}{other})")
}

/// Checks the object of a permission request: its members depend on the decision.
fn check_decision(decision: &Node, path: &str) -> Result<(), Fault> {
    const ALLOW: &[Member] = &[Member::optional("updatedInput", MemberKind::Map)];
    const DENY: &[Member] =
        &[Member::optional("message", MemberKind::Text), Member::optional("interrupt", MemberKind::Flag)];
    match decision.get("behavior").and_then(Node::text) {
        Some("allow") => {
            check_members(decision, ALLOW, path)?;
            match decision.get("updatedPermissions") {
                // The client also checks the members of each suggestion; that part of its schema is not repeated here.
                None | Some(Node::List(_)) => Ok(()),
                other => Err(Fault::of_type(within(path, "updatedPermissions"), "array", other)),
            }
        }
        Some("deny") => check_members(decision, DENY, path),
        _ => {
            let what = format!("expected one of {}", quoted(&["allow", "deny"], " | "));
            Err(Fault::new(within(path, "behavior"), what))
        }
    }
}

fn quoted(words: &[&str], separator: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(separator)
}
