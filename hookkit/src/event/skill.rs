//! Shell commands in skill texts.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::call::{INPUT, optional_string, string};
use super::sealed::Sealed;
use super::{PreToolUse, TypedEvent};
use crate::json::{PayloadProjection, Projection};
use crate::matching::of_shells;
use crate::tool::ToolInput;
use crate::wire::wire;
use crate::{Error, FromInput, Json, Payload};

/// A shell command in the text of a skill or of a slash command is about to run.
///
/// The client replaces such a command, `` !`git status` `` or a block of code in the language `!`, with its output
/// before the model reads the text. Raised once for each command that its permissions allow: the rules of the settings,
/// and the `allowed-tools` of the skill. No other event is raised for it: hooks on [`PreToolUse`] do not see these
/// commands, although a checkout can contain them. A hook on both events, `#[hook(PreToolUse | PreSkillShellCommand)]`,
/// takes a `PreToolUse` and returns a [`PreToolUseAnswer`](crate::answer::PreToolUseAnswer).
///
/// A hook that fails denies the command, unless it has `on_failure = continue`.
/// A hook of the type `prompt` or `agent` in the settings keeps every command of every skill from running.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Denies the shell commands of plugins' skills.
/// #[hook(PreSkillShellCommand)]
/// pub fn not_of_plugins(command: PreSkillShellCommand) -> PreSkillShellCommandAnswer {
///     if command.command_source.as_deref() == Some("plugin") {
///         PreSkillShellCommandAnswer::deny("skills of plugins run no commands here")
///     } else {
///         PreSkillShellCommandAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
#[non_exhaustive]
pub struct PreSkillShellCommand<T = Json> {
    /// The shell's tool: `Bash` or `PowerShell`.
    pub tool_name: String,
    /// Input of the tool (`tool_input`): only the `command`, with the skill's arguments filled in.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Id of the command. The transcript does not contain it.
    pub tool_use_id: String,
    /// Name of the skill or of the slash command.
    pub command_name: String,
    /// Origin of the skill: `projectSettings`, `plugin`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_source: Option<String>,
    /// The invoker of the skill: the user or the model. Never `Other("other")`.
    pub invoked_by: SkillInvoker,
}

impl<T: Default> PreSkillShellCommand<T> {
    /// Creates a command of a skill that the user typed, for tests.
    pub fn new(tool_name: &str, input: T, command_name: &str) -> Self {
        Self { tool_name: tool_name.to_owned(), input, command_name: command_name.to_owned(), ..Self::default() }
    }
}

wire! {
    /// The invoker of a skill.
    pub enum SkillInvoker {
        /// The user, who typed its name, or the program that runs the client through its SDK.
        User = "user",
        /// The model, with the tool Skill.
        Claude = "claude",
    }
}

impl<T: ToolInput> Sealed for PreSkillShellCommand<T> {}

impl<T: ToolInput> TypedEvent for PreSkillShellCommand<T> {
    type Event = PreSkillShellCommand;
}

impl<T: ToolInput> FromInput<PreSkillShellCommand> for PreSkillShellCommand<T> {
    const MATCHER: Option<&'static str> = of_shells(T::MATCHER);

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let tool_name = string(payload, "tool_name")?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            tool_use_id: string(payload, "tool_use_id")?,
            command_name: string(payload, "command_name")?,
            command_source: optional_string(payload, "command_source")?,
            invoked_by: payload.decode_member("invoked_by", |json| SkillInvoker::deserialize(json))?,
            tool_name,
        })
    }

    fn projection(projection: &mut PayloadProjection) {
        // The tool's name is part of every projection.
        let members = &["tool_use_id", "command_name", "command_source", "invoked_by"];
        projection.add(Projection::Members(members));
        projection.add_member(INPUT, T::projection());
    }
}

/// Takes the command as a call of the shell's tool, for a hook on both events.
#[diagnostic::do_not_recommend]
impl<T: ToolInput> FromInput<PreSkillShellCommand> for PreToolUse<T> {
    const MATCHER: Option<&'static str> = of_shells(T::MATCHER);

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        <Self as FromInput<PreToolUse>>::from_input(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        <Self as FromInput<PreToolUse>>::projection(projection);
    }
}
