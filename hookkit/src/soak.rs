//! The length of generated and large tests: short in a plain `cargo test`, full in the tier `soak` (CONTRIBUTING.md).
//!
//! The unit tests of the other crates include this file.
#![allow(dead_code, reason = "not every crate has tests of both kinds")]

use std::env;
use std::time::{Duration, Instant};

/// Returns the seconds in `HOOKKIT_SOAK`, if it is set.
fn budget() -> Option<Duration> {
    let seconds = env::var("HOOKKIT_SOAK").ok()?;
    let seconds = seconds.parse().expect("HOOKKIT_SOAK is a number of seconds");
    Some(Duration::from_secs(seconds))
}

/// Returns the rounds of a generated test: without a budget `few` rounds; with a budget, at least `all`, until the
/// budget is spent.
pub(crate) fn rounds(few: u64, all: u64) -> impl Iterator<Item = u64> {
    let budget = budget();
    let start = Instant::now();
    (0..).take_while(move |round| match budget {
        None => *round < few,
        Some(budget) => *round < all || start.elapsed() < budget,
    })
}

/// Returns the size of a test: `full` with a time budget, otherwise `small`.
pub(crate) fn size(small: usize, full: usize) -> usize {
    if budget().is_some() { full } else { small }
}
