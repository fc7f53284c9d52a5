//! The tools by which the model plans, and sets itself a goal.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;

tool! { EnterPlanMode = "EnterPlanMode" => EnterPlanModeResponse }
tool! { ExitPlanMode = "ExitPlanMode" => ExitPlanModeResponse }
tool! { SetGoal = "SetGoal" => SetGoalResponse }

wire! {
    /// Begins to plan.
    pub struct EnterPlanMode {}

    /// What [`EnterPlanMode`] gives back.
    pub struct EnterPlanModeResponse with defaults {
        /// What the model is told.
        message: String,
    }

    /// Shows the user the plan.
    pub struct ExitPlanMode {
        /// What the model asks to be allowed for the plan.
        allowed_prompts?: Vec<AllowedPrompt> = "allowedPrompts",
        /// The plan, which the client adds.
        plan: Option<String>,
        /// The plan's file, which the client adds.
        plan_file_path: Option<PathBuf> = "planFilePath",
    }

    /// What the model asks to be allowed.
    pub struct AllowedPrompt {
        /// The tool: `Bash`.
        tool: String,
        /// What it is to be allowed for, in words.
        prompt: String,
    }

    /// What [`ExitPlanMode`] gives back.
    pub struct ExitPlanModeResponse with defaults {
        /// The plan, if there is one.
        plan: Option<String>,
        /// Whether it is a subagent's.
        is_agent: bool = "isAgent",
        /// The plan's file.
        file_path: Option<PathBuf> = "filePath",
        /// Whether the model has a tool that starts agents.
        has_task_tool?: bool = "hasTaskTool",
        /// Whether the user changed the plan.
        plan_was_edited?: bool = "planWasEdited",
        /// Whether the team's leader has to agree yet.
        awaiting_leader_approval?: bool = "awaitingLeaderApproval",
        /// The question to the team's leader.
        request_id: Option<String> = "requestId",
    }

    /// Sets the session a goal. Its old name is `ProposeGoal`.
    pub struct SetGoal {
        /// When it is reached, in words.
        condition: String,
        /// Whether the user is asked before.
        ask_user: Option<bool>,
    }

    /// What [`SetGoal`] gives back.
    pub struct SetGoalResponse with defaults {
        /// When it is reached, in words.
        condition: String,
        /// Whether the user is asked before.
        ask_user: bool = "askUser",
    }
}
