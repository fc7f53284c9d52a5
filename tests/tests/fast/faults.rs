//! Whatever goes wrong in a hook's process, its policy holds: that of every fault, on every event, against binaries that
//! were built as users have them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Child;

use hookkit::OnFailure;
use hookkit::testing::{Action, End, Ran, Verdict};
use hookkit_tests::faults::{
    self, Cell, OBSERVED, REFUSABLE, cells, ends, fails_as_declared, held, in_the_handler, output, recorded,
};
use hookkit_tests::prelude::*;

/// Signals that would end a process that does nothing about them, and have no meaning for a hook: SIGUSR1, SIGUSR2,
/// SIGSTKFLT, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, and the first and the last of the real-time signals that a program with
/// musl has.
#[cfg(target_os = "linux")]
const IGNORED: [i32; 9] = [10, 12, 16, 26, 27, 29, 30, 35, 64];

/// The hooks on PreToolUse, each with its policy.
const POLICIES: [(&str, OnFailure); 3] =
    [("strict", OnFailure::Block), ("cautious", OnFailure::Ask), ("lenient", OnFailure::Continue)];

/// The tier `soak` has every fault on every event.
#[test]
fn every_fault_of_a_handler_ends_in_the_policy() -> Result<()> {
    let of_tools = || cells().filter(|cell| cell.recorded.ends_with("ToolUse-Bash"));
    // This one keeps a processor busy until its deadline: once is enough here.
    let is_run = |cell: &Cell, fault: &str| fault != "loop" || cell.hook == "strict";
    let faults = in_the_handler();
    let runs = faults.iter();
    let runs = runs.flat_map(|(fault, message)| of_tools().map(move |cell| (cell, &**fault, &**message)));
    let runs = runs.filter(|(cell, fault, _)| is_run(cell, fault));
    parallel::each(16, runs, |(cell, fault, message)| fails_as_declared(cell, fault, message))
}

#[test]
fn a_fault_ends_in_the_policy_on_every_event() -> Result<()> {
    let mut faults = in_the_handler();
    faults.retain(|(fault, _)| ["error", "abort"].contains(&&**fault));
    for (fault, message) in faults {
        cells().try_for_each(|cell| fails_as_declared(cell, &fault, &message))?;
    }
    Ok(())
}

