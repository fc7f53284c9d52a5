//! A scripted Messages API on 127.0.0.1: the "model" says what the test wrote down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use tiny_http::{Header, Method, Response, Server};

/// One answer of the model.
#[derive(Clone, Debug)]
pub struct Turn(Vec<Block>);

#[derive(Clone, Debug)]
enum Block {
    Text(String),
    Call(String, Value),
}

impl Turn {
    /// The model says something, which ends its turn.
    pub fn text(text: impl Into<String>) -> Turn {
        Turn(vec![Block::Text(text.into())])
    }

    /// The API answers with an error that the client does not try again after.
    pub fn failure() -> Turn {
        Turn(Vec::new())
    }

    /// The model calls one tool.
    pub fn call(tool: &str, input: Value) -> Turn {
        Turn::calls([(tool, input)])
    }

    /// The model calls several tools in one message.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Turn {
        let calls = calls.into_iter();
        Turn(calls.map(|(tool, input)| Block::Call(tool.to_owned(), input)).collect())
    }

    /// The answer as the API's message object, not streamed.
    fn message(&self, number: usize, model: &Value) -> Value {
        if self.0.is_empty() {
            return json!({"type": "error", "error": {"type": "invalid_request_error", "message": "scripted"}});
        }
        let block = |(at, block): (usize, &Block)| match block {
            Block::Text(text) => json!({"type": "text", "text": text}),
            // Ids sort in the order of the script: `Outcome::tool_results` relies on it.
            Block::Call(tool, input) => {
                json!({"type": "tool_use", "id": format!("toolu_{number:03}_{at:02}"), "name": tool, "input": input})
            }
        };
        let calls = self.0.iter().any(|block| matches!(block, Block::Call(..)));
        json!({
            "id": format!("msg_{number:03}"), "type": "message", "role": "assistant", "model": model,
            "content": self.0.iter().enumerate().map(block).collect::<Vec<_>>(),
            "stop_reason": if calls { "tool_use" } else { "end_turn" }, "stop_sequence": null,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        })
    }
}

/// What a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The conversation (or that of a sub-agent): it offers tools, and takes the next turn.
    Conversation,
    /// A call of the client's own, such as for a title: it offers no tools, and takes no turn.
    Side,
    /// A count of tokens.
    Count,
    /// Anything else: answered with 404.
    Other,
}

/// A request that the mock got.
#[derive(Clone, Debug)]
pub struct Request {
    /// What it was for.
    pub kind: Kind,
    /// Its body; null where that was no JSON.
    pub body: Value,
}

/// The mock, serving until it is dropped.
///
/// When the script is over, the model says `(end of script)`. A request that the client marks as a retry gets the
/// former answer again.
pub struct Mock {
    server: Arc<Server>,
    state: Arc<Mutex<State>>,
    worker: Option<JoinHandle<()>>,
}

/// What the "model" says, and when.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What it says in this order, to whatever is asked.
    pub turns: Vec<Turn>,
    /// What it says, in this order, after a prompt, or a text of the client's, that begins so. It goes before `turns`.
    pub replies: Vec<(String, Vec<Turn>)>,
}

impl Script {
    /// What is said to the last text in `messages` that the script has a reply to.
    fn reply(&self, messages: &Value) -> Option<&Turn> {
        let mut reply = None;
        let mut said = 0;
        for message in messages.as_array()? {
            if message["role"] == "assistant" {
                said += 1;
                continue;
            }
            let blocks = message["content"].as_array().into_iter().flatten();
            let texts = blocks.map(|block| &block["text"]).chain([&message["content"]]);
            for text in texts.filter_map(Value::as_str) {
                if let Some((_, turns)) = self.replies.iter().find(|(prompt, _)| text.starts_with(prompt)) {
                    (reply, said) = (Some(turns), 0);
                }
            }
        }
        reply?.get(said)
    }
}

impl From<Vec<Turn>> for Script {
    fn from(turns: Vec<Turn>) -> Self {
        Self {
            turns,
            replies: Vec::new(),
        }
    }
}

#[derive(Default)]
struct State {
    script: Script,
    taken: usize,
    requests: Vec<Request>,
}

