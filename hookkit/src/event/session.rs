//! The beginning and the end of a session.

use crate::wire::wire;

wire! {
    /// A session starts, is resumed, is cleared, was compacted or is forked.
    ///
    /// The transcript's file need not exist yet.
    /// The session goes on, whatever a hook says.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Reports the project's toolchain to the model.
    /// #[hook(SessionStart, matcher = "startup|clear")]
    /// pub fn toolchain(context: Context) -> Option<SessionStartAnswer> {
    ///     let channel = std::fs::read_to_string(context.project_dir.join("rust-toolchain")).ok()?;
    ///     Some(SessionStartAnswer::pass().with_context(format!("The toolchain is {channel}.")))
    /// }
    /// # fn main() {}
    /// ```
    // Two of the fields have fractions, and a hook on this event what reads them: the client gives no other measure.
    pub struct SessionStart without Eq {
        /// Why it starts. The matcher is compared with it.
        source: SessionSource,
        /// The model's id.
        model: Option<String>,
        /// The session's title, if it has one.
        session_title: Option<String>,
        /// Seconds since the last answer of the model.
        /// Sent where a session is resumed or forked, since client 2.1.251, as are the three below.
        seconds_since_last_response: Option<f64>,
        /// Number of tokens in the conversation.
        context_tokens: Option<u64>,
        /// `true` if the provider is likely to have dropped the conversation from its cache.
        prompt_cache_likely_expired: Option<bool>,
        /// Estimated price of writing the conversation into the cache again, in US dollars.
        estimated_cache_write_usd: Option<f64>,
    }

    /// A start, for a test.
    pub new SessionStart(source: impl Into<SessionSource>);

    /// Why a session starts.
    pub enum SessionSource {
        /// It is new.
        Startup = "startup",
        /// The user goes on with an earlier one (`--resume`, `--continue`, `/resume`).
        Resume = "resume",
        /// The user cleared the conversation (`/clear`).
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// It goes on with a copy of an earlier one. Sent since client 2.1.214; before, it was `resume`.
        Fork = "fork",
    }

    /// A session ends.
    ///
    /// Nothing can be held up: the client waits a second and a half for such hooks, unless they have a `timeout` of their own.
    /// The user reads what a failed hook says, on the client's stderr.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Cleans up behind the session.
    /// #[hook(SessionEnd)]
    /// pub fn clean_up(_end: SessionEnd, context: Context) -> std::io::Result<()> {
    ///     let scratch = context.project_dir.join(".scratch").join(&context.session_id);
    ///     if scratch.exists() { std::fs::remove_dir_all(scratch) } else { Ok(()) }
    /// }
    /// # fn main() {}
    /// ```
    pub struct SessionEnd {
        /// Why it ends. The matcher is compared with it.
        reason: SessionEndReason,
    }

    /// An end, for a test.
    pub new SessionEnd(reason: impl Into<SessionEndReason>);

    /// Why a session ends.
    pub enum SessionEndReason {
        /// The user cleared the conversation (`/clear`).
        Clear = "clear",
        /// The user goes on with another session.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user left at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// None of these, in the client's own words: the end of a `-p` run, say.
        Unspecified = "other",
    }

    /// The client was started to set a project up: with `--init-only`, or with `--init` or `--maintenance` next to `-p`.
    ///
    /// The client discards what such a hook says, but for a terminal sequence; what counts is what it does.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Lets Bash find the project's own tools.
    /// #[hook(Setup)]
    /// pub fn tools(_setup: Setup, context: Context, file: EnvFile) -> Result<(), Error> {
    ///     file.set("PROJECT_TOOLS", context.project_dir.join("tools"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct Setup {
        /// Option that the client was started with. The matcher is compared with it.
        trigger: SetupTrigger,
    }

    /// A setup, for a test.
    pub new Setup(trigger: impl Into<SetupTrigger>);

    /// An option for setting a project up.
    pub enum SetupTrigger {
        /// To set the project up (`--init-only`, `--init`).
        Init = "init",
        /// To keep it in order (`--maintenance`).
        Maintenance = "maintenance",
    }
}
