//! Turns a payload into a response. It always returns one, and performs no I/O.

use hookkit_protocol::matcher::Matcher;

use crate::failure::{failure, failure_elsewhere};
use crate::json::{self, Input, Members, PayloadProjection, Scanner};
use crate::payload::{self, EVENT_NAME, Partial, Surroundings, Variables};
use crate::{Entry, Error, HookDef, Payload};

/// The output of a hook process: both streams and an exit code.
///
/// By default there is no output and the exit code is 0, which means "no opinion" on every event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// One JSON object, or nothing.
    pub stdout: Vec<u8>,
    /// Text on stderr; its reader depends on the event and the exit code.
    pub stderr: String,
    /// 0: answered, or failed with a question to the user (`ask`). 1: failed, and the action goes ahead. 2: failed, and
    /// the action is denied; or the model is woken, with a [`RewakeAnswer`](crate::answer::RewakeAnswer).
    pub exit_code: u8,
}

/// Runs a hook on a payload, without any I/O of its own.
///
/// It always returns a response: after an error, the failure policy's. A [`Config`](crate::Config) has the author's
/// values.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, Payload, respond};
///
/// /// Keeps the turn going once.
/// #[hook(Stop)]
/// pub fn not_yet(stop: Stop) -> StopAnswer {
///     StopAnswer::block_once(&stop, "run the tests first")
/// }
///
/// # fn main() {
/// let payload = Payload::parse(br#"{"hook_event_name":"Stop","stop_hook_active":false}"#).unwrap();
/// let response = respond(not_yet::DEF, &payload);
/// assert_eq!(response.stdout, br#"{"decision":"block","reason":"run the tests first"}"#);
/// # }
/// ```
pub fn respond(hook: &HookDef, payload: &Payload<'_>) -> Response {
    match entry(hook, payload.members()) {
        Ok(entry) => match is_admitted(entry, payload.members()) {
            Ok(true) => settle(hook, entry, (entry.call)(payload)),
            answer => settle(hook, entry, answer.map(|_| Response::default())),
        },
        Err(err) => uncalled(hook, payload.members(), &err),
    }
}

/// Returns the response to a payload without an event, or with one that the hook does not declare.
#[cold]
fn uncalled(hook: &HookDef, members: Members<'_, '_>, err: &Error) -> Response {
    match payload::string(members, EVENT_NAME) {
        Ok(_) => failure_elsewhere(hook, err),
        Err(_) => {
            let mut response = failure(hook, None, err);
            // Copilot CLI (1.0.102) sends permission requests in a form of its own, and takes a failure for a denial.
            if hook.failure_answer.is_none() && members.get(EVENT_NAME).is_none() {
                response.exit_code = 0;
            }
            response
        }
    }
}

/// Turns an answer or an error into a response.
fn settle(hook: &HookDef, entry: &Entry, answer: Result<Response, Error>) -> Response {
    answer.unwrap_or_else(|err| failure(hook, Some(entry), &err))
}

/// Returns the hook's entry for the payload's event.
fn entry(hook: &HookDef, members: Members<'_, '_>) -> Result<&'static Entry, Error> {
    let is_named = |entry: &&Entry| members.has_string(EVENT_NAME, entry.event.name);
    let as_it_is = hook.entries.iter().find(is_named);
    as_it_is.map_or_else(|| entry_by_name(hook, members), Ok)
}

/// Returns the entry for the decoded name of the event, which may have escapes in the payload.
#[cold]
fn entry_by_name(hook: &HookDef, members: Members<'_, '_>) -> Result<&'static Entry, Error> {
    let event = payload::string(members, EVENT_NAME)?;
    let named = hook.entries.iter().find(|entry| entry.event.name == event);
    named.ok_or_else(|| {
        let mut names = String::new();
        for entry in hook.entries {
            names += if names.is_empty() { "" } else { ", " };
            names += entry.event.name;
        }
        Error::msg(format_args!(
            "it is a hook for {}, but was called on {event}; if the client called it, run `cargo xtask install` to fix the settings",
            names,
        ))
    })
}

/// Returns `true` if the entry's matcher matches the payload.
fn is_admitted(entry: &Entry, members: Members<'_, '_>) -> Result<bool, Error> {
    let Some(field) = filtered(entry) else {
        return Ok(true);
    };
    let target = payload::string(members, field)?;
    Ok(entry.filter.admits(entry.event.matcher_target, &target))
}

/// Returns `true` if the hook would be called on the payload, or would fail on it.
#[cfg(unix)]
pub(crate) fn is_called(hook: &HookDef, payload: &Payload<'_>) -> bool {
    let members = payload.members();
    entry(hook, members).and_then(|entry| is_admitted(entry, members)).unwrap_or(true)
}

/// Returns the field that the entry's matcher is compared with; `None` if hookkit does not check the matcher.
fn filtered(entry: &Entry) -> Option<&'static str> {
    match entry.filter {
        Matcher::Names(_) => entry.event.matcher_target.field(),
        // The client applies expressions.
        Matcher::All | Matcher::Regex(_) => None,
    }
}

/// Answers a payload while scanning it. Calls `on_entry` with the entry as soon as it is found.
///
/// The event and the matcher's target are early in a payload; if the matcher does not match, the rest is not scanned.
/// If a payload has two members of one of these names, the first is used. The client never sends two.
pub(crate) fn respond_to_scanned<S: Input>(
    hook: &HookDef,
    scanner: &mut Scanner<S>,
    variables: Variables,
    on_entry: impl FnOnce(&'static Entry),
) -> Result<Response, json::Error> {
    let surroundings = Surroundings { variables, config: hook.config };
    let mut payload = Partial::start(scanner)?;
    // If the whole text is in memory, nothing needs to be discarded.
    let projection = if S::DISCARDS { hook.projection() } else { PayloadProjection::ALL };
    let mut called = None;
    while payload.next(&projection)? {
        if payload.last_is(EVENT_NAME) {
            called = Some(entry(hook, payload.so_far()));
            break;
        }
    }
    let entry = match called {
        Some(Ok(entry)) => entry,
        Some(Err(err)) => return Ok(uncalled(hook, payload.so_far(), &err)),
        // A payload without an event is reported after all of it was scanned.
        None => return Ok(respond(hook, &payload.end(surroundings)?)),
    };
    on_entry(entry);
    if let Some(target) = filtered(entry)
        && payload.so_far().get(target).is_none()
    {
        while payload.next(&projection)? && !payload.last_is(target) {}
    }
    match is_admitted(entry, payload.so_far()) {
        Ok(true) => {}
        answer => return Ok(settle(hook, entry, answer.map(|_| Response::default()))),
    }
    let projection = entry.projection();
    while payload.next(&projection)? {}
    let payload = payload.end(surroundings)?;
    Ok(settle(hook, entry, (entry.call)(&payload)))
}
