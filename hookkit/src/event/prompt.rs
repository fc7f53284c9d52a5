//! Prompts of the user, and what the user sees of the model's answer.

use crate::wire::wire;

wire! {
    /// A prompt was submitted; the model has not seen it yet.
    ///
    /// Raised for what the user types, for `-p`, and for what the client itself submits: a wake-up, the end of a task in the
    /// background.
    /// The client waits 30 s for such hooks, and lets the prompt through at a timeout.
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
        /// The prompt's text.
        prompt: String,
        /// Origin of the prompt. In the client's published types; the client itself does not send it (2.1.330).
        source: Option<PromptSource>,
        /// The session's title, if it has one.
        session_title: Option<String>,
    }

    /// A prompt, for a test.
    pub new UserPromptSubmit(prompt: &str);

    /// An origin of a prompt.
    pub enum PromptSource {
        /// The user.
        User = "user",
        /// The program that runs the client by its SDK.
        Sdk = "sdk",
        /// The client.
        System = "system",
        /// A loop that goes on.
        LoopWakeup = "loop_wakeup",
        /// A wake-up that the model had asked for.
        ScheduleWakeup = "schedule_wakeup",
        /// An event that was polled for.
        PollEvent = "poll_event",
    }

    /// A command that the user typed, a skill, or a prompt of an MCP server, becomes a prompt.
    ///
    /// Raised before [`UserPromptSubmit`].
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Requires the version of a release.
    /// #[hook(UserPromptExpansion, matcher = "release")]
    /// pub fn with_version(expansion: UserPromptExpansion) -> UserPromptExpansionAnswer {
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
        /// The command's name, without the slash. The matcher is compared with it.
        command_name: String,
        /// Text behind the name; may be empty.
        command_args: String,
        /// Origin of the command: `projectSettings`, `plugin`, …
        command_source: Option<String>,
        /// The text as it was typed.
        prompt: String,
    }

    /// A kind of expansion into a prompt.
    pub enum ExpansionType {
        /// A command or a skill.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }

    /// Lines of the model's text are about to be shown.
    ///
    /// Raised only where the text is shown as it comes; what the model and the transcript have stays as it is.
    /// The client waits 10 s for such hooks, and shows the text as it is at a timeout.
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
        /// Ties together what is shown in one turn.
        turn_id: String,
        /// Ties together what is shown of one message.
        message_id: String,
        /// Number of parts of the message that were shown before.
        index: u64,
        /// `true` if it is the message's last part; every message has exactly one.
        r#final: bool = "final",
        /// The lines that were finished since the part before. In the last part it may be empty, or end within a line.
        delta: String,
    }
}

impl UserPromptExpansion {
    /// A command as it was typed, `/review the tests`, for a test.
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
    /// A message in one part, for a test.
    pub fn new(delta: &str) -> Self {
        Self {
            r#final: true,
            delta: delta.to_owned(),
            ..Self::default()
        }
    }
}
