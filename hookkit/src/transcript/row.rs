//! The rows of a transcript, one a line.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::block::{Block, text_of};
use super::object::{Lenient, Object, conversation_row, record};
use crate::{Json, json};

/// A row of a transcript.
///
/// Next to the rows of the conversation there are many of the client's own bookkeeping, of which it adds kinds at any
/// time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Row {
    /// `user`: a prompt, the results of tools, or what the client says in the user's place.
    User(User),
    /// `assistant`: the model's reply, or a part of it.
    Assistant(Assistant),
    /// `system`: what the client notes for the user.
    System(System),
    /// `attachment`: what the client adds to the conversation, hooks' results among it.
    Attachment(Attachment),
    /// `summary`: a title for a conversation.
    Summary(Summary),
    /// `result`: how a run of the model ended. Only in `stream-json` output, as a rule once, at its end.
    Result(RunResult),
    /// Any other row, whole.
    Other(Json),
    /// A line that is not JSON object, or too long. What a crash has left, for the most part.
    Broken(Broken),
}

impl Row {
    /// The row in a line, which is an object.
    pub(super) fn of(object: &Object<'_>) -> Self {
        let has_message = || object.get("message").is_some_and(|message| message.starts_with(b"{"));
        match object.get("type") {
            Some(br#""user""#) if has_message() => Self::User(User::of_row(object)),
            Some(br#""assistant""#) if has_message() => Self::Assistant(Assistant::of_row(object)),
            Some(br#""system""#) => Self::System(System {
                row: object.json(),
                ..System::of_row(object)
            }),
            Some(br#""attachment""#) => Self::Attachment(Attachment::of_row(object)),
            Some(br#""summary""#) => Self::Summary(Summary::of(object)),
            Some(br#""result""#) => Self::Result(RunResult {
                row: object.json(),
                ..RunResult::of(object)
            }),
            _ => Self::Other(object.json()),
        }
    }

    /// Returns `true` if it is of a subagent's conversation; false of bookkeeping.
    pub fn is_sidechain(&self) -> bool {
        match self {
            Self::User(row) => row.is_sidechain,
            Self::Assistant(row) => row.is_sidechain,
            Self::System(row) => row.is_sidechain,
            Self::Attachment(row) => row.is_sidechain,
            _ => false,
        }
    }
}

/// A row that came by another way than a file, such as a line of the client's `stream-json` output.
impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let object = Object::scan(json.text().as_bytes()).map_err(D::Error::custom)?;
        Ok(Self::of(&object))
    }
}

conversation_row! {
    /// A row in the user's place.
    pub struct User {
        /// Prompt, or results of tools.
        pub message: Message = "message",
        /// Of a tool's result: the tool's structured output, the `tool_response` of PostToolUse. Of a call that failed it
        /// is a text.
        pub tool_use_result: Option<Json> = "toolUseResult" | "tool_use_result",
        /// Of a tool's result: the row of the call.
        pub source_tool_assistant_uuid: Option<String> = "sourceToolAssistantUUID",
        /// The prompt that it belongs to.
        pub prompt_id: Option<String> = "promptId",
        /// Origin of the prompt, if it is not the user's keyboard.
        pub origin: Option<Origin> = "origin",
        /// `true` if the client wrote it: the reason of a blocked stop for the model, say, or the text of a skill.
        pub is_meta: bool = "isMeta",
        /// `true` if it sums up what was compacted.
        pub is_compact_summary: bool = "isCompactSummary",
        /// `true` if the model is not shown it.
        pub is_visible_in_transcript_only: bool = "isVisibleInTranscriptOnly",
    }
}

/// Beginnings of rows that the client writes in the user's name without a request of the user.
const NO_PROMPTS: [&str; 5] = [
    "[Request interrupted by user",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-input>",
    "<bash-stdout>",
];

impl User {
    /// Returns `true` if the model begins to work on it: a prompt, a slash command, or the news of a background task.
    ///
    /// Results of tools, and what the client adds to a turn that goes on, do not start one.
    pub fn starts_turn(&self) -> bool {
        let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
        !(self.is_meta
            || self.is_compact_summary
            || self.is_visible_in_transcript_only
            || self.message.content.iter().any(is_result)
            || NO_PROMPTS.iter().any(|start| self.message.starts_with(start)))
    }

    /// Returns `true` for a request of the user: it starts a turn, and is neither the news of a background task nor the message
    /// of another agent.
    pub fn is_prompt(&self) -> bool {
        let is_human = self.origin.as_ref().is_none_or(Origin::is_human);
        is_human && self.starts_turn() && !self.message.starts_with("<task-notification>")
    }
}

record! {
    /// The origin of a prompt.
    pub struct Origin {
        /// `human`, `task-notification`, `peer`, `channel`, `coordinator` and others.
        pub kind: String = "kind",
    }
}

impl Origin {
    fn is_human(&self) -> bool {
        self.kind == "human"
    }
}

conversation_row! {
    /// The model's reply, or a part of it.
    ///
    /// A row for each block of it is common; those of one reply have one `message.id`.
    pub struct Assistant {
        /// Text and tool calls of the model.
        pub message: Message = "message",
        /// The request's id, as the API gave it.
        pub request_id: Option<String> = "requestId" | "request_id",
        /// `true` if the row reports an error of the API in place of a reply.
        pub is_api_error_message: bool = "isApiErrorMessage",
    }
}

impl Assistant {
    /// Returns `true` if the client wrote it, and no model: the text of an API error, say.
    pub fn is_synthetic(&self) -> bool {
        self.is_api_error_message || self.message.model == "<synthetic>"
    }
}

