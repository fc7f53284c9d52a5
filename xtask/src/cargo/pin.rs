//! Pins a generated package to exactly the versions in the workspace's own Cargo.lock.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::cargo::command::cargo;
use crate::cargo::lockfile::{Lockfile, ensure_nothing_new};
use crate::cargo::metadata::Metadata;
use crate::cargo::program::says;
use crate::cargo::workspace::Workspace;
use crate::disk::files;

/// Pins a generated package to the versions in the workspace's Cargo.lock. Its manifest must already exist.
///
/// # Errors
///
/// Fails if the package needs other versions.
pub(crate) fn pin(folder: &Path, workspace: &Workspace) -> Result<()> {
    let (manifest, lock, made_of) = (folder.join("Cargo.toml"), folder.join("Cargo.lock"), folder.join("made-of.json"));
    let pinned = workspace.lock.as_ref().map(|lock| lock.text.clone()).unwrap_or_default();
    let text = files::text(&manifest)?;
    let now = |manifests: BTreeSet<PathBuf>| Origin {
        manifest: text.clone(),
        pinned: pinned.clone(),
        paths: manifests
            .into_iter()
            .map(|path| {
                let text = fs::read_to_string(&path).ok();
                (path, text)
            })
            .collect(),
    };
    let known = files::read(&made_of)?.unwrap_or_default();
    if let Ok(known) = serde_json::from_slice::<Origin>(&known)
        && lock.exists()
        && known == now(known.paths.keys().cloned().collect())
    {
        return Ok(());
    }
    files::remove(&made_of)?;
    files::write(&lock, &pinned)?;
    let manifests = resolve(workspace, &manifest)?;
    if let Some(pinned) = &workspace.lock {
        ensure_nothing_new(pinned, &Lockfile::read(&lock)?.unwrap_or_default())?;
    }
    // Written last: after a run that is killed earlier, the next one starts over.
    files::write(&made_of, serde_json::to_string(&now(manifests))?)
}

/// The inputs to a generated Cargo.lock.
#[derive(PartialEq, Serialize, Deserialize)]
struct Origin {
    manifest: String,
    /// The author's Cargo.lock.
    pinned: String,
    /// The manifests of path packages, which nothing pins, and the manifests above them from which they may inherit.
    paths: BTreeMap<PathBuf, Option<String>>,
}

/// Makes cargo complete the Cargo.lock for a manifest without adding packages. Returns all manifests that cargo read.
fn resolve(workspace: &Workspace, manifest: &Path) -> Result<BTreeSet<PathBuf>> {
    let run = |arguments: &[&str]| {
        let mut command = cargo();
        command
            .current_dir(&workspace.cwd)
            .args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"])
            .arg(manifest)
            .args(arguments);
        says(&mut command, "cargo finds no versions for the hooks")
    };
    // All pinned packages are here, or will be when they are built. Without a Cargo.lock, cargo asks the registry for
    // versions.
    let said = run(&["--offline"]).or_else(|_| run(&[]))?;
    let resolved: Metadata = serde_json::from_str(&said).context("parsing the output of `cargo metadata`")?;
    let local = resolved.packages.iter().filter(|package| package.source.is_none());
    let folders = local.flat_map(|package| package.manifest_path.ancestors().skip(1));
    Ok(folders.map(|folder| folder.join("Cargo.toml")).collect())
}
