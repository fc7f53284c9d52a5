//! The tools by which agents start, tell and teach each other.

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
    /// Starts an agent. Its old name is `Task`.
    pub struct Agent {
        /// What it shall do, in a few words.
        description: String,
        /// What it shall do.
        prompt: String,
        /// Which agent it is: `general-purpose`, `Explore`, or one of the project's.
        subagent_type: Option<String>,
        /// Its model: `sonnet`, `opus`, `haiku`, `fable`.
        model: Option<String>,
        /// How much it thinks.
        effort: Option<EffortLevel>,
        /// Whether the model goes on without waiting for it.
        ///
        /// It may run in the background where this is absent, too.
        run_in_background: Option<bool>,
        /// The name by which others can send it messages.
        name: Option<String>,
        /// The team that it joins.
        team_name: Option<String>,
        /// Its permission mode.
        mode: Option<PermissionMode>,
        /// Where it works, if not where the session does.
        isolation: Option<Isolation>,
    }

    /// What it shall do, in a few words and in all of them, for a test.
    pub new Agent(description: &str, prompt: &str);

    /// Where an agent works.
    pub enum Isolation {
        /// In a git worktree of its own.
        Worktree = "worktree",
        /// On another machine.
        Remote = "remote",
    }

    /// What [`Agent`] gives back, by its `status`.
    #[derive(Eq)]
    pub enum AgentResponse by "status" {
        /// It is done.
        Completed(AgentCompleted) = "completed",
        /// It works in the background.
        AsyncLaunched(AgentLaunched) = "async_launched",
        /// It works on another machine.
        RemoteLaunched(AgentRemote) = "remote_launched",
        /// It joined a team. The client sends it, and does not publish its shape (client 2.1.330).
        TeammateSpawned(AgentTeammate) = "teammate_spawned",
    }

    /// An agent that is done.
    pub struct AgentCompleted with defaults {
        /// The agent.
        agent_id: String = "agentId",
        /// Which agent it is, as in [`Agent::subagent_type`].
        agent_type: Option<String> = "agentType",
        /// What it answered.
        content: Vec<ContentBlock>,
        /// The model's id.
        resolved_model: Option<String> = "resolvedModel",
        /// The ids of all models that were at work.
        models_used?: Vec<String> = "modelsUsed",
        /// How many tools it called.
        total_tool_use_count: u64 = "totalToolUseCount",
        /// How long it took, in milliseconds.
        total_duration_ms: u64 = "totalDurationMs",
        /// How many tokens it took.
        total_tokens: u64 = "totalTokens",
        /// The tokens of its last answer.
        usage: Usage,
        /// The tools that it called.
        tools_used?: Vec<String> = "toolsUsed",
        /// How often it called tools, by what they do.
        tool_stats: Option<ToolStats> = "toolStats",
        /// What it was asked.
        prompt: String,
        /// The worktree in which it worked, where that was kept.
        worktree_path: Option<PathBuf> = "worktreePath",
        /// That worktree's branch.
        worktree_branch: Option<String> = "worktreeBranch",
    }

    /// A part of an answer, by its `type`.
    #[derive(Eq)]
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextBlock) = "text",
    }

    /// Text, as a part of an answer.
    pub struct TextBlock with defaults {
        /// The text.
        text: String,
        /// What it is taken from.
        citations: Option<Vec<Json>>,
    }

    /// The tokens of an answer, as the API counts them.
    pub struct Usage with defaults {
        /// What was read, but for what the cache had.
        input_tokens: u64,
        /// What was written.
        output_tokens: u64,
        /// What was read and put into the cache.
        cache_creation_input_tokens: Option<u64>,
        /// What was read from the cache.
        cache_read_input_tokens: Option<u64>,
        /// How often tools of the API were used.
        server_tool_use: Option<ServerToolUse>,
        /// The tier in which the API served it.
        service_tier: Option<String>,
        /// For how long it is cached.
        cache_creation: Option<CacheCreation>,
        /// Where the model ran.
        inference_geo: Option<String>,
        /// At which speed the model ran.
        speed: Option<String>,
        /// The parts of which it is the sum; the client does not publish their shape.
        iterations: Option<Json>,
        /// What was written, in parts.
        output_tokens_details: Option<OutputTokensDetails>,
        /// What was not charged; the client does not publish its shape.
        fallback_credit: Option<Json>,
    }

    /// How often tools of the API were used.
    pub struct ServerToolUse with defaults {
        /// How often the web was searched.
        web_search_requests: u64,
        /// How often a page was fetched.
        web_fetch_requests: u64,
    }

    /// Tokens that were put into the cache, by how long they stay there.
    pub struct CacheCreation with defaults {
        /// For an hour.
        ephemeral_1h_input_tokens: u64,
        /// For five minutes.
        ephemeral_5m_input_tokens: u64,
    }

    /// What was written, in parts.
    pub struct OutputTokensDetails {
        /// The tokens that were thought.
        thinking_tokens: Option<u64>,
    }

    /// How often an agent called tools, by what they do.
    pub struct ToolStats with defaults {
        /// Files that were read.
        read_count: u64 = "readCount",
        /// Searches.
        search_count: u64 = "searchCount",
        /// Commands.
        bash_count: u64 = "bashCount",
        /// Files that were changed.
        edit_file_count: u64 = "editFileCount",
        /// Lines that were added.
        lines_added: u64 = "linesAdded",
        /// Lines that were taken out.
        lines_removed: u64 = "linesRemoved",
        /// Calls of any other tool.
        other_tool_count: u64 = "otherToolCount",
        /// Pictures of a screen.
        frame_count: Option<u64> = "frameCount",
    }

    /// An agent that works in the background.
    pub struct AgentLaunched {
        /// Set by clients that have the other forms, too.
        is_async?: bool = "isAsync",
        /// The agent.
        agent_id: String = "agentId",
        /// What it shall do, in a few words.
        description: String,
        /// The model's id.
        resolved_model: Option<String> = "resolvedModel",
        /// The ids of all models that are at work.
        models_used?: Vec<String> = "modelsUsed",
        /// What it was asked.
        prompt: String,
        /// The file to which its output goes.
        output_file: PathBuf = "outputFile",
        /// Whether the model has a tool that reads that file.
        can_read_output_file: Option<bool> = "canReadOutputFile",
        /// Whether the model has a tool that sends it messages. Sent by client 2.1.330, which does not publish it.
        can_continue_agent: Option<bool> = "canContinueAgent",
    }

    /// An agent that works on another machine.
    pub struct AgentRemote with defaults {
        /// The background task.
        task_id: String = "taskId",
        /// The page that shows the agent's session.
        session_url: String = "sessionUrl",
        /// What it shall do, in a few words.
        description: String,
        /// What it was asked.
        prompt: String,
        /// The file to which its output goes.
        output_file: PathBuf = "outputFile",
    }

    /// An agent that joined a team.
    pub struct AgentTeammate with defaults {
        /// What it was asked.
        prompt: String,
        /// The agent (`agentId`), as in `agent_id`.
        id: Option<String> = "agentId",
        /// The model's id (`resolvedModel`).
        resolved_model: Option<String> = "resolvedModel",
        /// Its name and its team's: `mate@session-01234567`.
        teammate_id: String,
        /// The agent.
        agent_id: String,
        /// Which agent it is, as in [`Agent::subagent_type`].
        agent_type: Option<String>,
        /// The model that it was started with.
        model: Option<String>,
        /// The name by which others can send it messages.
        name: String,
        /// The colour in which the user sees it.
        color: Option<String>,
        /// The tmux session in which it runs, or `in-process`.
        tmux_session_name: String,
        /// The tmux window, or `in-process`.
        tmux_window_name: String,
        /// The tmux pane, or `in-process`.
        tmux_pane_id: String,
        /// Its team.
        team_name: Option<String>,
        /// Whether it shares a tmux window.
        is_splitpane?: bool,
        /// Whether it has to plan before it works.
        plan_mode_required?: bool,
        /// The file to which its output goes (`outputFile`).
        output_file: Option<PathBuf> = "outputFile",
    }

    /// Sends another agent a message. The client does not publish what it gives back.
    pub struct SendMessage {
        /// The agent's name or id.
        to: String,
        /// The message in a few words.
        summary: Option<String>,
        /// The message: a text or an object.
        message: Option<Json>,
        /// Whether the sender is told when the agent has nothing left to do.
        notify_when_idle?: bool,
    }

    /// Gives the work of a subagent back to whoever started it.
    pub struct SubagentHandback {
        /// What is said of it.
        message: String,
    }

    /// What [`SubagentHandback`] gives back.
    pub struct SubagentHandbackResponse with defaults {
        /// Whether it was taken.
        success: bool,
        /// What the model is told.
        message: String,
    }

    /// Takes up a skill.
    pub struct Skill {
        /// Its name: `commit`, `my-plugin:review`.
        skill: String,
        /// Its arguments, as one text.
        args: Option<String>,
    }

    /// A skill by its name, for a test.
    pub new Skill(skill: &str);

    /// What [`Skill`] gives back, whether the session goes on with it or an agent of its own does.
    pub struct SkillResponse {
        /// Whether it was taken up.
        success: bool,
        /// Its name.
        command_name: String = "commandName",
        /// Who goes on with it; the session, if this is absent.
        status: Option<SkillStatus>,
        /// The tools that it may use without being asked.
        allowed_tools?: Vec<String> = "allowedTools",
        /// The model that it wants.
        model: Option<String>,
        /// Whether it changes nothing.
        read_only?: bool = "readOnly",
        /// The agent that went on with it.
        agent_id: Option<String> = "agentId",
        /// What that agent answered.
        result: Option<String>,
        /// Whether that agent works in the background.
        background?: bool,
        /// The tools that the agent called, as a line for people.
        tools_used_line: Option<String> = "toolsUsedLine",
    }

    /// Who goes on with a skill.
    pub enum SkillStatus {
        /// The session.
        Inline = "inline",
        /// An agent of its own.
        Forked = "forked",
    }

    /// Proposes skills to the user (`propose_skills`).
    pub struct ProposeSkills {
        /// One to three of them.
        proposals: Vec<SkillProposal>,
    }

    /// A skill that is proposed.
    pub struct SkillProposal {
        /// Its name.
        name: String,
        /// Whether it is new.
        kind: SkillProposalKind,
        /// The skill that is improved.
        target: Option<String>,
        /// What it is for.
        description: String,
        /// What speaks for it.
        evidence?: Vec<String>,
        /// What is changed in the skill that is improved.
        edits?: Vec<SkillEdit>,
        /// The text of a new one's SKILL.md (`skillMd`).
        skill_md: Option<String> = "skillMd",
    }

    /// Whether a skill that is proposed is new.
    pub enum SkillProposalKind {
        /// It is.
        New = "new",
        /// One that is there is improved.
        Improvement = "improvement",
    }

    /// A change in a skill's text.
    pub struct SkillEdit {
        /// The text to find.
        old_string: String,
        /// What stands there afterwards.
        new_string: String,
    }

    /// What [`ProposeSkills`] gives back.
    pub struct ProposeSkillsResponse with defaults {
        /// How many were proposed.
        proposal_count: u64 = "proposalCount",
    }

    /// Starts a workflow, a script that has agents work.
    pub struct Workflow {
        /// The script's text.
        script: Option<String>,
        /// The name of one that is there.
        name: Option<String>,
        /// What it is for.
        description: Option<String>,
        /// A heading.
        title: Option<String>,
        /// The script's arguments: an object.
        args: Option<Json>,
        /// The script's file (`scriptPath`).
        script_path: Option<PathBuf> = "scriptPath",
        /// The run that it goes on with (`resumeFromRunId`).
        resume_from_run_id: Option<String> = "resumeFromRunId",
    }

    /// What [`Workflow`] gives back.
    pub struct WorkflowResponse with defaults {
        /// `async_launched` or `remote_launched`.
        status: String,
        /// The background task.
        task_id: String = "taskId",
        /// `local_workflow` or `remote_agent`.
        task_type: Option<String> = "taskType",
        /// The workflow's name.
        workflow_name: Option<String> = "workflowName",
        /// The run, by which it can be gone on with.
        run_id: Option<String> = "runId",
        /// What it does, in a few words.
        summary: Option<String>,
        /// The folder with its agents' transcripts.
        transcript_dir: Option<PathBuf> = "transcriptDir",
        /// The script's file.
        script_path: Option<PathBuf> = "scriptPath",
        /// The page that shows the session, if it runs on another machine.
        session_url: Option<String> = "sessionUrl",
        /// What the model should mind.
        warning: Option<String>,
        /// Why it did not start.
        error: Option<String>,
    }
}
