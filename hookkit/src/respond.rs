//! From a payload to a response: no I/O, and total.

use hookkit_protocol::matcher::Matcher;

use crate::failure::{failure, failure_elsewhere};
use crate::json::{self, PayloadWants};
use crate::payload::{EVENT_NAME, Partial, Surroundings, Variables};
use crate::{Entry, Error, HookDef, Payload};

/// What a hook process gives back: both streams and an exit code.
///
/// The default is silence and exit code 0: no opinion, on every event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// One JSON object, or nothing.
    pub stdout: Vec<u8>,
    /// Text for whoever the client shows it to; what that is depends on the event and the exit code.
    pub stderr: String,
    /// 0: answered, or failed with a question to the user (`ask`). 1: the hook failed, and the action goes on. 2: it failed, and the action is refused; or the model is
    /// woken, by a [`RewakeAnswer`](crate::answer::RewakeAnswer).
    pub exit_code: u8,
}

/// Runs a hook on a payload, without any I/O of its own.
///
/// Total: whatever goes wrong ends in what the hook's failure policy says.
/// A [`Config`](crate::Config) has its author's values.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, Payload, respond};
///
/// /// Holds the turn once.
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
    respond_to(hook, payload, |_| ())
}

/// Runs a hook on a payload, and tells before which of its entries that is for.
pub(crate) fn respond_to(hook: &HookDef, payload: &Payload<'_>, tell: impl FnOnce(&'static Entry)) -> Response {
    match entry(hook, payload) {
        Ok(entry) => {
            tell(entry);
            let answer = || match is_admitted(entry, payload)? {
                true => (entry.call)(payload),
                false => Ok(Response::default()),
            };
            settle(hook, entry, answer())
        }
        Err(err) => uncalled(hook, payload, &err),
    }
}

/// The response to a payload that has no event, or is of another event than the hook's.
#[cold]
fn uncalled(hook: &HookDef, payload: &Payload<'_>, err: &Error) -> Response {
    match payload.event_name() {
        Ok(_) => failure_elsewhere(hook, err),
        Err(_) => failure(hook, None, err),
    }
}

/// The input of a hook's handler apart from the client's JSON.
pub(crate) fn surroundings(hook: &HookDef, variables: Variables) -> Surroundings {
    Surroundings {
        variables,
        config: hook.config,
    }
}

/// What an answer, or its failure, becomes.
fn settle(hook: &HookDef, entry: &Entry, answer: Result<Response, Error>) -> Response {
    answer.unwrap_or_else(|err| failure(hook, Some(entry), &err))
}

/// The hook's entry for the payload's event.
fn entry(hook: &HookDef, payload: &Payload<'_>) -> Result<&'static Entry, Error> {
    let as_it_stands = hook.entries.iter().find(|entry| payload.is_of(entry.event.name));
    as_it_stands.map_or_else(|| entry_by_name(hook, payload), Ok)
}

/// The entry by the event's decoded name, which may have an escape in it.
#[cold]
fn entry_by_name(hook: &HookDef, payload: &Payload<'_>) -> Result<&'static Entry, Error> {
    let event = payload.event_name()?;
    let named = hook.entries.iter().find(|entry| entry.event.name == event);
    named.ok_or_else(|| {
        let mut names = String::new();
        for entry in hook.entries {
            names += if names.is_empty() { "" } else { ", " };
            names += entry.event.name;
        }
        Error::msg(format_args!(
            "it is a hook for {}, but the client called it on {event}; run `cargo xtask install` to mend the settings",
            names,
        ))
    })
}

/// Whether the entry's matcher admits the payload.
fn is_admitted(entry: &Entry, payload: &Payload<'_>) -> Result<bool, Error> {
    let Some(field) = filtered(entry) else {
        return Ok(true);
    };
    let target = payload.string(field)?;
    Ok(entry.filter.admits(entry.event.matcher_target, &target))
}

/// The field that the entry's matcher is compared with; `None` where it has nothing to say.
fn filtered(entry: &Entry) -> Option<&'static str> {
    match entry.filter {
        Matcher::Names(_) => entry.event.matcher_target.field(),
        // Expressions are left to the client.
        Matcher::All | Matcher::Regex(_) => None,
    }
}

/// Answers a payload from its bytes, and tells which of the hook's entries it is for as soon as that is known.
///
/// What decides whether the hook is meant comes early in a payload, and where it is not meant the rest is not looked at.
pub(crate) fn respond_to_bytes(
    hook: &HookDef,
    bytes: &[u8],
    variables: Variables,
    tell: impl FnOnce(&'static Entry),
) -> Result<Response, json::Error> {
    let mut payload = Partial::start(bytes, surroundings(hook, variables))?;
    let mut called = None;
    while payload.next(&PayloadWants::ALL)? {
        if payload.last_is(EVENT_NAME) {
            called = Some(entry(hook, payload.so_far()));
            break;
        }
    }
    let entry = match called {
        Some(Ok(entry)) => entry,
        Some(Err(err)) => return Ok(uncalled(hook, payload.so_far(), &err)),
        // It has no event, which is told when all of it was looked at.
        None => return Ok(respond(hook, &payload.end()?)),
    };
    tell(entry);
    if let Some(target) = filtered(entry)
        && !payload.so_far().has(target)
    {
        while payload.next(&PayloadWants::ALL)? && !payload.last_is(target) {}
    }
    match is_admitted(entry, payload.so_far()) {
        Ok(true) => {}
        answer => return Ok(settle(hook, entry, answer.map(|_| Response::default()))),
    }
    let wants = entry.wants();
    while payload.next(&wants)? {}
    let payload = payload.end()?;
    Ok(settle(hook, entry, (entry.call)(&payload)))
}
