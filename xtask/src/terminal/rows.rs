//! JSON output: the rows of `--json`, described in docs/book/src/json.md.
//!
//! A row is a JSON object on its own line. Its `kind` decides its members.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::stream;
use super::style::PLAIN;
use super::text::Text;

/// The result of a command that succeeded.
pub(crate) enum Done {
    Clean,
    /// The user has something to do.
    WithFindings,
}

/// The output option of every command that reports.
#[derive(Args)]
pub(crate) struct Format {
    /// Print JSON for programs, one object a line; docs/book/src/json.md describes the members
    #[arg(long, global = true)]
    json: bool,
}

impl Format {
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the text or, with `--json`, the rows, for a command that found nothing to do.
    pub(crate) fn print(&self, text: impl Into<Text>, rows: &[Value]) -> Result<Done> {
        self.report(text, rows, true)
    }

    /// Prints the text or, with `--json`, the rows. Returns the result for the exit code.
    pub(crate) fn report(&self, text: impl Into<Text>, rows: &[Value], is_clean: bool) -> Result<Done> {
        let done = if is_clean { Done::Clean } else { Done::WithFindings };
        let mut text = text.into();
        if self.json {
            if rows.is_empty() {
                return Ok(done);
            }
            let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
            text = Text::new();
            text.verbatim(PLAIN, lines.join("\n"));
        }
        stream::to_stdout(&text)?;
        Ok(done)
    }
}

/// Returns a row of this kind, with the members of a JSON object.
///
/// # Panics
///
/// Panics if `members` is not an object. Otherwise, a row could silently lack its members.
pub(crate) fn row(kind: &str, members: impl Serialize) -> Value {
    let mut row = serde_json::to_value(members).expect("the names of a row's members are strings");
    row["kind"] = kind.into();
    row
}

/// Adds members to a row.
pub(crate) fn extend(row: &mut Value, members: Value) {
    if let (Value::Object(row), Value::Object(members)) = (row, members) {
        row.extend(members);
    }
}

/// Returns the row for a file that was or would be changed, with the differing lines. `None` if it is unchanged.
pub(crate) fn changed_file(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<Value> {
    let (change, lines) = match (before, after) {
        (before, after) if before == after => return None,
        (None, _) => ("created", None),
        (Some(_), None) => ("removed", None),
        (Some(before), Some(after)) => ("edited", Some(differing_lines(before, after))),
    };
    let (removed, added) = lines.unzip();
    let file = path.display().to_string();
    Some(row("changed_file", json!({"file": file, "change": change, "removed": removed, "added": added})))
}

/// Returns the removed and added lines.
fn differing_lines(before: &[u8], after: &[u8]) -> (Vec<String>, Vec<String>) {
    // For a large file with changes everywhere, an exact answer is not worth more time.
    const LIMIT: Duration = Duration::from_secs(2);
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::configure().timeout(LIMIT).diff_lines(&*before, &*after);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let line = change.value().trim_end_matches(['\r', '\n']).to_owned();
        match change.tag() {
            ChangeTag::Delete => removed.push(line),
            ChangeTag::Insert => added.push(line),
            ChangeTag::Equal => {}
        }
    }
    (removed, added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_has_the_lines_that_differ() {
        let path = Path::new("Cargo.toml");
        let row = |before, after| changed_file(path, before, after);
        assert_eq!(row(Some(b"a\n"), Some(b"a\n")), None);
        assert_eq!(row(None, None), None);
        assert_eq!(
            row(Some(b"a\nb\nc\n"), Some(b"a\nB\nc\n")),
            Some(
                json!({"kind": "changed_file", "file": "Cargo.toml", "change": "edited", "removed": ["b"], "added": ["B"]})
            )
        );
        assert_eq!(
            row(None, Some(b"a\n")),
            Some(
                json!({"kind": "changed_file", "file": "Cargo.toml", "change": "created", "removed": null, "added": null})
            )
        );
    }

    #[test]
    fn a_row_has_its_kind_and_its_members() -> Result<()> {
        assert_eq!(row("hook", json!({"name": "a"})), json!({"kind": "hook", "name": "a"}));
        assert!(std::panic::catch_unwind(|| row("hook", "a")).is_err());
        Ok(())
    }
}
