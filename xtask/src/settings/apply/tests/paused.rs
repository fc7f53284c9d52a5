//! Tests of hooks that are off for a while, and of runs that are killed while turning hooks off and on.

use hookkit_protocol::event::event;

use super::*;
use crate::settings::drift::IS_OFF;
use crate::settings::pause::{self, Pause};

const FIRST: &str = "the first";

fn known(site: &Site, hook: &str) -> Result<BTreeSet<String>> {
    let record = Record::read(&site.place("acme")?)?.unwrap_or_default();
    Ok(record.binaries.get(hook).cloned().unwrap_or_default())
}

/// Turns the hook `b` off or on.
pub(super) fn turn(what: &str, site: &Site) -> Result<()> {
    let (place, known) = (site.place("acme")?, known(site, "b")?);
    if what == "on" {
        return pause::end(&place, "b", &known).map(drop);
    }
    let line = (what == "allow-once").then_some("git push --force");
    let pause = Pause::new(Duration::from_secs(600), line);
    pause::begin(&place, "b", &known, &[event("PreToolUse").context("an event")?], &pause)
}

/// Checks that the hook `b` is complete: its binary is in place, or a script is in its place and the binary next to it.
fn ensure_whole(site: &Site) -> Result<()> {
    let place = site.place("acme")?;
    let (binary, program) = (place.binary("b"), pause::program(&place, "b"));
    let is_binary = |bytes: &[u8]| String::from_utf8_lossy(bytes).ends_with(" of b");
    let present = binary.read()?.context("a binary")?;
    if pause::of(&place, "b")?.is_some() {
        let is_script = present.starts_with(b"#!/bin/sh\n") && present.ends_with(b"}\n");
        ensure!(is_script, "half a script");
        ensure!(program.read()?.is_some_and(|program| is_binary(&program)), "no program");
        ensure!(place.has_binary("b"), "the script cannot be run");
    } else {
        let text = String::from_utf8_lossy(&present);
        ensure!(is_binary(&present), "neither a binary nor a known script: {text}");
    }
    Ok(())
}

#[test]
fn a_hook_that_is_turned_off_and_on_is_the_same_again() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    let (place, files) = (site.place("acme")?, site.files()?);
    for what in ["off", "allow-once"] {
        turn(what, &site)?;
        ensure_whole(&site)?;
        let pause = pause::of(&place, "b")?.context("it is off")?;
        assert_eq!(pause.line.is_some(), what == "allow-once");
        assert_eq!(pause::of(&place, "a")?, None);
        turn("on", &site)?;
        site.check("acme")?;
        assert_eq!((pause::of(&place, "b")?, site.files()?), (None, files.clone()));
        // There is nothing to do.
        turn("on", &site)?;
        assert_eq!(site.files()?, files);
    }
    Ok(())
}

#[test]
fn killed_at_any_step_the_hook_is_whole_and_the_next_run_ends_it() -> Result<()> {
    let cases: &[(&[&str], &str)] = &[
        (&["install"], "off"),
        (&["install", "off"], "allow-once"),
        (&["install", "off"], "on"),
        (&["install", "off"], "install"),
        (&["install", "off"], "renew"),
    ];
    for (so_far, what) in cases {
        let mut kills = 0;
        // An ordinary `cargo test` kills at every third step.
        for steps in (0..).step_by(soak::size(3, 1)) {
            let site = Site::new(None)?;
            so_far.iter().try_for_each(|what| act(what, &site))?;
            let Some(message) = killed(what, &site, steps) else {
                break;
            };
            let next = ["on", "off", "install", "uninstall"][kills % 4];
            let whole = || -> Result<()> {
                ensure_whole(&site)?;
                act(next, &site)?;
                match next {
                    "off" => ensure_whole(&site)?,
                    "uninstall" => {
                        ensure!(site.files()? == Site::new(None)?.files()?, "{:?}", site.files()?);
                        return Ok(());
                    }
                    _ => ensure!(pause::of(&site.place("acme")?, "b")?.is_none()),
                }
                act("install", &site)?;
                site.check("acme")?;
                let done = Site::new(None)?;
                act("install", &done)?;
                ensure!(site.files()? == done.files()?, "{:?}", site.files()?);
                act("uninstall", &site)
            };
            whole().with_context(|| format!("{so_far:?} {what}, then {next}, step {steps}: {message}"))?;
            kills += 1;
        }
        ensure!(kills >= 3, "{what}: {kills}");
    }
    Ok(())
}

