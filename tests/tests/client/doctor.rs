//! The client treats the broken settings files as expected.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use hookkit::protocol::settings::{SET_FOR_HOOKS, SET_FOR_PLUGINS, is_unset};
use hookkit_tests::broken::{Made, expected};
use hookkit_tests::record::Asked;
use hookkit_tests::{DebugLog, Session, Turn, World, client, files, parallel};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::Lines;

/// Returns a session with a call each of Bash, Write, Read and Edit.
fn session(client: &Path, world: &World) -> Session {
    let file = world.project.path().join("src/a.txt");
    Session::new(client, world.project.path())
        .config_dir(world.user.path())
        .allow(&["Bash", "Write", "Edit", "Read"])
        .turn(Turn::bash("git --version"))
        .turn(Turn::call("Write", json!({"file_path": file, "content": "one"})))
        .turn(Turn::call("Read", json!({"file_path": file})))
        .turn(Turn::call("Edit", json!({"file_path": file, "old_string": "one", "new_string": "two"})))
}

#[test]
fn the_client_treats_broken_settings_as_expected() -> Result<()> {
    let client = client!("the_client_treats_broken_settings_as_expected");
    let cases = expected()?.into_iter().filter(|(_, expected)| expected.client.is_some());
    let asked = Asked::of("broken-settings")?;
    parallel::each(4, cases, |(name, expected)| {
        let world = World::with_scripts()?;
        expected.put(&world, &name)?;
        let guard = world.project.path().join(".claude/hooks/guard.sh");
        files::program(guard, "#!/bin/sh\n: > \"$CLAUDE_PROJECT_DIR\"/ran\n")?;
        let question = format!("{name}: {:?}", expected.client);
        if asked.before(&question, &[world.project.path(), world.user.path()])? {
            return Ok(());
        }
        let outcome = session(&client, &world)
            .control(json!({"subtype": "get_settings"}))
            .control(json!({"subtype": "get_hooks_listing"}))
            .go()?;
        let [settings, listing] = &outcome.answers()[..] else {
            bail!("{name}: {}", outcome.stderr());
        };
        // The client reports no run on SessionEnd.
        let runs = outcome.system_events("hook_started").count() > 0 || world.project.exists("ran");
        let is_read = settings["sources"].to_string().contains("projectSettings");
        let made = match listing["hooks"].as_array().context("a list")?[..] {
            _ if !is_read => Made::DropsFile,
            _ if runs => Made::Runs,
            [] => Made::DropsHook,
            _ => Made::NeverRuns,
        };
        ensure!(Some(made) == expected.client, "{name}: {made:?}, not {:?}", expected.client);
        Ok(())
    })?;
    asked.keep()
}

/// The events of the session below whose hooks the client reports.
const PLAYED: [&str; 5] = ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "MessageDisplay"];

#[test]
fn each_fixed_file_is_read_whole_and_its_hooks_fire() -> Result<()> {
    let client = client!("each_fixed_file_is_read_whole_and_its_hooks_fire");
    let cases = expected()?.into_iter().filter(|(_, expected)| expected.is_of_this_machine());
    let asked = Asked::of("fixed-files")?;
    parallel::each(4, cases, |(name, expected)| {
        let world = World::with_scripts()?;
        expected.put(&world, &name)?;
        expected.fix(&world, &name)?;
        if asked.before(&name, &[world.project.path(), world.user.path()])? {
            return Ok(());
        }
        let log = DebugLog::new()?;
        let outcome = session(&client, &world).debug_log(&log).go()?;
        let holds = !outcome.debug().contains("Invalid setting skipped");
        ensure!(holds, "{name}: {}", outcome.debug());
        let bytes = fs::read(expected.file(&world))?;
        // A file in UTF-16 has nothing to fix.
        let Ok(settings) =
            serde_json::from_slice::<Value>(bytes.trim_ascii_start().strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
        else {
            ensure!(expected.found.is_empty(), "{name}: it is not JSON");
            return Ok(());
        };
        for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
            let handlers = groups.as_array().into_iter().flatten();
            let handlers: Vec<&Value> =
                handlers.flat_map(|group| group["hooks"].as_array().into_iter().flatten()).collect();
            if handlers.is_empty() || !PLAYED.contains(&event.as_str()) {
                continue;
            }
            let started = outcome.system_events("hook_started").filter(|started| started["hook_event"] == *event);
            ensure!(started.count() > 0, "{name}: no hook on {event} ran");
            // The client does not report the outcome of async hooks and of other types.
            if handlers.iter().any(|handler| handler["type"] != "command" || handler["async"] == true) {
                continue;
            }
            let codes = outcome.hook_responses().into_iter().filter(|response| response.event == *event);
            // `deny.sh` denies.
            let denies = settings.to_string().contains("deny.sh");
            let is_expected = |code: Option<i32>| code == Some(0) || denies && code == Some(2);
            let failed: Vec<_> = codes.filter(|response| !is_expected(response.exit_code)).collect();
            ensure!(failed.is_empty(), "{name}: {failed:?}");
        }
        Ok(())
    })?;
    asked.keep()
}

