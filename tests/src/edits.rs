//! The edits, paths and searches that the real client is asked about.
//!
//! The client tier records the effect of each; the fast tier compares it with what the library computes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use hookkit::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::Lines;

use crate::{Project, Session, Turn, record};

/// An edit of a file.
pub struct Edit {
    /// Its key in the record.
    pub name: String,
    /// The file's text before.
    pub text: String,
    /// `old_string`.
    pub old: String,
    /// `new_string`.
    pub new: String,
    /// `replace_all`.
    pub replace_all: bool,
}

impl Edit {
    /// Returns the input of the tool call.
    pub fn input(&self, path: impl Serialize) -> Value {
        json!({
            "file_path": path, "old_string": self.old, "new_string": self.new, "replace_all": self.replace_all,
        })
    }
}

/// The effect of an edit.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// `true` if the edit was made.
    pub is_made: bool,
    /// The file's text afterwards.
    pub text: String,
}

impl Edited {
    /// Makes one of a text, of which a long one is kept by its length and hash.
    pub fn new(is_made: bool, text: &str) -> Self {
        let text = match text.len() {
            0..1_000 => text.to_owned(),
            length => format!("{length} bytes with hash {}", record::hash(text)),
        };
        Self { is_made, text }
    }
}

/// Returns the edits.
pub fn edits() -> Vec<Edit> {
    // The client looks at the beginning of a file for the line ending that prevails.
    let lines = |count: usize| format!("{}{}two\n", "a\n".repeat(count), "\r\n".repeat(4_000));
    let long = [lines(1_023), lines(1_024)];
    let table: Lines = lines!("lines/edits.txt");
    let plain = |text: &str| text.replace("NOTHING", "").replace("BOM", "\u{feff}");
    let edit = |name: &str, how: &str, text: &str, old: &str, new: &str| Edit {
        name: name.to_owned(),
        text: plain(text),
        old: plain(old),
        new: plain(new),
        replace_all: how == "everywhere",
    };
    let rows = table.section("edits").rows.iter();
    let mut edits: Vec<Edit> = rows
        .map(|row| {
            let [name, how, text, old] = row.fields();
            edit(name, how, text, old, &row.line)
        })
        .collect();
    edits.push(edit("CRLF within the looked-at beginning", "once", &long[0], "two", "x"));
    edits.push(edit("CRLF behind the looked-at beginning", "once", &long[1], "two", "x"));
    edits
}

/// The paths that files are written to, in the project of [`project`]. The content of each is its path, trimmed.
pub const PATHS: [&str; 9] = [
    "1.txt", "new/./2.txt", "link/3.txt", "link/../4.txt", "../project/5.txt", " 6.txt ", "7.txt/", "~user/8.txt",
    "src//../9.txt",
];

/// Returns calls of tools that search for `here.txt`, in the project of [`project`]: the tool, and its input.
pub fn searches() -> Vec<(String, String)> {
    let table: Lines = lines!("lines/edits.txt");
    let rows = table.section("searches").rows.iter();
    rows.map(|row| (row.expected.concat(), row.line.clone())).collect()
}

/// The folders of [`project`] with a `here.txt`.
pub const FOLDERS: [&str; 4] = ["", "src/", "elsewhere/", "elsewhere/deep/"];

/// Makes the project of [`PATHS`] and [`searches`], and the context of a hook in it.
///
/// # Errors
///
/// If it cannot be written.
pub fn project() -> Result<(Project, Context)> {
    let project = Project::named("project")?;
    for folder in FOLDERS {
        project.write(&format!("{folder}here.txt"), "needle")?;
    }
    symlink("elsewhere/deep", project.path().join("link"))?;
    let mut context = Context::default();
    context.cwd = project.path().to_owned();
    context.project_dir = project.path().to_owned();
    Ok((project, context))
}

/// Returns the input of one of the [`searches`].
///
/// # Errors
///
/// If it is not JSON.
pub fn search(project: &Project, input: &str) -> Result<Value> {
    let mut input: Value = serde_json::from_str(input)?;
    if let Some(pattern) = input["pattern"].as_str() {
        input["pattern"] = pattern.replace("ROOT", &project.path().to_string_lossy()).into();
    }
    Ok(input)
}

/// Returns the effect of each of the [`edits`] in the client.
///
/// # Errors
///
/// If the session fails.
pub fn edited(client: &Path) -> Result<BTreeMap<String, Edited>> {
    let project = Project::new()?;
    let mut session = Session::new(client, project.path()).allow(&["Read", "Edit"]);
    let edits = edits();
    let name = |number: usize| format!("{number}.txt");
    for (number, edit) in edits.iter().enumerate() {
        project.write(&name(number), &edit.text)?;
        let path = project.path().join(name(number));
        session =
            session.turn(Turn::call("Read", json!({"file_path": path}))).turn(Turn::call("Edit", edit.input(&path)));
    }
    let outcome = session.go()?;
    let results = outcome.tool_results();
    let mut observed = BTreeMap::new();
    for (number, edit) in edits.iter().enumerate() {
        let result = results.get(2 * number + 1).context("a result of each edit")?;
        let is_made = result.contains("has been updated");
        let edited = Edited::new(is_made, &project.read(&name(number))?);
        observed.insert(edit.name.clone(), edited);
    }
    Ok(observed)
}

/// Returns the file that the client writes to, for each of the [`PATHS`].
///
/// # Errors
///
/// If the session fails.
pub fn written(client: &Path) -> Result<BTreeMap<String, String>> {
    let (project, _) = project()?;
    let mut session = Session::new(client, project.path()).allow(&["Write"]);
    for path in PATHS {
        session = session.turn(Turn::call("Write", json!({"file_path": path, "content": path.trim()})));
    }
    session.go()?;
    let mut files = Vec::new();
    files_below(project.path(), &mut files)?;
    let mut observed = BTreeMap::new();
    for path in PATHS {
        let is_it = |file: &&PathBuf| fs::read(file).is_ok_and(|content| content == path.trim().as_bytes());
        let written = files.iter().find(is_it).with_context(|| format!("no file for {path}"))?;
        let written = written.strip_prefix(project.path())?.to_string_lossy();
        observed.insert(path.to_owned(), written.into_owned());
    }
    Ok(observed)
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

/// Returns the files that the client finds, for each of the [`searches`].
///
/// # Errors
///
/// If the session fails.
pub fn found(client: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let (project, context) = project()?;
    let mut session =
        Session::new(client, project.path()).arguments(&["--tools", "Glob,Grep"]).allow(&["Glob", "Grep"]);
    for (tool, input) in searches() {
        session = session.turn(Turn::call(&tool, search(&project, &input)?));
    }
    let outcome = session.go()?;
    let mut observed = BTreeMap::new();
    for ((tool, input), result) in searches().into_iter().zip(outcome.tool_results()) {
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
    Ok(observed)
}
