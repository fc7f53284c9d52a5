//! Tools that manage the model's to-do list.
//!
//! A session has either [`TodoWrite`] or the others.

use super::tool;
use crate::Json;
use crate::wire::wire;

tool! { TodoWrite = "TodoWrite" => TodoWriteResponse }
tool! { TaskCreate = "TaskCreate" => TaskCreateResponse }
tool! { TaskGet = "TaskGet" => TaskGetResponse }
tool! { TaskList = "TaskList" => TaskListResponse }
tool! { TaskUpdate = "TaskUpdate" => TaskUpdateResponse }

wire! {
    /// Input of `TodoWrite`, which replaces the whole list.
    pub struct TodoWrite {
        /// The list.
        todos: Vec<Todo>,
    }

    /// An item of the list that [`TodoWrite`] writes.
    pub struct Todo {
        /// Description of the item.
        content: String,
        /// Status of the item.
        status: TaskStatus,
        /// Text that the user sees while the item is in progress.
        active_form: String = "activeForm",
    }

    /// Status of a task.
    pub enum TaskStatus {
        /// The task has not been started.
        Pending = "pending",
        /// The task is in progress.
        InProgress = "in_progress",
        /// The task is completed.
        Completed = "completed",
        /// The task is removed from the list. Only [`TaskUpdate`] has this status.
        Deleted = "deleted",
    }

    /// Response of [`TodoWrite`].
    pub struct TodoWriteResponse {
        /// Previous list.
        old_todos: Vec<Todo> = "oldTodos",
        /// New list.
        new_todos: Vec<Todo> = "newTodos",
    }

    /// Input of `TaskCreate`, which adds a task.
    pub struct TaskCreate {
        /// Description of the task, in a few words.
        subject: String,
        /// Description of the task, in full.
        description: String,
        /// Text that the user sees while the task is in progress.
        active_form: Option<String> = "activeForm",
        /// Additional data from the model: an object.
        metadata: Option<Json>,
    }

    /// Response of [`TaskCreate`].
    pub struct TaskCreateResponse {
        /// The task.
        task: CreatedTask,
    }

    /// An added task.
    pub struct CreatedTask {
        /// Id of the task.
        id: String,
        /// Description of the task, in a few words.
        subject: String,
        /// Description of the task, in full.
        description: Option<String>,
    }

    /// Input of `TaskGet`, which returns one task.
    pub struct TaskGet {
        /// Id of the task.
        task_id: String = "taskId",
    }

    /// Response of [`TaskGet`].
    pub struct TaskGetResponse with defaults {
        /// The task, if it exists.
        task: Option<TaskDetails> as written,
    }

    /// The details of a task.
    pub struct TaskDetails with defaults {
        /// Id of the task.
        id: String,
        /// Description of the task, in a few words.
        subject: String,
        /// Description of the task, in full.
        description: String,
        /// Status of the task.
        status: TaskStatus,
        /// Ids of the tasks that wait for this one.
        blocks: Vec<String>,
        /// Ids of the tasks that this one waits for.
        blocked_by: Vec<String> = "blockedBy",
    }

    /// Input of `TaskList`, which lists all tasks.
    pub struct TaskList {}

    /// Response of [`TaskList`].
    pub struct TaskListResponse with defaults {
        /// The tasks.
        tasks: Vec<TaskSummary>,
    }

    /// A task in the response of [`TaskList`].
    pub struct TaskSummary with defaults {
        /// Id of the task.
        id: String,
        /// Description of the task, in a few words.
        subject: String,
        /// Status of the task.
        status: TaskStatus,
        /// Agent that the task is assigned to.
        owner: Option<String>,
        /// Ids of the tasks that this one waits for.
        blocked_by: Vec<String> = "blockedBy",
    }

    /// Input of `TaskUpdate`, which changes a task. Absent fields stay as they are.
    pub struct TaskUpdate {
        /// Id of the task.
        task_id: String = "taskId",
        /// Description of the task, in a few words.
        subject: Option<String>,
        /// Description of the task, in full.
        description: Option<String>,
        /// Text that the user sees while the task is in progress.
        active_form: Option<String> = "activeForm",
        /// Status of the task.
        status: Option<TaskStatus>,
        /// Ids of tasks that are to wait for this one.
        add_blocks?: Vec<String> = "addBlocks",
        /// Ids of tasks that this one is to wait for.
        add_blocked_by?: Vec<String> = "addBlockedBy",
        /// Agent to assign the task to.
        owner: Option<String>,
        /// Additional data from the model: an object.
        metadata: Option<Json>,
    }

    /// Response of [`TaskUpdate`].
    pub struct TaskUpdateResponse {
        /// `true` if the task was changed.
        success: bool,
        /// Id of the task.
        task_id: String = "taskId",
        /// Names of the changed fields.
        updated_fields: Vec<String> = "updatedFields",
        /// Error that prevented the change.
        error: Option<String>,
        /// Change of the status, if it was changed.
        status_change: Option<StatusChange> = "statusChange",
    }

    /// A change to a task's status.
    pub struct StatusChange {
        /// Previous status.
        from: TaskStatus,
        /// New status.
        to: TaskStatus,
    }
}
