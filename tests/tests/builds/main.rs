//! What cargo and xtask make of workspaces, and of code that must not compile. CONTRIBUTING.md has the table of all tiers.

mod api;
mod bench;
mod doctor;
mod hostile;
mod install;
mod installed;
mod list;
mod new;
mod new_files;
mod overrides;
mod packs;
mod run;
mod scopes;
mod secrets;
mod settings_files;
mod sharing;
mod ui;
mod wild;
