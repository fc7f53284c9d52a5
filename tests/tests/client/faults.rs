//! The client honors the `on_failure` of a hook that fails, whatever the fault.

use hookkit::OnFailure;
use hookkit_tests::DebugLog;
use hookkit_tests::api::RequestKind;
use hookkit_tests::faults::{self, OBSERVED, in_the_handler};
use hookkit_tests::prelude::*;

#[test]
fn the_client_honors_on_failure_for_every_fault() -> Result<()> {
    let client = client!("the_client_honors_on_failure_for_every_fault");
    let settings = faults::project()?.read(".claude/settings.json")?;
    for (hook, is_denied) in [("guard", true), ("doubter", true), ("advisor", false)] {
        let project = Project::new()?;
        // Only this hook, at its own path. The client's timeout is much longer than the hook's deadline: on a busy
        // machine the start of a process can take longer than the usual difference of a tenth of a second.
        let mut alone: Value = serde_json::from_str(&settings)?;
        let command: PathBuf = installed(faults::project()?.path(), hook)?;
        alone["hooks"] = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": command, "args": [], "timeout": 3},
        ]}]});
        project.write(".claude/settings.json", alone.to_string())?;
        let mut session = Session::new(&client, project.path()).allow(&["Bash"]);
        for (fault, _) in in_the_handler() {
            let command = format!(": {fault} ; touch {fault}");
            session = session.turn(Turn::bash(&command));
        }
        session.go()?;
        for (fault, _) in in_the_handler() {
            assert_eq!(project.exists(&fault), !is_denied, "{hook}, {fault}");
        }
    }
    Ok(())
}

/// An MCP server that answers permission requests for the user: it allows another command, `touch approved-FAULT`.
const APPROVES: &str = include_str!("../../fixtures/sources/approves.sh");

/// The permission rules allow the calls, and `onFailure: "block"` denies them.
#[test]
fn on_failure_ask_asks_the_user() -> Result<()> {
    let client = client!("on_failure_ask_asks_the_user");
    // After the last of them, SIGKILL, a hook cannot ask.
    let faults = ["error", "panic", "exit", "abort", "sleep", "term", "kill"];
    let settings: Value = serde_json::from_str(&faults::project()?.read(".claude/settings.json")?)?;
    for (hook, has_user) in [("doubter", true), ("doubter", false), ("guard", true)] {
        let command = installed(faults::project()?.path(), hook)?;
        let entries = settings["hooks"]["PreToolUse"].as_array().context("entries")?;
        let is_of_hook = |entry: &&Value| {
            let command = entry["hooks"][0]["command"].as_str();
            command.is_some_and(|command| command.ends_with(&format!("/{hook}")))
        };
        let mut entry = entries.iter().find(is_of_hook).cloned().context("an entry")?;
        let blocks = entry["hooks"][0]["onFailure"] == "block";
        assert_eq!(blocks, hook == "doubter", "{entry}");
        entry["hooks"][0]["command"] = json!(command);
        entry["hooks"][0]["timeout"] = json!(3);

        let project = Project::new()?;
        let content = json!({"hooks": {"PreToolUse": [entry]}}).to_string();
        project.write(".claude/settings.json", content)?;
        project.write("server.sh", APPROVES)?;
        let server = json!({"mcpServers": {"user": {"command": "sh", "args": [project.path().join("server.sh")]}}});
        let mut session =
            Session::new(&client, project.path()).allow(&["Bash"]).arguments(&["--mcp-config", &server.to_string()]);
        if has_user {
            session = session.arguments(&["--permission-prompt-tool", "mcp__user__approve"]);
        }
        for fault in faults {
            let input = json!({"command": format!(": {fault} ; touch ran-{fault}"), "description": "Fail"});
            session = session.turn(Turn::call("Bash", input));
        }
        let outcome = session.go()?;
        for fault in faults {
            let can_ask = hook == "doubter" && fault != "kill";
            let name = format!("{hook}, {fault}, a user: {has_user}");
            let is_approved = project.exists(&format!("approved-{fault}"));
            assert_eq!(is_approved, can_ask && has_user, "{name}");
            // Without `onFailure`, the tool runs if a hook is killed.
            let has_run = project.exists(&format!("ran-{fault}"));
            assert_eq!(has_run, hook == "guard" && fault == "kill", "{name}");
        }
        let question = "asked, because the hook `doubter` failed: ";
        let is_shown_to_model = outcome.model_read().contains(question);
        let is_unanswered = hook == "doubter" && !has_user;
        assert_eq!(is_shown_to_model, is_unanswered, "{hook}, a user: {has_user}");
    }
    Ok(())
}

