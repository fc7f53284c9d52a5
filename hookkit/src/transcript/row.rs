//! The rows of a transcript, one for each line.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::block::{Block, text_of};
use super::record::{Lenient, conversation_row, json_of, record};
use crate::Json;
use crate::json::{self, Scanned};

/// A row of a transcript: the content of a line.
///
/// In addition to the conversation's rows, there are many rows of the client's own bookkeeping. New client versions add
/// more kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Row {
    /// `user`: a prompt, the results of tools, or a text that the client adds in the role of the user.
    User(User),
    /// `assistant`: the model's reply or a part of it.
    Assistant(Assistant),
    /// `system`: a note from the client to the user.
    System(System),
    /// `attachment`: content that the client adds to the conversation, such as the result of a hook.
    Attachment(Attachment),
    /// `summary`: a title of a conversation.
    Summary(Summary),
    /// `result`: the end of a run of the model. Only in `stream-json` output, usually once, as its last row.
    Result(RunResult),
    /// Any other row, as JSON.
    Other(Json),
    /// A line that is not a JSON object or is too long, usually left by a crash.
    Broken(Broken),
}

impl Row {
    /// Returns the row of a line.
    pub(super) fn of(object: &Scanned<'_>) -> Self {
        let has_message = || object.get("message").is_some_and(|message| message.starts_with(b"{"));
        match object.get("type") {
            Some(br#""user""#) if has_message() => Self::User(User::of_row(object)),
            Some(br#""assistant""#) if has_message() => Self::Assistant(Assistant::of_row(object)),
            Some(br#""system""#) => Self::System(System { row: json_of(object), ..System::of_row(object) }),
            Some(br#""attachment""#) => Self::Attachment(Attachment::of_row(object)),
            Some(br#""summary""#) => Self::Summary(Summary::of(object)),
            Some(br#""result""#) => Self::Result(RunResult { row: json_of(object), ..RunResult::of(object) }),
            _ => Self::Other(json_of(object)),
        }
    }

    /// Returns `true` if the row is part of a subagent's conversation. Returns `false` for bookkeeping rows.
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

/// Decodes a row that is not in a file, such as a line of the client's `stream-json` output.
impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let object = Scanned::scan(json.text().as_bytes()).map_err(D::Error::custom)?;
        Ok(Self::of(&object))
    }
}

conversation_row! {
    /// A row in the role of the user.
    pub struct User {
        /// The text, or the results of tools.
        pub message: Message = "message",
        /// Structured output of a tool, in the row of its result: the `tool_response` of PostToolUse. For a failed
        /// call, a string.
        pub tool_use_result: Option<Json> = "toolUseResult" | "tool_use_result",
        /// In the row of a tool's result: id of the row of the call.
        pub source_tool_assistant_uuid: Option<String> = "sourceToolAssistantUUID",
        /// Id of the prompt that the row belongs to.
        pub prompt_id: Option<String> = "promptId",
        /// Origin of the prompt, if the user did not type it.
        pub origin: Option<Origin> = "origin",
        /// `true` if the client wrote the row: the reason of a hook that blocked Stop, for example, or the text of a skill.
        pub is_meta: bool = "isMeta",
        /// `true` if the row is the summary of a compacted conversation.
        pub is_compact_summary: bool = "isCompactSummary",
        /// `true` if the model does not see the row.
        pub is_visible_in_transcript_only: bool = "isVisibleInTranscriptOnly",
    }
}

/// Beginnings of `user` rows that the client writes and that do not start a turn.
const NOT_PROMPTS: [&str; 5] = [
    "[Request interrupted by user", "<local-command-stdout>", "<local-command-stderr>", "<bash-input>", "<bash-stdout>",
];

impl User {
    /// Returns `true` if the row starts a turn: a prompt, a slash command, or the notification of a background task.
    ///
    /// Results of tools, and rows that the client adds during a turn, do not start a turn.
    pub fn starts_turn(&self) -> bool {
        let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
        !(self.is_meta
            || self.is_compact_summary
            || self.is_visible_in_transcript_only
            || self.message.content.iter().any(is_result)
            || NOT_PROMPTS.iter().any(|start| self.message.starts_with(start)))
    }

    /// Returns `true` if the row is a prompt of the user: a row that starts a turn, except notifications of background
    /// tasks and messages of other agents.
    pub fn is_prompt(&self) -> bool {
        let is_human = self.origin.as_ref().is_none_or(Origin::is_human);
        is_human && self.starts_turn() && !self.message.starts_with("<task-notification>")
    }
}

record! {
    /// The origin of a prompt.
    pub struct Origin {
        /// Kind of origin: `human`, `task-notification`, `peer`, `channel`, `coordinator` or another.
        pub kind: String = "kind",
    }
}

impl Origin {
    fn is_human(&self) -> bool {
        self.kind == "human"
    }
}

conversation_row! {
    /// The model's reply or a part of it.
    ///
    /// Often each block of a reply has its own row; all rows of a reply have the same `message.id`.
    pub struct Assistant {
        /// The model's text and its tool calls.
        pub message: Message = "message",
        /// The API's id of the request.
        pub request_id: Option<String> = "requestId" | "request_id",
        /// `true` if the row reports an API error instead of a reply.
        pub is_api_error_message: bool = "isApiErrorMessage",
    }
}

impl Assistant {
    /// Returns `true` if the client, not a model, wrote the row: the text of an API error, for example.
    pub fn is_synthetic(&self) -> bool {
        self.is_api_error_message || self.message.model == "<synthetic>"
    }
}

record! {
    /// A message of the Messages API.
    pub struct Message {
        /// Role: `user` or `assistant`.
        pub role: String = "role",
        /// Content of the message. A string becomes one text block.
        pub content: Vec<Block> = "content",
        /// Id of the reply, shared by all of its rows.
        pub id: Option<String> = "id",
        /// Model that replied.
        pub model: String = "model",
        /// Reason for the end of the reply: `end_turn`, `tool_use`, `max_tokens` or another. `None` while it is unknown.
        pub stop_reason: Option<String> = "stop_reason",
        /// Tokens of the request and the reply, repeated in each row of the reply.
        pub usage: Usage = "usage",
    }
}

impl Message {
    /// Returns the text blocks, joined with line feeds.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }

    fn starts_with(&self, start: &str) -> bool {
        matches!(self.content.first(), Some(Block::Text { text }) if text.starts_with(start))
    }
}

record! {
    /// The tokens of a request and its reply.
    #[derive(Copy, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Usage {
        /// Request tokens neither read from the cache nor written to it.
        pub input_tokens: u64 = "input_tokens",
        /// Tokens of the reply.
        pub output_tokens: u64 = "output_tokens",
        /// Request tokens written to the cache.
        pub cache_creation_input_tokens: u64 = "cache_creation_input_tokens",
        /// Request tokens read from the cache.
        pub cache_read_input_tokens: u64 = "cache_read_input_tokens",
        /// Parts of `cache_creation_input_tokens`, per lifetime.
        pub cache_creation: CacheCreation = "cache_creation",
    }
}

record! {
    /// The tokens that a request writes to the cache.
    #[derive(Copy, Serialize, Deserialize)]
    #[serde(default)]
    pub struct CacheCreation {
        /// Tokens that are kept for five minutes.
        pub ephemeral_5m_input_tokens: u64 = "ephemeral_5m_input_tokens",
        /// Tokens that are kept for an hour.
        pub ephemeral_1h_input_tokens: u64 = "ephemeral_1h_input_tokens",
    }
}

impl Usage {
    /// Returns all tokens of the request: the size of the model's context before the reply.
    pub fn request_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cache_creation_input_tokens).saturating_add(self.cache_read_input_tokens)
    }
}

/// Adds tokens, and saturates instead of overflowing.
impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |sum: &mut u64, more| *sum = sum.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_creation_input_tokens, other.cache_creation_input_tokens);
        add(&mut self.cache_read_input_tokens, other.cache_read_input_tokens);
        let (kept, others) = (&mut self.cache_creation, other.cache_creation);
        add(&mut kept.ephemeral_5m_input_tokens, others.ephemeral_5m_input_tokens);
        add(&mut kept.ephemeral_1h_input_tokens, others.ephemeral_1h_input_tokens);
    }
}

