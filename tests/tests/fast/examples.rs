//! The examples of `docs/book/src/events.md`, run as processes: each does something that the client acts on.

use hookkit::testing::{Action, End, Ran, Verdict};
use hookkit_protocol::event::{EVENTS, event};
use hookkit_tests::faults::{recorded, run_piped};
use hookkit_tests::prelude::*;

/// A recorded event, changed so that its example has something to do, and a look at what became of it.
struct Case {
    recorded: &'static str,
    changes: Value,
    look: fn(&Verdict, &Path) -> bool,
}

fn case(recorded: &'static str, changes: Value, look: fn(&Verdict, &Path) -> bool) -> Case {
    Case { recorded, changes, look }
}

/// Returns whether the model reads a text.
fn reads(verdict: &Verdict, text: &str) -> bool {
    verdict.model_reads.iter().any(|message| message.text.contains(text))
}

/// Returns whether the user sees a text.
fn sees(verdict: &Verdict, text: &str) -> bool {
    verdict.user_sees.iter().any(|message| message.text.contains(text))
}

/// Returns whether the answer has this effect.
fn has(verdict: &Verdict, member: &str, text: &str) -> bool {
    let mut effects = verdict.effects.iter();
    effects.any(|effect| effect.member == member && effect.value.text().contains(text))
}

/// Returns whether a file of the project has a text.
fn holds(project: &Path, file: &str, text: &str) -> bool {
    fs::read_to_string(project.join(file)).is_ok_and(|found| found.contains(text))
}

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    let none = || json!({});
    vec![
        case("PreToolUse-Bash", json!({"tool_input": {"command": "git push"}}), |verdict, _| verdict.action == Action::Denied),
        case("PostToolUse-Write", json!({"tool_input": {"file_path": "/a.rs", "content": ""}}), |verdict, _| reads(verdict, "run the tests")),
        case("PostToolUseFailure-Bash", json!({"error": "Exit code 127\nfmt: command not found"}), |verdict, _| reads(verdict, "make tools")),
        case("PostToolBatch-Bash", json!({"tool_calls": vec![json!({"tool_name": "Glob", "tool_input": {}, "tool_use_id": "a", "tool_response": "b"}); 6]}), |verdict, _| reads(verdict, "summarize your findings")),
        case("Notification-idle_prompt", none(), |verdict, _| has(verdict, "terminalSequence", "waiting for your input")),
        case("UserPromptSubmit", json!({"prompt": "-----BEGIN KEY-----"}), |verdict, _| verdict.action == Action::Denied),
        case("UserPromptExpansion-slash_command", json!({"command_name": "release", "command_args": ""}), |verdict, _| verdict.action == Action::Denied),
        case("SessionStart-startup", none(), |verdict, _| reads(verdict, "The toolchain is 1.0.")),
        case("SessionEnd-other", none(), |_, project| !project.join(".scratch/00000000-0000-4000-8000-000000000001").exists() && project.join(".scratch").exists()),
        case("Stop", none(), |verdict, _| verdict.action == Action::KeepsGoing && reads(verdict, "CHANGELOG.md")),
        case("StopFailure-rate_limit", none(), |_, project| holds(project, "last-limit.txt", "rate_limit")),
        case("SubagentStart-general-purpose", none(), |verdict, _| reads(verdict, "CONTRIBUTING.md")),
        case("SubagentStop-general-purpose", json!({"agent_type": "Explore", "last_assistant_message": "found it"}), |verdict, _| verdict.action == Action::KeepsGoing && reads(verdict, "name the files")),
        case("PreCompact-manual", json!({"transcript_path": "PROJECT/log.jsonl"}), |_, project| holds(project, "log.bak", "said")),
        case("PostCompact-manual", none(), |_, project| holds(project, ".claude/summary.md", "They said hello.")),
        case("PreModelSwitch-sdk", json!({"estimated_cache_write_usd": 2.5}), |verdict, _| verdict.action == Action::Denied && sees(verdict, "$2.50")),
        case("PostModelSwitch-sdk", json!({"source": "auto"}), |verdict, _| reads(verdict, "read the plan again")),
        case("PermissionRequest-Bash", json!({"tool_input": {"command": "cargo test"}}), |verdict, _| verdict.action == Action::Allowed),
        case("PermissionDenied-Bash", json!({"tool_input": {"command": "cargo build"}}), |verdict, _| has(verdict, "retry", "true")),
        case("Setup-init", none(), |_, project| holds(project, "variables", "PROJECT_TOOLS")),
        case("TeammateIdle-mate", none(), |verdict, _| verdict.action == Action::KeepsGoing && reads(verdict, "TODO.md")),
        case("TaskCreated", json!({"task_subject": "Improve it"}), |verdict, _| verdict.action == Action::Denied && reads(verdict, "describe the result")),
        case("TaskCompleted", none(), |verdict, _| verdict.action == Action::Denied && reads(verdict, "target/failing.txt")),
        case("Elicitation-form", json!({"message": "A survey?"}), |verdict, _| verdict.action == Action::Answered("decline".to_owned())),
        case("ElicitationResult-form", none(), |verdict, _| verdict.action == Action::Answered("decline".to_owned())),
        case("ConfigChange-local_settings", none(), |verdict, _| verdict.action == Action::Denied),
        case("WorktreeCreate", none(), |verdict, _| matches!(&verdict.action, Action::CreatedAt(path) if Path::new(path).join("a.txt").exists())),
        case("WorktreeRemove", json!({"worktree_path": "PROJECT/worktree"}), |_, project| !project.join("worktree").exists()),
        case("InstructionsLoaded-include", none(), |_, project| holds(project, "instructions.txt", "more.md")),
        case("CwdChanged", none(), |_, project| holds(project, "variables", "SUBPROJECT")),
        case("FileChanged-change", json!({"file_path": "PROJECT/Makefile"}), |verdict, _| sees(verdict, "have changed")),
        case("DirectoryAdded-slash_command", json!({"directory": "PROJECT/worktree"}), |verdict, _| reads(verdict, "CONTRIBUTING.md first")),
        case("MessageDisplay", json!({"delta": "It is ghp_secret."}), |verdict, _| has(verdict, "displayContent", "It is [token]")),
        case("PreSkillShellCommand-Bash", json!({"tool_input": {"command": "git push"}, "command_source": "plugin"}), |verdict, _| verdict.action == Action::Denied),
    ]
}

