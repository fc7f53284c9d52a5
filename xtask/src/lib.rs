//! hookkit.
