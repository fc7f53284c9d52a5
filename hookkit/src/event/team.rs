//! Teams of agents, and their tasks.

use serde::{Deserialize, Serialize};

/// A member of a team of agents is about to go idle.
///
/// Raised only where teams are switched on.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Takes down who has nothing to do.
/// #[hook(TeammateIdle)]
/// pub fn idle(teammate: TeammateIdle) {
///     eprintln!("{} is idle", teammate.teammate_name);
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TeammateIdle {
    /// The member's name.
    pub teammate_name: String,
    /// The team's name. Always sent, and deprecated: a later client may leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<String>,
}

super::event! { TeammateIdle = TEAMMATE_IDLE }

impl TeammateIdle {
    /// A member, for a test.
    pub fn new(teammate_name: &str) -> Self {
        Self {
            teammate_name: teammate_name.to_owned(),
            ..Self::default()
        }
    }
}

macro_rules! task_events {
    ($($(#[$about:meta])* $event:ident = $facts:ident;)*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub struct $event {
            /// The task's id.
            pub task_id: String,
            /// What is to be done, in a line.
            pub task_subject: String,
            /// What is to be done, in full.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub task_description: Option<String>,
            /// The member of a team whose task it is.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub teammate_name: Option<String>,
            /// The team's name. Deprecated.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub team_name: Option<String>,
        }

        super::event! { $event = $facts }

        impl $event {
            /// A task, for a test.
            pub fn new(task_id: &str, task_subject: &str) -> Self {
                Self {
                    task_id: task_id.to_owned(),
                    task_subject: task_subject.to_owned(),
                    ..Self::default()
                }
            }
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
    /// /// Takes down what there is to do.
    /// #[hook(TaskCreated)]
    /// pub fn plan(task: TaskCreated) {
    ///     eprintln!("{}: {}", task.task_id, task.task_subject);
    /// }
    /// # fn main() {}
    /// ```
    TaskCreated = TASK_CREATED;

    /// A task is being marked as completed.
    ///
    /// Raised by the tool TaskUpdate, and for the open tasks of a member of a team when its turn ends.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Takes down what was done.
    /// #[hook(TaskCompleted)]
    /// pub fn done(task: TaskCompleted) {
    ///     eprintln!("{}: {}", task.task_id, task.task_subject);
    /// }
    /// # fn main() {}
    /// ```
    TaskCompleted = TASK_COMPLETED;
}
