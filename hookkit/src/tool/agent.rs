//! The tools by which agents start, tell and teach each other.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::union::open_union;
use super::{is_false, or_default, tool};
use crate::open::{count, open_enum};
use crate::{Json, PermissionMode};

tool! { Agent = "Agent" => AgentResponse }
tool! { SendMessage = "SendMessage" => Json }
tool! { SubagentHandback = "SubagentHandback" => SubagentHandbackResponse }
tool! { Skill = "Skill" => SkillResponse }
tool! { ProposeSkills = "propose_skills" => ProposeSkillsResponse }
tool! { Workflow = "Workflow" => WorkflowResponse }

/// Starts an agent. Its old name is `Task`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agent {
    /// What it shall do, in a few words.
    pub description: String,
    /// What it shall do.
    pub prompt: String,
    /// Which agent it is: `general-purpose`, `Explore`, or one of the project's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<String>,
    /// Its model: `sonnet`, `opus`, `haiku`, `fable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How much it thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// Whether the model goes on without waiting for it.
    ///
    /// It may run in the background where this is absent, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_in_background: Option<bool>,
    /// The name by which others can send it messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The team that it joins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
    /// Its permission mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// Where it works, if not where the session does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
}

impl Agent {
    /// What it shall do, in a few words and in all of them, for a test.
    pub fn new(description: &str, prompt: &str) -> Self {
        Self {
            description: description.to_owned(),
            prompt: prompt.to_owned(),
            ..Self::default()
        }
    }
}

open_enum! {
    /// How much a model thinks, or how closely it looks.
    pub enum Effort {
        /// The least.
        Low = "low",
        /// More than that.
        Medium = "medium",
        /// More than that.
        High = "high",
        /// More than that.
        Xhigh = "xhigh",
        /// The most.
        Max = "max",
    }
}

open_enum! {
    /// Where an agent works.
    pub enum Isolation {
        /// In a git worktree of its own.
        Worktree = "worktree",
        /// On another machine.
        Remote = "remote",
    }
}

open_union! {
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
}

/// An agent that is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AgentCompleted {
    /// The agent.
    pub agent_id: String,
    /// Which agent it is, as in [`Agent::subagent_type`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// What it answered.
    pub content: Vec<ContentBlock>,
    /// The model's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_model: Option<String>,
    /// The ids of all models that were at work.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub models_used: Vec<String>,
    /// How many tools it called.
    pub total_tool_use_count: u64,
    /// How long it took, in milliseconds.
    pub total_duration_ms: u64,
    /// How many tokens it took.
    pub total_tokens: u64,
    /// The tokens of its last answer.
    pub usage: Usage,
    /// The tools that it called.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub tools_used: Vec<String>,
    /// How often it called tools, by what they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_stats: Option<ToolStats>,
    /// What it was asked.
    pub prompt: String,
    /// The worktree in which it worked, where that was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<PathBuf>,
    /// That worktree's branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
}

open_union! {
    /// A part of an answer, by its `type`.
    #[derive(Eq)]
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextBlock) = "text",
    }
}

/// Text, as a part of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// What it is taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citations: Option<Vec<Json>>,
}

/// The tokens of an answer, as the API counts them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// What was read, but for what the cache had.
    pub input_tokens: u64,
    /// What was written.
    pub output_tokens: u64,
    /// What was read and put into the cache.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_tokens: Option<u64>,
    /// What was read from the cache.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<u64>,
    /// How often tools of the API were used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_tool_use: Option<ServerToolUse>,
    /// The tier in which the API served it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// For how long it is cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_creation: Option<CacheCreation>,
    /// Where the model ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_geo: Option<String>,
    /// At which speed the model ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
    /// The parts of which it is the sum; the client does not publish their shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Json>,
    /// What was written, in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// What was not charged; the client does not publish its shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_credit: Option<Json>,
}

/// How often tools of the API were used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerToolUse {
    /// How often the web was searched.
    pub web_search_requests: u64,
    /// How often a page was fetched.
    pub web_fetch_requests: u64,
}

/// Tokens that were put into the cache, by how long they stay there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CacheCreation {
    /// For an hour.
    pub ephemeral_1h_input_tokens: u64,
    /// For five minutes.
    pub ephemeral_5m_input_tokens: u64,
}

/// What was written, in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputTokensDetails {
    /// The tokens that were thought.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub thinking_tokens: Option<u64>,
}

/// How often an agent called tools, by what they do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ToolStats {
    /// Files that were read.
    pub read_count: u64,
    /// Searches.
    pub search_count: u64,
    /// Commands.
    pub bash_count: u64,
    /// Files that were changed.
    pub edit_file_count: u64,
    /// Lines that were added.
    pub lines_added: u64,
    /// Lines that were taken out.
    pub lines_removed: u64,
    /// Calls of any other tool.
    pub other_tool_count: u64,
    /// Pictures of a screen.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub frame_count: Option<u64>,
}

/// An agent that works in the background.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentLaunched {
    /// Set by clients that have the other forms, too.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub is_async: bool,
    /// The agent.
    pub agent_id: String,
    /// What it shall do, in a few words.
    pub description: String,
    /// The model's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_model: Option<String>,
    /// The ids of all models that are at work.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub models_used: Vec<String>,
    /// What it was asked.
    pub prompt: String,
    /// The file to which its output goes.
    pub output_file: PathBuf,
    /// Whether the model has a tool that reads that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub can_read_output_file: Option<bool>,
    /// Whether the model has a tool that sends it messages. Sent by client 2.1.330, which does not publish it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub can_continue_agent: Option<bool>,
}

