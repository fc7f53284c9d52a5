//! From packs to binaries.

pub(crate) mod candidate;
pub(crate) mod changes;
pub(crate) mod definition;
pub(crate) mod generated;
pub(crate) mod link;
pub(crate) mod overrides;
pub(crate) mod sample;
pub(crate) mod trial;
