//! What the client does with what a hook prints, and how it ended, by the event.

use crate::event::{self, Event};
use crate::matcher::is_same;

/// What the client makes of a hook's output on one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The event.
    pub event: &'static Event,
    /// What the event announces, or tells of, as a sentence begins: "the tool call".
    pub subject: &'static str,
    /// Whether the client's texts name the event together with the matcher's target: `PreToolUse:Bash`.
    pub names_target: bool,
    /// Which of the client's two ways of reading an answer it goes.
    pub reader: Reader,
    /// Where text that is no JSON goes, where the hook exits with 0.
    pub plain_text: PlainText,
    /// What `decision: "block"` and exit code 2 do.
    pub block: Block,
    /// What `continue: false` does.
    pub stop: Stop,
    /// Where `systemMessage` goes.
    pub system_message: SystemMessage,
    /// What `additionalContext` does.
    pub context: Context,
    /// The members of `hookSpecificOutput`, beside `hookEventName`.
    /// `None` where the event has no such object: to give one voids the whole answer.
    pub members: Option<&'static [Member]>,
}

/// How much of an answer the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// All of it. The object of another event voids the answer.
    Whole,
    /// `decision: "block"`, and what the event's own fields hold. Nobody looks whose object it is.
    Reduced,
}

/// Where text that is no JSON goes, where the hook exits with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainText {
    /// To the debug log.
    Unread,
    /// To the model.
    Model,
    /// To the model, as if it were the answer's `additionalContext`.
    AsContext,
    /// Into the instructions for the summary, and so does JSON that does not block.
    Instructions,
    /// Into the command's own output, and so does JSON.
    CommandOutput,
    /// Its last line is a path, and so is JSON.
    Path,
}

/// What `decision: "block"` and exit code 2 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Nothing.
    Ignored,
    /// What the event announces does not happen.
    Refuses,
    /// It has happened; the model is told of the objection.
    Tells,
    /// The turn ends before the model is asked again.
    EndsTurn,
    /// The agent, about to end its turn, goes on.
    KeepsGoing,
}

/// What `continue: false` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Nothing.
    Ignored,
    /// The turn ends, once what the event is about has been done.
    EndsTurn,
    /// The model is not asked, though the prompt stays.
    EndsBeforeModel,
    /// The agent ends its turn, whatever another hook wants.
    LetsEnd,
}

/// Where `systemMessage` goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemMessage {
    /// Nowhere.
    Dropped,
    /// To the user.
    User,
    /// To the user of a terminal; nothing of it was seen without one.
    Terminal,
    /// To the model, after `/add-dir` alone.
    Model,
}

/// What `additionalContext` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The event has no such member.
    Unknown,
    /// The model reads it.
    Model,
    /// The model reads it, and goes on with its turn for it.
    KeepsGoing,
    /// It is a member of the event's object, and is thrown away.
    Dropped,
}

/// A member of an answer, or of its `hookSpecificOutput`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its key.
    pub name: &'static str,
    /// What it may hold. Anything else, `null` too, voids the whole answer.
    pub kind: Kind,
    /// Whether the answer is void without it.
    pub is_required: bool,
}

/// What a member may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A string.
    Text,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// An object with any members.
    Map,
    /// Anything.
    Any,
    /// The object that says how a permission request is decided.
    Decision,
}

/// The members that an answer has on every event, beside `hookSpecificOutput`, in the order in which the client checks
/// them.
pub const MEMBERS: &[Member] = &[
    flag("continue"),
    flag("suppressOutput"),
    text("stopReason"),
    word("decision", &["approve", "block"]),
    text("reason"),
    text("systemMessage"),
    text("terminalSequence"),
];

/// How many UTF-16 units of a context, a message or a plain text the client passes on.
///
/// Of what is longer it passes on the beginning, with the path of a file that holds the whole.
pub const TEXT_LIMIT: usize = 10_000;

/// How many bytes of such a text it then passes on.
pub const PREVIEW_LIMIT: usize = 2_000;

/// How many bytes a `terminalSequence` may have.
pub const TERMINAL_SEQUENCE_LIMIT: usize = 4_096;

/// What the client makes of a hook's output on this event.
///
/// Of an event that is not one of [`EVENTS`](event::EVENTS) it is taken that nothing is read.
/// In a constant it costs a program nothing.
pub const fn output(event: &Event) -> &'static Output {
    let mut rest = OUTPUTS;
    while let [output, others @ ..] = rest {
        if is_same(output.event.name.as_bytes(), event.name.as_bytes()) {
            return output;
        }
        rest = others;
    }
    &UNREAD
}