/// Makes a project with what the examples look for in one: a repository of git with one commit, and some files.
fn project() -> Result<tempfile::TempDir> {
    let folder = test_support::folder();
    let project = folder.path().join("project");
    let files = [
        ("a.txt", "a\n"),
        ("rust-toolchain", "1.0"),
        ("TODO.md", "more\n"),
        ("log.jsonl", "said\n"),
        ("variables", ""),
        ("target/failing.txt", "one\n"),
        ("worktree/CONTRIBUTING.md", "rules\n"),
        (".claude/settings.json", "{}"),
        (".scratch/00000000-0000-4000-8000-000000000001/a", ""),
    ];
    for (path, text) in files {
        let path = project.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        fs::write(path, text)?;
    }
    for arguments in [&["init", "-q"][..], &["add", "a.txt"], &["commit", "-qm", "First"]] {
        test_support::git(&project, arguments);
    }
    Ok(folder)
}

#[test]
fn the_example_of_each_event_does_something_that_the_client_acts_on() -> Result<()> {
    let hooks = workspace::installed("page-hooks")?;
    let mut shown = Vec::new();
    for case in cases() {
        let (name, look) = (case.recorded, case.look);
        let folder = project()?;
        let project = folder.path().join("project");
        let (event, payload) = recorded(name, &project)?;
        let mut payload: Value = serde_json::from_str(&payload)?;
        let changes = case.changes.to_string().replace("PROJECT", text(&project)?);
        let changes: Value = serde_json::from_str(&changes)?;
        let fields = payload.as_object_mut().context("an event is an object")?;
        fields.extend(changes.as_object().context("changes are an object")?.clone());
        let mut hook = Command::new(installed(hooks.path(), &format!("page-{}", event.name.to_lowercase()))?);
        hook.current_dir(&project)
            .env("CLAUDE_PROJECT_DIR", &project)
            .env("CLAUDE_ENV_FILE", project.join("variables"));
        let output = run_piped(hook, payload.to_string().as_bytes())?;
        let ran = Ran::ended(output.status.code().map_or(End::Killed, End::Exited))
            .stdout(output.stdout.clone())
            .stderr(String::from_utf8_lossy(&output.stderr).into_owned());
        let verdict = Verdict::of(event, &ran);
        ensure!(output.status.code() == Some(0), "{}: {output:?}", event.name);
        ensure!(verdict.dropped.is_empty(), "{}: {verdict}", event.name);
        ensure!(look(&verdict, &project), "{}: {output:?}\n{verdict}", event.name);
        shown.push(event);
    }
    let all: Vec<_> = EVENTS.iter().filter_map(|known| event(known.name)).collect();
    ensure!(shown == all, "each event has a case: {shown:?}");
    Ok(())
}
