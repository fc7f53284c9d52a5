//! A pack of hooks.
