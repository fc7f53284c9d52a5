//! What generated code names. Not for people: it changes without notice.

pub use crate::answer::Answer;
use hookkit_protocol::matcher::Matcher;

pub use crate::json::{Deserializer, Error as DecodeError, PayloadWants, Wants};
pub use crate::payload::FromInput;
pub use crate::run::run;
pub use crate::{Error, Hook, HookDef, OnFailure, Payload, Response, event};

/// What the attribute says of a hook.
pub struct Declaration {
    pub name: &'static str,
    pub description: &'static str,
    pub matcher: Option<&'static str>,
    pub timeout: Option<u32>,
    pub on_failure: OnFailure,
    pub path: &'static str,
    pub call: fn(&Payload<'_>) -> Result<Response, Error>,
    pub wants: &'static [fn(&mut PayloadWants)],
}

/// The definition of a hook on `E`.
pub const fn define<E: event::Event>(declaration: Declaration) -> HookDef {
    HookDef {
        name: declaration.name,
        description: declaration.description,
        event: E::FACTS,
        matcher: declaration.matcher,
        filter: match declaration.matcher {
            Some(matcher) => Matcher::new(matcher, E::FACTS),
            None => Matcher::All,
        },
        timeout: declaration.timeout,
        on_failure: declaration.on_failure,
        path: declaration.path,
        call: declaration.call,
        wants: declaration.wants,
    }
}

#[cfg(feature = "registry")]
pub use crate::registry::{Registered, list, submit};

/// Collects a hook where a lister is built, and is nothing in a launcher.
#[cfg(feature = "registry")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($hook:ident) => {
        $crate::__private::submit! { $crate::__private::Registered(<$hook as $crate::__private::Hook>::DEF) }
    };
}

/// Collects a hook where a lister is built, and is nothing in a launcher.
#[cfg(not(feature = "registry"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($hook:ident) => {};
}

pub use crate::__register as register;
