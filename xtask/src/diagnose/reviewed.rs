//! Everything that a checkout has sessions run, compared with a list that its team has reviewed: `.claude/hookkit.reviewed`.
//!
//! [`collect`] finds the entries: hooks and other settings, MCP servers, plugins, what skills, agents and commands declare, and
//! the files of the checkout that these name. [`list`] reads and writes the list.
//!
//! The checkout may be hostile: nothing of it is run, and no link leads out of it. What could run later matters, and not only
//! what the present client reads, so in doubt there is an entry more.
//!
//! Not seen: the client itself, the user's and the machine's settings, programs outside of the checkout, files whose names a
//! program puts together or that a tool reads by convention (`package.json`, `Makefile`), and what the text of a skill or of
//! CLAUDE.md has the model do.

mod checkout;
pub(crate) mod collect;
mod documents;
pub(crate) mod entry;
pub(crate) mod found;
pub(crate) mod list;
pub(crate) mod look;
mod markdown;
mod names;
mod plugin;
