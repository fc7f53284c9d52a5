//! Empty functions in place of `record.rs`, for the hooks that do not record their runs.

use crate::{HookDef, Response};

/// Returns `true` if the run is recorded.
pub(crate) const fn is_on() -> bool {
    false
}

pub(crate) const fn exit_code() -> Option<u8> {
    None
}

pub(crate) fn begin(_: &HookDef, _: &[u8]) {}

pub(crate) fn end(_: &Response, _: u8) {}

pub(crate) fn fail<'p>(_: &str, _: &str, _: u8, _: impl Iterator<Item = &'p str>) {}
