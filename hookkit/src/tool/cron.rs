//! Tools that schedule prompts and agents.

use super::tool;
use crate::Json;
use crate::wire::wire;

tool! { CronCreate = "CronCreate" => CronCreateResponse }
tool! { CronDelete = "CronDelete" => CronDeleteResponse }
tool! { CronList = "CronList" => CronListResponse }
tool! { ScheduleWakeup = "ScheduleWakeup" => ScheduleWakeupResponse }
tool! { RemoteTrigger = "RemoteTrigger" => RemoteTriggerResponse }

wire! {
    /// Input of `CronCreate`, which schedules a prompt.
    pub struct CronCreate {
        /// Schedule, as a cron expression of five fields.
        cron: String,
        /// The prompt.
        prompt: String,
        /// `true` if the job repeats; otherwise it runs once.
        recurring: Option<bool>,
        /// `true` if the job is kept when the session ends.
        durable?: bool,
    }

    /// Response of [`CronCreate`].
    pub struct CronCreateResponse with defaults {
        /// Id of the job.
        id: String,
        /// Schedule, in words.
        human_schedule: String = "humanSchedule",
        /// `true` if the job repeats; otherwise it runs once.
        recurring: bool,
        /// `true` if the job is kept when the session ends.
        durable?: bool,
        /// Time of the next run, in milliseconds since 1970.
        next_fire_at: Option<u64> = "nextFireAt",
        /// Milliseconds after which the job expires.
        max_age_ms: Option<u64> = "maxAgeMs",
        /// Existing jobs that also run once.
        other_one_shots?: Vec<OneShot> = "otherOneShots",
    }

    /// A job that runs once.
    pub struct OneShot with defaults {
        /// Id of the job.
        id: String,
        /// Schedule, in words.
        human_schedule: String = "humanSchedule",
        /// The prompt.
        prompt: String,
    }

    /// Input of `CronDelete`, which deletes a job.
    pub struct CronDelete {
        /// Id of the job.
        id: String,
    }

    /// Response of [`CronDelete`].
    pub struct CronDeleteResponse with defaults {
        /// Id of the job.
        id: String,
        /// `true` if this ended a loop of [`ScheduleWakeup`].
        ended_loop_wakeup?: bool = "endedLoopWakeup",
    }

    /// Input of `CronList`, which lists all jobs.
    pub struct CronList {}

    /// Response of [`CronList`].
    pub struct CronListResponse with defaults {
        /// The jobs.
        jobs: Vec<CronJob>,
    }

    /// A scheduled prompt.
    pub struct CronJob with defaults {
        /// Id of the job.
        id: String,
        /// Schedule, as a cron expression.
        cron: String,
        /// Schedule, in words.
        human_schedule: String = "humanSchedule",
        /// The prompt.
        prompt: String,
        /// `true` if the job repeats; otherwise it runs once.
        recurring: Option<bool>,
        /// `true` if the job is kept when the session ends.
        durable: Option<bool>,
        /// Time of the next run, in milliseconds since 1970.
        next_fire_at: Option<u64> = "nextFireAt",
    }

    /// Input of `ScheduleWakeup`, which prompts the session once, after a delay.
    pub struct ScheduleWakeup without Eq {
        /// Delay, in seconds.
        delay_seconds: Option<f64> = "delaySeconds",
        /// Reason for the delay.
        reason: Option<String>,
        /// The prompt.
        prompt: Option<String>,
        /// `true` to stop the wakeups.
        stop?: bool,
        /// `true` if the last wakeup had no result.
        noop?: bool,
    }

    /// Response of [`ScheduleWakeup`].
    pub struct ScheduleWakeupResponse with defaults without Eq {
        /// Time of the wakeup, in milliseconds since 1970.
        scheduled_for: f64 = "scheduledFor",
        /// Delay, in seconds, within the client's bounds.
        clamped_delay_seconds: f64 = "clampedDelaySeconds",
        /// `true` if the requested delay was outside these bounds.
        was_clamped: bool = "wasClamped",
        /// `true` if the wakeups have stopped.
        stopped?: bool,
        /// Number of cancelled wakeups.
        cancelled_wakeups: Option<u64> = "cancelledWakeups",
    }

    /// Input of `RemoteTrigger`, which manages agents that run on other machines at certain times or events.
    pub struct RemoteTrigger {
        /// The action.
        action: RemoteTriggerAction,
        /// Id of the trigger.
        trigger_id: Option<String>,
        /// Id of the session that a trigger started.
        session_id: Option<String>,
        /// Cursor that continues a long list.
        cursor: Option<String>,
        /// Body of the request to the service: an object.
        body: Option<Json>,
    }

    /// An action of [`RemoteTrigger`].
    pub enum RemoteTriggerAction {
        /// Lists all triggers.
        List = "list",
        /// Returns one trigger.
        Get = "get",
        /// Creates a trigger.
        Create = "create",
        /// Updates a trigger.
        Update = "update",
        /// Runs a trigger now.
        Run = "run",
        /// Creates a trigger that fires when its address is called.
        CreateWebhookTrigger = "create_webhook_trigger",
        /// Lists the runs of a trigger.
        ListRuns = "list_runs",
        /// Returns the log of a run.
        GetRunLog = "get_run_log",
    }

    /// Response of [`RemoteTrigger`].
    pub struct RemoteTriggerResponse with defaults {
        /// HTTP status of the service's response.
        status: u64,
        /// Response of the service: JSON, as text.
        json: String,
        /// The response, in words.
        summary: Option<String>,
    }
}
