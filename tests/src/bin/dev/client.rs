//! `cargo dev client`: installs the client that the tests run.

#![expect(clippy::print_stdout, reason = "a script reads the path from stdout")]

use anyhow::{Context, Result};

/// Installs the pinned client into the cache folder, unless it is there already, and prints its path.
pub(crate) fn run() -> Result<()> {
    let client = hookkit_tests::client::install().context("cannot install the client")?;
    println!("{}", client.display());
    Ok(())
}
