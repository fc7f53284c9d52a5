//! What cargo makes of workspaces other than this one, and of code that must not compile. CONTRIBUTING.md has the table of
//! all tiers.

mod api;
mod doctor;
mod install;
mod list;
mod new;
mod overrides;
mod packs;
mod scopes;
mod secrets;
mod sharing;
mod ui;
mod wild;
