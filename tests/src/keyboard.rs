//! A person at a terminal, who types the answers that xtask asks for.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::skip;
use crate::xtask;

/// A run of xtask on a terminal.
pub struct Typed {
    /// The text on the terminal, with its line ends.
    pub text: String,
    /// The exit code.
    pub code: Option<i32>,
}

/// Returns `true` if a test can have a terminal; if not, reports on stderr that it is skipped.
///
/// The program is `script` of util-linux. xtask recognizes a session of Claude Code around the tests.
#[must_use]
pub fn is_there(test_name: &str) -> bool {
    let version = Command::new("script").arg("--version").output();
    let is_there = version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("util-linux"));
    if !is_there {
        skip(test_name, "`script` of util-linux is missing");
    }
    is_there && {
        let is_in_session = std::env::var_os("CLAUDECODE").is_some();
        if is_in_session {
            skip(test_name, "this is a session of Claude Code");
        }
        !is_in_session
    }
}

/// Runs xtask on a terminal, in `folder`, and answers its question by `answer`, which gets the code.
///
/// # Errors
///
/// If it cannot be run.
pub fn run(folder: &Path, arguments: &[&str], answer: impl Fn(&str) -> String) -> Result<Typed> {
    run_command(&xtask::command(folder, arguments)?, answer)
}

/// Runs a command of xtask on a terminal, and answers each question by `answer`, which gets the code, or the `Y/n` or `y/N`
/// that the question ends with.
///
/// # Errors
///
/// If it cannot be run.
pub fn run_command(xtask: &Command, answer: impl Fn(&str) -> String) -> Result<Typed> {
    let words = [xtask.get_program()].into_iter().chain(xtask.get_args());
    let quoted = words.map(|word| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''")));
    let line = quoted.collect::<Vec<_>>().join(" ");
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &line, "/dev/null"]);
    script.current_dir(xtask.get_current_dir().context("a folder")?);
    for (name, value) in xtask.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    // Open to the end: `script` ends when it is closed.
    let mut keyboard = child.stdin.take().context("a pipe")?;
    let mut screen = child.stdout.take().context("a pipe")?;
    let (mut bytes, mut part) = (Vec::new(), [0; 1000]);
    loop {
        let count = screen.read(&mut part)?;
        if count == 0 {
            break;
        }
        bytes.extend(&part[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let code = text.rsplit_once("To go on, type ").and_then(|(_, asked)| asked.strip_suffix(": "));
        let asked = code.or_else(|| text.strip_suffix("] ")?.rsplit_once('[').map(|(_, asked)| asked));
        if let Some(code) = asked {
            writeln!(keyboard, "{}", answer(code))?;
        }
    }
    Ok(Typed { text: String::from_utf8_lossy(&bytes).into_owned(), code: child.wait()?.code() })
}