#[test]
fn stdin_that_never_ends_or_never_starts_ends_in_the_policy() -> Result<()> {
    let texts = ["", r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"#];
    let runs = POLICIES.iter().flat_map(|hook| texts.map(|text| (hook, text)));
    parallel::each(6, runs, |((hook, policy), text)| {
        let folder = test_support::folder();
        let mut child = faults::hook(hook, "", folder.path())?.spawn()?;
        let mut stdin = child.stdin.take().context("a pipe")?;
        stdin.write_all(text.as_bytes())?;
        // The pipe stays open.
        let output = child.wait_with_output()?;
        let (event, _) = recorded("PreToolUse-Bash", folder.path())?;
        let line = held(event, *policy, &output)?;
        ensure!(line.ends_with("it timed out"), "{line}");
        drop(stdin);
        Ok(())
    })
}

#[test]
fn the_exit_code_says_it_where_both_streams_are_lost() -> Result<()> {
    let folder = test_support::folder();
    let (_, text) = recorded("PreToolUse-Bash", folder.path())?;
    let full = || Ok::<_, io::Error>(Stdio::from(File::options().write(true).open("/dev/full")?));
    let faults = ["error", "panic", "abort", "exit", "sleep"];
    let runs = POLICIES.into_iter().flat_map(|hook| faults.map(|fault| (hook, fault)));
    let runs = runs.flat_map(|(hook, fault)| [true, false].map(|is_full| (hook, fault, is_full)));
    parallel::each(10, runs, |((hook, policy), fault, is_full)| {
        let mut command = faults::hook(hook, fault, folder.path())?;
        if is_full {
            command.stdout(full()?).stderr(full()?);
        } else {
            let (_, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
        }
        let ended = output(command, text.as_bytes())?.status.code();
        let stream = if is_full { "a full disk" } else { "no reader" };
        let code = if policy == OnFailure::Continue { 1 } else { 2 };
        ensure!(ended == Some(code), "{hook}, {fault}, {stream}: {ended:?}");
        Ok(())
    })
}

#[test]
fn whatever_is_on_stdin_ends_in_the_policy() -> Result<()> {
    let folder = test_support::folder();
    let nested = format!("{{\"x\":{}", "[".repeat(100_000));
    let large = format!("{{\"session_id\":\"{}", "x".repeat(10_000_000));
    let more = [("100,000 levels", nested.as_str()), ("10 MB that end nowhere", &large)];
    let table: Lines = lines!("lines/faults.txt");
    let rows = table.section("stdin").rows.iter();
    let short = rows.map(|row| (&*row.expected[0], row.line.trim_start_matches('-')));
    for (what, text) in short.chain(more) {
        for (hook, policy) in POLICIES.into_iter().chain([("observer", OnFailure::Continue)]) {
            let output = output(faults::hook(hook, "", folder.path())?, text.as_bytes())?;
            // Which event it would have been is not known: on each of them the policy has to hold.
            let events = match hook {
                "cautious" => &["PreToolUse-Bash"],
                "observer" => OBSERVED,
                _ => REFUSABLE,
            };
            if (policy, what) == (OnFailure::Continue, "no event") {
                // Another client's payload: that client would take a failure for a denial.
                assert_eq!(output.status.code(), Some(0), "{hook}");
                continue;
            }
            // A question is for the hook's own event.
            let policy = match (policy, what) {
                (OnFailure::Ask, "another event") => OnFailure::Block,
                (policy, _) => policy,
            };
            for name in events {
                let (event, _) = recorded(name, folder.path())?;
                held(event, policy, &output).with_context(|| format!("{what}, {hook}, {}", event.name))?;
            }
        }
    }
    Ok(())
}

#[test]
fn a_descriptor_that_is_not_open_leaves_the_policy_as_it_is() -> Result<()> {
    let folder = test_support::folder();
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    for (hook, policy) in POLICIES {
        let closed = |fault: &str, redirections: &str| -> Result<Output> {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("exec \"$0\" {redirections}")])
                .arg(installed(faults::project()?.path(), hook)?)
                .current_dir(folder.path())
                .env("FAULT", fault)
                .process_group(0);
            faults::run_piped(shell, text.as_bytes())
        };
        let code = policy.exit_code().into();
        for fault in ["error", "panic", "abort", "exit"] {
            // What one channel loses the other one says.
            held(event, policy, &closed(fault, "2>&-")?).with_context(|| format!("{hook}, {fault}"))?;
            for redirections in ["1>&-", "1>&- 2>&-"] {
                let output = closed(fault, redirections)?;
                assert_eq!(output.status.code(), Some(code), "{hook}, {fault}, {redirections}");
            }
        }
        held(event, policy, &closed("", "0<&-")?).with_context(|| format!("{hook}, no stdin"))?;
    }
    Ok(())
}

