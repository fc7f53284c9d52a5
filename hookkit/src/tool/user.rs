//! Tools that ask and notify the user, and send feedback.

use std::collections::BTreeMap;

use super::tool;
use crate::wire::wire;

tool! { AskUserQuestion = "AskUserQuestion" => AskUserQuestionResponse }
tool! { PushNotification = "PushNotification" => PushNotificationResponse }
tool! { ReadNotifications = "ReadNotifications" => ReadNotificationsResponse }
tool! { SendFeedback = "SendFeedback" => SendFeedbackResponse }

wire! {
    /// Input of `AskUserQuestion`, which asks the user.
    pub struct AskUserQuestion {
        /// One to four questions.
        questions: Vec<Question>,
        /// Answers from a hook or a host in place of the user's answers, keyed by the questions' text.
        answers: Option<BTreeMap<String, String>>,
        /// Notes on the answers, keyed by the questions' text.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// Metadata of the questions.
        metadata: Option<QuestionMetadata>,
    }

    /// A question to the user.
    pub struct Question {
        /// The question.
        question: String,
        /// The question, in a word or two.
        header: String,
        /// Two to four answers to choose from.
        options: Vec<QuestionOption>,
        /// `true` if several answers can be chosen.
        multi_select: bool as written = "multiSelect",
    }

    /// An answer that the user can choose.
    pub struct QuestionOption {
        /// The answer.
        label: String,
        /// Meaning of the answer.
        description: String,
        /// Preview shown next to the answer while it is focused.
        preview: Option<String>,
    }

    /// A note on an answer.
    pub struct Annotation {
        /// Preview shown next to the answer.
        preview: Option<String>,
        /// The user's note on the answer.
        notes: Option<String>,
        /// Reason why there is no answer. Only a response has it.
        unanswered: Option<Unanswered>,
    }

    /// The reason why a question has no answer.
    pub enum Unanswered {
        /// The user skipped the question.
        Skipped = "skipped",
        /// The user replied in the chat instead.
        RepliedInChat = "replied_in_chat",
        /// The user dismissed the question.
        Dismissed = "dismissed",
    }

    /// Metadata of questions.
    pub struct QuestionMetadata {
        /// Source of the questions.
        source: Option<String>,
    }

    /// Response of [`AskUserQuestion`].
    pub struct AskUserQuestionResponse with defaults {
        /// The questions.
        questions: Vec<Question>,
        /// Answers, keyed by the questions' text.
        answers: BTreeMap<String, String>,
        /// Reply that the user wrote instead.
        response: Option<String>,
        /// Notes on the answers, keyed by the questions' text.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// Milliseconds after which the user was assumed to be away.
        afk_timeout_ms: Option<u64> = "afkTimeoutMs",
    }

    /// Input of `PushNotification`, which notifies a user who is away.
    pub struct PushNotification {
        /// Message to the user.
        message: String,
        /// Status: `proactive`.
        status: Option<String>,
    }

    /// Response of [`PushNotification`].
    pub struct PushNotificationResponse with defaults {
        /// Message to the user.
        message: String,
        /// `true` if the message was sent to another device.
        push_sent: Option<bool> = "pushSent",
        /// `true` if the message was shown on this machine.
        local_sent: Option<bool> = "localSent",
        /// Reason why the message was not sent.
        disabled_reason: Option<PushDisabled> = "disabledReason",
        /// Time when the message was sent.
        sent_at: Option<String> = "sentAt",
    }

    /// The reason why the user was not notified.
    pub enum PushDisabled {
        /// The user has disabled notifications.
        ConfigOff = "config_off",
        /// The user is present.
        UserPresent = "user_present",
        /// The user cannot be reached.
        NoTransport = "no_transport",
    }

    /// Input of `ReadNotifications`, which reads the notifications that arrived for the session.
    pub struct ReadNotifications {}

    /// Response of [`ReadNotifications`].
    pub struct ReadNotificationsResponse with defaults {
        /// The notifications.
        notifications: Vec<QueuedNotification>,
        /// Number of notifications left.
        remaining: u64,
        /// Time when the messages were read.
        read_at: Option<String>,
    }

    /// A notification for the session.
    pub struct QueuedNotification with defaults {
        /// Id of the notification.
        notification_id: String,
        /// Origin of the notification.
        origin: String,
        /// Time when the message was queued.
        queued_at: String,
        /// Content of the notification.
        content: String,
        /// Time of arrival.
        arrived_at: Option<String>,
    }

    /// Input of `SendFeedback`, which sends feedback to the client's developers.
    pub struct SendFeedback {
        /// Kind of feedback (`type`).
        kind: FeedbackKind = "type",
        /// Title of the feedback.
        title: String,
        /// Text of the feedback.
        details: String,
        /// Subject of the feedback.
        area: Option<String>,
        /// Mistake of the model, in the client's terms: `instruction_following`, `overeager`, …
        failure_mode: Option<String>,
        /// Kind of work, in the client's terms: `code_edit`, `debug`, `review`, …
        task_category: Option<String>,
    }

    /// The kind of [`SendFeedback`].
    pub enum FeedbackKind {
        /// A bug.
        Bug = "bug",
        /// An idea for an improvement.
        Idea = "idea",
        /// A missing capability.
        MissingCapability = "missing_capability",
    }

    /// Response of [`SendFeedback`].
    pub struct SendFeedbackResponse with defaults {
        /// `true` if the feedback was sent.
        success: bool,
        /// Message to the model.
        message: String,
    }
}
