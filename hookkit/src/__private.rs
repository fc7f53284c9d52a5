//! What generated code names. Not for people: it changes without notice.

use hookkit_protocol::event as facts;
use hookkit_protocol::matcher::Matcher;

pub use crate::answer::{Answer, Async, AsyncRewake};
pub use crate::json::{Deserializer, Error as DecodeError, PayloadWants, Wants};
pub use crate::payload::FromInput;
pub use crate::run::run;
pub use crate::{Entry, Error, Hook, HookDef, Mode, OnFailure, Payload, Response, event};

/// What the attribute says of a hook.
pub struct Declaration {
    pub name: &'static str,
    pub description: &'static str,
    pub entries: &'static [Entry],
    pub condition: Option<&'static str>,
    pub timeout: Option<u32>,
    pub status_message: Option<&'static str>,
    pub mode: Mode,
    pub path: &'static str,
}

/// The definition of a hook.
pub const fn define(declaration: Declaration) -> HookDef {
    HookDef {
        name: declaration.name,
        description: declaration.description,
        entries: declaration.entries,
        condition: declaration.condition,
        timeout: declaration.timeout,
        status_message: declaration.status_message,
        mode: declaration.mode,
        path: declaration.path,
    }
}

/// What the attribute says of a hook on one of its events.
pub struct EntryDeclaration {
    pub matcher: Option<&'static str>,
    /// What the author wrote, if anything.
    pub on_failure: Option<OnFailure>,
    /// What the answer stands for.
    pub on_failure_by_default: OnFailure,
    pub call: fn(&Payload<'_>) -> Result<Response, Error>,
    pub wants: &'static [fn(&mut PayloadWants)],
}

/// What a hook is on `E`.
pub const fn entry<E: event::Event>(declaration: EntryDeclaration) -> Entry {
    Entry {
        event: E::FACTS,
        matcher: declaration.matcher,
        filter: match declaration.matcher {
            Some(matcher) => Matcher::new(matcher, E::FACTS),
            None => Matcher::All,
        },
        on_failure: match declaration.on_failure {
            Some(written) => written,
            None => declaration.on_failure_by_default,
        },
        is_on_failure_native: matches!(declaration.on_failure, Some(OnFailure::Block)) && E::FACTS.heeds_on_failure(),
        call: declaration.call,
        wants: declaration.wants,
    }
}

/// The matcher of a hook that declares none: that of what its arguments are for.
pub const fn matcher_of(of_types: &[Option<&'static str>]) -> Option<&'static str> {
    let mut rest = of_types;
    while let [first, others @ ..] = rest {
        if first.is_some() {
            return *first;
        }
        rest = others;
    }
    None
}

/// What is wrong with a type's own matcher; an attribute's is looked at by the attribute.
pub const fn fault_of(of_types: Option<&str>) -> Option<&'static str> {
    match of_types {
        Some(text) => Matcher::new(text, &facts::PRE_TOOL_USE).fault_of_names(),
        None => None,
    }
}

/// Whether a type's matcher may admit all of these tools.
pub const fn may_admit(of_type: Option<&str>, tools: &[&str]) -> bool {
    let mut rest = tools;
    while let [tool, others @ ..] = rest {
        if !may_name(of_type, tool) {
            return false;
        }
        rest = others;
    }
    true
}

/// Whether a type's matcher names other tools than this one.
pub const fn names_others(of_type: Option<&str>, tool: &str) -> bool {
    match of_type {
        Some(text) => Matcher::new(text, &facts::PRE_TOOL_USE).names_others(tool),
        None => false,
    }
}

/// Whether a type's matcher may admit this tool: whether it names it, or is no list of names.
const fn may_name(matcher: Option<&str>, name: &str) -> bool {
    let Some(text) = matcher else { return true };
    let list = Matcher::new(text, &facts::PRE_TOOL_USE);
    let Matcher::Names(_) = list else {
        // Expressions are for the tools of servers; what else they match is not known here.
        return !matches!(text.as_bytes(), [b'm', b'c', b'p', b'_', b'_', ..])
            || matches!(name.as_bytes(), [b'm', b'c', b'p', b'_', b'_', ..]);
    };
    list.names_tool(name)
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
