//! Rebuilds past events from the rows of a transcript.
//!
//! A transcript has no hook payloads, but most of their content: tool calls with their inputs and outputs, prompts,
//! ends of turns, and compactions. It lacks all other events and members.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::binaries::sample::Sample;
use crate::history::row::{CallResult, Entry, Row};
use crate::terminal::joined;

/// A past event.
pub(crate) struct PastEvent {
    pub(crate) sample: Sample,
    /// Time of the event's row, in UTC and ISO 8601.
    pub(crate) time: String,
    /// The session's folder at that time.
    pub(crate) cwd: PathBuf,
    /// The call's input, or the prompt, for display.
    pub(crate) about: String,
}

/// Builds the events of a transcript, row by row.
pub(crate) struct Past {
    transcript: String,
    agent_type: Option<String>,
    permission_mode: Option<String>,
    /// Tools and inputs of calls without a result, by id.
    calls: HashMap<String, (String, String)>,
}

/// A member of a payload: its name and JSON.
type Member = (&'static str, String);

/// Returns a string member.
fn text(name: &'static str, text: &str) -> Member {
    (name, Value::from(text).to_string())
}

/// Maximum number of calls still without a result, because a hostile transcript can have any number.
const WAITING: usize = 1_000;

impl Past {
    /// Starts a transcript. Hooks receive this path.
    pub(crate) fn new(transcript: &Path, agent_type: Option<String>) -> Self {
        Self { transcript: transcript.display().to_string(), agent_type, permission_mode: None, calls: HashMap::new() }
    }

    /// Returns the events in the next row.
    ///
    /// # Errors
    ///
    /// Fails if a payload cannot be created, which is a bug.
    pub(crate) fn events(&mut self, row: &Row<'_>) -> Result<Vec<PastEvent>> {
        if let Some(mode) = row.string("permissionMode") {
            self.permission_mode = Some(mode);
        }
        let (Some(session), Some(cwd), Some(time)) = (row.string("sessionId"), row.cwd(), row.time()) else {
            return Ok(Vec::new());
        };
        let head = Head { session, cwd, time, prompt: row.string("promptId"), agent: row.string("agentId") };
        let mut events = Vec::new();
        match row.entry() {
            Entry::Calls(calls) => {
                for call in calls {
                    let Ok(input) = serde_json::from_slice::<&RawValue>(call.input) else {
                        continue;
                    };
                    let input = input.get().to_owned();
                    let called =
                        [text("tool_name", &call.tool), ("tool_input", input.clone()), text("tool_use_id", &call.id)];
                    events.push(self.event(&head, "PreToolUse", called.into(), &input)?);
                    if self.calls.len() < WAITING {
                        self.calls.insert(call.id, (call.tool, input));
                    }
                }
            }
            Entry::Results(results) => {
                for result in results {
                    events.extend(self.result(&head, &result)?);
                }
            }
            Entry::Prompt(prompt) => {
                let members = vec![text("prompt", &prompt)];
                events.push(self.event(&head, "UserPromptSubmit", members, &prompt)?);
            }
            Entry::Ended(reply) => {
                let active = ("stop_hook_active", "false".to_owned());
                let members = vec![active, text("last_assistant_message", &reply)];
                let event = if head.agent.is_some() { "SubagentStop" } else { "Stop" };
                events.push(self.event(&head, event, members, &reply)?);
            }
            Entry::Compacted(trigger) => {
                for event in ["PreCompact", "PostCompact"] {
                    events.push(self.event(&head, event, vec![text("trigger", &trigger)], &trigger)?);
                }
            }
            Entry::Run(_) | Entry::Stop(_) | Entry::Other => {}
        }
        Ok(events)
    }

    /// Returns the event for a result. `None` if the tool did not run, or if its output is not in the transcript.
    fn result(&mut self, head: &Head<'_>, result: &CallResult<'_>) -> Result<Option<PastEvent>> {
        let Some((tool, input)) = self.calls.remove(&result.id) else {
            return Ok(None);
        };
        let response = result.response.filter(|_| !result.is_denied);
        let Some(Ok(response)) = response.map(serde_json::from_slice::<&RawValue>) else {
            return Ok(None);
        };
        let mut members = vec![text("tool_name", &tool), ("tool_input", input.clone())];
        let id = text("tool_use_id", &result.id);
        let event = if result.is_error {
            let error: String = serde_json::from_str(response.get()).unwrap_or_default();
            let error = text("error", error.strip_prefix("Error: ").unwrap_or(&error));
            members.extend([id, error, ("is_interrupt", "false".to_owned())]);
            "PostToolUseFailure"
        } else {
            members.extend([("tool_response", response.get().to_owned()), id]);
            "PostToolUse"
        };
        self.event(head, event, members, &input).map(Some)
    }

    /// Returns an event with these members. Members missing in transcripts are left out.
    fn event(&self, head: &Head<'_>, name: &'static str, members: Vec<Member>, about: &str) -> Result<PastEvent> {
        let mode = self.permission_mode.as_ref().filter(|_| !name.ends_with("Compact"));
        let own = [
            ("session_id", Some(&head.session)),
            ("transcript_path", Some(&self.transcript)),
            ("cwd", Some(&head.cwd)),
            ("prompt_id", head.prompt.as_ref()),
            ("permission_mode", mode),
            ("agent_id", head.agent.as_ref()),
            ("agent_type", self.agent_type.as_ref().filter(|_| head.agent.is_some())),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some(text(name, value?)));
        let members = own.chain([text("hook_event_name", name)]).chain(members);
        let members = joined(members.map(|(name, json)| format!("{name:?}:{json}")), ",");
        Ok(PastEvent {
            sample: Sample::parse(format!("{{{members}}}").as_bytes())?,
            time: head.time.to_owned(),
            cwd: head.cwd.clone().into(),
            about: about.chars().take(ABOUT).collect(),
        })
    }
}

/// Maximum number of characters of an input to display.
const ABOUT: usize = 300;

/// The members that every event takes from a row.
struct Head<'r> {
    session: String,
    cwd: String,
    time: &'r str,
    prompt: Option<String>,
    agent: Option<String>,
}
