//! An observation of one row, cut to the parts that hooks bring about, so that two plays give equal ones.

use hookkit::protocol::event;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Row;
use super::comparison::is_note;
use super::rows::SCRIPT;

/// An observation of the client, made while one row was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The run in words, for readers of the record.
    pub run: String,
    /// `true` if the hook ran. One that cannot be started leaves no trace.
    pub has_run: bool,
    /// The value that the matcher was compared with, as the client names the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The number of requests to the model before the prompt that follows; 0 if two plays can differ in it.
    pub requests: usize,
    /// `true` if the command of the tool call ran, where it is one of Bash.
    pub has_tool_run: bool,
    /// The texts that the model got and had not got before.
    pub texts: Vec<Text>,
    /// The client's lines.
    pub events: Vec<Value>,
    /// The client's own stderr, by message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

/// A text that the model got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The role of the message.
    pub role: String,
    /// `text`, `tool_result`, or `tool_error`.
    pub kind: String,
    /// The text.
    pub text: String,
    /// `true` if it came with the prompt that follows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_late: bool,
}

impl Observation {
    /// Removes the parts that no hook brings about, and the values that differ from session to session.
    #[must_use]
    pub fn normalized(mut self, row: &Row) -> Self {
        let word = row.word();
        let is_of_row = |text: &str| text.contains(&word) || text.contains(SCRIPT) || is_note(text);
        self.texts.retain(|text| text.kind != "text" || is_of_row(&text.text));
        for text in &mut self.texts {
            text.text = without_session(&without_instructions(&text.text, is_of_row));
            // Its texts come when it has ended, before the prompt that follows or with it.
            text.is_late &= !row.is_in_background();
        }
        if row.is_in_background() {
            // Its text comes in a paragraph among the client's own, before or behind the results of the turn.
            for text in self.texts.iter_mut().filter(|text| text.role == "system") {
                let paragraphs = text.text.split("\n\n").filter(|paragraph| paragraph.contains(&word));
                text.text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            self.texts.sort_by_key(|text| text.role == "system");
        }
        if row.wakes() {
            self.keep_wake(&word);
        }
        self.texts.retain(|text| !text.text.is_empty());
        let events = self.events.iter();
        self.events = events.filter_map(|event| reduced(event, &word)).collect();
        if row.wakes() && row.event == &event::CONFIG_CHANGE {
            // The settings change before the prompt, so the turn of the wake can take the place of the prompt's.
            self.requests = 0;
            for event in self.events.iter_mut().filter_map(Value::as_object_mut) {
                event.remove("result");
            }
        }
        // The stderr is of the whole session, in which other rows were played.
        self.stderr = messages(&self.stderr);
        self.stderr.retain(|message| message.contains(&word));
        self
    }

    /// Cuts the text that woke the model out of what the client puts around it, which differs with the moment: the turn may
    /// be over, or go on.
    fn keep_wake(&mut self, word: &str) {
        for text in self.texts.iter_mut().filter(|text| text.text.contains(word)) {
            let woken = text.text.split("<system-reminder>\n").find(|part| part.contains(word));
            let woken = woken.and_then(|part| part.split("\n&lt;/system-reminder&gt;").next());
            text.text = woken.unwrap_or_default().to_owned();
            text.role = "system".to_owned();
        }
        // The turn after it is of no interest, and may take the place of the prompt that follows.
        let first = self.events.iter().position(|event| event["type"] == "result");
        let mut at = 0..;
        self.events.retain(|event| at.next() <= first || event["type"] == "control_response");
        self.texts.dedup();
    }

    /// Returns the first `result` of the row.
    pub fn result(&self) -> Option<&Value> {
        self.events.iter().find(|event| event["type"] == "result")
    }
}

/// The client's own instructions around the output of a hook: their beginning, and the text behind them if it is not
/// the end.
const INSTRUCTIONS: [(&str, &str); 6] = [
    ("CRITICAL: Respond with TEXT ONLY", "Additional Instructions:\n"),
    ("\n\nREMINDER: Do NOT call any tools", ""),
    ("\n\n# Environment\n", ""),
    ("[Subagent hand-back]", ""),
    // This comes after a number of turns, behind the text of a hook or in front of it.
    ("\n\nThe task tools haven't been used recently", ""),
    ("The task tools haven't been used recently", "\n\n\n"),
];

/// Removes the client's own instructions, unless they mention a hook.
fn without_instructions(text: &str, is_of_row: impl Fn(&str) -> bool) -> String {
    let mut text = text.to_owned();
    for (start, behind) in INSTRUCTIONS {
        let Some(start) = text.find(start) else { continue };
        let end = match behind {
            "" => Some(text.len()),
            behind => text[start..].find(behind).map(|at| start + at),
        };
        let range = start..end.unwrap_or(start);
        if !is_of_row(&text[range.clone()]) {
            text.replace_range(range, "");
            text = text.trim_start_matches('\n').to_owned();
        }
    }
    text
}

/// Joins the lines of each message on stderr, of which the first names the hook.
fn messages(lines: &[String]) -> Vec<String> {
    let mut messages: Vec<String> = Vec::new();
    for line in lines {
        match messages.last_mut() {
            Some(message) if !line.contains(SCRIPT) => *message = format!("{message}\n{line}"),
            _ => messages.push(line.clone()),
        }
    }
    messages
}

/// Returns the members of a line of the client's that the comparison reads, if it has any.
fn reduced(event: &Value, word: &str) -> Option<Value> {
    // These repeat the output of the hook itself.
    if matches!(event["subtype"].as_str(), Some("hook_started" | "hook_response")) {
        return None;
    }
    let read: &[&str] = match (event["type"].as_str()?, event["subtype"].as_str()) {
        ("system", Some("informational")) => &["content"],
        ("result", _) => &["result", "terminal_reason"],
        ("control_response", _) => &["response"],
        _ => &[],
    };
    let mut kept = Map::new();
    for name in ["type", "subtype"].iter().chain(read) {
        match &event[name] {
            Value::Null => {}
            Value::Object(response) => {
                let read = response.iter().filter(|(name, _)| ["subtype", "error"].contains(&name.as_str()));
                let read: Map<String, Value> = read.map(|(name, value)| (name.clone(), value.clone())).collect();
                kept.insert((*name).to_owned(), read.into());
            }
            value => {
                kept.insert((*name).to_owned(), value.clone());
            }
        }
    }
    let mut marked = Vec::new();
    if read.is_empty() {
        strings_with(word, event, &mut marked);
    }
    if read.is_empty() && marked.is_empty() {
        return None;
    }
    if !marked.is_empty() {
        kept.insert("strings".to_owned(), json!(marked));
    }
    kept.values_mut().for_each(clean);
    Some(kept.into())
}

/// Collects the strings in a value that contain a word, each once.
fn strings_with(word: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(word) && !found.contains(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings_with(word, item, found)),
        Value::Object(fields) => fields.values().for_each(|field| strings_with(word, field, found)),
        _ => {}
    }
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_session(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        _ => {}
    }
}

