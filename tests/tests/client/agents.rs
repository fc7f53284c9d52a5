//! Hooks in other agents, installed by `install --agent`. The rows are in tests/lines/agents.txt, one for all agents.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::agents::{AGENTS, Agent, Effect, Input, Part, Said, pairs};
use hookkit_tests::agents::AgentClient;
use hookkit_tests::xtask::{Ends, repository, text};
use hookkit_tests::{Project, Turn, faults, keyboard, workspace};
use serde_json::{Map, Value, json};
use test_support::lines::{Lines, Row};
use test_support::{git, lines};

/// The packs of this repository.
const PACKS: &str = "hookkit-guard hookkit-permission hookkit-quality hookkit-session";

fn rows() -> Lines<'static> {
    lines!("lines/agents.txt")
}

/// Returns the options with which hooks or packs are installed for an agent.
fn options<'o>(client: &'o AgentClient, hooks: &'o str) -> Result<Vec<&'o str>> {
    let agent = client.agent;
    // Not each agent has its event.
    let is_called = |hook: &&str| *hook != "greet" || agent.event("SessionStart").is_some();
    let option = |name: &'o str| [if name.starts_with("hookkit-") { "--pack" } else { "--hook" }, name];
    let hooks = hooks.split(' ').filter(is_called).flat_map(option);
    let project = match agent.file.of_user {
        Some(_) => Vec::new(),
        None => vec!["--project", text(client.project())?],
    };
    Ok(["install", "--agent", agent.id].into_iter().chain(project).chain(hooks).collect())
}

/// Returns `true` if hooks see a call of a tool afterwards.
fn has_calls_afterwards(agent: &Agent) -> bool {
    agent.event("PostToolUse").is_some()
}

/// Plays hooks in each of these agents, which trusts them, in a linked worktree with a few files.
fn played(
    test: &str,
    is_played: fn(&Agent) -> bool,
    hooks: &str,
    play: impl Fn(&AgentClient, &Project) -> Result<()>,
) -> Result<()> {
    let (workspace, rows) = (workspace::unoptimized()?, rows());
    for agent in AGENTS.iter().filter(|agent| is_played(agent)) {
        let project = Project::named("work")?;
        for row in &rows.section("files before").rows {
            project.write(&row.expected.concat(), filled(&project, &row.line))?;
        }
        for row in &rows.section("programs").rows {
            let path = row.expected.concat();
            project.write(&path, &row.line)?;
            fs::set_permissions(project.path().join(path), Permissions::from_mode(0o755))?;
        }
        project.git(&["add", "--force", "."])?;
        project.git(&["commit", "--quiet", "--message", "Start"])?;
        // The sessions are in a linked worktree.
        let main = project.path().with_file_name("main");
        fs::rename(project.path(), &main)?;
        git(&main, &["worktree", "add", "--quiet", "../work"]);
        let hooked = if agent.file.of_main { main.as_path() } else { project.path() };
        if agent.file.of_main {
            // Without the folder, it runs none of them.
            project.write(agent.file.path, "{}")?;
        }
        let Some(client) = AgentClient::require(agent, test, hooked, project.path())? else {
            continue;
        };
        if agent.server.is_some() && !keyboard::is_there(test) {
            continue;
        }
        let install = options(&client, hooks)?;
        let printed = client.xtask(workspace, &install)?.out(0)?;
        let (trust, _) = agent.trust.split_once(',').context("a clause")?;
        ensure!(printed.contains(trust), "{printed}");
        let is_whole = hooks == PACKS;
        if is_whole {
            let found = printed.lines().filter_map(|line| line.split_once(": left out, since"));
            let found: BTreeSet<&str> = found.flat_map(|(names, _)| names.split('`').skip(1).step_by(2)).collect();
            let expected = left_out(&rows, agent);
            let other: Vec<_> = found.symmetric_difference(&expected).collect();
            ensure!(other.is_empty(), "{}: {other:?}: {printed}", agent.name);
        }
        // Without trust, not one of them runs, and doctor says so: once is enough to see it.
        if client.asks_trust() && is_whole {
            let read = client.run(vec![bash(agent, &project, "cat .pgpass")?])?;
            ensure!(read[0].contains("opensesame"), "{}: {read:?}", agent.name);
        }
        let found = is_whole.then(|| client.doctor()).transpose()?;
        ensure!(client.trust(workspace, &install)?);
        if let Some(found) = found {
            let is_reported = found.iter().any(|code| code.contains("agent-does-not-trust"));
            ensure!(is_reported == agent.server.is_some() && client.doctor()?.is_empty(), "{found:?}");
        }
        play(&client, &project).with_context(|| agent.name)?;
    }
    Ok(())
}

