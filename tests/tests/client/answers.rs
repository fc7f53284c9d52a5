//! The answers of hooks have the documented effects in the real client.

use hookkit_tests::prelude::*;

use crate::case::{case, check_all, project, result};

const PACK: &str = "answers-hooks";

fn agent(prompt: &str) -> Value {
    json!({"description": "Ask", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": false})
}

#[test]
fn answers_to_a_call_take_effect() -> Result<()> {
    let edit = json!({"file_path": "notes.txt", "old_string": "one", "new_string": "two"});
    let cases = vec![
        case(&["other-command"])
            .prepare(|session| session)
            .bash("echo by the model | tee ran.txt")
            .file("ran.txt", "by the hook\n")
            .results(&["by the hook"]),
        case(&["elsewhere"])
            .calls("Write", json!({"file_path": "made.txt", "content": "kept"}))
            .no_file("made.txt")
            .file("made.bak", "kept"),
        case(&["enough"])
            .bash("echo ran | tee ran.txt")
            .no_file("ran.txt")
            .requests(1)
            .is("the turn has ended", |outcome, _| result(outcome)["terminal_reason"] == "hook_stopped"),
        case(&["redact"]).bash("echo hunter2 is it").results(&["[token] is it"]),
        case(&["redact-file"])
            .bash("printf 'hunter2\\nis it' >secret.txt")
            .calls("Read", json!({"file_path": "secret.txt"}))
            .result(1, "[token]\n2\tis it"),
        case(&["redact-agent"])
            .prepare(|session| session.allow(&["Agent"]).reply("find the token", [Turn::text("hunter2 is it")]))
            .calls("Agent", agent("find the token"))
            .is("the model reads the redacted answer", |outcome, _| {
                let read = outcome.tool_results().join("\n");
                read.contains("[token] is it") && !read.contains("hunter2")
            }),
        case(&["forge"])
            .calls("Read", json!({"file_path": "notes.txt"}))
            .calls("Edit", edit)
            .file("notes.txt", "two\n")
            .result(1, "/forged.txt")
            .reads("it was forged"),
        case(&["end-of-turn"]).bash("echo ran | tee ran.txt").file("ran.txt", "ran\n").requests(1),
        case(&["object-to-failure"])
            .bash("exit 3")
            .reads("`exit 3` is known to fail")
            .reads("hook additional context: try the other one"),
        case(&["end-of-batch"])
            .bash("echo ran | tee ran.txt")
            .file("ran.txt", "ran\n")
            .requests(1)
            .reads_no("the last one"),
        case(&["rules"])
            .bash("echo ran | tee ran.txt")
            .no_file("ran.txt")
            .result_ends(0, "[SH001] Tee is not used. Redirect instead.")
            .reads("[SH002] Commands are short.")
            .notifies("says: Denied:")
            .notifies("says: - [SH001] Tee is not used. Redirect instead."),
    ];
    check_all("answers_to_a_call_take_effect", PACK, cases)
}

#[test]
fn a_long_context_is_truncated_at_the_librarys_limit() -> Result<()> {
    let cases = vec![
        case(&["chatty"])
            .bash("echo ran")
            // The client truncates nothing.
            .reads_no("persisted-output")
            .reads(" more characters are left out]")
            .is("the model reads the text before it", |outcome, _| {
                outcome.model_read().matches("more than it takes").count() >= 500
            }),
        case(&["writer"])
            .bash("echo ran")
            .is("the model reads the path of the file", |outcome, project| {
                let path = project.path().canonicalize().unwrap_or_default().join("all.txt");
                let said = format!("the full text is in {}]", path.display());
                outcome.model_read().contains(&said)
            })
            .is("the file contains all of it", |_, project| {
                let text = project.read("all.txt").unwrap_or_default();
                text == "more than it takes ".repeat(1_000)
            }),
    ];
    check_all("a_long_context_is_truncated_at_the_librarys_limit", PACK, cases)
}

#[test]
fn answers_to_a_prompt_take_effect() -> Result<()> {
    let cases = vec![
        case(&["deny-prompt"]).prompt("the secret word").requests(0).shows("no such prompts").shows("the secret word"),
        case(&["forget-prompt"])
            .prompt("the secret word")
            .requests(0)
            .shows("no such prompts")
            .is("the user does not read the prompt", |outcome, _| {
                !result(outcome)["result"].to_string().contains("the secret word")
            }),
        case(&["hold-prompt"]).requests(0).shows("not now"),
        case(&["entitle"])
            .prompt("the title")
            .has_title()
            .is("the title is the hook's", |outcome, _| {
                let is_title = |event: &Value| event["subtype"] == "session_title_changed";
                let mut titles = outcome.events().into_iter().filter(is_title);
                titles.any(|event| event.to_string().contains("about the title"))
            })
            .reads("it has a title"),
        case(&["no-greetings"]).prompt("/greet Ann").requests(0).shows("greetings are off"),
        // The first message starts a separate turn.
        case(&["speak-first"]).says("Hello.").requests(2).reads("said by a hook").reads("a word before").has_title(),
        case(&["display"])
            .is("the user reads the hook's text", |outcome, _| result(outcome)["result"] == "shown by a hook"),
    ];
    check_all("answers_to_a_prompt_take_effect", PACK, cases)
}

#[test]
fn permission_decisions_take_effect() -> Result<()> {
    let cases = vec![
        // The second call needs no decision, since the permissions were updated.
        case(&["allow"])
            .bash("echo by the model | tee ran.txt")
            .bash("echo by the model | tee again.txt")
            .file("ran.txt", "by the hook\n")
            .file("again.txt", "by the model\n")
            .is("the permissions were updated", |outcome, _| outcome.hook_responses().len() == 1),
        case(&["deny"]).bash("echo ran | tee ran.txt").no_file("ran.txt").results(&["the user is not here"]),
        case(&["interrupt"])
            .bash("echo ran | tee ran.txt")
            .no_file("ran.txt")
            .requests(1)
            .is("the client exits with 1", |outcome, _| outcome.exit_code() == Some(1)),
    ];
    let without_rules = cases.into_iter().map(|case| case.prepare(|session| session));
    check_all("permission_decisions_take_effect", PACK, without_rules.collect())
}

#[test]
fn answers_at_the_end_of_a_turn_take_effect() -> Result<()> {
    let cases = vec![
        case(&["remind-once"])
            .says("One.")
            .requests(2)
            .reads("think of the change log")
            .reads_no("Stop hook feedback")
            .notifies("it was reminded"),
        case(&["hold-once"]).says("One.").requests(2).reads("Stop hook feedback:\nno such file was written yet"),
        // The turn ends, despite the other hook.
        case(&["hold-once", "finish"]).says("One.").requests(1),
        case(&["brief"]).calls("Agent", agent("list")).says("Listed.").reads("a word for the subagent"),
        case(&["once-more"])
            .calls("Agent", agent("list"))
            .says("Listed.")
            .says("Listed again.")
            .reads("once more, with feeling")
            .result(0, "Listed again."),
    ];
    check_all("answers_at_the_end_of_a_turn_take_effect", PACK, cases)
}

#[test]
fn answers_about_tasks_and_worktrees_take_effect() -> Result<()> {
    fn with_tasks(session: Session) -> Session {
        session
            .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
            .env("ENABLE_TOOL_SEARCH", "0")
            .allow(&["Bash", "EnterWorktree"])
    }
    let task = json!({"subject": "S", "description": "D", "activeForm": "A"});
    let cases = vec![
        case(&["no-tasks"]).calls("TaskCreate", task.clone()).result(0, "no tasks today"),
        // The client does not report when it has processed the end of an async hook.
        case(&["comment"]).calls("TaskCreate", task).bash("sleep 1").reads("a comment on a task"),
        case(&["worktree"]).calls("EnterWorktree", json!({"name": "wt1"})).bash("pwd").result_ends(1, "/trees/wt1"),
    ];
    let cases = cases.into_iter().map(|case| case.prepare(with_tasks));
    check_all("answers_about_tasks_and_worktrees_take_effect", PACK, cases.collect())
}

#[test]
fn answers_to_a_compaction_take_effect() -> Result<()> {
    let client = client!("answers_to_a_compaction_take_effect");
    let compacted = |hooks: &[&str]| -> Result<Outcome> {
        let project = project(PACK, hooks)?;
        let config = test_support::folder();
        let session = || Session::new(&client, project.path()).config_dir(config.path());
        session().turn(Turn::text("Hello.")).run("hello")?;
        session().arguments(&["--continue"]).turn(Turn::text("<summary>They said hello.</summary>")).run("/compact")
    };
    let outcome = compacted(&["instruct", "summed-up"])?;
    let printed = |outcome: &Outcome| outcome.events().iter().map(Value::to_string).collect::<String>();
    outcome.model_read().has("keep every {name}");
    printed(&outcome).has("it is all summed up");

    let outcome = compacted(&["keep-all"])?;
    printed(&outcome).has("all of it is needed");
    assert!(outcome.all_requests().is_empty(), "nothing was compacted");
    Ok(())
}

/// Returns a turn that changes files, one after the other, with pauses in which the client detects the change.
fn change(files: &str) -> Turn {
    Turn::bash(&format!("for file in {files}; do sleep 1.5; echo >>$file; done; sleep 1.5"))
}

#[test]
fn answers_about_files_and_skills_take_effect() -> Result<()> {
    const SKILL: &str = "Says that a hook made it.";
    let cases = vec![
        // The file is not watched.
        case(&["changed"]).turn(change("sub/first.txt")).changes(&[]),
        // The second is watched after the first has changed.
        case(&["changed", "watch"])
            .turn(change("sub/second.txt sub/first.txt sub/second.txt"))
            .changes(&["sub/first.txt", "sub/second.txt"]),
        case(&["changed", "watch-here"]).bash("cd sub").turn(change("second.txt")).changes(&["sub/second.txt"]),
        case(&["make-skill"]).reads(SKILL),
        case(&["make-skill-silently"]).reads_no(SKILL),
    ];
    check_all("answers_about_files_and_skills_take_effect", PACK, cases)
}
