//! A scripted model on 127.0.0.1, which also records the hooks that are not commands.
//!
//! It does not count its turns: each request contains the conversation so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diagnose::client::api::{self, Api, Asked, Reply, RequestKind};
use crate::diagnose::client::call::{Call, MARK};

/// The server of the model, until it is dropped.
pub(super) struct Model {
    api: Api,
    heard: Arc<Mutex<CallCounts>>,
}

/// The number of times that each handler was called, by handler number.
pub(super) type CallCounts = BTreeMap<usize, usize>;

impl Model {
    /// Starts a model that makes these calls, one after the other, and then ends its turn.
    pub(super) fn start(calls: Vec<Call>) -> Result<Self> {
        let heard = Arc::new(Mutex::new(CallCounts::new()));
        let api = Api::start({
            let heard = Arc::clone(&heard);
            move |asked| reply(asked, &calls, &heard)
        })?;
        Ok(Self { api, heard })
    }

    pub(super) fn url(&self) -> String {
        self.api.url()
    }

    pub(super) fn heard(&self) -> CallCounts {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn reply(asked: &Asked, calls: &[Call], heard: &Mutex<CallCounts>) -> Reply {
    let (reply, number) = match asked.kind {
        RequestKind::Conversation | RequestKind::Side => {
            // The client treats messages of the same number as one.
            static NEXT: AtomicUsize = AtomicUsize::new(1);
            let (block, number) = next_block(&asked.body, calls);
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            let message = api::message(next, &asked.body["model"], &[block]);
            (Reply::Message(message), number)
        }
        RequestKind::Count => (Reply::Default, None),
        // An empty answer of an `http` hook has no effect.
        RequestKind::Other => match marked(&asked.path) {
            Some(number) => (Reply::Empty, Some(number)),
            None => (Reply::Default, None),
        },
    };
    if let Some(number) = number {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        *heard.entry(number).or_default() += 1;
    }
    reply
}

/// Returns the number of the handler that a text names.
pub(super) fn marked(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once(MARK)?;
    let digits = rest
        .find(|char: char| !char.is_ascii_digit())
        .map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

/// Returns the model's next block, and the handler, if this was its first question.
fn next_block(body: &Value, calls: &[Call]) -> (Value, Option<usize>) {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let turns = messages.iter().filter(|message| message["role"] == "assistant").count();
    let text = api::text;
    let call = |name: &str, input: &Value| api::call(&format!("toolu_{turns:03}"), name, input);
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
            true if turns == 0 => call("StructuredOutput", &ok),
            true => text("Done."),
            false => text(&ok.to_string()),
        };
        return (answer, (turns == 0).then_some(number));
    }
    let answer = match calls.get(turns) {
        _ if tools.is_empty() => text(r#"{"title": "hooks"}"#),
        Some(next) => call(&next.tool, &next.input),
        None => text("Done."),
    };
    (answer, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_are_made_in_order_and_a_prompt_of_a_hook_takes_none() {
        let calls = ["Bash", "Read"].map(|tool| Call::new(tool, json!({})));
        let user = json!({"role": "user", "content": "go"});
        let model = json!({"role": "assistant", "content": []});
        let tools = json!([{"name": "Bash"}]);
        let asked = |messages: Value, tools: &Value| next_block(&json!({"messages": messages, "tools": tools}), &calls);
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
