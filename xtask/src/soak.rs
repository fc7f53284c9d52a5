//! The length of generated tests: short in a plain `cargo test`, long in the tier `soak` (CONTRIBUTING.md).

use std::env;
use std::time::{Duration, Instant};

/// The seconds in `HOOKKIT_SOAK`, if it is set.
fn budget() -> Option<Duration> {
    let seconds = env::var("HOOKKIT_SOAK").ok()?;
    Some(Duration::from_secs(
        seconds.parse().expect("HOOKKIT_SOAK is a number of seconds"),
    ))
}

/// The rounds of a generated test: `few`, or with a budget at least `all`, and more until it is spent.
pub(crate) fn rounds(few: u64, all: u64) -> impl Iterator<Item = u64> {
    let budget = budget();
    let start = Instant::now();
    (0..).take_while(move |round| match budget {
        None => *round < few,
        Some(budget) => *round < all || start.elapsed() < budget,
    })
}

/// A size: `small`, or with a budget `full`.
pub(crate) fn size(small: usize, full: usize) -> usize {
    if budget().is_some() { full } else { small }
}
