//! `cargo xtask bisect`: finds the tool call after which a check fails.

use std::process::Command;
use std::time::Duration;

use hookkit_protocol::git_variables::ELSEWHERE;
use hookkit_snapshot::{Call, Content};

use crate::commands::prelude::*;
use crate::commands::snapshots::describe;
use crate::disk::beneath::Beneath;
use crate::disk::restore::Restore;
use crate::history::kept::{RESTORE, Snapshots, prompt};
use crate::terminal::program;

pub(crate) const EXAMPLES: &str = "\
It runs the check in a temporary folder with the files of snapshots, which the hook keep-snapshots has taken: the \
project is not changed. The folder has no `.git`, and nothing that snapshots leave out, such as `node_modules`.
Exit code 1: the call was found.

Example: cargo xtask bisect 'cargo test'";

#[derive(Args)]
pub(crate) struct Options {
    /// The check, a command line for `sh`; its exit code reports a failure
    check: String,
    /// The session, by its id or the beginning of it [default: the last call's]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The project [default: the current folder's]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let mut snapshots = Snapshots::of(options.project.as_deref())?;
    let mut sessions = snapshots.calls.iter().rev().map(|call| &call.session);
    let asked = options.session.as_deref().unwrap_or_default();
    let session = sessions.find(|session| !session.is_empty() && session.starts_with(asked));
    let session = session.context("no session has such an id; `cargo xtask snapshots` lists them")?.clone();
    let now = snapshots.now("bisect", options.check.clone())?;
    // Another session may have changed the files in between.
    let calls: Vec<&Call> = (snapshots.calls.iter())
        .skip_while(|call| call.session != session)
        .filter(|call| !call.session.is_empty() || call.tool == RESTORE)
        .collect();
    // The states of the files, each with the position of the last call before which the files were in that state.
    let mut states: Vec<(u64, usize)> = Vec::new();
    let numbers = calls.iter().map(|call| call.number).chain([now]);
    for (place, number) in numbers.enumerate() {
        let tree = snapshots.trees.get(&number);
        match states.last_mut() {
            _ if tree.is_none() => {}
            Some(last) if snapshots.trees.get(&last.0) == tree => *last = (number, place),
            _ => states.push((number, place)),
        }
    }
    let folder = tempfile::Builder::new().prefix("hookkit-bisect-").tempdir()?;
    let (scratch, mut written) = (folder.path().canonicalize()?, BTreeMap::new());
    let mut runs = 0;
    let found = first_failing(states.len(), |state| {
        let (number, _) = states[state];
        fill(&scratch, &mut written, &snapshots, number)?;
        let mut check = Command::new("sh");
        check.args(["-c", &options.check]).current_dir(&scratch);
        // git in the check must not find a repository of the user.
        for name in ELSEWHERE {
            check.env_remove(name);
        }
        check.env("GIT_CEILING_DIRECTORIES", scratch.join(".."));
        let passes = check.output().context("sh could not be run")?.status.success();
        runs += 1;
        inform!("snapshot {number}: {}", if passes { "passes" } else { "fails" });
        Ok(passes)
    })?;
    let ((good, first), (bad, _)) = (states[found - 1], states[found]);
    // The cause may be any of the following calls without a snapshot.
    let more = calls[first + 1..].iter();
    let more = more.take_while(|call| !snapshots.trees.contains_key(&call.number));
    let calls: Vec<&Call> = calls[first..=first].iter().chain(more).copied().collect();
    let restore = format!("{} snapshots restore {good}", program());
    let mut text = Text::new();
    text.plain(match calls.len() {
        1 => "The check passes before this call, and fails after it:",
        _ => "The check passes before the first of these calls, and fails after the last; no snapshot was taken in between:",
    });
    let mut found = Vec::new();
    for call in calls {
        let prompt = prompt(call);
        text.line_end().plain("  ").hang();
        describe(call, &mut text);
        text.line_end().plain("  Prompt: ").plain(one_line(prompt.as_deref().unwrap_or("not found")));
        found.push(json!({"call": call, "prompt": prompt}));
    }
    text.line_end().plain("Their changes: ").command(format_args!("{} snapshots diff {good} {bad}", program()));
    text.plain("\nThe files before: ").command(&restore);
    let found = json!({"calls": found, "before": good, "after": bad, "runs": runs, "restore": restore});
    options.format.report(text, &[row("summary", found)], false)
}

/// Returns the first state that fails. The first state of all must pass, and the last must fail.
///
/// # Errors
///
/// Fails if the first fails or the last passes, or if the check cannot be run.
fn first_failing(states: usize, mut passes: impl FnMut(usize) -> Result<bool>) -> Result<usize> {
    ensure!(states > 1, "the files have not changed in this session");
    let (mut good, mut bad) = (0, states - 1);
    ensure!(!passes(bad)?, "the check passes with the files as they are now");
    ensure!(
        passes(good)?,
        "the check fails with the first snapshot of the session; if it needs files that snapshots leave out, it \
         has to install them"
    );
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        match passes(middle)? {
            true => good = middle,
            false => bad = middle,
        }
    }
    Ok(bad)
}

/// Fills a temporary working tree, into which these files were `written`, with the files of a snapshot. Files created by a check stay, and unchanged files keep their
/// times, so that a build can be incremental.
fn fill(folder: &Path, written: &mut BTreeMap<PathBuf, Content>, snapshots: &Snapshots, number: u64) -> Result<()> {
    let root = Beneath::project(folder);
    let files = snapshots.files(number)?;
    for path in written.keys().filter(|path| !files.contains_key(*path)) {
        if root.join(path).stat()?.is_some_and(|stat| !stat.is_folder()) {
            root.join(path).parent().open()?.remove(root.join(path).name()?)?;
        }
    }
    let restore =
        Restore { root: root.clone(), is_kept: &|_: &Path| true, since: Duration::MAX, aside: ".aside".to_owned() };
    snapshots.each(&files, |path, content, bytes| {
        let (name, is_same) = (root.join(path), written.get(path) == Some(content));
        // The check may have changed it.
        match is_same && content.mode.is_some() && name.read().is_ok_and(|now| now.as_deref() == Some(bytes)) {
            true => Ok(()),
            false => restore.write(path, content, bytes),
        }
    })?;
    *written = files;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_that_fails_is_found_in_a_logarithm_of_runs() -> Result<()> {
        for states in 2..=201 {
            for first in 1..states {
                let mut runs = 0;
                let found = first_failing(states, |state| {
                    runs += 1;
                    Ok(state < first)
                })?;
                assert_eq!(found, first);
                assert!(runs <= (states - 1).next_power_of_two().ilog2() + 2, "{runs} runs for {states}");
            }
        }
        assert!(first_failing(3, |_| Ok(true)).is_err());
        assert!(first_failing(3, |_| Ok(false)).is_err());
        assert!(first_failing(1, |_| Ok(false)).is_err());
        Ok(())
    }
}
