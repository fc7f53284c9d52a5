//! Names for generated code. This is not a public API: it changes without notice.

#[cfg(feature = "agent")]
pub use hookkit_protocol::agents;
pub use hookkit_protocol::hook::{Declaration, Written};
use serde::de::DeserializeOwned;

#[cfg(unix)]
pub use crate::__in_order as in_order;
#[cfg(all(unix, any(feature = "agent", test)))]
pub use crate::agent::answer_agent;
pub use crate::answer::Answer;
pub use crate::answer::mode::{Async, AsyncRewake, Awaited};
pub use crate::def::{Declared, OptionalConfig, Types, UNDECLARED, define, entry, is_one, override_entry};
pub use crate::json::{Deserializer, Error as JsonError, Json, PayloadProjection, Projection};
pub use crate::matching::{
    TypeMatcher, agree, can_be_joined, is_apart, is_for_no_other, is_of, joined, joined_length, joined_matcher,
    matcher_of, may_admit, may_admit_one, may_replace,
};
#[cfg(unix)]
pub use crate::order::{Member, answer_in_order};
pub use crate::payload::FromInput;
#[cfg(any(feature = "record", test))]
pub use crate::record::record_in;
#[cfg(all(unix, any(feature = "audit", test)))]
pub use crate::record::{Audit, audit_in};
pub use crate::run::{run, run_named};
#[cfg(any(feature = "service", test))]
pub use crate::service::check_remote;
pub use crate::sys::set_environment;
pub use crate::tool::{Tool, ToolInput};
pub use crate::{Entry, Error, Hook, HookDef, Mode, OnFailure, Payload, Response, event};
pub use hookkit_macros::overridden;

/// Decodes a tool's input.
pub fn decode<T: DeserializeOwned>(input: Deserializer<'_, '_>) -> Result<T, JsonError> {
    T::deserialize(input)
}

/// Returns the members of a tool's input that a type decodes.
pub fn projection_of<T: DeserializeOwned>() -> Projection {
    Projection::of::<T>()
}

/// Returns the error for a tool that no variant of the enum accepts.
#[cold]
pub fn no_variant(tool_name: &str) -> JsonError {
    JsonError::new(format_args!("the enum has no variant for `{tool_name}`"))
}

pub use crate::registry::{Registered, lister, submit};

/// Registers a hook if its crate is built with debug assertions, as in a lister. In a launcher it does nothing, because
/// registered hooks are linked with all their dependencies.
///
/// A feature of this crate would do the same, but compile the crate twice for each install.
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($hook:path) => {
        #[cfg(debug_assertions)]
        $crate::__private::submit! {
            $crate::__private::Registered {
                hook: <$hook as $crate::__private::Hook>::DEF,
                source: <$hook as $crate::__private::Hook>::SOURCE,
            }
        }
    };
}

pub use crate::__register as register;
