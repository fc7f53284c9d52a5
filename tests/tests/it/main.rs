//! Tests of the whole.

mod answers;
mod api;
mod bench;
mod budgets;
mod client;
mod decode;
mod edits;
mod env_file;
mod events;
mod faults;
mod hooks;
mod install;
mod list;
mod matchers;
mod overrides;
mod packs;
mod page;
mod process;
mod release;
mod scopes;
mod settings;
mod sharing;
mod tools;
mod transcript;
mod ui;
mod verdict;
