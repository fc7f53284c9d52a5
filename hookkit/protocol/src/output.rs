//! The client's use of what a hook prints, and of how it ended.

/// The part of an answer that the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// All of it. The object of another event voids the answer.
    Whole,
    /// `decision: "block"`, and the event's own fields. The client does not check whose object it is.
    Reduced,
}

/// The reader of text that is not JSON, where the hook exits with 0.
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

/// The effect of `decision: "block"` and of exit code 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Nothing.
    Ignored,
    /// The announced action does not happen.
    Denies,
    /// It has happened; the model reads the objection.
    Reports,
    /// The turn ends before the model is asked again.
    EndsTurn,
    /// The agent, about to end its turn, goes on.
    KeepsGoing,
}

/// The effect of `continue: false`.
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

/// The reader of `systemMessage`.
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

/// The effect of `additionalContext`, on an event whose object has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The model reads it.
    Model,
    /// The model reads it, and goes on with its turn for it.
    KeepsGoing,
    /// It is thrown away.
    Dropped,
}

/// A member of an answer, or of its `hookSpecificOutput`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its key.
    pub name: &'static str,
    /// Allowed values. Anything else, `null` too, voids the whole answer.
    pub kind: MemberKind,
    /// `true` if the answer is void without it.
    pub is_required: bool,
}

/// The allowed values of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
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

/// The members that an answer has on every event, next to `hookSpecificOutput`, in the order in which the client checks
/// them.
pub const MEMBERS: &[Member] = &[
    Member::optional("continue", MemberKind::Flag),
    Member::optional("suppressOutput", MemberKind::Flag),
    Member::optional("stopReason", MemberKind::Text),
    Member::optional("decision", MemberKind::Word(&["approve", "block"])),
    Member::optional("reason", MemberKind::Text),
    Member::optional("systemMessage", MemberKind::Text),
    Member::optional("terminalSequence", MemberKind::Text),
];

/// Maximum number of UTF-16 units of a context, a message or a plain text that the client passes on.
///
/// Of what is longer it passes on the beginning, with the path of a file that holds the whole.
pub const TEXT_LIMIT: usize = 10_000;

impl Member {
    /// One that can be left out.
    pub const fn optional(name: &'static str, kind: MemberKind) -> Self {
        Self {
            name,
            kind,
            is_required: false,
        }
    }
}
