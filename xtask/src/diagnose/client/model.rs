//! A scripted model on 127.0.0.1, which also hears the hooks that do not run as a command.
//!
//! It keeps no count of its turns: how far a conversation is stands in each of its requests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::diagnose::client::call::{Call, MARK};

/// Serves until it is dropped.
pub(super) struct Model {
    server: Arc<Server>,
    heard: Arc<Mutex<Heard>>,
    worker: Option<JoinHandle<()>>,
}

/// How often each handler was asked, by its number.
pub(super) type Heard = BTreeMap<usize, usize>;

impl Model {
    /// Says these calls, one after the other, and then that it is done.
    pub(super) fn start(calls: Vec<Call>) -> Result<Self> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(anyhow::Error::from_boxed)?);
        let heard = Arc::new(Mutex::new(Heard::new()));
        let worker = thread::spawn({
            let (server, heard) = (Arc::clone(&server), Arc::clone(&heard));
            move || {
                for request in server.incoming_requests() {
                    serve(request, &calls, &heard);
                }
            }
        });
        Ok(Self {
            server,
            heard,
            worker: Some(worker),
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    pub(super) fn heard(&self) -> Heard {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(worker) = self.worker.take() {
            // What it panicked about was printed.
            let _ = worker.join();
        }
    }
}

fn serve(mut request: Request, calls: &[Call], heard: &Mutex<Heard>) {
    let body: Value = serde_json::from_reader(request.as_reader()).unwrap_or_default();
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    let hear = |number| {
        *heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(number)
            .or_default() += 1
    };
    let (status, answer) = match (request.method(), path.as_str()) {
        (Method::Post, "/v1/messages") => {
            let (content, number) = said(&body, calls);
            if let Some(number) = number {
                hear(number);
            }
            (200, Some(message(&content, &body)))
        }
        (Method::Post, "/v1/messages/count_tokens") => (200, Some(json!({"input_tokens": 10}))),
        // An empty answer of an `http` hook says nothing.
        (_, path) if marked(path).is_some() => {
            let _ = marked(path).map(hear);
            (200, None)
        }
        _ => {
            let error = json!({"type": "not_found_error", "message": "this is a scripted model"});
            (404, Some(json!({"type": "error", "error": error})))
        }
    };
    let is_stream = body["stream"] == true && answer.as_ref().is_some_and(|answer| answer["type"] == "message");
    let (kind, text) = match answer {
        None => ("application/json", String::new()),
        Some(message) if is_stream => ("text/event-stream", stream(&message)),
        Some(answer) => ("application/json", answer.to_string()),
    };
    let mut response = Response::from_string(text).with_status_code(status);
    if let Ok(header) = Header::from_bytes("Content-Type", kind) {
        response = response.with_header(header);
    }
    // The client may be gone by now.
    let _ = request.respond(response);
}

/// The number of the handler that a text names.
pub(super) fn marked(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once(MARK)?;
    let digits = rest
        .find(|char: char| !char.is_ascii_digit())
        .map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

/// What the model says next, and the handler whose first question this was.
fn said(body: &Value, calls: &[Call]) -> (Value, Option<usize>) {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |name: &str, input: &Value| json!({"type": "tool_use", "id": format!("toolu_{said:03}"), "name": name, "input": input});
    let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let named_by = |message: Option<&Value>| message.and_then(|message| marked(&message["content"].to_string()));
    // On Stop and SubagentStop a `prompt` hook's question follows the whole conversation, without tools.
    if let Some(number) = named_by(messages.last()).filter(|_| tools.is_empty()) {
        return (text(&json!({"ok": true}).to_string()), Some(number));
    }
    // A `prompt` or `agent` hook begins its own conversation with its prompt.
    if let Some(number) = named_by(messages.first()) {
        let ok = json!({"ok": true});
        let is_agent = tools.iter().any(|tool| tool["name"] == "StructuredOutput");
        let answer = match is_agent {
            true if said == 0 => call("StructuredOutput", &ok),
            true => text("Done."),
            false => text(&ok.to_string()),
        };
        return (answer, (said == 0).then_some(number));
    }
    let answer = match calls.get(said) {
        _ if tools.is_empty() => text(r#"{"title": "hooks"}"#),
        Some(next) => call(&next.tool, &next.input),
        None => text("Done."),
    };
    (answer, None)
}

fn message(block: &Value, asked: &Value) -> Value {
    // The client takes messages of one id for one message.
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let stop = if block["type"] == "tool_use" {
        "tool_use"
    } else {
        "end_turn"
    };
    json!({
        "id": format!("msg_{id:03}"), "type": "message", "role": "assistant", "model": asked["model"], "content": [block],
        "stop_reason": stop, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 5},
    })
}

/// The events that stream a message of one block.
fn stream(message: &Value) -> String {
    let (mut start, block) = (message.clone(), &message["content"][0]);
    (start["content"], start["stop_reason"]) = (json!([]), Value::Null);
    let mut empty = block.clone();
    let delta = if block["type"] == "tool_use" {
        empty["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    } else {
        empty["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    };
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    let events = [
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ];
    let line = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or_default()
        )
    };
    events.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_are_said_in_order_and_a_hooks_prompt_takes_none() {
        let calls = ["Bash", "Read"].map(|tool| Call::new(tool, json!({})));
        let user = json!({"role": "user", "content": "go"});
        let model = json!({"role": "assistant", "content": []});
        let tools = json!([{"name": "Bash"}]);
        let asked = |messages: Value, tools: &Value| said(&json!({"messages": messages, "tools": tools}), &calls);
        assert_eq!(asked(json!([user]), &tools).0["name"], "Bash");
        assert_eq!(asked(json!([user, model, user]), &tools).0["name"], "Read");
        assert_eq!(asked(json!([user, model, model]), &tools).0["text"], "Done.");
        assert_eq!(asked(json!([user]), &json!([])).0["type"], "text");
        let hook = json!({"role": "user", "content": [{"type": "text", "text": format!("{MARK}0012 {{}}")}]});
        assert_eq!(asked(json!([hook]), &json!([])).1, Some(12));
        let (answer, number) = asked(json!([user, model, user, model, hook]), &json!([]));
        assert_eq!((answer["text"].as_str(), number), (Some("{\"ok\":true}"), Some(12)));
        let agent = json!([{"name": "StructuredOutput"}]);
        assert_eq!(asked(json!([hook]), &agent).0["name"], "StructuredOutput");
        assert_eq!(asked(json!([hook, model]), &agent).1, None);
    }
}
