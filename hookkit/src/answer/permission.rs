//! The answer to a permission request, generic over the tool.

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, InputOf, TerminalSequence, Unchanged, UpdatedInput};
use crate::event::PermissionRequest;
use crate::json::{Object, PayloadProjection};
use crate::permission::PermissionUpdate;
use crate::{Error, Payload, Response};

/// The answer to [`PermissionRequest`], on behalf of the user.
///
/// The first answer counts, from any hook or from the user, who may already see the dialog.
///
/// ```
/// use hookkit::permission::{PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate};
/// use hookkit::prelude::*;
///
/// /// Allows `git status` for the whole session.
/// #[hook(PermissionRequest)]
/// pub fn allow_status(request: PermissionRequest<tool::Bash>) -> PermissionRequestAnswer {
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
    meaning: Meaning,
    updated_input: Option<U>,
    updated_permissions: Vec<PermissionUpdate>,
}

impl<U> PermissionRequestAnswer<U> {
    methods! {
        /// Leaves the question to the user, as without a hook.
        pass();
        /// Runs the tool without asking the user.
        allow();
        /// Denies the call. The model reads the reason as the tool's error.
        deny(reason);
        /// Denies the call and ends the turn as if the user had interrupted it (`interrupt`).
        ///
        /// In print mode (`-p`) the client discards the reason, and exits with an error and exit code 1. In a terminal the
        /// reason stays in the conversation, as the tool's error. Untested: no headless session shows it.
        deny_and_interrupt(reason);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// Replaces the model's input (`updatedInput`): the tool runs with the new input, unless a deny rule matches it.
    ///
    /// Members of the input that the type does not declare are kept, at every depth. Without [`allow`](Self::allow) the
    /// new input is omitted.
    pub fn with_updated_input(mut self, input: impl InputOf<U>) -> Self {
        self.updated_input = Some(input.into_input());
        self
    }

    /// Adds changes to the permission rules, from this call on (`updatedPermissions`); their destination determines
    /// whether they are saved. The request's own `permission_suggestions` can be used here.
    ///
    /// Without [`allow`](Self::allow) the changes are omitted.
    pub fn with_updated_permissions(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        self.updated_permissions.extend(updates);
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self { meaning, updated_input: None, updated_permissions: Vec::new() }
    }
}

impl<U> Default for PermissionRequestAnswer<U> {
    fn default() -> Self {
        Self::pass()
    }
}

// If the hook fails, the client asks the user, or in print mode denies the call.
impl<U: UpdatedInput> Answer<PermissionRequest> for PermissionRequestAnswer<U> {
    const MATCHER: Option<&'static str> = U::MATCHER;
    const REWRITES: bool = U::REWRITES;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let updated_input = match self.updated_input {
            Some(input) if self.meaning.is(&Decision::ALLOW) => Some(input.write(payload)?),
            _ => None,
        };
        decided(self.meaning, updated_input.as_deref(), &self.updated_permissions)?
            .response::<PermissionRequest>(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        U::projection(projection);
    }
}

/// Writes the decision as the object that this event requires. It is compiled once, for all tools.
pub(super) fn decided(
    mut meaning: Meaning,
    input: Option<&[u8]>,
    permissions: &[PermissionUpdate],
) -> Result<Meaning, Error> {
    let interrupts = meaning.take(&Member::INTERRUPT);
    let Some((decision, reason)) = meaning.take_decision() else {
        return Ok(meaning);
    };
    let mut written = Vec::new();
    let mut object = Object::new(&mut written);
    if decision == &Decision::ALLOW {
        object.string("behavior", "allow");
        if let Some(input) = input {
            object.raw(b"updatedInput", input);
        }
        if !permissions.is_empty() {
            object.raw(b"updatedPermissions", &serde_json::to_vec(permissions)?);
        }
    } else {
        object.string("behavior", "deny");
        object.string("message", &reason);
        if interrupts {
            object.boolean("interrupt", true);
        }
    }
    object.end();
    meaning.set(&Member::DECISION, Value::json(&written)?);
    Ok(meaning)
}
