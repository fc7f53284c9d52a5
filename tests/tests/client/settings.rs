//! The client reads settings files as the checker reports, and those that `install` has edited.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::{command, repository};
use hookkit_tests::{Project, Session, Turn, client, parallel};
use serde::Deserialize;
use serde_json::{Value, json};

/// A settings file, with a mistake or without.
///
/// xtask's tests check the predictions for the same files, so the predictions agree with the client.
#[derive(Deserialize)]
struct Case {
    name: String,
    settings: Option<Value>,
    /// The file in place of `settings`, if its exact bytes matter.
    text: Option<String>,
    /// `true` if the client reads the file.
    read: bool,
    /// Its hooks that run.
    runs: Vec<String>,
}

impl Case {
    /// Returns the file's text. Its hooks write to a separate file, since the client runs equal commands only once.
    fn text(&self, number: usize) -> String {
        let settings = || self.settings.as_ref().map(Value::to_string).unwrap_or_default();
        let text = self.text.clone().unwrap_or_else(settings);
        text.replace("$RAN", &format!("$RAN_{number}"))
            .replace("READ", &format!("READ_{number}"))
    }
}

#[test]
fn the_client_reads_each_file_as_the_checker_reports() -> Result<()> {
    let Some(client) = client::require("the_client_reads_each_file_as_the_checker_reports") else {
        return Ok(());
    };
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../fixtures/settings.json"))?;
    // The client reads three files in one session.
    let sessions = Mutex::new(cases.chunks(3));
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(cases) = { sessions.lock().expect("a session").next() } {
            let found = play(&client, cases).unwrap_or_else(|err| vec![format!("{err:#}")]);
            wrong.lock().expect("a list").extend(found);
        }
    };
    // Three, since sessions mostly wait: two leave the processors idle.
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner()?;
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// Returns the cases that the client treats differently.
fn play(client: &Path, cases: &[Case]) -> Result<Vec<String>> {
    let (project, config) = (Project::new()?, tempfile::tempdir()?);
    let log = |number: usize| format!("echo \"read $READ_{number}\" >> $RAN_{number}");
    let loggers: Vec<Value> = (0..cases.len())
        .map(|number| json!({"type": "command", "command": log(number)}))
        .collect();
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
    let outcome = session
        .arguments(&["--settings", &settings])
        .turn(Turn::call("Bash", json!({"command": "true"})))
        .turn(Turn::text("Done."))
        .run("go")?;
    let mut wrong = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let ran = fs::read_to_string(ran(number))?;
        let is_read = ran.contains("read 1");
        let mut runs: Vec<&str> = ran.lines().filter(|line| !line.starts_with("read")).collect();
        runs.sort_unstable();
        if is_read != case.read || runs != case.runs {
            let log = outcome.debug();
            wrong.push(format!("{}: read {is_read}, ran {runs:?}\n{log}", case.name));
        }
    }
    Ok(wrong)
}

/// The number of real files that are tested.
const SAMPLE: usize = 25;

/// Removes from a public settings file whatever has effects outside of the test: commands, variables, plugins and URLs.
fn harmless(settings: &mut Value) {
    match settings {
        Value::Array(list) => list.iter_mut().for_each(harmless),
        Value::Object(object) => {
            for (key, value) in object {
                match (key.as_str(), &*value) {
                    ("command" | "apiKeyHelper" | "awsAuthRefresh" | "awsCredentialExport", Value::String(_)) => {
                        *value = json!("true");
                    }
                    // They may change the client's folders and servers.
                    ("env", Value::Object(_)) => *value = json!({}),
                    ("enabledPlugins" | "extraKnownMarketplaces", Value::Object(_)) => *value = json!({}),
                    ("url", Value::String(_)) => *value = json!("http://127.0.0.1:9/"),
                    _ => harmless(value),
                }
            }
        }
        _ => {}
    }
}

/// Uses public settings files, if a copy of the collection is available.
#[test]
fn real_files_that_install_accepts_are_read_by_the_client() -> Result<()> {
    const NAME: &str = "real_files_that_install_accepts_are_read_by_the_client";
    let folder = repository().join("../shared/corpus/settings");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: {NAME}: no {}", folder.display());
        return Ok(());
    };
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let mut files: Vec<_> = files.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    files.sort();
    let played = AtomicUsize::new(0);
    // A few more may be played: files of the sample are refused while others are played.
    parallel::each(2, files, |file| {
        let Ok(mut settings) = serde_json::from_slice::<Value>(&fs::read(&file)?) else {
            return Ok(());
        };
        if played.load(Ordering::Relaxed) >= SAMPLE || settings["disableAllHooks"] == true {
            return Ok(());
        }
        harmless(&mut settings);
        let project = Project::new()?;
        project.write(".claude/settings.json", serde_json::to_string_pretty(&settings)?)?;
        let path = project.path().to_str().context("a UTF-8 path")?;
        if !command(fixture()?, &["install", "--pack", "attend-hooks", "--project", path])?
            .output()?
            .status
            .success()
        {
            return Ok(());
        }
        played.fetch_add(1, Ordering::Relaxed);
        let outcome = Session::new(&client, project.path())
            .turn(Turn::text("Done."))
            .run("go")?;
        let responses = outcome.hook_responses();
        let has_run = responses.iter().any(|response| response.stdout.contains("attended"));
        ensure!(has_run, "{}:\n{}", file.display(), outcome.debug());
        Ok(())
    })?;
    let played = played.into_inner();
    assert!(played >= SAMPLE, "{played} files");
    Ok(())
}
