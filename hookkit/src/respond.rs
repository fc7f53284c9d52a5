//! From a payload to a response: pure, and total.

use hookkit_protocol::matcher::Matcher;

use crate::answer::PreToolUseAnswer;
use crate::json::{self, Object, PayloadWants};
use crate::payload::{EVENT_NAME, Environment, Partial};
use crate::{Error, HookDef, OnFailure, Payload};

/// What a hook process gives back: both streams and an exit code.
///
/// The default is silence and exit code 0: no opinion, on every event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Response {
    /// One JSON object, or nothing.
    pub stdout: Vec<u8>,
    /// Text for whoever the client shows it to; what that is depends on the event and the exit code.
    pub stderr: String,
    /// 0: answered; 1: failed, the action goes on; 2: failed, the action is refused.
    pub exit_code: u8,
}

impl Response {
    /// A JSON answer, whose members `write` adds.
    pub(crate) fn json(write: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut stdout = Vec::with_capacity(512);
        let mut answer = Object::new(&mut stdout);
        write(&mut answer);
        answer.end();
        Self {
            stdout,
            ..Self::default()
        }
    }
}

/// Runs a hook on a payload, without any I/O of its own.
///
/// Total: whatever goes wrong ends in what the hook's failure policy says.
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
    let answer = || {
        if is_for(hook, payload)? {
            (hook.call)(payload)
        } else {
            Ok(Response::default())
        }
    };
    answer().unwrap_or_else(|err| failure(hook, &err))
}

/// Whether the payload's event is the hook's, and its matcher admits it.
fn is_for(hook: &HookDef, payload: &Payload<'_>) -> Result<bool, Error> {
    if !payload.is_of(hook.event.name) {
        let event = payload.event_name()?;
        // As it stands there it was another one; it may still be the same with an escape in it.
        if event != hook.event.name {
            return Err(Error::msg(format_args!(
                "it is a hook for {}, but the client called it on {event}; run `cargo xtask install` to mend the settings",
                hook.event.name,
            )));
        }
    }
    let Some(field) = filtered(hook) else {
        return Ok(true);
    };
    let target = payload.string(field)?;
    Ok(hook.filter.admits(hook.event.matcher_target, &target))
}

/// The field that the hook's matcher is compared with; `None` where it has nothing to say.
fn filtered(hook: &HookDef) -> Option<&'static str> {
    match hook.filter {
        Matcher::Names(_) => hook.event.matcher_target.field(),
        // Expressions are left to the client.
        Matcher::All | Matcher::Regex(_) => None,
    }
}

/// Answers a payload from its bytes. What decides whether the hook is meant comes early in a payload, and where it is not
/// meant the rest is not looked at.
pub(crate) fn respond_to_bytes(
    hook: &HookDef,
    bytes: &[u8],
    environment: Environment,
) -> Result<Response, json::Error> {
    let target = filtered(hook);
    let mut payload = Partial::start(bytes, environment)?;
    let (mut has_event, mut has_target) = (false, target.is_none());
    let mut is_meant = false;
    let mut wants = PayloadWants::ALL;
    while payload.next(&wants)? {
        if is_meant {
            continue;
        }
        has_event = has_event || payload.last_is(EVENT_NAME);
        has_target = has_target || target.is_some_and(|target| payload.last_is(target));
        if has_event && has_target {
            match is_for(hook, payload.so_far()) {
                Ok(true) => {
                    is_meant = true;
                    wants = hook.wants();
                }
                Ok(false) => return Ok(Response::default()),
                Err(err) => return Ok(failure(hook, &err)),
            }
        }
    }
    let payload = payload.end()?;
    if !is_meant {
        return Ok(respond(hook, &payload));
    }
    Ok((hook.call)(&payload).unwrap_or_else(|err| failure(hook, &err)))
}

/// What the process gives back when the hook could not answer.
///
/// A refusal goes by both of the event's channels: the JSON is honoured whatever the exit code, and exit code 2 blocks
/// even where stdout is lost (client 2.1.330).
pub(crate) fn failure(hook: &HookDef, error: &Error) -> Response {
    // One line: the client shows the first one to the user.
    let stderr = format!("hookkit: hook `{}` failed: {error}", hook.name).replace(['\n', '\r'], " ") + "\n";
    let exit_code = hook.on_failure.exit_code();
    match hook.on_failure {
        OnFailure::Continue => Response {
            stderr,
            exit_code,
            ..Response::default()
        },
        OnFailure::Block => {
            let reason = format!("refused, because the hook `{}` failed: {error}", hook.name);
            let denied = PreToolUseAnswer::deny(reason).to_response();
            Response {
                stderr,
                exit_code,
                ..denied
            }
        }
    }
}
