//! `stats` has every run that the client records, with its outcome.

use hookkit_tests::prelude::*;
use serde_json::Map;

/// Events whose hooks have rows.
const RECORDED: [&str; 8] = [
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "SubagentStart", "Stop",
];

fn hook(event: &str, ending: &str, script: &str) -> Value {
    json!({"type": "command", "command": format!(": {event} {ending}; {script}")})
}

/// Returns hooks on an event that end in each way that lets the event go ahead.
fn hooks(event: &str) -> Vec<Value> {
    let mut hooks = vec![
        hook(event, "silent", "exit 0"),
        hook(event, "message", r#"echo '{"systemMessage":"message"}'"#),
        hook(event, "exit-1", "echo why >&2; exit 1"),
        hook(event, "missing", "/nonexistent/program"),
        hook(event, "crash", "kill -SEGV $$"),
        hook(event, "cut", r#"echo '{"systemMessage":'"#),
    ];
    let mut late = hook(event, "async", r#"echo '{"systemMessage":"late"}'"#);
    late["async"] = json!(true);
    hooks.push(late);
    if ["SessionStart", "PreToolUse", "Stop"].contains(&event) {
        let mut late = hook(event, "late", "sleep 5");
        late["timeout"] = json!(1);
        hooks.push(late);
    }
    hooks
}

fn settings() -> Value {
    let mut events = Map::new();
    for event in RECORDED.iter().chain(&["PermissionRequest", "SessionEnd"]) {
        events.insert((*event).to_owned(), json!([{"hooks": hooks(event)}]));
    }
    let mut add = |event: &str, matcher: &str, hooks: Value| {
        if let Some(groups) = events[event].as_array_mut() {
            groups.push(json!({"matcher": matcher, "hooks": hooks}));
        }
    };
    let denial = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"by JSON"}}'"#;
    add("PreToolUse", "Read", json!([hook("PreToolUse", "deny", denial)]));
    add(
        "PreToolUse",
        "Bash",
        json!([
            hook("PreToolUse", "exit-2", "grep -q forbidden && { echo by code >&2; exit 2; }; exit 0"),
            {"type": "command", "command": "/bin/echo", "args": ["exec", "form"]},
        ]),
    );
    add(
        "PostToolUse",
        "Bash",
        json!([hook("PostToolUse", "block", r#"echo '{"decision":"block","reason":"blocked"}'"#)]),
    );
    let once = r#"[ -e stopped ] && exit 0; touch stopped; echo '{"decision":"block","reason":"go on"}'"#;
    add("Stop", "", json!([hook("Stop", "block-once", once)]));
    json!({"hooks": events})
}

#[test]
fn every_run_that_the_client_records_is_in_stats_with_its_outcome() -> Result<()> {
    let client = client!("every_run_that_the_client_records_is_in_stats_with_its_outcome");
    let (project, config) = (Project::new()?, test_support::folder());
    project.write(".claude/settings.json", settings().to_string())?;
    project.write(".claude/commands/greet.md", "Say hello to $ARGUMENTS.\n")?;
    let bash = |command: &str| json!({"command": command, "description": "Run it"});
    let agent = json!({"description": "Look", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": false});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "Read", "Agent"])
        .config_dir(config.path())
        .turn(Turn::bash("echo hello"))
        .turn(Turn::calls([
            ("Read", json!({"file_path": project.path().join("a.txt")})),
            ("Bash", bash("echo forbidden")),
            ("Bash", bash("exit 3")),
        ]))
        .reply("SUBTASK", vec![Turn::bash("echo below"), Turn::text("Looked.")])
        .turn(Turn::call("Agent", agent))
        .turn(Turn::text("Done."))
        .turn(Turn::text("Really."))
        .turn(Turn::text("Hello."))
        .then("/greet Ann")
        .run("begin")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());

    let json_of = |name: &str| -> Result<String> {
        let output = command(project.path(), &[name, "--json", "--project", text(project.path())?])?
            .env("CLAUDE_CONFIG_DIR", config.path())
            .output()?;
        // doctor ends with 1 where it finds something.
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() <= Some(1), "{name}: {stderr}");
        Ok(String::from_utf8(output.stdout)?)
    };
    let rows = Documented::read()?.rows("stats", &json_of("stats")?)?;
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);

    // The client's own count of its runs, for each event.
    for event in RECORDED {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for run in outcome.events().iter().filter(|row| row["subtype"] == "hook_response") {
            let is_silent = run["stdout"] == "" && run["stderr"] == "";
            // Of a prompt's hook that answers by JSON, the client records the message and not the run.
            let is_message = event.starts_with("UserPrompt") && run["stdout"] == "{\"systemMessage\":\"message\"}\n";
            let ending = match (&run["outcome"], &run["exit_code"]) {
                _ if run["hook_event"] != event => continue,
                // It comes with a later request, if there is one.
                _ if run["stdout"] == "{\"systemMessage\":\"late\"}\n" => continue,
                (outcome, _) if outcome == "cancelled" => "timed_out",
                (_, code) if *code == 0 && (is_silent && event != "Stop" || is_message) => continue,
                (_, code) if *code == 0 || *code == 2 => "answered",
                _ => "failed",
            };
            *counts.entry(ending).or_default() += 1;
        }
        let sum = |members: &[&str]| -> u64 {
            let hooks = of_kind("hook").filter(|hook| hook["event"] == event);
            hooks.flat_map(|hook| members.iter().filter_map(|member| hook[member].as_u64())).sum()
        };
        let of = |ending: &str| counts.get(ending).copied().unwrap_or_default();
        assert_eq!(sum(&["failed"]), of("failed"), "{event} failed");
        assert_eq!(sum(&["timed_out", "cancelled"]), of("timed_out"), "{event} timed out");
        assert_eq!(sum(&["succeeded", "blocked"]), of("answered"), "{event} answered");
    }

    // Each ending of a hook is its own.
    let runs = |command: &str, ending: &str| {
        let mut hooks =
            of_kind("hook").filter(|hook| hook["command"].as_str().is_some_and(|known| known.starts_with(command)));
        hooks.next().and_then(|hook| hook[ending].as_u64())
    };
    let table: Lines = lines!("lines/stats.txt");
    for row in &table.section("endings").rows {
        let ([count, ending], command) = (row.fields(), &row.line);
        assert_eq!(runs(command, ending), count.parse().ok(), "{command} {ending}");
    }
    let denials: Vec<_> = of_kind("denial").map(|row| (&row["event"], &row["subject"], &row["reason"])).collect();
    for denial in [
        (&json!("PreToolUse"), &json!("Read"), &json!("by JSON")),
        (&json!("PreToolUse"), &json!("Bash"), &json!("by code")),
        (&json!("PostToolUse"), &json!("Bash"), &json!("blocked")),
        (&json!("Stop"), &json!(""), &json!("go on")),
    ] {
        assert!(denials.contains(&denial), "{denial:?} is not in {denials:?}");
    }

    // Hooks without a row are named, each with the reason.
    for row in &table.section("hooks without a row").rows {
        let ([why], command) = (row.fields(), &row.line);
        let mut unseen =
            of_kind("unseen").filter(|row| row["command"].as_str().is_some_and(|known| known.starts_with(command)));
        assert_eq!(unseen.next().map(|row| &row["why"]), Some(&json!(why)), "{command}");
    }
    // doctor reports the failures at the hooks.
    let report = json_of("doctor")?;
    for row in &table.section("findings").rows {
        let ([code], what) = (row.fields(), &row.line);
        let is_it = |line: &str| line.contains(code) && line.contains(what);
        assert!(report.lines().any(is_it), "{what} is not in {report}");
    }

    let summary = of_kind("summary").next().context("a summary")?;
    assert_eq!((&summary["sessions"], &summary["tool_calls"]), (&json!(1), &json!(6)));
    assert_eq!((&summary["damaged_rows"], &summary["unread"]), (&json!(0), &json!([])));
    Ok(())
}

#[test]
fn with_a_record_stats_has_every_run_of_every_hook_and_names_the_hook_of_a_denial() -> Result<()> {
    let client = client!("with_a_record_stats_has_every_run_of_every_hook_and_names_the_hook_of_a_denial");
    let (project, config, state) = (Project::new()?, test_support::folder(), test_support::folder());
    let path = text(project.path())?;
    let xtask = |arguments: &[&str]| -> Result<String> {
        let output = command(unoptimized()?, arguments)?
            .env("CLAUDE_CONFIG_DIR", config.path())
            .env("XDG_STATE_HOME", state.path())
            .output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {stderr}");
        Ok(String::from_utf8(output.stdout)?)
    };
    xtask(&["install", "--project", path, "--pack", "faults-hooks", "--record"])?;
    let bash = |command: &str| json!({"command": command, "description": "Run it"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .config_dir(config.path())
        .turn(Turn::bash(": "))
        // `guard` denies by JSON, `doubter` has the user asked, and `advisor` lets it go on.
        .turn(Turn::bash(": error"))
        .turn(Turn::calls([("Bash", bash(": ")), ("Bash", bash(": exit"))]))
        .turn(Turn::text("Done."))
        .run("begin")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());

    let rows = Documented::read()?.rows("stats", &xtask(&["stats", "--project", path, "--json"])?)?;
    let of_kind = |kind: &'static str| rows.iter().filter(move |row| row["kind"] == kind);
    let mut counted: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for hook in of_kind("hook") {
        let (Some(event), Some(runs)) = (hook["event"].as_str(), hook["runs"].as_u64()) else {
            continue;
        };
        let name = hook["name"].as_str().with_context(|| format!("{hook} has no name"))?;
        *counted.entry((event, name)).or_default() += runs;
    }
    // Each process of a hook has recorded itself.
    let record = fs::read_to_string(state.path().join("hookkit/runs.jsonl"))?;
    let record: Vec<Value> = record.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let mut recorded: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for first in record.iter().filter(|line| line["payload"].is_object()) {
        let (event, hook) = (&first["payload"]["hook_event_name"], &first["hook"]);
        let key = (event.as_str().context("an event")?, hook.as_str().context("a hook")?);
        *recorded.entry(key).or_default() += 1;
    }
    assert_eq!(counted, recorded);
    // So has the client seen them, on the events of which it reports each run.
    for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop"] {
        let is_of_event = |row: &&Value| row["subtype"] == "hook_response" && row["hook_event"] == event;
        let runs = outcome.events().iter().filter(is_of_event).count();
        // `hookkit.sh` is not a hook of the pack.
        let of_session = u64::from(event == "SessionStart");
        let of_event: u64 = recorded.iter().filter(|((of, _), _)| *of == event).map(|(_, runs)| runs).sum();
        assert_eq!(u64::try_from(runs)?, of_event + of_session, "{event}");
    }
    let silent = of_kind("hook").find(|hook| hook["event"] == "PreToolUse" && hook["name"] == "strict");
    let silent = silent.context("`strict` is always silent")?;
    assert_eq!((&silent["succeeded"], &silent["recorded_runs"]), (&json!(4), &json!(4)));
    let denials: Vec<_> = of_kind("denial").map(|row| (&row["name"], &row["times"])).collect();
    assert_eq!(denials, [(&json!("guard"), &json!(1)), (&json!("guard"), &json!(1))], "{rows:?}");
    let found = of_kind("unseen").filter(|row| row["why"] == "no-trace").count();
    assert_eq!(found, 0, "{rows:?}");
    Ok(())
}
