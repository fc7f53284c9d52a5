//! `cargo dev`: the tasks of this repository. `cargo dev --help` lists them.
//!
//! Each command is one file with one `run`. Most commands are a list of [`step::Step`]s, which are commands that can
//! also be typed without `cargo dev`. Users have `cargo xtask` instead.

mod client;
mod doctor;
mod figures;
mod fuzz;
mod gate;
mod look_at_book;
mod snapshots;
mod step;
mod surroundings;
mod test;
mod watch;
mod wine;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runs the tasks of this repository
#[derive(Parser)]
#[command(name = "cargo dev", bin_name = "cargo dev")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check and every test: all that `.ci/run` checks
    Gate(gate::Options),
    /// Run the tests of one tier or several; without a tier, those of `cargo test --workspace`
    Test(test::Options),
    /// Record all snapshots anew; read them in `git diff` afterwards
    Snapshots,
    /// Measure every figure that the project promises, and fail where one does not hold
    Figures(figures::Options),
    /// Install the Claude Code client that the tests run into the cache folder, and print its path
    Client(client::Options),
    /// Ask a client how it reads the settings of a project, on copies: no hook is run
    Doctor(doctor::Options),
    /// Build the book, and take pictures of its pages with headless chromium
    LookAtBook(look_at_book::Options),
    /// Fuzz one target with cargo-fuzz; needs nightly Rust
    Fuzz(fuzz::Options),
    /// Compare another version of the client with the facts of hookkit
    Watch(watch::Options),
    /// Run the tests that Windows can run, under Wine; needs cargo-zigbuild and Wine
    Wine,
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Gate(options) => gate::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Snapshots => snapshots::run(),
        Command::Figures(options) => figures::run(&options),
        Command::Client(options) => client::run(&options),
        Command::Doctor(options) => doctor::run(&options),
        Command::LookAtBook(options) => look_at_book::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Watch(options) => watch::run(&options),
        Command::Wine => wine::run(),
    };
    let Err(error) = done else { return ExitCode::SUCCESS };
    eprintln!("error: {error:#}");
    match error.downcast_ref::<step::Failed>() {
        Some(failed) => ExitCode::from(failed.code),
        None => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::CommandFactory;
    use hookkit_tests::xtask::repository;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_alias_starts_this_binary() {
        let config = fs::read_to_string(repository().join(".cargo/config.toml")).unwrap();
        let package = env!("CARGO_PKG_NAME");
        let alias = format!("dev = \"run --quiet --package {package} --bin {} --\"", env!("CARGO_BIN_NAME"));
        let holds = config.lines().any(|line| line == alias);
        assert!(holds, "no line `{alias}` in {config}");
    }

    #[test]
    fn contributing_names_every_command() {
        let contributing = fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
        for command in Options::command().get_subcommands() {
            let typed = format!("cargo dev {}", command.get_name());
            assert!(contributing.contains(&typed), "CONTRIBUTING.md does not name `{typed}`");
        }
    }
}
