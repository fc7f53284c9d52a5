//! `--peers`: one call of other guards and SDKs, next to ours, on the same payloads in the same run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;
use hookkit::protocol::event::Event;
use hookkit::testing::{Action, End, Ran, Verdict};
use hookkit_tests::faults::{recorded, run_piped};
use hookkit_tests::xtask::{self, repository, text};
use serde_json::Value;
use test_support::lines;
use test_support::lines::{Lines, Section};

use crate::report::{Available, Missing};
use crate::{cargo, plot, process, programs};

/// A hook that is measured: its name, its kind, and its command.
type Peer = (String, &'static str, Available<Vec<String>>);

/// Installs the peers below `folder`, measures them, and prints a table in Markdown. A peer that cannot be installed has
/// the reason there.
pub(crate) fn print(folder: &Path, rounds: usize) -> Result<()> {
    let rows: Lines<'static> = lines!("src/bin/figures/sources/peers.txt");
    let payloads = rows.section("payloads");
    let mut peers = ours(folder)?;
    fs::write(folder.join("guard.py"), include_str!("sources/peers/guard.py"))?;
    fs::write(folder.join("guard.mjs"), include_str!("sources/peers/guard.mjs"))?;
    for (kind, section) in [("guard", "guards"), ("SDK", "SDKs")] {
        let sections = rows.sections.iter().filter(|part| part.name.ends_with(section));
        peers.extend(sections.flat_map(|section| installed(kind, section, folder)));
    }

    let (event, recorded) = recorded("PreToolUse-Bash", folder)?;
    let stdins = payloads.rows.iter().map(|row| stdin(&recorded, &row.line));
    let stdins: Vec<Vec<u8>> = stdins.collect::<Result<_>>()?;
    let here = peers.iter().filter_map(|(_, _, words)| words.as_ref().ok());
    let calls = here.flat_map(|words| stdins.iter().map(move |stdin| (|| command(words, folder), &stdin[..])));
    let times = process::race_commands(rounds / 4, &calls.collect::<Vec<_>>())?;
    let mut measured = times.chunks(stdins.len());

    let heads: Vec<&str> = payloads.rows.iter().map(|row| &*row.expected[0]).collect();
    println!("| | | {} |\n|---|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    for (name, kind, words) in &peers {
        let cells = match words {
            Err(Missing(why)) => vec![format!("skipped: {why}")],
            Ok(words) => {
                let times = measured.next().unwrap_or_default().iter().zip(&times);
                let cells = times.zip(&stdins).map(|((time, empty), stdin)| {
                    let outcome = outcome(command(words, folder), event, stdin)?;
                    Ok(format!("{:.1} ms (× {:.1}), {outcome}", time * 1_000.0, time / empty))
                });
                cells.collect::<Result<_>>()?
            }
        };
        println!("| {name} | {kind} | {} |", cells.join(" | "));
    }
    Ok(())
}

/// Returns the payload of a call with this command; for `…` one that ends too early.
fn stdin(recorded: &str, line: &str) -> Result<Vec<u8>> {
    let mut payload: Value = serde_json::from_str(recorded)?;
    payload["tool_input"]["command"] = line.into();
    let mut stdin = payload.to_string().into_bytes();
    if line == "…" {
        stdin.truncate(stdin.len() / 2);
    }
    Ok(stdin)
}

/// Builds the yardstick, our guard, and the hook that is written with each SDK.
fn ours(folder: &Path) -> Result<Vec<Peer>> {
    let hooks = programs::hooks(folder)?;
    hooks.install_only(&["no-recursive-rm"])?;
    let project = folder.join("guarded");
    fs::create_dir_all(&project)?;
    let install = ["install", "--pack", "hookkit-guard", "--hook", "deny-destruction", "--project", text(&project)?];
    process::cpu(xtask::command(repository(), &install)?)?;
    let version = concat!("hookkit ", env!("CARGO_PKG_VERSION"));
    let empty = cargo::empty_main(folder, "empty", &["-O", "-Cstrip=symbols"])?;
    let guard = xtask::installed(&project, "deny-destruction")?;
    let peers = [
        ("an empty Rust program".to_owned(), "", empty),
        (format!("{version}, deny-destruction"), "guard", guard),
        (version.to_owned(), "SDK", hooks.installed("no-recursive-rm")?),
    ];
    Ok(peers.map(|(name, kind, path)| (name, kind, Ok(vec![path.to_string_lossy().into_owned()]))).into())
}

/// Installs the packages of a section with its command. Without one, each row has the reason.
fn installed(kind: &'static str, section: &Section, folder: &Path) -> Vec<Peer> {
    // The `python3` of `PATH` may be a script that searches for it first.
    let word = |word: &&str| match *word {
        "python3" => plot::python(),
        other => other.to_owned(),
    };
    let peers = section.rows.iter().map(|row| {
        let [package] = row.fields();
        let mut install: Vec<_> = section.words("install").iter().map(word).collect();
        if install.is_empty() {
            return (package.to_owned(), kind, Err(Missing(row.line.clone())));
        }
        install.push(package.to_owned());
        let output = command(&install, folder).stdin(Stdio::null()).output();
        let why = || Missing(format!("`{}` failed", install.join(" ")));
        let is_installed = output.is_ok_and(|output| output.status.success());
        let command = is_installed.then(|| row.line.split(' ').map(|part| word(&part)).collect());
        (package.to_owned(), kind, command.ok_or_else(why))
    });
    peers.collect()
}

/// Returns a command in `folder`, with its own home folder and Python packages.
fn command(words: &[String], folder: &Path) -> Command {
    let mut command = Command::new(&words[0]);
    let homes = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
    command
        .args(&words[1..])
        .current_dir(folder)
        .envs(homes.map(|name| (name, folder.join("home"))))
        .env("PYTHONPATH", folder.join("packages"));
    command
}

/// Returns the outcome of a call in Claude Code.
fn outcome(command: Command, event: &Event, stdin: &[u8]) -> Result<&'static str> {
    let output = run_piped(command, stdin)?;
    let end = output.status.code().map_or(End::Killed, End::Exited);
    let ran = Ran::ended(end).stdout(output.stdout).stderr(output.stderr);
    Ok(match Verdict::of(event, &ran).action {
        Action::Denied => "denied",
        Action::Asked => "asked",
        Action::Allowed => "allowed",
        _ if output.status.success() => "no opinion",
        _ => "fails, goes ahead",
    })
}
