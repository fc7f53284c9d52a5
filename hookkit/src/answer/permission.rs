//! The answer to a permission request, which is typed by the tool.

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, TerminalSequence, Unchanged, UpdatedInput};
use crate::event::PermissionRequest;
use crate::json::{Object, PayloadProjection};
use crate::permission::PermissionUpdate;
use crate::{Error, Payload, Response};

/// The answer to [`PermissionRequest`], in the user's place.
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
    meaning: Meaning,
    updated_input: Option<U>,
    updated_permissions: Vec<PermissionUpdate>,
}

impl<U> PermissionRequestAnswer<U> {
    methods! {
        /// No opinion: the user is asked, as without a hook.
        pass();
        /// The tool runs, and the user is not asked.
        allow();
        /// The tool does not run. The model reads the reason as the tool's error.
        deny(reason);
        /// The tool does not run, and the turn ends as if the user had interrupted it (`interrupt`).
        ///
        /// In print mode (`-p`) the client ends with an error and exit code 1, and the reason is not shown. In a terminal
        /// it stays in the conversation, as the tool's error. Untested: no headless session shows it.
        deny_and_interrupt(reason);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// The tool runs with this input instead of the model's (`updatedInput`). Rules that deny are asked about it.
    ///
    /// Members of the input that the type does not name stay as they came, at every depth. It goes with
    /// [`allow`](Self::allow), and is left out without it.
    pub fn with_updated_input(mut self, input: U) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Adds changes of the rules by which the user is asked, from this call on (`updatedPermissions`); depending on the
    /// destination they are saved. The request's own `permission_suggestions` can be given back so.
    ///
    /// It goes with [`allow`](Self::allow), and is left out without it.
    pub fn with_updated_permissions(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        self.updated_permissions.extend(updates);
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self {
            meaning,
            updated_input: None,
            updated_permissions: Vec::new(),
        }
    }
}

impl<U> Default for PermissionRequestAnswer<U> {
    fn default() -> Self {
        Self::pass()
    }
}

// After a failure the client goes ahead: it asks the user, or in print mode denies the call itself.
impl<U: UpdatedInput> Answer<PermissionRequest> for PermissionRequestAnswer<U> {
    const MATCHER: Option<&'static str> = U::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let updated_input = match self.updated_input {
            Some(input) if self.meaning.is(&Decision::ALLOW) => Some(input.write(payload)?),
            _ => None,
        };
        decided(self.meaning, updated_input.as_deref(), &self.updated_permissions)?.response::<PermissionRequest>()
    }

    fn projection(projection: &mut PayloadProjection) {
        U::projection(projection);
    }
}

/// Writes the decision into the object that this event has for it. It is compiled once, for all tools.
fn decided(mut meaning: Meaning, input: Option<&[u8]>, permissions: &[PermissionUpdate]) -> Result<Meaning, Error> {
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
