//! The real client is asked again about all that hookkit says of it. CONTRIBUTING.md has the table of all tiers.

mod answers;
mod client;
mod doctor;
mod doctor_client;
mod edits;
mod faults;
mod guard;
mod hooks;
mod list;
mod matchers;
mod permission;
mod quality;
mod sabotage;
mod scopes;
mod session;
mod settings;
mod transcript;
mod verdict;
