//! The author's workspace: cargo's metadata, its manifests and its Cargo.lock.

pub(crate) mod accepted;
pub(crate) mod checkout;
pub(crate) mod command;
pub(crate) mod hookkit;
pub(crate) mod location;
pub(crate) mod lockfile;
pub(crate) mod manifest;
pub(crate) mod metadata;
pub(crate) mod min_client;
pub(crate) mod packs;
pub(crate) mod patch;
pub(crate) mod pin;
pub(crate) mod profile;
pub(crate) mod program;
pub(crate) mod source;
pub(crate) mod undo;
pub(crate) mod unnamed;
pub(crate) mod workspace;
