//! Hooks of `install --record` record what they get and what they answer, also as they fail; those of `install --audit` write
//! a line for each decision.

use hmac_sha256::Hash;
use hookkit_tests::audit::audited;
use hookkit_tests::budgets;
use hookkit_tests::faults::run_piped;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::instructions;

/// Returns the lines of a record.
fn lines(record: &Path) -> Result<Vec<Value>> {
    rows(&fs::read_to_string(record)?)
}

/// Runs xtask with a state folder of its own. Returns stdout and stderr.
fn with_state(folder: &Path, state: &Path, arguments: &[&str]) -> Result<(String, String)> {
    let output = command(folder, arguments)?.env("XDG_STATE_HOME", state).output()?;
    let stderr = String::from_utf8(output.stderr)?;
    // `run` ends with 1 if the hook fails.
    let holds = output.status.code().is_some_and(|code| code < 2);
    ensure!(holds, "{arguments:?}: {stderr}");
    Ok((String::from_utf8(output.stdout)?, stderr))
}

#[test]
fn each_run_is_recorded_as_the_client_saw_it_and_the_next_install_ends_it() -> Result<()> {
    let (project, state) = (Project::new()?, test_support::folder());
    let path = text(project.path())?;
    let arguments = ["install", "--project", path, "--pack", "faults-hooks"];
    let recording = [&arguments[..], &["--record", "--audit=required", "--json"]].concat();
    let (rows, said) = with_state(fixture()?, state.path(), &recording)?;
    let record = state.path().join("hookkit/runs.jsonl");
    ensure!(said.contains(text(&record)?), "{said}");
    let rows = Documented::read()?.rows("install", &rows)?;
    let summary = rows.iter().find(|row| row["kind"] == "summary").context("a summary")?;
    assert_eq!((&summary["records_runs"], &summary["audit"]), (&json!(true), &json!("required")));

    // In pieces here: scanners of repositories would find it.
    let token = format!("ghp_{}{}", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4", "Bw6KvR8m");
    let mut event: Value = serde_json::from_str(&payload("PreToolUse-Bash")?)?;
    event["cwd"] = path.into();
    let mut known = 0;
    for row in &lines!("lines/faults.txt").section("recorded runs").rows {
        let ([hook], fault) = (row.fields(), &*row.line);
        event["tool_input"] = json!({"command": format!("{fault} {token}")});
        let binary = installed(project.path(), hook)?;
        let output = run_piped(Command::new(&binary), event.to_string().as_bytes())?;
        let lines = lines(&record)?;
        let new = &lines[known..];
        known = lines.len();
        let first = &new[0];
        let command = format!("${{CLAUDE_PROJECT_DIR}}/.claude/hookkit/fixture/bin/{hook}");
        let named = json!([first["hook"], first["package"], first["command"]]);
        assert_eq!(named, json!([hook, "faults-hooks", command]));
        let mut masked = event.clone();
        masked["tool_input"]["command"] = format!("{fault} ghp_{}", "x".repeat(36)).into();
        assert_eq!(first["payload"], masked);
        let of_run = audited(state.path())?.into_iter().filter(|line| first["run"] == line["log.record.uid"]);
        let of_run: Vec<_> = of_run.collect();
        let Some(code) = output.status.code() else {
            assert_eq!((fault, new.len(), of_run.len()), (": kill", 1, 0), "{new:?}");
            continue;
        };
        let [line] = &of_run[..] else { anyhow::bail!("{hook} {fault}: {of_run:?}") };
        let program: String = Hash::hash(&fs::read(&binary)?).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(line["hookkit.sha256"], program, "{hook}");
        assert_eq!(line["tool_input"], masked["tool_input"].to_string());
        let (decision, reason) = (&*line["hookkit.decision"], line.get("hookkit.reason"));
        let said = String::from_utf8_lossy(&output.stdout);
        let denies = code == 2 || said.contains("\"deny\"") || said.contains("\"block\"");
        let asks = said.contains("\"ask\"");
        assert_eq!((["deny", "block"].contains(&decision), decision == "ask"), (denies, asks), "{line:?}");
        if code != 0 {
            reason.context("a reason")?.has(hook);
        }
        assert_eq!(new.len(), 2, "{hook} {fault}: {new:?}");
        let second = &new[1];
        assert_eq!(json!([second["run"], second["exit_code"]]), json!([first["run"], code]));
        String::from_utf8_lossy(&output.stderr).ends(second["stderr"].as_str().context("stderr")?);
        // Also where it crashes or is ended.
        let stdout = second["stdout"].as_str().context("stdout")?;
        assert_eq!(stdout.as_bytes(), output.stdout, "{fault}");
    }
    assert_eq!(fs::metadata(&record)?.permissions().mode() & 0o777, 0o600);

    // A large payload is answered as ever, and left out of the record from some size on.
    for (length, is_recorded) in [(70_000, true), (200_000, true), (300_000, false), (5 << 20, false)] {
        event["tool_input"] = json!({"command": ": error", "description": "x".repeat(length)});
        let payload = format!("{event}\n");
        let answer = run_installed(project.path(), "guard", &payload)?;
        assert!(answer.stdout.contains("the disk is full"), "{length}: {answer:?}");
        let lines = lines(&record)?;
        let first = &lines[known];
        assert_eq!(first["payload"].is_object(), is_recorded, "{length}");
        let bytes = (!is_recorded).then_some(payload.trim_end().len());
        assert_eq!(first["payload_bytes"], json!(bytes), "{length}");
        known = lines.len();
    }

    // At the same time, too.
    let before = audited(state.path())?.len();
    let answers = thread::scope(|scope| {
        let runs: Vec<_> = (0..100)
            .map(|_| scope.spawn(|| run_piped(Command::new(installed(project.path(), "guard")?), b"{}")))
            .collect();
        runs.into_iter().map(|run| run.join().expect("an answer")).collect::<Result<Vec<_>>>()
    });
    assert_eq!((answers?.len(), audited(state.path())?.len() - before), (100, 100));
    known = lines(&record)?.len();

    // Where it cannot be written, the hook fails by its policy.
    let (audit, aside) = (state.path().join("hookkit/audit"), state.path().join("aside"));
    fs::rename(&audit, &aside)?;
    fs::write(&audit, "")?;
    event["tool_input"] = json!({"command": "true"});
    let answer = run_installed(project.path(), "guard", &event.to_string())?;
    answer.stderr.has("is not in the audit");
    ensure!(answer.exit_code == Some(2), "{answer:?}");
    fs::remove_file(&audit)?;
    fs::rename(&aside, &audit)?;
    let decisions = audited(state.path())?.len();
    known += 2;

    // What is tried out is none of a session's.
    let doctor = ["doctor", "--check", "--project", path, "--json"];
    let (found, _) = with_state(fixture()?, state.path(), &doctor)?;
    assert_eq!((lines(&record)?.len(), audited(state.path())?.len()), (known, decisions));
    // It builds them with the same record and audit.
    ensure!(!found.contains("out-of-date"), "{found}");

    // The SHA-256 of the program is computed once.
    let auditing = [&arguments[..], &["--audit"]].concat();
    with_state(fixture()?, state.path(), &auditing)?;
    let call = event.to_string();
    project.write("call", &call)?;
    instructions(&installed(project.path(), "guard")?, &project.path().join("call"))?;
    budgets::check("an_audited_hook_stays_within_its_budget", &project, &[("audited, a line", "guard", call)])?;
    let decisions = audited(state.path())?.len();

    with_state(fixture()?, state.path(), &arguments)?;
    run_installed(project.path(), "guard", &event.to_string())?;
    assert_eq!((lines(&record)?.len(), audited(state.path())?.len()), (known, decisions));

    // The segments are listed.
    let (rows, _) = with_state(fixture()?, state.path(), &["audit", "--json"])?;
    let rows = Documented::read()?.rows("audit", &rows)?;
    let summary = rows.iter().find(|row| row["kind"] == "summary").context("a summary")?;
    ensure!(summary["unshipped"].as_u64().is_some_and(|bytes| bytes > 100_000), "{summary}");
    Ok(())
}

#[test]
fn a_recorded_run_is_repeated_and_becomes_a_test() -> Result<()> {
    let stage = Stage::with_new("acme-locks")?;
    stage.pin()?;
    let state = test_support::folder();
    let hook = "acme-locks-keep-lock-files";
    let run = |arguments: &[&str]| with_state(&stage.app(), state.path(), &[&["run", hook], arguments].concat());

    let home = std::env::home_dir().context("a home folder")?;
    let file = home.join("code/app/Cargo.lock").display().to_string();
    let mut event: Value = serde_json::from_str(&payload("PreToolUse-Edit")?)?;
    event["cwd"] = json!(home.join("code/app").display().to_string());
    event["tool_input"]["file_path"] = json!(file);
    let line = |run: &str, event: &Value, exit_code: u8, stdout: &str| {
        let head = json!({"run": run, "hook": hook, "package": "acme-locks", "command": "c", "at": 1_764_054_000_123_u64, "payload": event});
        let end = json!({"run": run, "microseconds": 812, "exit_code": exit_code, "stdout": stdout, "stderr": ""});
        format!("{head}\n{end}\n")
    };
    let mut other = event.clone();
    other["tool_input"]["file_path"] = json!("a.txt");
    let record = stage.path().join("runs.jsonl");
    fs::write(&record, line("1", &event, 0, "") + &line("2", &other, 0, ""))?;
    let record = text(&record)?;

    let (newest, _) = run(&["--from", record])?;
    newest.has("as in the run of 2025-11-25T07:00:00.123Z\n");
    newest.has("\n  then     the same\n");
    let (rows, _) = run(&["--from", record, "--nth", "2", "--as-test", "--json"])?;
    let rows = Documented::read()?.rows("run", &rows)?;
    let trial = &rows[0];
    let then = &trial["then"];
    let actions = json!([trial["verdict"]["action"], then["verdict"]["action"]]);
    assert_eq!(actions, json!(["denied", "goes-on"]));
    assert_eq!(json!([then["same"], then["milliseconds"]]), json!([false, 1]));
    run(&["--from", record, "--as-test"])?;

    let pack = stage.app().join("acme-locks");
    let event = fs::read_to_string(pack.join("tests/payloads/acme_locks_keep_lock_files_1.json"))?;
    event.has("\"/home/user/project/Cargo.lock\"");
    ensure!(!event.contains(text(&home)?) || home.starts_with("/home/user"), "{event}");
    let tests = fs::read_to_string(pack.join("tests/recorded.rs"))?;
    tests.has("Action::Denied");
    tests.has("Action::GoesOn");
    let test = ["test", "--quiet", "--package", "acme-locks", "--test", "recorded"];
    workspace::cargo(&stage.app(), &test)?.out(0)?.has("2 passed");

    // Without a record, and without such a run.
    for (arguments, message) in [
        (&["--from"][..], "has no run of"),
        (&["--from", record, "--nth", "3"], "has 2 runs of"),
        (&["--from", "no-such-file"], "there is no record no-such-file"),
    ] {
        let mut run = command(&stage.app(), &[&["run", hook], arguments].concat())?;
        run.env("XDG_STATE_HOME", state.path()).err(2)?.has(message);
    }
    Ok(())
}

#[test]
fn hooks_of_several_agents_record_what_each_sends() -> Result<()> {
    let (project, state) = (Project::new()?, test_support::folder());
    project.git(&["init", "-q"])?;
    let options = ["install", "--agent", "codex,copilot", "--record", "--hook", "greet", "--project"];
    with_state(unoptimized()?, state.path(), &[&options[..], &[text(project.path())?]].concat())?;
    for (folder, source) in [(".codex", "startup"), (".github/hooks", "new")] {
        let event =
            json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": project.path(), "source": source});
        let greet = project.path().join(folder).join("hookkit/fixture/bin/greet");
        let answer = run_hook(&greet, event.to_string().as_bytes())?;
        ensure!(answer.stdout.contains("startup in"), "{answer:?}");
        let lines = lines(&state.path().join("hookkit/runs.jsonl"))?;
        let [.., first, second] = &lines[..] else { anyhow::bail!("{lines:?}") };
        assert_eq!((&first["payload"], &second["stdout"]), (&event, &answer.stdout.into()));
        ensure!(first["command"].as_str().is_some_and(|command| command.ends_with("/bin/greet\"")), "{first}");
    }
    Ok(())
}

#[test]
fn a_turn_ends_after_eight_blocks_in_an_agent_without_a_limit() -> Result<()> {
    let (project, state) = (Project::new()?, test_support::folder());
    project.git(&["init", "-q"])?;
    let options = ["install", "--agent", "codex", "--hook", "strict", "--project"];
    with_state(unoptimized()?, state.path(), &[&options[..], &[text(project.path())?]].concat())?;
    let strict = project.path().join(".codex/hookkit/fixture/bin/strict");
    for turn in ["s", "t"] {
        for block in 0..10 {
            let event = json!({"hook_event_name": "Stop", "session_id": turn, "cwd": project.path(), "stop_hook_active": block > 0});
            project.write("event", event.to_string())?;
            let mut hook = Command::new(&strict);
            hook.env("FAULT", "error").env("XDG_STATE_HOME", state.path());
            hook.stdin(fs::File::open(project.path().join("event"))?);
            let code = hook.output()?.status.code();
            assert_eq!(code, Some(if block < 8 { 2 } else { 0 }), "{turn} {block}");
        }
    }
    Ok(())
}
