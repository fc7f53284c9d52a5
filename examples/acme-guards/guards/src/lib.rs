//! Rules for all agents at Acme.

pub mod files;
pub mod git;
