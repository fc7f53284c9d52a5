//! The events a hook can be registered for.

/// What the client does with one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The client's name of the event, as in `hook_event_name` and as the key in settings.json.
    pub name: &'static str,
    /// The first client that raises it, as far as is known.
    pub since: &'static str,
    /// What the event's matcher is compared with.
    pub matcher_target: MatcherTarget,
    /// How long the client waits for a command without a `timeout` of its own, in milliseconds.
    pub default_timeout: u32,
    /// How a hook refuses what the event announces.
    pub refusal: Refusal,
}

impl Event {
    /// Whether the client evaluates a handler's `if` on this event.
    ///
    /// On any other event a handler that has an `if` never runs.
    pub const fn evaluates_if(&self) -> bool {
        matches!(self.matcher_target, MatcherTarget::ToolName)
    }

    /// Whether the client heeds a handler's own `onFailure: "block"` on this event (client 2.1.330).
    pub const fn heeds_on_failure(&self) -> bool {
        let is_deaf = matches!(
            self.name.as_bytes(),
            b"Stop" | b"SubagentStop" | b"TaskCompleted" | b"TeammateIdle"
        );
        !is_deaf && !matches!(self.refusal, Refusal::Impossible)
    }

    /// Returns the effect of `async` and `asyncRewake` on this event (client 2.1.330).
    pub const fn background(&self) -> Background {
        match self.name.as_bytes() {
            b"WorktreeCreate" => Background::Fails,
            b"MessageDisplay" => Background::Ignored,
            _ => Background::Possible,
        }
    }

    /// Returns whether a hook on this event can run in the background.
    pub const fn may_be_async(&self) -> bool {
        matches!(self.background(), Background::Possible)
    }

    /// Whether a matcher's list is separated by `|` alone, and holds neither blanks nor hyphens.
    pub(crate) const fn has_narrow_lists(&self) -> bool {
        matches!(self.name.as_bytes(), b"StopFailure" | b"FileChanged")
    }
}

/// The effect of `async` and `asyncRewake` on a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// It goes on without waiting for the hook.
    Possible,
    /// It waits for the hook all the same.
    Ignored,
    /// It goes on without the answer that it needs, and what the event announces fails.
    Fails,
}

/// How a hook refuses what its event announces. Exit code 2 does, too, unless a variant says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not at all: it has happened, or happens whatever a hook says.
    Impossible,
    /// `decision: "block"` at the top of the answer.
    Block,
    /// `permissionDecision: "deny"` in the event's own object.
    Deny,
    /// `decision.behavior: "deny"` in the event's own object, and nothing else: exit code 2 goes unheeded.
    DenyRequest,
    /// By any exit code but 0, and by an answer without a path: the hook does the work itself.
    Fail,
}

/// What the client compares a matcher with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherTarget {
    /// Nothing: the client runs the hook whatever its matcher says, without a warning.
    Ignored,
    /// The field `tool_name`. A host's own aliases are honoured, too.
    ToolName,
    /// A field, as it is.
    Field {
        /// The field's name.
        name: &'static str,
        /// What the field can be.
        values: Values,
    },
    /// The last component of the path in the field `file_path`.
    FileName,
    /// The canonical name of the model in the field `to_model`, which no field holds.
    ///
    /// A `[1m]` or `[2m]` behind a name of the matcher is dropped before.
    /// The hook runs, whatever its matcher, where the model has no canonical name.
    Model,
}

/// What a field can be that a matcher is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Any name: of an agent, a command, a server.
    Any,
    /// One of these, which the client sends (2.1.330), or another: it adds to them without a word.
    Known(&'static [&'static str]),
    /// One of these, and nothing else (2.1.330).
    Only(&'static [&'static str]),
}

impl MatcherTarget {
    /// The payload's field from which the process can tell the target.
    ///
    /// [`Matcher::admits`](crate::matcher::Matcher::admits) takes its value.
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::ToolName => Some("tool_name"),
            Self::Field { name, .. } => Some(name),
            Self::FileName => Some("file_path"),
            Self::Ignored | Self::Model => None,
        }
    }
}

