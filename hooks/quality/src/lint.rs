//! Lints files that were just edited.

mod linter;

use std::hash::{DefaultHasher, Hash, Hasher};

use hookkit::state::{State, States};
use hookkit::tool::Paths;
use linter::Run;

use crate::prelude::*;

/// Lints the files that were just edited, and reports the findings to the model.
///
/// The model then fixes its mistakes immediately, and not at the end of the turn.
///
/// | files | linter | when |
/// |---|---|---|
/// | Python, notebooks | `ruff check`, from `.venv` or `PATH` | ruff is configured |
/// | JavaScript, TypeScript, Vue, Svelte | `eslint`, from `node_modules` or `PATH` | ESLint is configured |
/// | shell (`.sh`, `.bash`, `.ksh`) | `shellcheck` | always |
/// | Go | `go vet`, on the package | there is a `go.mod` |
///
/// A configuration counts if it is in the file's folder or above it, up to the root of the project or of the repository
/// around it.
///
/// It runs once for all calls of one message, when the last of them is done (PostToolBatch). Many edits thus need only
/// one run, and the linter reads the files after `format-on-edit` and all other hooks on edits. Each linter gets all of
/// its files together. A file that has not changed since the session last linted it is left out, for example after an
/// edit that failed.
///
/// The model reads the beginning of the findings, and only the findings in the changed files: `go vet` prints more. If
/// a linter does not start, takes too long or fails, for example because of its configuration, the user reads the
/// reason, and the model does not, because the edit is seldom the cause.
///
/// The hook prints nothing if there are no findings, if the linter is not configured or not installed, if the file is
/// gone, and for files outside the project. ESLint's warnings are reported only next to an error: without errors,
/// ESLint itself passes.
///
/// Clippy is not included. It checks a whole crate and compiles its dependencies, so one edit can cost minutes. During
/// that time it holds the lock of the target folder, for which the model's own `cargo test` waits. And in the middle of
/// a change, when nothing compiles, it reports errors that the next edit fixes anyway.
/// Use it in the check of [`check_before_stop`](crate::gate::check_before_stop).
///
/// # What it cannot see
///
/// - Files that shell commands write.
/// - The age of a finding, relative to the edit.
/// - Findings that an edit causes in another file.
/// - Changes of a configuration after the file was linted.
/// - On Windows, programs in `PATH` other than `.exe`, so ESLint does not run there.
///
/// # Errors
///
/// If a file cannot be read, its path has a loop of links, or the list of linted files cannot be saved, the user reads
/// the reason, and the work goes on.
#[hook(PostToolBatch, timeout = 60)]
pub fn lint_on_edit(batch: PostToolBatch, context: Context, states: States) -> Result<PostToolBatchAnswer, Error> {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let files = changed_files(&batch, &context)?;
    let report = lint(&files, &search_path, || states.of_session("hookkit-quality lint"))?;
    let mut answer = PostToolBatchAnswer::pass();
    if !report.findings.is_empty() {
        answer = answer.with_context(format!("{PREFACE}\n\n{}", head(&report.findings.join("\n\n"))));
    }
    if !report.failures.is_empty() {
        answer = answer.with_system_message(head(&report.failures.join("\n")));
    }
    Ok(answer)
}

const PREFACE: &str = "Linters report this in files that you have just changed. Fix what your changes caused. Do not \
                       change what was there before, unless the user asks for it.";

/// The tools that change files.
const TOOLS: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// Returns the project's files that the batch changed, each once.
fn changed_files(batch: &PostToolBatch, context: &Context) -> Result<Vec<ProjectPath>, Error> {
    let mut files: Vec<ProjectPath> = Vec::new();
    for call in batch.tool_calls.iter().filter(|call| TOOLS.contains(&&*call.tool_name)) {
        // If the input did not fit the tool, the client denied the call, and nothing changed.
        for path in call.input.paths(&call.tool_name).unwrap_or_default() {
            let file = context.path(path)?;
            let is_new = files.iter().all(|known| known.resolved != file.resolved);
            if is_new && file.relative.is_some() && file.resolved.is_file() {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// The reports of linters.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<String>,
    failures: Vec<String>,
}

/// Paths of files, with the hashes of the content that was linted last; the latest at the end.
type Linted = Vec<(String, u64)>;

/// Lints the files that the session has not linted in their current state.
fn lint(
    files: &[ProjectPath],
    search_path: &OsStr,
    state: impl FnOnce() -> Result<State<Linted>, Error>,
) -> Result<Report, Error> {
    let mut wanted: Vec<(Run<'_>, u64)> = Vec::new();
    for run in files.iter().filter_map(|file| Run::of(file, search_path)) {
        let hash = hash(run.file())?;
        wanted.push((run, hash));
    }
    if wanted.is_empty() {
        return Ok(Report::default());
    }
    // Before linting, so that another agent of the session does not lint them, too.
    state()?.update(|linted| wanted.retain(|(run, hash)| note(linted, run.file(), *hash)))?;
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (run, _) in wanted {
        if !runs.iter_mut().any(|known| known.merge(&run)) {
            runs.push(run);
        }
    }
    let mut report = Report::default();
    for run in runs {
        match run.findings() {
            Ok(findings) => report.findings.extend(findings),
            Err(failure) => report.failures.push(failure),
        }
    }
    Ok(report)
}

/// Returns a hash of a file's content. With another Rust release it may differ, and the file is linted once more.
fn hash(file: &Path) -> Result<u64, Error> {
    let content = fs::read(file).map_err(|err| Error::msg(format_args!("`{}`: {err}", file.display())))?;
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Maximum number of files whose hashes are kept.
const MAX_FILES: usize = 1_000;

/// Notes the hash of a file's content. Returns `true` if it is new.
fn note(linted: &mut Linted, file: &Path, hash: u64) -> bool {
    let entry = (file.to_string_lossy().into_owned(), hash);
    if linted.contains(&entry) {
        return false;
    }
    linted.retain(|(name, _)| *name != entry.0);
    linted.push(entry);
    let excess = linted.len().saturating_sub(MAX_FILES);
    linted.drain(..excess);
    true
}

// The tests run shell scripts as programs.
#[cfg(test)]
#[cfg(unix)]
mod tests;
