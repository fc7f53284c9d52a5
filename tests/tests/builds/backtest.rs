//! `cargo xtask backtest` runs hooks on past events, and changes nothing.

use std::net::TcpListener;

use hookkit_tests::files::contents;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::seed;

/// A guard, and a hook that tries to do harm where it is called, and reports what it could do.
const HOOKS: &str = include_str!("../../fixtures/sources/backtest.txt");

#[test]
fn past_events_are_answered_again_and_nothing_is_changed() -> Result<()> {
    let stage = Stage::with_hooks("backtest", HOOKS, "")?;
    let (project, configuration) = (Project::new()?, test_support::folder());
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    project.write("kept.txt", "kept")?;
    project.write("port.txt", listener.local_addr()?.port().to_string())?;
    let recorded = include_str!("../../fixtures/transcripts/denials.jsonl");
    let recorded = recorded.replace("\"/project\"", &serde_json::to_string(project.path())?);
    // The days count from today.
    let recorded = recorded.replace("\"2026-11-25T", &format!("\"{}T", "2999-01-01"));
    let sessions = configuration.path().join("projects/-project");
    fs::create_dir_all(&sessions)?;
    fs::write(sessions.join("one.jsonl"), recorded)?;

    let run = |arguments: &[&str], exit_code: i32| -> Result<String> {
        let mut command = command(&stage.app(), arguments)?;
        command.env("CLAUDE_CONFIG_DIR", configuration.path()).out(exit_code)
    };
    let against = |revision: &str, more: &[&str], exit_code| {
        run(&[&["backtest", "deny-some", "--against", revision], more].concat(), exit_code)
    };
    let path = text(project.path())?.to_owned();
    run(&["install", "--project", &path], 0)?;
    let before = contents(project.path())?;

    let page = configuration.path().join("page.html");
    let with_page = ["--json", "--redact", "--page", text(&page)?];
    let backtest = ["backtest", "deny-some", "harm", "dies"];
    let rows = run(&[&backtest[..], &with_page].concat(), 0)?;
    let rows = Documented::read()?.rows("backtest", &rows)?;
    let page = fs::read_to_string(page)?;
    assert!(page.contains("\"command\":\"backtest\"") && page.contains("\"text\":\"(left out)\""));
    assert!(page.contains("\"subject\":\"Bash\"") && !page.contains("exit-two") && !page.contains(&path));
    let of_kind =
        |rows: &[Value], kind: &str| -> Vec<Value> { rows.iter().filter(|row| row["kind"] == kind).cloned().collect() };
    let hooks = of_kind(&rows, "hook");
    let counts = |hook: &Value, count: &str| json!([hook["name"], hook["calls"], hook[count]]);
    assert_eq!(counts(&hooks[0], "denied"), json!(["deny-some", 6, 1]));
    assert_eq!(counts(&hooks[1], "informed"), json!(["harm", 3, 3]));
    let dies = &hooks[2];
    assert!(dies["calls"].as_u64() > Some(0) && dies["failed"] == dies["calls"], "{dies}");
    let answers = of_kind(&rows, "answer");
    let harm: Vec<&Value> = answers.iter().filter(|answer| answer["hook"] == "harm").collect();
    for answer in &harm {
        let answer = answer["text"].as_str().context("a text")?;
        // A shell that forks is not denied; what it starts is confined, and ended.
        assert!(answer.ends_with("done: fork scratch read"), "{answer}");
    }
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(contents(project.path())?, before);
    assert!(listener.accept().is_err(), "a hook has connected");

    // Unconfined hooks do what they want, so the guard alone is run.
    let report = run(&["backtest", "deny-some", "--unconfined"], 0)?;
    assert!(report.contains("  denied           1\n"), "{report}");

    // The same version has the same answers; a changed one differs where it is called upon.
    against("installed", &["--project", &path], 0)?;
    let git = |arguments: &[&str]| test_support::git(stage.app(), arguments);
    git(&["init", "--quiet"]);
    git(&["add", "Cargo.toml", "Cargo.lock", "src"]);
    git(&["commit", "--quiet", "--message", "before"]);
    let changed = HOOKS.replace("[\"exit-two\"]", "[\"exit-two\", \"ask-me\"]");
    stage.write("app/src/lib.rs", &changed)?;
    let rows = against("installed", &["--project", &path, "--json"], 1)?;
    let rows = Documented::read()?.rows("backtest", &rows)?;
    let answers = of_kind(&rows, "answer");
    let [answer] = &*answers else { anyhow::bail!("one answer differs: {answers:?}") };
    answer["about"].to_string().has("echo ask-me");
    assert_eq!(json!([answer["answer"], answer["other_answer"]]), json!(["denied", "admitted"]));
    let report = against("installed", &["--project", &path], 1)?;
    report.has("1 answer differs from installed\n");
    report.has("      installed: admitted\n      now: denied: ");
    let target = stage.target().join("hookkit/backtest/target");
    seed(&target.join("debug"))?;
    let rows = against("HEAD", &["--json"], 1)?;
    let rows = Documented::read()?.rows("backtest", &rows)?;
    assert_eq!(of_kind(&rows, "answer"), answers);
    let stderr = refused(&stage.app(), &["backtest", "deny-some", "--against", "no-such"])?;
    stderr.has("error: `no-such` is not a revision of ");
    Ok(())
}
