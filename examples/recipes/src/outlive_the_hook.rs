//! Outlive the hook.

// ANCHOR: hook
use hookkit::prelude::*;
use hookkit::process::Command;

/// Fetches from the remote repository while the session goes on.
#[hook(SessionStart, timeout = 5)]
pub fn fetch_in_background(context: Context) -> Result<(), Error> {
    let mut fetch = Command::new("git");
    fetch.args(["fetch", "--quiet"]).current_dir(&context.project_dir);
    // A question for a password would wait forever.
    fetch.env("GIT_TERMINAL_PROMPT", "0").detach()?;
    Ok(())
}
// ANCHOR_END: hook

// ANCHOR: async
use std::io::ErrorKind;

use hookkit::state::States;

/// Updates the project's tags after an edit, one run at a time.
#[hook(PostToolUse, matcher = "Edit|Write", async)]
pub fn tag_in_background(context: Context, states: States) -> Result<(), Error> {
    let mut ctags = Command::new("ctags");
    ctags
        .args(["--recurse", "-f", ".tags"])
        .current_dir(context.project_dir);
    one_at_a_time(&states, &mut ctags)
}

/// Runs a program, unless another hook is running it for this project.
fn one_at_a_time(states: &States, program: &mut Command) -> Result<(), Error> {
    let run = states.of_project("recipes tags")?.try_update(|runs: &mut u32| {
        *runs += 1;
        program.output()
    })?;
    match run {
        // It is optional.
        Some(Err(err)) if err.kind() != ErrorKind::NotFound => Err(err.into()),
        _ => Ok(()),
    }
}
// ANCHOR_END: async

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_program_that_runs_is_not_started_again() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let states = States::new(folder.path().join("state"), &Context::default());
        let run = |script: &str| {
            let mut program = Command::new("sh");
            program.args(["-c", script]).current_dir(folder.path());
            one_at_a_time(&states, &mut program)
        };
        thread::scope(|scope| {
            scope.spawn(|| run(": > started; while [ ! -e go ]; do sleep 0.01; done"));
            while !folder.path().join("started").exists() {
                thread::yield_now();
            }
            run(": > second")?;
            Ok::<_, Error>(std::fs::write(folder.path().join("go"), "")?)
        })?;
        assert!(!folder.path().join("second").exists());
        run(": > second")?;
        assert!(folder.path().join("second").exists());
        one_at_a_time(&states, &mut Command::new("no-such-program"))
    }
}
// ANCHOR_END: test
