//! The events that a hook can be registered for.

mod rows;

use crate::is_same;
use crate::output::{Block, Context, Member, PlainText, Reader, Stop, SystemMessage};

pub use self::rows::*;

/// The client's behavior on one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The client's name of the event, as in `hook_event_name` and as the key in settings.json.
    pub name: &'static str,
    /// The first published version of the client in which hooks can be registered for the event.
    pub since: &'static str,
    /// The thing that the event announces or reports, as the subject of a sentence: "the tool call".
    pub subject: &'static str,
    /// `true` if the client's messages name the event together with the matcher's target: `PreToolUse:Bash`.
    pub names_target: bool,
    /// The value that the event's matcher is compared with.
    pub matcher_target: MatcherTarget,
    /// `true` if only `|` separates a list; a blank, a comma or a hyphen then makes the matcher a regular expression.
    pub(crate) has_narrow_lists: bool,
    /// Timeout of a command without a `timeout`, in milliseconds.
    pub default_timeout: u32,
    /// The handler types that the client runs on the event, by name.
    ///
    /// A handler of any other type fails each time, without blocking anything (client 2.1.330). On
    /// PreSkillShellCommand, it keeps every command from running.
    pub handler_types: &'static [&'static str],
    /// The effect of `async` and `asyncRewake` (client 2.1.330).
    pub background: Background,
    /// The way to deny the announced action.
    pub denial: Denial,
    /// `true` if the client ignores `onFailure` although a hook can deny the action.
    pub ignores_on_failure: bool,
    /// The members of an answer that the client reads.
    pub reader: Reader,
    /// The destination of stdout that is not JSON, if the hook exits with 0.
    pub plain_text: PlainText,
    /// The effect of `decision: "block"` and exit code 2.
    pub block: Block,
    /// The effect of `continue: false`.
    pub stop: Stop,
    /// The destination of `systemMessage`.
    pub system_message: SystemMessage,
    /// The effect of `additionalContext`, if the event's object [has](Self::has_context) it.
    pub context: Context,
    /// The members of `hookSpecificOutput`, besides `hookEventName`.
    /// `None` if the event has no such object: an answer that has one is void.
    pub members: Option<&'static [Member]>,
}

impl Event {
    /// Returns `true` if the client raises the event only for files that it watches: files that a matcher or an answer
    /// names.
    pub fn watches_by_matcher(&self) -> bool {
        matches!(self.matcher_target, MatcherTarget::FileName)
    }

    /// Returns `true` if the client runs handlers of this type (`command`, `http` …) on this event.
    pub const fn has_handler_type(&self, name: &str) -> bool {
        let mut types = self.handler_types;
        while let [first, rest @ ..] = types {
            if is_same(first.as_bytes(), name.as_bytes()) {
                return true;
            }
            types = rest;
        }
        false
    }

    /// Returns `true` if the client evaluates a handler's `if` on this event.
    ///
    /// On any other event a handler that has an `if` never runs.
    pub const fn evaluates_if(&self) -> bool {
        matches!(self.matcher_target, MatcherTarget::ToolName)
    }

    /// Returns the only tools for which the event is raised: shells, for skill commands (client 2.1.332). `None`
    /// means all tools.
    pub fn only_tools(&self) -> Option<&'static [&'static str]> {
        (*self == PRE_SKILL_SHELL_COMMAND).then_some(&["Bash", "PowerShell"])
    }

    /// Returns `true` if the event announces a question to the user. The user decides if no hook does; in print mode,
    /// the question is denied or cancelled.
    pub fn asks_user(&self) -> bool {
        [PERMISSION_REQUEST, ELICITATION].contains(self)
    }

    /// Returns `true` if the client honors a handler's own `onFailure: "block"` on this event (client 2.1.330).
    pub const fn honors_on_failure(&self) -> bool {
        !self.ignores_on_failure && !matches!(self.denial, Denial::Impossible)
    }

    /// Returns `true` if a hook on this event can run in the background.
    pub const fn may_be_async(&self) -> bool {
        matches!(self.background, Background::Possible)
    }

    /// Returns `true` if the client reads an answer in JSON, and not only plain text.
    ///
    /// `false` for PreCompact, although the client reads a block in JSON there.
    pub const fn takes_json(&self) -> bool {
        !matches!(self.plain_text, PlainText::Instructions | PlainText::CommandOutput | PlainText::Path)
    }

    /// Returns `true` if the client uses any part of an answer besides a terminal sequence.
    pub fn is_read(&self) -> bool {
        let is_used = |member: &Member| member.name != "additionalContext" || self.context != Context::Dropped;
        self.plain_text != PlainText::Unread
            || self.block != Block::Ignored
            || self.stop != Stop::Ignored
            || self.system_message != SystemMessage::Dropped
            || self.members.is_some_and(|members| members.iter().any(is_used))
    }

    /// Returns `true` if the event's object may have `additionalContext`, even if the client ignores it.
    ///
    /// If so, the `additionalContext` of a background hook reaches the model; if not, the client drops it as an unknown
    /// key (client 2.1.330). The `systemMessage` of a background hook reaches the model on every event.
    pub const fn has_context(&self) -> bool {
        let Some(mut rest) = self.members else {
            return false;
        };
        while let [member, others @ ..] = rest {
            if is_same(member.name.as_bytes(), b"additionalContext") {
                return true;
            }
            rest = others;
        }
        false
    }
}

