//! Hooks that answer what the user would be asked for.
//!
//! They say yes to what is certain, and have no opinion on all else: then the user is asked as without them.
//! They never deny, and when they fail they have no opinion either.
//!
//! - [`approve_read_only`](read_only::approve_read_only): shell commands that change nothing.

pub mod read_only;
