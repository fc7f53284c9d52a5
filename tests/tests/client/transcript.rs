//! A new transcript of the real client is read like the recorded ones.

use hookkit::tool;
use hookkit::transcript::{Row, Transcript};
use hookkit_tests::prelude::*;
use hookkit_tests::transcript::{call, calls};

#[test]
fn new_transcripts_are_read() -> Result<()> {
    let client = client!("new_transcripts_are_read");
    let (project, config) = (Project::new()?, test_support::folder());
    let bash = |command: &str| json!({"command": command, "description": "Run it"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .config_dir(config.path())
        .turn(Turn::bash("echo hello"))
        .turn(Turn::calls([("Bash", bash("sleep 0.2; echo größer")), ("Bash", bash("echo oops >&2; exit 3"))]))
        .turn(Turn::text("All is done."))
        .run("do what is to be done")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());

    let expected =
        [call("Bash", false, "hello"), call("Bash", false, "größer"), call("Bash", true, "Exit code 3\noops")];
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

    // The client's output has the same content.
    let printed: String = outcome.events().iter().map(|event: &Value| format!("{event}\n")).collect();
    project.write("printed.jsonl", printed)?;
    let printed = Transcript::open(project.path().join("printed.jsonl"))?;
    assert_eq!(printed.last_assistant_text()?.as_deref(), Some("All is done."));
    assert_eq!(calls(&printed)?, expected);
    Ok(())
}

/// Returns the path of the only transcript in the client's folder.
pub(crate) fn transcript_below(projects: &Path) -> Result<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(projects)? {
        for entry in fs::read_dir(folder?.path())? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    ensure!(found.len() == 1, "expected one transcript: {found:?}");
    Ok(found.remove(0))
}
