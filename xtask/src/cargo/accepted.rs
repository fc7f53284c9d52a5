//! Workspaces in which the user allows cargo and rustup to start: a workspace can make them start programs, and a build
//! runs its code.

use std::env;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::disk::files::repository;
use crate::disk::state;
use crate::terminal::{inform_all, one_line, person};

/// Returns the key under which the code in a folder is recorded as accepted.
pub(crate) fn key(folder: &Path) -> String {
    json!(["path", folder]).to_string()
}

/// Returns the repository that contains a folder, or the outermost folder with a manifest.
fn top(folder: &Path) -> Option<&Path> {
    let has_manifest = || folder.ancestors().filter(|folder| folder.join("Cargo.toml").exists());
    has_manifest().next()?;
    repository(folder).or_else(|| has_manifest().last())
}

/// Returns `true` if the code around a folder was accepted, if its hooks are installed, or if this program was built
/// from that code: `cargo run` passes the package in a variable.
pub(crate) fn is_known(folder: &Path) -> bool {
    let Some(top) = top(folder) else { return false };
    if env::var_os("CARGO_MANIFEST_DIR").is_some_and(|package| Path::new(&package).starts_with(top)) {
        return true;
    }
    let (accepted, installed) = (state::accepted(top), state::workspaces(top));
    let mut around = folder.ancestors().take_while(|folder| folder.starts_with(top));
    around.any(|folder| accepted.contains(&key(folder)) || installed.contains(folder))
}

/// Asks the user about the code around a folder, unless it was accepted before.
///
/// # Errors
///
/// Fails if the user does not accept it, or if there is no code.
pub(crate) fn ensure_known(folder: &Path) -> Result<()> {
    if is_known(folder) {
        return Ok(());
    }
    let top = top(folder).context("there is no workspace here: no Cargo.toml")?;
    let shown = one_line(top.display());
    let refused = format!("the code in {shown} was not accepted: nothing was built or run");
    person::ensure_own_terminal(&person::typed_here()).with_context(|| refused.clone())?;
    inform_all(format_args!(
        "The code in {shown} is built and run as you: build scripts, macros, and the programs that it makes cargo \
         run.\n"
    ));
    ensure!(person::agrees("Accept it?", false)?, refused);
    state::accept(&key(top), top)
}
