//! The audit of a session has each decision, and is joined with the transcript and with the client's own events.

use std::sync::mpsc;

use hookkit_tests::audit::{attributes, audited};
use hookkit_tests::managed::Managed;
use hookkit_tests::prelude::*;
use tiny_http::{Response, Server};

/// Returns all objects with attributes in a message.
fn records(message: &Value, found: &mut Vec<Value>) {
    match message {
        Value::Object(members) if members.contains_key("timeUnixNano") => found.push(message.clone()),
        Value::Object(members) => members.values().for_each(|value| records(value, found)),
        Value::Array(values) => values.iter().for_each(|value| records(value, found)),
        _ => {}
    }
}

#[test]
fn each_decision_is_joined_with_the_transcript_and_with_the_events_of_the_client() -> Result<()> {
    let client = client!("each_decision_is_joined_with_the_transcript_and_with_the_events_of_the_client");
    let (project, state, config) = (Project::new()?, test_support::folder(), test_support::folder());
    let path = text(project.path())?;
    let install = ["install", "--project", path, "--hook", "guard", "--audit"];
    command(unoptimized()?, &install)?.env("XDG_STATE_HOME", state.path()).out(0)?;

    let server = Server::http("127.0.0.1:0").map_err(|err| anyhow::anyhow!("{err}"))?;
    let address = format!("http://{}", server.server_addr());
    let (sent, received) = mpsc::channel();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            for mut request in server.incoming_requests() {
                let mut body = String::new();
                let _ = request.as_reader().read_to_string(&mut body);
                let _ = sent.send(body);
                let _ = request.respond(Response::from_string("{}"));
            }
        });
        let call = |line: &str| ("Bash", json!({"command": line, "description": "Run it"}));
        let outcome = Session::new(&client, project.path())
            .allow(&["Bash"])
            .config_dir(config.path())
            .env("CLAUDE_CODE_ENABLE_TELEMETRY", "1")
            .env("OTEL_LOGS_EXPORTER", "otlp")
            .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &address)
            .env("OTEL_LOGS_EXPORT_INTERVAL", "100")
            .turn(Turn::calls([call("true"), call(": error"), call("pwd")]))
            .turn(Turn::text("Done."))
            .run("begin");
        server.unblock();
        outcome
    })?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());

    let lines = audited(state.path())?;
    let decisions: Vec<_> = lines.iter().map(|line| &*line["hookkit.decision"]).collect();
    assert_eq!((lines.len(), decisions.iter().filter(|word| **word == "deny").count()), (3, 1), "{decisions:?}");
    let transcripts = files::below(&config.path().join("projects"), &|_| false)?;
    let transcript = transcripts.iter().find(|path| path.extension().is_some_and(|it| it == "jsonl"));
    let transcript = transcript.context("a transcript")?;
    let rows = rows(&fs::read_to_string(transcript)?)?;
    let mut events = Vec::new();
    for body in received.try_iter() {
        records(&serde_json::from_str(&body)?, &mut events);
    }
    let events = events.iter().map(attributes).collect::<Result<Vec<_>>>()?;
    for line in &lines {
        let id = &line["tool_use_id"];
        assert_eq!(transcript.file_stem().and_then(|name| name.to_str()), Some(&*line["session.id"]));
        let blocks = rows.iter().filter_map(|row| row["message"]["content"].as_array()).flatten();
        let blocks: Vec<_> = blocks.filter(|block| block["id"] == **id || block["tool_use_id"] == **id).collect();
        let [call, result] = blocks[..] else { bail!("{id}: {blocks:?}") };
        assert_eq!(line["tool_input"], call["input"].to_string());
        let read = result["content"].as_str().context("a result")?;
        if let Some(reason) = line.get("hookkit.reason") {
            read.has(reason);
        }
        let named = events.iter().filter(|event| event.get("tool_use_id") == Some(id));
        ensure!(named.clone().count() > 0, "{id}: {events:?}");
        for event in named {
            if event["event.name"] == "tool_decision" {
                assert_eq!(event["decision"] == "reject", line["hookkit.decision"] == "deny", "{event:?}");
            }
            assert_eq!(event["session.id"], line["session.id"]);
        }
    }
    Ok(())
}

#[test]
fn hooks_of_managed_settings_write_below_the_home_folder_of_the_account() -> Result<()> {
    const NAME: &str = "hooks_of_managed_settings_write_below_the_home_folder_of_the_account";
    let client = client!(NAME);
    let Some(machine) = Managed::new()? else {
        skip(NAME, "no namespaces for users");
        return Ok(());
    };
    let (project, staging, home) = (Project::new()?, test_support::folder(), test_support::folder());
    let scope = ["--scope", "managed", "--staging", text(staging.path())?];
    command(unoptimized()?, &[&["install", "--hook", "guard", "--audit"], &scope[..]].concat())?.out(0)?;
    let copied =
        Command::new("cp").arg("-a").arg(staging.path().join("etc/claude-code")).arg(machine.etc()).status()?;
    ensure!(copied.success());
    let passwd = machine.etc().join("passwd");
    fs::write(&passwd, format!("root:x:0:0::{}:/bin/sh\n", home.path().display()))?;
    // A project that says where its user's files are.
    let elsewhere = project.path().join("state");
    let env = json!({"HOME": project.path(), "XDG_STATE_HOME": elsewhere});
    project.write(".claude/settings.json", json!({"env": env}).to_string())?;
    let outcome = Session::new(&machine.program(&client)?, project.path())
        .allow(&["Bash"])
        .turn(Turn::bash("true"))
        .turn(Turn::bash(": error"))
        .go()?;
    let lines = audited(&home.path().join(".local/state"))?;
    let decisions: Vec<_> = lines.iter().map(|line| &*line["hookkit.decision"]).collect();
    assert_eq!(decisions, ["none", "deny"], "{}", outcome.tool_results().concat());
    assert!(!elsewhere.exists() && !project.exists(".local"));
    Ok(())
}
