//! All hooks of a session, hookkit's or not, and the mistakes in them.
//!
//! [`settings::check`](crate::settings::check) knows what Claude Code would not read of a file. Here is what it reads, and
//! what then does something else than it seems to: [`active`] has the hooks of a session, and [`rules`] looks at one of them
//! and at all together. [`look`] puts that together, [`present`] asks which client is there, [`own`] runs what `install` has
//! installed, [`report`] prints it, with the word that [`pointer`] finds, and [`fix`] makes the edits that are plainly meant. [`client`] asks the client itself.
//!
//! A rule speaks where a fault is plain. A false alarm is worse than silence: it teaches people to look away.

pub(crate) mod active;
pub(crate) mod client;
pub(crate) mod fields;
pub(crate) mod finding;
pub(crate) mod fix;
#[cfg(all(test, unix))]
pub(crate) mod fixes;
pub(crate) mod look;
pub(crate) mod own;
pub(crate) mod pointer;
pub(crate) mod present;
pub(crate) mod report;
pub(crate) mod rules;
