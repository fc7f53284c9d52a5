//! The edits, paths and searches that the real client is asked about.
//!
//! The client tier records the effect of each; the fast tier compares it with what the library computes.

use std::os::unix::fs::symlink;

use anyhow::Result;
use hookkit::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Project, record};

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
    "1.txt",
    "new/./2.txt",
    "link/3.txt",
    "link/../4.txt",
    "../project/5.txt",
    " 6.txt ",
    "7.txt/",
    "~user/8.txt",
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
