//! Whatever goes wrong in a hook's process, its policy holds: that of every fault, on every event, against binaries that
//! were built as users have them.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::event::{Event, event};
use hookkit::testing::{Action, End, Ran, Verdict};
use hookkit_tests::mock::Kind;
use hookkit_tests::xtask::{installed, payload, workspace, xtask_ok};
use hookkit_tests::{Outcome, Project, Session, Turn, client};
use serde_json::{Value, json};

/// What a handler can do wrong. The first words of what is told of it.
const IN_THE_HANDLER: &[(&str, &str)] = &[
    ("error", "the disk is full and so am I"),
    ("panic", "it panicked at "),
    ("panic-with-a-number", "it panicked at "),
    ("panic-in-thread", "it panicked at "),
    ("panic-in-drop", "it panicked at "),
    ("panic-while-panicking", "it panicked at "),
    ("panic-in-format", "it panicked at "),
    ("panic-that-is-caught", "it panicked at "),
    ("exit", "something in it ended the process (exit)"),
    ("exit-in-thread", "something in it ended the process (exit)"),
    ("abort", "it aborted (SIGABRT)"),
    ("overflow", "it touched memory that is not its own"),
    ("overflow-in-thread", "it touched memory that is not its own"),
    ("wild-pointer", "it touched memory that is not its own"),
    ("no-memory", "it aborted (SIGABRT)"),
    ("too-much-memory", "it aborted (SIGABRT)"),
    ("loop", "it was not done in time"),
    ("sleep", "it was not done in time"),
    ("hung-child", "it was not done in time"),
    ("late-program", "`sh` was not done in 0.7 s, and was ended"),
    ("error-beside-a-program", "while a program runs"),
    ("panic-beside-a-program", "it panicked at "),
    ("exit-beside-a-program", "something in it ended the process (exit)"),
    ("abort-beside-a-program", "it aborted (SIGABRT)"),
    ("sleep-beside-a-program", "it was not done in time"),
    ("term", "it was told to end (SIGTERM)"),
    ("int", "it was interrupted (SIGINT)"),
    ("hup", "its terminal is gone (SIGHUP)"),
    ("xcpu", "it used up its processor time (SIGXCPU)"),
    ("xfsz", "it wrote a file larger than it may (SIGXFSZ)"),
    ("quit", "it was told to quit (SIGQUIT)"),
    ("trap", "it ran into an instruction that is none (SIGILL)"),
    ("sys", "it did what the system does not let it do (SIGSYS)"),
    ("alrm", "it was not done in time"),
];

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

/// Events that can be refused, by a recorded payload of each.
const REFUSABLE: &[&str] = &[
    "PreToolUse-Bash",
    "PermissionRequest-Bash",
    "UserPromptSubmit",
    "Stop",
    "PreCompact-manual",
    "TaskCreated",
    "ConfigChange-user_settings",
];

const OBSERVED: &[&str] = &["PostToolUse-Bash", "SessionStart-startup"];

/// The hooks with faults, installed.
struct Faults {
    project: Project,
}

impl Faults {
    fn new() -> Result<Self> {
        let hooks = workspace("faults", include_str!("../../fixtures/faults/lib.rs"))?;
        let project = Project::new()?;
        let path = project.path().to_str().context("a UTF-8 path")?;
        xtask_ok(&hooks, &["install", "--project", path])?;
        Ok(Self { project })
    }

    /// A hook as the client starts it: the leader of a process group of its own.
    fn hook(&self, name: &str, fault: &str, folder: &Path) -> Result<Command> {
        let mut command = Command::new(installed(self.project.path(), name)?);
        command
            .current_dir(folder)
            .env("FAULT", fault)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(command)
    }
}

/// What a process says that gets these bytes.
fn output(mut command: Command, stdin: &[u8]) -> Result<Output> {
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A hook may be gone before it has read all.
        let _ = pipe.write_all(stdin);
    }
    Ok(child.wait_with_output()?)
}

