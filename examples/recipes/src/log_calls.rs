//! Log every call.

// ANCHOR: hook
use hookkit::Timestamp;
use hookkit::log::Log;
use hookkit::prelude::*;
use serde::Serialize;

#[derive(Serialize)]
struct Record<'c> {
    time: Timestamp,
    session: &'c str,
    tool: &'c str,
    input: &'c Json,
}

/// Logs each tool call as a line of JSON in `.claude/calls.jsonl`.
#[hook(PreToolUse, timeout = 5)]
pub fn log_calls(call: PreToolUse, context: Context) -> Result<(), Error> {
    Log::in_project(&context, ".claude/calls.jsonl").append(&Record {
        time: Timestamp::now(),
        session: &context.session_id,
        tool: &call.tool_name,
        input: &call.input,
    })
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
        let log = std::fs::read_to_string(project.path().join(".claude/calls.jsonl"))?;
        assert_eq!(log.lines().count(), 2, "{log}");
        assert!(
            log.contains(r#""tool":"Bash","input":{"command":"ls"}}"#) && log.contains(r"a\nb"),
            "{log}"
        );
        Ok(())
    }
}
// ANCHOR_END: test