/// Every event of the client's, in the order of its documentation.
pub const EVENTS: &[&Event] = &[
    &PRE_TOOL_USE,
    &POST_TOOL_USE,
    &POST_TOOL_USE_FAILURE,
    &POST_TOOL_BATCH,
    &NOTIFICATION,
    &USER_PROMPT_SUBMIT,
    &USER_PROMPT_EXPANSION,
    &SESSION_START,
    &SESSION_END,
    &STOP,
    &STOP_FAILURE,
    &SUBAGENT_START,
    &SUBAGENT_STOP,
    &PRE_COMPACT,
    &POST_COMPACT,
    &PRE_MODEL_SWITCH,
    &POST_MODEL_SWITCH,
    &PERMISSION_REQUEST,
    &PERMISSION_DENIED,
    &SETUP,
    &TEAMMATE_IDLE,
    &TASK_CREATED,
    &TASK_COMPLETED,
    &ELICITATION,
    &ELICITATION_RESULT,
    &CONFIG_CHANGE,
    &WORKTREE_CREATE,
    &WORKTREE_REMOVE,
    &INSTRUCTIONS_LOADED,
    &CWD_CHANGED,
    &FILE_CHANGED,
    &DIRECTORY_ADDED,
    &MESSAGE_DISPLAY,
];

/// The event of this name; names are case-sensitive, as in the client.
pub fn event(name: &str) -> Option<&'static Event> {
    EVENTS.iter().copied().find(|event| event.name == name)
}

