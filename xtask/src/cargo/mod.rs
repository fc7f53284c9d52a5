//! The author's workspace, its manifests and its Cargo.lock.

pub(crate) mod location;
pub(crate) mod lockfile;
pub(crate) mod manifest;
pub(crate) mod packs;
pub(crate) mod unnamed;
pub(crate) mod workspace;
