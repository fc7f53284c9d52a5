//! The tools by which the model asks and tells the user.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{or_default, tool};
use crate::open::{count, open_enum};

tool! { AskUserQuestion = "AskUserQuestion" => AskUserQuestionResponse }
tool! { PushNotification = "PushNotification" => PushNotificationResponse }
tool! { ReadNotifications = "ReadNotifications" => ReadNotificationsResponse }
tool! { SendFeedback = "SendFeedback" => SendFeedbackResponse }

/// Asks the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskUserQuestion {
    /// One to four questions.
    pub questions: Vec<Question>,
    /// The answers, by the questions' text: what a hook or a host answers in the user's stead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// What is noted beside the answers, by the questions' text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<BTreeMap<String, Annotation>>,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<QuestionMetadata>,
}

/// A question to the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Question {
    /// The question.
    pub question: String,
    /// The same in a word or two.
    pub header: String,
    /// Two to four answers to choose from.
    pub options: Vec<QuestionOption>,
    /// Whether several can be chosen.
    #[serde(default, deserialize_with = "or_default")]
    pub multi_select: bool,
}

/// An answer that the user can choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionOption {
    /// The answer.
    pub label: String,
    /// What it means.
    pub description: String,
    /// What is shown beside it while it is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// What is noted beside an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Annotation {
    /// What was shown beside the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// What the user wrote to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Why there is no answer. Only a response has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Unanswered>,
}

open_enum! {
    /// Why a question has no answer.
    pub enum Unanswered {
        /// The user left it out.
        Skipped = "skipped",
        /// The user wrote something instead.
        RepliedInChat = "replied_in_chat",
        /// The user closed it.
        Dismissed = "dismissed",
    }
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionMetadata {
    /// Where the question comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What [`AskUserQuestion`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AskUserQuestionResponse {
    /// The questions.
    pub questions: Vec<Question>,
    /// The answers, by the questions' text.
    pub answers: BTreeMap<String, String>,
    /// What the user wrote instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// What is noted beside the answers, by the questions' text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<BTreeMap<String, Annotation>>,
    /// After how many milliseconds it was taken that the user is away.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub afk_timeout_ms: Option<u64>,
}

/// Tells a user who is away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PushNotification {
    /// What the user is told.
    pub message: String,
    /// `proactive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// What [`PushNotification`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PushNotificationResponse {
    /// What the user is told.
    pub message: String,
    /// Whether it went to another device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_sent: Option<bool>,
    /// Whether it was shown on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_sent: Option<bool>,
    /// Why it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled_reason: Option<PushDisabled>,
    /// When it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
}

open_enum! {
    /// Why the user was not told.
    pub enum PushDisabled {
        /// The user does not want it.
        ConfigOff = "config_off",
        /// The user is here.
        UserPresent = "user_present",
        /// There is no way to the user.
        NoTransport = "no_transport",
    }
}

/// Reads what came in for the session meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadNotifications {}

/// What [`ReadNotifications`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadNotificationsResponse {
    /// What came in.
    pub notifications: Vec<QueuedNotification>,
    /// How many are left.
    pub remaining: u64,
    /// When they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_at: Option<String>,
}

/// What came in for the session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct QueuedNotification {
    /// Its id.
    pub notification_id: String,
    /// Where it comes from.
    pub origin: String,
    /// When it was put into the queue.
    pub queued_at: String,
    /// What it says.
    pub content: String,
    /// When it arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_at: Option<String>,
}

/// Tells the client's makers what could be better.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SendFeedback {
    /// What it is (`type`).
    #[serde(rename = "type")]
    pub kind: FeedbackKind,
    /// A heading.
    pub title: String,
    /// All of it.
    pub details: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// What the model did wrong, in a word of the client's: `instruction_following`, `overeager`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_mode: Option<String>,
    /// What was being done, in a word of the client's: `code_edit`, `debug`, `review`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_category: Option<String>,
}

open_enum! {
    /// What the client's makers are told.
    pub enum FeedbackKind {
        /// Something goes wrong.
        Bug = "bug",
        /// Something could be better.
        Idea = "idea",
        /// Something is not there.
        MissingCapability = "missing_capability",
    }
}

/// What [`SendFeedback`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SendFeedbackResponse {
    /// Whether it was sent.
    pub success: bool,
    /// What the model is told.
    pub message: String,
}
