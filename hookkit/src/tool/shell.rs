//! The tools that run commands, and what goes on in the background.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Bash = "Bash" => BashResponse, compiled here }
tool! { PowerShell = "PowerShell" => Json }
tool! { Monitor = "Monitor" => MonitorResponse }
tool! { TaskStop = "TaskStop" => TaskStopResponse }

wire! {
    /// Runs a shell command.
    pub struct Bash {
        /// The command line.
        command: String,
        /// How long it may take, in milliseconds.
        timeout: Option<Number>,
        /// What the model says it does.
        description: Option<String>,
        /// Whether the model goes on without waiting for it.
        run_in_background?: bool,
        /// Whether it is to run outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
    }

    /// A command line, for a test.
    pub new Bash(command: &str);

    /// What [`Bash`] gives back. The exit status is no field: a command that fails raises PostToolUseFailure.
    pub struct BashResponse {
        /// What the command printed; empty if it runs in the background.
        stdout: String,
        /// What it printed to stderr.
        stderr: String,
        /// The file that has the whole output.
        raw_output_path: Option<PathBuf> = "rawOutputPath",
        /// Whether the user stopped it.
        interrupted: bool,
        /// Whether `stdout` is a picture.
        is_image?: bool = "isImage",
        /// The background task, if it runs in the background.
        background_task_id: Option<String> = "backgroundTaskId",
        /// Whether the user sent it to the background.
        backgrounded_by_user?: bool = "backgroundedByUser",
        /// The time after which it was sent to the background, in milliseconds.
        timed_out_after_ms: Option<u64> = "timedOutAfterMs",
        /// What the model is told of the directory in which a background task runs.
        background_cwd_hint: Option<String> = "backgroundCwdHint",
        /// Whether the background task ends with the model's last answer.
        background_ends_with_final_response?: bool = "backgroundEndsWithFinalResponse",
        /// Whether the background task wakes its owner when it ends.
        background_wakes_owner?: bool = "backgroundWakesOwner",
        /// Whether it ran outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
        /// What an exit status other than 0 means, where it is no failure: `grep` found nothing.
        return_code_interpretation: Option<String> = "returnCodeInterpretation",
        /// Whether such a command usually prints nothing.
        no_output_expected?: bool = "noOutputExpected",
        /// Blocks that stand for the output; the client does not publish their shape.
        structured_content?: Vec<Json> = "structuredContent",
        /// The file that has the whole output, where it is too long for the model.
        persisted_output_path: Option<PathBuf> = "persistedOutputPath",
        /// How many bytes that file has.
        persisted_output_size: Option<u64> = "persistedOutputSize",
        /// What the model is told of files that the command changed after it had read them.
        stale_read_file_state_hint: Option<String> = "staleReadFileStateHint",
        /// What the model is told of GitHub's rate limit.
        gh_rate_limit_hint: Option<String> = "ghRateLimitHint",
        /// What the command did with git or on GitHub, where the client saw it.
        git_operation: Option<GitOperation> = "gitOperation",
    }

    /// What a command did with git or on GitHub.
    pub struct GitOperation {
        /// It made a commit.
        commit: Option<GitCommit>,
        /// It pushed.
        push: Option<GitPush>,
        /// It merged or rebased.
        branch: Option<GitBranch>,
        /// It did something with a pull request.
        pr: Option<GitPullRequest>,
    }

    /// A commit that a command made.
    pub struct GitCommit with defaults {
        /// Its hash.
        sha: String,
        /// How it was made.
        kind: CommitKind,
        /// The branch it is on.
        branch: Option<String>,
    }

    /// How a commit was made.
    pub enum CommitKind {
        /// `git commit`.
        Committed = "committed",
        /// `git commit --amend`.
        Amended = "amended",
        /// `git cherry-pick`.
        CherryPicked = "cherry-picked",
    }

    /// A push that a command made.
    pub struct GitPush with defaults {
        /// The branch.
        branch: String,
    }

    /// A merge or a rebase that a command made.
    pub struct GitBranch with defaults {
        /// What was merged, or rebased onto (`ref`).
        reference: String = "ref",
        /// Which of both.
        action: BranchAction,
    }

    /// What was done with a branch.
    pub enum BranchAction {
        /// `git merge`.
        Merged = "merged",
        /// `git rebase`.
        Rebased = "rebased",
    }

    /// A pull request that a command did something with.
    pub struct GitPullRequest with defaults {
        /// Its number.
        number: u64,
        /// Its page.
        url: Option<String>,
        /// What was done with it.
        action: PullRequestAction,
    }

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

    /// Runs a PowerShell command. The client does not publish what it gives back.
    pub struct PowerShell {
        /// The command line.
        command: String,
        /// How long it may take, in milliseconds.
        timeout: Option<Number>,
        /// What the model says it does.
        description: Option<String>,
        /// Whether the model goes on without waiting for it.
        run_in_background?: bool,
        /// Whether it is to run outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
    }

    /// Watches a command or a WebSocket in the background, and tells the model of each line.
    pub struct Monitor {
        /// What is watched, in the model's words.
        description: String,
        /// How long it is watched, in milliseconds.
        timeout_ms: Number,
        /// The command line, if a command is watched.
        command: Option<String>,
        /// The WebSocket, if one is watched.
        ws: Option<WebSocket>,
    }

    /// A WebSocket that [`Monitor`] watches.
    pub struct WebSocket {
        /// Its address.
        url: String,
        /// The subprotocols that are offered.
        protocols?: Vec<String>,
    }

    /// What [`Monitor`] gives back.
    pub struct MonitorResponse with defaults {
        /// The background task.
        task_id: String = "taskId",
        /// How long it is watched, in milliseconds.
        timeout_ms: Number = "timeoutMs",
        /// Whether it is watched until the session ends.
        persistent?: bool,
        /// Whether a check kept the command in the sandbox.
        kept_in_sandbox_by_check?: bool = "keptInSandboxByCheck",
    }

    /// Stops a background task.
    pub struct TaskStop {
        /// The task.
        task_id: Option<String>,
        /// The same by its old name.
        shell_id: Option<String>,
    }

    /// What [`TaskStop`] gives back.
    pub struct TaskStopResponse with defaults {
        /// What the model is told.
        message: String,
        /// The task.
        task_id: String,
        /// What kind of task it was.
        task_type: String,
        /// Its command line, if it was a command.
        command: Option<String>,
    }
}
