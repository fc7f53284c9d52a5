//! Whatever goes wrong in a hook's process, its policy holds: that of every fault, on every event, against binaries that
//! were built as users have them.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::event::{Event, event};
use hookkit::testing::{Action, End, Ran, Verdict};
use hookkit_tests::faults::{Faults, IN_THE_HANDLER, OBSERVED, Policy, REFUSABLE};
use hookkit_tests::xtask::{installed, payload};

/// Signals that end a hook without a word: SIGKILL, which cannot be noticed, and those that nobody sends who does not want
/// that.
const UNHEARD: &[(&str, i32)] = &[
    ("kill", 9),
    ("usr1", 10),
    ("usr2", 12),
    ("vtalrm", 26),
    ("prof", 27),
    ("pwr", 30),
];

/// What can be wrong with stdin, by its bytes.
const ON_STDIN: &[(&str, &str)] = &[
    ("nothing", ""),
    ("a part", r#"{"session_id":"1","hook_event_"#),
    ("no JSON", "hello"),
    ("no object", "[1, 2]"),
    ("no event", "{}"),
    ("another event", r#"{"hook_event_name":"WorktreeRemove"}"#),
    ("an event that is none", r#"{"hook_event_name":17}"#),
];

/// What a process says that gets these bytes.
fn output(mut command: Command, stdin: &[u8]) -> Result<Output> {
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A hook may be gone before it has read all.
        let _ = pipe.write_all(stdin);
    }
    Ok(child.wait_with_output()?)
}

/// Whether both streams and the exit code say what the policy wants; the line on stderr.
fn held(event: &Event, policy: Policy, output: &Output) -> Result<String> {
    let stderr = String::from_utf8(output.stderr.clone())?;
    let code = output.status.code();
    let line = stderr.lines().last().unwrap_or_default().to_owned();
    let end = code.map_or(End::Killed, End::Exited);
    let ran = Ran::ended(end).stdout(output.stdout.clone()).stderr(stderr.clone());
    let verdict = Verdict::of(event, &ran);
    match policy {
        Policy::Block => {
            let is_refused = matches!(verdict.action, Action::Refused | Action::KeepsGoing) || verdict.ends_turn;
            ensure!(code == Some(2) && is_refused, "{code:?} {stderr}{verdict}");
        }
        Policy::Continue => {
            let is_silent = output.stdout.is_empty() && verdict.action == Action::GoesOn;
            ensure!(code == Some(1) && is_silent, "{code:?} {stderr}{verdict}");
        }
    }
    Ok(line)
}

/// The hooks and the recorded events of each policy.
fn cells() -> impl Iterator<Item = (&'static str, Policy, &'static str)> {
    let strict = REFUSABLE.iter().map(|event| ("strict", Policy::Block, *event));
    let lenient = REFUSABLE.iter().map(|event| ("lenient", Policy::Continue, *event));
    let observer = OBSERVED.iter().map(|event| ("observer", Policy::Continue, *event));
    strict.chain(lenient).chain(observer)
}

/// The event of a recording, with a folder to work in.
fn recorded(name: &str, folder: &Path) -> Result<(&'static Event, String)> {
    let folder = folder.to_str().context("a UTF-8 path")?;
    let text = payload(name)?.replace("/home/user/project", folder);
    let named = name.split('-').next().and_then(event).context("it is an event")?;
    Ok((named, text))
}

fn is_running(process: &str) -> bool {
    // A process that has ended, and that nobody has asked about yet, is none any more.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ")
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// Whether a process ends right behind a hook.
fn is_ended(process: &str) -> bool {
    (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        !is_running(process.trim())
    })
}

#[test]
fn every_fault_of_a_handler_ends_in_the_policy() -> Result<()> {
    let faults = Faults::get()?;
    let each = |fault: &str, told: &str| -> Result<()> {
        for (hook, policy, event) in cells() {
            let folder = tempfile::tempdir()?;
            let (event, text) = recorded(event, folder.path())?;
            let output = output(faults.hook(hook, fault, folder.path())?, text.as_bytes())?;
            let cell = || format!("{fault}, {hook}, {}", event.name);
            let line = held(event, policy, &output).with_context(cell)?;
            let expected = format!("hookkit: hook `{hook}` failed: {told}");
            ensure!(line.starts_with(&expected), "{}: {line}", cell());
            for started in ["child", "grandchild"] {
                let Ok(process) = std::fs::read_to_string(folder.path().join(started)) else {
                    continue;
                };
                ensure!(is_ended(&process), "{}: its {started} {process} is left", cell());
            }
        }
        Ok(())
    };
    // Those that take their time do so together.
    let failed: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = IN_THE_HANDLER
            .iter()
            .map(|(fault, told)| scope.spawn(|| each(fault, told)))
            .collect();
        let failed = runs.into_iter().filter_map(|run| match run.join() {
            Ok(Ok(())) => None,
            Ok(Err(err)) => Some(format!("{err:#}")),
            Err(_) => Some("a thread of the test panicked".to_owned()),
        });
        failed.collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

#[test]
fn whatever_stands_on_stdin_ends_in_the_policy() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let nested = format!("{{\"x\":{}", "[".repeat(100_000));
    let large = format!("{{\"session_id\":\"{}", "x".repeat(10_000_000));
    let more = [("100,000 levels", nested.as_str()), ("10 MB that end nowhere", &large)];
    for (what, text) in ON_STDIN.iter().copied().chain(more) {
        for (hook, policy) in [
            ("strict", Policy::Block),
            ("lenient", Policy::Continue),
            ("observer", Policy::Continue),
        ] {
            let output = output(faults.hook(hook, "", folder.path())?, text.as_bytes())?;
            // Which event it would have been is not known: on each of them the policy has to hold.
            let events = if hook == "observer" { OBSERVED } else { REFUSABLE };
            for name in events {
                let (event, _) = recorded(name, folder.path())?;
                held(event, policy, &output).with_context(|| format!("{what}, {hook}, {}", event.name))?;
            }
        }
    }
    Ok(())
}

#[test]
fn stdin_that_never_ends_or_never_starts_ends_in_the_policy() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    for (hook, policy) in [("strict", Policy::Block), ("lenient", Policy::Continue)] {
        for text in ["", r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"#] {
            let mut child = faults.hook(hook, "", folder.path())?.spawn()?;
            let mut stdin = child.stdin.take().context("a pipe")?;
            stdin.write_all(text.as_bytes())?;
            // The pipe stays open.
            let output = child.wait_with_output()?;
            let (event, _) = recorded("PreToolUse-Bash", folder.path())?;
            let line = held(event, policy, &output)?;
            assert!(line.ends_with("it was not done in time"), "{line}");
            drop(stdin);
        }
    }
    Ok(())
}

#[test]
fn where_nobody_can_be_told_the_exit_code_says_it() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (_, text) = recorded("PreToolUse-Bash", folder.path())?;
    let full = || Ok::<_, std::io::Error>(Stdio::from(File::options().write(true).open("/dev/full")?));
    for (hook, code) in [("strict", 2), ("lenient", 1)] {
        for fault in ["error", "panic", "abort", "exit", "sleep"] {
            // A full disk, and a reader that went away.
            let mut command = faults.hook(hook, fault, folder.path())?;
            command.stdout(full()?).stderr(full()?);
            assert_eq!(
                output(command, text.as_bytes())?.status.code(),
                Some(code),
                "{hook}, {fault}"
            );
            let mut child = faults.hook(hook, fault, folder.path())?.spawn()?;
            drop((child.stdout.take(), child.stderr.take()));
            let _ = child.stdin.take().context("a pipe")?.write_all(text.as_bytes());
            assert_eq!(child.wait()?.code(), Some(code), "{hook}, {fault}");
        }
    }
    Ok(())
}

