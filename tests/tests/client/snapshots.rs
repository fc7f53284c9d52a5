//! Snapshots in the real client: a file that a command deletes comes back.

use hookkit_tests::prelude::*;

use crate::hooks::install;

#[test]
fn an_untracked_file_that_a_command_deletes_comes_back() -> Result<()> {
    let client = client!("an_untracked_file_that_a_command_deletes_comes_back");
    let (project, state) = (Project::new()?, test_support::folder());
    project.write("notes/untracked.txt", "only here\n")?;
    install(&project, &["keep-snapshots"])?;
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .env("XDG_STATE_HOME", state.path())
        .turn(Turn::call(
            "Bash",
            json!({"command": "rm -r notes", "description": "Remove it"}),
        ))
        .turn(Turn::call(
            "Bash",
            json!({"command": "touch new", "description": "Make it"}),
        ))
        .go()?;
    assert_eq!(outcome.tool_results().len(), 2);
    assert!(!project.path().join("notes").exists());
    let xtask = |arguments: &[&str]| -> Result<String> {
        let mut command = command(project.path(), arguments)?;
        command.env("XDG_STATE_HOME", state.path()).out(0)
    };
    let rows = xtask(&["snapshots", "--json"])?;
    let rows: Vec<Value> = rows.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let call = rows
        .iter()
        .find(|row| row["about"] == "rm -r notes")
        .context("the call")?;
    assert_eq!(call["changed"], json!(["notes/untracked.txt"]));
    xtask(&["snapshots", "restore", &call["number"].to_string(), "notes"])?;
    assert_eq!(project.read("notes/untracked.txt")?, "only here\n");
    // The prompt is found in the transcript of the real client.
    let mut bisect = command(project.path(), &["bisect", "test ! -e new", "--json"])?;
    let found: Value = serde_json::from_str(&bisect.env("XDG_STATE_HOME", state.path()).out(1)?)?;
    assert_eq!(found["calls"][0]["call"]["about"], "touch new");
    assert!(found["calls"][0]["prompt"].is_string(), "{found}");
    Ok(())
}
