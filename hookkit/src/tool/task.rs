//! The tools by which the model keeps a list of what is to do.
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
    /// Writes the whole list anew.
    pub struct TodoWrite {
        /// The list.
        todos: Vec<Todo>,
    }

    /// A line of the list that [`TodoWrite`] writes.
    pub struct Todo {
        /// What is to do.
        content: String,
        /// How far it is.
        status: TaskStatus,
        /// What the user sees while it is done.
        active_form: String = "activeForm",
    }

    /// How far a task is.
    pub enum TaskStatus {
        /// Nobody has begun with it.
        Pending = "pending",
        /// Somebody is at it.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
        /// It is taken from the list; only [`TaskUpdate`] says so.
        Deleted = "deleted",
    }

    /// What [`TodoWrite`] gives back.
    pub struct TodoWriteResponse {
        /// The list as it was.
        old_todos: Vec<Todo> = "oldTodos",
        /// The list as it is.
        new_todos: Vec<Todo> = "newTodos",
    }

    /// Adds a task.
    pub struct TaskCreate {
        /// What is to do, in a few words.
        subject: String,
        /// What is to do.
        description: String,
        /// What the user sees while it is done.
        active_form: Option<String> = "activeForm",
        /// Whatever else the model notes: an object.
        metadata: Option<Json>,
    }

    /// What [`TaskCreate`] gives back.
    pub struct TaskCreateResponse {
        /// The task.
        task: CreatedTask,
    }

    /// A task that was added.
    pub struct CreatedTask {
        /// Its id.
        id: String,
        /// What is to do, in a few words.
        subject: String,
        /// What is to do.
        description: Option<String>,
    }

    /// Looks at one task.
    pub struct TaskGet {
        /// The task.
        task_id: String = "taskId",
    }

    /// What [`TaskGet`] gives back.
    pub struct TaskGetResponse with defaults {
        /// The task, if there is one.
        task: Option<TaskDetails> as written,
    }

    /// All that is known of a task.
    pub struct TaskDetails with defaults {
        /// Its id.
        id: String,
        /// What is to do, in a few words.
        subject: String,
        /// What is to do.
        description: String,
        /// How far it is.
        status: TaskStatus,
        /// The tasks that wait for it.
        blocks: Vec<String>,
        /// The tasks that it waits for.
        blocked_by: Vec<String> = "blockedBy",
    }

    /// Looks at all tasks.
    pub struct TaskList {}

    /// What [`TaskList`] gives back.
    pub struct TaskListResponse with defaults {
        /// The tasks.
        tasks: Vec<TaskSummary>,
    }

    /// What the list says of a task.
    pub struct TaskSummary with defaults {
        /// Its id.
        id: String,
        /// What is to do, in a few words.
        subject: String,
        /// How far it is.
        status: TaskStatus,
        /// The agent whose task it is.
        owner: Option<String>,
        /// The tasks that it waits for.
        blocked_by: Vec<String> = "blockedBy",
    }

    /// Changes a task. What is absent stays as it is.
    pub struct TaskUpdate {
        /// The task.
        task_id: String = "taskId",
        /// What is to do, in a few words.
        subject: Option<String>,
        /// What is to do.
        description: Option<String>,
        /// What the user sees while it is done.
        active_form: Option<String> = "activeForm",
        /// How far it is.
        status: Option<TaskStatus>,
        /// Tasks that shall wait for it.
        add_blocks?: Vec<String> = "addBlocks",
        /// Tasks that it shall wait for.
        add_blocked_by?: Vec<String> = "addBlockedBy",
        /// The agent whose task it shall be.
        owner: Option<String>,
        /// Whatever else the model notes: an object.
        metadata: Option<Json>,
    }

    /// What [`TaskUpdate`] gives back.
    pub struct TaskUpdateResponse {
        /// Whether the task was changed.
        success: bool,
        /// The task.
        task_id: String = "taskId",
        /// The names of the fields that were changed.
        updated_fields: Vec<String> = "updatedFields",
        /// Why it was not changed.
        error: Option<String>,
        /// How far it was and is, if that was changed.
        status_change: Option<StatusChange> = "statusChange",
    }

    /// How far a task was, and how far it is.
    pub struct StatusChange {
        /// How far it was.
        from: TaskStatus,
        /// How far it is.
        to: TaskStatus,
    }
}
