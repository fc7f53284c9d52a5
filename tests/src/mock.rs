//! A scripted Messages API on 127.0.0.1: the "model" says what the test wrote down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::api::{self, Api, Asked, Reply, RequestKind};

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

    /// The model runs a command.
    pub fn bash(command: &str) -> Turn {
        Turn::call("Bash", json!({"command": command, "description": "Run it"}))
    }

    /// The model calls several tools in one message.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Turn {
        let calls = calls.into_iter();
        Turn(calls.map(|(tool, input)| Block::Call(tool.to_owned(), input)).collect())
    }

    /// The answer as the API's message object, not streamed.
    fn message(&self, number: usize, model: &Value) -> Value {
        if self.0.is_empty() {
            return api::error("invalid_request_error", "scripted");
        }
        let block = |(at, block): (usize, &Block)| match block {
            Block::Text(text) => api::text(text),
            // Ids sort in the order of the script: `Outcome::tool_results` relies on it.
            Block::Call(tool, input) => api::call(&format!("toolu_{number:03}_{at:02}"), tool, input),
        };
        let blocks: Vec<Value> = self.0.iter().enumerate().map(block).collect();
        api::message(number, model, &blocks)
    }
}

/// The mock, serving until it is dropped.
///
/// When the script is over, the model says `(end of script)`. A request that the client marks as a retry gets the
/// former answer again.
pub struct Mock {
    api: Api,
    state: Arc<Mutex<State>>,
}

/// The replies of the "model", and when it gives them.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Replies in this order, to any request.
    pub turns: Vec<Turn>,
    /// Replies, in this order, after a prompt, or a text of the client's, that begins so. They go before `turns`.
    pub replies: Vec<(String, Vec<Turn>)>,
}

impl Script {
    /// Returns the reply to the last text in `messages` that the script has a reply to.
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
        Self { turns, replies: Vec::new() }
    }
}

#[derive(Default)]
struct State {
    script: Script,
    taken: usize,
    requests: Vec<Asked>,
}

impl Mock {
    /// Starts serving a script on a free port.
    ///
    /// # Errors
    ///
    /// If no port can be opened on 127.0.0.1.
    pub fn start(script: impl Into<Script>) -> anyhow::Result<Mock> {
        let state = Arc::new(Mutex::new(State { script: script.into(), ..State::default() }));
        let api = Api::start({
            let state = Arc::clone(&state);
            move |asked| lock(&state).reply(asked)
        })?;
        Ok(Mock { api, state })
    }

    /// Returns the base URL of the API for the client.
    pub fn url(&self) -> String {
        self.api.url()
    }

    /// The requests so far, in the order they came.
    pub fn requests(&self) -> Vec<Asked> {
        lock(&self.state).requests.clone()
    }

    /// Returns the number of requests so far.
    pub(crate) fn count(&self) -> usize {
        lock(&self.state).requests.len()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn reply(&mut self, asked: &Asked) -> Reply {
        self.requests.push(asked.clone());
        match asked.kind {
            RequestKind::Conversation => Reply::Message(self.next(asked.is_retry, &asked.body)),
            RequestKind::Side => {
                Reply::Message(Turn::text(r#"{"title": "scripted", "ok": true}"#).message(0, &asked.body["model"]))
            }
            RequestKind::Count | RequestKind::Other => Reply::Default,
        }
    }

    /// The next turn, as the API's message.
    fn next(&mut self, is_retry: bool, body: &Value) -> Value {
        let model = &body["model"];
        if !(is_retry && self.taken > 0) {
            self.taken += 1;
        }
        let reply = self.script.reply(&body["messages"]);
        let turn = reply.or_else(|| self.script.turns.get(self.taken - 1)).cloned();
        turn.unwrap_or_else(|| Turn::text("(end of script)")).message(self.taken, model)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::thread;
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    /// Posts `body` manually (a client library would be a dependency for five lines); the answer, head and all.
    fn post(mock: &Mock, path: &str, header: &str, body: &Value) -> String {
        let (body, address) = (body.to_string(), mock.url().replace("http://", ""));
        let mut stream = TcpStream::connect(address).expect("the mock listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
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
            (json!([user("one"), model, user("feedback"), model, user("two")]), Some("2")),
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
        let kinds: Vec<RequestKind> = mock.requests().iter().map(|request| request.kind).collect();
        assert_eq!(kinds, [RequestKind::Side, RequestKind::Count, RequestKind::Other, RequestKind::Conversation]);
        assert_eq!(mock.requests()[2].body, json!({"a": 1}));
    }

    #[test]
    fn several_calls_are_streamed_in_one_message() {
        let calls = [("Bash", json!({"command": "true"})), ("Read", json!({"file_path": "/f"}))];
        let mock = Mock::start(vec![Turn::calls(calls)]).expect("a port");
        let answer = ask(&mock, "", true);
        let data = answer.lines().filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = data.map(|data| serde_json::from_str(data).expect("an event is JSON")).collect();
        let ids: Vec<&Value> = events.iter().filter_map(|event| event.pointer("/content_block/id")).collect();
        assert_eq!(ids, ["toolu_001_00", "toolu_001_01"]);
        assert_eq!(events[2]["delta"]["partial_json"], r#"{"command":"true"}"#);
        assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
        assert_eq!(events[events.len() - 1]["type"], "message_stop");
    }

    #[test]
    fn dropping_the_mock_closes_its_port() {
        let mock = Mock::start(Vec::new()).expect("a port");
        let address = mock.url().replace("http://", "");
        drop(mock);
        // The thread that accepts ends on its own shortly after the server is gone.
        let closed = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(20));
            TcpStream::connect(&address).is_err()
        });
        assert!(closed, "{address} still takes connections");
    }
}
