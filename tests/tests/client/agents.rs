//! Hooks in other agents, installed by `install --agent`. The rows are in tests/lines, a file for each agent.

use std::fs;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::agents::{AGENTS, Agent, Effect, Part, Said};
use hookkit_tests::agents::AgentClient;
use hookkit_tests::xtask::{Ends, repository, text};
use hookkit_tests::{Project, Turn, faults, keyboard, workspace};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::{Lines, Row};

/// Returns the rows of an agent.
fn rows(agent: &Agent) -> Result<Lines<'static>> {
    match agent.id {
        "codex" => Ok(lines!("lines/codex.txt")),
        "copilot" => Ok(lines!("lines/copilot.txt")),
        "droid" => Ok(lines!("lines/droid.txt")),
        "gemini" => Ok(lines!("lines/gemini.txt")),
        "kimi" => Ok(lines!("lines/kimi.txt")),
        "opencode" => Ok(lines!("lines/opencode.txt")),
        "qwen" => Ok(lines!("lines/qwen.txt")),
        id => anyhow::bail!("no rows of {id}"),
    }
}

/// Returns the options with which hooks are installed for an agent.
fn options<'o>(agent: &'o Agent, project: &'o Project, hooks: &'o str) -> Result<Vec<&'o str>> {
    // Not each agent has their events.
    let events = [("mark-instructions", "PostToolUse"), ("hold", "Stop"), ("greet", "SessionStart")];
    let is_called = |hook: &&str| {
        let mut events = events.iter().filter(|(name, _)| name == hook);
        events.all(|(_, event)| agent.event(event).is_some())
    };
    let hooks = hooks.split(' ').filter(is_called).flat_map(|hook| ["--hook", hook]);
    let project = match agent.file.of_user {
        Some(_) => Vec::new(),
        None => vec!["--project", text(project.path())?],
    };
    Ok(["install", "--agent", agent.id].into_iter().chain(project).chain(hooks).collect())
}

/// Returns `true` if hooks see a call of a tool afterwards.
fn has_calls_afterwards(agent: &Agent) -> bool {
    agent.event("PostToolUse").is_some()
}

/// Plays hooks in each of these agents, which trusts them, in a repository with a few files.
fn played(
    test: &str,
    is_played: fn(&Agent) -> bool,
    hooks: &str,
    play: impl Fn(&AgentClient, &Project) -> Result<()>,
) -> Result<()> {
    let workspace = workspace::unoptimized()?;
    for agent in AGENTS.iter().filter(|agent| is_played(agent)) {
        let project = Project::new()?;
        project.git(&["init", "-q", "-b", "main"])?;
        project.write("a.txt", "one\ntwo\nthree\n")?;
        project.write(".env", "KEY=opensesame\n")?;
        let Some(client) = AgentClient::require(agent, test, project.path())? else {
            continue;
        };
        if agent.server.is_some() && !keyboard::is_there(test) {
            continue;
        }
        let install = options(agent, &project, hooks)?;
        let printed = client.xtask(workspace, &install)?.out(0)?;
        let (trust, _) = agent.trust.split_once(',').context("a clause")?;
        ensure!(printed.contains(trust), "{printed}");
        // Without trust, not one of them runs, and doctor says so: once is enough to see it.
        let is_looked_at = hooks.contains("protect-secrets");
        if client.asks_trust() && is_looked_at {
            let read = client.run(vec![exec(agent, "cat .env")])?;
            ensure!(read[0].contains("KEY=opensesame"), "{}: {read:?}", agent.name);
        }
        let found = is_looked_at.then(|| client.doctor()).transpose()?;
        ensure!(client.trust(workspace, &install)?);
        if let Some(found) = found {
            let is_reported = found.iter().any(|code| code.contains("agent-does-not-trust"));
            ensure!(is_reported == agent.server.is_some() && client.doctor()?.is_empty(), "{found:?}");
        }
        play(&client, &project).with_context(|| agent.name)?;
    }
    Ok(())
}

/// Returns the call of a row: a command, a patch, or a tool and its input.
fn call(agent: &Agent, project: &Project, line: &str) -> Turn {
    // It is split, so that repository scanners do not report it.
    let token = ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat();
    let line = line.replace("ghp_TOKEN", &token);
    let line = line.replace("$PROJECT", &project.path().display().to_string());
    if let Some(patch) = line.strip_prefix("patch ") {
        return Turn::call("apply_patch", Value::from(patch));
    }
    match line.split_once(" {") {
        Some((tool, input)) => Turn::call(tool, serde_json::from_str(&format!("{{{input}")).expect("an input")),
        None => exec(agent, &line),
    }
}

fn exec(agent: &Agent, command: &str) -> Turn {
    let (tool, key) = agent.tools[0].model.split_once('.').expect("a key");
    // Each requires other members, and only Kimi refuses those of the others.
    let others = json!({"is_background": false, "summary": "run", "riskLevel": "low", "riskLevelReason": "none"});
    let mut input = json!({(key): command, "description": "Run it"});
    if let (Some(input), Some(others)) = (input.as_object_mut(), others.as_object().filter(|_| agent.id != "kimi")) {
        input.extend(others.clone());
    }
    Turn::call(tool, input)
}

