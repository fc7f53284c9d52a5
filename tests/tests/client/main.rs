//! Tests of hookkit's facts about the client, in the real client. CONTRIBUTING.md has the table of all tiers.

mod agents;
mod answers;
mod audit;
mod bypassed;
mod case;
mod client;
mod configured;
mod doctor;
mod doctor_client;
mod ending;
mod everywhere;
mod faults;
mod guard;
mod hold_mods;
mod hooks;
mod list;
mod managed;
mod mods;
mod off;
mod order;

mod package;
mod permission;
mod picture;
mod plugins;
mod project_hooks;
mod quality;
mod readme;
mod records;
mod requested;
mod reviewed;
mod sabotage;
mod scopes;
mod service;
mod session;
mod settings;
mod skills;
mod snapshots;
#[path = "../../../hookkit/src/soak.rs"]
mod soak;
mod starts;
mod stats;
mod transcript;
mod verdict;
mod watch;
