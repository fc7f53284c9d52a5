//! Fields that every event carries.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use crate::json::{PayloadProjection, Projection};
use crate::open::{self, open_enum};
use crate::transcript::Transcript;
use crate::wire::wire;
use crate::{Error, Event, FromInput, Json, Payload};

/// The fields that every event carries.
///
/// Take it as an argument next to the event. It is decoded only for handlers that take it. The project's root comes
/// from an environment variable; other variables are in [`Environment`](crate::Environment). All facts about the client
/// are from version 2.1.330.
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
/// // A test creates one and sets the fields that it needs.
/// # fn main() {
/// let mut context = Context::default();
/// context.project_dir = "/project".into();
/// assert_eq!(where_am_i(context), SessionStartAnswer::pass().with_context("The project is /project."));
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Context {
    /// The session's UUID, or `served:` and the caller's id if the client serves a remote caller.
    pub session_id: String,
    /// The session's JSONL file. Empty if the session keeps none, or another client runs the hook; on SessionStart it may
    /// not exist yet.
    #[serde(default, deserialize_with = "open::or_default")]
    pub transcript_path: PathBuf,
    /// The session's current directory, which a `cd` in a Bash call changes. The hook runs in it, too.
    pub cwd: PathBuf,
    /// The project's root: the directory in which the session was started.
    ///
    /// It comes from the variable `CLAUDE_PROJECT_DIR`; if that is not set, as in a test, it is `cwd`.
    #[serde(skip)]
    pub project_dir: PathBuf,
    /// Id that all events of one prompt share. Sent from the first prompt on, since client 2.1.196.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// Permission mode: the calls that need permission. Sent on most events inside a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    /// The subagent's id, inside a subagent only. Sent since client 2.1.64, like `agent_type`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The agent's name, inside a subagent or if the session was started with `--agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Effort of the model, if it has levels of effort. Sent on the events of tools, at the end of a turn and on
    /// InstructionsLoaded, since client 2.1.133. Also `None` if it is sent in an unknown shape.
    #[serde(default, deserialize_with = "known_effort", skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Folder for temporary files of the session, if that feature is on. Sent since client 2.1.257.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scratchpad_dir: Option<PathBuf>,
}

wire! {
    /// The effort of the model's thinking.
    pub struct Effort {
        /// The level.
        level: EffortLevel,
    }

    /// Creates an effort, for a test.
    pub new Effort(level: impl Into<EffortLevel>);

    /// A level of effort, or of detail.
    pub enum EffortLevel {
        /// Lowest level.
        Low = "low",
        /// Above `Low`.
        Medium = "medium",
        /// Above `Medium`.
        High = "high",
        /// Above `High`.
        XHigh = "xhigh",
        /// Highest level.
        Max = "max",
    }
}

/// Decodes an effort. An unknown shape becomes `None`, so that no hook fails because of it.
fn known_effort<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Effort>, D::Error> {
    let effort: Option<Json> = Option::deserialize(value)?;
    let level = effort.and_then(|effort| effort.word("level"));
    Ok(level.map(|level| Effort::new(level.as_str())))
}

impl Context {
    /// Returns the time left until the hook must answer; `None` in a test, and if the client does not wait for the
    /// hook.
    ///
    /// The limit is the `timeout` of the hook or of the event, minus a tenth of it or half a second, whichever is less.
    /// The client kills a process that is late, and lets the action go ahead (2.1.330); hookkit ends the process before
    /// that, according to its failure policy. A handler should not wait longer than this for anything.
    pub fn time_left(&self) -> Option<Duration> {
        crate::sys::time_left()
    }

    /// Opens the session's transcript; a missing file is empty. Inside a subagent, it is still the session's
    /// transcript.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be opened.
    pub fn transcript(&self) -> Result<Transcript, Error> {
        Transcript::open(&self.transcript_path)
    }

    /// Opens the transcripts of the session's subagents, from the folder next to the session's transcript. If there are
    /// more than a thousand, only some are opened.
    ///
    /// # Errors
    ///
    /// Fails if the folder or a file cannot be opened.
    pub fn subagent_transcripts(&self) -> Result<Vec<Transcript>, Error> {
        const MOST: usize = 1_000;
        let folder = self.transcript_path.with_extension("").join("subagents");
        let entries = match fs::read_dir(&folder) {
            // Without a transcript the folder would be one of the project's.
            _ if folder.is_relative() => return Ok(Vec::new()),
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let files = entries.flatten().map(|entry| entry.path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "jsonl"));
        files.take(MOST).map(Transcript::open).collect()
    }
}

open_enum! {
    /// The permission mode: the client's decision about tool calls that no rule allows.
    // `Default` is a mode of the client, not the type's default.
    pub enum PermissionMode {
        /// The user is asked. The client displays the mode as "manual".
        Default = "default",
        /// Like `Default`, but edits are allowed.
        AcceptEdits = "acceptEdits",
        /// All calls are allowed.
        BypassPermissions = "bypassPermissions",
        /// The model plans, and changes nothing.
        Plan = "plan",
        /// The calls are denied.
        DontAsk = "dontAsk",
        /// A classifier decides in place of the user.
        Auto = "auto",
    }
}

/// Returns the project's root, or the current directory if the variable is not set.
pub(crate) fn project_dir(
    payload: &Payload<'_>,
    cwd: impl FnOnce() -> Result<PathBuf, Error>,
) -> Result<PathBuf, Error> {
    payload.variable("CLAUDE_PROJECT_DIR").map_or_else(cwd, |folder| Ok(folder.into()))
}

impl<E: Event> FromInput<E> for Context {
    const LOCAL: Option<&'static str> = Some(
        "a service has no `Context`, because the session's folders and transcript are on the user's machine; take the \
         event, the payload as `Json`, or `Caller`",
    );

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
            (r#"{"level":"new","budget":1}"#, Some(EffortLevel::Other("new".to_owned()))),
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
