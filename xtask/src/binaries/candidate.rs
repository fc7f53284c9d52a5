//! Builds a pack to inspect it, before it is added to the workspace.

use std::path::Path;

use anyhow::Result;

use crate::binaries::changes::report_code;
use crate::cargo::command::cargo_says;
use crate::cargo::lockfile::Lockfile;
use crate::cargo::metadata::Metadata;
use crate::cargo::patch::patches;
use crate::cargo::source::{self, Source};
use crate::cargo::workspace::Workspace;
use crate::disk::files;

/// The manifest of a workspace with a single pack.
const MANIFEST: &str = r#"# Written by `cargo xtask run --pack`; changes are lost.
[package]
name = "hookkit-candidate"
version = "0.0.0"
edition = "2024"
publish = false

[lib]
path = "lib.rs"
"#;

/// Creates a workspace with only this pack, and reports the packages whose code runs in its build.
///
/// The new workspace is in the target folder of the surrounding workspace, and uses its versions and patches. Outside
/// any workspace it is in `folder`, where no configuration of a checkout affects cargo.
pub(crate) fn workspace(package: &str, source: &Source, folder: &Path) -> Result<Workspace> {
    let around = Metadata::here().ok();
    let (cwd, target) =
        around.as_ref().map_or((folder, folder), |around| (&around.workspace_root, &around.target_directory));
    let accepted = Lockfile::read(&cwd.join("Cargo.lock"))?.unwrap_or_default();
    let patches = around.as_ref().map(|_| patches(cwd)).transpose()?.unwrap_or_default();
    let name = source::name(package);
    let place = target.join("hookkit/candidate");
    files::create(&place)?;
    let packs = format!("{MANIFEST}\n[workspace.metadata.hookkit]\npacks = [{name:?}]\n\n{patches}");
    for (file, text) in [("Cargo.toml", &*packs), ("lib.rs", ""), ("Cargo.lock", &accepted.text)] {
        files::write(&place.join(file), text)?;
    }
    let manifest = place.join("Cargo.toml");
    let of_place = ["--quiet", "--manifest-path", files::utf8(&manifest)?];
    let cargo = |arguments: &[&str]| cargo_says(cwd, arguments.iter().copied().chain(of_place));
    cargo(&Vec::from_iter(["add", package].into_iter().chain(source.arguments())))?;
    // The author's Cargo.lock may pin an older version of the pack.
    cargo(&["metadata", "--format-version", "1"])?;
    cargo(&["update", name])?;
    let mut workspace = Workspace::new(&Metadata::of_package(&place, cwd)?)?;
    workspace.cwd = cwd.to_owned();
    workspace.built = target.to_owned();
    workspace.generated = place;
    if let Some(lock) = &workspace.lock {
        report_code(lock.named(name).flat_map(|pack| lock.closure(pack)), &accepted.packages);
    }
    Ok(workspace)
}
