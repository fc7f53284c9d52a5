//! `cargo dev doctor`: a client's reading of the settings of a project, to compare with the rules of `cargo xtask doctor`.

#![expect(clippy::print_stdout, reason = "the answer is the output")]

use std::env;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use hookkit_tests::{client, copies};

#[derive(Args)]
pub(crate) struct Options {
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// The client; without it, the one that the tests run
    #[arg(long, value_name = "FILE")]
    client: Option<PathBuf>,
}

/// Prints which files the client reads, and which of their hooks it registers and fires; fails if it does not accept all.
pub(crate) fn run(options: &Options) -> Result<()> {
    let client = options.client.clone().map_or_else(client::install, Ok)?;
    let user = env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let user = user.or_else(|| Some(env::home_dir()?.join(".claude"))).unwrap_or_default();
    let (text, is_clean) = copies::ask(&client, &options.project, &user)?;
    print!("{text}");
    ensure!(is_clean, "the client does not accept all of it");
    Ok(())
}