impl Output {
    /// Whether the client takes an answer in JSON, and not plain text alone. On PreCompact a block is heeded in JSON all
    /// the same.
    pub const fn takes_json(&self) -> bool {
        !matches!(
            self.plain_text,
            PlainText::Instructions | PlainText::CommandOutput | PlainText::Path
        )
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
            if is_same(member.name.as_bytes(), CONTEXT.name.as_bytes()) {
                return true;
            }
            rest = others;
        }
        false
    }
}

/// The event whose object in `hookSpecificOutput` has this name, if it has one.
pub fn output_named(name: &str) -> Option<&'static Output> {
    OUTPUTS
        .iter()
        .find(|output| output.event.name == name && output.members.is_some())
}

const fn flag(name: &'static str) -> Member {
    member(name, Kind::Flag)
}

const fn text(name: &'static str) -> Member {
    member(name, Kind::Text)
}

const fn word(name: &'static str, words: &'static [&'static str]) -> Member {
    member(name, Kind::Word(words))
}

const fn member(name: &'static str, kind: Kind) -> Member {
    Member {
        name,
        kind,
        is_required: false,
    }
}

const CONTEXT: Member = text("additionalContext");

/// The only member of most objects.
const ONLY_CONTEXT: Option<&[Member]> = Some(&[CONTEXT]);

const WATCH_PATHS: Member = member("watchPaths", Kind::Texts);

const ELICITATION: Option<&[Member]> = Some(&[
    word("action", &["accept", "decline", "cancel"]),
    member("content", Kind::Map),
]);

/// An event of whose hooks nothing is read.
const UNREAD: Output = Output {
    event: &event::INSTRUCTIONS_LOADED,
    subject: "what it tells of",
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

/// What the client makes of a hook's output, by the event, in the order of [`EVENTS`](event::EVENTS).
pub const OUTPUTS: &[Output] = &[
    Output {
        event: &event::PRE_TOOL_USE,
        subject: "the tool call",
        names_target: true,
        block: Block::Refuses,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: Some(&[
            word("permissionDecision", &["allow", "deny", "ask", "defer"]),
            text("permissionDecisionReason"),
            member("updatedInput", Kind::Map),
            CONTEXT,
        ]),
        ..WHOLE
    },
    Output {
        event: &event::POST_TOOL_USE,
        subject: "the tool's result",
        names_target: true,
        block: Block::Tells,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: Some(&[
            CONTEXT,
            text("classifierContext"),
            member("updatedToolOutput", Kind::Any),
            member("updatedMCPToolOutput", Kind::Any),
        ]),
        ..WHOLE
    },
    Output {
        event: &event::POST_TOOL_USE_FAILURE,
        subject: "the tool's error",
        names_target: true,
        block: Block::Tells,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::POST_TOOL_BATCH,
        subject: "the turn",
        block: Block::EndsTurn,
        stop: Stop::EndsTurn,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::NOTIFICATION,
        subject: "the notification",
        context: Context::Dropped,
        members: ONLY_CONTEXT,
        ..UNREAD
    },
    Output {
        event: &event::USER_PROMPT_SUBMIT,
        subject: "the prompt",
        plain_text: PlainText::Model,
        block: Block::Refuses,
        stop: Stop::EndsBeforeModel,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: Some(&[CONTEXT, text("sessionTitle"), flag("suppressOriginalPrompt")]),
        ..WHOLE
    },
    Output {
        event: &event::USER_PROMPT_EXPANSION,
        subject: "the command",
        plain_text: PlainText::Model,
        block: Block::Refuses,
        stop: Stop::EndsBeforeModel,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: Some(&[CONTEXT, flag("suppressOriginalPrompt")]),
        ..WHOLE
    },
    Output {
        event: &event::SESSION_START,
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
    Output {
        event: &event::SESSION_END,
        subject: "the session's end",
        ..UNREAD
    },
    Output {
        event: &event::STOP,
        subject: "the end of the turn",
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::User,
        context: Context::KeepsGoing,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::STOP_FAILURE,
        subject: "the failed turn",
        ..UNREAD
    },
    Output {
        event: &event::SUBAGENT_START,
        subject: "the subagent",
        system_message: SystemMessage::Terminal,
        context: Context::Model,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::SUBAGENT_STOP,
        subject: "the end of the subagent's turn",
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::Terminal,
        context: Context::KeepsGoing,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::PRE_COMPACT,
        subject: "the compaction",
        plain_text: PlainText::Instructions,
        block: Block::Refuses,
        ..UNREAD
    },
    Output {
        event: &event::POST_COMPACT,
        subject: "the compaction",
        plain_text: PlainText::CommandOutput,
        ..UNREAD
    },
    Output {
        event: &event::PRE_MODEL_SWITCH,
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
    Output {
        event: &event::POST_MODEL_SWITCH,
        subject: "the switch of the model",
        names_target: true,
        plain_text: PlainText::AsContext,
        system_message: SystemMessage::User,
        context: Context::Model,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::PERMISSION_REQUEST,
        subject: "the tool call",
        names_target: true,
        members: Some(&[Member {
            name: "decision",
            kind: Kind::Decision,
            is_required: true,
        }]),
        ..WHOLE
    },
    Output {
        event: &event::PERMISSION_DENIED,
        subject: "the denial",
        names_target: true,
        members: Some(&[flag("retry")]),
        ..WHOLE
    },
    Output {
        event: &event::SETUP,
        subject: "the setup",
        names_target: true,
        context: Context::Dropped,
        members: ONLY_CONTEXT,
        ..WHOLE
    },
    Output {
        event: &event::TEAMMATE_IDLE,
        subject: "the end of the teammate's turn",
        block: Block::KeepsGoing,
        stop: Stop::LetsEnd,
        system_message: SystemMessage::Terminal,
        ..WHOLE
    },
    Output {
        event: &event::TASK_CREATED,
        subject: "the task",
        block: Block::Refuses,
        ..WHOLE
    },
    // At the end of a teammate's turn `continue` and `systemMessage` are read, too.
    Output {
        event: &event::TASK_COMPLETED,
        subject: "the task's completion",
        block: Block::Refuses,
        ..WHOLE
    },
    Output {
        event: &event::ELICITATION,
        subject: "the server's question",
        block: Block::Refuses,
        members: ELICITATION,
        ..UNREAD
    },
    Output {
        event: &event::ELICITATION_RESULT,
        subject: "the answer to the server's question",
        block: Block::Refuses,
        members: ELICITATION,
        ..UNREAD
    },
    Output {
        event: &event::CONFIG_CHANGE,
        subject: "the change of the settings",
        block: Block::Refuses,
        ..UNREAD
    },
    Output {
        event: &event::WORKTREE_CREATE,
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
    Output {
        event: &event::WORKTREE_REMOVE,
        subject: "the removal of the worktree",
        ..UNREAD
    },
    Output {
        event: &event::INSTRUCTIONS_LOADED,
        subject: "the instructions",
        ..UNREAD
    },
    Output {
        event: &event::CWD_CHANGED,
        subject: "the new directory",
        system_message: SystemMessage::Terminal,
        members: Some(&[WATCH_PATHS]),
        ..UNREAD
    },
    Output {
        event: &event::FILE_CHANGED,
        subject: "the file's change",
        system_message: SystemMessage::Terminal,
        members: Some(&[WATCH_PATHS]),
        ..UNREAD
    },
    Output {
        event: &event::DIRECTORY_ADDED,
        subject: "the new directory",
        system_message: SystemMessage::Model,
        ..UNREAD
    },
    Output {
        event: &event::MESSAGE_DISPLAY,
        subject: "the message",
        members: Some(&[text("displayContent")]),
        ..WHOLE
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{EVENTS, Refusal};

    #[test]
    fn every_event_has_its_output_and_in_the_same_order() {
        let names: Vec<&str> = OUTPUTS.iter().map(|output| output.event.name).collect();
        let events: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
        assert_eq!(names, events);
        assert_eq!(OUTPUTS.iter().filter(|output| output.members.is_some()).count(), 22);
    }

    #[test]
    fn what_blocks_here_refuses_there() {
        for Output { event, block, .. } in OUTPUTS {
            let is_refused = !matches!(block, Block::Ignored | Block::Tells);
            // A permission request is refused by an object of its own, and not by a block.
            let refuses = !matches!(event.refusal, Refusal::Impossible | Refusal::DenyRequest);
            assert_eq!(is_refused, refuses, "{}", event.name);
        }
    }
}
