//! The Messages API on 127.0.0.1, for a scripted model.
//!
//! This module has the HTTP server, and the format of its messages; the caller has the script.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use anyhow::Result;
use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

/// A server on a free port, until it is dropped.
pub struct Api {
    server: Arc<Server>,
    worker: Option<JoinHandle<()>>,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// A request of the conversation, or of a subagent's conversation: it offers tools.
    Conversation,
    /// A question without tools: one of the client, such as for a title, or one of a hook.
    Side,
    /// A count of tokens.
    Count,
    /// Anything else.
    Other,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Purpose.
    pub kind: RequestKind,
    /// Path of its URL, without the query.
    pub path: String,
    /// Body; null if it is not JSON.
    pub body: Value,
    /// `true` if the client marks it as a retry.
    pub is_retry: bool,
}

/// An answer to a request.
pub enum Reply {
    /// A message as [`message`] makes it, or an [`error`], which the client does not retry. A message is streamed if
    /// the client asks for that.
    Message(Value),
    /// Nothing, with status 200.
    Empty,
    /// The answer to a request that is not in the script: a count of tokens, or status 404.
    Default,
}

impl Api {
    /// Starts the server; `reply` is called for one request at a time.
    ///
    /// # Errors
    ///
    /// No port can be opened on 127.0.0.1.
    pub fn start(reply: impl Fn(&Asked) -> Reply + Send + 'static) -> Result<Self> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(anyhow::Error::from_boxed)?);
        let worker = thread::spawn({
            let server = Arc::clone(&server);
            move || server.incoming_requests().for_each(|request| serve(request, &reply))
        });
        Ok(Self { server, worker: Some(worker) })
    }

    /// Returns the base URL of the API, for the client.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        // The worker ends after the current request. The server's own threads end with the last `Arc` or, for an open
        // connection, when its other side closes it.
        self.server.unblock();
        if let Some(worker) = self.worker.take() {
            // A panic of the worker was printed, and failed the client's request.
            let _ = worker.join();
        }
    }
}

fn serve(mut request: Request, reply: &impl Fn(&Asked) -> Reply) {
    // From a reader, serde_json takes one byte at a time, and a body has a hundred thousand.
    let mut body = Vec::new();
    let read = request.as_reader().read_to_end(&mut body);
    let body: Value = read.ok().and_then(|_| serde_json::from_slice(&body).ok()).unwrap_or_default();
    let mut headers = request.headers().iter();
    let is_retry = headers.any(|header| header.field.equiv("x-stainless-retry-count") && header.value != "0");
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    // The name of the model comes first in a path of Gemini's.
    let method = path.rsplit_once(':').map_or(path.as_str(), |(_, method)| method);
    let kind = match (request.method(), method) {
        (Method::Post, "/v1/messages" | RESPONSES | GENERATE | GENERATE_STREAM) if body["tools"].get(0).is_some() => {
            RequestKind::Conversation
        }
        (Method::Post, "/v1/messages" | GENERATE | GENERATE_STREAM) => RequestKind::Side,
        (Method::Post, "/v1/messages/count_tokens") => RequestKind::Count,
        _ => RequestKind::Other,
    };
    let asked = Asked { kind, path, body, is_retry };
    const JSON: &str = "application/json";
    const EVENTS: &str = "text/event-stream";
    let (status, content_type, text) = match reply(&asked) {
        Reply::Message(message) if message["type"] == "error" => (400, JSON, message.to_string()),
        Reply::Message(message) if asked.path == RESPONSES => (200, EVENTS, responses(&message)),
        Reply::Message(message) if asked.path.ends_with(GENERATE_STREAM) => {
            (200, EVENTS, format!("data: {}\n\n", generated(&message)))
        }
        Reply::Message(message) if asked.path.ends_with(GENERATE) => (200, JSON, generated(&message).to_string()),
        Reply::Message(message) if asked.body["stream"] == true => (200, EVENTS, stream(&message)),
        Reply::Message(message) => (200, JSON, message.to_string()),
        Reply::Empty => (200, JSON, String::new()),
        Reply::Default if kind == RequestKind::Count => (200, JSON, json!({"input_tokens": 10}).to_string()),
        Reply::Default => {
            let words = format!("this scripted model has no answer for {}", asked.path);
            (404, JSON, error("not_found_error", &words).to_string())
        }
    };
    let mut response = Response::from_string(text).with_status_code(status);
    if let Ok(header) = Header::from_bytes("Content-Type", content_type) {
        response = response.with_header(header);
    }
    // The client may have exited.
    let _ = request.respond(response);
}

/// Returns a text, as a block of a message.
pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a tool call, as a block of a message.
pub fn call(id: &str, tool: &str, input: &Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": tool, "input": input})
}

/// Returns an error of the API.
pub fn error(kind: &str, words: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": words}})
}

/// Returns a message of the model with these blocks. The client treats two messages of the same number as one.
pub fn message(number: usize, model: &Value, blocks: &[Value]) -> Value {
    let has_calls = blocks.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": format!("msg_{number:03}"), "type": "message", "role": "assistant", "model": model, "content": blocks,
        "stop_reason": if has_calls { "tool_use" } else { "end_turn" }, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    })
}

/// The path of OpenAI's Responses API, which other agents ask.
const RESPONSES: &str = "/v1/responses";

/// Returns the events that stream a message in the form of the Responses API. A call whose input is a text is one of a custom tool.
fn responses(message: &Value) -> String {
    let item = |block: &Value| {
        let (id, name, input) = (&block["id"], &block["name"], &block["input"]);
        match (&block["type"], input) {
            (kind, _) if kind == "text" => {
                let content = json!([{"type": "output_text", "text": block["text"], "annotations": []}]);
                json!({"type": "message", "id": "msg", "role": "assistant", "content": content})
            }
            (_, Value::String(text)) => json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": text}),
            _ => json!({"type": "function_call", "call_id": id, "name": name, "arguments": input.to_string()}),
        }
    };
    let items: Vec<Value> = message["content"].as_array().into_iter().flatten().map(item).collect();
    let usage = json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15});
    let response = json!({"id": message["id"], "output": &items, "usage": usage});
    let mut events = vec![json!({"type": "response.created", "response": {"id": message["id"]}})];
    let done = |(index, item)| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    events.extend(items.iter().enumerate().map(done));
    events.push(json!({"type": "response.completed", "response": response}));
    events.iter().map(event).collect()
}

/// The methods of Google's Gemini API, which Gemini CLI asks.
const GENERATE: &str = "generateContent";
const GENERATE_STREAM: &str = "streamGenerateContent";

/// Returns a message in the form of the Gemini API.
fn generated(message: &Value) -> Value {
    let part = |block: &Value| match block["type"] == "text" {
        true => json!({"text": block["text"]}),
        false => json!({"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}),
    };
    let parts: Vec<Value> = message["content"].as_array().into_iter().flatten().map(part).collect();
    let usage = json!({"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15});
    let content = json!({"role": "model", "parts": parts});
    json!({"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}], "usageMetadata": usage})
}

/// Returns the events that stream a message, each block in one piece.
fn stream(message: &Value) -> String {
    let mut start = message.clone();
    (start["content"], start["stop_reason"]) = (json!([]), Value::Null);
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let mut empty = block.clone();
        let delta = if block["type"] == "tool_use" {
            empty["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
        } else {
            empty["text"] = json!("");
            json!({"type": "text_delta", "text": block["text"]})
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": message["usage"]}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(event).collect()
}

fn event(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}
