//! Calls to cargo.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cargo::program::installed;
use crate::terminal::progress::Progress;

/// Returns a `cargo` command without the variables of the cargo that runs xtask.
///
/// `cargo run` describes its own package in variables. Build scripts would treat them as changed and run again.
pub(crate) fn cargo() -> Command {
    outside_of_run(&std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns a `cargo` command for the toolchain that its working folder selects.
pub(crate) fn cargo_of_folder() -> Command {
    let mut command = outside_of_run("cargo".as_ref());
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    command
}

fn outside_of_run(program: &OsStr) -> Command {
    const OF_THIS_PACKAGE: [&str; 6] =
        ["CARGO_BIN_", "CARGO_CRATE_", "CARGO_MAKEFLAGS", "CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_"];
    let mut command = installed(program, Path::new(""));
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix));
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs cargo in a folder. If it fails, the error includes its output.
pub(crate) fn cargo_says<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(arguments).current_dir(folder);
    let what = cargo.get_args().next().unwrap_or_default().display().to_string();
    let _progress = Progress::new("Running", format!("`cargo {what}`"));
    let output = cargo.output().context("cargo could not be run")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr).trim_end().trim_start_matches("error: ")
    );
    Ok(())
}
