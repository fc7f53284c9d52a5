//! Settings files, with a mistake or without, that the real client is asked about.
//!
//! `fixtures/settings.json` has them with what the client did. xtask's tests check the predictions for the same files, so
//! the predictions agree with the client.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Project, Session, Turn, parallel};

/// A settings file.
#[derive(Deserialize)]
struct Case {
    name: String,
    settings: Option<Value>,
    /// The file in place of `settings`, if its exact bytes matter.
    text: Option<String>,
    #[serde(flatten)]
    read: Read,
}

/// The use that the client made of a settings file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// `true` if the client reads the file.
    pub read: bool,
    /// Its hooks that run.
    pub runs: Vec<String>,
}

impl Case {
    /// Returns the file's text. Its hooks write to a separate file, since the client runs equal commands only once.
    fn text(&self, number: usize) -> String {
        let settings = || self.settings.as_ref().map(Value::to_string).unwrap_or_default();
        let text = self.text.clone().unwrap_or_else(settings);
        text.replace("$RAN", &format!("$RAN_{number}")).replace("READ", &format!("READ_{number}"))
    }
}

fn cases() -> Result<Vec<Case>> {
    serde_json::from_str(include_str!("../fixtures/settings.json")).context("cannot parse fixtures/settings.json")
}

/// Returns what is recorded of each file, by its name.
///
/// # Errors
///
/// If the record is damaged.
pub fn recorded() -> Result<BTreeMap<String, Read>> {
    Ok(cases()?.into_iter().map(|case| (case.name, case.read)).collect())
}

/// Returns what the client makes of each file, by its name.
///
/// # Errors
///
/// If a session fails.
pub fn read(client: &Path) -> Result<BTreeMap<String, Read>> {
    let (cases, found) = (cases()?, Mutex::new(BTreeMap::new()));
    // The client reads three files in one session. Three sessions, since they mostly wait: two leave the processors idle.
    parallel::each(3, cases.chunks(3), |cases| {
        let read = play(client, cases)?;
        found.lock().expect("no session holds it").extend(read);
        Ok(())
    })?;
    Ok(found.into_inner()?)
}

/// Returns what the client makes of up to three files.
fn play(client: &Path, cases: &[Case]) -> Result<BTreeMap<String, Read>> {
    let (project, config) = (Project::new()?, test_support::folder());
    let log = |number: usize| format!("echo \"read $READ_{number}\" >> $RAN_{number}");
    let loggers: Vec<Value> =
        (0..cases.len()).map(|number| json!({"type": "command", "command": log(number)})).collect();
    let settings = json!({"hooks": {"SessionStart": [{"hooks": loggers}]}}).to_string();
    let mut session = Session::new(client, project.path()).config_dir(config.path());
    let ran = |number: usize| config.path().join(format!("ran-{number}"));
    for (number, case) in cases.iter().enumerate() {
        let text = case.text(number);
        match number {
            0 => project.write(".claude/settings.json", text)?,
            1 => project.write(".claude/settings.local.json", text)?,
            _ => fs::write(config.path().join("settings.json"), text)?,
        }
        session = session.env(format!("RAN_{number}"), ran(number));
    }
    session.arguments(&["--settings", &settings]).turn(Turn::call("Bash", json!({"command": "true"}))).go()?;
    let mut found = BTreeMap::new();
    for (number, case) in cases.iter().enumerate() {
        let ran = fs::read_to_string(ran(number)).with_context(|| format!("{}: no hook ran", case.name))?;
        let mut runs: Vec<String> = ran.lines().filter(|line| !line.starts_with("read")).map(str::to_owned).collect();
        runs.sort_unstable();
        let read = ran.contains("read 1");
        found.insert(case.name.clone(), Read { read, runs });
    }
    Ok(found)
}
