//! Transcripts that the real client wrote tell what was said and done: recorded ones, and one of a session of now.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit::tool;
use hookkit::transcript::{Block, Row, ToolCall, Transcript};
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::{Value, json};

/// A transcript that was recorded from client 2.1.330, and cut to what matters.
fn recorded(name: &str) -> Result<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
    Ok(Transcript::open(folder.join(name).with_extension("jsonl"))?)
}

/// What the calls were, whether they failed, and what the model was told.
fn calls(transcript: &Transcript) -> Result<Vec<(String, bool, String)>> {
    let call = |call: ToolCall| -> Result<_> {
        let outcome = call.outcome.context("the call has an outcome")?;
        Ok((call.name, outcome.is_error, outcome.text()))
    };
    transcript.tool_calls().map(|item| call(item?)).collect()
}

fn is(name: &str, is_error: bool, text: &str) -> (String, bool, String) {
    (name.to_owned(), is_error, text.to_owned())
}

#[test]
fn a_recorded_session_is_read() -> Result<()> {
    let session = recorded("session")?;
    assert_eq!(session.last_assistant_text()?.as_deref(), Some("The end."));
    assert_eq!(session.last_prompt()?.as_deref(), Some("third prompt"));
    assert_eq!(
        calls(&session)?,
        [is("Bash", false, "hello"), is("Bash", true, "Exit code 3")]
    );
    assert!(session.this_turn()?.tool_calls().next().is_none());
    // Four replies; neither the API's error nor the summary is one.
    let usage = session.usage()?;
    assert_eq!((usage.input_tokens, usage.output_tokens), (40, 20));

    let rows: Vec<Row> = session.rows().collect::<Result<_, _>>()?;
    let backwards: Vec<Row> = session.rows().rev().collect::<Result<_, _>>()?;
    assert!(backwards.iter().rev().eq(&rows));
    let count = |is: fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    assert_eq!(count(|row| matches!(row, Row::Assistant(_))), 9);
    assert_eq!(count(|row| matches!(row, Row::User(user) if user.is_prompt())), 4);
    assert_eq!(count(|row| matches!(row, Row::Attachment(_))), 2);
    assert_eq!(count(|row| matches!(row, Row::Other(_))), 3);
    let Some(Row::System(boundary)) = rows
        .iter()
        .find(|row| matches!(row, Row::System(system) if system.subtype == "compact_boundary"))
    else {
        panic!("the conversation was compacted")
    };
    assert_eq!(
        (boundary.parent_uuid.as_ref(), boundary.content.as_deref()),
        (None, Some("Conversation compacted"))
    );
    let Some(Row::User(first)) = rows.get(1) else {
        panic!("{rows:?}")
    };
    assert_eq!(first.cwd, Path::new("/home/user/project"));
    assert_eq!(
        (
            first.version.as_str(),
            first.git_branch.as_deref(),
            first.timestamp.as_str()
        ),
        ("2.1.330", Some("main"), "2026-01-01T00:00:00.250Z")
    );
    Ok(())
}

#[test]
fn a_background_task_starts_a_turn_and_is_no_prompt() -> Result<()> {
    let session = recorded("background")?;
    let expected = [
        is("Bash", false, "hello"),
        is("Bash", true, "Exit code 3\noops"),
        is("Read", false, "1\tone\n2\t"),
        is("Read", false, ""),
        is("Agent", false, "Async agent launched successfully."),
    ];
    assert_eq!(calls(&session)?, expected);
    assert_eq!(session.last_prompt()?.as_deref(), Some("go"));
    assert_eq!(session.this_turn()?.rows().count(), 2);
    let image = session.tool_calls().rev().nth(1).context("a call")??;
    let content = image.outcome.context("an outcome")?.content;
    assert!(matches!(content[..], [Block::Image { .. }]));

    // What was printed of the same session. It has no prompts.
    let printed = recorded("stream")?;
    assert_eq!(calls(&printed)?, expected);
    assert_eq!(printed.last_assistant_text()?, session.last_assistant_text()?);
    let Some(Row::Result(result)) = printed.rows().next_back().transpose()? else {
        panic!("the run ended")
    };
    assert_eq!(
        (result.subtype.as_str(), result.result.as_deref(), result.num_turns),
        ("success", Some("(end of script)"), 1)
    );
    Ok(())
}

#[test]
fn a_subagent_has_a_transcript_of_its_own() -> Result<()> {
    let agent = recorded("agent")?;
    assert_eq!(agent.last_prompt()?.as_deref(), Some("say hi"));
    assert_eq!(agent.last_assistant_text()?.as_deref(), Some("All is done."));
    assert!(agent.rows().all(|row| row.is_ok_and(|row| row.is_sidechain())));
    Ok(())
}

#[test]
fn what_the_client_writes_now_is_read() -> Result<()> {
    let Some(client) = client::require("what_the_client_writes_now_is_read") else {
        return Ok(());
    };
    let (project, config) = (Project::new()?, tempfile::tempdir()?);
    let bash = |command: &str| json!({"command": command, "description": "Run it"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .config_dir(config.path())
        .turn(Turn::call("Bash", bash("echo hello")))
        .turn(Turn::calls([
            ("Bash", bash("sleep 0.2; echo größer")),
            ("Bash", bash("echo oops >&2; exit 3")),
        ]))
        .turn(Turn::text("All is done."))
        .run("do what is to be done")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());

    let expected = [
        is("Bash", false, "hello"),
        is("Bash", false, "größer"),
        is("Bash", true, "Exit code 3\noops"),
    ];
    let session = Transcript::open(transcript_below(&config.path().join("projects"))?)?;
    assert_eq!(session.last_assistant_text()?.as_deref(), Some("All is done."));
    assert_eq!(session.last_prompt()?.as_deref(), Some("do what is to be done"));
    assert_eq!(calls(&session)?, expected);
    assert_eq!(calls(&session.this_turn()?)?, expected);
    assert_eq!(session.usage()?.output_tokens, 15);
    let first = session.tool_calls().next().context("a call")??;
    assert_eq!(first.input.decode::<tool::Bash>()?.command, "echo hello");
    let response = first.outcome.context("an outcome")?.response.context("a response")?;
    assert_eq!(response.decode::<tool::BashResponse>()?.stdout, "hello");
    for row in session.rows() {
        assert!(!matches!(row?, Row::Broken(_)));
    }

    // The same from what it printed.
    let printed: String = outcome
        .events()
        .iter()
        .map(|event: &Value| format!("{event}\n"))
        .collect();
    project.write("printed.jsonl", printed)?;
    let printed = Transcript::open(project.path().join("printed.jsonl"))?;
    assert_eq!(printed.last_assistant_text()?.as_deref(), Some("All is done."));
    assert_eq!(calls(&printed)?, expected);
    Ok(())
}

/// The one transcript of a session in the client's folder.
fn transcript_below(projects: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(projects)? {
        for entry in fs::read_dir(folder?.path())? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    ensure!(found.len() == 1, "not one transcript, but {found:?}");
    Ok(found.remove(0))
}