/// Interpreters, and the exit code of each for a missing script. Those that are not installed are skipped.
const INTERPRETERS: [(&str, i32); 6] =
    [("python3", 2), ("perl", 2), ("dash", 2), ("sh", 2), ("bash", 127), ("node", 1)];

#[test]
fn a_missing_script_denies_where_doctor_reports_it() -> Result<()> {
    let client = client!("a_missing_script_denies_where_doctor_reports_it");
    let is_installed = |name: &str| ["/usr/bin", "/bin"].iter().any(|folder| Path::new(folder).join(name).exists());
    let is_dash = fs::canonicalize("/bin/sh")?.ends_with("dash");
    let mut played = Vec::new();
    for (interpreter, exit_code) in INTERPRETERS {
        if !is_installed(interpreter) || interpreter == "sh" && !is_dash {
            continue;
        }
        // The effect of an exit code on each event does not depend on the interpreter.
        let events: &[&str] = match played.is_empty() {
            true => &["PreToolUse", "UserPromptSubmit", "Stop"],
            false => &["PreToolUse"],
        };
        for &event in events {
            let world = World::new()?;
            let line = format!("{interpreter} \"$CLAUDE_PROJECT_DIR\"/gone.x.py");
            let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": line}]}]}});
            world.project.write(".claude/settings.json", settings.to_string())?;
            let found = world.ask(&[])?;
            let does = found.rows.iter().find(|row| row["kind"] == "finding").map(|row| row["does"].clone());
            let does = does.with_context(|| format!("{line}: {:?}", found.rows))?;
            let outcome =
                Session::new(&client, world.project.path()).allow(&["Bash"]).turn(Turn::bash("touch ran")).go()?;
            let codes: Vec<_> = outcome.hook_responses().iter().map(|response| response.exit_code).collect();
            assert_eq!(codes, [Some(exit_code)], "{event}: {line}");
            let does = does.as_str().unwrap_or_default();
            let denies = does.ends_with("denies every call") || does.ends_with("drops every prompt");
            assert_eq!(world.project.exists("ran"), !denies, "{event}: {line}: {does}");
            assert_eq!(denies, exit_code == 2 && event != "Stop", "{event}: {line}: {does}");
        }
        played.push(interpreter);
    }
    assert!(!played.is_empty(), "no interpreter is installed");
    Ok(())
}

#[test]
fn a_hook_s_environment_has_the_listed_variables() -> Result<()> {
    let client = client!("a_hook_s_environment_has_the_listed_variables");
    let world = World::new()?;
    let events = ["SessionStart", "PreToolUse", "PostToolUse", "Stop"];
    let hooks = events.map(|event| {
        let command = format!("env > \"$CLAUDE_PROJECT_DIR\"/{event}.txt");
        (event.to_owned(), json!([{"hooks": [{"type": "command", "command": command}]}]))
    });
    let settings = json!({"hooks": serde_json::Map::from_iter(hooks)});
    world.project.write(".claude/settings.json", settings.to_string())?;
    Session::new(&client, world.project.path()).allow(&["Bash"]).turn(Turn::bash("true")).go()?;
    for event in events {
        let environment = world.project.read(&format!("{event}.txt"))?;
        let names = environment.lines().filter_map(|line| Some(line.split_once('=')?.0));
        let names: BTreeSet<&str> = names.collect();
        let unlisted: Vec<_> = names.iter().filter(|name| is_unset(name, Some(event))).collect();
        assert!(unlisted.is_empty(), "{event}: {unlisted:?}");
        assert!(SET_FOR_PLUGINS.iter().all(|name| !names.contains(name)), "{event}: {names:?}");
        for (name, events) in SET_FOR_HOOKS {
            // Some are set in a turn alone.
            if events.is_empty() && event == "SessionStart" {
                continue;
            }
            let is_listed = events.is_empty() || events.contains(&event);
            assert_eq!(names.contains(name), is_listed, "{event}: {name}");
        }
    }
    Ok(())
}