#[test]
fn install_ends_it_and_uninstall_leaves_nothing() -> Result<()> {
    for so_far in [&["off"][..], &["allow-once"], &["off", "renew"], &["off", "install"]] {
        let (site, done) = (Site::new(Some(OF_THE_USER))?, Site::new(Some(OF_THE_USER))?);
        act("install", &site)?;
        so_far.iter().try_for_each(|what| act(what, &site))?;
        if so_far.len() > 1 {
            site.check("acme")?;
            assert_eq!(pause::of(&site.place("acme")?, "b")?, None);
            let files = site.files()?;
            assert!(files.iter().all(|file| !file.ends_with(".paused")), "{files:?}");
        }
        act("uninstall", &site)?;
        assert_eq!((site.read()?, site.files()?), (done.read()?, done.files()?), "{so_far:?}");
        let note = site.place("acme")?.notes.path("paused-acme.json");
        assert!(note.is_some_and(|note| !note.exists()));
    }
    Ok(())
}

#[test]
fn a_hook_that_is_not_installed_any_more_goes_with_its_script() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    act("off", &site)?;
    site.install("acme", &["a"], FIRST)?;
    let files = site.files()?;
    assert!(files.iter().all(|file| !file.contains("/bin/b")), "{files:?}");
    Ok(())
}

#[test]
fn a_hook_that_is_off_is_not_as_an_install_leaves_it() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    act("off", &site)?;
    let place = site.place("acme")?;
    assert_eq!(drift(&place, "b", FIRST)?.as_deref(), Some(IS_OFF));
    let other = "binary not built from the current source";
    assert_eq!(drift(&place, "b", "another")?.as_deref(), Some(other));
    Ok(())
}

#[test]
fn a_script_that_was_not_written_here_is_a_changed_binary() -> Result<()> {
    let (site, other) = (Site::new(None)?, Site::new(None)?);
    for site in [&site, &other] {
        act("install", site)?;
    }
    act("off", &other)?;
    let (place, there) = (site.place("acme")?, other.place("acme")?);
    let script = fs::read(there.binary("b").path())?;
    fs::write(place.binary("b").path(), &script)?;
    fs::write(pause::program(&place, "b").path(), b"another of b")?;
    assert_eq!(pause::of(&place, "b")?, None);
    // A different one than recorded.
    let mut changed = script.clone();
    changed.extend(b"\n");
    fs::write(there.binary("b").path(), &changed)?;
    assert_eq!(pause::of(&there, "b")?, None);
    for what in ["off", "allow-once"] {
        assert!(refused(what, &site)?.contains("is not what `install` wrote there"));
    }
    assert_eq!(fs::read(place.binary("b").path())?, script);
    Ok(())
}

#[test]
fn another_program_than_was_installed_is_not_put_back() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    act("off", &site)?;
    let place = site.place("acme")?;
    let program = pause::program(&place, "b").path();
    let spoiled: [fn(&Path) -> std::io::Result<()>; 3] = [
        |program| fs::write(program, "another of b"),
        |program| fs::remove_file(program),
        |program| symlink("/bin/true", program),
    ];
    for spoil in spoiled {
        spoil(&program)?;
        for what in ["on", "off"] {
            assert!(turn(what, &site).is_err(), "{what}");
        }
        assert!(fs::read(place.binary("b").path())?.starts_with(b"#!/bin/sh\n"));
    }
    fs::remove_file(&program)?;
    act("install", &site)?;
    site.check("acme")
}

#[test]
fn the_script_puts_back_what_install_wrote() -> Result<()> {
    let site = Site::new(None)?;
    let program = "#!/usr/bin/env sh\ncat; exit 2 # of b";
    site.install("acme", &["b"], program.trim_end_matches(" of b"))?;
    let place = site.place("acme")?;
    let before = (fs::read(place.binary("b").path())?, site.files()?);
    turn("allow-once", &site)?;
    let run = |payload: &str| -> Result<(Option<i32>, String)> {
        let mut child = Command::new("sh");
        child.arg(place.binary("b").path());
        let mut child = child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn()?;
        std::io::Write::write_all(&mut child.stdin.take().context("a pipe")?, payload.as_bytes())?;
        let output = child.wait_with_output()?;
        Ok((output.status.code(), String::from_utf8(output.stdout)?))
    };
    let payload = |line: &str| {
        let input = json!({"command": line});
        format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{input}}}"#)
    };
    let (other, line) = (payload("git push --force x"), payload("git push --force"));
    assert_eq!(run(&other)?, (Some(2), other));
    assert_eq!(run(&line)?.0, Some(0));
    assert_eq!(run(&line)?, (Some(2), line));
    assert_eq!((fs::read(place.binary("b").path())?, site.files()?), before);
    // The record remains, but says nothing about the binary.
    assert_eq!(pause::of(&place, "b")?, None);
    act("uninstall", &site)?;
    assert_eq!(site.files()?, Site::new(None)?.files()?);
    Ok(())
}

#[test]
fn a_call_that_ends_the_time_before_meanwhile_loses_no_binary() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    act("off", &site)?;
    let place = site.place("acme")?;
    let (binary, program) = (place.binary("b").path(), pause::program(&place, "b").path());
    let put_back = move || fs::rename(program, binary).expect("it is there");
    act_while("allow-once", &site, faults::first("a temporary file", put_back))?;
    ensure_whole(&site)?;
    act("on", &site)?;
    site.check("acme")
}
