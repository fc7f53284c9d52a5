//! The foundation of the end-to-end tests: the real client, a scripted model, a throw-away project.
//!
//! A test writes a project, scripts the model's answers, runs the published client in it, and checks the texts that the
//! model, the user and the hooks got. Nothing leaves 127.0.0.1, and no Claude configuration of this machine is read:
//!
//! ```no_run
//! use hookkit_tests::{Project, Session, Turn, client};
//! use serde_json::json;
//!
//! # fn main() -> anyhow::Result<()> {
//! let Some(client) = client::require("reads_a_file") else { return Ok(()) };
//! let project = Project::new()?;
//! project.write("notes.txt", "hello\n")?;
//! let outcome = Session::new(&client, project.path())
//!     .allow(&["Read"])
//!     .turn(Turn::call("Read", json!({"file_path": project.path().join("notes.txt")})))
//!     .turn(Turn::text("Done."))
//!     .run("read my notes")?;
//! assert!(outcome.tool_results()[0].contains("hello"));
//! # Ok(())
//! # }
//! ```

use std::process::Command;
use std::{env, fs};

use anyhow::{Context, ensure};
use xtask::Ends;

pub mod agents;
pub mod api;
pub mod audit;
#[cfg(doctest)]
mod book;
pub mod broken;
pub mod browser;
pub mod budgets;
pub mod client;
pub mod console;
pub mod copies;
mod debug_log;
pub mod documented;
pub mod edits;
pub mod faults;
pub mod files;
#[path = "../fixtures/packs/hooks.rs"]
#[allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "they are hooks of a pack that does what hooks should not"
)]
pub mod fixture_hooks;
pub mod hostile;
pub mod isolation;
pub mod keyboard;
pub mod managed;
pub mod matchers;
pub mod mock;
pub mod mods;
mod outcome;
pub mod parallel;
pub mod plugins;
pub mod prelude;
mod project;
pub mod record;
pub mod rules;
pub mod service;
mod session;
pub mod settings;
pub mod starts;
pub mod transcript;
pub mod verdict;
pub mod watch;
pub mod workspace;
mod world;
pub mod xtask;

pub use debug_log::DebugLog;
pub use mock::Turn;
pub use outcome::{HookResponse, Outcome};
pub use project::Project;
pub use session::Session;
pub use test_support::skip;
pub use world::{Handlers, Said, World, handler_name};

/// Checks that a file of the repository has this text. With `SNAPSHOTS=overwrite` it is written first.
///
/// # Errors
///
/// If the file differs, or cannot be read or written.
pub fn snapshot(file: &str, text: &str) -> anyhow::Result<()> {
    let path = xtask::repository().join(file);
    if env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, text)?;
    }
    let committed = fs::read_to_string(&path).with_context(|| format!("reading {file}"))?;
    ensure!(committed == text, "{file} is not up to date: SNAPSHOTS=overwrite writes it");
    Ok(())
}

/// The release whose messages and instruction counts are recorded: they change with each release.
pub const RECORDED_WITH: &str = "rustc 1.95.0 ";

/// Returns `true` if rustc is [`RECORDED_WITH`]; if not, reports on stderr that the test is skipped.
///
/// # Errors
///
/// If there is no rustc.
pub fn is_recorded_toolchain(test_name: &str) -> anyhow::Result<bool> {
    let version = Command::new("rustc").arg("--version").out(0)?;
    let is_recorded = version.starts_with(RECORDED_WITH);
    if !is_recorded {
        skip(test_name, &format!("it was recorded with {RECORDED_WITH}"));
    }
    Ok(is_recorded)
}

/// The search path our processes get: the system's, so that a test means the same on every machine.
pub const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