#[test]
fn sigkill_ends_a_hook_without_termination_handling() -> Result<()> {
    let folder = test_support::folder();
    let (event, killed) = faults::run("strict", "kill", folder.path())?;
    assert_eq!(killed.status.signal(), Some(9));
    // Without `onFailure` in its entry the client goes on.
    let ran = Ran::ended(End::Killed).stdout(killed.stdout);
    assert_eq!(Verdict::of(event, &ran).action, Action::GoesOn);
    // This signal ends no process.
    let (_, output) = faults::run("strict", "pipe", folder.path())?;
    let line = held(event, OnFailure::Block, &output)?;
    assert!(line.ends_with("it timed out"), "{line}");
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn signals_without_a_meaning_do_not_end_a_hook_and_its_programs_hear_them() -> Result<()> {
    let folder = test_support::folder();
    for signal in IGNORED {
        let (_, mut output) = faults::run("strict", &signal.to_string(), folder.path())?;
        assert_eq!(output.both(0)?, ["", ""], "{signal}");
    }
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn signals_of_the_c_library_do_not_end_a_hook() -> Result<()> {
    let folder = test_support::folder();
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    let mut child = faults::hook("strict", "error", folder.path())?.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    // It waits for its input once it blocks them.
    while !fs::read_to_string(&status)?.contains("SigBlk:\tffffffff") {
        thread::sleep(Duration::from_millis(1));
    }
    for signal in ["-32", "-33", "-34"] {
        Command::new("kill").args([signal, &child.id().to_string()]).status()?;
    }
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    let line = held(event, OnFailure::Block, &child.wait_with_output()?)?;
    assert!(!line.contains("signal"), "{line}");
    Ok(())
}

/// Starts a hook whose stdout is a pipe that is full and not read. Returns a function that reads what the hook writes to it.
fn with_full_stdout(hook: &str, fault: &str, folder: &Path) -> Result<(Child, impl FnOnce() -> Result<Vec<u8>>)> {
    let (_, text) = recorded("PreToolUse-Bash", folder)?;
    let (mut said, mut stdout) = io::pipe()?;
    let before = vec![b' '; 64 * 1024];
    stdout.write_all(&before)?;
    let mut command = faults::hook(hook, fault, folder)?;
    command.stdout(stdout);
    let mut child = command.spawn()?;
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    let read = move || {
        let mut stdout = Vec::new();
        said.read_to_end(&mut stdout)?;
        Ok(stdout.split_off(before.len()))
    };
    Ok((child, read))
}

#[test]
fn a_crash_while_an_answer_is_written_ends_in_the_policy_by_the_exit_code() -> Result<()> {
    let folder = test_support::folder();
    for hook in ["strict", "cautious"] {
        let (mut child, said) = with_full_stdout(hook, "late-abort", folder.path())?;
        assert_eq!((child.wait()?.code(), said()?), (Some(2), Vec::new()), "{hook}");
    }
    Ok(())
}

/// It runs each hook on an empty input, which is a failure.
#[test]
fn doctor_finds_no_fault_in_a_hook_that_fails_by_its_policy() -> Result<()> {
    let project = text(faults::project()?.path())?;
    let output = xtask(fixture()?, &["doctor", "--json", "--project", project])?;
    let said = str::from_utf8(&output.stdout)?;
    let rows = rows(said)?;
    for (hook, code) in [("cautious", 0), ("guard", 2), ("advisor", 1)] {
        let mut trials = rows.iter().filter(|row| row["stdin"] == "empty" && row["hook"] == hook);
        assert_eq!(trials.next().map(|row| &row["exit_code"]), Some(&code.into()), "{said}");
    }
    said.lacks("on empty input");
    Ok(())
}

#[test]
fn the_last_line_is_not_cut_off_by_a_signal() -> Result<()> {
    let folder = test_support::folder();
    let (event, _) = recorded("PreToolUse-Bash", folder.path())?;
    let (child, said) = with_full_stdout("strict", "exit", folder.path())?;
    // Its time is over while it says why it ends.
    thread::sleep(Duration::from_millis(1_200));
    let stdout = said()?;
    let mut output = child.wait_with_output()?;
    output.stdout = stdout;
    let line = held(event, OnFailure::Block, &output)?;
    assert!(line.ends_with("something in it called `exit`"), "{line}");
    Ok(())
}

#[test]
fn each_event_gives_its_own_time() -> Result<()> {
    const LATE: &str = "hookkit: hook `patient` failed: it timed out\n";
    // 600 seconds, and one and a half.
    let events = [("SessionStart-startup", 0, ""), ("SessionEnd-other", 1, LATE)];
    parallel::each(2, events, |(event, code, message)| {
        let folder = test_support::folder();
        let (_, text) = recorded(event, folder.path())?;
        let hook = faults::hook("patient", "two-seconds", folder.path())?;
        let stderr = output(hook, text.as_bytes())?.err(code)?;
        ensure!(stderr == message, "{event}: {stderr}");
        Ok(())
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_does_not_outlive_a_hook_that_was_killed() -> Result<()> {
    let folder = test_support::folder();
    let (_, output) = faults::run("strict", "kill-with-a-program", folder.path())?;
    assert_eq!(output.status.signal(), Some(9));
    let child = fs::read_to_string(folder.path().join("child"))?;
    let grandchild = fs::read_to_string(folder.path().join("grandchild"))?;
    assert!(ends(&child), "{child}");
    // It is the program alone that the kernel knows of.
    Command::new("kill").arg(grandchild.trim()).status()?;
    Ok(())
}

#[test]
fn a_copy_of_the_process_has_nothing_to_say() -> Result<()> {
    let folder = test_support::folder();
    let (_, mut output) = faults::run("strict", "fork", folder.path())?;
    assert_eq!(output.both(0)?, ["", ""]);
    Ok(())
}

#[test]
fn a_group_of_another_process_is_left_alone() -> Result<()> {
    let folder = test_support::folder();
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    let hook = installed(faults::project()?.path(), "strict")?;
    // In the group of a shell, as in a terminal.
    let script = "sleep 60 & echo $! > neighbour; \"$0\" < stdin; echo \"ended with $?\"; kill $!";
    fs::write(folder.path().join("stdin"), text)?;
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(hook)
        .current_dir(folder.path())
        .env("FAULT", "sleep")
        .process_group(0)
        .stdin(Stdio::null());
    let output = shell.output()?;
    let stdout = String::from_utf8(output.stdout)?;
    let (answer, ended) = stdout.split_once("ended with ").context("the shell lives on")?;
    assert_eq!(ended, "2\n");
    let ran = Ran::exit(2).stdout(answer);
    assert_eq!(Verdict::of(event, &ran).action, Action::Denied);
    assert_eq!(output.status.signal(), None);
    Ok(())
}
