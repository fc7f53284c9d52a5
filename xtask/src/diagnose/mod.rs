//! All hooks of a session, hookkit's and others, and the mistakes in them.
//!
//! [`settings::check`](crate::settings::check) finds the parts of a file that Claude Code does not read.
//! This module finds mistakes in the parts that it reads:
//!
//! - [`active`] collects the hooks of a session.
//! - [`rules`] checks each hook, and all hooks together.
//! - [`look`] runs the rules on a session.
//! - [`mods`] finds plugin modules that can skip hooks, and other obstacles to hooks in managed settings.
//! - [`present`] checks the version of the installed client.
//! - [`own`] checks and runs the hooks installed by `install`.
//! - [`paused`] turns these hooks off for a while, and on again.
//! - [`packages`] checks the files of plugins written by `package`, and [`copies`] finds hooks that a session has
//!   twice.
//! - [`starts`] compares the session with sessions that start elsewhere in the repository.
//! - [`reviewed`] compares a team's reviewed list with everything that sessions run because of a checkout.
//! - [`report`] prints the findings, and [`pointer`] finds the word that each one underlines.
//! - [`fix`] makes the unambiguous edits.
//! - [`client`] asks the client itself.
//!
//! A rule reports only clear mistakes, because users ignore findings after false alarms.

pub(crate) mod active;
pub(crate) mod agents;
pub(crate) mod copies;
pub(crate) mod fields;
pub(crate) mod fix;
#[cfg(all(test, unix))]
pub(crate) mod fixes;
pub(crate) mod look;
pub(crate) mod mods;
pub(crate) mod own;
pub(crate) mod packages;
#[cfg(all(test, unix))]
mod page;
pub(crate) mod paused;
pub(crate) mod pointer;
pub(crate) mod present;
pub(crate) mod report;
pub(crate) mod reviewed;
pub(crate) mod rules;
pub(crate) mod starts;
pub(crate) mod surroundings;
