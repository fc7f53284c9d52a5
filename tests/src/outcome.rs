//! The outcome of a session, in a test author's words.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::api::{Asked, RequestKind};

/// A finished session. Its folders (transcript, saved tool output) live as long as this does.
pub struct Outcome {
    pub(crate) exit_code: Option<i32>,
    pub(crate) took: Duration,
    pub(crate) stdout: String,
    pub(crate) events: OnceLock<Vec<Value>>,
    pub(crate) stderr: String,
    pub(crate) debug: String,
    pub(crate) requests: Vec<Asked>,
    pub(crate) steps: Vec<Step>,
    pub(crate) _folder: TempDir,
}

/// The beginning of a message to the client, in its lines and in its requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) event: usize,
    pub(crate) request: usize,
}

/// The client's report of one run of one hook.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HookResponse {
    /// The event and its subject, such as `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event, such as `PreToolUse`.
    #[serde(rename = "hook_event")]
    pub event: String,
    /// The exit code; 1 for a hook that a signal ended.
    pub exit_code: Option<i32>,
    /// Text on stdout.
    #[serde(default)]
    pub stdout: String,
    /// Text on stderr.
    #[serde(default)]
    pub stderr: String,
    /// Outcome for the client: `success` (also of an answer that denies), `error` (also a block by exit code 2),
    /// or `cancelled` (past its timeout).
    #[serde(default)]
    pub outcome: String,
}

impl Outcome {
    /// The client's own exit code; `None` where a signal ended it.
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    /// Returns the client's run time.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// The stream-json lines on the client's stdout; a line that is not JSON is a string.
    pub fn events(&self) -> Vec<Value> {
        self.parsed().to_vec()
    }

    fn parsed(&self) -> &[Value] {
        let event = |line| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
        self.events.get_or_init(|| self.stdout.lines().map(event).collect())
    }

    /// The client's answers to requests of the program that runs it, in order; null where one was refused.
    pub fn answers(&self) -> Vec<Value> {
        let answers = self.parsed().iter().filter(|event| event["type"] == "control_response");
        answers.map(|event| event["response"]["response"].clone()).collect()
    }

    /// The client's stderr.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }

    /// The client's debug log (`--debug-file`): among others, which keys of a hook's answer it does not know.
    pub fn debug(&self) -> &str {
        &self.debug
    }

    /// The lines of the client that answer to what was said as number `step`, in a session of several prompts.
    pub fn events_of(&self, step: usize) -> Vec<Value> {
        let events = self.parsed();
        let end = self.steps.get(step + 1).map_or(events.len(), |next| next.event);
        let start = self.steps.get(step).map_or(end, |step| step.event);
        events.get(start..end).unwrap_or_default().to_vec()
    }

    /// The requests that were made for what was said as number `step`, in a session of several prompts.
    pub fn requests_of(&self, step: usize) -> &[Asked] {
        let end = self.steps.get(step + 1).map_or(self.requests.len(), |next| next.request);
        let start = self.steps.get(step).map_or(end, |step| step.request);
        self.requests.get(start..end).unwrap_or_default()
    }

    /// Returns the number of requests of the conversation, sub-agents included; side calls and counts are not.
    pub fn requests(&self) -> usize {
        self.requests.iter().filter(|request| request.kind == RequestKind::Conversation).count()
    }

    /// Every request that the mock got, in order.
    pub fn all_requests(&self) -> &[Asked] {
        &self.requests
    }

    /// Returns the model's results of each tool call, in the order of the script: the text of the `tool_result` blocks in
    /// the conversation's requests. Each is as the model first got it. A call without an answer has no entry.
    pub fn tool_results(&self) -> Vec<String> {
        let mut results = BTreeMap::new();
        let conversation = self.requests.iter().filter(|request| request.kind == RequestKind::Conversation);
        for message in conversation.flat_map(|request| elements(&request.body["messages"])) {
            for block in elements(&message["content"]).filter(|block| block["type"] == "tool_result") {
                // Each request repeats the results before it. Of calls in one message, the quickest comes first.
                results.entry(block["tool_use_id"].to_string()).or_insert_with(|| text_of(&block["content"]));
            }
        }
        results.into_values().collect()
    }

    /// All that the model could read: every string below `system` and `messages` in every request, side calls too.
    ///
    /// It is made for saying that a secret is *not* there. It repeats itself, holds the client's own long
    /// instructions, and what the model itself "said" in the script.
    pub fn model_read(&self) -> String {
        let mut text = String::new();
        for request in &self.requests {
            collect_strings(&request.body["system"], &mut text);
            collect_strings(&request.body["messages"], &mut text);
        }
        text
    }

    /// Each run of a hook, in the order the runs ended: the `system/hook_response` events.
    ///
    /// The client shows none for SessionEnd, StopFailure, PreCompact, PostCompact, Notification, ConfigChange,
    /// InstructionsLoaded, CwdChanged, FileChanged, DirectoryAdded, Worktree* and Elicitation*.
    ///
    /// # Panics
    ///
    /// If the client writes these events in another way than the one we know: better than to see no hooks.
    pub fn hook_responses(&self) -> Vec<HookResponse> {
        let responses = self.system_events("hook_response");
        responses.map(|event| HookResponse::deserialize(event).expect("a hook_response as we know it")).collect()
    }

    /// Returns messages for the user next to the conversation: the `system/informational` events. Among them the
    /// `systemMessage` of a hook (`PreToolUse:Bash says: …`) and the notice that a hook failed and decided nothing.
    pub fn user_messages(&self) -> Vec<String> {
        self.system_events("informational").map(|event| text_of(&event["content"])).collect()
    }

    /// The `system` events of one kind, such as `hook_started`.
    pub fn system_events(&self, subtype: &'static str) -> impl Iterator<Item = Value> {
        let wanted = move |event: &Value| event["type"] == "system" && event["subtype"] == subtype;
        self.events().into_iter().filter(wanted)
    }
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The text of what the API writes as a string or as a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        blocks => elements(blocks).filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n"),
    }
}

fn collect_strings(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, into)),
        Value::Object(fields) => fields.values().for_each(|field| collect_strings(field, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
