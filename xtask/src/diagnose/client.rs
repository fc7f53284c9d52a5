//! `cargo xtask doctor --client`: how the installed client reads the settings.
//!
//! The client runs headless in an isolated environment ([`session`]), with copies of the settings and a scripted
//! [`model`].
//! In the copies, each handler is replaced by a recorder ([`instrumented`](crate::settings::instrumented)), so no hook
//! is run. Everything else is unchanged, so the client lists, fires and drops the same handlers as in the original
//! files.
//!
//! Control hooks on each event, passed with `--settings`, record the events of the session.

#![expect(clippy::disallowed_methods, reason = "the folder is a temporary one")]

mod answer;
pub(crate) mod api;
mod call;
mod copies;
pub(crate) mod isolation;
mod model;
mod seen;
mod session;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf, absolute};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use hookkit_protocol::event::EVENTS;
use model::Model;
use serde_json::{Value, json};
use session::World;

use crate::cargo::program::search_path;
use crate::diagnose::client::answer::{Answer, File};
use crate::diagnose::client::call::{Call, MARK};
use crate::diagnose::client::copies::{Copied, SettingsScope, sources};
use crate::diagnose::client::seen::{LIST, SETTINGS, Seen};
use crate::disk::bounded;
use crate::settings::document::Document;
use crate::settings::instrumented::{NumberedHandler, Replacements, instrumented};
use crate::terminal::progress::Progress;
use crate::terminal::rows::{Format, row};
use crate::terminal::{Done, one_line};

/// Time limit for the client.
const LIMIT: Duration = Duration::from_secs(60);

/// Asks the client about a project, and prints the answer.
pub(crate) fn run(project: &Path, client_binary: Option<&Path>, format: &Format) -> Result<Done> {
    let client =
        find(client_binary, Some(project))?.context("there is no `claude` in PATH; pass `--client-binary FILE`")?;
    let progress = Progress::new("Asking", one_line(&client.display().to_string()).into_owned());
    let answer = ask(&Question::new(&client, project))?;
    drop(progress);
    format.print(answer.table().trim_end(), &[row("client", &answer)?])?;
    Ok(match answer.is_clean() {
        true => Done::Clean,
        false => Done::WithFindings,
    })
}

/// Returns the named client, or the one in PATH that is not in the project.
pub(crate) fn find(named: Option<&Path>, project: Option<&Path>) -> Result<Option<PathBuf>> {
    match named {
        Some(file) => Ok(Some(absolute(file)?)),
        None => Ok(search_path(project.unwrap_or(Path::new(""))).and_then(|path| in_path("claude", &path))),
    }
}

/// Finds a program in the absolute folders of a search path: an empty or relative folder could be in a checkout.
fn in_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    let is_program = |file: &fs::Metadata| file.is_file() && file.permissions().mode() & 0o111 != 0;
    let mut files = folders.map(|folder| folder.join(name));
    files.find(|file| fs::metadata(file).is_ok_and(|file| is_program(&file)))
}

/// A question to the client.
pub(crate) struct Question {
    pub(crate) client: PathBuf,
    /// Root of the project. Nothing is written to it, and no session runs in it.
    pub(crate) project: PathBuf,
    /// Tool calls of the session, in order. They are executed in a temporary folder.
    ///
    /// `$PROJECT` in a text of an input is replaced by that folder.
    pub(crate) calls: Vec<Call>,
    /// Time limit for all of it; the client is ended then.
    pub(crate) limit: Duration,
}

impl Question {
    /// Makes a question with one call each of Bash, Write, Edit and Read.
    pub(crate) fn new(client: &Path, project: &Path) -> Self {
        let file = "$PROJECT/hookkit.txt";
        Self {
            client: client.to_owned(),
            project: project.to_owned(),
            calls: vec![
                Call::new("Bash", json!({"command": "true", "description": "Does nothing"})),
                Call::new("Write", json!({"file_path": file, "content": "one\n"})),
                Call::new(
                    "Edit",
                    json!({"file_path": file, "old_string": "one", "new_string": "two"}),
                ),
                Call::new("Read", json!({"file_path": file})),
            ],
            limit: LIMIT,
        }
    }
}

