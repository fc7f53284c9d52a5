//! Any event, for a hook on several events.

use super::{Event, TypedEvent};
use crate::json::{PayloadProjection, Projection};
use crate::matching::may_admit;
use crate::{Error, FromInput, Json, Payload};

/// Any event: an argument that any hook can take, whatever its events.
///
/// Use it in a function that several hooks share.
/// Only the events requested with [`get`](Self::get) are decoded and linked.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Describes an event, for several hooks.
/// fn describe(event: &AnyEvent) -> Result<String, Error> {
///     if let Some(call) = event.get::<PreToolUse<tool::Bash>>()? {
///         return Ok(format!("runs {}", call.input.command));
///     }
///     if let Some(stop) = event.get::<Stop>()? {
///         return Ok(stop.last_assistant_message.unwrap_or_default());
///     }
///     Ok(event.name.clone())
/// }
///
/// /// Records the last event.
/// #[hook(PreToolUse | Stop)]
/// pub fn last_event(event: AnyEvent, context: Context) -> Result<(), Error> {
///     Ok(std::fs::write(context.project_dir.join("last-event.txt"), describe(&event)?)?)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let event = AnyEvent::parse(r#"{"hook_event_name":"CwdChanged","old_cwd":"/a","new_cwd":"/b"}"#)?;
/// assert_eq!(describe(&event)?, "CwdChanged");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnyEvent {
    /// The client's name of the event.
    pub name: String,
    /// The whole payload.
    pub payload: Json,
}

impl AnyEvent {
    /// Parses a payload for tests.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object with the name of an event.
    pub fn parse(payload: &str) -> Result<Self, Error> {
        Self::of(&Payload::parse(payload.as_bytes())?)
    }

    fn of(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self { name: payload.event_name()?.into_owned(), payload: payload.to_json()? })
    }

    /// Returns the event's fields if it is an `E`. For a tool call, the tool must match, too.
    ///
    /// A type whose matcher is a regular expression (`mcp__github__.*`) is decoded for every tool of the server.
    ///
    /// # Errors
    ///
    /// Fails if the event is an `E`, but its payload lacks a required field.
    pub fn get<E: TypedEvent>(&self) -> Result<Option<E>, Error> {
        let facts = E::Event::FACTS;
        if self.name != facts.name {
            return Ok(None);
        }
        let payload = Payload::parse(self.payload.text().as_bytes())?;
        if let (Some(_), Some(field)) = (E::MATCHER, facts.matcher_target.field())
            && !may_admit(E::MATCHER, &[&payload.string(field)?])
        {
            return Ok(None);
        }
        E::from_input(&payload).map(Some)
    }
}

impl<E: Event> FromInput<E> for AnyEvent {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Self::of(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add(Projection::All);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolInput;
    use crate::event::{PostToolUse, PreToolUse, Stop};
    use crate::tool::{Bash, FileChange};

    #[derive(serde::Deserialize, ToolInput)]
    #[tool(server = "a", crate = crate)]
    struct OfServer {}

    fn call(tool: &str) -> AnyEvent {
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{"command":"ls","file_path":"/a"}}}}"#
        );
        AnyEvent::parse(&text).unwrap()
    }

    #[test]
    fn get_returns_only_the_actual_event_and_tool() {
        let bash = call("Bash");
        assert_eq!(bash.name, "PreToolUse");
        assert_eq!(bash.get::<PreToolUse<Bash>>().unwrap().unwrap().input.command, "ls");
        assert_eq!(bash.get::<PreToolUse>().unwrap().unwrap().tool_name, "Bash");
        assert!(bash.get::<Stop>().unwrap().is_none());
        assert!(bash.get::<PostToolUse>().unwrap().is_none());
        assert!(bash.get::<PreToolUse<FileChange>>().unwrap().is_none());
        assert!(call("Edit").get::<PreToolUse<FileChange>>().unwrap().is_some());
        assert!(call("mcp__host__shell").get::<PreToolUse<Bash>>().unwrap().is_none());
        assert!(call("mcp__a__b").get::<PreToolUse<OfServer>>().unwrap().is_some());
        assert!(bash.get::<PreToolUse<OfServer>>().unwrap().is_none());
    }

    #[test]
    fn a_missing_field_is_an_error() {
        let event = AnyEvent::parse(r#"{"hook_event_name":"Stop"}"#).unwrap();
        assert!(event.get::<Stop>().is_err());
        assert!(AnyEvent::parse("{}").is_err());
    }
}
