//! The rows of the events: all that the client does with one, in one place.

use super::{Background, Event, MatcherTarget, Refusal, Values};
use crate::output::{Block, Context, Kind, Member, Output, PlainText, Reader, Stop, SystemMessage};

/// Declares the events, and the list of them.
macro_rules! events {
    ($($(#[$about:meta])* $name:ident = $row:expr;)*) => {
        $(
            $(#[$about])*
            pub const $name: Event = $row;
        )*

        /// Every event of the client's, in the order of its documentation.
        pub const EVENTS: &[&Event] = &[$(&$name),*];
    };
}

/// An event as most are: the client waits ten minutes, and nothing can be refused.
const fn new(name: &'static str, since: &'static str, matcher_target: MatcherTarget) -> Event {
    Event {
        name,
        since,
        matcher_target,
        has_narrow_lists: false,
        default_timeout: 600_000,
        handler_types: &["command", "http", "mcp_tool"],
        background: Background::Possible,
        refusal: Refusal::Impossible,
        ignores_on_failure: false,
        output: UNREAD,
    }
}

/// An event without a matcher.
const fn unmatched(name: &'static str, since: &'static str) -> Event {
    new(name, since, MatcherTarget::Ignored)
}

/// An event of one tool call.
const fn of_tool(name: &'static str, since: &'static str) -> Event {
    new(name, since, MatcherTarget::ToolName)
}

/// An event that is matched on a field.
const fn of_field(name: &'static str, since: &'static str, field: &'static str, values: Values) -> Event {
    new(name, since, MatcherTarget::Field { name: field, values })
}

/// An event of a change of the model.
const fn of_model(name: &'static str, since: &'static str) -> Event {
    Event {
        default_timeout: 30_000,
        ..new(name, since, MatcherTarget::Model)
    }
}

/// The types of handlers of an event for which the turn waits: models can be asked, too.
const EVERY_TYPE: &[&str] = &["command", "http", "mcp_tool", "prompt", "agent"];

const fn flag(name: &'static str) -> Member {
    Member::optional(name, Kind::Flag)
}

const fn text(name: &'static str) -> Member {
    Member::optional(name, Kind::Text)
}

const fn word(name: &'static str, words: &'static [&'static str]) -> Member {
    Member::optional(name, Kind::Word(words))
}

const CONTEXT: Member = text("additionalContext");

/// The only member of most objects.
const ONLY_CONTEXT: Option<&[Member]> = Some(&[CONTEXT]);

const WATCH_PATHS: Member = Member::optional("watchPaths", Kind::Texts);

const ANSWER_TO_SERVER: Option<&[Member]> = Some(&[
    word("action", &["accept", "decline", "cancel"]),
    Member::optional("content", Kind::Map),
]);

/// An event of whose hooks nothing is read.
const UNREAD: Output = Output {
    subject: "",
    names_target: false,
    reader: Reader::Reduced,
    plain_text: PlainText::Unread,
    block: Block::Ignored,
    stop: Stop::Ignored,
    system_message: SystemMessage::Dropped,
    context: Context::Unknown,
    members: None,
};

/// An event within a turn, whose answers are read whole.
const WHOLE: Output = Output {
    reader: Reader::Whole,
    ..UNREAD
};

events! {
    /// Before a tool runs, and before its permissions are checked.
    PRE_TOOL_USE = Event {
        refusal: Refusal::Deny,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the tool call",
            names_target: true,
            block: Block::Refuses,
            stop: Stop::EndsTurn,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: Some(&[
                word("permissionDecision", &["allow", "deny", "ask", "defer"]),
                text("permissionDecisionReason"),
                Member::optional("updatedInput", Kind::Map),
                CONTEXT,
            ]),
            ..WHOLE
        },
        ..of_tool("PreToolUse", "1.0.38")
    };

    /// After a tool ran and succeeded.
    POST_TOOL_USE = Event {
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the tool's result",
            names_target: true,
            block: Block::Tells,
            stop: Stop::EndsTurn,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: Some(&[
                CONTEXT,
                text("classifierContext"),
                Member::optional("updatedToolOutput", Kind::Any),
                Member::optional("updatedMCPToolOutput", Kind::Any),
            ]),
            ..WHOLE
        },
        ..of_tool("PostToolUse", "1.0.38")
    };

    /// After a tool failed, or was interrupted.
    POST_TOOL_USE_FAILURE = Event {
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the tool's error",
            names_target: true,
            block: Block::Tells,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..of_tool("PostToolUseFailure", "2.0.58")
    };

    /// Once every tool call of a message is done, before the model reads the results.
    POST_TOOL_BATCH = Event {
        refusal: Refusal::Block,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the turn",
            block: Block::EndsTurn,
            stop: Stop::EndsTurn,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..unmatched("PostToolBatch", "2.1.118")
    };

    /// When the client wants the user's attention.
    NOTIFICATION = Event {
        output: Output {
            subject: "the notification",
            context: Context::Dropped,
            members: ONLY_CONTEXT,
            ..UNREAD
        },
        ..of_field(
        "Notification",
        "1.0.38",
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
    )
    };

    /// When the user submits a prompt, before the model sees it.
    USER_PROMPT_SUBMIT = Event {
        refusal: Refusal::Block,
        default_timeout: 30_000,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the prompt",
            plain_text: PlainText::Model,
            block: Block::Refuses,
            stop: Stop::EndsBeforeModel,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: Some(&[CONTEXT, text("sessionTitle"), flag("suppressOriginalPrompt")]),
            ..WHOLE
        },
        ..unmatched("UserPromptSubmit", "1.0.54")
    };

    /// When a typed command, or a prompt of an MCP server, becomes a prompt.
    USER_PROMPT_EXPANSION = Event {
        refusal: Refusal::Block,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the command",
            plain_text: PlainText::Model,
            block: Block::Refuses,
            stop: Stop::EndsBeforeModel,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: Some(&[CONTEXT, flag("suppressOriginalPrompt")]),
            ..WHOLE
        },
        ..of_field("UserPromptExpansion", "2.1.116", "command_name", Values::Any)
    };

    /// When a session starts, is resumed, is cleared, was compacted or is forked.
    SESSION_START = Event {
        handler_types: &["command", "mcp_tool"],
        output: Output {
            subject: "the session",
            names_target: true,
            plain_text: PlainText::Model,
            system_message: SystemMessage::Terminal,
            context: Context::Model,
            members: Some(&[
                CONTEXT,
                text("initialUserMessage"),
                text("sessionTitle"),
                WATCH_PATHS,
                flag("reloadSkills"),
            ]),
            ..WHOLE
        },
        ..of_field(
        "SessionStart",
        "1.0.62",
        "source",
        Values::Only(&["startup", "resume", "clear", "compact", "fork"]),
    )
    };

    /// When a session ends.
    SESSION_END = Event {
        default_timeout: 1_500,
        output: Output {
            subject: "the session's end",
            ..UNREAD
        },
        ..of_field(
            "SessionEnd",
            "1.0.85",
            "reason",
            Values::Only(&["clear", "resume", "logout", "prompt_input_exit", "other"]),
        )
    };

    /// When the model is about to end its turn.
    STOP = Event {
        refusal: Refusal::Block,
        ignores_on_failure: true,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the end of the turn",
            block: Block::KeepsGoing,
            stop: Stop::LetsEnd,
            system_message: SystemMessage::User,
            context: Context::KeepsGoing,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..unmatched("Stop", "1.0.38")
    };

    /// When an error of the API ended the turn.
    STOP_FAILURE = Event {
        has_narrow_lists: true,
        output: Output {
            subject: "the failed turn",
            ..UNREAD
        },
        ..of_field(
        "StopFailure",
        "2.1.78",
        "error",
        Values::Only(&[
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
        ]),
    )
    };

    /// When a subagent starts.
    SUBAGENT_START = Event {
        output: Output {
            subject: "the subagent",
            system_message: SystemMessage::Terminal,
            context: Context::Model,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..of_field("SubagentStart", "2.0.43", "agent_type", Values::Any)
    };

    /// When a subagent is about to end.
    SUBAGENT_STOP = Event {
        refusal: Refusal::Block,
        ignores_on_failure: true,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the end of the subagent's turn",
            block: Block::KeepsGoing,
            stop: Stop::LetsEnd,
            system_message: SystemMessage::Terminal,
            context: Context::KeepsGoing,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..of_field("SubagentStop", "1.0.41", "agent_type", Values::Any)
    };

    /// Before the conversation is compacted.
    PRE_COMPACT = Event {
        refusal: Refusal::Block,
        output: Output {
            subject: "the compaction",
            plain_text: PlainText::Instructions,
            block: Block::Refuses,
            ..UNREAD
        },
        ..of_field("PreCompact", "1.0.48", "trigger", Values::Only(&["manual", "auto"]))
    };

    /// After the conversation was compacted.
    POST_COMPACT = Event {
        output: Output {
            subject: "the compaction",
            plain_text: PlainText::CommandOutput,
            ..UNREAD
        },
        ..of_field("PostCompact", "2.1.76", "trigger", Values::Only(&["manual", "auto"]))
    };

    /// Before the session takes another model that was asked for.
    PRE_MODEL_SWITCH = Event {
        refusal: Refusal::Deny,
        output: Output {
            subject: "the switch of the model",
            names_target: true,
            block: Block::Refuses,
            system_message: SystemMessage::User,
            members: Some(&[
                word("permissionDecision", &["allow", "deny", "ask"]),
                text("permissionDecisionReason"),
            ]),
            ..WHOLE
        },
        ..of_model("PreModelSwitch", "2.1.251")
    };

    /// After the session took another model, for whatever cause.
    POST_MODEL_SWITCH = Event {
        output: Output {
            subject: "the switch of the model",
            names_target: true,
            plain_text: PlainText::AsContext,
            system_message: SystemMessage::User,
            context: Context::Model,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..of_model("PostModelSwitch", "2.1.251")
    };

    /// When somebody has to allow a tool call, or nobody is there to be asked.
    PERMISSION_REQUEST = Event {
        refusal: Refusal::DenyRequest,
        handler_types: &["command", "http", "mcp_tool", "prompt"],
        output: Output {
            subject: "the tool call",
            names_target: true,
            members: Some(&[Member {
                name: "decision",
                kind: Kind::Decision,
                is_required: true,
            }]),
            ..WHOLE
        },
        ..of_tool("PermissionRequest", "2.0.45")
    };

    /// After auto mode denied a tool call.
    PERMISSION_DENIED = Event {
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the denial",
            names_target: true,
            members: Some(&[flag("retry")]),
            ..WHOLE
        },
        ..of_tool("PermissionDenied", "2.1.89")
    };

    /// When the client was started to set a project up.
    SETUP = Event {
        handler_types: &["command", "mcp_tool"],
        output: Output {
            subject: "the setup",
            names_target: true,
            context: Context::Dropped,
            members: ONLY_CONTEXT,
            ..WHOLE
        },
        ..of_field("Setup", "2.1.10", "trigger", Values::Only(&["init", "maintenance"]))
    };

    /// When a member of an agent team is about to go idle.
    TEAMMATE_IDLE = Event {
        refusal: Refusal::Block,
        ignores_on_failure: true,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the end of the teammate's turn",
            block: Block::KeepsGoing,
            stop: Stop::LetsEnd,
            system_message: SystemMessage::Terminal,
            ..WHOLE
        },
        ..unmatched("TeammateIdle", "2.1.33")
    };

    /// When a task is being created.
    TASK_CREATED = Event {
        refusal: Refusal::Block,
        handler_types: EVERY_TYPE,
        output: Output {
            subject: "the task",
            block: Block::Refuses,
            ..WHOLE
        },
        ..unmatched("TaskCreated", "2.1.84")
    };

    /// When a task is being marked as completed.
    TASK_COMPLETED = Event {
        refusal: Refusal::Block,
        ignores_on_failure: true,
        handler_types: EVERY_TYPE,
        // At the end of a teammate's turn `continue` and `systemMessage` are read, too.
        output: Output {
            subject: "the task's completion",
            block: Block::Refuses,
            ..WHOLE
        },
        ..unmatched("TaskCompleted", "2.1.33")
    };

    /// When an MCP server asks the user something.
    ELICITATION = Event {
        refusal: Refusal::Block,
        output: Output {
            subject: "the server's question",
            block: Block::Refuses,
            members: ANSWER_TO_SERVER,
            ..UNREAD
        },
        ..of_field("Elicitation", "2.1.76", "mcp_server_name", Values::Any)
    };

    /// When the user answered an MCP server.
    ELICITATION_RESULT = Event {
        refusal: Refusal::Block,
        output: Output {
            subject: "the answer to the server's question",
            block: Block::Refuses,
            members: ANSWER_TO_SERVER,
            ..UNREAD
        },
        ..of_field("ElicitationResult", "2.1.76", "mcp_server_name", Values::Any)
    };

    /// When a settings file or a skill changed during the session.
    CONFIG_CHANGE = Event {
        refusal: Refusal::Block,
        output: Output {
            subject: "the change of the settings",
            block: Block::Refuses,
            ..UNREAD
        },
        ..of_field(
            "ConfigChange",
            "2.1.49",
            "source",
            Values::Only(&[
                "user_settings",
                "project_settings",
                "local_settings",
                "policy_settings",
                "skills",
            ]),
        )
    };

    /// When a worktree is wanted: the hook makes it, in place of git.
    WORKTREE_CREATE = Event {
        refusal: Refusal::Fail,
        background: Background::Fails,
        output: Output {
            subject: "the worktree",
            plain_text: PlainText::Path,
            block: Block::Refuses,
            members: Some(&[Member {
                name: "worktreePath",
                kind: Kind::Text,
                is_required: true,
            }]),
            ..UNREAD
        },
        ..unmatched("WorktreeCreate", "2.1.50")
    };

    /// When a worktree is to go.
    WORKTREE_REMOVE = Event {
        output: Output {
            subject: "the removal of the worktree",
            ..UNREAD
        },
        ..unmatched("WorktreeRemove", "2.1.50")
    };

    /// When a file of instructions was loaded.
    INSTRUCTIONS_LOADED = Event {
        output: Output {
            subject: "the instructions",
            ..UNREAD
        },
        ..of_field(
        "InstructionsLoaded",
        "2.1.69",
        "load_reason",
        Values::Only(&[
            "session_start",
            "nested_traversal",
            "path_glob_match",
            "include",
            "compact",
        ]),
    )
    };

    /// When the session's current directory changed.
    CWD_CHANGED = Event {
        output: Output {
            subject: "the new directory",
            system_message: SystemMessage::Terminal,
            members: Some(&[WATCH_PATHS]),
            ..UNREAD
        },
        ..unmatched("CwdChanged", "2.1.83")
    };

    /// When a watched file changed.
    ///
    /// Its matcher is also the list of what is watched: its parts between the `|`, each taken literally.
    FILE_CHANGED = Event {
        has_narrow_lists: true,
        output: Output {
            subject: "the file's change",
            system_message: SystemMessage::Terminal,
            members: Some(&[WATCH_PATHS]),
            ..UNREAD
        },
        ..new("FileChanged", "2.1.83", MatcherTarget::FileName)
    };

    /// When a directory was added to the session.
    DIRECTORY_ADDED = Event {
        output: Output {
            subject: "the new directory",
            system_message: SystemMessage::Model,
            ..UNREAD
        },
        ..of_field(
        "DirectoryAdded",
        "2.1.219",
        "source",
        Values::Only(&["slash_command", "register_repo_root"]),
    )
    };

    /// When lines of the model's text are about to be shown.
    MESSAGE_DISPLAY = Event {
        default_timeout: 10_000,
        background: Background::Ignored,
        output: Output {
            subject: "the message",
            members: Some(&[text("displayContent")]),
            ..WHOLE
        },
        ..unmatched("MessageDisplay", "2.1.152")
    };
}
