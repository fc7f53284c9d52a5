//! The default tier: hook processes, settings files, messages, and the rules about the client against what was recorded
//! of it. CONTRIBUTING.md has the table of all tiers.

mod answers;
mod backtest_page;
mod budgets;
mod checkout;
mod completions;
mod decode;
mod doctor;
mod edits;
mod env_file;
mod events;
mod examples;
mod faults;
mod hostile;
mod install;
mod json;
mod layers;
mod links;
mod list;
mod matchers;
mod outputs;
mod page;
mod places;
mod plugins;
mod process;
mod recipes;
mod release;
mod reviewed;
mod session;
mod smoke;
#[path = "../../../hookkit/src/soak.rs"]
mod soak;
mod sources;
mod special_files;
mod starts;
mod startup;
mod stats_page;
mod terminal;
mod testing;
mod tools;
mod transcript;
mod update;
mod verdict;
mod versions;
mod wire;
mod words;
