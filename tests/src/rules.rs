//! The permission rules that the real client is asked about, and the calls that they deny, or let through.
//!
//! The client tier records the outcome of each call; the fast tier compares what `doctor` reports about the rules.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use test_support::lines;
use test_support::lines::{Lines, Row, Section};

use crate::{Project, Session, Turn, parallel};

/// The secret in the file `.env`.
const SECRET: &str = "open-sesame";

/// Texts of the client's about a call that a rule denies.
const DENIED: [&str; 6] = [
    "has been denied.", "denied by your permission settings", "covered by a Read deny rule", "blocked by a deny rule",
    "denied access to domain:", "is disabled for this session",
];

/// Texts about a call that the user is asked about, if there is one.
const ASKED: [&str; 7] = [
    "needs approval", "requires approval", "cannot be auto-allowed", "haven't granted it", "checked before it runs",
    "arbitrary commands", "evaluates arguments",
];

/// The rules, each the heading of its calls, which are lines for Bash, JSON with `tool` and `input`, or a user's `prompt`, in a
/// session that reads `memory` as CLAUDE.md.
pub fn table() -> Lines<'static> {
    lines!("lines/rules.txt")
}

/// Returns the key of a row in the record.
pub fn key(section: &Section<'_>, row: &Row) -> String {
    format!("{} {}", section.name, row.line)
}

/// Returns the settings of a section: its heading has the rules, and what a hook on an event answers.
///
/// # Errors
///
/// If it is not JSON.
pub fn settings(section: &Section<'_>) -> Result<String> {
    let heading: Map<String, Value> = serde_json::from_str(section.name)?;
    let (mut permissions, mut hooks) = (Map::new(), Map::new());
    for (key, value) in heading {
        if ["allow", "ask", "deny"].contains(&&*key) {
            permissions.insert(key, value);
            continue;
        }
        let mut answer = json!({"hookEventName": key});
        answer.as_object_mut().context("an object")?.extend(value.as_object().context("an answer")?.clone());
        let command = format!("echo '{}'", json!({"hookSpecificOutput": answer}));
        hooks.insert(key, json!([{"hooks": [{"type": "command", "command": command}]}]));
    }
    Ok(json!({"permissions": permissions, "hooks": hooks}).to_string())
}

/// Returns the outcome of each call: `denied`, `asked`, `read` if it shows the secret, or `ran`.
///
/// # Errors
///
/// If a session fails.
pub fn played(client: &Path) -> Result<BTreeMap<String, String>> {
    let outcomes = Mutex::new(BTreeMap::new());
    let table = table();
    parallel::each(4, table.sections.iter(), |section| {
        let played = play(client, section).with_context(|| section.name.to_owned())?;
        outcomes.lock().expect("no play panics").extend(played);
        Ok(())
    })?;
    Ok(outcomes.into_inner()?)
}

fn play(client: &Path, section: &Section<'_>) -> Result<Vec<(String, String)>> {
    let project = Project::new()?;
    let env = format!("KEY={SECRET}\n");
    for (file, text) in [(".env", &*env), (".env~", &env), ("sub/a.txt", "a\n"), ("a.txt", "a\n")] {
        project.write(file, text)?;
    }
    fs::hard_link(project.path().join(".env"), project.path().join("hard.txt"))?;
    symlink(".env", project.path().join("link.txt"))?;
    project.git(&["add", "-A"])?;
    project.git(&["commit", "-qm", "all"])?;
    project.write(".claude/settings.json", settings(section)?)?;
    let root = project.path().to_string_lossy();
    let mut session = Session::new(client, project.path());
    let (prompts, calls): (Vec<&Row>, Vec<&Row>) =
        section.rows.iter().partition(|row| row.line.starts_with("{\"prompt\""));
    for row in &calls {
        let line = row.line.replace("ROOT", &root);
        session = session.turn(match line.starts_with('{') {
            true => {
                let call: Value = serde_json::from_str(&line)?;
                Turn::call(call["tool"].as_str().context("a tool")?, call["input"].clone())
            }
            false => Turn::bash(&line),
        });
    }
    let results = session.go()?.tool_results();
    let mut outcomes = Vec::new();
    for row in prompts {
        let asked: Value = serde_json::from_str(&row.line)?;
        project.write("CLAUDE.md", asked["memory"].as_str().unwrap_or_default())?;
        let session = Session::new(client, project.path()).turn(Turn::text("Done."));
        let read = session.run(asked["prompt"].as_str().context("a prompt")?)?.model_read();
        let outcome = if read.contains(SECRET) { "read" } else { "denied" };
        outcomes.push((key(section, row), outcome.to_owned()));
    }
    outcomes.extend(calls.iter().zip(results).map(|(row, result)| {
        let says = |texts: &[&str]| texts.iter().any(|text| result.contains(text));
        let outcome = match () {
            () if says(&[SECRET]) => "read",
            () if says(&DENIED) => "denied",
            () if says(&ASKED) => "asked",
            () => "ran",
        };
        (key(section, row), outcome.to_owned())
    }));
    Ok(outcomes)
}