#[test]
fn a_descriptor_that_is_not_open_leaves_the_policy_as_it_is() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    for (hook, policy) in [("strict", Policy::Block), ("lenient", Policy::Continue)] {
        let closed = |fault: &str, redirections: &str| -> Result<Output> {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("exec \"$0\" {redirections}")])
                .arg(installed(faults.project().path(), hook)?)
                .current_dir(folder.path())
                .env("FAULT", fault)
                .process_group(0)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            output(shell, text.as_bytes())
        };
        let code = match policy {
            Policy::Block => 2,
            Policy::Continue => 1,
        };
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
fn some_signals_end_a_hook_without_its_last_words() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    for (signal, number) in UNHEARD {
        let output = output(faults.hook("strict", signal, folder.path())?, text.as_bytes())?;
        assert_eq!(output.status.signal(), Some(*number), "{signal}");
        // Without `onFailure` in its entry the client goes on.
        let ran = Ran::ended(End::Killed).stdout(output.stdout);
        assert_eq!(Verdict::of(event, &ran).action, Action::GoesOn, "{signal}");
    }
    // This one ends nobody.
    let output = output(faults.hook("strict", "pipe", folder.path())?, text.as_bytes())?;
    let line = held(event, Policy::Block, &output)?;
    assert!(line.ends_with("it was not done in time"), "{line}");
    Ok(())
}

