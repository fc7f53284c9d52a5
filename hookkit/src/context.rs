//! What every event carries.

use std::path::PathBuf;

use serde::Deserialize;

use crate::json::{PayloadWants, Wants};
use crate::open::open_enum;
use crate::{Error, Event, FromInput, Payload};

/// What every event carries, whatever happened.
///
/// Take it as an argument beside the event; a handler that does not ask for it does not pay for it.
/// What is said of the client is what 2.1.330 does.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Tells the model where it is.
/// #[hook(SessionStart)]
/// pub fn where_am_i(context: Context) -> SessionStartAnswer {
///     SessionStartAnswer::context(format!("The project is {}.", context.project_dir.display()))
/// }
///
/// // A test makes one and fills in what it needs.
/// # fn main() {
/// let mut context = Context::default();
/// context.project_dir = "/project".into();
/// assert_eq!(where_am_i(context), SessionStartAnswer::context("The project is /project."));
/// # }
/// ```
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Context {
    /// The session's UUID.
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
    /// What the user has to be asked for. Sent on events inside a turn.
    #[serde(default)]
    pub permission_mode: Option<PermissionMode>,
    /// Set inside a subagent only.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The agent's name, inside a subagent or where the session was started with `--agent`.
    #[serde(default)]
    pub agent_type: Option<String>,
}

open_enum! {
    /// What the user has to be asked for.
    pub enum PermissionMode {
        /// What the rules do not allow. The client's screens call it "manual".
        Default = "default",
        /// As by default, but not for edits.
        AcceptEdits = "acceptEdits",
        /// Nothing.
        BypassPermissions = "bypassPermissions",
        /// Nothing is changed while a plan is made.
        Plan = "plan",
        /// Nobody is asked: what the rules do not allow is denied.
        DontAsk = "dontAsk",
        /// A classifier decides.
        Auto = "auto",
    }
}

impl<E: Event> FromInput<E> for Context {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let mut context: Self = payload.decode()?;
        let variable = payload.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        context.project_dir = variable.unwrap_or_else(|| context.cwd.clone());
        Ok(context)
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(Wants::of::<Self>());
    }
}
