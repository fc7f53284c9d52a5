//! The events that a test runs hooks on.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Recorded;
use crate::Context;
use crate::event::{Event, TypedEvent};
use crate::payload::EVENT_NAME;

/// An event that a test can run hooks on: one of the types of [`event`](crate::event), or a [`Recorded`] one.
///
/// Other crates cannot implement it.
#[diagnostic::on_unimplemented(
    message = "a test cannot run hooks on `{Self}`",
    label = "not an event that can be written as JSON",
    note = "for a tool event, the type of the input needs `#[derive(serde::Serialize)]`, in addition to `serde::Deserialize` and `ToolInput`",
    note = "construct an event (`Stop::new(false)`, `PreToolUse::new(\"Bash\", tool::Bash::new(\"ls\"))`), or take a recorded one (`Recorded::of(\"PreToolUse Bash\")`)"
)]
pub trait TestEvent: sealed::Sealed {
    /// Returns the event's payload in a session. If a home is given, it replaces the recorded home.
    #[doc(hidden)]
    fn payload(&self, context: &Context, home: Option<&Path>) -> Map<String, Value>;
}

mod sealed {
    pub trait Sealed {}
}

#[diagnostic::do_not_recommend]
impl<E: TypedEvent + Serialize> sealed::Sealed for E {}

#[diagnostic::do_not_recommend]
impl<E: TypedEvent + Serialize> TestEvent for E {
    fn payload(&self, context: &Context, _home: Option<&Path>) -> Map<String, Value> {
        let mut payload = members(context);
        payload.extend(members(self));
        payload.insert(EVENT_NAME.to_owned(), E::Event::FACTS.name.into());
        payload
    }
}

impl sealed::Sealed for Recorded {}

impl TestEvent for Recorded {
    fn payload(&self, context: &Context, home: Option<&Path>) -> Map<String, Value> {
        let project = match context.project_dir.as_os_str().is_empty() {
            true => &context.cwd,
            false => &context.project_dir,
        };
        let mut payload = self.moved(project, home);
        for (name, value) in members(context) {
            // A value that the test has set is kept.
            if !self.is_set(&name) {
                payload.insert(name, value);
            }
        }
        payload
    }
}

/// Returns the members of a struct.
#[track_caller]
fn members(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value).expect("an event can be serialized") {
        Value::Object(members) => members,
        _ => unreachable!("contexts and events are structs with named fields"),
    }
}
