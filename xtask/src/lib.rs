//! Builds the hooks of a workspace and installs them into Claude Code's settings.
//!
//! A team's own xtask is this crate and three lines:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     hookkit_xtask::main()
//! }
//! ```
//!
//! Each command is one file of `commands`. Below them are six layers: `history`, `diagnose`, `settings`, `binaries`,
//! `cargo` and `disk`. A file imports only from its own layer and from those below it; `terminal` may be used by all.
//! ARCHITECTURE.md draws them, and a test checks the imports.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests create what others could"))]

mod agents;
mod binaries;
mod cargo;
mod commands;
mod diagnose;
mod disk;
mod history;
mod settings;
#[cfg(test)]
#[path = "../../hookkit/src/soak.rs"]
mod soak;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    add, audit, backtest, bisect, completions, doctor, explain, hold_mods, install, list, new, off, package, run,
    snapshots, stats, sync, uninstall, verify,
};
use crate::terminal::{Done, person};

#[cfg(any(test, fuzzing))]
#[doc(hidden)]
#[path = "../../tests/fuzz/inside/settings.rs"]
pub mod fuzzing;

/// Sample packages and a sample page for hookkit's tests. This is not a public API.
#[cfg(any(test, feature = "rig"))]
#[doc(hidden)]
pub mod rig {
    pub use crate::history::page::page;
    pub use crate::settings::plugin::sample::*;
}

/// Build the hooks of this workspace and install them into Claude Code's settings
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build hooks and add them to a settings file, by default the project's
    #[command(after_help = "Example: cargo xtask install --project ../app --hook protect-secrets")]
    Install(install::Options),
    /// Install a project's hooks, from the sources in its .claude/hookkit.toml
    Sync(sync::Options),
    /// Remove the hooks from a settings file, by default the project's, and delete their binaries
    #[command(
        after_help = "Remove a single hook: cargo xtask install --without NAME\n\nExample: cargo xtask uninstall \
                      --project ../app"
    )]
    Uninstall(uninstall::Options),
    /// Build a plugin with hooks, for Linux, macOS and Windows, for users without Rust
    Package(package::Options),
    /// Compare everything that a checkout makes Claude Code run with its reviewed list, or a package with its sources
    Verify(verify::Options),
    /// Show all hooks that Claude Code has in a project, hookkit's and others
    List(list::Options),
    /// Show what a third-party pack (from a registry, a git repository or a folder) would add, and add it
    #[command(
        after_help = "Exit code 1: there are changes to accept with --yes.\n\nExample: cargo xtask add acme-guards --git https://git.example.com/guards --tag v1.2.0"
    )]
    Add(add::Add),
    /// Show what newer versions of third-party packs would change, and update the packs
    #[command(
        after_help = "Exit code 1: there are changes to accept with --yes.\n\nExample: cargo xtask update acme-guards"
    )]
    Update(add::Update),
    /// Run a hook of this workspace, or the hooks of a pack, on an event, and show what Claude Code does with the
    /// answer
    Run(run::Options),
    /// Create a workspace for hooks, or a hook in one, with a test that passes
    New(new::Options),
    /// Find out why a hook does not run: check the settings, plugins and installed hooks of a project
    Doctor(doctor::Options),
    /// Show how a shell command is parsed, and how a project's hooks answer it
    Explain(explain::Options),
    /// Allow a command once that a project's hooks deny or ask about
    AllowOnce(off::AllowOnce),
    /// Turn an installed hook off for a while
    Off(off::Off),
    /// Turn a hook on again that is off for a while
    #[command(after_help = "Example: cargo xtask on deny-destruction")]
    On(off::On),
    /// Stop mods (JavaScript in plugins) from skipping hooks, with managed settings
    HoldMods(hold_mods::Options),
    /// Show what hooks did in past sessions: runs, times, denials, failures that were not shown
    Stats(stats::Options),
    /// List the audit of hooks that were installed with --audit, and ship it to a collector
    Audit(audit::Options),
    /// List the snapshots of a project's files, compare them, and restore files
    #[command(after_help = snapshots::EXAMPLES)]
    Snapshots(snapshots::Options),
    /// Find the tool call of a session after which a check fails
    #[command(after_help = bisect::EXAMPLES)]
    Bisect(bisect::Options),
    /// Show what hooks would have answered in past sessions, without changing anything
    Backtest(backtest::Options),
    /// Print a completion script for a shell
    Completions(completions::Options),
}

