//! Programs that the user has installed.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, fs, io, thread};

use hookkit_protocol::search_path::outside;
use rustix::process::{Pid, Signal, kill_process_group};

/// Returns a command for an installed program: it, and what it starts, are looked for in the absolute folders of `PATH`, and not
/// in the repositories around the current folder and another one.
pub(crate) fn installed(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let here = env::current_dir().unwrap_or_default();
    if let Some(path) = env::var_os("PATH") {
        let home = env::home_dir();
        let path = [folder, &here]
            .into_iter()
            .filter(|folder| folder.is_absolute())
            .fold(path, |path, folder| {
                let project = folder.ancestors().find(|folder| folder.join(".git").exists());
                outside(&path, Some(project.unwrap_or(folder)), home.as_deref(), |path| {
                    fs::canonicalize(path).ok()
                })
            });
        command.env("PATH", path);
    }
    command
}

/// Returns the output of a program that is given no input; at the limit it is killed, with what it has started.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let child = command.spawn()?;
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    receiver.recv_timeout(limit).unwrap_or_else(|_| {
        // It may have ended by now.
        let _ = kill_process_group(group, Signal::KILL);
        Err(io::ErrorKind::TimedOut.into())
    })
}