/// What a hook's end has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Block,
    Continue,
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    for (hook, policy) in [("strict", Policy::Block), ("lenient", Policy::Continue)] {
        let closed = |fault: &str, redirections: &str| -> Result<Output> {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &format!("exec \"$0\" {redirections}")])
                .arg(installed(faults.project.path(), hook)?)
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
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
    let faults = Faults::new()?;
    let folder = tempfile::tempdir()?;
    let (_, text) = recorded("PreToolUse-Bash", folder.path())?;
    let output = output(faults.hook("strict", "fork", folder.path())?, text.as_bytes())?;
    let said = (output.status.code(), output.stdout, output.stderr);
    assert_eq!(said, (Some(0), Vec::new(), Vec::new()));
    Ok(())
}

#[test]
fn a_group_that_is_somebody_else_s_is_left_alone() -> Result<()> {
    let faults = Faults::new()?;
    let folder = tempfile::tempdir()?;
    let (event, text) = recorded("PreToolUse-Bash", folder.path())?;
    let hook = installed(faults.project.path(), "strict")?;
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

#[test]
fn the_client_heeds_the_policy_whatever_the_fault() -> Result<()> {
    let Some(client) = client::require("the_client_heeds_the_policy_whatever_the_fault") else {
        return Ok(());
    };
    let faults = Faults::new()?;
    let settings = faults.project.read(".claude/settings.json")?;
    for (hook, is_refused) in [("guard", true), ("advisor", false)] {
        let project = Project::new()?;
        // Its hooks alone, at their own path. The client has more patience than the hook has time: a machine that is
        // busy with tests may take longer to start a process than the tenth of a second that lies between them.
        let mut alone: Value = serde_json::from_str(&settings)?;
        let command: PathBuf = installed(faults.project.path(), hook)?;
        alone["hooks"] = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": command, "args": [], "timeout": 3},
        ]}]});
        project.write(".claude/settings.json", alone.to_string())?;
        let mut session = Session::new(&client, project.path()).allow(&["Bash"]);
        for (fault, _) in IN_THE_HANDLER {
            let command = format!(": {fault} ; touch {fault}");
            session = session.turn(Turn::call("Bash", json!({"command": command, "description": "Fail"})));
        }
        session.turn(Turn::text("Done.")).run("go")?;
        for (fault, _) in IN_THE_HANDLER {
            assert_eq!(project.exists(fault), !is_refused, "{hook}, {fault}");
        }
    }
    Ok(())
}

/// Faults of each kind: what the handler gives back, what it does to the process, and what it never comes back from.
const ONE_OF_EACH: &[&str] = &[
    "error",
    "panic",
    "exit",
    "abort",
    "overflow",
    "sleep",
    "hung-child",
    "term",
];

/// An event that the client is brought to, once for each fault.
struct Scene {
    event: &'static str,
    /// What is said to the client for a fault. It strikes on the last of it.
    said: fn(&str) -> Vec<String>,
    /// What the model does when it is asked.
    turns: fn(&str) -> Vec<Turn>,
    /// What became of the matter; an error where it is neither.
    policy: fn(&Seen<'_>) -> Result<Policy>,
}

/// What is to be seen of one fault.
struct Seen<'s> {
    outcome: &'s Outcome,
    project: &'s Project,
    fault: &'s str,
    step: usize,
}

impl Seen<'_> {
    /// How often the model was asked.
    fn requests(&self) -> usize {
        let requests = self.outcome.requests_of(self.step).iter();
        requests.filter(|request| request.kind == Kind::Conversation).count()
    }

    /// What the model was told since it last said something.
    fn told(&self) -> String {
        let last = self.outcome.requests_of(self.step).last();
        let messages = last.and_then(|request| request.body["messages"].as_array());
        let messages = messages.into_iter().flatten().rev();
        let new = messages.take_while(|message| message["role"] != "assistant");
        new.map(Value::to_string).collect()
    }

    /// All that the client has printed.
    fn printed(&self) -> String {
        self.outcome.events_of(self.step).iter().map(Value::to_string).collect()
    }

    /// One of two things is to be so, and not both.
    fn either(is_refused: bool, has_gone_on: bool) -> Result<Policy> {
        match (is_refused, has_gone_on) {
            (true, false) => Ok(Policy::Block),
            (false, true) => Ok(Policy::Continue),
            both => anyhow::bail!("refused, and gone on: {both:?}"),
        }
    }
}

