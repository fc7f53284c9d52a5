//! Read the transcript.

// ANCHOR: hook
use std::thread;
use std::time::Duration;

use hookkit::prelude::*;
use hookkit::shell::{self, Command};
use hookkit::transcript::{ToolCall, Transcript};

/// The commands that run all tests of the project.
const TESTS: [&str; 2] = ["cargo test", "cargo test --workspace"];

/// The tools that change files, or that start an agent that can.
const CHANGES: [&str; 5] = ["Edit", "Write", "NotebookEdit", "Agent", "Task"];

/// Denies `git push` until the tests have passed after the last edit of the session.
///
/// It sees the tests and edits of the model's own tools, not files that a command or the user changes.
#[hook(PreToolUse, timeout = 10)]
pub fn push_after_tests(call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
    if !may_push(&call.input.command) {
        return Ok(PreToolUseAnswer::pass());
    }
    let Some(transcript) = up_to(call.tool_use_id.as_deref(), &context)? else {
        return Ok(PreToolUseAnswer::deny(
            "cannot tell whether the tests have passed: the transcript does not have this push yet, so try again",
        ));
    };
    // Backwards, so that no more of the file is read than needed.
    for call in transcript.tool_calls().rev() {
        let call = call?;
        let has_failed = call.outcome.as_ref().is_some_and(|outcome| outcome.is_error);
        match call.name.as_str() {
            name if CHANGES.contains(&name) && !has_failed => break,
            "Bash" if has_tested(&call) => return Ok(PreToolUseAnswer::pass()),
            _ => {}
        }
    }
    Ok(PreToolUseAnswer::deny(
        "run `cargo test` after the last edit, as a command of its own, and push after it has passed",
    ))
}

