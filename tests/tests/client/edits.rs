//! The effects of edits, writes and searches in the client.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use hookkit_tests::edits::{Edited, PATHS, SEARCHES, edits, project, search};
use hookkit_tests::record::Record;
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::json;

#[test]
fn edits_leave_the_recorded_texts() -> Result<()> {
    const NAME: &str = "edits_leave_the_recorded_texts";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let project = Project::new()?;
    let mut session = Session::new(&client, project.path()).allow(&["Read", "Edit"]);
    let edits = edits();
    let name = |number: usize| format!("{number}.txt");
    for (number, edit) in edits.iter().enumerate() {
        project.write(&name(number), &edit.text)?;
        let path = project.path().join(name(number));
        session = session
            .turn(Turn::call("Read", json!({"file_path": path})))
            .turn(Turn::call("Edit", edit.input(&path)));
    }
    let outcome = session.turn(Turn::text("Done.")).run("go")?;
    let results = outcome.tool_results();
    let mut observed = BTreeMap::new();
    for (number, edit) in edits.iter().enumerate() {
        let result = results.get(2 * number + 1).context("a result of each edit")?;
        let is_made = result.contains("has been updated");
        let edited = Edited::new(is_made, &project.read(&name(number))?);
        observed.insert(edit.name.to_owned(), edited);
    }
    Record::check("edits", observed, NAME)
}

#[test]
fn writes_go_to_the_recorded_files() -> Result<()> {
    const NAME: &str = "writes_go_to_the_recorded_files";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let (project, _) = project()?;
    let mut session = Session::new(&client, project.path()).allow(&["Write"]);
    for path in PATHS {
        session = session.turn(Turn::call("Write", json!({"file_path": path, "content": path.trim()})));
    }
    session.turn(Turn::text("Done.")).run("go")?;
    let mut files = Vec::new();
    files_below(project.path(), &mut files)?;
    let mut observed = BTreeMap::new();
    for path in PATHS {
        let is_it = |file: &&PathBuf| fs::read(file).is_ok_and(|content| content == path.trim().as_bytes());
        let written = files
            .iter()
            .find(is_it)
            .with_context(|| format!("no file for {path}"))?;
        let written = written.strip_prefix(project.path())?.to_string_lossy();
        observed.insert(path.to_owned(), written.into_owned());
    }
    Record::check("writes", observed, NAME)
}

/// Lists the files below a folder. Links are not followed.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files_below(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[test]
fn searches_find_the_recorded_files() -> Result<()> {
    const NAME: &str = "searches_find_the_recorded_files";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let (project, context) = project()?;
    let mut session = Session::new(&client, project.path())
        .arguments(&["--tools", "Glob,Grep"])
        .allow(&["Glob", "Grep"]);
    for (tool, input) in SEARCHES {
        session = session.turn(Turn::call(tool, search(&project, input)?));
    }
    let outcome = session.turn(Turn::text("Done.")).run("go")?;
    let mut observed = BTreeMap::new();
    for ((tool, input), result) in SEARCHES.into_iter().zip(outcome.tool_results()) {
        let lines = result.lines().filter(|line| line.ends_with("here.txt"));
        // The client prints the path that it followed, which may contain a link.
        let file = |line: &str| -> Result<String> {
            let file = context.path(line)?.resolved;
            Ok(file.strip_prefix(project.path())?.to_string_lossy().into_owned())
        };
        let mut found: Vec<String> = lines.map(file).collect::<Result<_>>()?;
        found.sort();
        observed.insert(format!("{tool} {input}"), found);
    }
    Record::check("searches", observed, NAME)
}
