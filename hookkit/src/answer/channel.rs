//! Denials that use both JSON and the exit code.

use hookkit_protocol::escape::{LineEnds, escape};

use super::Answer;
use crate::event::Event;
use crate::json::PayloadProjection;
use crate::{Error, OnFailure, Payload, Response};

/// An answer that also denies by exit code 2, with the reason on stderr.
///
/// Use it for hooks that also run in programs that read only the exit code, such as a client before 1.0.59. The JSON
/// stays on stdout, and a client that reads it ignores the exit code. A program that reads only the exit code shows the
/// model the hook's command line before the reason, and ignores context, ends of turns and messages for the user. The
/// JSON cannot be omitted: without it, on Stop and SubagentStop the client would mistake "no such file" on stderr for a
/// missing script, and would not block (client 2.1.330).
///
/// Has no effect on events that exit code 2 cannot deny, such as PermissionRequest.
///
/// ```
/// use hookkit::answer::ByExitCode;
/// use hookkit::prelude::*;
///
/// /// Leaves pushes to the user.
/// #[hook(PreToolUse)]
/// pub fn no_push(call: PreToolUse<tool::Bash>) -> ByExitCode<PreToolUseAnswer> {
///     ByExitCode(match call.input.command.starts_with("git push") {
///         true => PreToolUseAnswer::deny("pushing is left to the user"),
///         false => PreToolUseAnswer::pass(),
///     })
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ByExitCode<A>(pub A);

impl<E: Event, A: Answer<E>> Answer<E> for ByExitCode<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;
    const REWRITES: bool = A::REWRITES;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let Some(reason) = self.0.denial().map(|reason| escape(reason, LineEnds::Kept) + "\n") else {
            return self.0.into_response(payload);
        };
        Ok(Response {
            stderr: reason.into_owned(),
            exit_code: OnFailure::Block.exit_code(),
            ..self.0.into_response(payload)?
        })
    }

    fn projection(projection: &mut PayloadProjection) {
        A::projection(projection);
    }

    fn denial(&self) -> Option<&str> {
        self.0.denial()
    }
}
