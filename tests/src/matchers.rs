//! The matchers and conditions that the real client is asked about.
//!
//! The client tier records the tools that a hook with each of them ran on; the fast tier compares our own reading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{Project, Session, Turn};

/// The tools that are called.
pub const TOOLS: [&str; 4] = ["Read", "Bash", "Write", "Edit"];

/// The matchers: those from the client's documentation, and a few that an engine may read in its own way.
#[rustfmt::skip]
pub const MATCHERS: [&str; 64] = [
    "", "*", ".*", "Edit|Write", "Edit|Write ", "Edit | Write", "Edit,Write", "Edit, Write", "Edit|Write|", " Bash",
    "Bash|", "Bash Read", "|", "edit", "EDIT", "bash.*", "Ba", "ash", "Notebook", "echo", "my-srv", "mcp", "Ba*",
    "Bas.", "a.h", "^Bash$", "Bash$", "^Ba", "[B]ash", "(Bash)", "Edit|Write.*", "Notebook.*", "Bash|^Read$",
    "^(?!Bash)", "(", "*Bash", "!Bash", "Bash(true)", "Bash(*)", "Task", "Agent", "MultiEdit", "mcp__srv",
    "mcp__srv__.*", "mcp__.*", "mcp__srv|Write", "Write|mcp__srv__echo",
    r"^[^\W_]{4}$", r"^(.)(?!.*\1)", "(?<=E)dit", "Bash{", "Ba{1}sh{0,1}", "[^]ash", "[]", r"\u{1}",
    r"(?<a>.)\k<a>", "Bash|(", "(?i:bash)", "(?<a>Ba)sh|(?<a>Re)ad", r"\b+Read",
    r#"tool == "Edit" || tool == "Write""#, "Bash(git *) || Edit", "^Edit$ || ^Write$", "^Edit$ | ^Write$",
];

/// The conditions. The calls are `true` and `true x` in Bash, and a `.txt` file for the other tools.
#[rustfmt::skip]
pub const CONDITIONS: [&str; 34] = [
    "Bash", "Bash(true)", "Bash(false)", "Write(*.txt)", "Edit(*.txt)", "Edit|Write", "Bash(true)|Bash(false)",
    "Edit(*.txt), Write(*.txt)", "bash(true)", "Bash(true", "Bash(true))", "MultiEdit", "mcp__files",
    "Bash(true:*)", "Bash( true )", "Bash(tr*)", "Bash(true x|true y)", "Bash({true,false}*)", "Bash(true, true x)",
    "Bash(\"true\")", "Bash('true')", "Bash(^true$)", "Bash(tr:* x)", "Bash(true (x|y))", "Edit(a.txt)",
    "Edit(**/*.txt)", "Edit({a,b}.txt)", "Edit(a.txt|b.txt)", "Edit(*.txt,*.md)", "Edit(\"a.txt\")", "Edit(file:a.txt)", "Edit(a.txt:*)", r"Edit(.*\.txt$)",
    "Write(*.{txt,md})",
];

/// The matchers of FileChanged, each about files of its own.
pub const WATCHED: [&str; 6] = [".a", r"^\.b$", "c/d.toml", ".e|f", r"\.g", r".*\.json"];

/// Returns the names of the files that the client runs a hook on, for each of [`WATCHED`].
///
/// # Errors
///
/// If the session fails.
pub fn watched(client: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let project = Project::new()?;
    let name = r#"s/.*"file_path":"[^"]*\/\([^"]*\)".*/"#;
    let command = |number| format!(r#"sed -n '{name}{number} \1/p' >>"$CLAUDE_PROJECT_DIR/fired.log""#);
    let group =
        |(number, matcher)| json!({"matcher": matcher, "hooks": [{"type": "command", "command": command(number)}]});
    let groups: Vec<Value> = WATCHED.iter().enumerate().map(group).collect();
    project.write(".claude/settings.json", json!({"hooks": {"FileChanged": groups}}).to_string())?;
    let files = [".a", ".b", "c/d.toml", ".e", "f", ".g", "h.json"];
    for file in files {
        project.write(file, "")?;
    }
    let change = format!("sleep 2; for file in {}; do echo x >>$file; done; sleep 4", files.join(" "));
    Session::new(client, project.path()).allow(&["Bash"]).turn(Turn::bash(&change)).go()?;
    let fired = project.read("fired.log")?;
    let of = |number: usize| {
        let names = fired.lines().filter_map(|line| line.strip_prefix(&format!("{number} ")).map(str::to_owned));
        names.collect::<BTreeSet<String>>().into_iter().collect()
    };
    Ok(WATCHED.iter().enumerate().map(|(number, matcher)| ((*matcher).to_owned(), of(number))).collect())
}

/// Returns the tools that the client runs a hook on, for each of the [`MATCHERS`].
///
/// # Errors
///
/// If the session fails.
pub fn matched(client: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    fired(client, &MATCHERS, |matcher, handler| json!({"matcher": matcher, "hooks": [handler]}))
}

/// Returns the tools that the client runs a hook on, for each of the [`CONDITIONS`].
///
/// # Errors
///
/// If the session fails.
pub fn admitted(client: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    fired(client, &CONDITIONS, |condition, mut handler| {
        handler["if"] = condition;
        json!({"hooks": [handler]})
    })
}

/// Returns the tools that a hook with each text ran on, in one session that calls each tool once, and Bash twice.
fn fired(
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
        .turn(Turn::bash("true"))
        .turn(Turn::bash("true x"))
        .turn(Turn::call("Write", json!({"file_path": file("b.txt"), "content": "new\n"})))
        .turn(Turn::call("Edit", json!({"file_path": file("a.txt"), "old_string": "one", "new_string": "two"})))
        .go()?;
    let results = outcome.tool_results();
    let is_edited = project.read("a.txt")? == "two\n";
    ensure!(is_edited && results.len() == TOOLS.len() + 1, "not each call ran: {results:?}");

    let fired = project.read("fired.txt")?;
    let fired = |number: usize| {
        let prefix = format!("{number} ");
        let tools = fired.lines().filter_map(|line| line.strip_prefix(&prefix));
        let mut tools: Vec<String> = tools.map(str::to_owned).collect();
        tools.dedup();
        tools
    };
    Ok(numbered.map(|(number, text)| ((*text).to_owned(), fired(number))).collect())
}

/// Returns a shell command that logs its number and the tool of the call.
fn log_call(number: usize) -> String {
    format!(r#"sed -n 's/.*"tool_name":"\([A-Za-z]*\)".*/{number} \1/p' >>"$CLAUDE_PROJECT_DIR/fired.txt""#)
}