impl Mock {
    /// Starts serving a script on a free port.
    ///
    /// # Errors
    ///
    /// Where no port can be opened on 127.0.0.1.
    pub fn start(script: impl Into<Script>) -> anyhow::Result<Mock> {
        let server = Arc::new(Server::http("127.0.0.1:0").map_err(anyhow::Error::from_boxed)?);
        let state = Arc::new(Mutex::new(State {
            script: script.into(),
            ..State::default()
        }));
        let worker = thread::spawn({
            let (server, state) = (Arc::clone(&server), Arc::clone(&state));
            move || {
                for request in server.incoming_requests() {
                    serve(request, &state);
                }
            }
        });
        Ok(Mock {
            server,
            state,
            worker: Some(worker),
        })
    }

    /// What the client takes as the API's base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// The requests so far, in the order they came.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// Returns the number of requests so far.
    pub(crate) fn count(&self) -> usize {
        lock(&self.state).requests.len()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // The worker ends after the request at hand. The server's own threads end with the last `Arc` or, where a
        // connection is still open, when its other side closes it.
        self.server.unblock();
        if let Some(worker) = self.worker.take() {
            // A panic of the worker was already printed, and failed the client's request.
            let _ = worker.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut request: tiny_http::Request, state: &Mutex<State>) {
    let body: Value = serde_json::from_reader(request.as_reader()).unwrap_or_default();
    let retry = request
        .headers()
        .iter()
        .any(|header| header.field.equiv("x-stainless-retry-count") && header.value != "0");
    let path = request.url().split('?').next().unwrap_or_default();
    let kind = match (request.method(), path) {
        (Method::Post, "/v1/messages") if body["tools"].get(0).is_some() => Kind::Conversation,
        (Method::Post, "/v1/messages") => Kind::Side,
        (Method::Post, "/v1/messages/count_tokens") => Kind::Count,
        _ => Kind::Other,
    };
    let (status, content_type, text) = match kind {
        Kind::Count => (200, "application/json", json!({"input_tokens": 10}).to_string()),
        Kind::Other => {
            let error = json!({"type": "not_found_error", "message": format!("the mock has nothing at {path}")});
            (
                404,
                "application/json",
                json!({"type": "error", "error": error}).to_string(),
            )
        }
        Kind::Conversation | Kind::Side => {
            let message = lock(state).answer(kind, retry, &body);
            match body["stream"].as_bool() {
                _ if message["type"] == "error" => (400, "application/json", message.to_string()),
                Some(true) => (200, "text/event-stream", server_sent_events(&message)),
                _ => (200, "application/json", message.to_string()),
            }
        }
    };
    lock(state).requests.push(Request { kind, body });
    let content_type = Header::from_bytes("Content-Type", content_type).expect("a fixed header is valid");
    // The client may be gone by now; what it did not get, it did not act on.
    let _ = request.respond(
        Response::from_string(text)
            .with_status_code(status)
            .with_header(content_type),
    );
}

impl State {
    fn answer(&mut self, kind: Kind, retry: bool, body: &Value) -> Value {
        let model = &body["model"];
        if kind == Kind::Side {
            return Turn::text(r#"{"title": "scripted"}"#).message(0, model);
        }
        if !(retry && self.taken > 0) {
            self.taken += 1;
        }
        let reply = self.script.reply(&body["messages"]);
        let turn = reply.or_else(|| self.script.turns.get(self.taken - 1)).cloned();
        turn.unwrap_or_else(|| Turn::text("(end of script)"))
            .message(self.taken, model)
    }
}

/// The events that stream `message`, each block in one piece.
fn server_sent_events(message: &Value) -> String {
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
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
    let delta = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": message["usage"]}));
    events.push(json!({"type": "message_stop"}));
    let event = |event: &Value| {
        format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or_default()
        )
    };
    events.iter().map(event).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    /// Posts `body` by hand (a client library would be a dependency for five lines); the answer, head and all.
    fn post(mock: &Mock, path: &str, header: &str, body: &Value) -> String {
        let (body, address) = (body.to_string(), mock.server.server_addr().to_string());
        let mut stream = TcpStream::connect(address).expect("the mock listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .expect("a timeout");
        let head = format!("POST {path} HTTP/1.1\r\nHost: mock\r\nConnection: close\r\n{header}");
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("the mock reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the mock answers");
        answer
    }

    fn ask(mock: &Mock, header: &str, stream: bool) -> String {
        let body = json!({"model": "m", "stream": stream, "tools": [{"name": "Bash"}]});
        post(mock, "/v1/messages?beta=true", header, &body)
    }

    #[test]
    fn turns_are_said_in_order_and_a_retry_repeats_the_former() {
        let mock = Mock::start(vec![Turn::text("one"), Turn::text("two")]).expect("a port");
        assert!(ask(&mock, "", false).contains(r#""text":"one""#));
        assert!(ask(&mock, "X-Stainless-Retry-Count: 1\r\n", false).contains("one"));
        assert!(ask(&mock, "X-Stainless-Retry-Count: 0\r\n", false).contains("two"));
        assert!(ask(&mock, "", false).contains("(end of script)"));
    }

    #[test]
    fn a_reply_goes_by_the_last_prompt_and_by_what_was_said_since() {
        let script = Script {
            replies: vec![
                ("one".to_owned(), vec![Turn::text("1a"), Turn::text("1b")]),
                ("two".to_owned(), vec![Turn::text("2")]),
            ],
            turns: vec![Turn::text("first"), Turn::text("second")],
        };
        let user = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}]});
        let model = json!({"role": "assistant", "content": []});
        for (messages, said) in [
            (json!([user("one")]), Some("1a")),
            (json!([{"role": "user", "content": "one"}, model]), Some("1b")),
            (json!([user("one"), model, model]), None),
            (
                json!([user("one"), model, user("feedback"), model, user("two")]),
                Some("2"),
            ),
            (json!([user("three")]), None),
        ] {
            let reply = script.reply(&messages).map(|turn| turn.message(0, &Value::Null));
            let text = reply.map(|message| message["content"][0]["text"].clone());
            assert_eq!(text.as_ref().and_then(Value::as_str), said, "{messages}");
        }
    }

    #[test]
    fn side_calls_counts_and_unknown_paths_take_no_turn() {
        let mock = Mock::start(vec![Turn::text("one")]).expect("a port");
        assert!(post(&mock, "/v1/messages", "", &json!({"tools": []})).contains("scripted"));
        assert!(post(&mock, "/v1/messages/count_tokens", "", &json!({})).contains("input_tokens"));
        assert!(post(&mock, "/api/whatever", "", &json!({"a": 1})).starts_with("HTTP/1.1 404"));
        assert!(ask(&mock, "", false).contains("one"));
        let kinds: Vec<Kind> = mock.requests().iter().map(|request| request.kind).collect();
        assert_eq!(kinds, [Kind::Side, Kind::Count, Kind::Other, Kind::Conversation]);
        assert_eq!(mock.requests()[2].body, json!({"a": 1}));
    }

    #[test]
    fn several_calls_are_streamed_in_one_message() {
        let calls = [
            ("Bash", json!({"command": "true"})),
            ("Read", json!({"file_path": "/f"})),
        ];
        let mock = Mock::start(vec![Turn::calls(calls)]).expect("a port");
        let answer = ask(&mock, "", true);
        let data = answer.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = data
            .map(|data| serde_json::from_str(data).expect("an event is JSON"))
            .collect();
        let ids: Vec<&Value> = events
            .iter()
            .filter_map(|event| event.pointer("/content_block/id"))
            .collect();
        assert_eq!(ids, ["toolu_001_00", "toolu_001_01"]);
        assert_eq!(events[2]["delta"]["partial_json"], r#"{"command":"true"}"#);
        assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
        assert_eq!(events[events.len() - 1]["type"], "message_stop");
    }

    #[test]
    fn dropping_the_mock_closes_its_port() {
        let mock = Mock::start(Vec::new()).expect("a port");
        let address = mock.server.server_addr().to_string();
        drop(mock);
        // The thread that accepts ends on its own shortly after the server is gone.
        let closed = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(20));
            TcpStream::connect(&address).is_err()
        });
        assert!(closed, "{address} still takes connections");
    }
}
