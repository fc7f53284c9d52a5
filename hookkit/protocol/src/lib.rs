//! Facts about Claude Code's hook protocol, each written down once.
//!
//! The attribute and the runtime ask here: which events there are, what a matcher means, how a tool is called, what a hook declares, what a settings file may hold; and with the feature `regex`, whether a matcher or an `if` means what it seems to. Nothing in this crate does I/O or knows hookkit's own types, and without the features `regex` and `serde` it has no dependencies.
//!
//! The facts describe client 2.1.330, unless an item says otherwise.
//!
//! With a release of the client the enums can get variants, in a minor version of this crate, too: a `match` on one of them is to have a `_` arm. They are not `#[non_exhaustive]` so that hookkit itself does not compile before it knows what a new one means; its own crates pin this one.

pub mod escape;
pub mod event;
pub mod git_variables;
pub mod hook;
#[cfg(feature = "regex")]
pub mod lint;
pub mod matcher;
pub mod output;
pub mod settings;
pub mod terminal;
pub mod tool;

/// Compares two texts in constants, where `==` is not allowed.
#[inline]
pub const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, ones @ ..], [b, others @ ..]) = (one, other)
        && *a == *b
    {
        (one, other) = (ones, others);
    }
    one.is_empty() && other.is_empty()
}
