//! The real client follows a scripted model, and `Outcome` returns the true results.

use hookkit_tests::prelude::*;

#[test]
fn a_scripted_call_runs_and_the_model_gets_its_result() -> Result<()> {
    let client = client!("a_scripted_call_runs_and_the_model_gets_its_result");
    let project = Project::new()?;
    let outcome =
        Session::new(&client, project.path()).allow(&["Bash"]).turn(Turn::bash("echo hello | tee made.txt")).go()?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());
    assert_eq!(outcome.tool_results(), ["hello"]);
    assert_eq!(outcome.requests(), 2);
    assert_eq!(project.read("made.txt")?, "hello\n");
    assert!(!project.exists(".claude"));
    assert!(outcome.hook_responses().is_empty());
    Ok(())
}

#[test]
fn an_outcome_has_the_texts_of_the_model_and_the_user() -> Result<()> {
    let client = client!("an_outcome_has_the_texts_of_the_model_and_the_user");
    let (project, tools) = (Project::new()?, Project::new()?);
    let to_all = "#!/bin/sh\nprintf '%s' \"$ANSWER\"\necho aside >&2\n";
    files::program(tools.path().join("to-all"), to_all)?;
    let hook = json!({"matcher": "Read", "hooks": [{"type": "command", "command": "to-all"}]});
    let settings = json!({"hooks": {"PreToolUse": [hook]}}).to_string();
    project.write(".claude/settings.json", &settings)?;
    project.write("secret.txt", "the secret")?;
    let own = json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "for the model"});
    let answer = json!({"systemMessage": "for the user", "hookSpecificOutput": own});
    let read = json!({"file_path": project.path().join("secret.txt")});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "Read"])
        .env("ANSWER", answer.to_string())
        .path_first(tools.path())
        // The first call is slower, but its result still comes first.
        .turn(Turn::calls([("Bash", bash("sleep 0.3; echo slow")), ("Read", read)]))
        .go()?;

    let results = outcome.tool_results();
    assert_eq!(results, ["slow", "PreToolUse:Read hook error: for the model"]);
    assert!(outcome.model_read().contains("for the model"));
    assert!(!outcome.model_read().contains("the secret"));
    assert_eq!(outcome.user_messages(), ["PreToolUse:Read says: for the user"]);
    let responses = outcome.hook_responses();
    assert_eq!(responses.len(), 1);
    let response = &responses[0];
    assert_eq!((&*response.hook_name, &*response.event), ("PreToolUse:Read", "PreToolUse"));
    assert_eq!((response.exit_code, &*response.outcome), (Some(0), "success"));
    assert_eq!((&*response.stdout, &*response.stderr), (&*answer.to_string(), "aside\n"));
    assert!(outcome.debug().contains("PreToolUse"));
    assert_eq!(project.read(".claude/settings.json")?, settings);
    Ok(())
}

#[test]
fn a_session_past_its_time_limit_is_killed_with_its_commands() -> Result<()> {
    let client = client!("a_session_past_its_time_limit_is_killed_with_its_commands");
    let project = Project::new()?;
    let ran = Session::new(&client, project.path())
        .allow(&["Bash"])
        .turn(Turn::bash("echo $$ > pid; sleep 50; touch late"))
        .time_limit(Duration::from_secs(10))
        .run("go");
    assert!(ran.is_err_and(|error| error.to_string().contains("ran past")));
    let pid = project.read("pid")?;
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output()?.stdout;
    // The process is gone, or a zombie that its new parent has not reaped yet.
    assert!(state.is_empty() || state.starts_with(b"Z"), "process {pid} still runs");
    Ok(())
}

fn bash(command: &str) -> Value {
    json!({"command": command, "description": "Run it"})
}
