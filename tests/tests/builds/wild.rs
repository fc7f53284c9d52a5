//! `examples/wild-hooks`, rewritten public hooks, in a session of the client.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::example;

use crate::recipes::test_and_install;

#[test]
fn the_rewritten_hooks_work_in_the_client() -> Result<()> {
    let client = client::require("the_rewritten_hooks_work_in_the_client");
    let (stage, project) = (Stage::with_xtask()?, Project::new()?);
    example("wild-hooks", &stage.app())?;
    test_and_install(&stage, &project)?;
    let Some(client) = client else { return Ok(()) };
    project.write("tests/a.py", "def test_a(): pass\n")?;
    project.write("pyproject.toml", "")?;
    project.write(".claude/ralph-loop.local.md", "turns: 5\npromise: ALL DONE\n\nGo on\n")?;
    let new = json!({"file_path": project.path().join("a.py"), "content": "a = 1\n"});
    let outcome = Session::new(&client, project.path())
        // Without the hook, these rules would not match a command with a comment at the top.
        .allow(&["Bash(printenv:*)", "Bash(rm:*)", "Write"])
        .turn(Turn::bash("# Which session is it?\nprintenv CLAUDE_SESSION_ID"))
        .turn(Turn::bash("rm -r tests"))
        .turn(Turn::call("Write", new))
        .turn(Turn::text("Done."))
        .turn(Turn::text("ALL DONE."))
        .run("go")?;
    let results = outcome.tool_results();
    let session = outcome.events()[0]["session_id"].clone();
    assert_eq!(Some(&*results[0]), session.as_str(), "{results:?}");
    assert!(results[1].contains("this removes tests"), "{results:?}");
    assert!(project.exists("tests/a.py"));
    let edits = project.read(".claude/edits.jsonl")?;
    edits.has(r#""file":"a.py""#);
    edits.has("&& ruff check");
    // The loop has read the promise in the reply with which the turn ended.
    assert!(outcome.model_read().contains("Go on") && !project.exists(".claude/ralph-loop.local.md"));
    Ok(())
}
