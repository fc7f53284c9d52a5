//! The default tier: hook processes, settings files, messages, and the rules about the client against what was recorded
//! of it. CONTRIBUTING.md has the table of all tiers.

mod answers;
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
mod process;
mod release;
mod smoke;
mod sources;
mod special_files;
mod startup;
mod terminal;
mod testing;
mod tools;
mod transcript;
mod update;
mod verdict;
mod wire;
mod words;
