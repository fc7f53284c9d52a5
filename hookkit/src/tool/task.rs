//! The tools by which the model keeps a list of what is to do.
//!
//! A session has either [`TodoWrite`] or the others.

use serde::{Deserialize, Serialize};

use super::{or_default, tool};
use crate::Json;
use crate::open::open_enum;

tool! { TodoWrite = "TodoWrite" => TodoWriteResponse }
tool! { TaskCreate = "TaskCreate" => TaskCreateResponse }
tool! { TaskGet = "TaskGet" => TaskGetResponse }
tool! { TaskList = "TaskList" => TaskListResponse }
tool! { TaskUpdate = "TaskUpdate" => TaskUpdateResponse }

/// Writes the whole list anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TodoWrite {
    /// The list.
    pub todos: Vec<Todo>,
}

/// A line of the list that [`TodoWrite`] writes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Todo {
    /// What is to do.
    pub content: String,
    /// How far it is.
    pub status: TaskStatus,
    /// What the user sees while it is done.
    pub active_form: String,
}

open_enum! {
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
}

/// What [`TodoWrite`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TodoWriteResponse {
    /// The list as it was.
    pub old_todos: Vec<Todo>,
    /// The list as it is.
    pub new_todos: Vec<Todo>,
}

/// Adds a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskCreate {
    /// What is to do, in a few words.
    pub subject: String,
    /// What is to do.
    pub description: String,
    /// What the user sees while it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// Whatever else the model notes: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// What [`TaskCreate`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskCreateResponse {
    /// The task.
    pub task: CreatedTask,
}

/// A task that was added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CreatedTask {
    /// Its id.
    pub id: String,
    /// What is to do, in a few words.
    pub subject: String,
    /// What is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Looks at one task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskGet {
    /// The task.
    pub task_id: String,
}

/// What [`TaskGet`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskGetResponse {
    /// The task, if there is one.
    pub task: Option<TaskDetails>,
}

/// All that is known of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct TaskDetails {
    /// Its id.
    pub id: String,
    /// What is to do, in a few words.
    pub subject: String,
    /// What is to do.
    pub description: String,
    /// How far it is.
    pub status: TaskStatus,
    /// The tasks that wait for it.
    pub blocks: Vec<String>,
    /// The tasks that it waits for.
    pub blocked_by: Vec<String>,
}

/// Looks at all tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskList {}

/// What [`TaskList`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskListResponse {
    /// The tasks.
    pub tasks: Vec<TaskSummary>,
}

/// What the list says of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct TaskSummary {
    /// Its id.
    pub id: String,
    /// What is to do, in a few words.
    pub subject: String,
    /// How far it is.
    pub status: TaskStatus,
    /// The agent whose task it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The tasks that it waits for.
    pub blocked_by: Vec<String>,
}

/// Changes a task. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskUpdate {
    /// The task.
    pub task_id: String,
    /// What is to do, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the user sees while it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_form: Option<String>,
    /// How far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// Tasks that shall wait for it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub add_blocks: Vec<String>,
    /// Tasks that it shall wait for.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub add_blocked_by: Vec<String>,
    /// The agent whose task it shall be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Whatever else the model notes: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// What [`TaskUpdate`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskUpdateResponse {
    /// Whether the task was changed.
    pub success: bool,
    /// The task.
    pub task_id: String,
    /// The names of the fields that were changed.
    pub updated_fields: Vec<String>,
    /// Why it was not changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How far it was and is, if that was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_change: Option<StatusChange>,
}

/// How far a task was, and how far it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatusChange {
    /// How far it was.
    pub from: TaskStatus,
    /// How far it is.
    pub to: TaskStatus,
}
