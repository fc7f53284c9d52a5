//! Tests of workspaces with cargo and xtask, and of the public API. CONTRIBUTING.md has the table of all tiers.

mod api;
mod backtest;
mod catalogue;
mod console;
mod doctor;
mod environment;
mod hostile;
mod install;
mod installed;
mod limits;
mod list;
mod new;
mod old_client;
mod order;
mod overrides;
mod package;
mod packs;
mod recipes;
mod record;
mod scopes;
mod settings_files;
mod sharing;
mod sync;
mod wild;
