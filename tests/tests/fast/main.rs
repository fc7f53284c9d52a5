//! The default tier: hook processes, settings files, messages, and the rules about the client against what was recorded
//! of it. CONTRIBUTING.md has the table of all tiers.

mod bench;
mod budgets;
mod decode;
mod doctor;
mod edits;
mod env_file;
mod events;
mod faults;
mod handlers;
mod hostile;
mod install;
mod list;
mod matchers;
mod new;
mod page;
mod process;
mod release;
mod run;
mod scopes;
mod smoke;
mod testing;
mod tools;
mod transcript;
mod verdict;
