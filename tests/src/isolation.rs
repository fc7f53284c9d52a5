//! Isolation for a run of the client: it reads none of the user's files, and leaves no process behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;

/// The API key of the client. The model accepts any key; the client asks for confirmation unless the key's last
/// characters are approved.
pub const API_KEY: &str = "dummy-key-for-a-scripted-model";

/// Paths that the client reads on every machine, in any environment.
const OF_THE_MACHINE: [&str; 4] = [
    "/etc/claude-code",
    "/Library/Application Support/ClaudeCode",
    "/Library/Managed Preferences/com.anthropic.claudecode.plist",
    "/home/claude/.claude/remote",
];

/// Returns one of the configurations of this machine that the client reads even in a clean environment.
pub fn machine_configuration() -> Option<&'static Path> {
    OF_THE_MACHINE.iter().map(Path::new).find(|path| path.exists())
}

/// Returns the first path of these names that is in one of the folders.
pub fn found_in<'p>(folders: impl IntoIterator<Item = &'p Path>, names: &[&str]) -> Option<PathBuf> {
    let mut paths = folders.into_iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    paths.find(|path| path.exists())
}

/// Writes the client's state into its configuration: the project is trusted, and no dialog is open.
///
/// # Errors
///
/// The file cannot be written.
pub fn trust(config: &Path, project: &Path) -> Result<()> {
    let state = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": [&API_KEY[API_KEY.len() - 20..]]},
        "projects": {(project.to_string_lossy()): {"hasTrustDialogAccepted": true}},
    });
    let path = config.join(".claude.json");
    fs::write(&path, state.to_string()).with_context(|| format!("cannot write {}", path.display()))
}

/// Clears the environment of the client, and sets the variables of every run: it calls only the API at `url`, and does
/// not retry.
pub fn isolate(client: &mut Command, home: &Path, config: &Path, temporary: &Path, url: &str) {
    client
        .env_clear()
        .env("HOME", home)
        .env("CLAUDE_CONFIG_DIR", config)
        .env("TMPDIR", temporary)
        .env("ANTHROPIC_BASE_URL", url)
        .env("ANTHROPIC_API_KEY", API_KEY)
        .envs(FIXED_VARIABLES);
}

const FIXED_VARIABLES: [(&str, &str); 11] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_MAX_RETRIES", "0"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_BUG_COMMAND", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_FEEDBACK_COMMAND", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("LANG", "C.UTF-8"),
    ("SHELL", "/bin/bash"),
    ("TERM", "dumb"),
    ("USER", "user"),
];

/// The running client, the leader of a process group. If dropped before it exits, it is killed with all its
/// descendants.
pub struct Running(pub Child);

impl Running {
    /// Returns its exit status, or `None` if it was still running after `limit`, and is killed.
    ///
    /// # Errors
    ///
    /// The state of the process cannot be read.
    pub fn wait(mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            thread::sleep(Duration::from_millis(10));
        }
        self.0.try_wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            // Reaped: another process may already have its id.
            return;
        }
        // Descendants are found by their parents, since each hook leads its own group and session.
        // Without `ps`, only the group is killed.
        let listing = Command::new("/bin/ps").args(["-A", "-o", "pid=,ppid="]).output();
        let listing = listing.map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
        let below = descendants(self.0.id(), &listing.unwrap_or_default());
        // It leads the group until it is reaped, so the id is still its own.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        for id in below.into_iter().filter_map(Pid::from_raw) {
            // It may have exited.
            let _ = kill_process(id, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Returns the descendants of `root`, from a listing of `<id> <parent's id>` lines.
fn descendants(root: u32, listing: &str) -> Vec<i32> {
    let line = |line: &str| -> Option<(i32, i32)> {
        let (id, parent) = line.trim().split_once(' ')?;
        Some((id.parse().ok()?, parent.trim().parse().ok()?))
    };
    let processes: Vec<(i32, i32)> = listing.lines().filter_map(line).collect();
    let mut found: Vec<i32> = root.try_into().into_iter().collect();
    let mut at = 0;
    while at < found.len() {
        for &(id, parent) in &processes {
            // A listing is not a snapshot: an id that occurs twice must not cause an endless loop.
            if parent == found[at] && !found.contains(&id) {
                found.push(id);
            }
        }
        at += 1;
    }
    found.into_iter().skip(1).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;

    use super::*;

    #[test]
    fn descendants_are_found_through_their_parents() {
        let listing = "    1     0\n  10     1\n  11    10\n 200    11\n  12     1\nodd line\n 201    11\n";
        assert_eq!(descendants(10, listing), [11, 200, 201]);
        assert!(descendants(12, listing).is_empty());
    }

    #[test]
    fn a_process_past_its_limit_is_ended_with_its_descendants() -> Result<()> {
        let folder = test_support::folder();
        let ids = folder.path().join("ids");
        // One in the group, and one that leads its own group, as a hook does.
        let script = format!("sleep 60 & echo $! >'{0}'; set -m; sleep 60 & echo $! >>'{0}'; wait", ids.display());
        let child = Command::new("sh").args(["-c", &script]).process_group(0).spawn()?;
        assert!(Running(child).wait(Duration::from_millis(500))?.is_none());
        let ids = fs::read_to_string(ids)?;
        assert_eq!(ids.lines().count(), 2, "{ids}");
        for id in ids.lines() {
            // Its new parent may take a moment to reap it.
            let is_gone = (0..100).any(|_| {
                thread::sleep(Duration::from_millis(20));
                let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output();
                state.is_ok_and(|done| done.stdout.is_empty() || done.stdout.starts_with(b"Z"))
            });
            assert!(is_gone, "process {id} still runs");
        }
        Ok(())
    }
}
