//! Recorded events.

use std::path::Path;

use hookkit_protocol::{event, near, near_event};
use hookkit_verdict::recorded::{self, EVENTS, HOME, PROJECT};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::payload::EVENT_NAME;

/// An event as the client sent it. It is selected by name, or parsed from the text of a file.
///
/// There is a recording of each event. For PreToolUse and PostToolUse, there is one for nearly every tool that the
/// client offers without an account. For another tool, take any call and set `tool_name` and `tool_input`. A
/// [`Session`](super::Session) replaces the recorded folders, `/home/user/project` and `/home/user`, with its own.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::Hook;
/// use hookkit::testing::{Recorded, Session};
///
/// /// Leaves pushes to the user.
/// #[hook(PreToolUse)]
/// pub fn no_push(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     if call.input.command.starts_with("git push") {
///         PreToolUseAnswer::deny("pushing is left to the user")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
///
/// # fn main() {
/// let session = Session::new();
/// let call = Recorded::of("PreToolUse Bash");
/// session.run(no_push::DEF, &call).assert_passed();
/// let push = call.with("tool_input.command", "git push --force");
/// session.run(no_push::DEF, &push).assert_denied("left to the user");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    payload: Value,
    /// Members that [`with`](Self::with) has set.
    set: Vec<String>,
}

impl Recorded {
    /// Returns a recorded event by its name: `Stop`; `PreToolUse Bash` or `SessionStart resume` with the value that
    /// matchers test. Without such a value, the first recording of the event is returned.
    ///
    /// # Panics
    ///
    /// Panics if there is none; the message lists the recordings of the event, or all events.
    #[track_caller]
    pub fn of(name: &str) -> Self {
        let mut events = EVENTS.lines().map(parsed);
        let found = events.find(|event| event.name() == name || event.event_name() == name);
        found.unwrap_or_else(|| panic!("no event is recorded as `{name}`; {}", recordings(name)))
    }

    /// Parses an event, for example from a file that `cargo xtask run --as-test` has written.
    ///
    /// # Panics
    ///
    /// Panics if it is not a JSON object with the name of an event.
    #[track_caller]
    pub fn parse(payload: &str) -> Self {
        let event = parsed(payload);
        let name = event.event_name();
        assert!(event::event(name).is_some(), "there is no event `{name}` (`hook_event_name`)");
        event
    }

    /// Returns the names of all recorded events.
    pub fn names() -> impl Iterator<Item = String> {
        EVENTS.lines().map(|line| parsed(line).name())
    }

    /// Returns the event with a new value in a field: `tool_input.command`, or `tool_calls.0.tool_name`.
    ///
    /// # Panics
    ///
    /// Panics if the path leads through a value that is not an object or a list, if it begins with a misspelt name of one of
    /// the event's fields, or if the value cannot be serialized as JSON.
    #[must_use]
    #[track_caller]
    pub fn with(mut self, field: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("the value can be serialized");
        let member = field.split('.').next().unwrap_or_default();
        self.ensure_meant(member);
        self.set.push(member.to_owned());
        let mut place = &mut self.payload;
        for (depth, name) in field.split('.').enumerate() {
            let at = name.parse::<usize>().ok().filter(|at| place.get(at).is_some());
            assert!(
                at.is_some() || place.is_object() || place.is_null(),
                "`{field}` cannot be set: there is no `{name}` in {place}"
            );
            let others = place.as_object().filter(|object| depth > 0 && !object.contains_key(name));
            if let Some(meant) = near(name, others.into_iter().flat_map(Map::keys).map(String::as_str)) {
                panic!("the event has no field `{field}`; did you mean `{meant}`?");
            }
            place = match at {
                Some(at) => &mut place[at],
                None => &mut place[name],
            };
        }
        *place = value;
        self
    }

    /// Checks that a name missing from all recordings is not a misspelled field name.
    #[track_caller]
    fn ensure_meant(&self, member: &str) {
        let has = |event: &Self| event.payload.get(member).is_some();
        if has(self) || EVENTS.lines().any(|line| has(&parsed(line))) {
            return;
        }
        if let Some(meant) = recorded::nested(&self.payload, member) {
            panic!("{} has no field `{member}`; did you mean `{meant}`?", self.event_name());
        }
        let fields = self.payload.as_object().into_iter().flat_map(Map::keys);
        if let Some(meant) = near(member, fields.map(String::as_str)) {
            panic!("{} has no field `{member}`; did you mean `{meant}`?", self.event_name());
        }
    }

    fn event_name(&self) -> &str {
        self.payload[EVENT_NAME].as_str().unwrap_or_default()
    }

    /// Returns the name of the event, and the value that matchers are compared with.
    fn name(&self) -> String {
        let name = self.event_name();
        let field = event::event(name).and_then(|event| event.matcher_target.field());
        match field.and_then(|field| self.payload[field].as_str()) {
            Some(target) => format!("{name} {target}"),
            None => name.to_owned(),
        }
    }

    /// Returns `true` if a test has set this member.
    pub(super) fn is_set(&self, member: &str) -> bool {
        self.set.iter().any(|set| set == member)
    }

    /// Returns the payload moved to another project, and to another home if one is given.
    pub(super) fn moved(&self, project: &Path, home: Option<&Path>) -> Map<String, Value> {
        let text = |path: &Path| path.to_str().expect("the session's folder is UTF-8").to_owned();
        let mut payload = self.payload.clone();
        // The project is in the home.
        let mut moves = vec![(PROJECT, text(project))];
        moves.extend(home.map(|home| (HOME, text(home))));
        move_in(&mut payload, &moves);
        match payload {
            Value::Object(members) => members,
            _ => unreachable!("it was parsed as an object"),
        }
    }
}

#[track_caller]
fn parsed(text: &str) -> Recorded {
    match serde_json::from_str(text) {
        Ok(payload @ Value::Object(_)) => Recorded { payload, set: Vec::new() },
        Ok(_) => panic!("the event is not a JSON object"),
        Err(err) => panic!("the event is not JSON: {err}"),
    }
}

/// Returns the names that a wrong name may mean, as text for a message.
fn recordings(name: &str) -> String {
    let event = name.split(' ').next().unwrap_or_default();
    let is_event = event::event(event).is_some();
    let recorded: Vec<String> = Recorded::names().collect();
    let near_event = || near_event(name).filter(|_| !is_event);
    if let Some(meant) = near(name, recorded.iter().map(String::as_str)).or_else(near_event) {
        return format!("did you mean `{meant}`?");
    }
    let mut names: Vec<String> = match is_event {
        true => recorded.into_iter().filter(|name| name.split(' ').next() == Some(event)).collect(),
        false => event::EVENTS.iter().map(|event| event.name.to_owned()).collect(),
    };
    names.dedup();
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("there are {}", names.join(", "))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "._-".contains(c)
}

/// Replaces folders at the beginning of the strings in a value.
fn move_in(value: &mut Value, moves: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in moves {
                let below = text.strip_prefix(from);
                // A text that is not a path may go on: a command line, for example.
                if let Some(below) = below.filter(|below| !below.starts_with(is_of_name)) {
                    *text = format!("{to}{below}");
                    return;
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| move_in(element, moves)),
        Value::Object(members) => members.values_mut().for_each(|member| move_in(member, moves)),
        _ => {}
    }
}