/// Returns the hooks that `install` leaves out for an agent.
fn left_out<'r>(rows: &'r Lines, agent: &Agent) -> BTreeSet<&'r str> {
    let rows = rows.section("left out").rows.iter();
    let rows = rows.filter(|row| row.expected[0].split(' ').any(|id| ["all", agent.id].contains(&id)));
    rows.flat_map(|row| row.line.split(' ')).collect()
}

/// Returns a text of a row with its token and folders.
fn filled(project: &Project, text: &str) -> String {
    // It is split, so that repository scanners do not report it.
    let token = ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat();
    let main = project.path().with_file_name("main").display().to_string();
    text.replace("ghp_TOKEN", &token).replace("$MAIN", &main)
}

/// Returns a call in an agent's words; `None` if it has no such tool.
fn call(agent: &Agent, project: &Project, line: &str) -> Option<Turn> {
    let (name, input) = line.split_once(' ').expect("a tool and its input");
    let subagent = match agent.id {
        "droid" => "explorer",
        "gemini" => "codebase_investigator",
        _ => "explore",
    };
    let input = filled(project, input).replace("$SUBAGENT", subagent);
    let mut input: Map<String, Value> = serde_json::from_str(&input).expect("an input");
    let tool = agent.tools.iter().find(|tool| tool.names.contains(&name))?;
    let (own, key) = tool.model.split_once('.').unwrap_or((tool.model, ""));
    let Input::Keys(keys) = tool.input else {
        return Some(patch(agent, &written(&input)));
    };
    if let Some(path) = input.get_mut("file_path") {
        *path = project.path().join(path.as_str().expect("a path")).display().to_string().into();
    }
    for (own, key) in pairs(keys).chain([(key, "command")]) {
        if let Some(value) = input.remove(key) {
            input.insert(own.to_owned(), value);
        }
    }
    // Each requires other members, and only Kimi refuses those of the others.
    let others: &[&str] = match (agent.id, name) {
        ("kimi", "Bash" | "Agent") => &["description"],
        ("kimi", _) => &[],
        _ => &["description", "instruction", "name", "riskLevelReason", "summary"],
    };
    input.extend(others.iter().map(|key| (String::from(*key), "do it".into())));
    if agent.id != "kimi" {
        input.extend([("is_background".to_owned(), false.into()), ("riskLevel".to_owned(), "low".into())]);
    }
    Some(Turn::call(own, input.into()))
}

