//! A transcript that a test writes.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use crate::transcript::Usage;

/// The transcript of a [`Session`](super::Session): each method adds rows to its file, as the client writes them.
///
/// ```
/// use hookkit::testing::Session;
/// use hookkit::tool;
///
/// let session = Session::new();
/// session
///     .transcript()
///     .prompt("fix the test")
///     .called("Bash", tool::Bash::new("cargo test"), "ok")
///     .reply("Done.");
/// let transcript = session.context().transcript().unwrap();
/// assert_eq!(transcript.last_assistant_text().unwrap().as_deref(), Some("Done."));
/// assert!(transcript.tool_calls().next().unwrap().unwrap().succeeded());
/// ```
#[derive(Debug)]
pub struct Transcript {
    pub(super) path: PathBuf,
    pub(super) cwd: PathBuf,
    pub(super) session_id: String,
}

impl Transcript {
    /// Adds a prompt of the user.
    #[track_caller]
    pub fn prompt(&self, text: &str) -> &Self {
        self.row(json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    /// Adds a reply of the model.
    #[track_caller]
    pub fn reply(&self, text: &str) -> &Self {
        self.reply_with(text, Usage::default())
    }

    /// Adds a reply of the model that used these tokens, as the API counts them: `json!({"output_tokens": 60})`, or a
    /// [`Usage`].
    #[track_caller]
    pub fn reply_with(&self, text: &str, usage: impl Serialize) -> &Self {
        self.assistant(json!({"type": "text", "text": text}), usage)
    }

    /// Adds a call of a tool that succeeded, with its output in the form of PostToolUse (`tool_response`).
    #[track_caller]
    pub fn called(&self, tool: &str, input: impl Serialize, response: impl Serialize) -> &Self {
        self.calling(tool, input);
        let response = value(response);
        let text = response.as_str().map_or_else(|| response.to_string(), str::to_owned);
        self.result(&text, &response, false)
    }

    /// Adds a call of a tool that failed, with the text that the model reads.
    #[track_caller]
    pub fn failed(&self, tool: &str, input: impl Serialize, error: &str) -> &Self {
        self.calling(tool, input);
        self.result(error, &format!("Error: {error}").into(), true)
    }

    /// Adds a call of a tool without a result: it still runs, or is about to.
    #[track_caller]
    pub fn calling(&self, tool: &str, input: impl Serialize) -> &Self {
        let id = call_id(self.rows() + 1);
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": value(input)});
        self.assistant(call, Usage::default())
    }

    /// Returns the id of the last call (`tool_use_id`).
    pub fn last_call(&self) -> String {
        let rows = fs::read_to_string(&self.path).unwrap_or_default();
        let mut ids = rows.lines().filter_map(|row| {
            let row: Value = serde_json::from_str(row).ok()?;
            Some(row["message"]["content"][0]["id"].as_str()?.to_owned())
        });
        ids.next_back().unwrap_or_default()
    }

    /// Adds a row unchanged, for example of a kind that has no method here.
    ///
    /// # Panics
    ///
    /// Panics, like all methods here, if the file cannot be written or a value cannot be serialized as JSON.
    #[track_caller]
    pub fn row(&self, row: impl Serialize) -> &Self {
        let number = self.rows() + 1;
        let mut row = value(row);
        let common = [
            ("uuid", json!(format!("00000000-0000-4000-8000-{number:012}"))),
            ("isSidechain", json!(false)),
            ("sessionId", json!(self.session_id)),
            ("cwd", json!(self.cwd)),
            ("timestamp", json!("2026-01-01T00:00:00.000Z")),
        ];
        if let Value::Object(members) = &mut row {
            for (name, value) in common {
                members.entry(name).or_insert(value);
            }
        }
        let folder = self.path.parent().expect("the transcript is in a folder");
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut file = File::options().create(true).append(true).open(&self.path)?;
            writeln!(file, "{row}")
        });
        written.unwrap_or_else(|err| panic!("cannot write the transcript {}: {err}", self.path.display()));
        self
    }

    /// Returns the number of rows.
    fn rows(&self) -> usize {
        fs::read_to_string(&self.path).map_or(0, |rows| rows.lines().count())
    }

    #[track_caller]
    fn assistant(&self, block: Value, usage: impl Serialize) -> &Self {
        let id = format!("msg_{}", self.rows() + 1);
        let message =
            json!({"id": id, "role": "assistant", "model": "claude", "content": [block], "usage": value(usage)});
        self.row(json!({"type": "assistant", "message": message}))
    }

    #[track_caller]
    fn result(&self, text: &str, output: &Value, is_error: bool) -> &Self {
        let id = call_id(self.rows());
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        let message = json!({"role": "user", "content": [block]});
        self.row(json!({"type": "user", "message": message, "toolUseResult": output}))
    }
}

/// Returns the id of the call in a row.
fn call_id(row: usize) -> String {
    format!("toolu_{row}")
}

#[track_caller]
fn value(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("the value can be serialized")
}