/// Faults of each kind: the handler returns an error, ends the process, or never returns.
const ONE_OF_EACH: &[&str] = &["error", "panic", "exit", "abort", "overflow", "sleep", "hung-child", "term"];

/// An event that a session raises, once for each fault.
struct Scene {
    event: &'static str,
    /// Prompts for a fault, which happens on the last of them.
    prompts: fn(&str) -> Vec<String>,
    /// Turns of the model.
    turns: fn(&str) -> Vec<Turn>,
    /// The policy that was applied; an error if it was neither.
    policy: fn(&Seen<'_>) -> Result<OnFailure>,
}

/// The observations of one fault.
struct Seen<'s> {
    outcome: &'s Outcome,
    project: &'s Project,
    fault: &'s str,
    step: usize,
}

impl Seen<'_> {
    /// Returns the number of requests to the model.
    fn requests(&self) -> usize {
        let requests = self.outcome.requests_of(self.step).iter();
        requests.filter(|request| request.kind == RequestKind::Conversation).count()
    }

    /// Returns the messages to the model since its last one.
    fn messages(&self) -> String {
        let last = self.outcome.requests_of(self.step).last();
        let messages = last.and_then(|request| request.body["messages"].as_array());
        let messages = messages.into_iter().flatten().rev();
        let new = messages.take_while(|message| message["role"] != "assistant");
        new.map(Value::to_string).collect()
    }

    /// Returns all that the client has printed.
    fn printed(&self) -> String {
        self.outcome.events_of(self.step).iter().map(Value::to_string).collect()
    }

    /// Returns the policy by the one condition that is true; an error if both or neither are.
    fn either(is_denied: bool, has_continued: bool) -> Result<OnFailure> {
        match (is_denied, has_continued) {
            (true, false) => Ok(OnFailure::Block),
            (false, true) => Ok(OnFailure::Continue),
            both => anyhow::bail!("(denied, continued): {both:?}"),
        }
    }
}

/// The reason that a failed hook prints when it denies.
const DENIED: &str = "denied, because the hook `strict` failed: ";

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

/// Events other than PreToolUse that a headless client raises. If a hook on PermissionRequest does not decide, there is
/// no user to ask: the client then denies with its own message.
const SCENES: &[Scene] = &[
    Scene {
        event: "UserPromptSubmit",
        prompts: prompt,
        turns: done,
        policy: |seen| {
            let is_known = seen.outcome.model_read().contains(&prompt(seen.fault)[0]);
            Seen::either(
                seen.requests() == 0 && !is_known && seen.printed().contains(DENIED),
                seen.requests() == 1 && is_known,
            )
        },
    },
    Scene {
        event: "Stop",
        prompts: prompt,
        turns: done,
        policy: |seen| {
            let is_held = seen.requests() == 2 && seen.messages().contains(DENIED);
            Seen::either(is_held, seen.requests() == 1)
        },
    },
    Scene {
        event: "PreCompact",
        prompts: |fault| vec![format!("prompt-{fault}"), "/compact".to_owned()],
        turns: done,
        policy: |seen| {
            let requests = seen.outcome.requests_of(seen.step).len();
            let denial = "Compaction blocked by PreCompact hook";
            Seen::either(requests == 0 && seen.printed().contains(denial), requests == 1)
        },
    },
    Scene {
        event: "PermissionRequest",
        prompts: prompt,
        turns: touch,
        policy: |seen| {
            ensure!(!seen.project.exists(&format!("ran-{}", seen.fault)), "it ran");
            let messages = seen.messages();
            Seen::either(messages.contains(DENIED), messages.contains("needs approval"))
        },
    },
    Scene {
        event: "TaskCreated",
        prompts: prompt,
        turns: |fault| {
            let input = json!({"subject": fault, "description": "D", "activeForm": "A"});
            vec![Turn::call("TaskCreate", input), Turn::text("Done.")]
        },
        policy: |seen| {
            let messages = seen.messages();
            Seen::either(messages.contains(DENIED), messages.contains("created successfully"))
        },
    },
    Scene {
        event: "PostToolUse",
        prompts: prompt,
        turns: touch,
        policy: |seen| {
            let has_run = seen.project.exists(&format!("ran-{}", seen.fault));
            Seen::either(!has_run, has_run && seen.requests() == 2)
        },
    },
    Scene {
        event: "SessionStart",
        prompts: |fault| vec!["/clear".to_owned(), format!("prompt-{fault}")],
        turns: done,
        policy: |seen| Seen::either(seen.requests() == 0, seen.requests() == 1),
    },
    Scene {
        event: "ConfigChange",
        prompts: prompt,
        turns: |fault| {
            let read = Turn::call("Read", json!({"file_path": format!("{fault}.txt")}));
            vec![read, Turn::text("Done.")]
        },
        // The new settings deny reading the file.
        policy: |seen| {
            let messages = seen.messages();
            Seen::either(messages.contains("the text of it"), messages.contains("denied"))
        },
    },
];