/// Replaces the names that only one session has: its folders, ids, and the numbers of its tasks.
fn without_session(text: &str) -> String {
    let temporary = test_support::temporary();
    let temporary = temporary.to_string_lossy();
    let mut text = text.to_owned();
    for folder in ["project", "session"] {
        let name = format!("hookkit-{folder}-");
        let is_tail = |c: char| c.is_ascii_alphanumeric();
        text = replaced(&text, &format!("{temporary}/{name}"), is_tail, &format!("/{folder}"));
        text = replaced(&text, &name, is_tail, folder);
    }
    // A long output is in a file, whose name has the ids of the session and of the call.
    text = replaced(&text, "/session/config/projects/", |c| !c.is_whitespace(), "/saved");
    text = replaced(&text, "toolu_", |c| c.is_ascii_alphanumeric() || c == '_', "toolu");
    // The model's port.
    text = replaced(&text, "127.0.0.1:", |c| c.is_ascii_digit(), "127.0.0.1:port");
    // The number of a task depends on the rows before this one.
    text = replaced(&text, "Task #", |c| c.is_ascii_digit(), "Task");
    text = replaced(&text, "task #", |c| c.is_ascii_digit(), "task");
    text
}

/// Replaces each occurrence of `start`, with the characters behind it that belong to it.
fn replaced(text: &str, start: &str, is_tail: impl Fn(char) -> bool, by: &str) -> String {
    let mut parts = text.split(start);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        replaced.push_str(by);
        replaced.push_str(part.trim_start_matches(&is_tail));
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_session_are_replaced() {
        let temporary = test_support::temporary();
        let text = format!(
            "{0}/hookkit-project-aB3dE6/a.txt: Task #12 of toolu_001_00, {0}/hookkit-session-x/config/projects/-a/b.txt\n",
            temporary.display()
        );
        assert_eq!(without_session(&text), "/project/a.txt: Task of toolu, /saved\n");
        assert_eq!(without_session("größer, as it is: a-b-c"), "größer, as it is: a-b-c");
    }
}