/// Asks the client, in one session.
///
/// # Errors
///
/// There are no settings, the client cannot run isolated, or its session ends without a result.
fn ask(question: &Question) -> Result<Answer> {
    let started = Instant::now();
    let sources = sources(&question.project)?;
    let world = World::new()?;
    if sources.iter().any(|source| source.kind == SettingsScope::OuterLocal) {
        world.make_repository()?;
    }
    let project = world.project();
    let calls: Vec<Call> = question.calls.iter().map(|call| call.within(&project)).collect();
    let tools: BTreeSet<String> = calls.iter().map(|call| call.tool.clone()).collect();
    let model = Model::start(calls)?;
    let url = model.url();
    let version = version(&world, question, &url)?;

    let (mut files, mut heard): (Vec<Copied>, Vec<(PathBuf, NumberedHandler)>) = (Vec::new(), Vec::new());
    let replacements = Replacements {
        shell: &|number| world.shell_recorder(number),
        program: &|number| world.recorder(number).display().to_string(),
        url: &|number| format!("{url}/{MARK}{number:04}"),
        name: &|number| format!("{MARK}{number:04}"),
        key_command: &World::key_command(),
    };
    for source in sources {
        let copy = source.copy_in(&world);
        match Document::parse(&source.text) {
            Ok(document) => {
                let mut keys = document.root.members.iter().map(|member| &*member.name);
                if let Some(key) = keys.find(|key| key.starts_with("forceLogin")) {
                    bail!(
                        "{} has `{key}`, so the client starts no session without an account of the organization",
                        source.path.display()
                    );
                }
                let copied = instrumented(&document, heard.len(), &replacements);
                world.write(&copy, &copied.text)?;
                heard.extend(
                    copied
                        .handlers
                        .into_iter()
                        .map(|handler| (source.path.clone(), handler)),
                );
                files.push(Copied::new(source, copy, copied.has_keys, None));
            }
            Err(refusal) => files.push(Copied::new(source, copy, true, Some(refusal.to_string()))),
        }
    }
    ensure!(
        heard.len() <= bounded::HOOKS,
        "these settings have {} hooks, and the client is asked about at most {}; run `cargo xtask doctor` without --client",
        heard.len(),
        bounded::HOOKS
    );
    let controls = heard.len()..heard.len() + EVENTS.len();
    for number in 0..controls.end {
        world.record(number)?;
    }
    world.try_recorder(controls.start)?;

    let messages = [
        json!({"type": "control_request", "request_id": SETTINGS, "request": {"subtype": "get_settings"}}),
        json!({"type": "control_request", "request_id": LIST, "request": {"subtype": "get_hooks_listing"}}),
        json!({"type": "user", "message": {"role": "user", "content": "go"}}),
    ];
    let messages: String = messages.iter().map(|line| format!("{line}\n")).collect();
    let arguments = arguments(&world, &tools, controls.start);
    let left = question.limit.saturating_sub(started.elapsed());
    let ended = world.run(&question.client, &arguments, &url, &messages, left)?;
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let is_over = lines.iter().any(|line| line["type"] == "result");
    let name = question.client.display();
    match ended.status {
        None => bail!("{name} ran past {} s and was ended", question.limit.as_secs()),
        Some(status) if !is_over => bail!(
            "the session of {name} ended without a result ({status}): {}",
            ended.stderr.trim()
        ),
        Some(_) => {}
    }

    let seen = Seen::new(&world, &model, &lines, controls.start)?;
    let log = fs::read_to_string(world.debug_log()).unwrap_or_default();
    let share_names: Vec<bool> = files
        .iter()
        .map(|file| files.iter().any(|other| file.shares_name_with(other)))
        .collect();
    let files = files.into_iter().zip(share_names);
    let files: Vec<File> = files
        .map(|(file, shares_name)| file.compared(&seen, &log, shares_name))
        .collect();
    let handlers = heard.into_iter().map(|(file, handler)| {
        let of = files.iter().find(|known| known.path == file);
        seen.handler(&file, handler, of)
    });
    Ok(Answer {
        version,
        handlers: handlers.collect(),
        all_disabled: seen.all_disabled,
        happened: seen.happened,
        files,
        milliseconds: started.elapsed().as_millis(),
    })
}

fn version(world: &World, question: &Question, url: &str) -> Result<String> {
    let ended = world.run(&question.client, &["--version".into()], url, "", question.limit)?;
    let name = question.client.display();
    ensure!(
        ended.status.is_some_and(|status| status.success()),
        "{name} does not print its version: {}\nIf it is a script that needs your home, name the program that it \
         starts: --client-binary FILE",
        ended.stderr.trim()
    );
    Ok(ended.stdout.trim().to_owned())
}

fn arguments(world: &World, tools: &BTreeSet<String>, first_control: usize) -> Vec<OsString> {
    // A WorktreeCreate hook would have to create the worktree.
    let watched = EVENTS
        .iter()
        .enumerate()
        .filter(|(_, event)| event.name != "WorktreeCreate");
    let hooks = watched.map(|(position, event)| {
        let command = world.shell_recorder(first_control + position);
        (
            event.name.to_owned(),
            json!([{"hooks": [{"type": "command", "command": command}]}]),
        )
    });
    let hooks: serde_json::Map<String, Value> = hooks.collect();
    let settings = json!({"permissions": {"allow": tools}, "hooks": hooks});
    let mut arguments: Vec<OsString> = [
        "--output-format", "stream-json", "--input-format", "stream-json", "--verbose",
    ]
    .map(OsString::from)
    .into();
    arguments.extend(["--debug-file".into(), world.debug_log().into()]);
    arguments.extend(["--settings".into(), settings.to_string().into()]);
    arguments.extend(["--permission-mode", "default", "-p"].map(OsString::from));
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_client_is_found_by_a_relative_folder() -> Result<()> {
        let folder = test_support::folder();
        let program = folder.path().join("claude");
        fs::write(&program, "")?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let relative = "../".repeat(env::current_dir()?.components().count()) + &folder.path().display().to_string();
        assert!(Path::new(&relative).join("claude").is_file());
        assert_eq!(in_path("claude", OsStr::new(&relative)), None);
        assert_eq!(in_path("claude", folder.path().as_os_str()), Some(program));
        Ok(())
    }
}
