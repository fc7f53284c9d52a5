//! Log every call.

// ANCHOR: hook
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use hookkit::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Record<'c> {
    /// Milliseconds since 1970.
    time: u128,
    session: &'c str,
    tool: &'c str,
    input: &'c Json,
}

/// Logs each tool call as a line of JSON in `.claude/calls.jsonl`.
#[hook(PreToolUse, timeout = 5)]
pub fn log_calls(call: PreToolUse, context: Context) -> Result<(), Error> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let record = Json::encode(&Record {
        time: time.as_millis(),
        session: &context.session_id,
        tool: &call.tool_name,
        input: &call.input,
    })?;
    // An input can have line ends, but only between its tokens: in a string they are escaped.
    let line = record.text().replace(['\r', '\n'], " ") + "\n";
    let log = context.project_dir.join(".claude/calls.jsonl");
    append(&log, &line).map_err(|err| Error::msg(format_args!("cannot write `{}`: {err}", log.display())))
}

fn append(log: &Path, line: &str) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut log = OpenOptions::new().create(true).append(true).open(log)?;
    // Calls can run at the same time. The lock ends with the file.
    log.lock()?;
    log.write_all(line.as_bytes())
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_one_line() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let mut context = Context::default();
        context.project_dir = project.path().to_owned();
        for input in [r#"{"command":"ls"}"#, "{\n  \"command\": \"a\\nb\"\n}"] {
            log_calls(PreToolUse::new("Bash", Json::parse(input)?), context.clone())?;
        }
        let log = fs::read_to_string(project.path().join(".claude/calls.jsonl"))?;
        assert_eq!(log.lines().count(), 2, "{log}");
        assert!(
            log.contains(r#""tool":"Bash","input":{"command":"ls"}}"#) && log.contains(r"a\nb"),
            "{log}"
        );
        Ok(())
    }
}
// ANCHOR_END: test
