//! Past events, made again from the rows of a transcript.
//!
//! A transcript has no payloads of hooks, but most of what was in them: tool calls with their inputs and outputs, prompts,
//! ends of turns and compactions. Other events, and other members, are not in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::binaries::sample::Sample;
use crate::history::row::{CallResult, Entry, Row};

/// A past event.
pub(crate) struct PastEvent {
    pub(crate) sample: Sample,
    /// Time of its row, in ISO 8601 and UTC.
    pub(crate) time: String,
    /// The session's folder at that time.
    pub(crate) cwd: PathBuf,
    /// The call's input or the prompt, for people.
    pub(crate) about: String,
}

/// The events of a transcript, row by row.
pub(crate) struct Past {
    transcript: String,
    agent_type: Option<String>,
    permission_mode: Option<String>,
    /// Tools and inputs of the calls without a result, by id.
    calls: HashMap<String, (String, Box<RawValue>)>,
}

/// A payload. Members that no transcript has are left out.
#[derive(Serialize)]
struct Payload<'p> {
    session_id: &'p str,
    transcript_path: &'p str,
    cwd: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_mode: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'p str>,
    hook_event_name: &'static str,
    #[serde(flatten)]
    of_event: OfEvent<'p>,
}

/// The members of one event.
#[derive(Serialize)]
#[serde(untagged)]
enum OfEvent<'p> {
    Called {
        tool_name: &'p str,
        tool_input: &'p RawValue,
        tool_use_id: &'p str,
    },
    Succeeded {
        tool_name: &'p str,
        tool_input: &'p RawValue,
        tool_response: &'p RawValue,
        tool_use_id: &'p str,
    },
    Failed {
        tool_name: &'p str,
        tool_input: &'p RawValue,
        tool_use_id: &'p str,
        error: String,
        is_interrupt: bool,
    },
    Prompted {
        prompt: &'p str,
    },
    Ended {
        stop_hook_active: bool,
        last_assistant_message: &'p str,
    },
    Compacted {
        trigger: &'p str,
    },
}

/// The most calls that wait for their results: a hostile transcript can have any number.
const WAITING: usize = 1_000;

impl Past {
    /// Begins a transcript, of which hooks are given this path.
    pub(crate) fn new(transcript: &Path, agent_type: Option<String>) -> Self {
        Self {
            transcript: transcript.display().to_string(),
            agent_type,
            permission_mode: None,
            calls: HashMap::new(),
        }
    }

    /// Returns the events of the next row.
    ///
    /// # Errors
    ///
    /// If a payload cannot be made, which is a bug.
    pub(crate) fn events(&mut self, row: &Row<'_>) -> Result<Vec<PastEvent>> {
        if let Some(mode) = row.string("permissionMode") {
            self.permission_mode = Some(mode);
        }
        let (Some(session), Some(cwd), Some(time)) = (row.string("sessionId"), row.cwd(), row.time()) else {
            return Ok(Vec::new());
        };
        let head = Head {
            session,
            cwd,
            time,
            prompt: row.string("promptId"),
            agent: row.string("agentId"),
        };
        let mut events = Vec::new();
        match row.entry() {
            Entry::Calls(calls) => {
                for call in calls {
                    let Ok(input) = serde_json::from_slice::<Box<RawValue>>(call.input) else {
                        continue;
                    };
                    let called = OfEvent::Called {
                        tool_name: &call.tool,
                        tool_input: &input,
                        tool_use_id: &call.id,
                    };
                    events.push(self.event(&head, "PreToolUse", called, input.get())?);
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
                events.push(self.event(
                    &head,
                    "UserPromptSubmit",
                    OfEvent::Prompted { prompt: &prompt },
                    &prompt,
                )?);
            }
            Entry::Ended(text) => {
                let ended = OfEvent::Ended {
                    stop_hook_active: false,
                    last_assistant_message: &text,
                };
                let event = if head.agent.is_some() { "SubagentStop" } else { "Stop" };
                events.push(self.event(&head, event, ended, &text)?);
            }
            Entry::Compacted(trigger) => {
                for event in ["PreCompact", "PostCompact"] {
                    events.push(self.event(&head, event, OfEvent::Compacted { trigger: &trigger }, &trigger)?);
                }
            }
            Entry::Run(_) | Entry::Stop(_) | Entry::Denied(_) | Entry::Other => {}
        }
        Ok(events)
    }

    /// Returns the event of a result. None if the tool did not run, or its output is not known.
    fn result(&mut self, head: &Head<'_>, result: &CallResult<'_>) -> Result<Option<PastEvent>> {
        let Some((tool, input)) = self.calls.remove(&result.id) else {
            return Ok(None);
        };
        let response = result.response.filter(|_| !result.is_denied);
        let Some(Ok(response)) = response.map(serde_json::from_slice::<Box<RawValue>>) else {
            return Ok(None);
        };
        let (tool_name, tool_input, tool_use_id) = (&*tool, &*input, &*result.id);
        let (event, of_event) = if result.is_error {
            let error: String = serde_json::from_str(response.get()).unwrap_or_default();
            let error = error.strip_prefix("Error: ").unwrap_or(&error).to_owned();
            (
                "PostToolUseFailure",
                OfEvent::Failed {
                    tool_name,
                    tool_input,
                    tool_use_id,
                    error,
                    is_interrupt: false,
                },
            )
        } else {
            let tool_response = &*response;
            (
                "PostToolUse",
                OfEvent::Succeeded {
                    tool_name,
                    tool_input,
                    tool_response,
                    tool_use_id,
                },
            )
        };
        self.event(head, event, of_event, input.get()).map(Some)
    }

    fn event(&self, head: &Head<'_>, name: &'static str, of_event: OfEvent<'_>, about: &str) -> Result<PastEvent> {
        let payload = Payload {
            session_id: &head.session,
            transcript_path: &self.transcript,
            cwd: &head.cwd,
            prompt_id: head.prompt.clone(),
            permission_mode: self.permission_mode.as_deref().filter(|_| !name.ends_with("Compact")),
            agent_id: head.agent.as_deref(),
            agent_type: self.agent_type.as_deref().filter(|_| head.agent.is_some()),
            hook_event_name: name,
            of_event,
        };
        Ok(PastEvent {
            sample: Sample::parse(&serde_json::to_vec(&payload)?)?,
            time: head.time.to_owned(),
            cwd: head.cwd.clone().into(),
            about: about.chars().take(ABOUT).collect(),
        })
    }
}

/// Characters of an input that are kept for people.
const ABOUT: usize = 300;

/// The members of a row that each event has.
struct Head<'r> {
    session: String,
    cwd: String,
    time: &'r str,
    prompt: Option<String>,
    agent: Option<String>,
}
