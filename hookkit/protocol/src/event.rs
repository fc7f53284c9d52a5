//! The events a hook can be registered for.

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
    /// The first client that raises it, as far as is known.
    pub since: &'static str,
    /// The thing that the event announces or reports, as a sentence begins: "the tool call".
    pub subject: &'static str,
    /// Set if the client's texts name the event together with the matcher's target: `PreToolUse:Bash`.
    pub names_target: bool,
    /// Value that the event's matcher is compared with.
    pub matcher_target: MatcherTarget,
    /// `true` if a matcher's list is separated by `|` alone, and holds neither blanks nor hyphens.
    pub(crate) has_narrow_lists: bool,
    /// Time that the client waits for a command without a `timeout` of its own, in milliseconds.
    pub default_timeout: u32,
    /// The types of handlers that the client runs on it, by their names.
    ///
    /// A handler of another type is an error each time, which blocks nothing (client 2.1.330).
    pub handler_types: &'static [&'static str],
    /// The effect of `async` and `asyncRewake` (client 2.1.330).
    pub background: Background,
    /// Way in which a hook denies the announced action.
    pub denial: Denial,
    /// Set where the client ignores `onFailure` though something can be denied.
    pub ignores_on_failure: bool,
    /// The way in which the client reads an answer: one of two.
    pub reader: Reader,
    /// The reader of text that is not JSON, if the hook exits with 0.
    pub plain_text: PlainText,
    /// The effect of `decision: "block"` and exit code 2.
    pub block: Block,
    /// The effect of `continue: false`.
    pub stop: Stop,
    /// The reader of `systemMessage`.
    pub system_message: SystemMessage,
    /// The effect of `additionalContext`, if the event's object [has](Self::has_context) it.
    pub context: Context,
    /// The members of `hookSpecificOutput`, besides `hookEventName`.
    /// `None` where the event has no such object: to give one voids the whole answer.
    pub members: Option<&'static [Member]>,
}

impl Event {
    /// Returns `true` if the client evaluates a handler's `if` on this event.
    ///
    /// On any other event a handler that has an `if` never runs.
    pub const fn evaluates_if(&self) -> bool {
        matches!(self.matcher_target, MatcherTarget::ToolName)
    }

    /// Returns `true` if the client honors a handler's own `onFailure: "block"` on this event (client 2.1.330).
    pub const fn honors_on_failure(&self) -> bool {
        !self.ignores_on_failure && !matches!(self.denial, Denial::Impossible)
    }

    /// Returns whether a hook on this event can run in the background.
    pub const fn may_be_async(&self) -> bool {
        matches!(self.background, Background::Possible)
    }

    /// Returns whether the client takes an answer in JSON, and not plain text alone. On PreCompact it honors a block in JSON
    /// all the same.
    pub const fn takes_json(&self) -> bool {
        !matches!(
            self.plain_text,
            PlainText::Instructions | PlainText::CommandOutput | PlainText::Path
        )
    }

    /// Returns whether the client uses anything that a hook says, apart from a terminal sequence.
    pub fn is_read(&self) -> bool {
        let is_used = |member: &Member| member.name != "additionalContext" || self.context != Context::Dropped;
        self.plain_text != PlainText::Unread
            || self.block != Block::Ignored
            || self.stop != Stop::Ignored
            || self.system_message != SystemMessage::Dropped
            || self.members.is_some_and(|members| members.iter().any(is_used))
    }

    /// Returns whether the event's object has `additionalContext`, whatever the client does with it.
    ///
    /// Of a hook that the client does not wait for it reaches the model then, and is dropped as an unknown key where the
    /// object is without it (client 2.1.330). `systemMessage` of such a hook reaches the model on every event.
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
    /// It goes on without waiting for the hook.
    Possible,
    /// It waits for the hook all the same.
    Ignored,
    /// It goes on without the answer that it needs, and what the event announces fails.
    Fails,
}

/// The way in which a hook denies the action that its event announces. Exit code 2 does, too, unless a variant says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
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

/// The value that the client compares a matcher with.
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
        /// Possible values of the field.
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

/// The possible values of a field that a matcher is compared with.
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

/// The event of this name; names are case-sensitive, as in the client.
pub fn event(name: &str) -> Option<&'static Event> {
    EVENTS.iter().copied().find(|event| event.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::handler_type;

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
    fn what_blocks_by_its_output_denies() {
        for event in EVENTS {
            let is_denied = !matches!(event.block, Block::Ignored | Block::Reports);
            // A permission request is denied by an object of its own, and not by a block.
            let denies = !matches!(event.denial, Denial::Impossible | Denial::DenyRequest);
            assert_eq!(is_denied, denies, "{}", event.name);
        }
    }

    #[test]
    fn what_can_be_denied_is_in_one_way() {
        let names = |denial: Denial| {
            let events = EVENTS.iter().filter(move |event| event.denial == denial);
            events.map(|event| event.name).collect::<Vec<_>>()
        };
        assert_eq!(names(Denial::Deny), ["PreToolUse", "PreModelSwitch"]);
        assert_eq!(names(Denial::DenyRequest), ["PermissionRequest"]);
        assert_eq!(names(Denial::Fail), ["WorktreeCreate"]);
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
        assert_eq!(names(Denial::Block), blocked);
        let without = EVENTS
            .iter()
            .filter(|event| event.denial != Denial::Impossible && !event.honors_on_failure());
        let without: Vec<&str> = without.map(|event| event.name).collect();
        assert_eq!(without, ["Stop", "SubagentStop", "TeammateIdle", "TaskCompleted"]);
        let waited: Vec<&str> = EVENTS
            .iter()
            .filter(|event| !event.may_be_async())
            .map(|event| event.name)
            .collect();
        assert_eq!(waited, ["WorktreeCreate", "MessageDisplay"]);
    }
}
