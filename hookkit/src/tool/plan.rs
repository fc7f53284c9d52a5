//! Tools that plan, and set a goal for the session.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;

tool! { EnterPlanMode = "EnterPlanMode" => EnterPlanModeResponse }
tool! { ExitPlanMode = "ExitPlanMode" => ExitPlanModeResponse }
tool! { SetGoal = "SetGoal" => SetGoalResponse }

wire! {
    /// Input of `EnterPlanMode`, which starts plan mode.
    pub struct EnterPlanMode {}

    /// Response of [`EnterPlanMode`].
    pub struct EnterPlanModeResponse with defaults {
        /// Message to the model.
        message: String,
    }

    /// Input of `ExitPlanMode`, which shows the user the plan.
    pub struct ExitPlanMode {
        /// Permissions that the model requests for the plan.
        allowed_prompts?: Vec<AllowedPrompt> = "allowedPrompts",
        /// The plan, added by the client.
        plan: Option<String>,
        /// File of the plan, added by the client.
        plan_file_path: Option<PathBuf> = "planFilePath",
    }

    /// A permission that the model requests for a plan.
    pub struct AllowedPrompt {
        /// Name of the tool: `Bash`.
        tool: String,
        /// Permitted use of the tool, in words.
        prompt: String,
    }

    /// Response of [`ExitPlanMode`].
    pub struct ExitPlanModeResponse with defaults {
        /// The plan, if there is one.
        plan: Option<String>,
        /// `true` if it is a subagent's plan.
        is_agent: bool = "isAgent",
        /// File of the plan.
        file_path: Option<PathBuf> = "filePath",
        /// `true` if the model has a tool that starts agents.
        has_task_tool?: bool = "hasTaskTool",
        /// `true` if the user changed the plan.
        plan_was_edited?: bool = "planWasEdited",
        /// `true` if the team's leader has not approved the plan yet.
        awaiting_leader_approval?: bool = "awaitingLeaderApproval",
        /// Id of the request to the team's leader.
        request_id: Option<String> = "requestId",
    }

    /// Input of `SetGoal` (formerly `ProposeGoal`), which sets a goal for the session.
    pub struct SetGoal {
        /// Condition for reaching the goal, in words.
        condition: String,
        /// `true` if the user is asked first.
        ask_user: Option<bool>,
    }

    /// Response of [`SetGoal`].
    pub struct SetGoalResponse with defaults {
        /// Condition for reaching the goal, in words.
        condition: String,
        /// `true` if the user is asked first.
        ask_user: bool = "askUser",
    }
}
