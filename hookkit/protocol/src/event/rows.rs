//! The table of events, with the client's behavior on each of them.

use super::{Background, Denial, Event, MatcherTarget, Values};
use crate::output::{Block, Context, Member, MemberKind, PlainText, Reader, Stop, SystemMessage};

/// Declares the events and `EVENTS`.
macro_rules! events {
    ($($(#[$about:meta])* $name:ident = $row:expr;)*) => {
        $(
            $(#[$about])*
            pub const $name: Event = $row;
        )*

        /// Every event, in the order of the client's documentation.
        pub const EVENTS: &[&Event] = &[$(&$name),*];
    };
}

/// Returns an event for which the turn waits: handlers of every type run for up to ten minutes, and the client reads
/// their complete answers. Nothing can be denied.
const fn new(name: &'static str, since: &'static str, subject: &'static str) -> Event {
    Event {
        name,
        since,
        subject,
        names_target: false,
        matcher_target: MatcherTarget::Ignored,
        has_narrow_lists: false,
        default_timeout: 600_000,
        handler_types: &["command", "http", "mcp_tool", "prompt", "agent"],
        background: Background::Possible,
        denial: Denial::Impossible,
        ignores_on_failure: false,
        reader: Reader::Whole,
        plain_text: PlainText::Unread,
        block: Block::Ignored,
        stop: Stop::Ignored,
        system_message: SystemMessage::Dropped,
        context: Context::Model,
        members: None,
    }
}

/// The handler types that do not call a model.
const WITHOUT_MODELS: &[&str] = &["command", "http", "mcp_tool"];

/// Returns an event outside of a turn. The client reads only parts of its answers.
const fn outside(name: &'static str, since: &'static str, subject: &'static str) -> Event {
    Event { handler_types: WITHOUT_MODELS, reader: Reader::Reduced, ..new(name, since, subject) }
}

/// Returns an event of one tool call.
const fn of_tool(name: &'static str, since: &'static str, subject: &'static str) -> Event {
    Event { names_target: true, matcher_target: MatcherTarget::ToolName, ..new(name, since, subject) }
}

/// Returns an event of a model switch.
const fn of_model(name: &'static str, since: &'static str, subject: &'static str) -> Event {
    Event {
        names_target: true,
        matcher_target: MatcherTarget::Model,
        default_timeout: 30_000,
        handler_types: WITHOUT_MODELS,
        ..new(name, since, subject)
    }
}

/// Returns a matcher target that is the value of a field.
const fn field(name: &'static str, values: Values) -> MatcherTarget {
    MatcherTarget::Field { name, values }
}

/// Returns a matcher target that is a field with one of these values only.
const fn only(name: &'static str, values: &'static [&'static str]) -> MatcherTarget {
    field(name, Values::Only(values))
}

const fn flag(name: &'static str) -> Member {
    Member::optional(name, MemberKind::Flag)
}

const fn text(name: &'static str) -> Member {
    Member::optional(name, MemberKind::Text)
}

const fn word(name: &'static str, words: &'static [&'static str]) -> Member {
    Member::optional(name, MemberKind::Word(words))
}

const CONTEXT: Member = text("additionalContext");

/// The object with only `additionalContext`, as on most events.
const ONLY_CONTEXT: Option<&[Member]> = Some(&[CONTEXT]);

const WATCH_PATHS: Member = Member::optional("watchPaths", MemberKind::Texts);

const ANSWER_TO_SERVER: Option<&[Member]> =
    Some(&[word("action", &["accept", "decline", "cancel"]), Member::optional("content", MemberKind::Map)]);

events! {
    /// A tool is about to run. Its permissions are not checked yet.
    PRE_TOOL_USE = Event {
        denial: Denial::Deny,
        block: Block::Denies,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        members: Some(&[
            word("permissionDecision", &["allow", "deny", "ask", "defer"]),
            text("permissionDecisionReason"),
            Member::optional("updatedInput", MemberKind::Map),
            CONTEXT,
        ]),
        ..of_tool("PreToolUse", "1.0.38", "the tool call")
    };

    /// A tool ran and succeeded.
    POST_TOOL_USE = Event {
        block: Block::Reports,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        members: Some(&[
            CONTEXT,
            text("classifierContext"),
            Member::optional("updatedToolOutput", MemberKind::Any),
            Member::optional("updatedMCPToolOutput", MemberKind::Any),
        ]),
        ..of_tool("PostToolUse", "1.0.38", "the tool's result")
    };

    /// A tool failed, or was interrupted.
    POST_TOOL_USE_FAILURE = Event {
        block: Block::Reports,
        system_message: SystemMessage::User,
        members: ONLY_CONTEXT,
        ..of_tool("PostToolUseFailure", "2.0.56", "the tool's error")
    };

    /// All tool calls of a message are done, and the model has not read the results yet. Raised once for each message.
    POST_TOOL_BATCH = Event {
        denial: Denial::Block,
        block: Block::EndsTurn,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        members: ONLY_CONTEXT,
        ..new("PostToolBatch", "2.1.118", "the turn")
    };

    /// The client asks for the user's attention.
    NOTIFICATION = Event {
        matcher_target: field(
            "notification_type",
            Values::Known(&[
                "permission_prompt",
                "idle_prompt",
                "auth_success",
                "elicitation_dialog",
                "elicitation_url_dialog",
                "elicitation_complete",
                "elicitation_response",
                "agent_needs_input",
                "agent_completed",
                "worker_permission_prompt",
                "push_notification",
                "computer_use_enter",
                "computer_use_exit",
                "quota_auto_resume_fired",
                "quota_auto_resume_stale",
                "quota_auto_resume_disabled",
                "model_refusal_fallback",
                "auth_storage_failure",
                "plugin_notification",
            ]),
        ),
        context: Context::Dropped,
        members: ONLY_CONTEXT,
        ..outside("Notification", "1.0.38", "the notification")
    };

    /// The user submitted a prompt. The model has not seen it yet.
    USER_PROMPT_SUBMIT = Event {
        denial: Denial::Block,
        default_timeout: 30_000,
        plain_text: PlainText::Model,
        block: Block::Denies,
        stop: Stop::EndsBeforeModel,
        system_message: SystemMessage::User,
        members: Some(&[CONTEXT, text("sessionTitle"), flag("suppressOriginalPrompt")]),
        ..new("UserPromptSubmit", "1.0.53", "the prompt")
    };

    /// A typed command, or a prompt of an MCP server, becomes a prompt.
    USER_PROMPT_EXPANSION = Event {
        matcher_target: field("command_name", Values::Any),
        denial: Denial::Block,
        plain_text: PlainText::Model,
        block: Block::Denies,
        stop: Stop::EndsBeforeModel,
        system_message: SystemMessage::User,
        members: Some(&[CONTEXT, flag("suppressOriginalPrompt")]),
        ..new("UserPromptExpansion", "2.1.116", "the command")
    };

    /// A session starts, is resumed, is cleared, was compacted or is forked.
    SESSION_START = Event {
        matcher_target: only("source", &["startup", "resume", "clear", "compact", "fork"]),
        handler_types: &["command", "mcp_tool"],
        names_target: true,
        plain_text: PlainText::Model,
        system_message: SystemMessage::Terminal,
        members: Some(&[
            CONTEXT,
            text("initialUserMessage"),
            text("sessionTitle"),
            WATCH_PATHS,
            flag("reloadSkills"),
        ]),
        ..new("SessionStart", "1.0.62", "the session")
    };

    /// A session ends.
    SESSION_END = Event {
        matcher_target: only("reason", &["clear", "resume", "logout", "prompt_input_exit", "other"]),
        default_timeout: 1_500,
        ..outside("SessionEnd", "1.0.85", "the session's end")
    };

    /// The model is about to end its turn.
    STOP = Event {
        denial: Denial::Block,
        ignores_on_failure: true,
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::User,
        context: Context::KeepsGoing,
        members: ONLY_CONTEXT,
        ..new("Stop", "1.0.38", "the end of the turn")
    };

    /// An API error ended the turn.
    STOP_FAILURE = Event {
        matcher_target: only(
            "error",
            &[
                "rate_limit",
                "overloaded",
                "authentication_failed",
                "oauth_org_not_allowed",
                "account_on_hold",
                "verification_required",
                "billing_error",
                "invalid_request",
                "model_not_found",
                "server_error",
                "max_output_tokens",
                "cloud_credential_error",
                "unknown",
            ],
        ),
        has_narrow_lists: true,
        ..outside("StopFailure", "2.1.78", "the failed turn")
    };

    /// A subagent starts.
    SUBAGENT_START = Event {
        handler_types: WITHOUT_MODELS,
        matcher_target: field("agent_type", Values::Any),
        system_message: SystemMessage::Terminal,
        members: ONLY_CONTEXT,
        ..new("SubagentStart", "2.0.44", "the subagent")
    };

    /// A subagent is about to end.
    SUBAGENT_STOP = Event {
        matcher_target: field("agent_type", Values::Any),
        denial: Denial::Block,
        ignores_on_failure: true,
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::Terminal,
        context: Context::KeepsGoing,
        members: ONLY_CONTEXT,
        ..new("SubagentStop", "1.0.41", "the end of the subagent's turn")
    };

    /// The conversation is about to be compacted.
    PRE_COMPACT = Event {
        matcher_target: only("trigger", &["manual", "auto"]),
        denial: Denial::Block,
        plain_text: PlainText::Instructions,
        block: Block::Denies,
        ..outside("PreCompact", "1.0.48", "the compaction")
    };

    /// The conversation was compacted.
    POST_COMPACT = Event {
        matcher_target: only("trigger", &["manual", "auto"]),
        plain_text: PlainText::CommandOutput,
        ..outside("PostCompact", "2.1.76", "the compaction")
    };

    /// The session is about to switch to a requested model.
    PRE_MODEL_SWITCH = Event {
        denial: Denial::Deny,
        block: Block::Denies,
        system_message: SystemMessage::User,
        members: Some(&[
            word("permissionDecision", &["allow", "deny", "ask"]),
            text("permissionDecisionReason"),
        ]),
        ..of_model("PreModelSwitch", "2.1.251", "the model switch")
    };

    /// The session switched to another model, for any reason.
    POST_MODEL_SWITCH = Event {
        plain_text: PlainText::AsContext,
        system_message: SystemMessage::User,
        members: ONLY_CONTEXT,
        ..of_model("PostModelSwitch", "2.1.251", "the model switch")
    };

    /// A tool call needs the user's permission, even if the user cannot be asked.
    PERMISSION_REQUEST = Event {
        denial: Denial::DenyRequest,
        handler_types: &["command", "http", "mcp_tool", "prompt"],
        members: Some(&[Member {
            name: "decision",
            kind: MemberKind::Decision,
            is_required: true,
        }]),
        ..of_tool("PermissionRequest", "2.0.45", "the tool call")
    };

    /// Auto mode denied a tool call.
    PERMISSION_DENIED = Event {
        members: Some(&[flag("retry")]),
        ..of_tool("PermissionDenied", "2.1.88", "the denial")
    };

    /// The client was started to set up a project.
    SETUP = Event {
        matcher_target: only("trigger", &["init", "maintenance"]),
        handler_types: &["command", "mcp_tool"],
        names_target: true,
        context: Context::Dropped,
        members: ONLY_CONTEXT,
        ..new("Setup", "2.1.10", "the setup")
    };

    /// A member of an agent team is about to go idle.
    TEAMMATE_IDLE = Event {
        denial: Denial::Block,
        ignores_on_failure: true,
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::Terminal,
        ..new("TeammateIdle", "2.1.33", "the end of the teammate's turn")
    };

    /// A task is being created.
    TASK_CREATED = Event {
        denial: Denial::Block,
        block: Block::Denies,
        ..new("TaskCreated", "2.1.84", "the task")
    };

    /// A task is being marked as completed.
    TASK_COMPLETED = Event {
        denial: Denial::Block,
        ignores_on_failure: true,
        // At the end of a teammate's turn `continue` and `systemMessage` are read, too.
        block: Block::Denies,
        ..new("TaskCompleted", "2.1.33", "the task's completion")
    };

    /// An MCP server asks the user a question.
    ELICITATION = Event {
        matcher_target: field("mcp_server_name", Values::Any),
        denial: Denial::Block,
        block: Block::Denies,
        members: ANSWER_TO_SERVER,
        ..outside("Elicitation", "2.1.63", "the server's question")
    };

    /// The user answered an MCP server.
    ELICITATION_RESULT = Event {
        matcher_target: field("mcp_server_name", Values::Any),
        denial: Denial::Block,
        block: Block::Denies,
        members: ANSWER_TO_SERVER,
        ..outside("ElicitationResult", "2.1.63", "the answer to the server's question")
    };

    /// A settings file or a skill changed during the session.
    CONFIG_CHANGE = Event {
        matcher_target: only(
            "source",
            &[
                "user_settings",
                "project_settings",
                "local_settings",
                "policy_settings",
                "skills",
            ],
        ),
        denial: Denial::Block,
        block: Block::Denies,
        ..outside("ConfigChange", "2.1.48", "the settings change")
    };

    /// A worktree is needed. The hook creates it instead of git.
    WORKTREE_CREATE = Event {
        denial: Denial::Fail,
        background: Background::Fails,
        plain_text: PlainText::Path,
        block: Block::Denies,
        members: Some(&[Member {
            name: "worktreePath",
            kind: MemberKind::Text,
            is_required: true,
        }]),
        ..outside("WorktreeCreate", "2.1.50", "the worktree")
    };

    /// A worktree is about to be removed.
    WORKTREE_REMOVE = outside("WorktreeRemove", "2.1.50", "the worktree's removal");

    /// An instruction file was loaded.
    INSTRUCTIONS_LOADED = Event {
        matcher_target: only(
            "load_reason",
            &[
                "session_start",
                "nested_traversal",
                "path_glob_match",
                "include",
                "compact",
            ],
        ),
        ..outside("InstructionsLoaded", "2.1.64", "the instructions")
    };

    /// The session's current directory changed.
    CWD_CHANGED = Event {
        system_message: SystemMessage::Terminal,
        members: Some(&[WATCH_PATHS]),
        ..outside("CwdChanged", "2.1.83", "the new directory")
    };

    /// A watched file changed.
    ///
    /// The matcher is also the list of watched files: each part between `|` is a literal name.
    FILE_CHANGED = Event {
        matcher_target: MatcherTarget::FileName,
        has_narrow_lists: true,
        system_message: SystemMessage::Terminal,
        members: Some(&[WATCH_PATHS]),
        ..outside("FileChanged", "2.1.83", "the file's change")
    };

    /// A directory was added to the session.
    DIRECTORY_ADDED = Event {
        matcher_target: only("source", &["slash_command", "register_repo_root"]),
        system_message: SystemMessage::Model,
        ..outside("DirectoryAdded", "2.1.219", "the new directory")
    };

    /// Lines of the model's text are about to be shown.
    MESSAGE_DISPLAY = Event {
        handler_types: WITHOUT_MODELS,
        default_timeout: 10_000,
        background: Background::Ignored,
        members: Some(&[text("displayContent")]),
        ..new("MessageDisplay", "2.1.152", "the message")
    };

    /// A shell command in the text of a skill or of a slash command is about to run.
    PRE_SKILL_SHELL_COMMAND = Event {
        handler_types: WITHOUT_MODELS,
        denial: Denial::Deny,
        block: Block::Denies,
        stop: Stop::EndsBeforeModel,
        system_message: SystemMessage::User,
        members: Some(&[
            word("permissionDecision", &["allow", "deny", "ask", "defer"]),
            text("permissionDecisionReason"),
            Member::optional("updatedInput", MemberKind::Map),
        ]),
        ..of_tool("PreSkillShellCommand", "2.1.332", "the skill's command")
    };
}
