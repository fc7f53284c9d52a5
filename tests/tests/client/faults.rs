//! The client honors the policy of a hook that fails, whatever the fault.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::OnFailure;
use hookkit_tests::faults::{self, IN_THE_HANDLER, OBSERVED};
use hookkit_tests::mock::Kind;
use hookkit_tests::xtask::installed;
use hookkit_tests::{DebugLog, Outcome, Project, Session, Turn, client, parallel};
use serde_json::{Value, json};

#[test]
fn the_client_heeds_the_policy_whatever_the_fault() -> Result<()> {
    let Some(client) = client::require("the_client_heeds_the_policy_whatever_the_fault") else {
        return Ok(());
    };
    let settings = faults::project()?.read(".claude/settings.json")?;
    for (hook, is_refused) in [("guard", true), ("doubter", true), ("advisor", false)] {
        let project = Project::new()?;
        // Its hooks alone, at their own path. The client has more patience than the hook has time: a machine that is
        // busy with tests may take longer to start a process than the tenth of a second that lies between them.
        let mut alone: Value = serde_json::from_str(&settings)?;
        let command: PathBuf = installed(faults::project()?.path(), hook)?;
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

/// Answers the client's questions for the user: yes, to a command of its own.
const APPROVES: &str = r#"id() { printf '%s' "$1" | sed -n 's/.*"id":\([0-9]*\).*/\1/p'; }
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while IFS= read -r line; do
    case $line in
    *'"method":"initialize"'*)
        say "$(id "$line")" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"user","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        say "$(id "$line")" '{"tools":[{"name":"approve","description":"Asks","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
        fault=$(printf '%s' "$line" | sed 's/.*": \([a-z]*\) ;.*/\1/')
        say "$(id "$line")" '{"content":[{"type":"text","text":"{\"behavior\":\"allow\",\"updatedInput\":{\"command\":\"touch approved-'"$fault"'\",\"description\":\"Touch\"}}"}]}' ;;
    *'"id":'*)
        say "$(id "$line")" '{}' ;;
    esac
done
"#;

/// By the permission rules the calls would run, and by `onFailure: "block"` they would be refused.
#[test]
fn a_guard_that_fails_has_the_user_asked() -> Result<()> {
    let Some(client) = client::require("a_guard_that_fails_has_the_user_asked") else {
        return Ok(());
    };
    // The last of them leaves a hook no time to ask.
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
        project.write(
            ".claude/settings.json",
            json!({"hooks": {"PreToolUse": [entry]}}).to_string(),
        )?;
        project.write("server.sh", APPROVES)?;
        let server = json!({"mcpServers": {"user": {"command": "sh", "args": [project.path().join("server.sh")]}}});
        let mut session = Session::new(&client, project.path())
            .allow(&["Bash"])
            .arguments(&["--mcp-config", &server.to_string()]);
        if has_user {
            session = session.arguments(&["--permission-prompt-tool", "mcp__user__approve"]);
        }
        for fault in faults {
            let input = json!({"command": format!(": {fault} ; touch ran-{fault}"), "description": "Fail"});
            session = session.turn(Turn::call("Bash", input));
        }
        let outcome = session.turn(Turn::text("Done.")).run("go")?;
        for fault in faults {
            let can_ask = hook == "doubter" && fault != "kill";
            let name = format!("{hook}, {fault}, a user: {has_user}");
            let is_approved = project.exists(&format!("approved-{fault}"));
            assert_eq!(is_approved, can_ask && has_user, "{name}");
            // Without `onFailure` the client goes on where a hook is killed.
            let has_run = project.exists(&format!("ran-{fault}"));
            assert_eq!(has_run, hook == "guard" && fault == "kill", "{name}");
        }
        let question = "asked, because the hook `doubter` failed: ";
        let told = outcome.model_read().matches(question).count();
        let nobody_asked = hook == "doubter" && !has_user;
        assert_eq!(told > 0, nobody_asked, "{hook}, a user: {has_user}");
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
    policy: fn(&Seen<'_>) -> Result<OnFailure>,
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
    fn either(is_refused: bool, has_gone_on: bool) -> Result<OnFailure> {
        match (is_refused, has_gone_on) {
            (true, false) => Ok(OnFailure::Block),
            (false, true) => Ok(OnFailure::Continue),
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
fn play(client: &Path, scene: &Scene, hook: &str, policy: OnFailure) -> Result<Vec<String>> {
    let project = Project::new()?;
    // The hook alone, without the `onFailure` that `install` writes: its process has to see to it.
    let command = installed(faults::project()?.path(), hook)?;
    // The client has more patience than the hook has time, for the sake of a busy machine.
    let entry = json!({"type": "command", "command": command, "args": [], "timeout": 3});
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
    let log = DebugLog::new()?;
    let session = session.debug_log(&log);
    let session = session.before_each(move |step| {
        let Some(fault) = strikes[step] else { return };
        // What cannot be written does not strike, which is found out.
        let _ = std::fs::write(folder.join("fault"), fault);
        if !changes_settings {
            return;
        }
        let deny = json!({"permissions": {"deny": [format!("Read({fault}.txt)")]}});
        // A change that the client does not see strikes nobody, either.
        let _ = log.change_local_settings(&folder, &deny.to_string());
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
    let is_observed = |scene: &Scene| OBSERVED.iter().any(|name| name.starts_with(scene.event));
    let runs = SCENES.iter().flat_map(|scene| match is_observed(scene) {
        true => vec![(scene, "observer", OnFailure::Continue)],
        false => vec![
            (scene, "strict", OnFailure::Block),
            (scene, "lenient", OnFailure::Continue),
        ],
    });
    // They wait more than they work. The longest comes first: a change of settings takes its time to be seen.
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
