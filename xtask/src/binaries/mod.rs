//! From packs to binaries: hook definitions, and the generated packages that build the hooks.

pub(crate) mod asked;
pub(crate) mod candidate;
pub(crate) mod changes;
pub(crate) mod confined;
pub(crate) mod definition;
pub(crate) mod generated;
pub(crate) mod launchers;
pub(crate) mod link;
pub(crate) mod lister;
pub(crate) mod manifests;
pub(crate) mod messages;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod overrides;
pub(crate) mod platform;
pub(crate) mod recording;
pub(crate) mod revision;
pub(crate) mod sample;
pub(crate) mod trial;
pub(crate) mod universal;
