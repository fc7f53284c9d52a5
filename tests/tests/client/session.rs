//! The pack *session* in one session of the real client.

use hookkit_tests::prelude::*;

use crate::hooks::install;

/// Programs that are not installed here. Scripts in their place log their arguments in `PROGRAM.asked`.
const PROGRAMS: [(&str, &str); 2] = [("chezmoi", "echo /source/dot_rc"), ("notify-send", "")];

/// An MCP server that asks the user. There is no answer, which raises a notification.
const SERVER: &str = include_str!("../../fixtures/verdict/server.sh");

#[test]
fn the_hooks_of_a_session_run() -> Result<()> {
    let client = client!("the_hooks_of_a_session_run");
    let (project, tools) = (Project::new()?, Project::new()?);
    for (program, script) in PROGRAMS {
        let script = format!("#!/bin/sh\necho \"$@\" >> \"$0.asked\"\n{script}\n");
        files::program(tools.path().join(program), script)?;
    }
    project.write("notes.txt", "")?;
    install(&project, &["git-context", "chezmoi-reminder", "keep-transcript", "notify"])?;
    tools.write("server.sh", SERVER)?;
    let server = json!({"mcpServers": {"srv": {"command": "sh", "args": [tools.path().join("server.sh")]}}});
    let file = project.path().join("rc");
    let outcome = Session::new(&client, project.path())
        .allow(&["Write", "mcp__srv"])
        .arguments(&["--mcp-config", &server.to_string()])
        .env("ENABLE_TOOL_SEARCH", "0")
        .path_first(tools.path())
        .turn(Turn::call("mcp__srv__ask", json!({})))
        .turn(Turn::call("Write", json!({"file_path": file, "content": "a = 1\n"})))
        .turn(Turn::text("Done."))
        .turn(Turn::text("<summary>They wrote a file.</summary>"))
        .then("/compact")
        .run("go")?;

    let read = outcome.model_read();
    let reminder = format!("run `chezmoi re-add {}`", file.display());
    read.has("On branch `main`, which has no commits yet.");
    read.has("- untracked: notes.txt");
    read.has(&reminder);
    let found = tools.read("chezmoi.asked")?;
    assert_eq!(found, format!("--no-tty source-path -- {}\n", file.display()));
    let notified = tools.read("notify-send.asked")?;
    notified.ends("Elicitation response for server \"srv\": cancel\n");

    let copies = project.path().join(".claude/transcripts");
    let names = files::names(&copies);
    let name = names.iter().find(|name| name.ends_with(".jsonl")).context("a copy")?;
    let copy = fs::read_to_string(copies.join(name))?;
    copy.has(&reminder);
    copy.lacks("They wrote a file");
    Ok(())
}
