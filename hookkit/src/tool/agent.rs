//! Tools that start agents, skills and workflows, and exchange messages between agents.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{EffortLevel, Json, PermissionMode};

tool! { Agent = "Agent" => AgentResponse }
tool! { SendMessage = "SendMessage" => Json }
tool! { SubagentHandback = "SubagentHandback" => SubagentHandbackResponse }
tool! { Skill = "Skill" => SkillResponse }
tool! { ProposeSkills = "propose_skills" => ProposeSkillsResponse }
tool! { Workflow = "Workflow" => WorkflowResponse }

wire! {
    /// Input of `Agent` (formerly `Task`), which starts an agent.
    pub struct Agent {
        /// Task of the agent, in a few words.
        description: String,
        /// Task of the agent, in full.
        prompt: String,
        /// Type of the agent: `general-purpose`, `Explore`, or one of the project's.
        subagent_type: Option<String>,
        /// Model of the agent: `sonnet`, `opus`, `haiku`, `fable`.
        model: Option<String>,
        /// Effort level of the agent.
        effort: Option<EffortLevel>,
        /// `true` if the agent runs in the background, so that the model does not wait for it.
        ///
        /// If absent, the agent may run in the background, too.
        run_in_background: Option<bool>,
        /// Name to which other agents send messages.
        name: Option<String>,
        /// Team that the agent joins.
        team_name: Option<String>,
        /// Permission mode of the agent.
        mode: Option<PermissionMode>,
        /// Isolation of the agent. If absent, the agent works in the session's folder.
        isolation: Option<Isolation>,
    }

    /// Creates the input from the agent's task, in a few words and in full.
    pub new Agent(description: &str, prompt: &str);

    /// Isolation of an agent from the session.
    pub enum Isolation {
        /// A git worktree of its own.
        Worktree = "worktree",
        /// Another machine.
        Remote = "remote",
    }

    /// Response of [`Agent`]; its `status` selects the variant.
    #[derive(Eq)]
    pub enum AgentResponse by "status" {
        /// The agent has finished.
        Completed(AgentCompleted) = "completed",
        /// The agent runs in the background.
        AsyncLaunched(AgentLaunched) = "async_launched",
        /// The agent runs on another machine.
        RemoteLaunched(AgentRemote) = "remote_launched",
        /// The agent joined a team. The client sends this variant but does not publish its shape (client 2.1.330).
        TeammateSpawned(AgentTeammate) = "teammate_spawned",
    }

    /// An agent that has finished.
    pub struct AgentCompleted with defaults {
        /// Id of the agent.
        agent_id: String = "agentId",
        /// Type of the agent, as in [`Agent::subagent_type`].
        agent_type: Option<String> = "agentType",
        /// Answer of the agent.
        content: Vec<ContentBlock>,
        /// Id of the model.
        resolved_model: Option<String> = "resolvedModel",
        /// Ids of all models used.
        models_used?: Vec<String> = "modelsUsed",
        /// Number of tool calls.
        total_tool_use_count: u64 = "totalToolUseCount",
        /// Duration, in milliseconds.
        total_duration_ms: u64 = "totalDurationMs",
        /// Number of tokens used.
        total_tokens: u64 = "totalTokens",
        /// Token usage of the last answer.
        usage: Usage,
        /// Tools that the agent called.
        tools_used?: Vec<String> = "toolsUsed",
        /// Number of tool calls of each kind.
        tool_stats: Option<ToolStats> = "toolStats",
        /// Prompt of the agent.
        prompt: String,
        /// Worktree of the agent, if it was kept.
        worktree_path: Option<PathBuf> = "worktreePath",
        /// Branch of that worktree.
        worktree_branch: Option<String> = "worktreeBranch",
    }

    /// A part of an answer; its `type` selects the variant.
    #[derive(Eq)]
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextBlock) = "text",
    }

    /// A text block of an answer.
    pub struct TextBlock with defaults {
        /// The text.
        text: String,
        /// Sources of the text.
        citations: Option<Vec<Json>>,
    }

    /// Token usage of an answer, as the API counts it.
    pub struct Usage with defaults {
        /// Input tokens, except cached ones.
        input_tokens: u64,
        /// Output tokens.
        output_tokens: u64,
        /// Input tokens written to the cache.
        cache_creation_input_tokens: Option<u64>,
        /// Input tokens read from the cache.
        cache_read_input_tokens: Option<u64>,
        /// Number of calls of the API's own tools.
        server_tool_use: Option<ServerToolUse>,
        /// Service tier of the API.
        service_tier: Option<String>,
        /// Tokens written to the cache, per lifetime.
        cache_creation: Option<CacheCreation>,
        /// Location where the model ran.
        inference_geo: Option<String>,
        /// Speed of the model.
        speed: Option<String>,
        /// The parts that add up to this usage; the client does not publish their shape.
        iterations: Option<Json>,
        /// Output tokens of each kind.
        output_tokens_details: Option<OutputTokensDetails>,
        /// Tokens that were not charged; the client does not publish their shape.
        fallback_credit: Option<Json>,
    }

    /// Number of calls of the API's own tools.
    pub struct ServerToolUse with defaults {
        /// Number of web searches.
        web_search_requests: u64,
        /// Number of pages fetched.
        web_fetch_requests: u64,
    }

    /// Tokens written to the cache, per lifetime.
    pub struct CacheCreation with defaults {
        /// Tokens cached for an hour.
        ephemeral_1h_input_tokens: u64,
        /// Tokens cached for five minutes.
        ephemeral_5m_input_tokens: u64,
    }

    /// Output tokens of each kind.
    pub struct OutputTokensDetails {
        /// Tokens used for thinking.
        thinking_tokens: Option<u64>,
    }

    /// Number of an agent's tool calls of each kind.
    pub struct ToolStats with defaults {
        /// Number of files read.
        read_count: u64 = "readCount",
        /// Number of searches.
        search_count: u64 = "searchCount",
        /// Number of commands.
        bash_count: u64 = "bashCount",
        /// Number of files changed.
        edit_file_count: u64 = "editFileCount",
        /// Number of lines added.
        lines_added: u64 = "linesAdded",
        /// Number of lines removed.
        lines_removed: u64 = "linesRemoved",
        /// Number of calls of any other tool.
        other_tool_count: u64 = "otherToolCount",
        /// Number of screenshots.
        frame_count: Option<u64> = "frameCount",
    }

    /// An agent that runs in the background.
    pub struct AgentLaunched {
        /// `true` from clients that also send the other variants.
        is_async?: bool = "isAsync",
        /// Id of the agent.
        agent_id: String = "agentId",
        /// Task of the agent, in a few words.
        description: String,
        /// Id of the model.
        resolved_model: Option<String> = "resolvedModel",
        /// Ids of all models in use.
        models_used?: Vec<String> = "modelsUsed",
        /// Prompt of the agent.
        prompt: String,
        /// Output file of the agent.
        output_file: PathBuf = "outputFile",
        /// `true` if the model has a tool that reads that file.
        can_read_output_file: Option<bool> = "canReadOutputFile",
        /// `true` if the model has a tool to message the agent. Sent by client 2.1.330, which does not publish it.
        can_continue_agent: Option<bool> = "canContinueAgent",
    }

    /// An agent that runs on another machine.
    pub struct AgentRemote with defaults {
        /// Id of the background task.
        task_id: String = "taskId",
        /// Page that shows the agent's session.
        session_url: String = "sessionUrl",
        /// Task of the agent, in a few words.
        description: String,
        /// Prompt of the agent.
        prompt: String,
        /// Output file of the agent.
        output_file: PathBuf = "outputFile",
    }

    /// An agent that joined a team.
    pub struct AgentTeammate with defaults {
        /// Prompt of the agent.
        prompt: String,
        /// Id of the agent (`agentId`), the same as `agent_id`.
        id: Option<String> = "agentId",
        /// Id of the model (`resolvedModel`).
        resolved_model: Option<String> = "resolvedModel",
        /// Name of the agent and of its team: `mate@session-01234567`.
        teammate_id: String,
        /// Id of the agent.
        agent_id: String,
        /// Type of the agent, as in [`Agent::subagent_type`].
        agent_type: Option<String>,
        /// Model that the agent was started with.
        model: Option<String>,
        /// Name to which other agents send messages.
        name: String,
        /// Color of the agent in the user interface.
        color: Option<String>,
        /// Name of the agent's tmux session, or `in-process`.
        tmux_session_name: String,
        /// Name of the agent's tmux window, or `in-process`.
        tmux_window_name: String,
        /// Id of the agent's tmux pane, or `in-process`.
        tmux_pane_id: String,
        /// Team of the agent.
        team_name: Option<String>,
        /// `true` if the agent shares a tmux window.
        is_splitpane?: bool,
        /// `true` if the agent has to plan before it works.
        plan_mode_required?: bool,
        /// Output file of the agent (`outputFile`).
        output_file: Option<PathBuf> = "outputFile",
    }

    /// Input of `SendMessage`, which sends another agent a message. The client does not publish its response.
    pub struct SendMessage {
        /// Name or id of the recipient.
        to: String,
        /// The message, in a few words.
        summary: Option<String>,
        /// The message: a string or an object.
        message: Option<Json>,
        /// `true` if the sender is notified when the recipient becomes idle.
        notify_when_idle?: bool,
    }

    /// Input of `SubagentHandback`, which returns a subagent's work to the agent or session that started it.
    pub struct SubagentHandback {
        /// Message about the work.
        message: String,
    }

    /// Response of [`SubagentHandback`].
    pub struct SubagentHandbackResponse with defaults {
        /// `true` if the work was accepted.
        success: bool,
        /// Message to the model.
        message: String,
    }

    /// Input of `Skill`, which runs a skill.
    pub struct Skill {
        /// Name of the skill: `commit`, `my-plugin:review`.
        skill: String,
        /// Arguments of the skill, as one string.
        args: Option<String>,
    }

    /// Creates the input from the skill's name.
    pub new Skill(skill: &str);

    /// Response of [`Skill`], for a skill that runs in the session or in an agent of its own.
    pub struct SkillResponse {
        /// `true` if the skill was started.
        success: bool,
        /// Name of the skill.
        command_name: String = "commandName",
        /// Context that the skill runs in; the session if absent.
        status: Option<SkillStatus>,
        /// Tools that the skill may use without a permission prompt.
        allowed_tools?: Vec<String> = "allowedTools",
        /// Model that the skill requests.
        model: Option<String>,
        /// `true` if the skill changes nothing.
        read_only?: bool = "readOnly",
        /// Id of the agent that ran the skill.
        agent_id: Option<String> = "agentId",
        /// Answer of that agent.
        result: Option<String>,
        /// `true` if that agent runs in the background.
        background?: bool,
        /// Tools that the agent called, as one line for display.
        tools_used_line: Option<String> = "toolsUsedLine",
    }

    /// Context that a skill runs in.
    pub enum SkillStatus {
        /// The session.
        Inline = "inline",
        /// An agent of its own.
        Forked = "forked",
    }

    /// Input of `propose_skills`, which proposes skills to the user.
    pub struct ProposeSkills {
        /// One to three proposals.
        proposals: Vec<SkillProposal>,
    }

    /// A proposal of a new skill, or of an improvement of an existing one.
    pub struct SkillProposal {
        /// Name of the skill.
        name: String,
        /// Kind of the proposal.
        kind: SkillProposalKind,
        /// Existing skill to improve.
        target: Option<String>,
        /// Purpose of the skill.
        description: String,
        /// Evidence for the proposal.
        evidence?: Vec<String>,
        /// Edits to the existing skill.
        edits?: Vec<SkillEdit>,
        /// Text of the new skill's SKILL.md (`skillMd`).
        skill_md: Option<String> = "skillMd",
    }

    /// Kind of a skill proposal.
    pub enum SkillProposalKind {
        /// A new skill.
        New = "new",
        /// An improvement of an existing skill.
        Improvement = "improvement",
    }

    /// An edit to a skill's text.
    pub struct SkillEdit {
        /// Text to find.
        old_string: String,
        /// Replacement for that text.
        new_string: String,
    }

    /// Response of [`ProposeSkills`].
    pub struct ProposeSkillsResponse with defaults {
        /// Number of proposals.
        proposal_count: u64 = "proposalCount",
    }

    /// Input of `Workflow`, which starts a workflow: a script that runs agents.
    pub struct Workflow {
        /// Text of the script.
        script: Option<String>,
        /// Name of an existing workflow.
        name: Option<String>,
        /// Purpose of the workflow.
        description: Option<String>,
        /// Title of the workflow.
        title: Option<String>,
        /// Arguments of the script: an object.
        args: Option<Json>,
        /// Path of the script (`scriptPath`).
        script_path: Option<PathBuf> = "scriptPath",
        /// Id of the run to resume (`resumeFromRunId`).
        resume_from_run_id: Option<String> = "resumeFromRunId",
    }

    /// Response of [`Workflow`].
    pub struct WorkflowResponse with defaults {
        /// `async_launched` or `remote_launched`.
        status: String,
        /// Id of the background task.
        task_id: String = "taskId",
        /// `local_workflow` or `remote_agent`.
        task_type: Option<String> = "taskType",
        /// Name of the workflow.
        workflow_name: Option<String> = "workflowName",
        /// Id of the run, needed to resume it.
        run_id: Option<String> = "runId",
        /// Description of the workflow, in a few words.
        summary: Option<String>,
        /// Folder with the transcripts of the workflow's agents.
        transcript_dir: Option<PathBuf> = "transcriptDir",
        /// Path of the script.
        script_path: Option<PathBuf> = "scriptPath",
        /// Page that shows the session, if it runs on another machine.
        session_url: Option<String> = "sessionUrl",
        /// Warning to the model.
        warning: Option<String>,
        /// Error that prevented the start.
        error: Option<String>,
    }
}