/// The effect of `async` and `asyncRewake` on a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// The client goes on without waiting for the hook.
    Possible,
    /// The client waits for the hook nevertheless.
    Ignored,
    /// The client goes on without an answer that it needs, so the announced action fails.
    Fails,
}

/// The way to deny the action that an event announces. Exit code 2 denies it, too, unless a variant says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// Impossible: the action has happened, or happens whatever a hook answers.
    Impossible,
    /// Denied by `decision: "block"` at the top of the answer.
    Block,
    /// Denied by `permissionDecision: "deny"` in the event's own object.
    Deny,
    /// Denied only by `decision.behavior: "deny"` in the event's own object: the client ignores exit code 2.
    DenyRequest,
    /// Denied by any exit code but 0, or an answer without a path: the hook does the work itself.
    Fail,
}

/// The value that the client compares a matcher with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatcherTarget {
    /// Ignored: the client runs the hook with any matcher, without a warning.
    Ignored,
    /// The field `tool_name`, or the host's alias of the tool.
    ToolName,
    /// The value of a field.
    Field {
        /// The field's name.
        name: &'static str,
        /// Possible values of the field.
        values: Values,
    },
    /// The last component of the path in the field `file_path`.
    FileName,
    /// The canonical name of the model in the field `to_model`. The payload does not contain the canonical name.
    ///
    /// The client drops a `[1m]` or `[2m]` after a name of the matcher. If the model has no canonical name, the hook
    /// runs with any matcher.
    Model,
}

/// The possible values of a field that a matcher is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Any name, for example of an agent, a command or a server.
    Any,
    /// One of these values (client 2.1.330), or another one: the client adds values without announcing them.
    Known(&'static [&'static str]),
    /// Only these values (client 2.1.330).
    Only(&'static [&'static str]),
}

impl MatcherTarget {
    /// Returns the payload's field that holds the target, for [`Matcher::admits`](crate::matcher::Matcher::admits).
    #[inline]
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::ToolName => Some("tool_name"),
            Self::Field { name, .. } => Some(name),
            Self::FileName => Some("file_path"),
            Self::Ignored | Self::Model => None,
        }
    }
}

/// Returns the event of this name. Names are case-sensitive, as in the client.
pub fn event(name: &str) -> Option<&'static Event> {
    EVENTS.iter().copied().find(|event| event.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::handler_type;

    #[test]
    fn every_event_is_found_by_its_name() {
        assert_eq!(EVENTS.len(), 34);
        for known in EVENTS {
            assert_eq!(event(known.name), Some(*known));
        }
        assert_eq!(event("stop"), None);
    }

    #[test]
    fn a_condition_is_evaluated_on_the_events_of_one_tool_call() {
        let names: Vec<&str> = EVENTS.iter().filter(|event| event.evaluates_if()).map(|event| event.name).collect();
        let expected = [
            "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied",
            "PreSkillShellCommand",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn commands_run_on_every_event_and_models_are_asked_where_the_turn_waits() {
        let is_asked = |event: &Event| event.handler_types.contains(&"prompt");
        for event in EVENTS {
            let types = event.handler_types;
            assert!(types.contains(&"command"), "{}", event.name);
            assert!(types.iter().all(|name| handler_type(name).is_some()), "{}", event.name);
        }
        assert_eq!(EVENTS.iter().filter(|event| is_asked(event)).count(), 13);
    }

    #[test]
    fn an_event_with_a_block_has_a_denial() {
        for event in EVENTS {
            let is_denied = !matches!(event.block, Block::Ignored | Block::Reports);
            // A permission request is denied by an object of its own, not by a block.
            let denies = !matches!(event.denial, Denial::Impossible | Denial::DenyRequest);
            assert_eq!(is_denied, denies, "{}", event.name);
        }
    }

    #[test]
    fn an_event_has_one_way_to_deny() {
        let names = |denial: Denial| {
            let events = EVENTS.iter().filter(move |event| event.denial == denial);
            events.map(|event| event.name).collect::<Vec<_>>()
        };
        let expected = ["PreToolUse", "PreModelSwitch", "PreSkillShellCommand"];
        assert_eq!(names(Denial::Deny), expected);
        assert_eq!(names(Denial::DenyRequest), ["PermissionRequest"]);
        assert_eq!(names(Denial::Fail), ["WorktreeCreate"]);
        let blocked = [
            "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion", "Stop", "SubagentStop", "PreCompact",
            "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
        ];
        assert_eq!(names(Denial::Block), blocked);
        let without = EVENTS.iter().filter(|event| event.denial != Denial::Impossible && !event.honors_on_failure());
        let without: Vec<&str> = without.map(|event| event.name).collect();
        assert_eq!(without, ["Stop", "SubagentStop", "TeammateIdle", "TaskCompleted"]);
        let waited: Vec<&str> = EVENTS.iter().filter(|event| !event.may_be_async()).map(|event| event.name).collect();
        assert_eq!(waited, ["WorktreeCreate", "MessageDisplay"]);
    }
}