/// Makes a hook fail on one event in each way, in one session, and returns the faults whose outcome is wrong.
fn play(client: &Path, scene: &Scene, hook: &str, policy: OnFailure) -> Result<Vec<String>> {
    let project = Project::new()?;
    // Only this hook, without the `onFailure` that `install` writes: its process has to apply the policy.
    let command = installed(faults::project()?.path(), hook)?;
    // The client's timeout is much longer than the hook's deadline, for busy machines.
    let entry = json!({"type": "command", "command": command, "args": [], "timeout": 3});
    let settings = json!({"hooks": {(scene.event): [{"hooks": [entry]}]}});
    project.write(".claude/settings.json", settings.to_string())?;
    project.write(".claude/settings.local.json", "{}")?;

    let mut session = Session::new(client, project.path())
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("ENABLE_TOOL_SEARCH", "0")
        .time_limit(Duration::from_secs(120))
        .reply("hello", [Turn::text("Hello.")])
        .reply("CRITICAL: Respond with TEXT ONLY", [Turn::text("<summary>They said hello.</summary>")]);
    if scene.event != "PermissionRequest" {
        session = session.allow(&["Bash", "Read"]);
    }
    // The client has started, and read its settings, before the first fault.
    let mut steps = vec![None];
    for fault in ONE_OF_EACH {
        project.write(&format!("{fault}.txt"), "the text of it\n")?;
        let prompts = (scene.prompts)(fault);
        session = prompts.iter().fold(session, |session, prompt| session.then(prompt));
        session = session.reply(&format!("prompt-{fault}"), (scene.turns)(fault));
        // The prompt after `/clear` shows the effect of the fault.
        let at = if scene.event == "SessionStart" { 0 } else { prompts.len() - 1 };
        steps.extend((0..prompts.len()).map(|step| (step == at).then_some(*fault)));
    }
    let folder = project.path().to_owned();
    let changes_settings = scene.event == "ConfigChange";
    let fault_at = steps.clone();
    let log = DebugLog::new()?;
    let session = session.debug_log(&log);
    let session = session.before_each(move |step| {
        let Some(fault) = fault_at[step] else { return };
        // If the file cannot be written, there is no fault, and the check below fails.
        let _ = fs::write(folder.join("fault"), fault);
        if !changes_settings {
            return;
        }
        let deny = json!({"permissions": {"deny": [format!("Read({fault}.txt)")]}});
        // The check also fails if the client does not detect the change.
        let _ = log.change_local_settings(&folder, &deny.to_string());
    });
    let outcome = session.run("hello")?;

    let mut failed = Vec::new();
    for fault in ONE_OF_EACH {
        let step = steps.iter().position(|step| *step == Some(fault)).context("a step for each fault")?;
        let seen = Seen {
            outcome: &outcome,
            project: &project,
            fault,
            step: step + usize::from(scene.event == "SessionStart"),
        };
        let has_happened = project.exists(&format!("struck-{fault}"));
        let found = (scene.policy)(&seen).map_err(|err| format!("{err:#}"));
        if !has_happened || found != Ok(policy) {
            failed.push(format!(
                "{}, {hook}, {fault}: happened: {has_happened}; {found:?} after {} requests\n{}",
                scene.event,
                seen.requests(),
                seen.messages()
            ));
        }
    }
    Ok(failed)
}

#[test]
fn the_client_honors_on_failure_on_other_events() -> Result<()> {
    let client = client!("the_client_honors_on_failure_on_other_events");
    let is_observed = |scene: &Scene| OBSERVED.iter().any(|name| name.starts_with(scene.event));
    let runs = SCENES.iter().flat_map(|scene| match is_observed(scene) {
        true => vec![(scene, "observer", OnFailure::Continue)],
        false => vec![(scene, "strict", OnFailure::Block), (scene, "lenient", OnFailure::Continue)],
    });
    // The sessions mostly wait. The longest comes first: the client detects a change of settings slowly.
    let mut runs: Vec<_> = runs.collect();
    let request = SCENES.iter().find(|scene| scene.event == "PermissionRequest");
    runs.extend(request.map(|scene| (scene, "asked", OnFailure::Continue)));
    runs.reverse();
    parallel::each(4, runs, |(scene, hook, policy)| {
        let failed = play(&client, scene, hook, policy).with_context(|| format!("{}, {hook}", scene.event))?;
        ensure!(failed.is_empty(), "{}", failed.join("\n"));
        Ok(())
    })
}