#[test]
fn last_words_are_not_cut_off_by_a_signal() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    let (mut said, mut stdout) = std::io::pipe()?;
    // Nobody reads, and it is full.
    let before = vec![b' '; 64 * 1024];
    stdout.write_all(&before)?;
    let mut command = faults.hook("strict", "exit", folder.path())?;
    command.stdout(stdout);
    let mut child = command.spawn()?;
    drop(command);
    child.stdin.take().context("a pipe")?.write_all(text.as_bytes())?;
    // Its time is over while it says why it ends.
    thread::sleep(Duration::from_millis(1_500));
    let mut stdout = Vec::new();
    said.read_to_end(&mut stdout)?;
    let mut output = child.wait_with_output()?;
    output.stdout = stdout.split_off(before.len());
    let line = held(event, Policy::Block, &output)?;
    assert!(line.ends_with("something in it ended the process (exit)"), "{line}");
    Ok(())
}

#[test]
fn each_event_gives_its_own_time() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    // 600 seconds, and one and a half.
    for (event, code, told) in [
        ("SessionStart-startup", 0, ""),
        (
            "SessionEnd-other",
            1,
            "hookkit: hook `patient` failed: it was not done in time\n",
        ),
    ] {
        let (_, text) = recorded(event, folder.path())?;
        let output = output(faults.hook("patient", "two-seconds", folder.path())?, text.as_bytes())?;
        assert_eq!(output.status.code(), Some(code), "{event}");
        assert_eq!(String::from_utf8(output.stderr)?, told, "{event}");
    }
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_does_not_outlive_a_hook_that_was_killed() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (_, text) = recorded("PreToolUse-Bash", folder.path())?;
    let output = output(
        faults.hook("strict", "kill-beside-a-program", folder.path())?,
        text.as_bytes(),
    )?;
    assert_eq!(output.status.signal(), Some(9));
    let child = std::fs::read_to_string(folder.path().join("child"))?;
    let grandchild = std::fs::read_to_string(folder.path().join("grandchild"))?;
    assert!(is_ended(&child), "{child}");
    // It is the program alone that the kernel knows of.
    Command::new("kill").arg(grandchild.trim()).status()?;
    Ok(())
}

#[test]
fn a_copy_of_the_process_has_nothing_to_say() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (_, text) = recorded("PreToolUse-Bash", folder.path())?;
    let output = output(faults.hook("strict", "fork", folder.path())?, text.as_bytes())?;
    let said = (output.status.code(), output.stdout, output.stderr);
    assert_eq!(said, (Some(0), Vec::new(), Vec::new()));
    Ok(())
}

#[test]
fn a_group_that_is_somebody_else_s_is_left_alone() -> Result<()> {
    let faults = Faults::get()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    let hook = installed(faults.project().path(), "strict")?;
    // In the group of a shell, as in a terminal.
    let script = "sleep 60 & echo $! > neighbour; \"$0\" < stdin; echo \"ended with $?\"; kill $!";
    std::fs::write(folder.path().join("stdin"), text)?;
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
    assert_eq!(Verdict::of(event, &ran).action, Action::Refused);
    assert_eq!(output.status.signal(), None);
    Ok(())
}
