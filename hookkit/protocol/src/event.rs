//! The events a hook can be registered for.

/// What the client does with one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The client's name of the event, as in `hook_event_name` and as the key in settings.json.
    pub name: &'static str,
    /// What the event's matcher is compared with.
    pub matcher_target: MatcherTarget,
}

/// What the client compares a matcher with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherTarget {
    /// The field `tool_name`. Old tool names and a host's own aliases are honoured.
    ToolName,
    /// The field of this name, literally.
    Field(&'static str),
    /// Nothing: the client runs the hook whatever its matcher says, without a warning.
    Ignored,
}

impl MatcherTarget {
    /// The input field that holds the target.
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::ToolName => Some("tool_name"),
            Self::Field(name) => Some(name),
            Self::Ignored => None,
        }
    }
}

/// Every event that hookkit knows, in the order of the client's documentation.
pub const EVENTS: &[Event] = &[
    PRE_TOOL_USE,
    POST_TOOL_USE,
    NOTIFICATION,
    USER_PROMPT_SUBMIT,
    SESSION_START,
    STOP,
];

/// Before a tool runs, and before its permissions are checked.
pub const PRE_TOOL_USE: Event = Event {
    name: "PreToolUse",
    matcher_target: MatcherTarget::ToolName,
};

/// After a tool ran and succeeded.
pub const POST_TOOL_USE: Event = Event {
    name: "PostToolUse",
    matcher_target: MatcherTarget::ToolName,
};

/// When the client wants the user's attention.
pub const NOTIFICATION: Event = Event {
    name: "Notification",
    matcher_target: MatcherTarget::Field("notification_type"),
};

/// When the user submits a prompt, before the model sees it.
pub const USER_PROMPT_SUBMIT: Event = Event {
    name: "UserPromptSubmit",
    matcher_target: MatcherTarget::Ignored,
};

/// When a session starts, is resumed, is cleared or was compacted.
pub const SESSION_START: Event = Event {
    name: "SessionStart",
    matcher_target: MatcherTarget::Field("source"),
};

/// When the model is about to end its turn.
pub const STOP: Event = Event {
    name: "Stop",
    matcher_target: MatcherTarget::Ignored,
};

/// The event of this name; names are case-sensitive, as in the client.
pub fn find(name: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.name == name)
}
