//! Recorded transcripts of the real client tell what was said and done.

use hookkit::transcript::{Block, Row, Transcript};
use hookkit_tests::prelude::*;
use hookkit_tests::transcript::{call, calls};

/// A transcript that was recorded from client 2.1.330, and cut to what matters.
fn recorded(name: &str) -> Result<Transcript> {
    let folder = repository().join("tests/fixtures/transcripts");
    Ok(Transcript::open(folder.join(name).with_extension("jsonl"))?)
}

#[test]
fn a_recorded_session_is_read() -> Result<()> {
    let session = recorded("session")?;
    assert_eq!(session.last_assistant_text()?.as_deref(), Some("The end."));
    assert_eq!(session.last_prompt()?.as_deref(), Some("third prompt"));
    let found = calls(&session)?;
    assert_eq!(found, [call("Bash", false, "hello"), call("Bash", true, "Exit code 3")]);
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
    let Some(Row::System(boundary)) =
        rows.iter().find(|row| matches!(row, Row::System(system) if system.subtype == "compact_boundary"))
    else {
        panic!("the conversation was compacted")
    };
    assert_eq!(boundary.parent_uuid.as_ref(), None);
    assert_eq!(boundary.content.as_deref(), Some("Conversation compacted"));
    let Some(Row::User(first)) = rows.get(1) else { panic!("{rows:?}") };
    assert_eq!(first.cwd, Path::new("/home/user/project"));
    assert_eq!(first.version.as_str(), "2.1.330");
    assert_eq!(first.git_branch.as_deref(), Some("main"));
    assert_eq!(first.timestamp.as_str(), "2026-01-01T00:00:00.250Z");
    Ok(())
}

#[test]
fn a_background_task_starts_a_turn_and_is_not_a_prompt() -> Result<()> {
    let session = recorded("background")?;
    let expected = [
        call("Bash", false, "hello"),
        call("Bash", true, "Exit code 3\noops"),
        call("Read", false, "1\tone\n2\t"),
        call("Read", false, ""),
        call("Agent", false, "Async agent launched successfully."),
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
    let Some(Row::Result(result)) = printed.rows().next_back().transpose()? else { panic!("the run ended") };
    assert_eq!(result.subtype.as_str(), "success");
    assert_eq!(result.result.as_deref(), Some("(end of script)"));
    assert_eq!(result.num_turns, 1);
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
