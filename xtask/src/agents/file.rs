//! Checks another agent's file of hooks.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use hookkit_protocol::agents::{AGENTS, Agent, Form};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::Deserialize;
use serde_json::Value;

use crate::agents::script;
use crate::disk::bounded;
use crate::disk::files::of_variable;

/// Checks that an agent would read a file of hooks.
///
/// # Errors
///
/// Fails if the agent would drop the whole file. The error has the reason and the fix.
pub(crate) fn ensure_read(agent: &Agent, file: &Path, text: &str) -> Result<()> {
    if let Some((why, fix)) = fault(agent, file, text) {
        let (file, name) = (file.display(), agent.name);
        bail!("{file}: {name} would read none of its hooks, since {why}; {fix}");
    }
    Ok(())
}

/// Returns an agent's file with the user's own hooks.
pub(crate) fn of_user(agent: &Agent) -> Option<PathBuf> {
    let path = Path::new(agent.file.path);
    match of_variable(agent.file.of_user?) {
        Some(folder) => Some(folder.join(path.file_name()?)),
        None => Some(of_variable("HOME")?.join(path)),
    }
}

/// Returns the agents' files in a project.
pub(crate) fn in_project(project: &Path) -> impl Iterator<Item = (&'static Agent, PathBuf)> {
    let agents = AGENTS.iter().filter(|agent| agent.file.of_user.is_none());
    agents.map(|agent| (*agent, project.join(agent.file.path)))
}

/// Returns the project that contains an agent's file.
pub(crate) fn project<'f>(agent: &Agent, file: &'f Path) -> Option<&'f Path> {
    file.ancestors().find(|folder| folder.join(agent.file.path) == file)
}

/// Returns the reason why an agent would drop a file, and the fix.
pub(crate) fn fault(agent: &Agent, file: &Path, text: &str) -> Option<(String, &'static str)> {
    let (text, kind) = match agent.file.form {
        Form::Toml => return fault_of_tables(agent, text),
        Form::Script => match script::hooks(text) {
            Ok(hooks) => (without_comments(&text[hooks]).into(), "JSON with comments"),
            Err((why, fix)) => return Some((why.to_owned(), fix)),
        },
        Form::JsonWithComments => (without_comments(text).into(), "JSON with comments"),
        Form::Json => (Cow::Borrowed(text), "strict JSON"),
    };
    let parsed: Value = match serde_json::from_str(&text) {
        Ok(parsed) => parsed,
        Err(err) => return Some((format!("it is not {kind} ({err})"), "fix it first")),
    };
    if let Some(instead) = agent.file.instead
        && let Some(project) = project(agent, file)
        && bounded::read(&project.join(instead)).is_ok_and(|bytes| bytes.contains(&b'['))
    {
        let why = format!("it reads the hooks in {instead} instead");
        return Some((why, "move those hooks into this file, below `hooks`"));
    }
    let keys = agent.file.keys;
    let mut present = parsed.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    if let Some(other) = present.find(|key| !keys.is_empty() && !keys.contains(key)) {
        return Some((format!("it has the key `{other}`"), "remove it first"));
    }
    if !agent.file.strict {
        return None;
    }
    for (event, groups) in parsed["hooks"].as_object().into_iter().flatten() {
        let Some(groups) = groups.as_array() else {
            return Some((format!("`{event}` is not a list"), "make it a list"));
        };
        let mut handlers = groups.iter().filter_map(|group| group["hooks"].as_array()).flatten();
        if handlers.any(|handler| !handler["command"].is_string()) {
            let why = format!("a handler on {event} has no `command`");
            return Some((why, "add it, or remove the handler"));
        }
    }
    None
}

/// The hooks in a TOML file. The agent accepts no other keys there.
#[derive(Deserialize)]
struct Tables {
    #[serde(default)]
    hooks: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    event: String,
    command: String,
    #[serde(rename = "matcher")]
    _matcher: Option<String>,
    timeout: Option<u32>,
}

/// Returns the reason why an agent would drop the hooks in a TOML file, and the fix.
fn fault_of_tables(agent: &Agent, text: &str) -> Option<(String, &'static str)> {
    let tables: Tables = match toml_edit::de::from_str(text) {
        Ok(tables) => tables,
        Err(err) => {
            let shown = err.to_string();
            let at = shown.lines().next().unwrap_or_default();
            return Some((format!("it cannot be read ({at}: {})", err.message()), "fix it first"));
        }
    };
    let longest = agent.file.longest.unwrap_or(u32::MAX);
    tables.hooks.into_iter().find_map(|Table { event, command, timeout, .. }| match timeout {
        _ if !agent.file.events.split(' ').any(|known| known == event) => {
            Some((format!("`{event}` is not one of its events"), "remove that hook"))
        }
        _ if command.is_empty() => Some((format!("a hook on {event} has no command"), "add it, or remove the hook")),
        Some(seconds) if !(1..=longest).contains(&seconds) => {
            Some((format!("a `timeout` of {seconds} is not from 1 to {longest}"), "change it"))
        }
        _ => None,
    })
}

/// Replaces the comments in a text with spaces.
fn without_comments(text: &str) -> String {
    let collected = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let parsed = parse_to_ast(text, &collected, &ParseOptions::default());
    let comments = parsed.ok().and_then(|parsed| parsed.comments).unwrap_or_default();
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments.values().flat_map(|some| some.iter()) {
        bytes[comment.start()..comment.end()].fill(b' ');
    }
    String::from_utf8(bytes).unwrap_or_default()
}
