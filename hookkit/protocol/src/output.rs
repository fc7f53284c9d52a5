//! The client's use of a hook's output and exit code.

/// The members of an answer that the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// All members. If the answer has the object of another event, the answer is void.
    Whole,
    /// `decision: "block"`, and the event's own fields. The client does not check to which event the object belongs.
    Reduced,
}

/// The destination of stdout that is not JSON, if the hook exits with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainText {
    /// The debug log.
    Unread,
    /// The model.
    Model,
    /// The model, as if it were the answer's `additionalContext`.
    AsContext,
    /// The instructions for the summary. JSON that does not block goes there, too.
    Instructions,
    /// The command's own output. JSON goes there, too.
    CommandOutput,
    /// No effect: the client reads the last line of stdout as a path, even if it is JSON.
    Path,
}

/// The effect of `decision: "block"` and of exit code 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// No effect.
    Ignored,
    /// The announced action does not happen.
    Denies,
    /// The action has happened; the model reads the reason.
    Reports,
    /// The turn ends before the model is asked again.
    EndsTurn,
    /// The agent was about to end its turn, and goes on.
    KeepsGoing,
}

/// The effect of `continue: false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// No effect.
    Ignored,
    /// The turn ends after the announced action.
    EndsTurn,
    /// The model is not asked, though the prompt stays.
    EndsBeforeModel,
    /// The agent ends its turn, whatever other hooks answer.
    LetsEnd,
}

/// The destination of `systemMessage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemMessage {
    /// No destination: the client drops it.
    Dropped,
    /// The user.
    User,
    /// The user of a terminal. Sessions without a terminal were not observed.
    Terminal,
    /// The model, only after `/add-dir`.
    Model,
}

/// The effect of `additionalContext`, on an event whose object has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The model reads the text.
    Model,
    /// The model reads the text, and continues its turn.
    KeepsGoing,
    /// No effect: the client drops the text.
    Dropped,
}

/// A member of an answer, or of its `hookSpecificOutput`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The key.
    pub name: &'static str,
    /// Allowed values. Any other value, including `null`, makes the whole answer void.
    pub kind: MemberKind,
    /// `true` if the answer is void without this member.
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
    /// Any value.
    Any,
    /// The object that decides a permission request.
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
/// From a longer text, the client passes on the beginning, and the path of a file that has the whole text.
pub const TEXT_LIMIT: usize = 10_000;

impl Member {
    /// Returns an optional member.
    pub const fn optional(name: &'static str, kind: MemberKind) -> Self {
        Self { name, kind, is_required: false }
    }
}
