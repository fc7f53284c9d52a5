//! Compares everything that a checkout makes sessions run with a list reviewed by its team: `.claude/hookkit.reviewed`.
//!
//! [`collect`] finds the entries: hooks and other settings, MCP servers, plugins, declarations of skills, agents and
//! commands, and the checkout's files that these mention. [`list`] reads and writes the list.
//!
//! The checkout may be hostile. None of its code is run, and no link is followed out of it. Doubtful files get an
//! entry, too, because a later client may run code from them.
//!
//! The comparison excludes the client itself, the settings of the user and the machine, programs outside the checkout,
//! files whose names are computed by a program or that a tool reads by convention (`package.json`, `Makefile`), and
//! actions of the model due to the text of a skill or CLAUDE.md.

mod checkout;
pub(crate) mod collect;
mod documents;
pub(crate) mod entry;
pub(crate) mod found;
pub(crate) mod list;
mod markdown;
mod names;
mod plugin;
