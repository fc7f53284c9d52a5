//! The start and the end of a session.

use crate::wire::wire;

wire! {
    /// A session starts, or is resumed, cleared, compacted or forked.
    ///
    /// The transcript file may not exist yet.
    /// A hook cannot prevent the session.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Adds the project's toolchain to the model's context.
    /// #[hook(SessionStart, matcher = "startup|clear")]
    /// pub fn toolchain(context: Context) -> Option<SessionStartAnswer> {
    ///     let channel = std::fs::read_to_string(context.project_dir.join("rust-toolchain")).ok()?;
    ///     Some(SessionStartAnswer::pass().with_context(format!("The toolchain is {channel}.")))
    /// }
    /// # fn main() {}
    /// ```
    // Two of the fields are fractions.
    pub struct SessionStart without Eq {
        /// Reason for the start. Compared with the matcher.
        source: SessionSource,
        /// Id of the model.
        model: Option<String>,
        /// Title of the session, if it has one.
        session_title: Option<String>,
        /// Seconds since the model's last reply. Like the next three fields, sent when a session is resumed or forked
        /// (since client 2.1.251).
        seconds_since_last_response: Option<f64>,
        /// Number of tokens in the conversation.
        context_tokens: Option<u64>,
        /// `true` if the provider has probably dropped the conversation from its cache.
        prompt_cache_likely_expired: Option<bool>,
        /// Estimated cost of caching the conversation again, in US dollars.
        estimated_cache_write_usd: Option<f64>,
    }

    /// Creates a start for tests.
    pub new SessionStart(source: impl Into<SessionSource>);

    /// The reason why a session starts.
    pub enum SessionSource {
        /// The session is new.
        Startup = "startup",
        /// The user resumed an earlier session (`--resume`, `--continue`, `/resume`).
        Resume = "resume",
        /// The user cleared the conversation (`/clear`).
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// The session continues a copy of an earlier one. Clients before 2.1.213 send `resume` instead.
        Fork = "fork",
    }

    /// A session ends.
    ///
    /// A hook cannot prevent it. The client waits 1.5 s for these hooks, unless they have their own `timeout`. It
    /// prints the output of a failed hook on its stderr, for the user.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Removes the session's scratch folder.
    /// #[hook(SessionEnd)]
    /// pub fn clean_up(_end: SessionEnd, context: Context) -> std::io::Result<()> {
    ///     let scratch = context.project_dir.join(".scratch").join(&context.session_id);
    ///     if scratch.exists() { std::fs::remove_dir_all(scratch) } else { Ok(()) }
    /// }
    /// # fn main() {}
    /// ```
    pub struct SessionEnd {
        /// Reason for the end. Compared with the matcher.
        reason: SessionEndReason,
    }

    /// Creates an end for tests.
    pub new SessionEnd(reason: impl Into<SessionEndReason>);

    /// The reason why a session ends.
    pub enum SessionEndReason {
        /// The user cleared the conversation (`/clear`).
        Clear = "clear",
        /// The user switched to another session.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user exited at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Any other reason, which the client sends as `other`: the end of a `-p` run, for example.
        Unspecified = "other",
    }

    /// The client was started to set up a project: with `--init-only`, or with `-p` and `--init` or `--maintenance`.
    ///
    /// The client ignores the hook's answer, except for a terminal sequence; only the hook's side effects count.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Sets the path of the project's tools for Bash.
    /// #[hook(Setup)]
    /// pub fn tools(_setup: Setup, context: Context, file: EnvFile) -> Result<(), Error> {
    ///     file.set("PROJECT_TOOLS", context.project_dir.join("tools"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct Setup {
        /// Kind of setup. Compared with the matcher.
        trigger: SetupTrigger,
    }

    /// Creates a setup for tests.
    pub new Setup(trigger: impl Into<SetupTrigger>);

    /// The kind of a setup.
    pub enum SetupTrigger {
        /// First setup of the project (`--init-only`, `--init`).
        Init = "init",
        /// Maintenance of the project (`--maintenance`).
        Maintenance = "maintenance",
    }
}