conversation_row! {
    /// A note from the client to the user. The model does not see it.
    pub struct System {
        /// Kind of note: `compact_boundary` (the model no longer sees the rows before it), `informational`,
        /// `local_command`, `api_error`, `turn_duration`, `stop_hook_summary` or another; in `stream-json` output also
        /// `init`.
        pub subtype: String = "subtype",
        /// Text of the note, if it has one.
        pub content: Option<String> = "content",
        /// The whole row; its other members depend on the subtype.
        pub row: Json,
    }
}

conversation_row! {
    /// Content that the client adds to the conversation.
    pub struct Attachment {
        /// The attachment; its `type` is the kind.
        pub attachment: Json = "attachment",
    }
}

impl Attachment {
    /// Returns the attachment's `type`: `hook_success`, `hook_blocking_error`, `hook_additional_context`, `queued_command`
    /// or one of many others. Empty if it has none.
    pub fn kind(&self) -> String {
        Attached::read(self.attachment.text().as_bytes()).unwrap_or_default().kind
    }

    /// Returns the prompt if the user typed it while the model was working.
    pub(super) fn queued_prompt(&self) -> Option<String> {
        let attached = Attached::read(self.attachment.text().as_bytes())?;
        let is_human = attached.origin.as_ref().is_none_or(Origin::is_human);
        let is_prompt = attached.kind == "queued_command" && is_human && !attached.is_meta;
        let text = is_prompt.then(|| text_of(&attached.prompt))?;
        (!text.starts_with("<task-notification>")).then_some(text)
    }
}