/// An event as most are: the client waits ten minutes, and nothing can be refused.
const fn new(name: &'static str, since: &'static str, matcher_target: MatcherTarget) -> Event {
    Event {
        name,
        since,
        matcher_target,
        default_timeout: 600_000,
        refusal: Refusal::Impossible,
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

/// Before a tool runs, and before its permissions are checked.
pub const PRE_TOOL_USE: Event = Event {
    refusal: Refusal::Deny,
    ..of_tool("PreToolUse", "1.0.38")
};

/// After a tool ran and succeeded.
pub const POST_TOOL_USE: Event = of_tool("PostToolUse", "1.0.38");

/// After a tool failed, or was interrupted.
pub const POST_TOOL_USE_FAILURE: Event = of_tool("PostToolUseFailure", "2.0.58");

/// Once every tool call of a message is done, before the model reads the results.
pub const POST_TOOL_BATCH: Event = Event {
    refusal: Refusal::Block,
    ..unmatched("PostToolBatch", "2.1.118")
};

/// When the client wants the user's attention.
pub const NOTIFICATION: Event = of_field(
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
);

/// When the user submits a prompt, before the model sees it.
pub const USER_PROMPT_SUBMIT: Event = Event {
    refusal: Refusal::Block,
    default_timeout: 30_000,
    ..unmatched("UserPromptSubmit", "1.0.54")
};

/// When a typed command, or a prompt of an MCP server, becomes a prompt.
pub const USER_PROMPT_EXPANSION: Event = Event {
    refusal: Refusal::Block,
    ..of_field("UserPromptExpansion", "2.1.116", "command_name", Values::Any)
};

/// When a session starts, is resumed, is cleared, was compacted or is forked.
pub const SESSION_START: Event = of_field(
    "SessionStart",
    "1.0.62",
    "source",
    Values::Only(&["startup", "resume", "clear", "compact", "fork"]),
);

/// When a session ends.
pub const SESSION_END: Event = Event {
    default_timeout: 1_500,
    ..of_field(
        "SessionEnd",
        "1.0.85",
        "reason",
        Values::Only(&["clear", "resume", "logout", "prompt_input_exit", "other"]),
    )
};

/// When the model is about to end its turn.
pub const STOP: Event = Event {
    refusal: Refusal::Block,
    ..unmatched("Stop", "1.0.38")
};

/// When an error of the API ended the turn.
pub const STOP_FAILURE: Event = of_field(
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
);

/// When a subagent starts.
pub const SUBAGENT_START: Event = of_field("SubagentStart", "2.0.43", "agent_type", Values::Any);

/// When a subagent is about to end.
pub const SUBAGENT_STOP: Event = Event {
    refusal: Refusal::Block,
    ..of_field("SubagentStop", "1.0.41", "agent_type", Values::Any)
};

/// Before the conversation is compacted.
pub const PRE_COMPACT: Event = Event {
    refusal: Refusal::Block,
    ..of_field("PreCompact", "1.0.48", "trigger", Values::Only(&["manual", "auto"]))
};

/// After the conversation was compacted.
pub const POST_COMPACT: Event = of_field("PostCompact", "2.1.76", "trigger", Values::Only(&["manual", "auto"]));

/// Before the session takes another model that was asked for.
pub const PRE_MODEL_SWITCH: Event = Event {
    refusal: Refusal::Deny,
    ..of_model("PreModelSwitch", "2.1.251")
};

/// After the session took another model, for whatever cause.
pub const POST_MODEL_SWITCH: Event = of_model("PostModelSwitch", "2.1.251");

/// When somebody has to allow a tool call, or nobody is there to be asked.
pub const PERMISSION_REQUEST: Event = Event {
    refusal: Refusal::DenyRequest,
    ..of_tool("PermissionRequest", "2.0.45")
};

/// After auto mode denied a tool call.
pub const PERMISSION_DENIED: Event = of_tool("PermissionDenied", "2.1.89");

/// When the client was started to set a project up.
pub const SETUP: Event = of_field("Setup", "2.1.10", "trigger", Values::Only(&["init", "maintenance"]));

/// When a member of an agent team is about to go idle.
pub const TEAMMATE_IDLE: Event = Event {
    refusal: Refusal::Block,
    ..unmatched("TeammateIdle", "2.1.33")
};

/// When a task is being created.
pub const TASK_CREATED: Event = Event {
    refusal: Refusal::Block,
    ..unmatched("TaskCreated", "2.1.84")
};

/// When a task is being marked as completed.
pub const TASK_COMPLETED: Event = Event {
    refusal: Refusal::Block,
    ..unmatched("TaskCompleted", "2.1.33")
};

/// When an MCP server asks the user something.
pub const ELICITATION: Event = Event {
    refusal: Refusal::Block,
    ..of_field("Elicitation", "2.1.76", "mcp_server_name", Values::Any)
};

/// When the user answered an MCP server.
pub const ELICITATION_RESULT: Event = Event {
    refusal: Refusal::Block,
    ..of_field("ElicitationResult", "2.1.76", "mcp_server_name", Values::Any)
};

/// When a settings file or a skill changed during the session.
pub const CONFIG_CHANGE: Event = Event {
    refusal: Refusal::Block,
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
pub const WORKTREE_CREATE: Event = Event {
    refusal: Refusal::Fail,
    ..unmatched("WorktreeCreate", "2.1.50")
};

/// When a worktree is to go.
pub const WORKTREE_REMOVE: Event = unmatched("WorktreeRemove", "2.1.50");

/// When a file of instructions was loaded.
pub const INSTRUCTIONS_LOADED: Event = of_field(
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
);

/// When the session's current directory changed.
pub const CWD_CHANGED: Event = unmatched("CwdChanged", "2.1.83");

/// When a watched file changed.
///
/// Its matcher is also the list of what is watched: its parts between the `|`, each taken literally.
pub const FILE_CHANGED: Event = new("FileChanged", "2.1.83", MatcherTarget::FileName);

/// When a directory was added to the session.
pub const DIRECTORY_ADDED: Event = of_field(
    "DirectoryAdded",
    "2.1.219",
    "source",
    Values::Only(&["slash_command", "register_repo_root"]),
);

/// When lines of the model's text are about to be shown.
pub const MESSAGE_DISPLAY: Event = Event {
    default_timeout: 10_000,
    ..unmatched("MessageDisplay", "2.1.152")
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_found_by_its_name() {
        assert_eq!(EVENTS.len(), 33);
        for known in EVENTS {
            assert_eq!(event(known.name), Some(*known));
        }
        assert_eq!(event("stop"), None);
    }

    #[test]
    fn a_condition_is_evaluated_on_the_events_of_one_tool_call() {
        let names: Vec<&str> = EVENTS
            .iter()
            .filter(|event| event.evaluates_if())
            .map(|event| event.name)
            .collect();
        let expected = [
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PermissionRequest",
            "PermissionDenied",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_can_be_refused_is_in_one_way() {
        let names = |refusal: Refusal| {
            let events = EVENTS.iter().filter(move |event| event.refusal == refusal);
            events.map(|event| event.name).collect::<Vec<_>>()
        };
        assert_eq!(names(Refusal::Deny), ["PreToolUse", "PreModelSwitch"]);
        assert_eq!(names(Refusal::DenyRequest), ["PermissionRequest"]);
        assert_eq!(names(Refusal::Fail), ["WorktreeCreate"]);
        let blocked = [
            "PostToolBatch",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "Stop",
            "SubagentStop",
            "PreCompact",
            "TeammateIdle",
            "TaskCreated",
            "TaskCompleted",
            "Elicitation",
            "ElicitationResult",
            "ConfigChange",
        ];
        assert_eq!(names(Refusal::Block), blocked);
        let deaf = EVENTS
            .iter()
            .filter(|event| event.refusal != Refusal::Impossible && !event.heeds_on_failure());
        let deaf: Vec<&str> = deaf.map(|event| event.name).collect();
        assert_eq!(deaf, ["Stop", "SubagentStop", "TeammateIdle", "TaskCompleted"]);
        let waited: Vec<&str> = EVENTS
            .iter()
            .filter(|event| !event.may_be_async())
            .map(|event| event.name)
            .collect();
        assert_eq!(waited, ["WorktreeCreate", "MessageDisplay"]);
    }
}
