//! What no agent does at Acme.

pub mod files;
pub mod git;
