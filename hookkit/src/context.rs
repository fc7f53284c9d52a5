//! The members that every event carries.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use crate::json::{PayloadProjection, Projection};
use crate::open::open_enum;
use crate::transcript::Transcript;
use crate::wire::wire;
use crate::{Error, Event, FromInput, Json, Payload};

/// The members that every event carries.
///
/// Take it as an argument next to the event; a handler that does not ask for it does not pay for it.
/// What the client says by variables is in [`Environment`](crate::Environment), but for the project's root.
/// All facts about the client are those of 2.1.330.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Reports the current folder to the model.
/// #[hook(SessionStart)]
/// pub fn where_am_i(context: Context) -> SessionStartAnswer {
///     SessionStartAnswer::pass().with_context(format!("The project is {}.", context.project_dir.display()))
/// }
///
/// // A test makes one and fills in what it needs.
/// # fn main() {
/// let mut context = Context::default();
/// context.project_dir = "/project".into();
/// assert_eq!(where_am_i(context), SessionStartAnswer::pass().with_context("The project is /project."));
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Context {
    /// The session's UUID; `served:` and the caller's id where the client serves a remote caller.
    pub session_id: String,
    /// The session's JSONL file. Empty where the session keeps none, and it need not exist yet on SessionStart.
    pub transcript_path: PathBuf,
    /// The session's current directory, which a `cd` in a Bash call moves. The hook's own directory, too.
    pub cwd: PathBuf,
    /// The project's root: where the session was started, whatever `cwd` has become.
    ///
    /// The client gives it in `CLAUDE_PROJECT_DIR`. Without that variable, as in a test, it is `cwd`.
    #[serde(skip)]
    pub project_dir: PathBuf,
    /// Ties together what follows from one prompt. Sent from the first prompt on, since client 2.1.196.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// Kinds of calls that need the user's permission. Sent on most events inside a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// Set inside a subagent only. Sent since client 2.1.69, as is the one below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The agent's name, inside a subagent or where the session was started with `--agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Effort of the model. Sent on the events of tools, at the end of a turn and on InstructionsLoaded, for models that
    /// have such a choice, since client 2.1.133. `None` also where it is sent in a shape that is not known.
    #[serde(default, deserialize_with = "known_effort", skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Folder for temporary files of the session, where that feature is on. Sent since client 2.1.257.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratchpad_dir: Option<PathBuf>,
}

wire! {
    /// The effort of the model's thinking.
    pub struct Effort {
        /// The level.
        level: EffortLevel,
    }

    /// A level, for a test.
    pub new Effort(level: impl Into<EffortLevel>);

    /// The effort of a model: its thinking, or the closeness of its look, from the least to the most.
    pub enum EffortLevel {
        /// The least.
        Low = "low",
        /// More.
        Medium = "medium",
        /// Yet more.
        High = "high",
        /// More than that.
        XHigh = "xhigh",
        /// The most.
        Max = "max",
    }
}

/// No hook on anything fails for an effort that has another shape.
fn known_effort<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Effort>, D::Error> {
    let effort: Option<Json> = Option::deserialize(value)?;
    let level = effort.and_then(|effort| effort.word("level"));
    Ok(level.map(|level| Effort::new(level.as_str())))
}

impl Context {
    /// Returns the time that the hook has left for its answer; `None` if the client does not wait for it, and in a test.
    ///
    /// That is its `timeout`, or the event's own, less a tenth of it, and half a second at most: the client ends a process
    /// that is late, and lets the action go on (2.1.330). hookkit ends it before, by its failure policy.
    /// Whatever a handler waits for should be given no more.
    pub fn time_left(&self) -> Option<Duration> {
        crate::sys::time_left()
    }

    /// Opens the session's transcript; one that is not there is empty. Inside a subagent it is that of the session.
    ///
    /// # Errors
    ///
    /// When there is one that cannot be opened.
    pub fn transcript(&self) -> Result<Transcript, Error> {
        Transcript::open(&self.transcript_path)
    }
}

open_enum! {
    /// The kinds of tool calls that need the user's permission.
    // Its own `Default` is a mode, and would not be the default.
    pub enum PermissionMode {
        /// Those that no rule allows. The client's screens call it "manual".
        Default = "default",
        /// As `Default`, but for edits, which are allowed.
        AcceptEdits = "acceptEdits",
        /// None: all are allowed.
        BypassPermissions = "bypassPermissions",
        /// The model plans, and changes nothing.
        Plan = "plan",
        /// None: what no rule allows is denied.
        DontAsk = "dontAsk",
        /// None: a classifier decides.
        Auto = "auto",
    }
}

/// The project's root; where the client does not give it, the current directory.
pub(crate) fn project_dir(
    payload: &Payload<'_>,
    cwd: impl FnOnce() -> Result<PathBuf, Error>,
) -> Result<PathBuf, Error> {
    payload
        .variable("CLAUDE_PROJECT_DIR")
        .map_or_else(cwd, |folder| Ok(folder.into()))
}

impl<E: Event> FromInput<E> for Context {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let mut context: Self = payload.decode()?;
        context.project_dir = project_dir(payload, || Ok(context.cwd.clone()))?;
        Ok(context)
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add(Projection::of::<Self>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Stop;

    #[test]
    fn an_effort_of_another_shape_is_none() {
        for (effort, level) in [
            (r#"{"level":"high"}"#, Some(EffortLevel::High)),
            (
                r#"{"level":"new","budget":1}"#,
                Some(EffortLevel::Other("new".to_owned())),
            ),
            (r#""high""#, None),
            ("{}", None),
            (r#"{"level":null}"#, None),
            (r#"{"level":3}"#, None),
            ("null", None),
            ("[]", None),
        ] {
            let payload = format!(r#"{{"session_id":"s","transcript_path":"","cwd":"/","effort":{effort}}}"#);
            let payload = Payload::parse(payload.as_bytes()).unwrap();
            let context = <Context as FromInput<Stop>>::from_input(&payload).unwrap();
            assert_eq!(context.effort.map(|effort| effort.level), level, "{effort}");
        }
    }
}