/// Returns a call of Write or Edit as a patch.
fn written(input: &Map<String, Value>) -> String {
    let lines = |sign: char, key: &str| {
        let text = input.get(key).and_then(Value::as_str).unwrap_or_default();
        text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    let file = input["file_path"].as_str().expect("a path");
    let change = match input.contains_key("content") {
        true => format!("Add File: {file}\n{}", lines('+', "content")),
        false => format!("Update File: {file}\n@@\n{}{}", lines('-', "old_string"), lines('+', "new_string")),
    };
    format!("*** Begin Patch\n*** {change}*** End Patch")
}

/// Returns a call of the agent's tool for patches.
fn patch(agent: &Agent, patch: &str) -> Turn {
    let of_patches = agent.tools.iter().find(|tool| matches!(tool.input, Input::Patch(_)));
    let model = of_patches.expect("a tool for patches").model;
    match model.split_once('.') {
        Some((own, key)) => Turn::call(own, json!({(key): patch})),
        None => Turn::call(model, patch.into()),
    }
}

fn bash(agent: &Agent, project: &Project, command: &str) -> Result<Turn> {
    call(agent, project, &format!("Bash {}", json!({"command": command}))).context("a shell")
}

/// Plays the calls of sections in one session, without those for which the agent lacks the hook, the tool, or, where a
/// row begins with an event, the way to say something to the model then. Returns everything that the model reads.
fn play(client: &AgentClient, project: &Project, sections: &[&str]) -> Result<String> {
    let (rows, agent) = (rows(), client.agent);
    let left_out = left_out(&rows, agent);
    let says = |row: &Row| match &row.expected[..] {
        [event, _, _] => agent.event(event).is_some_and(|event| event.said(Part::Context).is_some()),
        _ => true,
    };
    let rows = sections.iter().flat_map(|name| &rows.section(name).rows);
    let rows = rows.filter(|row| says(row) && !row.expected.iter().any(|name| left_out.contains(&**name)));
    let calls = rows.filter_map(|row| Some((row, call(agent, project, &row.line)?)));
    let (rows, calls): (Vec<&Row>, Vec<Turn>) = calls.unzip();
    let mut read = client.run(calls)?;
    let all = read.pop().context("a request")?;
    let mut wrong = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let output = read.get(at).map_or("", String::as_str);
        let (words, line) = (row.expected.last().context("words")?, &row.line);
        let is_read = if row.expected.len() == 3 { all.contains(words) } else { output.contains(words) };
        wrong.extend((!is_read).then(|| format!("{words}, {line}: {output}")));
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(all)
}

#[test]
fn agents_obey_each_hook_of_the_packs_and_run_the_rest() -> Result<()> {
    let test = "agents_obey_each_hook_of_the_packs_and_run_the_rest";
    played(
        test,
        |_| true,
        PACKS,
        |client, project| {
            let (rows, agent) = (rows(), client.agent);
            let left_out = left_out(&rows, agent);
            fs::rename(project.path().join("chezmoi"), client.programs().join("chezmoi"))?;
            let all = play(client, project, &["calls", "context"])?;
            for row in &rows.section("session").rows {
                let [event, hook] = row.fields();
                let is_said = agent.event(event).is_some_and(|event| !event.says.is_empty());
                let times = all.matches(&row.line).count();
                ensure!(times == usize::from(is_said), "{hook}: {times} times: {all}");
            }
            for row in &rows.section("files afterwards").rows {
                let [hook, path] = row.fields();
                let read = fs::read_to_string(project.path().join(path)).unwrap_or_default();
                ensure!(read == row.line || left_out.contains(hook), "{path}: {read}");
            }
            ensure!(project.read(".claude/audit/tool-calls.jsonl")?.contains("ls > listed.txt"), "no log of calls");
            ensure!(client.home().join(".local/state/hookkit/snapshots").is_dir(), "no snapshots");
            if !left_out.contains("block-secrets-in-prompts") {
                let err = client
                    .prompt(&filled(project, "Use ghp_TOKEN."), Vec::new())
                    .err()
                    .context("the model was asked")?;
                ensure!(err.to_string() == "a request", "{err:#}");
            }
            if keyboard::is_there(test) {
                let off = ["off", "deny-destruction", "--project", text(client.project())?];
                let typed = keyboard::run_command(&client.xtask(repository(), &off)?, str::to_owned)?;
                ensure!(typed.code == Some(0), "{}", typed.text);
                play(client, project, &["off"])?;
                let on = ["on", "deny-destruction", "--project", text(client.project())?];
                client.xtask(repository(), &on)?.out(0)?;
            }
            if agent.tools.iter().any(|tool| matches!(tool.input, Input::Patch(_))) {
                client.set_model("gpt-5");
                let patches = &rows.section("patched").rows;
                let read = client.run(patches.iter().map(|row| patch(agent, &row.line)).collect())?;
                for (row, read) in patches.iter().zip(read) {
                    ensure!(read.contains(&row.expected.concat()), "{}: {read}", row.line);
                }
                client.set_model("mock");
                ensure!(project.exists("patched.txt") && !project.exists("fine.txt") && !project.exists("Cargo.lock"));
            }
            // Another install keeps the trust, and a guard whose program is missing denies.
            ensure!(!client.trust(workspace::unoptimized()?, &options(client, PACKS)?)?);
            fs::remove_file(client.file().with_file_name("hookkit").join("fixture/bin/deny-destruction"))?;
            let read = client.run(vec![bash(agent, project, "ls > missing.txt")?])?;
            let is_explained = agent.failures.missing == Effect::GoesAhead || agent.failures.exit_2 == Effect::Denied;
            let is_reported = read[0].contains("bin/deny-destruction") || !is_explained;
            ensure!(is_reported && !project.exists("missing.txt"), "{}", read[0]);
            if agent.file.of_main {
                let install = ["install", "--agent", agent.id, "--project", text(project.path())?];
                let printed = client.xtask(workspace::unoptimized()?, &install)?.err(2)?;
                ensure!(printed.contains("runs the hooks of the main working tree there"), "{printed}");
            }
            for row in &rows.section("refused").rows {
                let install = options(client, &row.line)?;
                let printed = client.xtask(workspace::unoptimized()?, &install)?.err(2)?;
                ensure!(printed.contains(&row.expected.concat().replace("$NAME", agent.name)), "{printed}");
            }
            Ok(())
        },
    )
}

#[test]
fn agents_deny_on_each_fault_of_a_guard_and_go_on_without_an_adviser() -> Result<()> {
    let test = "agents_deny_on_each_fault_of_a_guard_and_go_on_without_an_adviser";
    for hook in ["guard", "doubter", "advisor"] {
        played(
            test,
            |_| true,
            hook,
            |client, project| {
                let mut faults = faults::in_the_handler();
                faults.push(("kill".to_owned(), String::new()));
                let call =
                    |(fault, _): &(String, String)| bash(client.agent, project, &format!(": {fault} > ran-{fault}"));
                let calls = faults.iter().map(call).collect::<Result<_>>()?;
                let is_explained = client.agent.failures.exit_2 == Effect::Denied;
                for ((fault, why), read) in faults.iter().zip(client.run(calls)?) {
                    let read = read.replace(r"\n", " ");
                    let has_reason = read.contains(why.trim()) || !is_explained;
                    // Copilot itself refuses a line with `kill`.
                    let has_run = project.exists(&format!("ran-{fault}")) || read.contains("Command not executed");
                    let is_denied = !has_run && has_reason;
                    ensure!(is_denied == (hook != "advisor"), "{hook}, {fault}: {read}");
                }
                Ok(())
            },
        )?;
    }
    Ok(())
}

#[test]
fn agents_go_on_after_each_fault_of_an_observer() -> Result<()> {
    let test = "agents_go_on_after_each_fault_of_an_observer";
    played(test, has_calls_afterwards, "observer", |client, project| {
        let faults = faults::in_the_handler();
        let call = |(fault, _): &(String, String)| {
            bash(client.agent, project, &format!("printf {fault} > fault; echo has run"))
        };
        let calls = faults.iter().map(call).collect::<Result<_>>()?;
        for ((fault, _), read) in faults.iter().zip(client.run(calls)?) {
            ensure!(read.contains("has run"), "{fault}: {read}");
            ensure!(project.exists(&format!("struck-{fault}")), "{fault}: the hook did not run");
        }
        Ok(())
    })
}

#[test]
fn agents_read_each_answer_that_their_tables_have() -> Result<()> {
    let test = "agents_read_each_answer_that_their_tables_have";
    let fixture = workspace::unoptimized()?;
    played(test, has_calls_afterwards, "complain", |client, project| play(client, project, &["blocked"]).map(|_| ()))?;
    played(test, has_calls_afterwards, "describe-edit greet strict", |client, project| {
        let (read, agent) = (play(client, project, &["fixture"])?, client.agent);
        for row in &rows().section("once").rows {
            let is_said = agent.event(&row.expected.concat()).is_some();
            ensure!(read.matches(&row.line).count() == usize::from(is_said), "{}: {read}", row.line);
        }
        // A fault of a hook that must hold blocks the end of the turn, and a prompt.
        if agent.event("Stop").is_some() {
            let has_reason = ["SIGABRT", "a hook of hookkit failed"].iter().any(|reason| read.contains(reason));
            ensure!(has_reason && project.exists("struck-abort"), "{read}");
        }
        project.write("fault", "abort")?;
        if agent.event("UserPromptSubmit").is_some() {
            let err = client.run(Vec::new()).err().context("the model was asked")?;
            ensure!(err.to_string() == "a request", "{err:#}");
        }
        project.write("fault", "")?;
        let after = agent.event("PostToolUse").context("it has tools")?;
        let install = options(client, "redact")?;
        if after.said(Part::Output).is_some() {
            client.xtask(fixture, &install)?.out(0)?;
            client.trust(fixture, &install)?;
            play(client, project, &["redacted"])?;
        } else {
            let printed = client.xtask(fixture, &install)?.err(2)?;
            let why = format!("{} cannot change the output of a call on PostToolUse", agent.name);
            ensure!(printed.contains(&why), "{printed}");
        }
        Ok(())
    })
}

#[test]
fn an_agent_that_reads_exit_codes_keeps_a_prompt_and_holds_a_turn() -> Result<()> {
    let test = "an_agent_that_reads_exit_codes_keeps_a_prompt_and_holds_a_turn";
    let fixture = workspace::unoptimized()?;
    let reads_exit_codes =
        |agent: &Agent| agent.event("Stop").and_then(|on| on.said(Part::Deny)) == Some(Said::ExitCode2);
    played(test, reads_exit_codes, "hold entitle", |client, _| {
        let read = client.run(Vec::new())?.concat();
        for text in ["not yet", "it has a title"] {
            ensure!(read.matches(text).count() == 1, "{text}: {read}");
        }
        client.xtask(fixture, &options(client, "drop-prompt")?)?.out(0)?;
        let err = client.run(Vec::new()).err().context("the model was asked")?;
        ensure!(err.to_string() == "a request", "{err:#}");
        Ok(())
    })
}
