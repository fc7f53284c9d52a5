//! The answer of a hook that failed, by its policy.

use hookkit_protocol::escape::{LineEnds, escape};
use hookkit_protocol::event::{self as facts, Denial};

use crate::{Entry, Error, HookDef, OnFailure, Response, json};

/// The JSON that a policy answers a failure with. A policy without one ([`OnFailure::Continue`]) does not link it.
#[derive(Debug)]
pub(crate) struct FailureAnswer {
    /// The first word of the reason.
    pub(crate) word: &'static str,
    /// The exit code that the client honors together with the JSON (client 2.1.330).
    pub(crate) exit_code: u8,
    /// The JSON of a hook that was called as one of these, in pieces: the reason, a string, comes between them.
    ///
    /// They are complete before the hook runs, so that even a signal's handler can write them.
    pub(crate) json: fn(&[Entry]) -> Pieces,
}

pub(crate) type Pieces = &'static [&'static str];

impl FailureAnswer {
    pub(crate) const fn of(policy: OnFailure) -> Option<&'static Self> {
        match policy {
            OnFailure::Block => Some(
                const {
                    &Self {
                        word: "denied",
                        exit_code: OnFailure::Block.exit_code(),
                        json: denial_of,
                    }
                },
            ),
            // `onFailure: "block"` in the settings takes any other exit code for a failure, whatever the JSON says.
            OnFailure::Ask => Some(
                const {
                    &Self {
                        word: "asked",
                        exit_code: 0,
                        json: |_| QUESTION,
                    }
                },
            ),
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

/// The JSON of a denial on this event.
pub(crate) fn denial(event: &facts::Event) -> Pieces {
    match event.denial {
        Denial::Impossible => &[],
        // Whatever is on stdout would be taken for a path.
        Denial::Fail => &[],
        Denial::Block => &[r#"{"decision":"block","reason":"#, r#"}"#],
        Denial::Deny if event.name == facts::PRE_TOOL_USE.name => &[
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"#,
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

/// A denial on whichever of its events a hook was called: it could not find out which.
///
/// With a denial at the top the client drops the object of another event. PermissionRequest honors only its
/// own (client 2.1.330).
pub(crate) const DENY_ANY: Pieces = &[
    r#"{"decision":"block","reason":"#,
    r#","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"#,
    r#"}}}"#,
];

/// The response of a hook that could not answer, called as `entry`, if that is known yet.
///
/// A denial goes by both of the event's channels: the JSON is honored whatever the exit code, and exit code 2 blocks
/// even where stdout is lost (client 2.1.330).
#[cold]
pub(crate) fn failure(hook: &HookDef, entry: Option<&Entry>, error: &Error) -> Response {
    respond(hook, entry, error, false)
}

/// The response of a hook that was called on an event that is not one of its own: a question would be dropped there, and
/// the action go on.
#[cold]
pub(crate) fn failure_elsewhere(hook: &HookDef, error: &Error) -> Response {
    respond(hook, None, error, true)
}

fn respond(hook: &HookDef, entry: Option<&Entry>, error: &Error, is_elsewhere: bool) -> Response {
    let name = hook.declared.name;
    let error = error.to_string();
    let beginning = beginning(&error);
    let more = if beginning.len() < error.len() { " …" } else { "" };
    // One line, since the client shows the user the first one. It is made harmless for a terminal, since text from the
    // payload can be anybody's.
    let line = escape(beginning, LineEnds::Blank);
    let mut response = Response {
        stdout: Vec::new(),
        stderr: format!("hookkit: hook `{name}` failed: {line}{more}\n"),
        exit_code: hook.declared.on_failure.exit_code(),
    };
    if let Some(answer) = hook
        .failure_answer
        .filter(|answer| !(is_elsewhere && answer.exit_code == 0))
    {
        let why = escape(beginning, LineEnds::Kept);
        let reason = format!("{}, because the hook `{name}` failed: {why}{more}", answer.word);
        let pieces = (answer.json)(entry.map_or(hook.entries, std::slice::from_ref));
        json::join(&mut response.stdout, pieces, &reason);
        response.exit_code = answer.exit_code;
    }
    response
}

/// As much of an error as is read.
fn beginning(error: &str) -> &str {
    const ENOUGH: usize = 4000;
    let mut end = error.len().min(ENOUGH);
    while !error.is_char_boundary(end) {
        end -= 1;
    }
    &error[..end]
}
