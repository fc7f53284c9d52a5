//! Finds and runs the user's installed programs.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::{self, Metadata, metadata};
use std::io::{self, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::search_path::outside;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::disk::files;

/// Returns the folders in which to search for programs: the absolute folders of `PATH` outside the repositories around
/// the current folder and `folder`.
pub(crate) fn search_path(folder: &Path) -> Option<OsString> {
    let (here, home) = (env::current_dir().unwrap_or_default(), env::home_dir());
    let folders = [folder, &here].into_iter().filter(|folder| folder.is_absolute());
    let without = |path: OsString, folder: &Path| {
        let real = |path: &Path| fs::canonicalize(path).ok();
        outside(&path, Some(files::repository(folder).unwrap_or(folder)), home.as_deref(), real)
    };
    Some(folders.fold(env::var_os("PATH")?, without))
}

/// Finds an installed program.
pub(crate) fn found(name: &str, folder: &Path) -> Option<PathBuf> {
    in_path(name, &search_path(folder)?)
}

/// Finds a program in the absolute folders of a search path. Empty or relative ones could be in a checkout.
pub(crate) fn in_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    let is_program = |file: &Metadata| file.is_file() && file.permissions().mode() & 0o111 != 0;
    folders.map(|folder| folder.join(name)).find(|file| metadata(file).is_ok_and(|file| is_program(&file)))
}

/// Returns a command for an installed program. Programs that it starts are searched for in the same folders.
pub(crate) fn installed(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.envs(search_path(folder).map(|path| ("PATH", path)));
    command
}

/// Runs a program and returns its stdout.
///
/// # Errors
///
/// Fails if the program cannot be run, or exits with an error. In the second case, the error is
/// `failed`, followed by the program's stderr.
pub(crate) fn says(command: &mut Command, failed: impl Display) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("{} could not be run", command.get_program().display()))?;
    let why = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{failed}\n{}", why.trim_end());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program with these bytes as its stdin, within a time limit, and returns its output.
pub(crate) fn fed(command: &mut Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
    let mut file = tempfile::tempfile()?;
    file.write_all(&input)?;
    file.rewind()?;
    let output = ended_within(command.stdin(file).stderr(Stdio::piped()), limit)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()))
    }
}

/// Runs a program like [`ended_within`], without stdin, and discards its stderr.
pub(crate) fn output_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    ended_within(command.stdin(Stdio::null()).stderr(Stdio::null()), limit)
}

/// Runs a program and returns its output. At the time limit, kills it and its child processes.
pub(crate) fn ended_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let child = command.process_group(0).stdout(Stdio::piped()).spawn()?;
    let group = Pid::from_child(&child);
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    receiver.recv_timeout(limit).unwrap_or_else(|_| {
        // It may have exited by now.
        let _ = kill_process_group(group, Signal::KILL);
        Err(io::ErrorKind::TimedOut.into())
    })
}
