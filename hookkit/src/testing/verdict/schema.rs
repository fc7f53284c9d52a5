//! What an answer may hold, and the first thing in it that it may not.

use std::fmt;

use hookkit_protocol::event::{EVENTS, Event};
use hookkit_protocol::output::{Kind, MEMBERS, Member, event_of_object};

use super::UNKNOWN;
use super::node::Node;

/// The key of the object that belongs to one event.
pub(super) const SPECIFIC: &str = "hookSpecificOutput";

/// The key of the event's name in it.
const EVENT_NAME: &str = "hookEventName";

/// A valid answer.
#[derive(Debug)]
pub(super) struct Answer {
    /// All of it.
    whole: Node,
    /// The event whose object it holds.
    pub(super) specific: Option<&'static Event>,
}

/// Whether a value says that the client shall not wait.
pub(super) fn is_marker(value: &Node) -> bool {
    value.get("async") == Some(&Node::Flag(true))
}

impl Answer {
    pub(super) fn new(whole: Node) -> Result<Self, Fault> {
        if !matches!(whole, Node::Map(_)) {
            return Err(Fault::of_type(Vec::new(), "object", Some(&whole), &whole));
        }
        members(&whole, MEMBERS, &[], &whole)?;
        let specific = match whole.get(SPECIFIC) {
            Some(object) => Some(of_event(object, &whole)?),
            None => None,
        };
        Ok(Self { whole, specific })
    }

    /// Whether it holds nothing that the client knows.
    pub(super) fn is_empty(&self) -> bool {
        self.specific.is_none() && !MEMBERS.iter().any(|member| self.top(member.name).is_some())
    }

    /// A member at the top.
    pub(super) fn top(&self, name: &str) -> Option<&Node> {
        self.whole.get(name)
    }

    /// A string at the top that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.top(name)?.text()
    }

    pub(super) fn is_block(&self) -> bool {
        self.text("decision") == Some("block")
    }

    /// Whether it refuses by itself, without an exit code.
    pub(super) fn is_refusal(&self) -> bool {
        self.is_block() || self.specific_text("permissionDecision") == Some("deny")
    }

    pub(super) fn stops(&self) -> bool {
        self.top("continue") == Some(&Node::Flag(false))
    }

    /// A member of the event's own object, if the client knows it.
    pub(super) fn member(&self, name: &str) -> Option<&Node> {
        let known = self.specific?.members?;
        known.iter().find(|member| member.name == name)?;
        self.whole.get(SPECIFIC)?.get(name)
    }

    /// A string of the event's own object that is not empty.
    pub(super) fn specific_text(&self, name: &str) -> Option<&str> {
        self.member(name)?.text()
    }

    /// The keys that the client does not know, each with what may be meant.
    pub(super) fn unknown_keys(&self) -> Vec<(String, String)> {
        let is_common = |key: &str| MEMBERS.iter().any(|member| member.name == key);
        let is_specific = |key: &str| EVENTS.iter().any(|event| has(event, key));
        let mut unknown = Vec::new();
        for key in self.whole.keys() {
            if key != SPECIFIC && !is_common(key) {
                let hint = if key == EVENT_NAME || is_specific(key) {
                    format!("; it belongs in `{SPECIFIC}`")
                } else {
                    String::new()
                };
                unknown.push((format!("`{key}`"), format!("an unknown key at the top level{hint}")));
            }
        }
        if let (Some(event), Some(object)) = (self.specific, self.whole.get(SPECIFIC)) {
            for key in object.keys() {
                if key != EVENT_NAME && !has(event, key) {
                    let hint = if is_common(key) {
                        "; it belongs at the top level"
                    } else {
                        ""
                    };
                    let event = event.name;
                    unknown.push((
                        format!("`{SPECIFIC}.{key}`"),
                        format!("an unknown key on {event}{hint}"),
                    ));
                }
            }
        }
        unknown
    }

    /// The answer as the client keeps it: what it knows, in its own order.
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
            specific.extend(known(object, event.members.unwrap_or_default()));
            kept.push((SPECIFIC.to_owned(), Node::Map(specific)));
        }
        Node::Map(kept)
    }
}

fn has(event: &Event, key: &str) -> bool {
    let members = event.members.unwrap_or_default();
    members.iter().any(|member| member.name == key)
}

/// The first thing in an answer that voids it, as the client tells of it.
#[derive(Debug)]
pub(super) struct Fault {
    path: Vec<String>,
    what: String,
    answer: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.what)
        } else {
            write!(f, "{}: {}", self.path.join("."), self.what)
        }
    }
}

impl Fault {
    fn new(path: Vec<String>, what: impl Into<String>, answer: &Node) -> Self {
        Self {
            path,
            what: what.into(),
            answer: answer.pretty(),
        }
    }

    fn of_type(path: Vec<String>, expected: &str, found: Option<&Node>, answer: &Node) -> Self {
        let found = found.map_or("undefined", Node::type_name);
        Self::new(path, format!("expected {expected}, received {found}"), answer)
    }

    /// The client's message.
    pub(super) fn message(&self) -> String {
        let answer = &self.answer;
        format!(
            "Hook JSON output validation failed — {self}\n\nThe hook's output was: {answer}\n\nExpected schema:\n{UNKNOWN}"
        )
    }
}

