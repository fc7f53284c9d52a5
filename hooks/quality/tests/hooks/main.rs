//! Tests of the pack's hooks on recorded events.

#[cfg(unix)]
mod lint;
#[cfg(unix)]
mod programs;
mod suppressions;
