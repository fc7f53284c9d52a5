//! Outlive the hook.

// ANCHOR: hook
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use hookkit::prelude::*;

/// Fetches from the remote repository while the session goes on.
#[hook(SessionStart, timeout = 5)]
pub fn fetch_in_background(context: Context) -> Result<(), Error> {
    let mut fetch = Command::new("git");
    fetch.args(["fetch", "--quiet"]).current_dir(&context.project_dir);
    // A question for a password would wait forever.
    fetch.env("GIT_TERMINAL_PROMPT", "0");
    detach(&mut fetch)
}

/// Starts a program that lives on when the hook has ended.
fn detach(command: &mut Command) -> Result<(), Error> {
    command
        // Claude Code waits for the end of the hook's stdout and stderr, which a program inherits.
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A signal to the hook's process group does not reach it.
        .process_group(0)
        .spawn()?;
    Ok(())
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_detached_program_is_not_waited_for() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let started = Instant::now();
        detach(
            Command::new("sh")
                .args(["-c", "sleep 1; touch done"])
                .current_dir(&folder),
        )?;
        assert!(started.elapsed() < Duration::from_millis(900));
        while !folder.path().join("done").exists() {
            assert!(started.elapsed() < Duration::from_secs(30));
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}
// ANCHOR_END: test