impl Command {
    /// Returns the value of `--yes`. `None` for a command that has no such option to run without a terminal.
    fn yes(&self) -> Option<bool> {
        match self {
            Self::Uninstall(options) => Some(options.yes),
            Self::HoldMods(options) => Some(options.yes),
            _ => None,
        }
    }
}

/// Runs the command in the process arguments.
///
/// Exit codes: 0 for success, 1 for success with findings, 2 for failure or refusal.
pub fn main() -> ExitCode {
    // cargo passes a subcommand's name as its first argument: `cargo-hookkit hookkit sync`.
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "hookkit") {
        arguments.remove(1);
    }
    let words: Vec<String> = arguments.iter().skip(1).map(|word| word.to_string_lossy().into()).collect();
    let cli = Cli::parse_from(arguments);
    let done = person::ensure_typed(&words, cli.command.yes()).and_then(|()| run(cli.command));
    match done {
        Ok(Done::Clean) => ExitCode::SUCCESS,
        Ok(Done::WithFindings) => ExitCode::FAILURE,
        Err(err) => {
            terminal::fail(&err);
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<Done> {
    match command {
        Command::Install(options) => install::run(options),
        Command::Sync(options) => sync::run(&options),
        Command::Uninstall(options) => uninstall::run(options),
        Command::Package(options) => package::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::List(options) => list::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::AllowOnce(options) => off::allow_once(&options),
        Command::Off(options) => off::off(&options),
        Command::On(options) => off::on(&options),
        Command::Add(options) => add::add(&options),
        Command::Update(options) => add::update(&options),
        Command::Run(options) => run::run(&options),
        Command::New(options) => new::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::HoldMods(options) => hold_mods::run(&options),
        Command::Stats(options) => stats::run(&options),
        Command::Audit(options) => audit::run(&options),
        Command::Snapshots(options) => snapshots::run(&options),
        Command::Bisect(options) => bisect::run(&options),
        Command::Backtest(options) => backtest::run(&options),
        Command::Completions(options) => completions::run(&options, Cli::command()),
    }
}

#[cfg(test)]
mod tests {
    use hookkit_effects::all_for_person;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    /// Commands that neither remove a guard nor accept code, with any options except those in the table. `run --pack`
    /// runs third-party code, but keeps none of it. `install` and `sync` install the project's hooks.
    const FOR_ALL: &[&str] = &["backtest", "bisect", "completions", "explain", "list", "new", "on", "run", "stats"];

    #[test]
    fn each_command_is_for_all_or_in_the_table_of_those_for_a_person() {
        let cli = Cli::command();
        let rows = |name: &str| all_for_person().filter(|row| row.command == name).collect::<Vec<_>>();
        for command in cli.get_subcommands() {
            let name = command.get_name();
            assert_ne!(rows(name).is_empty(), !FOR_ALL.contains(&name), "{name}");
            for option in command.get_arguments().filter_map(clap::Arg::get_long) {
                let accepts = matches!(option, "accept" | "merge" | "remove") || option == "yes" && name != "install";
                let listed =
                    rows(name).iter().any(|row| row.option.is_none_or(|of_row| of_row == format!("--{option}")));
                assert!(listed || !accepts, "{name} --{option}");
            }
            assert_eq!(command.get_all_aliases().count(), 0, "the table has no aliases");
        }
        // Only an older program has `remove`.
        for row in all_for_person().filter(|row| row.command != "remove") {
            let command = cli.find_subcommand(row.command).expect(row.command);
            let has = |option: &str| {
                let is_option =
                    |it: &clap::Arg| Some(option) == it.get_long().map(|name| format!("--{name}")).as_deref();
                command.get_arguments().any(is_option) || command.find_subcommand(option).is_some()
            };
            assert!(row.option.is_none_or(has), "{row:?}");
        }
    }
}
