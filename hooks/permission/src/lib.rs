//! Hooks that answer permission questions in the user's place.
//!
//! They allow only what is certainly harmless, and have no opinion on anything else: the user is then asked as usual.
//! They never deny, and if they fail, they have no opinion either.
//!
//! - [`approve_read_only`](read_only::approve_read_only): shell commands that change nothing.

mod prelude;
pub mod read_only;