#[test]
fn glob_and_grep_are_available_with_the_option_tools() -> Result<()> {
    let client = client!("glob_and_grep_are_available_with_the_option_tools");
    let world = World::new()?;
    let hook = json!({"type": "command", "command": "echo ran >> \"$CLAUDE_PROJECT_DIR\"/ran.txt"});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Grep|Glob", "hooks": [hook]}]}});
    world.project.write(".claude/settings.json", settings.to_string())?;
    let answer = world.ask(&[])?;
    let notes = answer.rows.iter().filter(|row| row["kind"] == "note" && !row["file"].is_null());
    let notes: Vec<_> = notes.map(|row| (row["line"].as_u64(), row["what"].as_str().unwrap_or_default())).collect();
    let expected = "the model has `Grep` and `Glob` only in sessions with `--tools`";
    assert_eq!((notes, answer.exit_code), (vec![(Some(1), expected)], Some(0)));
    for (arguments, is_offered) in [(&[][..], false), (&["--tools", "Glob,Grep"], true)] {
        let outcome = Session::new(&client, world.project.path())
            .arguments(arguments)
            .turn(Turn::call("Grep", json!({"pattern": "x"})))
            .turn(Turn::call("Glob", json!({"pattern": "*"})))
            .go()?;
        let events = outcome.events();
        let start = events.iter().find(|event| event["subtype"] == "init").context("an `init` event")?;
        for tool in ["Grep", "Glob"] {
            let tools = start["tools"].as_array().context("tools")?;
            assert_eq!(tools.contains(&json!(tool)), is_offered, "{arguments:?}: {tools:?}");
        }
        assert_eq!(world.project.exists("ran.txt"), is_offered, "{arguments:?}");
    }
    assert_eq!(world.project.read("ran.txt")?, "ran\nran\n");
    Ok(())
}

/// Runs a session with one hook on PreToolUse, and a call of Bash that creates the file `ran`. Returns the hook's exit
/// code.
fn play(client: &Path, world: &World, settings: &Value) -> Result<Option<i32>> {
    world.project.write(".claude/settings.json", settings.to_string())?;
    let outcome = Session::new(client, world.project.path()).allow(&["Bash"]).turn(Turn::bash("touch ran")).go()?;
    let responses = outcome.hook_responses();
    Ok(responses.first().context("a hook")?.exit_code)
}

#[test]
fn lines_fail_in_dash_as_doctor_reports() -> Result<()> {
    const NAME: &str = "lines_fail_in_dash_as_doctor_reports";
    let client = client!(NAME);
    if !fs::canonicalize("/bin/sh")?.ends_with("dash") {
        hookkit_tests::skip(NAME, "/bin/sh is not dash");
        return Ok(());
    }
    let table: Lines = lines!("lines/doctor.txt");
    for row in &table.section("lines that fail in dash").rows {
        let ([exit_code, what], line) = (row.fields(), &row.line);
        let exit_code: i32 = exit_code.parse()?;
        let world = World::with_scripts()?;
        // The hook's `shell` makes no difference.
        for shell in [json!({}), json!({"shell": "bash"})] {
            let mut hook = json!({"type": "command", "command": line});
            hook.as_object_mut().context("an object")?.extend(shell.as_object().cloned().unwrap_or_default());
            let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
            assert_eq!(play(&client, &world, &settings)?, Some(exit_code), "{line}");
            assert_eq!(world.project.exists("ran"), exit_code != 2, "{line}");
            let answer = world.ask(&[])?;
            let found = answer.rows.iter().find(|row| row["kind"] == "finding").with_context(|| line.to_owned())?;
            let (mistake, does) =
                (found["what"].as_str().unwrap_or_default(), found["does"].as_str().unwrap_or_default());
            assert!(mistake.contains(what), "{line}: {mistake}");
            assert_eq!(does.ends_with("denies every call"), exit_code == 2, "{line}: {does}");
        }
    }
    Ok(())
}

#[test]
fn programs_are_searched_on_the_path_of_the_settings() -> Result<()> {
    let client = client!("programs_are_searched_on_the_path_of_the_settings");
    let world = World::with_scripts()?;
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "guard.sh"}]}]});
    let folder = world.project.path().join(".claude/hooks");
    for (path, exit_code, found) in [
        ("/usr/bin:/bin".to_owned(), 127, vec![(1, "there is no program `guard.sh` on the PATH")]),
        (format!("{}:/usr/bin:/bin", folder.display()), 0, vec![]),
    ] {
        let settings = json!({"env": {"PATH": path}, "hooks": hooks});
        assert_eq!(play(&client, &world, &settings)?, Some(exit_code), "{path}");
        assert_eq!(world.ask(&[])?.findings(), found, "{path}");
    }
    Ok(())
}