/// What a failed hook says where it refuses.
const REFUSED: &str = "refused, because the hook `strict` failed: ";

fn prompt(fault: &str) -> Vec<String> {
    vec![format!("prompt-{fault}")]
}

fn done(_: &str) -> Vec<Turn> {
    vec![Turn::text("Done."), Turn::text("Done, still.")]
}

fn touch(fault: &str) -> Vec<Turn> {
    let input = json!({"command": format!("touch ran-{fault}"), "description": "Touch"});
    vec![Turn::call("Bash", input), Turn::text("Done.")]
}

/// Events beside PreToolUse that a headless client comes to. What a hook on PermissionRequest lets go on, nobody is there
/// to be asked about: the client then refuses in words of its own.
const SCENES: &[Scene] = &[
    Scene {
        event: "UserPromptSubmit",
        said: prompt,
        turns: done,
        policy: |seen| {
            let is_known = seen.outcome.model_read().contains(&prompt(seen.fault)[0]);
            Seen::either(
                seen.requests() == 0 && !is_known && seen.printed().contains(REFUSED),
                seen.requests() == 1 && is_known,
            )
        },
    },
    Scene {
        event: "Stop",
        said: prompt,
        turns: done,
        policy: |seen| {
            let goes_on = seen.requests() == 2 && seen.told().contains(REFUSED);
            Seen::either(goes_on, seen.requests() == 1)
        },
    },
    Scene {
        event: "PreCompact",
        said: |fault| vec![format!("prompt-{fault}"), "/compact".to_owned()],
        turns: done,
        policy: |seen| {
            let asked = seen.outcome.requests_of(seen.step).len();
            let told = "Compaction blocked by PreCompact hook";
            Seen::either(asked == 0 && seen.printed().contains(told), asked == 1)
        },
    },
    Scene {
        event: "PermissionRequest",
        said: prompt,
        turns: touch,
        policy: |seen| {
            ensure!(!seen.project.exists(&format!("ran-{}", seen.fault)), "it ran");
            let told = seen.told();
            Seen::either(told.contains(REFUSED), told.contains("needs approval"))
        },
    },
    Scene {
        event: "TaskCreated",
        said: prompt,
        turns: |fault| {
            let input = json!({"subject": fault, "description": "D", "activeForm": "A"});
            vec![Turn::call("TaskCreate", input), Turn::text("Done.")]
        },
        policy: |seen| {
            let told = seen.told();
            Seen::either(told.contains(REFUSED), told.contains("created successfully"))
        },
    },
    Scene {
        event: "PostToolUse",
        said: prompt,
        turns: touch,
        policy: |seen| {
            let has_run = seen.project.exists(&format!("ran-{}", seen.fault));
            Seen::either(!has_run, has_run && seen.requests() == 2)
        },
    },
    Scene {
        event: "SessionStart",
        said: |fault| vec!["/clear".to_owned(), format!("prompt-{fault}")],
        turns: done,
        policy: |seen| Seen::either(seen.requests() == 0, seen.requests() == 1),
    },
    Scene {
        event: "ConfigChange",
        said: prompt,
        turns: |fault| {
            let read = Turn::call("Read", json!({"file_path": format!("{fault}.txt")}));
            vec![read, Turn::text("Done.")]
        },
        // The change denies the file.
        policy: |seen| {
            let told = seen.told();
            Seen::either(told.contains("the text of it"), told.contains("denied"))
        },
    },
];

