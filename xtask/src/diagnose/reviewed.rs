//! Everything that sessions run because of a checkout, compared with a list that its team has reviewed:
//! `.claude/hookkit.reviewed`.
//!
//! [`collect`] finds the entries: hooks and other settings, MCP servers, plugins, declarations of skills, agents and
//! commands, and the files of the checkout that these name. [`list`] reads and writes the list.
//!
//! The checkout may be hostile: none of its code is run, and no link leads out of it. Code that could run later
//! matters, not only the files that the present client reads, so in doubt there is an entry.
//!
//! Not seen: the client itself, the user's and the machine's settings, programs outside of the checkout, files whose
//! names a program puts together or that a tool reads by convention (`package.json`, `Makefile`), and actions of the
//! model because of the text of a skill or of CLAUDE.md.

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
