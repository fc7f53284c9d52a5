//! The pack's hooks on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(unix)]
use std::fs;
#[cfg(unix)]
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

use serde_json::Value;

// They need git, and programs that are scripts of a shell.
#[cfg(unix)]
mod away;
#[cfg(unix)]
mod budget;
mod chezmoi;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod notify;
mod transcript;

/// A recorded event, after a change to it.
fn changed(event: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut event: Value = serde_json::from_str(event).unwrap();
    change(&mut event);
    event.to_string()
}

/// Puts a shell script where a program is looked for.
///
/// A child process writes it: a file that is open in this one could be handed on to a program that another test starts at
/// the same moment, and a script that is open for writing cannot be run.
#[cfg(unix)]
fn install(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let done = Command::new("/bin/sh")
        .args(["-c", r#"printf '#!/bin/sh\n%s\n' "$2" > "$1" && chmod +x "$1""#, "sh"])
        .args([path.as_os_str(), script.as_ref()])
        .status();
    assert!(done.unwrap().success());
}
