//! What takes its time: storms of processes, and payloads of gigabytes. `HOOKKIT_SOAK` is how many seconds a test with a
//! budget takes. CONTRIBUTING.md has the table of all tiers.

mod faults;
mod limits;
mod storm;
