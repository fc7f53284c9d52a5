//! Log every call.

// ANCHOR: hook
use hookkit::Timestamp;
use hookkit::log::Log;
use hookkit::prelude::*;
use hookkit::transcript::Row;
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

#[derive(Serialize)]
struct Reply<'c> {
    session: &'c str,
    text: String,
}

/// Logs the replies of each turn as lines of JSON in `.claude/replies.jsonl`.
///
/// The event has the last reply, which is not in the transcript file yet.
#[hook(Stop, timeout = 5)]
pub fn log_replies(stop: Stop, context: Context) -> Result<(), Error> {
    let log = Log::in_project(&context, ".claude/replies.jsonl");
    for row in stop.transcript(&context)?.this_turn()?.rows() {
        let Row::Assistant(reply) = row? else { continue };
        let text = reply.message.text();
        if !text.is_empty() && !reply.is_sidechain {
            let session = &context.session_id;
            log.append(&Reply { session, text })?;
        }
    }
    Ok(())
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::Session;

    use super::*;

    #[test]
    fn the_last_reply_is_logged_too() {
        let session = Session::new();
        session.transcript().prompt("Go on").reply("First I look.");
        let mut stop = Stop::new(false);
        stop.last_assistant_message = Some("Done.".to_owned());
        session.run(log_replies::DEF, &stop).assert_passed();
        let log = session.read(".claude/replies.jsonl");
        let texts: Vec<&str> = log.lines().filter_map(|line| line.split(r#""text":"#).nth(1)).collect();
        assert_eq!(texts, [r#""First I look."}"#, r#""Done."}"#]);
    }

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