/// Lets one event fail in each way, in one session; what did not hold.
fn play(client: &Path, faults: &Faults, scene: &Scene, hook: &str, policy: Policy) -> Result<Vec<String>> {
    let project = Project::new()?;
    // The hook alone, without the `onFailure` that `install` writes: its process has to see to it.
    let command = installed(faults.project.path(), hook)?;
    let entry = json!({"type": "command", "command": command, "args": [], "timeout": 1});
    let settings = json!({"hooks": {(scene.event): [{"hooks": [entry]}]}});
    project.write(".claude/settings.json", settings.to_string())?;
    project.write(".claude/settings.local.json", "{}")?;

    let mut session = Session::new(client, project.path())
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("ENABLE_TOOL_SEARCH", "0")
        .time_limit(Duration::from_secs(120))
        .reply("hello", [Turn::text("Hello.")])
        .reply(
            "CRITICAL: Respond with TEXT ONLY",
            [Turn::text("<summary>They said hello.</summary>")],
        );
    if scene.event != "PermissionRequest" {
        session = session.allow(&["Bash", "Read"]);
    }
    // The client is there, and knows its settings, when the first fault comes.
    let mut steps = vec![None];
    for fault in ONE_OF_EACH {
        project.write(&format!("{fault}.txt"), "the text of it\n")?;
        let said = (scene.said)(fault);
        session = said.iter().fold(session, |session, said| session.then(said));
        session = session.reply(&format!("prompt-{fault}"), (scene.turns)(fault));
        // After `/clear` comes a prompt that shows what became of it.
        let at = if scene.event == "SessionStart" {
            0
        } else {
            said.len() - 1
        };
        steps.extend((0..said.len()).map(|step| (step == at).then_some(*fault)));
    }
    let folder = project.path().to_owned();
    let changes_settings = scene.event == "ConfigChange";
    let strikes = steps.clone();
    let session = session.before_each(move |step| {
        let Some(fault) = strikes[step] else { return };
        // What cannot be written does not strike, which is found out.
        let _ = std::fs::write(folder.join("fault"), fault);
        if !changes_settings {
            return;
        }
        let deny = json!({"permissions": {"deny": [format!("Read({fault}.txt)")]}});
        let _ = std::fs::write(folder.join(".claude/settings.local.json"), deny.to_string());
        let struck = folder.join(format!("struck-{fault}"));
        for _ in 0..100 {
            if struck.exists() {
                // It may take its time, and the client applies the change afterwards.
                thread::sleep(Duration::from_secs(2));
                break;
            }
            thread::sleep(Duration::from_millis(100));
        }
    });
    let outcome = session.run("hello")?;

    let mut failed = Vec::new();
    for fault in ONE_OF_EACH {
        let step = steps
            .iter()
            .position(|step| *step == Some(fault))
            .context("it is said")?;
        let seen = Seen {
            outcome: &outcome,
            project: &project,
            fault,
            step: step + usize::from(scene.event == "SessionStart"),
        };
        let has_struck = project.exists(&format!("struck-{fault}"));
        let found = (scene.policy)(&seen).map_err(|err| format!("{err:#}"));
        if !has_struck || found != Ok(policy) {
            failed.push(format!(
                "{}, {hook}, {fault}: struck: {has_struck}; {found:?} after {} requests\n{}",
                scene.event,
                seen.requests(),
                seen.told()
            ));
        }
    }
    Ok(failed)
}

#[test]
fn the_client_heeds_the_policy_on_other_events() -> Result<()> {
    let Some(client) = client::require("the_client_heeds_the_policy_on_other_events") else {
        return Ok(());
    };
    let faults = Faults::new()?;
    let is_observed = |scene: &Scene| OBSERVED.iter().any(|name| name.starts_with(scene.event));
    let runs = SCENES.iter().flat_map(|scene| match is_observed(scene) {
        true => vec![(scene, "observer", Policy::Continue)],
        false => vec![(scene, "strict", Policy::Block), (scene, "lenient", Policy::Continue)],
    });
    let runs = Mutex::new(runs.collect::<Vec<_>>());
    let failed = Mutex::new(Vec::new());
    let work = || {
        while let Some((scene, hook, policy)) = { runs.lock().expect("a run").pop() } {
            let found = play(&client, &faults, scene, hook, policy);
            let found = found.unwrap_or_else(|err| vec![format!("{}, {hook}: {err:#}", scene.event)]);
            failed.lock().expect("a list").extend(found);
        }
    };
    // They wait more than they work. The longest comes first: a change of settings takes its time to be seen.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner()?;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