/// An agent that works on another machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AgentRemote {
    /// The background task.
    pub task_id: String,
    /// The page that shows the agent's session.
    pub session_url: String,
    /// What it shall do, in a few words.
    pub description: String,
    /// What it was asked.
    pub prompt: String,
    /// The file to which its output goes.
    pub output_file: PathBuf,
}

/// An agent that joined a team.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AgentTeammate {
    /// What it was asked.
    pub prompt: String,
    /// The agent (`agentId`), as in `agent_id`.
    #[serde(rename = "agentId", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The model's id (`resolvedModel`).
    #[serde(rename = "resolvedModel", skip_serializing_if = "Option::is_none")]
    pub resolved_model: Option<String>,
    /// Its name and its team's: `mate@session-01234567`.
    pub teammate_id: String,
    /// The agent.
    pub agent_id: String,
    /// Which agent it is, as in [`Agent::subagent_type`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The model that it was started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The name by which others can send it messages.
    pub name: String,
    /// The colour in which the user sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The tmux session in which it runs, or `in-process`.
    pub tmux_session_name: String,
    /// The tmux window, or `in-process`.
    pub tmux_window_name: String,
    /// The tmux pane, or `in-process`.
    pub tmux_pane_id: String,
    /// Its team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
    /// Whether it shares a tmux window.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub is_splitpane: bool,
    /// Whether it has to plan before it works.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub plan_mode_required: bool,
    /// The file to which its output goes (`outputFile`).
    #[serde(rename = "outputFile", skip_serializing_if = "Option::is_none")]
    pub output_file: Option<PathBuf>,
}

/// Sends another agent a message. The client does not publish what it gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SendMessage {
    /// The agent's name or id.
    pub to: String,
    /// The message in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The message: a text or an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Json>,
    /// Whether the sender is told when the agent has nothing left to do.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub notify_when_idle: bool,
}

/// Gives the work of a subagent back to whoever started it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubagentHandback {
    /// What is said of it.
    pub message: String,
}

/// What [`SubagentHandback`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SubagentHandbackResponse {
    /// Whether it was taken.
    pub success: bool,
    /// What the model is told.
    pub message: String,
}

/// Takes up a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Skill {
    /// Its name: `commit`, `my-plugin:review`.
    pub skill: String,
    /// Its arguments, as one text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
}

impl Skill {
    /// A skill by its name, for a test.
    pub fn new(skill: &str) -> Self {
        Self {
            skill: skill.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`Skill`] gives back, whether the session goes on with it or an agent of its own does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkillResponse {
    /// Whether it was taken up.
    pub success: bool,
    /// Its name.
    pub command_name: String,
    /// Who goes on with it; the session, if this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<SkillStatus>,
    /// The tools that it may use without being asked.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// The model that it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether it changes nothing.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub read_only: bool,
    /// The agent that went on with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// What that agent answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether that agent works in the background.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub background: bool,
    /// The tools that the agent called, as a line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_used_line: Option<String>,
}

open_enum! {
    /// Who goes on with a skill.
    pub enum SkillStatus {
        /// The session.
        Inline = "inline",
        /// An agent of its own.
        Forked = "forked",
    }
}

/// Proposes skills to the user (`propose_skills`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProposeSkills {
    /// One to three of them.
    pub proposals: Vec<SkillProposal>,
}

/// A skill that is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkillProposal {
    /// Its name.
    pub name: String,
    /// Whether it is new.
    pub kind: SkillProposalKind,
    /// The skill that is improved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What it is for.
    pub description: String,
    /// What speaks for it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What is changed in the skill that is improved.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<SkillEdit>,
    /// The text of a new one's SKILL.md (`skillMd`).
    #[serde(rename = "skillMd", default, skip_serializing_if = "Option::is_none")]
    pub skill_md: Option<String>,
}

open_enum! {
    /// Whether a skill that is proposed is new.
    pub enum SkillProposalKind {
        /// It is.
        New = "new",
        /// One that is there is improved.
        Improvement = "improvement",
    }
}

/// A change in a skill's text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkillEdit {
    /// The text to find.
    pub old_string: String,
    /// What stands there afterwards.
    pub new_string: String,
}

/// What [`ProposeSkills`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ProposeSkillsResponse {
    /// How many were proposed.
    pub proposal_count: u64,
}

/// Starts a workflow, a script that has agents work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Workflow {
    /// The script's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The name of one that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The script's arguments: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Json>,
    /// The script's file (`scriptPath`).
    #[serde(rename = "scriptPath", default, skip_serializing_if = "Option::is_none")]
    pub script_path: Option<PathBuf>,
    /// The run that it goes on with (`resumeFromRunId`).
    #[serde(rename = "resumeFromRunId", default, skip_serializing_if = "Option::is_none")]
    pub resume_from_run_id: Option<String>,
}

/// What [`Workflow`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct WorkflowResponse {
    /// `async_launched` or `remote_launched`.
    pub status: String,
    /// The background task.
    pub task_id: String,
    /// `local_workflow` or `remote_agent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_type: Option<String>,
    /// The workflow's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_name: Option<String>,
    /// The run, by which it can be gone on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// What it does, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The folder with its agents' transcripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_dir: Option<PathBuf>,
    /// The script's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script_path: Option<PathBuf>,
    /// The page that shows the session, if it runs on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_url: Option<String>,
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Why it did not start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
