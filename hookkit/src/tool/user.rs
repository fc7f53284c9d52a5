//! The tools by which the model asks and tells the user.

use std::collections::BTreeMap;

use super::tool;
use crate::wire::wire;

tool! { AskUserQuestion = "AskUserQuestion" => AskUserQuestionResponse }
tool! { PushNotification = "PushNotification" => PushNotificationResponse }
tool! { ReadNotifications = "ReadNotifications" => ReadNotificationsResponse }
tool! { SendFeedback = "SendFeedback" => SendFeedbackResponse }

wire! {
    /// Asks the user.
    pub struct AskUserQuestion {
        /// One to four questions.
        questions: Vec<Question>,
        /// The answers, by the questions' text: what a hook or a host answers in the user's stead.
        answers: Option<BTreeMap<String, String>>,
        /// What is noted beside the answers, by the questions' text.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// Who asks.
        metadata: Option<QuestionMetadata>,
    }

    /// A question to the user.
    pub struct Question {
        /// The question.
        question: String,
        /// The same in a word or two.
        header: String,
        /// Two to four answers to choose from.
        options: Vec<QuestionOption>,
        /// Whether several can be chosen.
        multi_select: bool as written = "multiSelect",
    }

    /// An answer that the user can choose.
    pub struct QuestionOption {
        /// The answer.
        label: String,
        /// What it means.
        description: String,
        /// What is shown beside it while it is looked at.
        preview: Option<String>,
    }

    /// What is noted beside an answer.
    pub struct Annotation {
        /// What was shown beside the answer.
        preview: Option<String>,
        /// What the user wrote to it.
        notes: Option<String>,
        /// Why there is no answer. Only a response has it.
        unanswered: Option<Unanswered>,
    }

    /// Why a question has no answer.
    pub enum Unanswered {
        /// The user left it out.
        Skipped = "skipped",
        /// The user wrote something instead.
        RepliedInChat = "replied_in_chat",
        /// The user closed it.
        Dismissed = "dismissed",
    }

    /// Who asks.
    pub struct QuestionMetadata {
        /// Where the question comes from.
        source: Option<String>,
    }

    /// What [`AskUserQuestion`] gives back.
    pub struct AskUserQuestionResponse with defaults {
        /// The questions.
        questions: Vec<Question>,
        /// The answers, by the questions' text.
        answers: BTreeMap<String, String>,
        /// What the user wrote instead.
        response: Option<String>,
        /// What is noted beside the answers, by the questions' text.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// After how many milliseconds it was taken that the user is away.
        afk_timeout_ms: Option<u64> = "afkTimeoutMs",
    }

    /// Tells a user who is away.
    pub struct PushNotification {
        /// What the user is told.
        message: String,
        /// `proactive`.
        status: Option<String>,
    }

    /// What [`PushNotification`] gives back.
    pub struct PushNotificationResponse with defaults {
        /// What the user is told.
        message: String,
        /// Whether it went to another device.
        push_sent: Option<bool> = "pushSent",
        /// Whether it was shown on this machine.
        local_sent: Option<bool> = "localSent",
        /// Why it was not sent.
        disabled_reason: Option<PushDisabled> = "disabledReason",
        /// When it was sent.
        sent_at: Option<String> = "sentAt",
    }

    /// Why the user was not told.
    pub enum PushDisabled {
        /// The user does not want it.
        ConfigOff = "config_off",
        /// The user is here.
        UserPresent = "user_present",
        /// There is no way to the user.
        NoTransport = "no_transport",
    }

    /// Reads what came in for the session meanwhile.
    pub struct ReadNotifications {}

    /// What [`ReadNotifications`] gives back.
    pub struct ReadNotificationsResponse with defaults {
        /// What came in.
        notifications: Vec<QueuedNotification>,
        /// How many are left.
        remaining: u64,
        /// When they were read.
        read_at: Option<String>,
    }

    /// What came in for the session.
    pub struct QueuedNotification with defaults {
        /// Its id.
        notification_id: String,
        /// Where it comes from.
        origin: String,
        /// When it was put into the queue.
        queued_at: String,
        /// What it says.
        content: String,
        /// When it arrived.
        arrived_at: Option<String>,
    }

    /// Tells the client's makers what could be better.
    pub struct SendFeedback {
        /// What it is (`type`).
        kind: FeedbackKind = "type",
        /// A heading.
        title: String,
        /// All of it.
        details: String,
        /// What it is about.
        area: Option<String>,
        /// What the model did wrong, in a word of the client's: `instruction_following`, `overeager`, …
        failure_mode: Option<String>,
        /// What was being done, in a word of the client's: `code_edit`, `debug`, `review`, …
        task_category: Option<String>,
    }

    /// What the client's makers are told.
    pub enum FeedbackKind {
        /// Something goes wrong.
        Bug = "bug",
        /// Something could be better.
        Idea = "idea",
        /// Something is not there.
        MissingCapability = "missing_capability",
    }

    /// What [`SendFeedback`] gives back.
    pub struct SendFeedbackResponse with defaults {
        /// Whether it was sent.
        success: bool,
        /// What the model is told.
        message: String,
    }
}