/// Checks an object's members, in the client's order.
fn members(object: &Node, known: &[Member], path: &[&str], answer: &Node) -> Result<(), Fault> {
    for member in known {
        let mut path: Vec<String> = path.iter().map(|&key| key.to_owned()).collect();
        path.push(member.name.to_owned());
        match object.get(member.name) {
            None if member.is_required => {
                let mut fault = Fault::of_type(path, expected(member.kind), None, answer);
                add_hint(&mut fault, member.kind, None);
                return Err(fault);
            }
            None => {}
            Some(value) => check(value, member, path, answer)?,
        }
    }
    Ok(())
}

fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "boolean",
        Kind::Text | Kind::Word(_) => "string",
        Kind::Texts => "array",
        Kind::Map => "record",
        Kind::Any => "anything",
        Kind::Decision => "object",
    }
}

fn check(value: &Node, member: &Member, mut path: Vec<String>, answer: &Node) -> Result<(), Fault> {
    let is_of_kind = match (member.kind, value) {
        (Kind::Word(words), value) => {
            if !matches!(value, Node::Text(text) if words.contains(&text.as_str())) {
                let what = format!("Invalid option: expected one of {}", quoted(words, "|"));
                let mut fault = Fault::new(path, what, answer);
                add_hint(&mut fault, member.kind, Some(value));
                return Err(fault);
            }
            true
        }
        (Kind::Texts, Node::List(items)) => {
            if let Some(at) = items.iter().position(|item| !matches!(item, Node::Text(_))) {
                path.push(at.to_string());
                return Err(Fault::of_type(path, "string", items.get(at), answer));
            }
            true
        }
        (Kind::Decision, Node::Map(_)) => return decision(value, path, answer),
        (Kind::Flag, Node::Flag(_)) | (Kind::Text, Node::Text(_)) | (Kind::Map, Node::Map(_)) | (Kind::Any, _) => true,
        _ => false,
    };
    if is_of_kind {
        return Ok(());
    }
    let mut fault = Fault::of_type(path, expected(member.kind), Some(value), answer);
    add_hint(&mut fault, member.kind, Some(value));
    Err(fault)
}

/// Says what may be meant, as the client does in two places.
fn add_hint(fault: &mut Fault, kind: Kind, value: Option<&Node>) {
    if kind == Kind::Decision {
        fault.what += " (PermissionRequest decision must be {\"behavior\": \"allow\"} or {\"behavior\": \"deny\", \"message\": \"...\"})";
    } else if let [top] = fault.path.as_slice()
        && top == "decision"
        && let Some(word @ ("allow" | "deny" | "ask")) = value.and_then(Node::text)
    {
        let legacy = "top-level decision is the legacy approve|block field";
        let meant = format!("for \"{word}\" use hookSpecificOutput.permissionDecision in a PreToolUse hook");
        let other = if word == "ask" {
            String::new()
        } else {
            format!(", or hookSpecificOutput.decision: {{\"behavior\": \"{word}\"}} in a PermissionRequest hook")
        };
        fault.what += &format!(" ({legacy}; {meant}{other})");
    }
}

/// The object of a permission request: its members depend on what it decides.
fn decision(value: &Node, mut path: Vec<String>, answer: &Node) -> Result<(), Fault> {
    const ALLOW: &[Member] = &[Member {
        name: "updatedInput",
        kind: Kind::Map,
        is_required: false,
    }];
    const DENY: &[Member] = &[
        Member {
            name: "message",
            kind: Kind::Text,
            is_required: false,
        },
        Member {
            name: "interrupt",
            kind: Kind::Flag,
            is_required: false,
        },
    ];
    let within: Vec<&str> = path.iter().map(String::as_str).collect();
    match value.get("behavior").and_then(Node::text) {
        Some("allow") => {
            members(value, ALLOW, &within, answer)?;
            match value.get("updatedPermissions") {
                // What stands in each of them is checked, too; that much of the client's schema is not repeated here.
                None | Some(Node::List(_)) => Ok(()),
                other => {
                    path.push("updatedPermissions".to_owned());
                    Err(Fault::of_type(path, "array", other, answer))
                }
            }
        }
        Some("deny") => members(value, DENY, &within, answer),
        _ => {
            path.push("behavior".to_owned());
            let what = format!("expected one of {}", quoted(&["allow", "deny"], " | "));
            Err(Fault::new(path, what, answer))
        }
    }
}

/// The event whose object this is.
fn of_event(object: &Node, answer: &Node) -> Result<&'static Event, Fault> {
    let path = || vec![SPECIFIC.to_owned()];
    if !matches!(object, Node::Map(_)) {
        return Err(Fault::of_type(path(), "object", Some(object), answer));
    }
    let Some(name) = object.get(EVENT_NAME) else {
        let what = format!("{SPECIFIC} is missing required field \"{EVENT_NAME}\"");
        return Err(Fault::new(Vec::new(), what, answer));
    };
    let Some(event) = name.text().and_then(event_of_object) else {
        let first = [
            "PreToolUse",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "SessionStart",
            "Setup",
            "PreModelSwitch",
        ];
        let mut path = path();
        path.push(EVENT_NAME.to_owned());
        let what = format!("expected one of {} | …", quoted(&first, " | "));
        return Err(Fault::new(path, what, answer));
    };
    members(object, event.members.unwrap_or_default(), &[SPECIFIC], answer)?;
    Ok(event)
}

fn quoted(words: &[&str], separator: &str) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(separator)
}