/// Returns the transcript once it has this call, and so all calls before it: Claude Code writes it with a delay.
fn up_to(id: Option<&str>, context: &Context) -> Result<Option<Transcript>, Error> {
    for _ in 0..40 {
        let transcript = context.transcript()?;
        // The calls of one message are written together, so this one is among the last.
        for call in transcript.tool_calls().rev().take(50) {
            if Some(call?.id.as_str()) == id {
                return Ok(Some(transcript));
            }
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(None)
}

/// Returns `true` if a command line runs or may run `git push`.
fn may_push(line: &str) -> bool {
    match shell::analyze(line).all_commands() {
        Ok(commands) => commands.iter().any(is_push),
        Err(_) => line.contains("push"),
    }
}

fn is_push(command: &Command) -> bool {
    let mut words = command.arguments().iter();
    if command.program() != Some("git") {
        return false;
    }
    while let Some(word) = words.next() {
        match word.literal() {
            // Options of git itself, each with a value.
            Some("-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env") => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            // A word such as `$verb` can be `push`.
            subcommand => return subcommand.is_none_or(|subcommand| subcommand == "push"),
        }
    }
    false
}

/// Returns `true` if this call has run all tests, and they have passed.
fn has_tested(call: &ToolCall) -> bool {
    let response = call.outcome.as_ref().and_then(|outcome| outcome.response.as_ref());
    let response = response.and_then(|response| response.decode::<tool::BashResponse>().ok());
    // A background command has not ended yet.
    let is_over = response.is_some_and(|response| response.background_task_id.is_none());
    let input = call.input.decode::<tool::Bash>();
    is_over && call.succeeded() && input.is_ok_and(|input| is_test(&input.command))
}

/// Returns `true` if all tests have passed when this command line succeeds.
fn is_test(line: &str) -> bool {
    let script = shell::analyze(line);
    let Ok(commands) = script.all_commands() else {
        return false;
    };
    // If only `&&` joins the commands, the line succeeds only if all of them do.
    let (mut begin, mut expected) = (line.len(), "");
    for command in commands.iter().rev() {
        let behind = line.get(command.span.end..begin).map(str::trim);
        if behind != Some(expected) || !command.via.is_empty() || !command.assignments.is_empty() {
            return false;
        }
        (begin, expected) = (command.span.start, "&&");
    }
    let runs_tests = |command: &Command| TESTS.contains(&command.to_string().as_str());
    line[..begin].trim().is_empty() && commands.iter().any(runs_tests)
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{Session, Verdict};

    use super::*;

    /// A tool, and its input as JSON.
    type Call = (&'static str, &'static str);

    const EDIT: Call = ("Edit", r#"{"file_path":"/project/a.rs"}"#);
    const AGENT: Call = ("Agent", r#"{"prompt":"Tidy up"}"#);
    const TEST: Call = ("Bash", r#"{"command":"cargo test"}"#);
    const PUSH: Call = ("Bash", r#"{"command":"git push"}"#);
    const PASSED: &str = r#"{"stdout":"","stderr":"","interrupted":false}"#;
    const MOVED: &str = r#"{"stdout":"","stderr":"","interrupted":false,"backgroundTaskId":"b1"}"#;
    const DENIED: &str = "run `cargo test` after the last edit";

    fn called(session: &Session, (tool, input): Call, response: &str) -> Result<(), Error> {
        let transcript = session.transcript();
        transcript.called(tool, Json::parse(input)?, Json::parse(response)?);
        Ok(())
    }

    /// Adds a call that has not ended to the transcript and returns its id.
    fn calling(session: &Session, (tool, input): Call) -> Result<String, Error> {
        Ok(session.transcript().calling(tool, Json::parse(input)?).last_call())
    }

    fn push(session: &Session, id: String) -> Verdict {
        let mut push = PreToolUse::new("Bash", tool::Bash::new("git push"));
        push.tool_use_id = Some(id);
        session.run(push_after_tests::DEF, &push)
    }

    /// Runs the hook on a push after these calls; `true` marks a failed call.
    fn push_after(calls: &[(Call, bool)]) -> Result<Verdict, Error> {
        let session = Session::new();
        for &((tool, input), fails) in calls {
            match fails {
                true => _ = session.transcript().failed(tool, Json::parse(input)?, "it failed"),
                false => called(&session, (tool, input), PASSED)?,
            }
        }
        let id = calling(&session, PUSH)?;
        Ok(push(&session, id))
    }

    #[test]
    fn a_push_needs_tests_that_passed_after_the_last_edit() -> Result<(), Error> {
        push_after(&[])?.assert_denied(DENIED);
        push_after(&[(EDIT, false), (TEST, false)])?.assert_passed();
        push_after(&[(TEST, false), (EDIT, false)])?.assert_denied(DENIED);
        push_after(&[(TEST, false), (AGENT, false)])?.assert_denied(DENIED);
        push_after(&[(EDIT, false), (TEST, true)])?.assert_denied(DENIED);
        push_after(&[(TEST, false), (EDIT, true)])?.assert_passed();
        Ok(())
    }

    #[test]
    fn a_test_that_still_runs_has_not_passed() -> Result<(), Error> {
        let [moved, running] = [Session::new(), Session::new()];
        called(&moved, TEST, MOVED)?;
        calling(&running, TEST)?;
        for session in [moved, running] {
            let id = calling(&session, PUSH)?;
            push(&session, id).assert_denied(DENIED);
        }
        Ok(())
    }

    #[test]
    fn an_edit_of_the_same_message_counts() -> Result<(), Error> {
        let session = Session::new();
        called(&session, TEST, PASSED)?;
        let id = calling(&session, PUSH)?;
        push(&session, id.clone()).assert_passed();
        calling(&session, EDIT)?;
        push(&session, id).assert_denied(DENIED);
        let id = calling(&session, PUSH)?;
        push(&session, id).assert_denied(DENIED);
        Ok(())
    }

    #[test]
    fn a_push_that_is_not_in_the_transcript_yet_is_denied() -> Result<(), Error> {
        let session = Session::new();
        called(&session, TEST, PASSED)?;
        push(&session, "toolu_later".to_owned()).assert_denied("does not have this push yet");
        Ok(())
    }

    #[test]
    fn a_push_is_recognized_however_it_is_written() {
        for line in [
            "git push",
            "git -C . push",
            "git -c a.b=c --no-pager push --force",
            "cd x && sudo git push",
            "sh -c 'git push'",
            "git $verb",
            "eval \"git push $remote\"",
        ] {
            assert!(may_push(line), "{line}");
        }
        for line in ["git status", "git stash push", "git commit -m 'git push'", "eval $x"] {
            assert!(!may_push(line), "{line}");
        }
    }

    #[test]
    fn only_a_line_that_fails_with_the_tests_shows_that_they_passed() {
        for line in ["cargo test", "cargo test 2>&1", "cd x && cargo test && cargo fmt --check"] {
            assert!(is_test(line), "{line}");
        }
        for line in [
            "cargo test || true",
            "cargo test; true",
            "cargo test\ntrue",
            "true || cargo test",
            "cargo test | tail",
            "! cargo test",
            "cargo test &",
            "(cargo test)",
            "if cargo test; then true; fi",
            "cargo test --no-run",
            "cargo test one_test",
            "PATH=. cargo test",
            "echo cargo test",
        ] {
            assert!(!is_test(line), "{line}");
        }
    }
}
// ANCHOR_END: test
