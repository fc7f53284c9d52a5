//! The answer of a failed hook, according to its failure policy.

use hookkit_protocol::escape::{LineEnds, escape};
use hookkit_protocol::event::{self as facts, Denial};

use crate::{Entry, Error, HookDef, OnFailure, Response, json};

/// The JSON answer of a failure policy. [`OnFailure::Continue`] has none, so a hook with that policy does not link it.
#[derive(Debug)]
pub(crate) struct FailureAnswer {
    /// The first word of the reason.
    pub(crate) word: &'static str,
    /// The exit code that makes the client honor the JSON (client 2.1.330).
    pub(crate) exit_code: u8,
    /// The JSON for a hook called as one of these entries, in pieces. The reason, as a string, goes between them.
    ///
    /// The pieces are constants, so that even a signal handler can write them.
    pub(crate) json: fn(&[Entry]) -> Pieces,
}

pub(crate) type Pieces = &'static [&'static str];

impl FailureAnswer {
    pub(crate) const fn of(policy: OnFailure) -> Option<&'static Self> {
        match policy {
            OnFailure::Block => {
                Some(const { &Self { word: "denied", exit_code: OnFailure::Block.exit_code(), json: denial_of } })
            }
            // With `onFailure: "block"` in the settings, any other exit code counts as a failure, whatever the JSON
            // says.
            OnFailure::Ask => Some(const { &Self { word: "asked", exit_code: 0, json: |_| QUESTION } }),
            OnFailure::Continue => None,
        }
    }
}

fn denial_of(entries: &[Entry]) -> Pieces {
    match entries {
        [entry] => denial(entry.event),
        _ => DENY_ANY,
    }
}

/// Returns the JSON of a denial on this event.
pub(crate) fn denial(event: &facts::Event) -> Pieces {
    match event.denial {
        Denial::Impossible => &[],
        // Any text on stdout would be read as a path.
        Denial::Fail => &[],
        Denial::Block => &[r#"{"decision":"block","reason":"#, r#"}"#],
        Denial::Deny if event.name == facts::PRE_TOOL_USE.name => &[
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"#,
            r#"}}"#,
        ],
        Denial::Deny if event.name == facts::PRE_SKILL_SHELL_COMMAND.name => &[
            r#"{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"#,
            r#"}}"#,
        ],
        Denial::Deny => &[
            r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"#,
            r#"}}"#,
        ],
        Denial::DenyRequest => &[
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"#,
            r#"}}}"#,
        ],
    }
}

/// A question to the user, on PreToolUse.
const QUESTION: Pieces = &[
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"#,
    r#"}}"#,
];

/// A denial on any event, for a hook that failed before it knew its event.
///
/// With `decision` at the top level, the client ignores the object of another event. PermissionRequest honors only its
/// own object (client 2.1.330).
pub(crate) const DENY_ANY: Pieces = &[
    r#"{"decision":"block","reason":"#,
    r#","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"#,
    r#"}}}"#,
];

/// Returns the response of a hook that could not answer. `entry` is the called entry, if it was found.
///
/// A denial uses both channels: the JSON is honored with any exit code, and exit code 2 blocks even if stdout is lost
/// (client 2.1.330).
#[cold]
pub(crate) fn failure(hook: &HookDef, entry: Option<&Entry>, error: &Error) -> Response {
    respond(hook, entry, error, false)
}

/// Returns the response of a hook called on an event that it does not declare. It never asks: the client would
/// drop the question, and the action would go ahead.
#[cold]
pub(crate) fn failure_elsewhere(hook: &HookDef, error: &Error) -> Response {
    respond(hook, None, error, true)
}

fn respond(hook: &HookDef, entry: Option<&Entry>, error: &Error, is_elsewhere: bool) -> Response {
    let name = hook.declared.name;
    let error = error.to_string();
    let beginning = beginning(&error);
    let more = if beginning.len() < error.len() { " …" } else { "" };
    // One line, since the client shows the user only the first. It is escaped for terminals, since text from the
    // payload is untrusted.
    let line = escape(beginning, LineEnds::Blank);
    let mut response = Response {
        stdout: Vec::new(),
        stderr: format!("hookkit: hook `{name}` failed: {line}{more}\n"),
        exit_code: hook.declared.on_failure.exit_code(),
    };
    if let Some(answer) = hook.failure_answer.filter(|answer| !(is_elsewhere && answer.exit_code == 0)) {
        let why = escape(beginning, LineEnds::Kept);
        let reason = format!("{}, because the hook `{name}` failed: {why}{more}", answer.word);
        let pieces = (answer.json)(entry.map_or(hook.entries, std::slice::from_ref));
        json::join(&mut response.stdout, pieces, &reason);
        response.exit_code = answer.exit_code;
    }
    response
}

/// Returns the beginning of an error, up to a maximum length.
fn beginning(error: &str) -> &str {
    const MAX_BYTES: usize = 4000;
    let mut end = error.len().min(MAX_BYTES);
    while !error.is_char_boundary(end) {
        end -= 1;
    }
    &error[..end]
}
