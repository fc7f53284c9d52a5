//! Slow tests: many processes in parallel, and payloads of gigabytes. `HOOKKIT_SOAK` is the number of seconds of a test
//! with a time budget. CONTRIBUTING.md has the table of all tiers.

mod faults;
mod limits;
mod storm;
