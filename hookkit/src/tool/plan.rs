//! The tools by which the model plans, and sets itself a goal.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{is_false, or_default, tool};

tool! { EnterPlanMode = "EnterPlanMode" => EnterPlanModeResponse }
tool! { ExitPlanMode = "ExitPlanMode" => ExitPlanModeResponse }
tool! { SetGoal = "SetGoal" => SetGoalResponse }

/// Begins to plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnterPlanMode {}

/// What [`EnterPlanMode`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EnterPlanModeResponse {
    /// What the model is told.
    pub message: String,
}

/// Shows the user the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExitPlanMode {
    /// What the model asks to be allowed for the plan.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub allowed_prompts: Vec<AllowedPrompt>,
    /// The plan, which the client adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The plan's file, which the client adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_file_path: Option<PathBuf>,
}

/// What the model asks to be allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AllowedPrompt {
    /// The tool: `Bash`.
    pub tool: String,
    /// What it is to be allowed for, in words.
    pub prompt: String,
}

/// What [`ExitPlanMode`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ExitPlanModeResponse {
    /// The plan, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Whether it is a subagent's.
    pub is_agent: bool,
    /// The plan's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_path: Option<PathBuf>,
    /// Whether the model has a tool that starts agents.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub has_task_tool: bool,
    /// Whether the user changed the plan.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub plan_was_edited: bool,
    /// Whether the team's leader has to agree yet.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub awaiting_leader_approval: bool,
    /// The question to the team's leader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Sets the session a goal. Its old name is `ProposeGoal`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SetGoal {
    /// When it is reached, in words.
    pub condition: String,
    /// Whether the user is asked before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask_user: Option<bool>,
}

/// What [`SetGoal`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SetGoalResponse {
    /// When it is reached, in words.
    pub condition: String,
    /// Whether the user is asked before.
    pub ask_user: bool,
}