/// Plays the calls of a section, and checks the output that the model reads of each. Returns all that it reads.
fn play(client: &AgentClient, project: &Project, section: &str) -> Result<String> {
    let rows = rows(client.agent)?;
    let rows = &rows.section(section).rows;
    let calls = rows.iter().map(|row| call(client.agent, project, &row.line));
    let mut read = client.run(calls.collect())?;
    for (at, Row { line, expected, .. }) in rows.iter().enumerate() {
        ensure!(read[at].contains(&expected.concat()), "{line}: {}", read[at]);
    }
    read.pop().context("a request")
}

#[test]
fn agents_obey_each_denial_of_the_guards_and_run_the_rest() -> Result<()> {
    let test = "agents_obey_each_denial_of_the_guards_and_run_the_rest";
    let hooks =
        "deny-destruction protect-secrets protect-files deny-secrets keep-git-hooks protect-branches mark-instructions";
    played(
        test,
        |_| true,
        hooks,
        |client, project| {
            play(client, project, "guards")?;
            ensure!(project.exists("new.txt") && !project.exists("other.txt") && !project.exists("Cargo.lock"));
            ensure!(project.read("a.txt")? == "one\n2\nthree\n");
            if keyboard::is_there(test) {
                let off = ["off", "deny-destruction", "--project", text(project.path())?];
                let typed = keyboard::run_command(&client.xtask(repository(), &off)?, str::to_owned)?;
                ensure!(typed.code == Some(0), "{}", typed.text);
                play(client, project, "off")?;
                let on = ["on", "deny-destruction", "--project", text(project.path())?];
                client.xtask(repository(), &on)?.out(0)?;
            }
            if rows(client.agent)?.sections.iter().any(|section| section.name == "patched") {
                client.set_model("gpt-5");
                play(client, project, "patched")?;
                client.set_model("mock");
                ensure!(project.exists("patched.txt") && !project.exists("fine.txt") && !project.exists("Cargo.lock"));
            }
            // Another install keeps the trust, and a guard whose program is missing denies.
            ensure!(!client.trust(workspace::unoptimized()?, &options(client.agent, project, hooks)?)?);
            fs::remove_file(client.file().with_file_name("hookkit").join("fixture/bin/deny-destruction"))?;
            play(client, project, "missing")?;
            for row in &rows(client.agent)?.section("refused").rows {
                let install = options(client.agent, project, &row.line)?;
                let printed = client.xtask(workspace::unoptimized()?, &install)?.err(2)?;
                ensure!(printed.contains(&row.expected.concat()), "{printed}");
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
            |client, _| {
                let mut faults = faults::in_the_handler();
                faults.push(("kill".to_owned(), String::new()));
                let calls = faults.iter().map(|(fault, _)| exec(client.agent, &format!(": {fault}")));
                // What the model reads of a command that runs.
                let rows = rows(client.agent)?;
                let ran = rows.section("guards").rows[0].expected.concat();
                let is_explained = client.agent.failures.exit_2 == Effect::Denied;
                for ((fault, why), read) in faults.iter().zip(client.run(calls.collect())?) {
                    let read = read.replace(r"\n", " ");
                    let has_reason = read.contains(why.trim()) || !is_explained;
                    // Copilot itself refuses a line with `kill`.
                    let has_run = read.contains(&ran) || read.contains("Command not executed");
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
        let calls = faults.iter().map(|(fault, _)| exec(client.agent, &format!("printf {fault} > fault")));
        let rows = rows(client.agent)?;
        let ran = rows.section("guards").rows[0].expected.concat();
        for ((fault, _), read) in faults.iter().zip(client.run(calls.collect())?) {
            ensure!(read.contains(&ran), "{fault}: {read}");
            ensure!(project.exists(&format!("struck-{fault}")), "{fault}: the hook did not run");
        }
        Ok(())
    })
}

#[test]
fn agents_read_each_answer_that_their_tables_have() -> Result<()> {
    let test = "agents_read_each_answer_that_their_tables_have";
    let fixture = workspace::unoptimized()?;
    played(test, has_calls_afterwards, "complain", |client, project| play(client, project, "blocked").map(|_| ()))?;
    played(test, has_calls_afterwards, "describe-edit hold greet", |client, project| {
        let read = play(client, project, "fixture")?;
        let rows = rows(client.agent)?;
        for row in &rows.section("once").rows {
            ensure!(read.matches(&row.line).count() == 1, "{}: {read}", row.line);
        }
        let after = client.agent.event("PostToolUse").context("it has tools")?;
        if after.said(Part::Output).is_some() {
            let install = options(client.agent, project, "redact")?;
            client.xtask(fixture, &install)?.out(0)?;
            client.trust(fixture, &install)?;
            play(client, project, "redacted")?;
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
    played(test, reads_exit_codes, "hold entitle", |client, project| {
        let read = client.run(Vec::new())?.concat();
        for text in ["not yet", "it has a title"] {
            ensure!(read.matches(text).count() == 1, "{text}: {read}");
        }
        client.xtask(fixture, &options(client.agent, project, "drop-prompt")?)?.out(0)?;
        let err = client.run(Vec::new()).err().context("the model was asked")?;
        ensure!(err.to_string() == "a request", "{err:#}");
        Ok(())
    })
}
