//! Read the transcript.

// ANCHOR: hook
use hookkit::prelude::*;

/// Denies `git push` until the tests have passed after the last edit of the session.
#[hook(PreToolUse, if = "Bash(git push *)", timeout = 10)]
pub fn push_after_tests(_call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
    // From the last call to the first: no more of the file is read than needed.
    for call in context.transcript()?.tool_calls().rev() {
        let call = call?;
        let has_failed = call.outcome.as_ref().is_some_and(|outcome| outcome.is_error);
        match call.name.as_str() {
            "Edit" | "Write" | "NotebookEdit" if !has_failed => break,
            "Bash" if call.succeeded() && is_test(&call.input) => return Ok(PreToolUseAnswer::pass()),
            _ => {}
        }
    }
    Ok(PreToolUseAnswer::deny(
        "run `cargo test` after the last edit, before you push",
    ))
}

fn is_test(input: &Json) -> bool {
    let input = input.decode::<tool::Bash>();
    input.is_ok_and(|input| input.command.trim().starts_with("cargo test"))
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::fs;

    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    const EDIT: &str = r#""name":"Edit","input":{"file_path":"/project/a.rs"}"#;
    const TEST: &str = r#""name":"Bash","input":{"command":"cargo test"}"#;

    /// Runs the hook after these calls: each with whether it fails.
    fn push_after(calls: &[(&str, bool)]) -> Result<Verdict, Error> {
        let transcript = tempfile::NamedTempFile::new()?;
        let mut lines = String::new();
        for (n, (call, fails)) in calls.iter().enumerate() {
            lines += &format!(
                r#"{{"type":"assistant","message":{{"id":"m{n}","content":[{{"type":"tool_use","id":"c{n}",{call}}}]}}}}"#
            );
            lines += "\n";
            lines += &format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"c{n}","is_error":{fails}}}]}}}}"#
            );
            lines += "\n";
        }
        fs::write(transcript.path(), lines)?;
        let mut context = Context::default();
        context.cwd = "/project".into();
        context.transcript_path = transcript.path().to_owned();
        let push = PreToolUse::new("Bash", tool::Bash::new("git push"));
        Ok(testing::run_in(&context, push_after_tests::DEF, &push))
    }

    #[test]
    fn a_push_needs_tests_that_passed_after_the_last_edit() -> Result<(), Error> {
        push_after(&[])?.assert_denied("run `cargo test`");
        push_after(&[(EDIT, false), (TEST, false)])?.assert_passed();
        push_after(&[(TEST, false), (EDIT, false)])?.assert_denied("run `cargo test`");
        push_after(&[(EDIT, false), (TEST, true)])?.assert_denied("run `cargo test`");
        push_after(&[(TEST, false), (EDIT, true)])?.assert_passed();
        Ok(())
    }
}
// ANCHOR_END: test
