//! The answers to the events of permissions.

use super::{Answer, Extras, Unchanged, UpdatedInput, answer, specific_output, with};
use crate::event::{Event, PermissionDenied, PermissionRequest};
use crate::json::PayloadWants;
use crate::permission::PermissionUpdate;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`PermissionRequest`], in the place of the user.
///
/// The first one counts: of several hooks, or the user's, who may see the dialog already.
///
/// ```
/// use hookkit::permission::{PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate};
/// use hookkit::prelude::*;
///
/// /// Allows what only looks at git, for the whole session.
/// #[hook(PermissionRequest)]
/// pub fn look(request: PermissionRequest<tool::Bash>) -> PermissionRequestAnswer {
///     if request.input.command != "git status" {
///         return PermissionRequestAnswer::pass();
///     }
///     let update = PermissionUpdate::AddRules {
///         rules: vec![PermissionRule::new("Bash", "git status")],
///         behavior: PermissionBehavior::Allow,
///         destination: PermissionDestination::Session,
///     };
///     PermissionRequestAnswer::allow().with_updated_permissions([update])
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRequestAnswer<U = Unchanged> {
    parts: PermissionRequestParts,
    updated_input: Option<U>,
    extras: Extras,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PermissionRequestParts {
    decision: Option<Decision>,
    updated_permissions: Vec<PermissionUpdate>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Allow,
    Deny { message: String, interrupt: bool },
}

impl<U> PermissionRequestAnswer<U> {
    /// No opinion: the user is asked, as if there were no hook.
    pub fn pass() -> Self {
        Self {
            parts: PermissionRequestParts::default(),
            updated_input: None,
            extras: Extras::default(),
        }
    }

    /// The tool runs, and the user is not asked.
    pub fn allow() -> Self {
        Self::decide(Decision::Allow)
    }

    /// The tool does not run. The model reads the message as the tool's error.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::decide(Decision::Deny {
            message: message.into(),
            interrupt: false,
        })
    }

    /// The tool does not run, and the turn ends as if the user had interrupted it (`interrupt`).
    ///
    /// In print mode (`-p`) the client ends with an error and exit code 1, and nobody reads the message. In a terminal it
    /// stays in the conversation, as the tool's error. Untested: no headless session shows it.
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        Self::decide(Decision::Deny {
            message: message.into(),
            interrupt: true,
        })
    }

    /// The tool runs with this input instead of the model's (`updatedInput`). Rules that deny are asked about it.
    ///
    /// Members of the input that the type does not name stay as they came, at every depth. It goes with
    /// [`allow`](Self::allow), and is left out without it.
    pub fn with_updated_input(mut self, input: U) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Changes what the user has to be asked for, from this call on (`updatedPermissions`); depending on the
    /// destination it is saved. The request's own `permission_suggestions` can be given back so.
    ///
    /// It goes with [`allow`](Self::allow), and is left out without it.
    pub fn with_updated_permissions(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        self.parts.updated_permissions.extend(updates);
        self
    }

    fn decide(decision: Decision) -> Self {
        let mut answer = Self::pass();
        answer.parts.decision = Some(decision);
        answer
    }

    with!(terminal_sequence);
    with!(suppressed_output);
}

impl<U> Default for PermissionRequestAnswer<U> {
    fn default() -> Self {
        Self::pass()
    }
}

impl<U: UpdatedInput> Answer<PermissionRequest> for PermissionRequestAnswer<U> {
    // The user is asked then; in print mode the client denies the call itself.
    const ON_FAILURE: OnFailure = OnFailure::Continue;
    const MATCHER: Option<&'static str> = U::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let updated_input = match self.updated_input {
            Some(input) if self.parts.decision == Some(Decision::Allow) => Some(input.write(payload)?),
            _ => None,
        };
        self.parts.into_response(updated_input.as_deref(), self.extras)
    }

    fn wants(wants: &mut PayloadWants) {
        U::wants(wants);
    }
}

impl PermissionRequestParts {
    fn into_response(self, updated_input: Option<&[u8]>, extras: Extras) -> Result<Response, Error> {
        answer(|answer| {
            extras.write(answer)?;
            let Some(decision) = self.decision else {
                return Ok(());
            };
            let mut specific = specific_output(answer, PermissionRequest::FACTS);
            let mut written = specific.object("decision");
            match decision {
                Decision::Allow => {
                    written.string("behavior", "allow");
                    if let Some(input) = updated_input {
                        written.raw(b"updatedInput", input);
                    }
                    if !self.updated_permissions.is_empty() {
                        let updates = serde_json::to_vec(&self.updated_permissions)?;
                        written.raw(b"updatedPermissions", &updates);
                    }
                }
                Decision::Deny { message, interrupt } => {
                    written.string("behavior", "deny");
                    written.string("message", &message);
                    if interrupt {
                        written.boolean("interrupt", true);
                    }
                }
            }
            written.end();
            specific.end();
            Ok(())
        })
    }
}

/// The answer to [`PermissionDenied`]. The refusal stands.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionDeniedAnswer {
    retry: bool,
    extras: Extras,
}

impl PermissionDeniedAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model is told that it may try the call again (`retry`), unless the classifier gave no verdict.
    /// Untested: no headless session shows it.
    pub fn retry() -> Self {
        Self {
            retry: true,
            ..Self::default()
        }
    }

    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<PermissionDenied> for PermissionDeniedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            self.extras.write(answer)?;
            if self.retry {
                let mut specific = specific_output(answer, PermissionDenied::FACTS);
                specific.boolean("retry", true);
                specific.end();
            }
            Ok(())
        })
    }
}
