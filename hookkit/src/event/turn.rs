//! Events for the end of a turn, for subagents, and for notifications.

use std::path::PathBuf;

use crate::transcript::Transcript;
use crate::wire::wire;
use crate::{Context, Error};

wire! {
    /// The model is about to end its turn.
    ///
    /// Not raised if the user interrupts the turn, nor after an API error, which raises [`StopFailure`].
    /// A hook can make the model continue; see [`StopAnswer`](crate::answer::StopAnswer).
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Asks once per turn for a changelog entry.
    /// #[hook(Stop)]
    /// pub fn change_log(stop: Stop) -> StopAnswer {
    ///     StopAnswer::block_once(&stop, "does CHANGELOG.md need an entry?")
    /// }
    /// # fn main() {}
    /// ```
    pub struct Stop {
        /// `true` if the model is continuing because a Stop hook blocked the end of this turn before.
        /// A hook that ignores this field can block up to the client's limit, eight times in a row.
        stop_hook_active: bool,
        /// Text of the last assistant message. Sent since client 2.1.47.
        last_assistant_message: Option<String>,
        /// Tasks that run in the background. Sent since client 2.1.145.
        background_tasks?: Vec<BackgroundTask>,
        /// Scheduled wake-ups of the session. Sent since client 2.1.145.
        session_crons?: Vec<SessionCron>,
    }

    /// Creates the end of a turn for tests.
    pub new Stop(stop_hook_active: bool);

    /// A task that runs in the background when a turn ends.
    ///
    /// Texts are truncated to 1,000 characters, followed by `… [+N chars]`.
    pub struct BackgroundTask {
        /// Id of the task.
        id: String,
        /// Kind of task (`type`).
        kind: BackgroundTaskKind = "type",
        /// Status: `running`, …
        status: String,
        /// The model's description of the task.
        description: String,
        /// Command line, if it is a shell command.
        command: Option<String>,
        /// The agent's name, if it is a subagent.
        agent_type: Option<String>,
        /// The server, if it is an MCP tool.
        server: Option<String>,
        /// The tool.
        tool: Option<String>,
        /// Name of the task, if it has one.
        name: Option<String>,
    }

    /// The kind of a background task.
    pub enum BackgroundTaskKind {
        /// A command.
        Shell = "shell",
        /// A command whose output the model watches. Clients before 2.1.329 send `shell` instead, according to the
        /// changelog.
        Monitor = "monitor",
        /// A subagent.
        Subagent = "subagent",
        /// A workflow.
        Workflow = "workflow",
        /// A teammate.
        Teammate = "teammate",
    }

    /// A scheduled wake-up of the session.
    pub struct SessionCron {
        /// Id of the wake-up.
        id: String,
        /// Time, as a cron expression.
        schedule: String,
        /// `true` if it repeats.
        recurring: bool,
        /// Prompt for the model, truncated to 1,000 characters.
        prompt: String,
    }

    /// Creates a wake-up for tests.
    pub new SessionCron(schedule: &str, prompt: &str);

    /// An API error ended the turn.
    ///
    /// Raised instead of [`Stop`]. The client ignores the hook's answer, except for a terminal sequence.
    /// With `-p` the client does not wait for the hook, which may be cut short when the client exits.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Records the last limit that was reached.
    /// #[hook(StopFailure, matcher = "rate_limit|overloaded")]
    /// pub fn limits(failure: StopFailure, context: Context) -> std::io::Result<()> {
    ///     std::fs::write(context.project_dir.join("last-limit.txt"), failure.error.to_string())
    /// }
    /// # fn main() {}
    /// ```
    pub struct StopFailure {
        /// Kind of error. Compared with the matcher.
        error: StopError,
        /// The API's error text.
        error_details: Option<String>,
        /// Text that the user sees instead of a reply.
        last_assistant_message: Option<String>,
    }

    /// Creates a failure for tests.
    pub new StopFailure(error: impl Into<StopError>);

    /// The error that ended a turn.
    pub enum StopError {
        /// Rate limit reached.
        RateLimit = "rate_limit",
        /// Provider overloaded.
        Overloaded = "overloaded",
        /// Authentication failed.
        AuthenticationFailed = "authentication_failed",
        /// Sign-in method not allowed by the organization.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// Account on hold.
        AccountOnHold = "account_on_hold",
        /// Account not verified.
        VerificationRequired = "verification_required",
        /// Billing problem.
        BillingError = "billing_error",
        /// Request rejected as invalid.
        InvalidRequest = "invalid_request",
        /// Model not found.
        ModelNotFound = "model_not_found",
        /// Error on the provider's side.
        ServerError = "server_error",
        /// Reply longer than the limit.
        MaxOutputTokens = "max_output_tokens",
        /// Missing or invalid credentials of a cloud provider.
        CloudCredentialError = "cloud_credential_error",
        /// Any other error.
        Unknown = "unknown",
    }

    /// A subagent starts.
    ///
    /// A hook cannot prevent it.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Points subagents to the project's rules.
    /// #[hook(SubagentStart)]
    /// pub fn brief_agent(_start: SubagentStart) -> SubagentStartAnswer {
    ///     SubagentStartAnswer::pass().with_context("the rules of this project are in CONTRIBUTING.md")
    /// }
    /// # fn main() {}
    /// ```
    pub struct SubagentStart {
        /// Id of the subagent, the same as in the [`Context`](crate::Context) of its events.
        agent_id: String,
        /// Name of the agent; `plugin:agent` if a plugin defines it. Compared with the matcher.
        agent_type: String,
    }

    /// Creates the start of a subagent for tests.
    pub new SubagentStart(agent_type: &str);

    /// A subagent is about to end.
    ///
    /// A Stop hook in an agent's definition is called on this event, too.
    /// Compaction also raises it, with an empty `agent_type`.
    /// If the client honors the answer, a hook can make the subagent continue, eight times in a row, as on [`Stop`].
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Requires file paths in the report of an Explore agent.
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
        /// `true` if the subagent is continuing because a hook already blocked its end.
        stop_hook_active: bool,
        /// Id of the subagent. Sent since client 2.0.42.
        agent_id: String,
        /// Name of the agent; may be empty. Compared with the matcher. Sent since client 2.1.26.
        agent_type: String,
        /// Path of the subagent's own transcript, sent since client 2.0.42. The path of the main session's transcript
        /// is in the context.
        agent_transcript_path: PathBuf,
        /// Text of the subagent's last message. Sent since client 2.1.47.
        last_assistant_message: Option<String>,
        /// Tasks that run in the background. Sent since client 2.1.145.
        background_tasks?: Vec<BackgroundTask>,
        /// Scheduled wake-ups of the session. Sent since client 2.1.145.
        session_crons?: Vec<SessionCron>,
    }

    /// Creates the end of a subagent for tests.
    pub new SubagentStop(agent_type: &str, stop_hook_active: bool);

    /// The client asks for the user's attention.
    ///
    /// The client ignores the hook's answer, except for a terminal sequence.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Shows a desktop notification.
    /// #[hook(Notification, matcher = "permission_prompt|idle_prompt")]
    /// pub fn ring(notification: Notification) -> TerminalAnswer {
    ///     TerminalAnswer::pass().with_terminal_sequence(TerminalSequence::notification(&notification.message))
    /// }
    /// # fn main() {}
    /// ```
    pub struct Notification {
        /// Text that the user sees.
        message: String,
        /// Title, if there is one.
        title: Option<String>,
        /// Reason. Compared with the matcher.
        notification_type: NotificationType,
    }

    /// Creates a notification for tests.
    pub new Notification(notification_type: impl Into<NotificationType>, message: &str);

    /// The reason for a notification.
    ///
    /// [`WorkerPermissionPrompt`](Self::WorkerPermissionPrompt) and the variants after it are not in the client's
    /// documentation; they were found in the client.
    pub enum NotificationType {
        /// A permission prompt has waited about 6 s for a key.
        PermissionPrompt = "permission_prompt",
        /// Nothing was typed for about 60 s after an answer.
        IdlePrompt = "idle_prompt",
        /// The user is signed in.
        AuthSuccess = "auth_success",
        /// A form of an MCP server has been open for about 6 s.
        ElicitationDialog = "elicitation_dialog",
        /// The request of an MCP server to open a URL has been open for about 6 s.
        ElicitationUrlDialog = "elicitation_url_dialog",
        /// The question of an MCP server was closed.
        ElicitationComplete = "elicitation_complete",
        /// The answer to an MCP server was sent.
        ElicitationResponse = "elicitation_response",
        /// A background session needs input while the agents are in view. Sent since client 2.1.198, according to its
        /// changelog.
        AgentNeedsInput = "agent_needs_input",
        /// A background session is done while the agents are in view. Sent since client 2.1.198, according to its
        /// changelog.
        AgentCompleted = "agent_completed",
        /// A teammate waits for permission.
        WorkerPermissionPrompt = "worker_permission_prompt",
        /// A message for the user's devices.
        PushNotification = "push_notification",
        /// The model starts to use the computer.
        ComputerUseEnter = "computer_use_enter",
        /// The model has stopped using the computer.
        ComputerUseExit = "computer_use_exit",
        /// The session resumed automatically when the user's limit was reset.
        QuotaAutoResumeFired = "quota_auto_resume_fired",
        /// The session did not resume automatically: it was too late.
        QuotaAutoResumeStale = "quota_auto_resume_stale",
        /// The session will not resume automatically.
        QuotaAutoResumeDisabled = "quota_auto_resume_disabled",
        /// The model refused, and another model took over.
        ModelRefusalFallback = "model_refusal_fallback",
        /// The credentials could not be stored.
        AuthStorageFailure = "auth_storage_failure",
        /// A plugin sent a notification.
        PluginNotification = "plugin_notification",
    }
}

