//! One session of the real client, where it is installed: hooks that `install` put into a project decide about its calls.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::install;

#[test]
fn an_installed_guard_is_obeyed_by_the_client() -> Result<()> {
    let client = client!("an_installed_guard_is_obeyed_by_the_client");
    let project = Project::new()?;
    install("sabotage-hooks", &project)?;
    let settings = project.path().join(".claude/settings.json");
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "Read"])
        .turn(Turn::bash("touch ran"))
        .turn(Turn::call("Read", json!({"file_path": settings})))
        .go()?;
    let results = outcome.tool_results();
    assert_eq!(results[0], "PreToolUse:Bash hook error: it is guarded");
    assert!(results[1].contains("plain-guard"), "{results:?}");
    assert!(!project.exists("ran"));
    Ok(())
}
