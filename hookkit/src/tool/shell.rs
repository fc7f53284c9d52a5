//! The tools that run commands, and what goes on in the background.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{common_tool, is_false, or_default, tool};
use crate::open::{count, open_enum};
use crate::{Json, Number};

common_tool! { Bash = "Bash" => BashResponse }
tool! { PowerShell = "PowerShell" => Json }
tool! { Monitor = "Monitor" => MonitorResponse }
tool! { TaskStop = "TaskStop" => TaskStopResponse }

/// Runs a shell command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bash {
    /// The command line.
    pub command: String,
    /// How long it may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Number>,
    /// What the model says it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the model goes on without waiting for it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub run_in_background: bool,
    /// Whether it is to run outside the sandbox.
    #[serde(
        rename = "dangerouslyDisableSandbox",
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub dangerously_disable_sandbox: bool,
}

impl Bash {
    /// A command line, for a test.
    pub fn new(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`Bash`] gives back. The exit status is no field: a command that fails raises PostToolUseFailure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct BashResponse {
    /// What the command printed; empty if it runs in the background.
    pub stdout: String,
    /// What it printed to stderr.
    pub stderr: String,
    /// The file that has the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_output_path: Option<PathBuf>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Whether `stdout` is a picture.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub is_image: bool,
    /// The background task, if it runs in the background.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_task_id: Option<String>,
    /// Whether the user sent it to the background.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub backgrounded_by_user: bool,
    /// The time after which it was sent to the background, in milliseconds.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub timed_out_after_ms: Option<u64>,
    /// What the model is told of the directory in which a background task runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background_cwd_hint: Option<String>,
    /// Whether the background task ends with the model's last answer.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub background_ends_with_final_response: bool,
    /// Whether the background task wakes its owner when it ends.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub background_wakes_owner: bool,
    /// Whether it ran outside the sandbox.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub dangerously_disable_sandbox: bool,
    /// What an exit status other than 0 means, where it is no failure: `grep` found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_code_interpretation: Option<String>,
    /// Whether such a command usually prints nothing.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub no_output_expected: bool,
    /// Blocks that stand for the output; the client does not publish their shape.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub structured_content: Vec<Json>,
    /// The file that has the whole output, where it is too long for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_output_path: Option<PathBuf>,
    /// How many bytes that file has.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub persisted_output_size: Option<u64>,
    /// What the model is told of files that the command changed after it had read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_read_file_state_hint: Option<String>,
    /// What the model is told of GitHub's rate limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gh_rate_limit_hint: Option<String>,
    /// What the command did with git or on GitHub, where the client saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_operation: Option<GitOperation>,
}

/// What a command did with git or on GitHub.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GitOperation {
    /// It made a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<GitCommit>,
    /// It pushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<GitPush>,
    /// It merged or rebased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<GitBranch>,
    /// It did something with a pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<GitPullRequest>,
}

/// A commit that a command made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GitCommit {
    /// Its hash.
    pub sha: String,
    /// How it was made.
    pub kind: CommitKind,
    /// The branch it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

open_enum! {
    /// How a commit was made.
    pub enum CommitKind {
        /// `git commit`.
        Committed = "committed",
        /// `git commit --amend`.
        Amended = "amended",
        /// `git cherry-pick`.
        CherryPicked = "cherry-picked",
    }
}

/// A push that a command made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GitPush {
    /// The branch.
    pub branch: String,
}

/// A merge or a rebase that a command made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GitBranch {
    /// What was merged, or rebased onto (`ref`).
    #[serde(rename = "ref")]
    pub reference: String,
    /// Which of both.
    pub action: BranchAction,
}

open_enum! {
    /// What was done with a branch.
    pub enum BranchAction {
        /// `git merge`.
        Merged = "merged",
        /// `git rebase`.
        Rebased = "rebased",
    }
}

/// A pull request that a command did something with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GitPullRequest {
    /// Its number.
    pub number: u64,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What was done with it.
    pub action: PullRequestAction,
}

open_enum! {
    /// What was done with a pull request.
    pub enum PullRequestAction {
        /// It is new.
        Created = "created",
        /// Its text was changed.
        Edited = "edited",
        /// It was merged.
        Merged = "merged",
        /// It was commented on.
        Commented = "commented",
        /// It was closed.
        Closed = "closed",
        /// It was opened again.
        Reopened = "reopened",
        /// It is no draft any more.
        Ready = "ready",
        /// It became a draft.
        Draft = "draft",
        /// It is merged as soon as it may be.
        AutoMergeEnabled = "auto-merge-enabled",
        /// It is so no longer.
        AutoMergeDisabled = "auto-merge-disabled",
    }
}

/// Runs a PowerShell command. The client does not publish what it gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PowerShell {
    /// The command line.
    pub command: String,
    /// How long it may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Number>,
    /// What the model says it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the model goes on without waiting for it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub run_in_background: bool,
    /// Whether it is to run outside the sandbox.
    #[serde(
        rename = "dangerouslyDisableSandbox",
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub dangerously_disable_sandbox: bool,
}

/// Watches a command or a WebSocket in the background, and tells the model of each line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Monitor {
    /// What is watched, in the model's words.
    pub description: String,
    /// How long it is watched, in milliseconds.
    pub timeout_ms: Number,
    /// The command line, if a command is watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The WebSocket, if one is watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ws: Option<WebSocket>,
}

/// A WebSocket that [`Monitor`] watches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebSocket {
    /// Its address.
    pub url: String,
    /// The subprotocols that are offered.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub protocols: Vec<String>,
}

/// What [`Monitor`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct MonitorResponse {
    /// The background task.
    pub task_id: String,
    /// How long it is watched, in milliseconds.
    pub timeout_ms: Number,
    /// Whether it is watched until the session ends.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub persistent: bool,
    /// Whether a check kept the command in the sandbox.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub kept_in_sandbox_by_check: bool,
}

/// Stops a background task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskStop {
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The same by its old name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_id: Option<String>,
}

/// What [`TaskStop`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskStopResponse {
    /// What the model is told.
    pub message: String,
    /// The task.
    pub task_id: String,
    /// What kind of task it was.
    pub task_type: String,
    /// Its command line, if it was a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
