//! The client starts the hooks that their matchers and conditions select.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use hookkit_tests::matchers::{CONDITIONS, MATCHERS, TOOLS};
use hookkit_tests::record::Record;
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::{Value, json};

#[test]
fn matchers_select_the_recorded_tools() -> Result<()> {
    const NAME: &str = "matchers_select_the_recorded_tools";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let group = |matcher, handler| json!({"matcher": matcher, "hooks": [handler]});
    Record::check("matchers", observed(&client, &MATCHERS, group)?, NAME)
}

#[test]
fn conditions_select_the_recorded_tools() -> Result<()> {
    const NAME: &str = "conditions_select_the_recorded_tools";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let group = |condition, mut handler: Value| {
        handler["if"] = condition;
        json!({"hooks": [handler]})
    };
    Record::check("conditions", observed(&client, &CONDITIONS, group)?, NAME)
}

/// Returns the tools that a hook with each text ran on, in one session that calls each tool once.
fn observed(
    client: &Path,
    texts: &[&str],
    group: impl Fn(Value, Value) -> Value,
) -> Result<BTreeMap<String, Vec<String>>> {
    let project = Project::new()?;
    let numbered = texts.iter().enumerate();
    let groups: Vec<Value> = numbered
        .clone()
        .map(|(number, text)| group(json!(text), json!({"type": "command", "command": log_call(number)})))
        .collect();
    let settings = json!({"hooks": {"PreToolUse": groups}}).to_string();
    project.write(".claude/settings.json", settings)?;
    project.write("a.txt", "one\n")?;
    let file = |name: &str| project.path().join(name);
    let outcome = Session::new(client, project.path())
        .allow(&TOOLS)
        .turn(Turn::call("Read", json!({"file_path": file("a.txt")})))
        .turn(Turn::call("Bash", json!({"command": "true", "description": "Run it"})))
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
    assert_eq!(outcome.tool_results().len(), TOOLS.len());
    let results = outcome.tool_results();
    assert_eq!(project.read("a.txt")?, "two\n", "each call ran: {results:?}");

    let fired = project.read("fired.txt")?;
    let fired = |number: usize| {
        let prefix = format!("{number} ");
        let tools = fired.lines().filter_map(|line| line.strip_prefix(&prefix));
        tools.map(str::to_owned).collect()
    };
    Ok(numbered
        .map(|(number, text)| ((*text).to_owned(), fired(number)))
        .collect())
}

/// Returns a shell command that logs its number and the tool of the call.
fn log_call(number: usize) -> String {
    format!(r#"sed -n 's/.*"tool_name":"\([A-Za-z]*\)".*/{number} \1/p' >>"$CLAUDE_PROJECT_DIR/fired.txt""#)
}
