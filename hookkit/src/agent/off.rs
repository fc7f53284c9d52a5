//! Empty functions that replace `agent.rs` in hooks for Claude Code.

use std::ffi::OsString;

use crate::{Error, HookDef, Response};

/// Returns `true` if an agent other than Claude Code started the process.
pub(crate) const fn is_on() -> bool {
    false
}

pub(crate) const fn variable(_: &str) -> Option<OsString> {
    None
}

pub(crate) fn respond(payload: &[u8], respond: impl Fn(&[u8]) -> Response, _: impl Fn(&Error) -> Response) -> Response {
    respond(payload)
}

pub(crate) fn translated(_: &HookDef, response: Response) -> Response {
    response
}
