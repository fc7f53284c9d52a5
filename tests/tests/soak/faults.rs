//! The whole fault matrix: every fault of a handler, on every event, under every policy.

use anyhow::Result;
use hookkit_tests::faults::{IN_THE_HANDLER, cells, ends_in_the_policy};
use hookkit_tests::parallel;

#[test]
fn every_fault_of_a_handler_ends_in_the_policy_on_every_event() -> Result<()> {
    let faults = IN_THE_HANDLER.iter();
    let runs = faults.flat_map(|(fault, told)| cells().map(move |cell| (cell, fault, told)));
    parallel::each(16, runs, |(cell, fault, told)| ends_in_the_policy(cell, fault, told))
}
