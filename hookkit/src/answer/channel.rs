//! Denials by the exit code, too.

use hookkit_protocol::escape::{LineEnds, escape};

use super::Answer;
use crate::event::Event;
use crate::json::PayloadProjection;
use crate::{Error, OnFailure, Payload, Response};

/// An answer whose denial also goes by exit code 2, with the reason on stderr.
///
/// For hooks that are also called by what reads nothing but the exit code: a client of before 1.0.59, another program.
/// The JSON stays on stdout, and a client that reads it honors only the JSON, whatever the exit code.
/// A program that reads only the exit code takes a denial from it and shows the model the hook's command line before the
/// reason; context, an end of the turn, a message for the user are then lost.
/// There is no way to give stderr alone: on the Stop family the client takes "no such file" in it for a missing script,
/// and does not block (client 2.1.330).
///
/// On events that cannot be denied by it, PermissionRequest among them, it changes nothing.
///
/// ```
/// use hookkit::answer::ByExitCode;
/// use hookkit::prelude::*;
///
/// /// Keeps pushes for the user.
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
