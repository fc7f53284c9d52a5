//! Compares everything that sessions run because of a checkout with a list that the checkout's team has reviewed:
//! `.claude/hookkit.reviewed`.
//!
//! [`collect`] finds the entries: hooks and other settings, MCP servers, plugins, declarations of skills, agents and
//! commands, and the files of the checkout that these name. [`list`] reads and writes the list.
//!
//! The checkout may be hostile. None of its code is run, and no link is followed out of it. Files that only a later
//! client reads could run code, too, so in doubt there is an entry.
//!
//! The comparison does not include the client itself, the settings of the user and of the machine, programs outside of
//! the checkout, files whose names a program composes or that a tool reads by convention (`package.json`, `Makefile`),
//! and actions of the model because of the text of a skill or of CLAUDE.md.

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
