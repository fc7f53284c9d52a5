//! What generated code names. Not for people: it changes without notice.

pub use crate::answer::Answer;
pub use crate::payload::FromInput;
pub use crate::run::run;
pub use crate::{Error, Hook, HookDef, Payload, Response, event};

/// What the attribute knows of a hook; the rest of its definition comes from its types.
pub struct Declaration {
    pub name: &'static str,
    pub description: &'static str,
    pub matcher: Option<&'static str>,
    pub timeout: Option<u32>,
    pub path: &'static str,
}

/// Joins what the attribute and the types know of a hook on `E` that answers by `A`.
pub const fn define<E: event::Event, A: Answer<E>>(
    declaration: Declaration,
    call: fn(&Payload<'_>) -> Result<Response, Error>,
) -> HookDef {
    HookDef {
        name: declaration.name,
        description: declaration.description,
        event: E::FACTS,
        matcher: declaration.matcher,
        timeout: declaration.timeout,
        on_failure: A::ON_FAILURE,
        path: declaration.path,
        call,
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
