//! Detects a person at the keyboard from facts that a process can check.
//!
//! Questions are printed on the process's terminal. A command run by the model has none. In a session of Claude Code,
//! no answer counts. A program that creates its own terminal, and types what it reads there, is not detected.

#![expect(clippy::disallowed_methods, reason = "the terminal, and the kernel's files")]

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::{env, process};

use anyhow::{Context, Result, bail, ensure};
use hookkit_effects::for_person;

use crate::terminal::{inform_all, joined, listed, program, quoted};

/// Variables that Claude Code (2.1.330) sets for the commands it runs.
const OF_CLIENT: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"];

/// Checks that a person typed a command that is reserved for people, or put it into a script. A script needs `--yes`,
/// unless the command is reserved only because of an option. `yes` is `None` for a command without `--yes`.
///
/// # Errors
///
/// Fails with the reason, and with the command to type in a terminal.
pub(crate) fn ensure_typed(arguments: &[String], yes: Option<bool>) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some(row) = for_person(&words) else { return Ok(()) };
    let command = typed()?;
    let is_scripted = row.option.is_some() || yes == Some(true);
    let in_script = yes.map_or("", |_| "; in a script of your own, add --yes");
    let checked = ensure_not_of_client(&command)
        .and_then(|()| if is_scripted { Ok(()) } else { ensure_own_terminal(&format!("{command}{in_script}")) });
    checked.with_context(|| format!("`{}` {}", row.command, row.does))
}

/// Checks that this process was not started by Claude Code, and that it has a terminal.
///
/// # Errors
///
/// Fails with the reason, and with the command to type in a terminal.
pub(crate) fn ensure_own_terminal(command: &str) -> Result<()> {
    ensure_not_of_client(command)?;
    ensure!(
        io::stdin().is_terminal() && io::stderr().is_terminal(),
        "stdin and stderr are not a terminal; {}",
        advice(command)
    );
    Ok(())
}

/// Checks that this process was not started by Claude Code, if it removes hooks.
///
/// # Errors
///
/// Fails with the names of these hooks, and with the command to type in a terminal.
pub(crate) fn ensure_kept(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Result<()> {
    if before.is_subset(after) {
        Ok(())
    } else {
        ensure_not_of_client(&typed()?).with_context(|| format!("this removes {}", listed(before - after)))
    }
}

/// Returns this process's command, as a person would type it in this folder.
pub(crate) fn typed_here() -> String {
    let words = env::args_os().skip(1).map(|word| quoted(word.display()));
    format!("{} {}", program(), joined(words, " "))
}

/// Returns this process's command, as a person would type it anywhere.
fn typed() -> Result<String> {
    Ok(format!("cd {} && {}", quoted(env::current_dir()?.display()), typed_here()))
}

fn ensure_not_of_client(command: &str) -> Result<()> {
    // hookkit's own tests also run in sessions.
    if cfg!(feature = "rig") && env::var_os("HOOKKIT_TESTS").is_some() {
        return Ok(());
    }
    let advice = advice(command);
    if let Some(name) = OF_CLIENT.iter().find(|name| env::var_os(name).is_some()) {
        bail!("{name} is set, as in a command that Claude Code runs; {advice}");
    }
    if let Some(process) = ancestors(process::id()).find(|process| is_client(*process)) {
        bail!("this was started by Claude Code (process {process}); {advice}");
    }
    Ok(())
}

fn advice(command: &str) -> String {
    format!("this is for a person: in a terminal of your own, run: {command}")
}

/// Asks a question on the terminal. An empty line means `default`. Without a terminal, the answer is `false`.
///
/// # Errors
///
/// Fails if the answer cannot be read.
pub(crate) fn agrees(question: &str, default: bool) -> Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    inform_all(format_args!("{question} [{}] ", if default { "Y/n" } else { "y/N" }));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(match answer.trim().to_ascii_lowercase().as_str() {
        // At the end of the input, there is no answer.
        "" => default && !answer.is_empty(),
        answer => matches!(answer, "y" | "yes"),
    })
}

/// Asks the user to type a code shown on the terminal.
///
/// # Errors
///
/// Fails if anything else is typed.
pub(crate) fn confirm(what: &str) -> Result<()> {
    let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut terminal = terminal.context("there is no terminal (/dev/tty) for the question")?;
    let code = code()?;
    write!(terminal, "{what}\nTo go on, type {code}: ")?;
    let mut typed = String::new();
    BufReader::new(terminal.take(100)).read_line(&mut typed)?;
    ensure!(typed.trim().eq_ignore_ascii_case(&code), "that is not the code, so nothing was changed");
    Ok(())
}

/// Returns four letters that are easy to tell apart.
fn code() -> Result<String> {
    const LETTERS: &[u8; 16] = b"abcdefhkmnprtwxy";
    let mut random = [0; 4];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 16)])).collect())
}

/// Returns a process's ancestors on Linux; empty on other systems.
fn ancestors(process: u32) -> impl Iterator<Item = u32> {
    let parent = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, in parentheses, may contain any character.
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent > 0).then_some(parent)
    };
    std::iter::successors(parent(&process), parent).take(1000)
}

/// Returns `true` for Claude Code, and for processes that it started, as their initial environment shows.
fn is_client(process: u32) -> bool {
    let read = |file: &str| fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
    let has_variable = |name: &str| {
        let environ = read("environ");
        let mut variables = environ.split(|byte| *byte == 0);
        variables.any(|variable| variable.starts_with(name.as_bytes()) && variable.get(name.len()) == Some(&b'='))
    };
    OF_CLIENT.iter().any(|name| has_variable(name)) || starts_client(&String::from_utf8_lossy(&read("cmdline")))
}

/// Returns `true` for a command line of Claude Code: its own program, or one that runs its script. Each word ends with
/// NUL.
fn starts_client(line: &str) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let is_client = |word: &str| {
        matches!(&*name(word), "claude" | "claude.exe")
            || ["/claude/versions/", "/@anthropic-ai/claude-code/"].iter().any(|part| word.contains(part))
    };
    let mut words = line.split('\0');
    let program = words.next().unwrap_or_default();
    is_client(program) || matches!(&*name(program), "bun" | "deno" | "node" | "nodejs") && words.any(is_client)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_client_is_known_by_its_command_line() {
        let kind = |line: &str| if starts_client(line) { "client" } else { "other" };
        let lines = test_support::lines!("lines/command-lines-of-the-client.txt");
        lines.check(|_, line| kind(&line.replace(' ', "\0")).to_owned());
    }

    #[test]
    fn a_process_below_one_with_the_variables_is_the_clients() -> io::Result<()> {
        let started = |variable: Option<&str>| {
            let mut command = Command::new("sh");
            // The child lacks the variable, but its parent has it.
            command.args(["-c", "env -u CLAUDECODE sh -c 'echo $$; cat'; :"]);
            command.env_remove("CLAUDECODE").env_remove("CLAUDE_CODE_ENTRYPOINT");
            command.envs(variable.map(|name| (name, "1")));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        };
        for (variable, expected) in [(None, false), (Some("CLAUDECODE"), true), (Some("CLAUDECODES"), false)] {
            let mut child = started(variable)?;
            let mut line = String::new();
            BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line)?;
            let inner = line.trim().parse().expect("a process");
            let above: Vec<u32> = ancestors(inner).take_while(|process| *process != process::id()).collect();
            assert!(above.contains(&child.id()), "{above:?}");
            assert_eq!(above.into_iter().any(is_client), expected, "{variable:?}");
            drop(child.stdin.take());
            child.wait()?;
        }
        Ok(())
    }
}
