//! The commands. Each file has the options of a command and its `run`.
//!
//! This is the top layer: a command calls the layers below, and prints.

pub(crate) mod add;
pub(crate) mod audit;
pub(crate) mod backtest;
pub(crate) mod bisect;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod hold_mods;
pub(crate) mod install;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod off;
pub(crate) mod package;
mod prelude;
pub(crate) mod run;
pub(crate) mod snapshots;
pub(crate) mod stats;
pub(crate) mod sync;
pub(crate) mod uninstall;
pub(crate) mod verify;
