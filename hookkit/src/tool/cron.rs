//! The tools by which the model is called again later, or elsewhere.

use super::tool;
use crate::Json;
use crate::wire::wire;

tool! { CronCreate = "CronCreate" => CronCreateResponse }
tool! { CronDelete = "CronDelete" => CronDeleteResponse }
tool! { CronList = "CronList" => CronListResponse }
tool! { ScheduleWakeup = "ScheduleWakeup" => ScheduleWakeupResponse }
tool! { RemoteTrigger = "RemoteTrigger" => RemoteTriggerResponse }

wire! {
    /// Has the session prompted at certain times.
    pub struct CronCreate {
        /// When, as a cron expression of five fields.
        cron: String,
        /// The prompt.
        prompt: String,
        /// Whether it is done every time, not once.
        recurring: Option<bool>,
        /// Whether it is kept when the session ends.
        durable?: bool,
    }

    /// What [`CronCreate`] gives back.
    pub struct CronCreateResponse with defaults {
        /// The job.
        id: String,
        /// When, in words.
        human_schedule: String = "humanSchedule",
        /// Whether it is done every time, not once.
        recurring: bool,
        /// Whether it is kept when the session ends.
        durable?: bool,
        /// When it is done next, in milliseconds since 1970.
        next_fire_at: Option<u64> = "nextFireAt",
        /// After how many milliseconds it is done no more.
        max_age_ms: Option<u64> = "maxAgeMs",
        /// Jobs that are there already and are done once, too.
        other_one_shots?: Vec<OneShot> = "otherOneShots",
    }

    /// A job that is done once.
    pub struct OneShot with defaults {
        /// The job.
        id: String,
        /// When, in words.
        human_schedule: String = "humanSchedule",
        /// The prompt.
        prompt: String,
    }

    /// Takes a job away.
    pub struct CronDelete {
        /// The job.
        id: String,
    }

    /// What [`CronDelete`] gives back.
    pub struct CronDeleteResponse with defaults {
        /// The job.
        id: String,
        /// Whether that ended a loop of [`ScheduleWakeup`].
        ended_loop_wakeup?: bool = "endedLoopWakeup",
    }

    /// Looks at all jobs.
    pub struct CronList {}

    /// What [`CronList`] gives back.
    pub struct CronListResponse with defaults {
        /// The jobs.
        jobs: Vec<CronJob>,
    }

    /// A prompt that comes at certain times.
    pub struct CronJob with defaults {
        /// The job.
        id: String,
        /// When, as a cron expression.
        cron: String,
        /// When, in words.
        human_schedule: String = "humanSchedule",
        /// The prompt.
        prompt: String,
        /// Whether it is done every time, not once.
        recurring: Option<bool>,
        /// Whether it is kept when the session ends.
        durable: Option<bool>,
        /// When it is done next, in milliseconds since 1970.
        next_fire_at: Option<u64> = "nextFireAt",
    }

    /// Has the session prompted once, after a while.
    pub struct ScheduleWakeup without Eq {
        /// After how many seconds.
        delay_seconds: Option<f64> = "delaySeconds",
        /// Why then.
        reason: Option<String>,
        /// The prompt.
        prompt: Option<String>,
        /// Whether it is not prompted any more.
        stop?: bool,
        /// Whether nothing came of the last time.
        noop?: bool,
    }

    /// What [`ScheduleWakeup`] gives back.
    pub struct ScheduleWakeupResponse with defaults without Eq {
        /// When, in milliseconds since 1970.
        scheduled_for: f64 = "scheduledFor",
        /// After how many seconds, within the client's bounds.
        clamped_delay_seconds: f64 = "clampedDelaySeconds",
        /// Whether the model wanted a time out of these bounds.
        was_clamped: bool = "wasClamped",
        /// Whether it is not prompted any more.
        stopped?: bool,
        /// How many prompts were taken back.
        cancelled_wakeups: Option<u64> = "cancelledWakeups",
    }

    /// Looks after agents that run on other machines at certain times or events.
    pub struct RemoteTrigger {
        /// What is done.
        action: RemoteTriggerAction,
        /// The trigger.
        trigger_id: Option<String>,
        /// The session that a trigger started.
        session_id: Option<String>,
        /// Where a long list goes on.
        cursor: Option<String>,
        /// What the service is sent: an object.
        body: Option<Json>,
    }

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

    /// What [`RemoteTrigger`] gives back.
    pub struct RemoteTriggerResponse with defaults {
        /// The HTTP status of the service.
        status: u64,
        /// What the service answered: JSON, as text.
        json: String,
        /// The same in words.
        summary: Option<String>,
    }
}
