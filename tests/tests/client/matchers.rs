//! The client starts the hooks that their matchers and conditions promise.

use std::collections::BTreeSet;

use anyhow::Result;
use hookkit_protocol::event::PRE_TOOL_USE;
use hookkit_protocol::matcher::Matcher;
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::json;

/// Conditions, and on which of Bash (`true`), Write and Edit (both of a `.txt`) a hook with them runs.
///
/// The attribute refuses those that run on nothing, and those that leave a tool of the matcher out.
const CONDITIONS: [(&str, &[&str]); 13] = [
    ("Bash", &["Bash"]),
    ("Bash(true)", &["Bash"]),
    ("Bash(false)", &[]),
    ("Write(*.txt)", &["Write"]),
    ("Edit(*.txt)", &["Edit"]),
    ("Edit|Write", &[]),
    ("Bash(true)|Bash(false)", &[]),
    ("Edit(*.txt), Write(*.txt)", &[]),
    ("bash(true)", &[]),
    ("Bash(true", &[]),
    ("Bash(true))", &[]),
    ("MultiEdit", &[]),
    ("mcp__files", &[]),
];

#[test]
fn a_condition_is_one_rule_of_one_tool() -> Result<()> {
    let Some(client) = client::require("a_condition_is_one_rule_of_one_tool") else {
        return Ok(());
    };
    let project = Project::new()?;
    let handlers: Vec<_> = CONDITIONS
        .iter()
        .enumerate()
        .map(|(number, (condition, _))| json!({"type": "command", "if": condition, "command": tell(number)}))
        .collect();
    project.write(
        ".claude/settings.json",
        json!({"hooks": {"PreToolUse": [{"hooks": handlers}]}}).to_string(),
    )?;
    project.write("a.txt", "one\n")?;
    let file = project.path().join("a.txt");
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "Read", "Write", "Edit"])
        .turn(Turn::call("Read", json!({"file_path": file})))
        .turn(Turn::call("Bash", json!({"command": "true", "description": "Run it"})))
        .turn(Turn::call(
            "Write",
            json!({"file_path": project.path().join("b.txt"), "content": "new\n"}),
        ))
        .turn(Turn::call(
            "Edit",
            json!({"file_path": file, "old_string": "one", "new_string": "two"}),
        ))
        .turn(Turn::text("Done."))
        .run("go")?;
    assert_eq!(
        project.read("a.txt")?,
        "two\n",
        "each call ran: {:?}",
        outcome.tool_results()
    );
    let fired = project.read("fired.txt")?;
    for (number, (condition, tools)) in CONDITIONS.iter().enumerate() {
        let ran: Vec<&str> = fired
            .lines()
            .filter_map(|line| line.strip_prefix(&format!("{number} ")))
            .collect();
        assert_eq!(ran, *tools, "`{condition}`");
    }
    Ok(())
}

/// A shell command that writes down its number and the tool that is called.
fn tell(number: usize) -> String {
    format!(r#"sed -n 's/.*"tool_name":"\([A-Za-z]*\)".*/{number} \1/p' >>"$CLAUDE_PROJECT_DIR/fired.txt""#)
}

/// The matchers that were tried by hand, and a few that an engine may read in its own way.
#[rustfmt::skip]
const TRIED: [&str; 60] = [
    "", "*", ".*", "Edit|Write", "Edit|Write ", "Edit | Write", "Edit,Write", "Edit, Write", "Edit|Write|", " Bash",
    "Bash|", "Bash Read", "|", "edit", "EDIT", "bash.*", "Ba", "ash", "Notebook", "echo", "my-srv", "mcp", "Ba*",
    "Bas.", "a.h", "^Bash$", "Bash$", "^Ba", "[B]ash", "(Bash)", "Edit|Write.*", "Notebook.*", "Bash|^Read$",
    "^(?!Bash)", "(", "*Bash", "!Bash", "Bash(true)", "Bash(*)", "Task", "Agent", "MultiEdit", "mcp__srv",
    "mcp__srv__.*", "mcp__.*", "mcp__srv|Write", "Write|mcp__srv__echo",
    r"^[^\W_]{4}$", r"^(.)(?!.*\1)", "(?<=E)dit", "Bash{", "Ba{1}sh{0,1}", "[^]ash", "[]", r"\u{1}",
    r"(?<a>.)\k<a>", "Bash|(", "(?i:bash)", "(?<a>Ba)sh|(?<a>Re)ad", r"\b+Read",
];

#[test]
fn the_real_client_starts_the_hooks_that_their_matchers_promise() -> Result<()> {
    let Some(client) = client::require("the_real_client_starts_the_hooks_that_their_matchers_promise") else {
        return Ok(());
    };
    let project = Project::new()?;
    let groups: Vec<_> = TRIED
        .iter()
        .enumerate()
        .map(|(number, matcher)| json!({"matcher": matcher, "hooks": [{"type": "command", "command": tell(number)}]}))
        .collect();
    project.write(
        ".claude/settings.json",
        json!({"hooks": {"PreToolUse": groups}}).to_string(),
    )?;
    project.write("a.txt", "one\n")?;
    let file = |name: &str| project.path().join(name);
    let tools = ["Bash", "Read", "Write", "Edit"];
    let outcome = Session::new(&client, project.path())
        .allow(&tools)
        .turn(Turn::call("Bash", json!({"command": "true", "description": "Run it"})))
        .turn(Turn::call("Read", json!({"file_path": file("a.txt")})))
        .turn(Turn::call(
            "Write",
            json!({"file_path": file("b.txt"), "content": "new\n"}),
        ))
        .turn(Turn::call(
            "Edit",
            json!({"file_path": file("a.txt"), "old_string": "one", "new_string": "two"}),
        ))
        .turn(Turn::text("Done."))
        .run("go")?;
    assert_eq!(outcome.tool_results().len(), tools.len());
    assert_eq!(project.read("a.txt")?, "two\n", "each call ran");

    let fired: BTreeSet<String> = project.read("fired.txt")?.lines().map(str::to_owned).collect();
    for (number, text) in TRIED.iter().enumerate() {
        let matcher = Matcher::new(text, &PRE_TOOL_USE);
        for tool in tools {
            assert_eq!(
                matcher.matches(&PRE_TOOL_USE, tool),
                fired.contains(&format!("{number} {tool}")),
                "`{text}` on {tool}"
            );
        }
    }
    Ok(())
}
