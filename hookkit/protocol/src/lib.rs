//! Facts about Claude Code's hook protocol, each written down once.
//!
//! The crate describes the events, the meaning of a matcher, the tool names, the declaration of a hook, the
//! contents of a settings file and the files that a session reads. With the feature `regex`, it also checks that a
//! matcher and an `if` mean what they seem to mean. It does no I/O and does not know hookkit's own types; without the
//! features `regex` and `serde` it has no dependencies.
//!
//! The facts describe client 2.1.330, unless an item says otherwise.
//!
//! After a release of the client, a minor version of this crate can add variants to the enums: give each `match` on
//! them a `_` arm. The enums are not `#[non_exhaustive]`, so hookkit itself does not compile until it handles a new
//! variant. hookkit's own crates pin the version of this crate.

// docs.rs writes at each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod agents;
pub mod escape;
pub mod event;
pub mod file_name;
pub mod git_variables;
pub mod guards;
pub mod hook;
#[cfg(feature = "regex")]
pub mod lint;
pub mod matcher;
pub mod mods;
#[cfg(feature = "near")]
mod near;
pub mod output;
#[doc(hidden)]
pub mod search_path;
pub mod settings;
pub mod start;
pub mod terminal;
pub mod tool;

#[cfg(feature = "near")]
pub use near::{near, near_event};

/// Compares two texts in constants, where `==` is not possible.
#[inline]
pub const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, ones @ ..], [b, others @ ..]) = (one, other)
        && *a == *b
    {
        (one, other) = (ones, others);
    }
    one.is_empty() && other.is_empty()
}
