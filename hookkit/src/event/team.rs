//! Teams of agents and their tasks.

use crate::wire::wire;

wire! {
    /// A teammate, an agent of a team, is about to go idle.
    ///
    /// Raised only if teams are enabled.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Gives an idle teammate the next task of a list.
    /// #[hook(TeammateIdle)]
    /// pub fn more_to_do(_idle: TeammateIdle, context: Context) -> Option<TeammateIdleAnswer> {
    ///     let has_more = context.project_dir.join("TODO.md").exists();
    ///     has_more.then(|| TeammateIdleAnswer::block("take the next task from TODO.md"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct TeammateIdle {
        /// Name of the teammate.
        teammate_name: String,
        /// Name of the team. Deprecated: it is still always sent, but a later client may omit it.
        team_name: Option<String>,
    }

    /// Creates an idle teammate for tests.
    pub new TeammateIdle(teammate_name: &str);
}

macro_rules! task_events {
    ($($(#[$about:meta])* $event:ident;)*) => {$(
        wire! {
            $(#[$about])*
            pub struct $event {
                /// Id of the task.
                task_id: String,
                /// The task in one line.
                task_subject: String,
                /// Full description of the task.
                task_description: Option<String>,
                /// Name of the teammate who has the task.
                teammate_name: Option<String>,
                /// Name of the team. Deprecated.
                team_name: Option<String>,
            }

            /// Creates a task for tests.
            pub new $event(task_id: &str, task_subject: &str);
        }
    )*};
}

task_events! {
    /// A task is being created.
    ///
    /// Raised by the tool TaskCreate, which newer models have only if it is enabled.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Rejects vague tasks.
    /// #[hook(TaskCreated)]
    /// pub fn no_vague_task(task: TaskCreated) -> Option<TaskCreatedAnswer> {
    ///     let is_vague = task.task_subject.starts_with("Improve");
    ///     is_vague.then(|| TaskCreatedAnswer::block("describe the result that completes this task"))
    /// }
    /// # fn main() {}
    /// ```
    TaskCreated;

    /// A task is being marked as completed.
    ///
    /// Raised by the tool TaskUpdate, and for a teammate's open tasks when its turn ends.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps a task open while a test fails.
    /// #[hook(TaskCompleted)]
    /// pub fn tests_first(_task: TaskCompleted, context: Context) -> Option<TaskCompletedAnswer> {
    ///     let fails = context.project_dir.join("target/failing.txt").exists();
    ///     fails.then(|| TaskCompletedAnswer::block("the tests in target/failing.txt fail"))
    /// }
    /// # fn main() {}
    /// ```
    TaskCompleted;
}
