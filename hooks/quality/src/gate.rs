//! Runs the project's own check before a turn ends.

use std::io::ErrorKind;

use crate::prelude::*;
use crate::program::is_program;

/// Runs the project's check before a turn ends, and lets the model fix the problems.
///
/// The check is the executable file `.claude/check` in the project, in any language. In a linked worktree, the file of
/// the main worktree is used if it exists. The check runs in the project's root, without arguments and with an empty
/// stdin. Any exit status but 0 keeps the turn from ending:
///
/// ```sh
/// #!/bin/sh
/// # Without changes, there is nothing to check.
/// [ -z "$(git status --porcelain)" ] && exit 0
/// cargo clippy --quiet -- -D warnings && cargo test --quiet
/// ```
///
/// The check is below `.claude` so that the model cannot pass by replacing it. In that folder, the client asks the user
/// before an edit or a redirection changes a file, even if edits are allowed or accepted (client 2.1.330). If
/// permissions are bypassed, it does not ask.
///
/// The turn is held once. The model reads the end of the check's output, fixes the problems, and stops again. The check
/// does not run a second time, so that a check that always fails cannot keep the model going.
///
/// The hook prints nothing if there is no such file, and if the check passes.
///
/// The hook does not run when a subagent ends; the subagent's work is checked at the end of the turn. In a worktree
/// that the session entered, the hook still checks the project where the session started (client 2.1.330).
///
/// # What it cannot see
///
/// - A second attempt of the model that is still wrong.
/// - Anything that the model does after another hook has held the turn.
/// - Changes that a script makes to the check.
///
/// Windows runs only programs, so a script as the check is an error there.
///
/// # Errors
///
/// If the file is not executable, does not start or cannot be read, or if the check is still running shortly before the
/// hook's 600 seconds are over, the user reads the reason, and the turn ends.
#[hook(Stop, timeout = 600)]
pub fn check_before_stop(stop: Stop, context: Context) -> Result<Option<StopAnswer>, Error> {
    if stop.stop_hook_active {
        return Ok(None);
    }
    let complaint = check(&context.project_dir, &context.project_file(CHECK))?;
    Ok(complaint.map(|text| StopAnswer::block_once(&stop, text)))
}

const CHECK: &str = ".claude/check";

/// Maximum number of bytes of a failed check's output for the model. The end is kept, because tools print their
/// summaries there.
const MAX_OUTPUT: usize = 8 * 1024;

/// Returns the text for the model, if the check of a project fails.
fn check(project: &Path, program: &Path) -> Result<Option<String>, Error> {
    match program.symlink_metadata() {
        Ok(_) => {}
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(err) => return Err(Error::msg(format_args!("`{}`: {err}", program.display()))),
    }
    if !is_program(program) {
        return Err(Error::msg(format_args!(
            "`{0}` is not an executable file: run `chmod +x {0}`, or remove it",
            program.display()
        )));
    }
    let output =
        Command::new(program).current_dir(project).stderr_to_stdout().keep_end().output_limit(MAX_OUTPUT).output()?;
    if output.status.success() {
        return Ok(None);
    }
    let printed = match output.stdout_text() {
        printed if printed.is_empty() && !output.is_cut_off => "It printed nothing.".into(),
        printed if output.is_cut_off => format!("[the beginning is left out]\n{}", from_line(&printed)).into(),
        printed => printed,
    };
    Ok(Some(format!(
        "`{CHECK}` failed ({}). Fix what it found before you finish, and report to the user what cannot be fixed.\n\n{printed}",
        output.status
    )))
}

/// Returns a text from the start of its first whole line.
fn from_line(text: &str) -> &str {
    text.split_once('\n').map_or(text, |(_, lines)| lines)
}

