//! Calls of cargo.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cargo::program::installed;
use crate::terminal::progress::Progress;

/// A `cargo` without the variables of the one that runs xtask.
///
/// `cargo run` describes its own package in variables, which would be news to build scripts, and rebuild them.
pub(crate) fn cargo() -> Command {
    outside_of_run(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The same, of the toolchain that the folder names that it runs in.
pub(crate) fn cargo_of_folder() -> Command {
    let mut command = outside_of_run("cargo".as_ref());
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

fn outside_of_run(program: &OsStr) -> Command {
    const OF_THIS_PACKAGE: [&str; 6] = [
        "CARGO_BIN_", "CARGO_CRATE_", "CARGO_MAKEFLAGS", "CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_",
    ];
    let mut command = installed(program, Path::new(""));
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix));
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs cargo in a folder. Where it fails, what it says is the error.
pub(crate) fn cargo_says<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(arguments).current_dir(folder);
    let what = cargo.get_args().next().unwrap_or_default().display().to_string();
    let _progress = Progress::new("Running", format!("`cargo {what}`"));
    let output = cargo.output().context("cargo could not be run")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .trim_start_matches("error: ")
    );
    Ok(())
}