record! {
    /// A message of the Messages API.
    pub struct Message {
        /// `user` or `assistant`.
        pub role: String = "role",
        /// Blocks of the message. A message that is a mere text is one block.
        pub content: Vec<Block> = "content",
        /// The reply's id. Rows of one reply share it.
        pub id: Option<String> = "id",
        /// The model that replies.
        pub model: String = "model",
        /// Why the reply ends: `end_turn`, `tool_use`, `max_tokens` and others. Absent while it is not known.
        pub stop_reason: Option<String> = "stop_reason",
        /// The tokens of request and reply, repeated in each row of the reply.
        pub usage: Usage = "usage",
    }
}

impl Message {
    /// Returns the text blocks, on lines of their own.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }

    fn starts_with(&self, start: &str) -> bool {
        matches!(self.content.first(), Some(Block::Text { text }) if text.starts_with(start))
    }
}

record! {
    /// The number of tokens that a request and its reply took.
    #[derive(Copy, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Usage {
        /// Tokens of the request that no cache had a part in.
        pub input_tokens: u64 = "input_tokens",
        /// Tokens of the reply.
        pub output_tokens: u64 = "output_tokens",
        /// Tokens of the request that were put into the cache.
        pub cache_creation_input_tokens: u64 = "cache_creation_input_tokens",
        /// Tokens of the request that came from the cache.
        pub cache_read_input_tokens: u64 = "cache_read_input_tokens",
    }
}

impl Usage {
    /// The tokens of the request: after a reply, how full the model's context was.
    pub fn request_tokens(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.cache_creation_input_tokens)
            .saturating_add(self.cache_read_input_tokens)
    }
}

/// Sums saturate.
impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut u64, more| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens);
        add(&mut self.cache_read_input_tokens, other.cache_read_input_tokens);
    }
}

conversation_row! {
    /// A note of the client for the user. The model does not read it.
    pub struct System {
        /// `compact_boundary` (what is before it the model is shown no more), `informational`, `local_command`,
        /// `api_error`, `turn_duration`, `stop_hook_summary` and others; in `stream-json` output also `init`.
        pub subtype: String = "subtype",
        /// The note's text, where it has one.
        pub content: Option<String> = "content",
        /// All of the row: what else it has depends on its subtype.
        pub row: Json,
    }
}

conversation_row! {
    /// An addition of the client to the conversation.
    pub struct Attachment {
        /// The attachment, whose `type` says what it is.
        pub attachment: Json = "attachment",
    }
}

impl Attachment {
    /// The attachment's `type`: `hook_success`, `hook_blocking_error`, `hook_additional_context`, `queued_command` and
    /// many others. Empty where it has none.
    pub fn kind(&self) -> String {
        Attached::read(self.attachment.text().as_bytes())
            .unwrap_or_default()
            .kind
    }

    /// Returns the prompt that the user typed while the model worked, if the row is one.
    pub(super) fn queued_prompt(&self) -> Option<String> {
        let attached = Attached::read(self.attachment.text().as_bytes())?;
        let is_human = attached.origin.as_ref().is_none_or(Origin::is_human);
        let is_prompt = attached.kind == "queued_command" && is_human && !attached.is_meta;
        let text = is_prompt.then(|| text_of(&attached.prompt))?;
        (!text.starts_with("<task-notification>")).then_some(text)
    }
}

record! {
    /// The known members of attachments.
    struct Attached {
        pub kind: String = "type",
        pub prompt: Vec<Block> = "prompt",
        pub origin: Option<Origin> = "origin",
        pub is_meta: bool = "isMeta",
    }
}

record! {
    /// A title for a conversation.
    pub struct Summary {
        /// The title.
        pub summary: String = "summary",
        /// The last row of the conversation.
        pub leaf_uuid: String = "leafUuid",
    }
}

record! {
    /// The end of a run of the model, in `stream-json` output.
    ///
    /// There are several where background tasks have made it run anew.
    pub struct RunResult {
        /// `success`, `error_max_turns`, `error_during_execution` and others.
        pub subtype: String = "subtype",
        /// `true` if it failed.
        pub is_error: bool = "is_error",
        /// The last text of the model, or that of the error.
        pub result: Option<String> = "result",
        /// Number of turns of the model.
        pub num_turns: u64 = "num_turns",
        /// Duration in milliseconds.
        pub duration_ms: u64 = "duration_ms",
        /// The session.
        pub session_id: String = "session_id",
        /// The tokens of all requests.
        pub usage: Usage = "usage",
        /// All of the row, `total_cost_usd` among it.
        pub row: Json,
    }
}

/// A line that holds no row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Length in bytes, without the line feed.
    pub length: u64,
    /// Mistake.
    pub fault: String,
    /// The line, with U+FFFD for what is not UTF-8. Empty if it is longer than [`LONGEST_LINE`](super::LONGEST_LINE).
    pub text: String,
}

impl Broken {
    pub(super) fn new(offset: u64, line: &[u8], fault: &json::Error) -> Self {
        Self {
            offset,
            length: line.len() as u64,
            fault: fault.to_string(),
            text: String::from_utf8_lossy(line).into_owned(),
        }
    }

    pub(super) fn too_long(offset: u64, length: u64) -> Self {
        Self {
            offset,
            length,
            fault: format!("is longer than {} MiB", super::LONGEST_LINE >> 20),
            text: String::new(),
        }
    }
}