record! {
    /// The attachment members that are read.
    struct Attached {
        pub kind: String = "type",
        pub prompt: Vec<Block> = "prompt",
        pub origin: Option<Origin> = "origin",
        pub is_meta: bool = "isMeta",
    }
}

record! {
    /// A title of a conversation.
    pub struct Summary {
        /// The title.
        pub summary: String = "summary",
        /// Id of the last row of the conversation.
        pub leaf_uuid: String = "leafUuid",
    }
}

record! {
    /// The end of a run of the model, in `stream-json` output.
    ///
    /// The output has several such rows if background tasks made the model run again.
    pub struct RunResult {
        /// Outcome: `success`, `error_max_turns`, `error_during_execution` or another.
        pub subtype: String = "subtype",
        /// `true` if the run failed.
        pub is_error: bool = "is_error",
        /// Last text of the model, or the error text.
        pub result: Option<String> = "result",
        /// Number of turns.
        pub num_turns: u64 = "num_turns",
        /// Duration in milliseconds.
        pub duration_ms: u64 = "duration_ms",
        /// Id of the session.
        pub session_id: String = "session_id",
        /// Tokens of all requests.
        pub usage: Usage = "usage",
        /// The whole row, which includes `total_cost_usd`.
        pub row: Json,
    }
}

/// A line that cannot be read as a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// Offset of the line in the file, in bytes.
    pub offset: u64,
    /// Length of the line in bytes, without the line feed.
    pub length: u64,
    /// Description of the error.
    pub fault: String,
    /// The line, with U+FFFD in place of invalid UTF-8. Empty if longer than [`LONGEST_LINE`](super::LONGEST_LINE).
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
        Self { offset, length, fault: format!("is longer than {} MiB", super::LONGEST_LINE >> 20), text: String::new() }
    }
}
