//! The file of hooks of another agent.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Result, bail};
use hookkit_protocol::agents::Agent;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::disk::bounded;

/// Checks that an agent would read a file of hooks.
///
/// # Errors
///
/// Fails if it would drop the whole file: the error says why, and the fix.
pub(crate) fn ensure_read(agent: &Agent, file: &Path, text: &str) -> Result<()> {
    if let Some((why, fix)) = fault(agent, file, text) {
        let (file, name) = (file.display(), agent.name);
        bail!("{file}: {name} would read none of its hooks, since {why}; {fix}");
    }
    Ok(())
}

/// Returns the project of an agent's file.
pub(crate) fn project<'f>(agent: &Agent, file: &'f Path) -> Option<&'f Path> {
    file.ancestors().find(|folder| folder.join(agent.file.project) == file)
}

/// Returns the reason why an agent would drop a file, and the fix.
pub(crate) fn fault(agent: &Agent, file: &Path, text: &str) -> Option<(String, &'static str)> {
    let (text, kind) = match agent.file.comments {
        true => (without_comments(text).into(), "JSON with comments"),
        false => (Cow::Borrowed(text), "strict JSON"),
    };
    let parsed: Value = match serde_json::from_str(&text) {
        Ok(parsed) => parsed,
        Err(err) => return Some((format!("it is not {kind} ({err})"), "fix it first")),
    };
    if let Some(instead) = agent.file.instead
        && let Some(project) = project(agent, file)
        && bounded::read(&project.join(instead)).is_ok_and(|bytes| bytes.contains(&b'['))
    {
        let why = format!("it reads those of {instead} in their place");
        return Some((why, "move those into this file, below `hooks`"));
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

/// Replaces the comments of a text by spaces.
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
