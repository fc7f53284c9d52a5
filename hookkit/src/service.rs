//! A hook's answer without its own process: for services that the client calls over HTTP.
//!
//! The crate `hookkit-service` has the service; this module has the parts that only the runtime can provide. A hook for
//! a service is the same function. Some hooks do not compile into a service: those with an argument that needs the
//! user's machine, such as [`Context`](crate::Context); those on an event for which the client does not call hooks over
//! HTTP (SessionStart, Setup); and those for which the client does not wait.

use std::borrow::Cow;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::answer::merged::Printed;
use crate::def::Declared;
use crate::failure::failure;
use crate::json::{PayloadProjection, Projection, Scanner};
use crate::respond::respond_to_scanned;
use crate::{Error, Event, FromInput, HookDef, Payload, Response, panicking};

/// The sender of a request to a service: an argument of a handler.
///
/// In a hook process, and in a service without keys, the sender is not verified.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::service::Caller;
///
/// /// Lets only the release team push.
/// #[hook(PreToolUse, matcher = "Bash")]
/// pub fn only_releases_push(call: PreToolUse<tool::Bash>, caller: Caller) -> PreToolUseAnswer {
///     match call.input.command.starts_with("git push") && caller.proven.as_deref() != Some("release-team") {
///         true => PreToolUseAnswer::deny("only the release team pushes: ask it for a release"),
///         false => PreToolUseAnswer::pass(),
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// Name of the key that the request was sent with, after the service has checked the key.
    pub proven: Option<String>,
    /// Id of the session, as the payload claims it: a sender with a key can claim any.
    pub claimed_session: Option<String>,
}

impl<E: Event> FromInput<E> for Caller {
    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            // Not from a variable: a checkout can set any variable of a hook process.
            proven: CALLER.with_borrow(Clone::clone),
            claimed_session: payload.optional_string("session_id")?.map(Cow::into_owned),
        })
    }

    fn projection(projection: &mut PayloadProjection) {
        projection.add_member("session_id", Projection::All);
    }
}

thread_local! {
    /// Name of the key of the request that this thread answers.
    static CALLER: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a hook on the bytes of a request and returns its answer; `None` if the payload has no event that the hook
/// declares. Such a request is not for this hook, and the client would ignore an answer.
///
/// For bytes that are not a payload, an error or a panic, the failure policy of the hook determines the answer, as in a
/// process. `key` is the name of the key that the request was sent with. The process's variables are not read.
///
/// ```
/// use hookkit::prelude::*;
/// use hookkit::{Hook, service};
///
/// /// Always fails.
/// #[hook(PreToolUse, matcher = "Bash")]
/// pub fn broken(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     panic!("a mistake of its author")
/// }
///
/// # fn main() {
/// let body = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
/// let answer = service::answer(broken::DEF, body, None).unwrap();
/// assert_eq!(service::decision(&answer), "deny");
/// # }
/// ```
pub fn answer(hook: &HookDef, body: &[u8], key: Option<&str>) -> Option<Response> {
    let mut called = None;
    CALLER.set(key.map(str::to_owned));
    let answered = panic::catch_unwind(AssertUnwindSafe(|| {
        respond_to_scanned(hook, &mut Scanner::new(body), |_| None, |entry| called = Some(entry))
    }));
    CALLER.set(None);
    let error = match answered {
        Ok(Ok(response)) => return called.is_some().then_some(response),
        Ok(Err(err)) => Error::unreadable(&err, body),
        Err(panic) => Error::msg(format_args!("it panicked: {}", panicking::message(&*panic))),
    };
    Some(failure(hook, called, &error))
}

/// Returns the answer of a hook's failure policy, for a request that cannot be read.
pub fn failed(hook: &HookDef, why: &str) -> Response {
    failure(hook, None, &Error::msg(why))
}

/// Returns the decision of an answer in one word: the client's word (`deny`, `block`, `ask`, `allow`), `stop`,
/// `rewrite`, `context`, or `none`.
pub fn decision(response: &Response) -> String {
    let printed = Printed::read(&response.stdout).ok().flatten().unwrap_or_default();
    printed.word(response.exit_code).to_owned()
}

/// Fails to compile for a hook that cannot answer over HTTP.
pub const fn check_remote(hook: &HookDef, source: &Declared) {
    if let Some(why) = source.keeps_local(hook) {
        panic!("{}", why);
    }
}
