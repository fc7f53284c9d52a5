//! Empty functions that replace `record.rs` in hooks that do not record their runs.

use crate::{Error, HookDef, Response};

/// Returns `true` if the hook was built by `install --audit`, so that each of its decisions becomes a line of the
/// audit.
///
/// A hook with its own log does not need to write it then.
pub fn is_audited() -> bool {
    false
}

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

pub(crate) fn settled(response: Response, _: impl FnOnce(&Error) -> Response) -> Response {
    response
}

pub(crate) const fn settles() -> bool {
    false
}

pub(crate) const fn fails(_: &HookDef, _: &str) -> bool {
    true
}
