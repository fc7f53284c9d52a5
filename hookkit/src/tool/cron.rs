//! The tools by which the model is called again later, or elsewhere.

use serde::{Deserialize, Serialize};

use super::{is_false, or_default, tool};
use crate::Json;
use crate::open::{count, open_enum};

tool! { CronCreate = "CronCreate" => CronCreateResponse }
tool! { CronDelete = "CronDelete" => CronDeleteResponse }
tool! { CronList = "CronList" => CronListResponse }
tool! { ScheduleWakeup = "ScheduleWakeup" => ScheduleWakeupResponse }
tool! { RemoteTrigger = "RemoteTrigger" => RemoteTriggerResponse }

/// Has the session prompted at certain times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronCreate {
    /// When, as a cron expression of five fields.
    pub cron: String,
    /// The prompt.
    pub prompt: String,
    /// Whether it is done every time, not once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurring: Option<bool>,
    /// Whether it is kept when the session ends.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub durable: bool,
}

/// What [`CronCreate`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CronCreateResponse {
    /// The job.
    pub id: String,
    /// When, in words.
    pub human_schedule: String,
    /// Whether it is done every time, not once.
    pub recurring: bool,
    /// Whether it is kept when the session ends.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub durable: bool,
    /// When it is done next, in milliseconds since 1970.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub next_fire_at: Option<u64>,
    /// After how many milliseconds it is done no more.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub max_age_ms: Option<u64>,
    /// Jobs that are there already and are done once, too.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub other_one_shots: Vec<OneShot>,
}

/// A job that is done once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct OneShot {
    /// The job.
    pub id: String,
    /// When, in words.
    pub human_schedule: String,
    /// The prompt.
    pub prompt: String,
}

/// Takes a job away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronDelete {
    /// The job.
    pub id: String,
}

/// What [`CronDelete`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CronDeleteResponse {
    /// The job.
    pub id: String,
    /// Whether that ended a loop of [`ScheduleWakeup`].
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub ended_loop_wakeup: bool,
}

/// Looks at all jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CronList {}

/// What [`CronList`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CronListResponse {
    /// The jobs.
    pub jobs: Vec<CronJob>,
}

/// A prompt that comes at certain times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CronJob {
    /// The job.
    pub id: String,
    /// When, as a cron expression.
    pub cron: String,
    /// When, in words.
    pub human_schedule: String,
    /// The prompt.
    pub prompt: String,
    /// Whether it is done every time, not once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring: Option<bool>,
    /// Whether it is kept when the session ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<bool>,
    /// When it is done next, in milliseconds since 1970.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub next_fire_at: Option<u64>,
}

/// Has the session prompted once, after a while.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScheduleWakeup {
    /// After how many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_seconds: Option<f64>,
    /// Why then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether it is not prompted any more.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub stop: bool,
    /// Whether nothing came of the last time.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub noop: bool,
}

/// What [`ScheduleWakeup`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ScheduleWakeupResponse {
    /// When, in milliseconds since 1970.
    pub scheduled_for: f64,
    /// After how many seconds, within the client's bounds.
    pub clamped_delay_seconds: f64,
    /// Whether the model wanted a time out of these bounds.
    pub was_clamped: bool,
    /// Whether it is not prompted any more.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub stopped: bool,
    /// How many prompts were taken back.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub cancelled_wakeups: Option<u64>,
}

/// Looks after agents that run on other machines at certain times or events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteTrigger {
    /// What is done.
    pub action: RemoteTriggerAction,
    /// The trigger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger_id: Option<String>,
    /// The session that a trigger started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Where a long list goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What the service is sent: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Json>,
}

open_enum! {
    /// What is done with triggers.
    pub enum RemoteTriggerAction {
        /// All are told.
        List = "list",
        /// One is told.
        Get = "get",
        /// One is made.
        Create = "create",
        /// One is changed.
        Update = "update",
        /// One is run now.
        Run = "run",
        /// One that an address sets off is made.
        CreateWebhookTrigger = "create_webhook_trigger",
        /// The runs of one are told.
        ListRuns = "list_runs",
        /// The log of a run is told.
        GetRunLog = "get_run_log",
    }
}

/// What [`RemoteTrigger`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RemoteTriggerResponse {
    /// The HTTP status of the service.
    pub status: u64,
    /// What the service answered: JSON, as text.
    pub json: String,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
