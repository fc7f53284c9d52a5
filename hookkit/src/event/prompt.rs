//! Prompts of the user, and the display of the model's reply.

use crate::wire::wire;

wire! {
    /// A prompt was submitted; the model has not seen it yet.
    ///
    /// Raised for prompts that the user types, for `-p`, and for prompts of the client itself, such as a wake-up or the end
    /// of a background task.
    /// The client waits 30 s for these hooks. After a timeout it submits the prompt.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps keys out of the conversation.
    /// #[hook(UserPromptSubmit)]
    /// pub fn no_keys(submitted: UserPromptSubmit) -> UserPromptSubmitAnswer {
    ///     if submitted.prompt.contains("-----BEGIN") {
    ///         UserPromptSubmitAnswer::block("there is a key in your prompt")
    ///     } else {
    ///         UserPromptSubmitAnswer::pass()
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub struct UserPromptSubmit {
        /// Text of the prompt.
        prompt: String,
        /// Origin of the prompt. The client's published types have it, but the client does not send it (2.1.330).
        source: Option<PromptSource>,
        /// Title of the session, if it has one.
        session_title: Option<String>,
    }

    /// Creates a prompt for tests.
    pub new UserPromptSubmit(prompt: &str);

    /// The origin of a prompt.
    pub enum PromptSource {
        /// The user.
        User = "user",
        /// The program that runs the client through its SDK.
        Sdk = "sdk",
        /// The client.
        System = "system",
        /// The next round of a loop.
        LoopWakeup = "loop_wakeup",
        /// A wake-up that the model scheduled.
        ScheduleWakeup = "schedule_wakeup",
        /// A polled event.
        PollEvent = "poll_event",
    }

    /// A slash command, a skill or a prompt of an MCP server is expanded to a prompt.
    ///
    /// Raised before [`UserPromptSubmit`].
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Requires a version for `/release`.
    /// #[hook(UserPromptExpansion, matcher = "release")]
    /// pub fn release_version(expansion: UserPromptExpansion) -> UserPromptExpansionAnswer {
    ///     if expansion.command_args.is_empty() {
    ///         UserPromptExpansionAnswer::block("name the version: `/release 1.2.0`")
    ///     } else {
    ///         UserPromptExpansionAnswer::pass()
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub struct UserPromptExpansion {
        /// Kind of expansion.
        expansion_type: ExpansionType,
        /// Name of the command, without the slash. Compared with the matcher.
        command_name: String,
        /// Text after the name; may be empty.
        command_args: String,
        /// Origin of the command: `projectSettings`, `plugin`, …
        command_source: Option<String>,
        /// The text as the user typed it.
        prompt: String,
    }

    /// The kind of a prompt's expansion.
    pub enum ExpansionType {
        /// A command or a skill.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }

    /// The client is about to show lines of the model's text.
    ///
    /// Raised only if the text is shown while it streams. A hook changes the display, not the model's context or the
    /// transcript.
    /// The client waits 10 s for these hooks. After a timeout it shows the text unchanged.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps a token off the screen.
    /// #[hook(MessageDisplay)]
    /// pub fn hide_token(lines: MessageDisplay) -> Option<MessageDisplayAnswer> {
    ///     let (before, _) = lines.delta.split_once("ghp_")?;
    ///     Some(MessageDisplayAnswer::pass().with_display_content(format!("{before}[token]")))
    /// }
    /// # fn main() {}
    /// ```
    pub struct MessageDisplay {
        /// Id of the turn.
        turn_id: String,
        /// Id of the message.
        message_id: String,
        /// Number of earlier parts of the message.
        index: u64,
        /// `true` for the last part of the message; every message has exactly one.
        r#final: bool = "final",
        /// The lines completed since the previous part. The last part may be empty, or end within a line.
        delta: String,
    }
}

impl UserPromptExpansion {
    /// Creates an expansion of a typed command, such as `/review the tests`, for tests.
    pub fn new(prompt: &str) -> Self {
        let typed = prompt.trim_start_matches('/');
        let (name, arguments) = typed.split_once(' ').unwrap_or((typed, ""));
        Self {
            expansion_type: ExpansionType::SlashCommand,
            command_name: name.to_owned(),
            command_args: arguments.to_owned(),
            command_source: None,
            prompt: prompt.to_owned(),
        }
    }
}

impl MessageDisplay {
    /// Creates a message with one part for tests.
    pub fn new(delta: &str) -> Self {
        Self { r#final: true, delta: delta.to_owned(), ..Self::default() }
    }
}
