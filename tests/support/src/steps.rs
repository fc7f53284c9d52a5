//! Processes that die at one of their steps. Code marks a step by a macro that calls [`step`] under `cfg(test)`.

use std::env;
use std::process::{Command, abort};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Environment variable with the number of the step at which a process dies.
const DIES_AT: &str = "HOOKKIT_TEST_DIES_AT";

/// Marks a step as done. It may be the last one of the process.
pub fn step(name: &str) {
    static DIES_AT_STEP: LazyLock<Option<usize>> = LazyLock::new(|| env::var(DIES_AT).ok()?.parse().ok());
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if Some(DONE.fetch_add(1, Ordering::Relaxed)) == *DIES_AT_STEP {
        eprintln!("dies at: {name}");
        abort();
    }
}

/// Runs a test of this program, by its path, as a process that dies at a step. Returns its stderr, or `None` if it ended before.
///
/// # Panics
///
/// If the process fails otherwise.
#[track_caller]
pub fn killed(test: &str, variable: &str, value: impl AsRef<std::ffi::OsStr>, step: usize) -> Option<String> {
    let output = Command::new(env::current_exe().expect("a path"))
        .args(["--exact", "--nocapture", test])
        .env(variable, value)
        .env(DIES_AT, step.to_string())
        .output()
        .expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), last_step(&stderr).is_none(), "{stderr}");
    (!output.status.success()).then_some(stderr)
}

/// Returns the name of the step at which a process has died, by its stderr.
pub fn last_step(stderr: &str) -> Option<&str> {
    stderr.lines().find_map(|line| Some(line.split_once("dies at: ")?.1))
}
