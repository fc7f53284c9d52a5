//! Guards for secrets in edits, commands and prompts.

use std::collections::HashSet;

use hookkit::secrets::{Secret, secrets};

use crate::change::is_outside;
use crate::prelude::*;

/// Denies edits and commands that contain a token, a private key or another secret of a known form.
///
/// Calls of WebFetch, WebSearch and MCP servers are judged, too, and commands in the text of a skill, since client 2.1.332.
///
/// A secret in a source file gets committed, and one in a command gets into the transcript; then it has to be replaced
/// everywhere.
/// A denial names the line and the kind of secret, and shows at most the prefix that all secrets of this kind share
/// (`ghp_…`).
///
/// It recognizes private keys and the tokens of nearly fifty providers, each by its prefix, its length and its
/// characters: AWS, Azure, Google Cloud, GitHub, GitLab, npm, PyPI, crates.io, Docker Hub, Anthropic, OpenAI, Hugging
/// Face, Slack, Stripe, SendGrid, Vault and others.
///
/// Only new secrets count: those that the file, or the replaced text, already contains may stay.
///
/// Strings that do not look like secrets pass: words such as `EXAMPLE` and `xxxxx`, rows such as `12345678`, and texts
/// with too few different characters. So do lines with the comment `gitleaks:allow` or `pragma: allowlist secret`, and
/// Stripe's test keys, which open nothing.
///
/// It cannot tell revoked secrets, and keys made for tests, from real ones: such a line needs the comment.
///
/// The model can write the comment, too.
///
/// # What it cannot see
///
/// - Passwords and keys without a form of their own: `password = "…"`, keys of plain hexadecimal digits, JSON web tokens.
/// - A secret joined from pieces or encoded, a secret that an edit completes, and a private key after headers of more
///   than a kilobyte.
/// - Data that a command reads from elsewhere.
/// - Input of the tool Monitor.
#[hook(
    PreToolUse | PreSkillShellCommand,
    matcher = "^(?:Bash|Edit|NotebookEdit|PowerShell|WebFetch|WebSearch|Write|mcp__.*)$",
    timeout = 5
)]
pub fn deny_secrets(call: PreToolUse<Change>, context: Context) -> Option<PreToolUseAnswer> {
    let (text, place) = match &call.input {
        Change::Text(change) => (change.added_text(), "the new text"),
        Change::Bash(bash) => (&*bash.command, "the command"),
        Change::PowerShell(line) => (&*line.command, "the command"),
        Change::Other(input) if is_outside(&call.tool_name) => (input.text(), "the call"),
        Change::Other(_) => return None,
    };
    let mut found = secrets(text);
    if let (false, Change::Text(change)) = (found.is_empty(), &call.input) {
        found = new_ones(found, [change.removed_text().unwrap_or_default(), &before(change, &context)]);
    }
    let complaint = complaint(&found)?;
    Some(PreToolUseAnswer::deny(format!(
        "{place} seems to contain a secret, in {complaint}. Leave it out: read it from an environment variable or a \
         secret store. If it is not a secret, or must be there, ask the user to write it"
    )))
}

/// Returns the current content of the file, empty if it cannot be read.
fn before(change: &tool::TextChange, context: &Context) -> String {
    change.text_before(context).ok().flatten().unwrap_or_default()
}

/// Maximum number of secrets to count.
const MOST_COUNTED: usize = 100;

/// Returns the secrets that are not in these texts; of many, only the first ones.
fn new_ones<'t>(found: Vec<Secret<'t>>, known: [&str; 2]) -> Vec<Secret<'t>> {
    // Searching the whole text for each secret takes too long if there are thousands.
    let known_secrets: HashSet<&str> = known.iter().flat_map(|text| secrets(text)).map(|secret| secret.text).collect();
    let is_known = |text| known_secrets.contains(text) || known.iter().any(|known| known.contains(text));
    found.into_iter().filter(|secret| !is_known(secret.text)).take(MOST_COUNTED).collect()
}

/// Drops prompts that contain a token, a private key or another secret of a known form, before the model reads them.
///
/// Text that the user pastes into a prompt leaves the machine, and stays in the transcript.
/// The user reads which line contains which kind of secret; the prompt itself is not shown again.
///
/// It recognizes the same secrets as `deny-secrets`.
/// A line with the comment `gitleaks:allow` passes, for questions about a token that is no longer valid.
///
/// Any other prompt passes.
///
/// # What it cannot see
///
/// - Files attached to a prompt (`@file`), and pictures.
/// - Output of the user's own commands (`!`).
#[hook(UserPromptSubmit, timeout = 5)]
pub fn block_secrets_in_prompts(submitted: UserPromptSubmit) -> Option<UserPromptSubmitAnswer> {
    let complaint = complaint(&secrets(&submitted.prompt))?;
    Some(UserPromptSubmitAnswer::block_and_suppress_original_prompt(format!(
        "your prompt seems to contain a secret, in {complaint}. The model has not read it. Send the prompt without \
         it; a line that ends in `gitleaks:allow` is let through"
    )))
}

/// Describes the findings, if there are any; of many, only the first.
fn complaint(found: &[Secret]) -> Option<String> {
    const MOST: usize = 5;
    let (first, rest) = found.split_first()?;
    let mut complaint = first.to_string();
    for secret in rest.iter().take(MOST - 1) {
        complaint.push_str(&format!("; {secret}"));
    }
    if found.len() >= MOST_COUNTED {
        complaint.push_str("; and many more");
    } else if found.len() > MOST {
        complaint.push_str(&format!("; and {} more", found.len() - MOST));
    }
    Some(complaint)
}

#[cfg(test)]
mod tests;
