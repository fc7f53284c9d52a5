//! Reports the state of the git repository to the model.

use std::fmt::Write;

use hookkit::git::{ChangeKind, Commit, Status, WorkTree};

use crate::prelude::*;

/// Reports the state of the git repository to the model, when a session starts, resumes or is compacted.
///
/// The model reads the branch and its distance from the upstream, the changed files, and the last commits:
///
/// ```text
/// The git repository, as it is now:
/// On branch `main`, 1 commit ahead of `origin/main` and 2 behind it, as of the last fetch.
/// Changed files (2):
/// - modified, staged: src/lib.rs
/// - untracked: notes.txt
/// Last commits:
/// - 1f6ad8e30 Fix the parser
/// ```
///
/// When a session starts, the client itself shows the model the branch, the files and the commits (2.1.330). After a
/// resume or a compaction, the model's knowledge of them may be outdated.
/// The model reads up to 30 files and 5 commits, and the number of further files.
/// Nothing is fetched, and the repository is not changed.
///
/// The hook prints nothing outside of git repositories, and if git is not installed.
///
/// Names of files and subjects of commits are written by others. The model reads them without control characters and
/// without characters that reverse the order of a text; long ones are cut off.
///
/// # What it cannot see
///
/// - Changes later in the session.
/// - The state of submodules.
/// - New files, if the user's settings turn off the search for them (`status.showUntrackedFiles`).
///
/// # Errors
///
/// If git fails, for example in another user's repository, or takes more than 5 seconds, the user reads the reason, and
/// the session starts without the report.
#[hook(SessionStart, timeout = 15)]
pub fn git_context(context: Context) -> Result<Option<SessionStartAnswer>, Error> {
    let text = match describe(&context.cwd) {
        Err(err) if err.kind() == ErrorKind::NotFound => None,
        described => described?,
    };
    Ok(text.map(|text| SessionStartAnswer::pass().with_context(text)))
}

const MAX_FILES: usize = 30;
const MAX_COMMITS: usize = 5;
const MAX_CHARACTERS: usize = 150;

/// Describes the repository around a folder; `None` if there is none.
pub(crate) fn describe(folder: &Path) -> io::Result<Option<String>> {
    let Some(tree) = WorkTree::around(folder)? else {
        return Ok(None);
    };
    Ok(Some(text(&tree.status()?, &tree.last_commits(MAX_COMMITS)?)))
}

/// Returns the text for the model, with each fact on a line of its own.
fn text(status: &Status, commits: &[Commit]) -> String {
    let mut text = String::from("The git repository, as it is now:\n");
    text += &head(status);
    text += &changes(status);
    if !commits.is_empty() {
        text += "Last commits:\n";
    }
    for commit in commits {
        let id: String = commit.id.chars().take(9).collect();
        // A string can always be written to.
        let _ = writeln!(text, "- {id} {}", one_line(&commit.subject));
    }
    text.truncate(text.trim_end().len());
    text
}

fn head(status: &Status) -> String {
    let Some(branch) = &status.branch else {
        return "On no branch (detached HEAD).\n".to_owned();
    };
    let mut line = format!("On branch `{}`", one_line(branch));
    if status.commit.is_none() {
        line += ", which has no commits yet";
    }
    if let Some(upstream) = &status.upstream {
        let name = one_line(&upstream.name);
        let commits = |count: u32| format!("{count} commit{}", if count == 1 { "" } else { "s" });
        line += &match (upstream.ahead, upstream.behind) {
            _ if upstream.is_gone => format!(", whose upstream `{name}` does not exist"),
            (0, 0) => format!(", level with `{name}` as of the last fetch"),
            (ahead, 0) => format!(", {} ahead of `{name}` as of the last fetch", commits(ahead)),
            (0, behind) => format!(", {} behind `{name}` as of the last fetch", commits(behind)),
            (ahead, behind) => {
                let ahead = commits(ahead);
                format!(", {ahead} ahead of `{name}` and {behind} behind it, as of the last fetch")
            }
        };
    }
    line + ".\n"
}

fn changes(status: &Status) -> String {
    let count = status.changes.len();
    if count == 0 {
        return "Changed files: none.\n".to_owned();
    }
    let at_least = if status.is_cut_off { "at least " } else { "" };
    let mut text = format!("Changed files ({at_least}{count}):\n");
    for change in status.changes.iter().take(MAX_FILES) {
        let what = match (change.staged, change.unstaged) {
            (Some(kind), None) => format!("{}, staged", word(kind)),
            (Some(kind), Some(_)) => format!("{}, staged, and changed since", word(kind)),
            (None, kind) => kind.map(word).unwrap_or("changed").to_owned(),
        };
        let path = one_line(&change.path.to_string_lossy());
        // A string can always be written to.
        let _ = match &change.origin {
            Some(origin) => writeln!(text, "- {what}: {} → {path}", one_line(&origin.to_string_lossy())),
            None => writeln!(text, "- {what}: {path}"),
        };
    }
    if count > MAX_FILES {
        let _ = writeln!(text, "- and {} more", count - MAX_FILES);
    }
    text
}

fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "new",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::Copied => "copied",
        ChangeKind::TypeChanged => "of another type",
        ChangeKind::Unmerged => "in conflict",
        ChangeKind::Untracked => "untracked",
        _ => "changed",
    }
}

/// Returns untrusted text on one line, cut off if it is long.
fn one_line(text: &str) -> String {
    let plain = |char: char| if is_plain(char) { char } else { '\u{fffd}' };
    let mut chars = text.chars();
    let mut line: String = chars.by_ref().take(MAX_CHARACTERS).map(plain).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}
