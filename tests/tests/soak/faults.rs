//! The whole fault matrix: every fault of a handler, on every event, under every policy.

use anyhow::Result;
use hookkit_tests::faults::{IN_THE_HANDLER, cells, fails_as_declared};
use hookkit_tests::parallel;

#[test]
fn on_failure_applies_to_every_fault_on_every_event() -> Result<()> {
    let faults = IN_THE_HANDLER.iter();
    let runs = faults.flat_map(|(fault, reason)| cells().map(move |cell| (cell, fault, reason)));
    parallel::each(16, runs, |(cell, fault, reason)| fails_as_declared(cell, fault, reason))
}
