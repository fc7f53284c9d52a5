//! The whole fault matrix: every fault of a handler, on every event, under every policy.

use anyhow::Result;
use hookkit_tests::faults::{cells, fails_as_declared, in_the_handler};
use hookkit_tests::parallel;

#[test]
fn on_failure_applies_to_every_fault_on_every_event() -> Result<()> {
    let faults = in_the_handler();
    let runs = faults.iter().flat_map(|(fault, reason)| cells().map(move |cell| (cell, fault, reason)));
    parallel::each(16, runs, |(cell, fault, reason)| fails_as_declared(cell, fault, reason))
}
