//! `cargo xtask run` runs one hook on one event.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use hookkit_tests::Project;
use hookkit_tests::workspace::{Stage, fixture};
use hookkit_tests::xtask::{command, payload, without_progress};
use serde_json::Value;

/// Returns the output of `run` (stderr if it fails with 2), and its exit code.
fn run(arguments: &[&str], stdin: &str) -> Result<(String, Option<i32>)> {
    let mut command = command(fixture()?, &["run"])?;
    command.args(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // A command that does not read stdin may have ended before.
    let _ = child.stdin.take().context("a pipe")?.write_all(stdin.as_bytes());
    let output = child.wait_with_output()?;
    let code = output.status.code();
    if code != Some(2) {
        return Ok((String::from_utf8(output.stdout)?, code));
    }
    Ok((without_progress(&String::from_utf8(output.stderr)?), code))
}

/// Returns the lines that are the same in each run, which are all but the time.
fn without_time(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("time "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_hook_is_run_on_a_recorded_event_that_it_is_called_on() -> Result<()> {
    let (text, code) = run(&["guard"], "")?;
    assert_eq!(
        without_time(&text),
        "guard on PreToolUse Bash, recorded\n\
         \n\
         \x20 called   yes: `Bash` matches `Bash`\n\
         \x20 result   it failed: there is no fault `hello`\n\
         \x20 verdict  the tool call is denied\n\
         \x20          the model reads, as the tool's error: PreToolUse:Bash hook error: denied, because the hook `guard` \
         failed: there is no fault `hello`\n\
         \x20          because `permissionDecision: \"deny\"` denies (seen in client 2.1.332)\n\
         \n\
         See each step: cargo xtask run guard --trace"
    );
    assert_eq!(code, Some(1));
    Ok(())
}

#[test]
fn set_changes_fields_of_the_event() -> Result<()> {
    let (text, code) = run(&["guard", "--set", "tool_input.command=:"], "")?;
    assert!(
        text.starts_with("guard on PreToolUse Bash, recorded, changed\n"),
        "{text}"
    );
    assert!(text.contains("  result   it printed no answer\n"), "{text}");
    assert!(!text.contains("  set "), "{text}");
    assert_eq!(code, Some(0));
    let (text, _) = run(&["guard", "--set", "tool_input.comand=: exit"], "")?;
    let added = "\n\n  set      the event had no `tool_input.comand`: it is added (`tool_input` has `command`, ";
    assert!(text.contains(added), "{text}");
    let (text, code) = run(&["guard", "--set", "tool_input.command=[1]"], "")?;
    assert!(
        text.contains("it failed: the payload is invalid: `tool_input.command`: "),
        "{text}"
    );
    assert_eq!(code, Some(1));
    Ok(())
}

#[test]
fn events_that_the_hook_is_not_called_on_are_reported() -> Result<()> {
    for (arguments, called) in [
        (
            ["--tool", "Read"],
            "no: `Bash` does not match `Read`; it was run anyway",
        ),
        (
            ["--tool", "mcp__a__b"],
            "no: `Bash` does not match `mcp__a__b`; it was run anyway",
        ),
        (
            ["--event", "Stop"],
            "no: it is a hook on `PreToolUse`, so it never runs on Stop; it was run anyway",
        ),
    ] {
        let (text, _) = run(&[&["guard"], &arguments[..]].concat(), "")?;
        assert!(text.contains(&format!("  called   {called}\n")), "{text}");
        // The verdict agrees.
        assert!(
            text.contains("\n  verdict  Claude Code does not call it; if it did: the "),
            "{text}"
        );
    }
    let (text, code) = run(&["guard", "--tool", "read"], "")?;
    assert_eq!(text, "error: there is no tool `read`; did you mean `Read`?\n");
    assert_eq!(code, Some(2));
    Ok(())
}

#[test]
fn a_hook_that_is_killed_has_failed() -> Result<()> {
    let (text, code) = run(&["guard", "--set", "tool_input.command=: kill"], "")?;
    assert!(text.contains("  result   it was ended by a signal\n"), "{text}");
    assert_eq!(code, Some(1));
    Ok(())
}

#[test]
fn an_event_comes_from_a_file_or_from_stdin() -> Result<()> {
    let payload = payload("PreToolUse-Bash")?;
    let folder = test_support::folder();
    let file = folder.path().join("event.json");
    fs::write(&file, &payload)?;
    let file = file.to_str().context("a UTF-8 path")?;
    for (argument, origin) in [(file, format!("from {file}")), ("-", "from stdin".to_owned())] {
        let (text, _) = run(&["guard", argument], &payload)?;
        assert!(
            text.starts_with(&format!("guard on PreToolUse Bash, {origin}\n")),
            "{text}"
        );
    }
    let (text, code) = run(&["guard", "-"], "{")?;
    assert!(text.starts_with("error: reading stdin: this is not JSON"), "{text}");
    assert_eq!(code, Some(2));
    Ok(())
}

#[test]
fn several_events_are_played_in_their_order_in_one_session() -> Result<()> {
    let folder = test_support::folder();
    let call = |command: &str| -> Result<String> {
        let mut event: Value = serde_json::from_str(&payload("PreToolUse-Bash")?)?;
        event["tool_input"]["command"] = command.into();
        Ok(event.to_string())
    };
    let (one, two) = (folder.path().join("one.json"), folder.path().join("two.jsonl"));
    fs::write(&one, call(":")?)?;
    fs::write(&two, format!("{}\n{}\n", call("here")?, call(": kill")?))?;
    let [one, two] = [&one, &two].map(|path| path.display().to_string());
    let (text, code) = run(&["guard", &one, &two], "")?;
    let runs: Vec<&str> = text.lines().filter(|line| line.starts_with("guard on ")).collect();
    assert_eq!(
        runs,
        [
            format!("guard on PreToolUse Bash, from {one}"),
            format!("guard on PreToolUse Bash, from {two}, event 1 of 2"),
            format!("guard on PreToolUse Bash, from {two}, event 2 of 2"),
        ]
    );
    assert!(text.contains("  result   it was ended by a signal\n"), "{text}");
    assert_eq!((text.matches("See each step: ").count(), code), (1, Some(1)), "{text}");
    let (text, code) = run(&["guard", &one, "--json"], "")?;
    assert_eq!((text.lines().count(), code), (1, Some(0)), "{text}");
    let (text, _) = run(&["guard", &one, &two, "--json"], "")?;
    assert_eq!(text.lines().count(), 3, "{text}");
    let (text, _) = run(&["guard", "--event", "PreToolUse", "--event", "Stop"], "")?;
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("guard on ")).collect();
    assert_eq!(names, ["guard on PreToolUse Bash, recorded", "guard on Stop, recorded"]);
    Ok(())
}

/// A process that is ended when the test is over.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watch_runs_the_hook_and_its_tests_again_on_each_save() -> Result<()> {
    let stage = Stage::with_new("acme-watched")?;
    let folder = stage.app();
    let hook = "acme-watched-keep-lock-files";
    let mut command = command(&folder, &["run", hook, "--watch"])?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut watching = Watching(command.spawn()?);
    let stdout = watching.0.stdout.take().context("a pipe")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    // The lines up to one that begins so.
    let until = |begin: &str| -> Result<Vec<String>> {
        let mut seen = Vec::new();
        loop {
            let line = lines
                .recv_timeout(Duration::from_secs(300))
                .with_context(|| format!("no line begins with `{begin}`: {seen:#?}"))?;
            let is_last = line.starts_with(begin);
            seen.push(line);
            if is_last {
                return Ok(seen);
            }
        }
    };
    let first = until("Waiting for a change of ")?;
    assert!(first.iter().any(|line| line.starts_with(hook)), "{first:#?}");
    let passed = "The tests of `acme-watched` pass.";
    assert!(first.iter().any(|line| line == passed), "{first:#?}");

    let source = folder.join("acme-watched/src/lock_files.rs");
    let code = fs::read_to_string(&source)?;
    // What does not compile ends nothing.
    fs::write(&source, "oops")?;
    let broken = until("Waiting for a change of ")?;
    assert!(broken.iter().any(|line| line.starts_with("Changed: ")), "{broken:#?}");
    assert!(!broken.iter().any(|line| line.starts_with(hook)), "{broken:#?}");

    fs::write(&source, code.replacen("run that instead", "run it instead", 1))?;
    let failed = until("Waiting for a change of ")?;
    assert!(failed.iter().any(|line| line.starts_with(hook)), "{failed:#?}");
    let fails = "The tests of `acme-watched` fail.";
    assert!(failed.iter().any(|line| line == fails), "{failed:#?}");
    assert!(watching.0.try_wait()?.is_none());
    Ok(())
}

#[test]
fn output_on_stderr_with_exit_code_0_is_only_a_note() -> Result<()> {
    let (text, code) = run(&["chatter"], "")?;
    let note = "  note     it printed on stderr, which is not read where the exit code is 0; `--trace` shows it\n";
    assert!(text.contains(note) && !text.contains("not used: "), "{text}");
    assert_eq!(code, Some(0), "{text}");
    Ok(())
}

#[test]
fn a_hook_on_an_mcp_tool_is_run_on_a_call_of_it() -> Result<()> {
    let (text, code) = run(&["deployments"], "")?;
    assert!(
        text.starts_with("deployments on PreToolUse mcp__acme__deploy, made from the recorded PreToolUse "),
        "{text}"
    );
    assert!(
        text.contains("  called   yes: `mcp__acme__deploy` matches `mcp__acme__deploy`\n"),
        "{text}"
    );
    assert!(text.contains("  verdict  the tool call is denied\n"), "{text}");
    assert_eq!(code, Some(0), "{text}");
    Ok(())
}

#[test]
fn a_change_of_the_settings_is_denied_without_a_reason() -> Result<()> {
    let (text, code) = run(&["page-configchange"], "")?;
    assert!(text.contains("is denied"), "{text}");
    assert_eq!(code, Some(0), "{text}");
    Ok(())
}

#[test]
fn each_step_is_shown_on_demand() -> Result<()> {
    let project = Project::new()?;
    let path = project.path().canonicalize()?;
    let path = path.to_str().context("a UTF-8 path")?;
    let (text, _) = run(
        &[
            "guard", "--trace", "--project", path, "--set", "tool_input.command=: panic",
        ],
        "",
    )?;
    for part in [
        "program    /",
        &format!("directory  {path}\n"),
        &format!("variable   CLAUDE_PROJECT_DIR={path}\n"),
        "  \"hook_event_name\": \"PreToolUse\",\n",
        "    \"command\": \": panic\",\n",
        "\nend        it ended with exit code 2\n",
        "\nstderr     ",
        "\nhookkit: hook `guard` failed: it panicked at faults/src/lib.rs:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    Ok(())
}

#[test]
fn unknown_names_are_errors_that_list_the_known_ones() -> Result<()> {
    for (arguments, error) in [
        (
            &["gard"][..],
            "error: there is no hook `gard`; there are `allow`, `brief`, ",
        ),
        (
            &["guard", "--event", "PreTool"],
            "error: there is no event `PreTool`; this hook is on `PreToolUse`",
        ),
        (
            &["guard", "--set", "tool_input.command.x=1"],
            "error: `tool_input.command.x`: there is no `x` in ",
        ),
        (&["guard", "nowhere.json"], "error: reading nowhere.json: "),
        (
            &["guard", "--project", "/no/such/folder"],
            "error: /no/such/folder cannot be a project: ",
        ),
    ] {
        let (text, code) = run(arguments, "")?;
        assert!(text.starts_with(error), "{arguments:?}: {text}");
        assert_eq!(code, Some(2), "{arguments:?}");
    }
    Ok(())
}
