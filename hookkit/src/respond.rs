use hookkit_protocol::matcher::Matcher;

use crate::answer::{Answer, PreToolUseAnswer};
use crate::json::Object;
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
    try_respond(hook, payload).unwrap_or_else(|err| failure(hook, &err))
}

fn try_respond(hook: &HookDef, payload: &Payload<'_>) -> Result<Response, Error> {
    let event = payload.event_name()?;
    if event != hook.event.name {
        return Err(Error::payload(format_args!(
            "it is a hook for {}, but the client called it on {event}; run `cargo xtask install` to mend the settings",
            hook.event.name
        )));
    }
    if let (Some(matcher), Some(field)) = (hook.matcher, hook.event.matcher_target.field()) {
        let target = payload.string(field)?;
        if !Matcher::new(matcher).admits(hook.event.matcher_target, &target) {
            return Ok(Response::default());
        }
    }
    (hook.call)(payload)
}

/// What the process gives back when the hook could not answer.
///
/// A refusal goes by both of the event's channels: the JSON is honoured whatever the exit code, and exit code 2 blocks
/// even where stdout is lost (client 2.1.330).
pub(crate) fn failure(hook: &HookDef, error: &Error) -> Response {
    let stderr = format!("hookkit: hook `{}` failed: {error}\n", hook.name);
    let exit_code = hook.on_failure.exit_code();
    match hook.on_failure {
        OnFailure::Continue => Response {
            stderr,
            exit_code,
            ..Response::default()
        },
        OnFailure::Block => {
            let reason = format!("refused, because the hook `{}` failed: {error}", hook.name);
            let denied = PreToolUseAnswer::deny(reason).into_response().unwrap_or_default();
            Response {
                stderr,
                exit_code,
                ..denied
            }
        }
    }
}
