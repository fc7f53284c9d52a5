//! Tools that run commands, and that watch and stop background tasks.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Bash = "Bash" => BashResponse, compiled here }
tool! { PowerShell = "PowerShell" => Json }
tool! { Monitor = "Monitor" => MonitorResponse }
tool! { TaskStop = "TaskStop" => TaskStopResponse }

wire! {
    /// Input of `Bash`, which runs a shell command.
    pub struct Bash {
        /// The command line.
        command: String,
        /// Timeout, in milliseconds.
        timeout: Option<Number>,
        /// Description of the command by the model.
        description: Option<String>,
        /// `true` if the command runs in the background, so that the model does not wait for it.
        run_in_background?: bool,
        /// `true` if the command is to run outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
    }

    /// Creates the input from a command line.
    pub new Bash(command: &str);

    /// Response of [`Bash`].
    ///
    /// The exit status is not a field: a command that fails raises PostToolUseFailure.
    pub struct BashResponse {
        /// Output of the command to stdout; empty if it runs in the background.
        stdout: String,
        /// Output of the command to stderr.
        stderr: String,
        /// File with the whole output.
        raw_output_path: Option<PathBuf> = "rawOutputPath",
        /// `true` if the user interrupted the command.
        interrupted: bool,
        /// `true` if `stdout` is an image.
        is_image?: bool = "isImage",
        /// Id of the background task, if the command runs in the background.
        background_task_id: Option<String> = "backgroundTaskId",
        /// `true` if the user moved the command to the background.
        backgrounded_by_user?: bool = "backgroundedByUser",
        /// Time after which the command was moved to the background, in milliseconds.
        timed_out_after_ms: Option<u64> = "timedOutAfterMs",
        /// Note to the model about the directory of a background task.
        background_cwd_hint: Option<String> = "backgroundCwdHint",
        /// `true` if the background task ends when the model gives its last answer.
        background_ends_with_final_response?: bool = "backgroundEndsWithFinalResponse",
        /// `true` if the background task wakes its owner when it ends.
        background_wakes_owner?: bool = "backgroundWakesOwner",
        /// `true` if the command ran outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
        /// Meaning of an exit status other than 0 that is not a failure: `grep` found nothing.
        return_code_interpretation: Option<String> = "returnCodeInterpretation",
        /// `true` if a command of this kind usually prints nothing.
        no_output_expected?: bool = "noOutputExpected",
        /// Blocks that replace the output; the client does not publish their shape.
        structured_content?: Vec<Json> = "structuredContent",
        /// File with the whole output, if it is too long for the model.
        persisted_output_path: Option<PathBuf> = "persistedOutputPath",
        /// Size of that file, in bytes.
        persisted_output_size: Option<u64> = "persistedOutputSize",
        /// Note to the model about files that the command changed after the model had read them.
        stale_read_file_state_hint: Option<String> = "staleReadFileStateHint",
        /// Note to the model about GitHub's rate limit.
        gh_rate_limit_hint: Option<String> = "ghRateLimitHint",
        /// Git or GitHub operation of the command, if the client detected one.
        git_operation: Option<GitOperation> = "gitOperation",
    }

    /// The git and GitHub operations of a command.
    pub struct GitOperation {
        /// Commit that the command made.
        commit: Option<GitCommit>,
        /// Push that the command made.
        push: Option<GitPush>,
        /// Merge or rebase that the command made.
        branch: Option<GitBranch>,
        /// Pull request that the command acted on.
        pr: Option<GitPullRequest>,
    }

    /// A commit that a command made.
    pub struct GitCommit with defaults {
        /// Hash of the commit.
        sha: String,
        /// Command that made the commit.
        kind: CommitKind,
        /// Branch of the commit.
        branch: Option<String>,
    }

    /// The command that made a commit.
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
        /// Name of the branch.
        branch: String,
    }

    /// A merge or a rebase that a command made.
    pub struct GitBranch with defaults {
        /// Ref that was merged or rebased onto (`ref`).
        reference: String = "ref",
        /// Kind of operation: a merge or a rebase.
        action: BranchAction,
    }

    /// An operation on a branch.
    pub enum BranchAction {
        /// `git merge`.
        Merged = "merged",
        /// `git rebase`.
        Rebased = "rebased",
    }

    /// A pull request that a command acted on.
    pub struct GitPullRequest with defaults {
        /// Number of the pull request.
        number: u64,
        /// Page of the pull request.
        url: Option<String>,
        /// Action on the pull request.
        action: PullRequestAction,
    }

    /// An action on a pull request.
    pub enum PullRequestAction {
        /// The pull request was created.
        Created = "created",
        /// The text was edited.
        Edited = "edited",
        /// The pull request was merged.
        Merged = "merged",
        /// A comment was added.
        Commented = "commented",
        /// The pull request was closed.
        Closed = "closed",
        /// The pull request was reopened.
        Reopened = "reopened",
        /// The pull request was marked as ready for review.
        Ready = "ready",
        /// The pull request was converted to a draft.
        Draft = "draft",
        /// Auto-merge was enabled.
        AutoMergeEnabled = "auto-merge-enabled",
        /// Auto-merge was disabled.
        AutoMergeDisabled = "auto-merge-disabled",
    }

    /// Input of `PowerShell`, which runs a PowerShell command. The client does not publish its response.
    pub struct PowerShell {
        /// The command line.
        command: String,
        /// Timeout, in milliseconds.
        timeout: Option<Number>,
        /// Description of the command by the model.
        description: Option<String>,
        /// `true` if the command runs in the background, so that the model does not wait for it.
        run_in_background?: bool,
        /// `true` if the command is to run outside the sandbox.
        dangerously_disable_sandbox?: bool = "dangerouslyDisableSandbox",
    }

    /// Input of `Monitor`, which watches a command or a WebSocket in the background and reports each line to the model.
    pub struct Monitor {
        /// Description of the watch by the model.
        description: String,
        /// Duration of the watch, in milliseconds.
        timeout_ms: Number,
        /// Command line, if a command is watched.
        command: Option<String>,
        /// WebSocket, if one is watched.
        ws: Option<WebSocket>,
    }

    /// A WebSocket that [`Monitor`] watches.
    pub struct WebSocket {
        /// Address of the WebSocket.
        url: String,
        /// Subprotocols offered.
        protocols?: Vec<String>,
    }

    /// Response of [`Monitor`].
    pub struct MonitorResponse with defaults {
        /// Id of the background task.
        task_id: String = "taskId",
        /// Duration of the watch, in milliseconds.
        timeout_ms: Number = "timeoutMs",
        /// `true` if the watch lasts until the session ends.
        persistent?: bool,
        /// `true` if a check kept the command in the sandbox.
        kept_in_sandbox_by_check?: bool = "keptInSandboxByCheck",
    }

    /// Input of `TaskStop`, which stops a background task.
    pub struct TaskStop {
        /// Id of the task.
        task_id: Option<String>,
        /// Old name of `task_id`.
        shell_id: Option<String>,
    }

    /// Response of [`TaskStop`].
    pub struct TaskStopResponse with defaults {
        /// Message to the model.
        message: String,
        /// Id of the task.
        task_id: String,
        /// Type of the task.
        task_type: String,
        /// Command line of the task, if it was a command.
        command: Option<String>,
    }
}
