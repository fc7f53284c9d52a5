//! Teams of agents, and their tasks.

use crate::wire::wire;

wire! {
    /// A member of a team of agents is about to go idle.
    ///
    /// Raised only where teams are switched on.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Has what is left in a list done.
    /// #[hook(TeammateIdle)]
    /// pub fn more_to_do(_idle: TeammateIdle, context: Context) -> Option<TeammateIdleAnswer> {
    ///     let has_more = context.project_dir.join("TODO.md").exists();
    ///     has_more.then(|| TeammateIdleAnswer::block("take the next task from TODO.md"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct TeammateIdle {
        /// The member's name.
        teammate_name: String,
        /// The team's name. Always sent, and deprecated: a later client may leave it out.
        team_name: Option<String>,
    }

    /// A member, for a test.
    pub new TeammateIdle(teammate_name: &str);
}

macro_rules! task_events {
    ($($(#[$about:meta])* $event:ident;)*) => {$(
        wire! {
            $(#[$about])*
            pub struct $event {
                /// The task's id.
                task_id: String,
                /// Task in one line.
                task_subject: String,
                /// Full description of the task.
                task_description: Option<String>,
                /// The member of a team whose task it is.
                teammate_name: Option<String>,
                /// The team's name. Deprecated.
                team_name: Option<String>,
            }

            /// A task, for a test.
            pub new $event(task_id: &str, task_subject: &str);
        }
    )*};
}

task_events! {
    /// A task is being created.
    ///
    /// Raised by the tool TaskCreate, which newer models do not have unless it is switched on.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Requires tasks that can be ticked off.
    /// #[hook(TaskCreated)]
    /// pub fn no_vague_task(task: TaskCreated) -> Option<TaskCreatedAnswer> {
    ///     let is_vague = task.task_subject.starts_with("Improve");
    ///     is_vague.then(|| TaskCreatedAnswer::block("say what is there when the task is done"))
    /// }
    /// # fn main() {}
    /// ```
    TaskCreated;

    /// A task is being marked as completed.
    ///
    /// Raised by the tool TaskUpdate, and for the open tasks of a member of a team when its turn ends.
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
