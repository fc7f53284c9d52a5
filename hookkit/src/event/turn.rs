//! The end of a turn, what goes on next to it, and calls for the user's attention.

use std::path::PathBuf;

use crate::wire::wire;

wire! {
    /// The model is about to end its turn.
    ///
    /// Not raised after an interruption by the user, nor after an error of the API, which raises [`StopFailure`].
    /// A hook can make the turn go on; see [`StopAnswer`](crate::answer::StopAnswer).
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Holds the turn once, until the change log was thought of.
    /// #[hook(Stop)]
    /// pub fn change_log(stop: Stop) -> StopAnswer {
    ///     StopAnswer::block_once(&stop, "is there something for CHANGELOG.md?")
    /// }
    /// # fn main() {}
    /// ```
    pub struct Stop {
        /// `true` if the turn goes on only because a Stop hook held it before.
        /// A hook that holds regardless of it holds until the client's cap, eight times in a row.
        stop_hook_active: bool,
        /// The text of the last assistant message. Sent since client 2.1.47.
        last_assistant_message: Option<String>,
        /// Background tasks that are running. Sent since client 2.1.145.
        background_tasks?: Vec<BackgroundTask>,
        /// Scheduled wake-ups of the session. Sent since client 2.1.145.
        session_crons?: Vec<SessionCron>,
    }

    /// The end of a turn, for a test.
    pub new Stop(stop_hook_active: bool);

    /// Work that runs in the background when a turn ends.
    ///
    /// Its texts are cut after 1,000 characters, with `… [+N chars]` behind them.
    pub struct BackgroundTask {
        /// Its id.
        id: String,
        /// Kind of task (`type`).
        kind: BackgroundTaskKind = "type",
        /// State: `running`, …
        status: String,
        /// Description by the model.
        description: String,
        /// The command line of a shell.
        command: Option<String>,
        /// The name of a subagent's agent.
        agent_type: Option<String>,
        /// The server of an MCP tool.
        server: Option<String>,
        /// The tool.
        tool: Option<String>,
        /// Its name, if it has one.
        name: Option<String>,
    }

    /// A kind of background task.
    pub enum BackgroundTaskKind {
        /// A command.
        Shell = "shell",
        /// A command whose output the model watches. Sent since client 2.1.329; before, it was `shell`.
        Monitor = "monitor",
        /// A subagent.
        Subagent = "subagent",
        /// A workflow.
        Workflow = "workflow",
        /// A member of a team.
        Teammate = "teammate",
    }

    /// A time at which the session will be woken up.
    pub struct SessionCron {
        /// Its id.
        id: String,
        /// When, as a cron expression.
        schedule: String,
        /// `true` if it comes again.
        recurring: bool,
        /// Text that the model will read. Cut after 1,000 characters.
        prompt: String,
    }

    /// A wake-up, for a test.
    pub new SessionCron(schedule: &str, prompt: &str);

    /// An error of the API ended the turn.
    ///
    /// Raised instead of [`Stop`]; the client honors nothing of what such a hook says but a terminal sequence.
    /// A `-p` run does not wait for it: the hook may be cut off as the client exits.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Writes down the limit that was met last.
    /// #[hook(StopFailure, matcher = "rate_limit|overloaded")]
    /// pub fn limits(failure: StopFailure, context: Context) -> std::io::Result<()> {
    ///     std::fs::write(context.project_dir.join("last-limit.txt"), failure.error.to_string())
    /// }
    /// # fn main() {}
    /// ```
    pub struct StopFailure {
        /// Kind of error. The matcher is compared with it.
        error: StopError,
        /// Message of the API.
        error_details: Option<String>,
        /// Text that the user sees in place of an answer.
        last_assistant_message: Option<String>,
    }

    /// A failure, for a test.
    pub new StopFailure(error: impl Into<StopError>);

    /// A reason for which a turn ended with an error.
    pub enum StopError {
        /// The user's limit is reached.
        RateLimit = "rate_limit",
        /// The provider has too much to do.
        Overloaded = "overloaded",
        /// The provider does not know the user.
        AuthenticationFailed = "authentication_failed",
        /// The organization does not allow this way of signing in.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account has to be verified.
        VerificationRequired = "verification_required",
        /// It was not paid for.
        BillingError = "billing_error",
        /// The request was refused as invalid.
        InvalidRequest = "invalid_request",
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The provider failed.
        ServerError = "server_error",
        /// The answer was longer than it may be.
        MaxOutputTokens = "max_output_tokens",
        /// The credentials of a cloud provider are missing or wrong.
        CloudCredentialError = "cloud_credential_error",
        /// Anything else.
        Unknown = "unknown",
    }

    /// A subagent starts.
    ///
    /// It starts, whatever a hook says.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Reports the project's rules to agents.
    /// #[hook(SubagentStart)]
    /// pub fn brief_agent(_start: SubagentStart) -> SubagentStartAnswer {
    ///     SubagentStartAnswer::pass().with_context("the rules of this project are in CONTRIBUTING.md")
    /// }
    /// # fn main() {}
    /// ```
    pub struct SubagentStart {
        /// Ties together what the subagent does: the [`Context`](crate::Context) of its events has the same.
        agent_id: String,
        /// The agent's name; of a plugin's agent `plugin:agent`. The matcher is compared with it.
        agent_type: String,
    }

    /// A start, for a test.
    pub new SubagentStart(agent_type: &str);

    /// A subagent is about to end.
    ///
    /// A Stop hook in an agent's own definition is called on this event, too.
    /// Compaction raises it, with an empty `agent_type`.
    /// A hook that is obeyed can make the subagent go on, eight times in a row, as on [`Stop`].
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Requires paths from an agent that looks around.
    /// #[hook(SubagentStop, matcher = "Explore")]
    /// pub fn with_paths(stop: SubagentStop) -> SubagentStopAnswer {
    ///     match &stop.last_assistant_message {
    ///         Some(text) if !text.contains('/') => SubagentStopAnswer::block_once(&stop, "name the files, with their paths"),
    ///         _ => SubagentStopAnswer::pass(),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub struct SubagentStop {
        /// `true` if the subagent goes on only because a hook held it before.
        stop_hook_active: bool,
        /// The subagent's id. Sent since client 2.0.42, as are the two below.
        agent_id: String,
        /// The agent's name; may be empty. The matcher is compared with it.
        agent_type: String,
        /// The subagent's own JSONL file; that of the context is the main session's.
        agent_transcript_path: PathBuf,
        /// The text of its last message. Sent since client 2.1.47.
        last_assistant_message: Option<String>,
        /// Background tasks that are running. Sent since client 2.1.145.
        background_tasks?: Vec<BackgroundTask>,
        /// Scheduled wake-ups of the session. Sent since client 2.1.145.
        session_crons?: Vec<SessionCron>,
    }

    /// The end of a subagent, for a test.
    pub new SubagentStop(agent_type: &str, stop_hook_active: bool);

    /// The client wants the user's attention.
    ///
    /// It reads nothing from the answer of such a hook but a terminal sequence.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Rings a bell somewhere else.
    /// #[hook(Notification, matcher = "permission_prompt|idle_prompt")]
    /// pub fn ring(notification: Notification) -> TerminalAnswer {
    ///     TerminalAnswer::pass().with_terminal_sequence(TerminalSequence::notification(&notification.message))
    /// }
    /// # fn main() {}
    /// ```
    pub struct Notification {
        /// Text of the notification.
        message: String,
        /// A heading, where there is one.
        title: Option<String>,
        /// Why. The matcher is compared with it.
        notification_type: NotificationType,
    }

    /// A notification, for a test.
    pub new Notification(notification_type: impl Into<NotificationType>, message: &str);

    /// Why the client wants the user's attention.
    ///
    /// From [`WorkerPermissionPrompt`](Self::WorkerPermissionPrompt) on the words were found in the client and are not
    /// in its documentation.
    pub enum NotificationType {
        /// A permission prompt has waited for about 6 s without a key.
        PermissionPrompt = "permission_prompt",
        /// Nothing was typed for about 60 s after an answer.
        IdlePrompt = "idle_prompt",
        /// The user is signed in.
        AuthSuccess = "auth_success",
        /// An MCP server asks something by a form, since about 6 s.
        ElicitationDialog = "elicitation_dialog",
        /// An MCP server asks something by a URL, since about 6 s.
        ElicitationUrlDialog = "elicitation_url_dialog",
        /// The question of an MCP server was closed.
        ElicitationComplete = "elicitation_complete",
        /// The answer to an MCP server was sent.
        ElicitationResponse = "elicitation_response",
        /// A session in the background needs something, while the agents are in view. Sent since client 2.1.198.
        AgentNeedsInput = "agent_needs_input",
        /// A session in the background is done, while the agents are in view. Sent since client 2.1.198.
        AgentCompleted = "agent_completed",
        /// A member of a team waits for a permission.
        WorkerPermissionPrompt = "worker_permission_prompt",
        /// A message for the user's devices.
        PushNotification = "push_notification",
        /// The model begins to use the computer.
        ComputerUseEnter = "computer_use_enter",
        /// The model has used the computer.
        ComputerUseExit = "computer_use_exit",
        /// The session went on by itself when the user's limit was reset.
        QuotaAutoResumeFired = "quota_auto_resume_fired",
        /// The session did not go on by itself: it was too late for it.
        QuotaAutoResumeStale = "quota_auto_resume_stale",
        /// The session does not go on by itself any more.
        QuotaAutoResumeDisabled = "quota_auto_resume_disabled",
        /// The model refused, and another one took over.
        ModelRefusalFallback = "model_refusal_fallback",
        /// The credentials could not be stored.
        AuthStorageFailure = "auth_storage_failure",
        /// A plugin has something to say.
        PluginNotification = "plugin_notification",
    }
}

impl super::EndOfTurn for Stop {
    fn is_held(&self) -> bool {
        self.stop_hook_active
    }
}

impl BackgroundTask {
    /// A task that runs, for a test.
    pub fn new(kind: impl Into<BackgroundTaskKind>, description: &str) -> Self {
        Self {
            kind: kind.into(),
            status: "running".to_owned(),
            description: description.to_owned(),
            ..Self::default()
        }
    }
}

impl super::EndOfTurn for SubagentStop {
    fn is_held(&self) -> bool {
        self.stop_hook_active
    }
}
