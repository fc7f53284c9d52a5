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

use crate::{Project, Session, Turn, record};

/// An edit of a file.
pub struct Edit {
    /// Its key in the record.
    pub name: &'static str,
    /// The file's text before.
    pub text: String,
    /// `old_string`.
    pub old: &'static str,
    /// `new_string`.
    pub new: &'static str,
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
    #[rustfmt::skip]
    let edits = [
        ("old with LF, text with CRLF", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "x\r\ny\nz", false),
        ("old with CRLF, text with CRLF", "one\r\ntwo\r\n", "one\r\ntwo", "x", false),
        ("mixed, LF prevails", "one\r\ntwo\nthree\n", "two", "x\r\ny", false),
        ("mixed, CRLF prevails", "one\r\ntwo\r\nthree\n", "two", "x", false),
        ("a lone CR", "one\rtwo\n", "two", "x", false),
        ("a byte order mark, and patterns in new", "\u{feff}one\ntwo\n", "two", "$& $1", false),
        ("a byte order mark in old", "\u{feff}one\n", "\u{feff}one", "x", false),
        ("only a byte order mark", "\u{feff}", "", "x", false),
        ("a zero byte", "a\0b two\n", "two", "x", false),
        ("an empty new", "one\ntwo\nthree\n", "two", "", false),
        ("an empty new, everywhere", "one two three\ntwo\n", "two", "", true),
        ("overlaps, everywhere", "aaa aaaa\n", "aa", "b", true),
        ("overlaps, once", "aaa\n", "aa", "", false),
        ("old is there twice", "two two\n", "two", "x", false),
        ("old is not there", "one\n", "zzz", "x", false),
        ("new is old", "one\n", "one", "one", false),
        ("an empty old, text", "one\n", "", "x", false),
        ("an empty old, blank text", " \n", "", "x\n", false),
        ("CRLF within the looked-at beginning", &*long[0], "two", "x", false),
        ("CRLF behind the looked-at beginning", &*long[1], "two", "x", false),
    ];
    let edits = edits.into_iter();
    edits
        .map(|(name, text, old, new, replace_all)| Edit {
            name,
            text: text.to_owned(),
            old,
            new,
            replace_all,
        })
        .collect()
}

/// The paths that files are written to, in the project of [`project`]. The content of each is its path, trimmed.
pub const PATHS: [&str; 9] = [
    "1.txt", "new/./2.txt", "link/3.txt", "link/../4.txt", "../project/5.txt", " 6.txt ", "7.txt/", "~user/8.txt",
    "src//../9.txt",
];

/// Calls of tools that search for `here.txt`, in the project of [`project`]. `ROOT` is the project.
pub const SEARCHES: [(&str, &str); 8] = [
    ("Grep", r#"{"pattern": "needle"}"#),
    ("Grep", r#"{"pattern": "needle", "path": "src/../src"}"#),
    ("Grep", r#"{"pattern": "needle", "path": " src "}"#),
    ("Grep", r#"{"pattern": "needle", "path": "link/.."}"#),
    ("Glob", r#"{"pattern": "here.txt", "path": "link"}"#),
    ("Glob", r#"{"pattern": "ROOT/src/*.txt"}"#),
    ("Glob", r#"{"pattern": "ROOT/src/x\\/../../elsewhere/*.txt"}"#),
    // Of a pattern without a wildcard the first path is the folder, the second the pattern.
    ("Glob", r#"{"pattern": "ROOT/here.txt"}"#),
];

/// The folders of [`project`] with a `here.txt`.
pub const FOLDERS: [&str; 4] = ["", "src/", "elsewhere/", "elsewhere/deep/"];

/// Makes the project of [`PATHS`] and [`SEARCHES`], and the context of a hook in it.
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

/// Returns the input of one of the [`SEARCHES`].
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
        session = session
            .turn(Turn::call("Read", json!({"file_path": path})))
            .turn(Turn::call("Edit", edit.input(&path)));
    }
    let outcome = session.go()?;
    let results = outcome.tool_results();
    let mut observed = BTreeMap::new();
    for (number, edit) in edits.iter().enumerate() {
        let result = results.get(2 * number + 1).context("a result of each edit")?;
        let is_made = result.contains("has been updated");
        let edited = Edited::new(is_made, &project.read(&name(number))?);
        observed.insert(edit.name.to_owned(), edited);
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
        let written = files
            .iter()
            .find(is_it)
            .with_context(|| format!("no file for {path}"))?;
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

/// Returns the files that the client finds, for each of the [`SEARCHES`].
///
/// # Errors
///
/// If the session fails.
pub fn found(client: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let (project, context) = project()?;
    let mut session = Session::new(client, project.path())
        .arguments(&["--tools", "Glob,Grep"])
        .allow(&["Glob", "Grep"]);
    for (tool, input) in SEARCHES {
        session = session.turn(Turn::call(tool, search(&project, input)?));
    }
    let outcome = session.go()?;
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
    Ok(observed)
}