impl Stop {
    /// Returns the text of the model's last reply; `None` if it has no text.
    ///
    /// [`Context::transcript`] usually does not have this reply yet.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Lets the model continue until it reports that the tests pass.
    /// #[hook(Stop)]
    /// pub fn until_done(stop: Stop) -> StopAnswer {
    ///     match stop.last_message() {
    ///         Some(text) if text.contains("all tests pass") => StopAnswer::pass(),
    ///         _ => StopAnswer::block("continue until all tests pass, then report it in these words"),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub fn last_message(&self) -> Option<&str> {
        text(self.last_assistant_message.as_deref())
    }

    /// Opens the session's transcript, with the last reply of the model, which the file usually does not have yet.
    ///
    /// Before client 2.1.47, the event has no reply to add.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    pub fn transcript(&self, context: &Context) -> Result<Transcript, Error> {
        with_last_reply(context.transcript()?, self.last_message())
    }
}

impl SubagentStop {
    /// Returns the text of the subagent's last reply; `None` if it has no text.
    pub fn last_message(&self) -> Option<&str> {
        text(self.last_assistant_message.as_deref())
    }

    /// Opens the subagent's own transcript, with its last reply, as [`Stop::transcript`] does for the session.
    ///
    /// # Errors
    ///
    /// Fails if the file exists and cannot be read.
    pub fn transcript(&self) -> Result<Transcript, Error> {
        with_last_reply(Transcript::open(&self.agent_transcript_path)?, self.last_message())
    }
}

fn text(message: Option<&str>) -> Option<&str> {
    message.filter(|text| !text.trim_ascii().is_empty())
}

fn with_last_reply(transcript: Transcript, text: Option<&str>) -> Result<Transcript, Error> {
    match text {
        Some(text) => transcript.with_last_reply(text),
        None => Ok(transcript),
    }
}

impl super::EndOfTurn for Stop {
    fn is_held(&self) -> bool {
        self.stop_hook_active
    }
}

impl BackgroundTask {
    /// Creates a running task for tests.
    pub fn new(kind: impl Into<BackgroundTaskKind>, description: &str) -> Self {
        Self { kind: kind.into(), status: "running".to_owned(), description: description.to_owned(), ..Self::default() }
    }
}

impl super::EndOfTurn for SubagentStop {
    fn is_held(&self) -> bool {
        self.stop_hook_active
    }
}