// The tests run shell scripts as programs.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::program::{install, install_script};
    use test_support::Has;

    fn check(project: &Path) -> Result<Option<String>, Error> {
        super::check(project, &project.join(CHECK))
    }

    fn project(script: &str) -> tempfile::TempDir {
        let project = test_support::folder();
        install_script(&project.path().join(CHECK), script);
        project
    }

    /// Returns the message for a check that fails, without its beginning.
    fn complaint(script: &str) -> String {
        let complaint = check(project(script).path()).unwrap().unwrap();
        let (head, output) = complaint.split_once("\n\n").unwrap();
        assert!(head.starts_with("`.claude/check` failed ("), "{head}");
        output.to_owned()
    }

    #[test]
    fn a_project_without_a_check_and_one_whose_check_passes_are_silent() {
        let project = test_support::folder();
        assert_eq!(check(project.path()).unwrap(), None);
        fs::write(project.path().join(".claude"), "a file").unwrap();
        assert_eq!(check(project.path()).unwrap(), None);
        let passing = self::project("echo fine; echo fine >&2");
        assert_eq!(check(passing.path()).unwrap(), None);
    }

    #[test]
    fn the_check_runs_in_the_projects_root_without_input() {
        let project = project("pwd -P; cat; echo end; exit 1");
        let root = project.path().canonicalize().unwrap();
        let complaint = check(project.path()).unwrap().unwrap();
        complaint.ends(&format!("\n\n{}\nend", root.display()));
    }

    #[test]
    fn a_failed_check_gives_both_streams_in_order() {
        let project = project("echo one; echo two >&2; echo three; exit 3");
        assert_eq!(
            check(project.path()).unwrap().unwrap(),
            "`.claude/check` failed (exit status: 3). Fix what it found before you finish, and report \
             to the user what cannot be fixed.\n\none\ntwo\nthree"
        );
    }

    #[test]
    fn a_check_that_fails_silently_or_by_a_signal_is_reported() {
        assert_eq!(complaint("false"), "It printed nothing.");
        let killed = check(project("kill -9 $$").path()).unwrap().unwrap();
        killed.starts("`.claude/check` failed (signal: 9 (SIGKILL))");
    }

    #[test]
    fn of_a_long_output_the_end_is_kept_from_the_start_of_a_line() {
        let project =
            project("i=0; while [ $i -lt 3000 ]; do echo \"line $i of the output\"; i=$((i+1)); done; exit 1");
        let complaint = check(project.path()).unwrap().unwrap();
        assert!(complaint.len() < 8 * 1024 + 300);
        assert!(complaint.ends_with("\nline 2999 of the output"));
        let (head, first) = complaint.split_once("[the beginning is left out]\nline ").unwrap();
        assert!(head.ends_with("\n\n"), "{head}");
        assert!(first.starts_with(|digit: char| digit.is_ascii_digit()));
    }

    #[test]
    fn output_that_is_not_utf_8_is_reported_as_far_as_it_is() {
        assert_eq!(complaint(r"printf 'a\377b'; exit 1"), "a\u{fffd}b");
    }

    #[test]
    fn what_the_check_leaves_running_is_not_waited_for() {
        let started = Instant::now();
        assert_eq!(complaint("sleep 5 & echo failed; exit 1"), "failed");
        assert!(started.elapsed() < Duration::from_secs(4));
    }

    #[test]
    fn a_check_that_is_not_executable_is_an_error_that_says_the_fix() {
        let project = test_support::folder();
        let path = project.path().join(CHECK);
        fs::create_dir(project.path().join(".claude")).unwrap();
        symlink("missing", &path).unwrap();
        assert!(check(project.path()).is_err());
        fs::remove_file(&path).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        let fix = format!("is not an executable file: run `chmod +x {}`, or remove it", path.display());
        let error = check(project.path()).unwrap_err().to_string();
        assert_eq!(error, format!("`{}` {fix}", path.display()));
    }

    #[test]
    fn a_check_that_cannot_be_looked_at_is_an_error() {
        let project = test_support::folder();
        symlink(".claude", project.path().join(".claude")).unwrap();
        let error = check(project.path()).unwrap_err().to_string();
        error.starts(&format!("`{}`: ", project.path().join(CHECK).display()));
    }

    #[test]
    fn a_check_that_does_not_start_is_an_error() {
        let project = test_support::folder();
        let path = project.path().join(CHECK);
        install(&path, "#!/missing/interpreter\n");
        let error = check(project.path()).unwrap_err().to_string();
        error.starts(&format!("`{}` could not be run: ", path.display()));
    }
}
