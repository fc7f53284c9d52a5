//! The pack to which a new hook or test is added.

use crate::cargo::manifest;
use crate::cargo::metadata::{HOOKKIT, Metadata, toml_string};
use crate::cargo::undo::Undo;
use crate::commands::new::names;
use crate::commands::new::template::filled;
use crate::commands::prelude::*;

/// The pack to which a new hook is added.
pub(crate) struct Pack {
    pub(crate) package: String,
    pub(crate) folder: PathBuf,
    /// `true` if the pack has to be created.
    pub(crate) is_new: bool,
}

/// Describes the dependency that a pack's tests need.
pub(crate) const TESTING: &str = "hookkit's `testing`, for the pack's tests";

impl Pack {
    pub(crate) fn manifest(&self) -> PathBuf {
        self.folder.join("Cargo.toml")
    }

    /// Returns the pack with this package or folder name. If there is none, returns a new pack next to the others.
    pub(crate) fn of(metadata: &Metadata, name: &str) -> Result<Self> {
        let packs = || metadata.packages.iter().filter(|package| package.is_pack());
        let found = metadata.package(name).or_else(|| packs().find(|package| package.folder().ends_with(name)));
        if let Some(package) = found {
            ensure!(package.is_pack(), "`{name}` is not a pack: a pack is a library that depends on hookkit");
            let folder = package.folder().to_owned();
            ensure!(folder.join("src/lib.rs").is_file(), "`{name}` has no src/lib.rs; write the hook manually");
            return Ok(Self { package: package.name.clone(), folder, is_new: false });
        }
        names::ensure_package(name)?;
        let root = &metadata.workspace_root;
        let next_to_others =
            packs().next().and_then(|package| package.folder().parent()).filter(|folder| folder.starts_with(root));
        let folder = next_to_others.unwrap_or(root).join(name);
        ensure!(!folder.exists(), "`{name}` is not a pack, but {} exists; choose another name", folder.display());
        Ok(Self { package: name.to_owned(), folder, is_new: true })
    }

    /// Creates the pack if it does not exist.
    pub(super) fn make(&self, metadata: &Metadata, undo: &mut Undo) -> Result<()> {
        if !self.is_new {
            return Ok(());
        }
        let root = &metadata.workspace_root;
        let manifest = self.manifest();
        let shared = manifest::shared(root)?;
        let dependency = if shared.has_hookkit {
            "hookkit.workspace = true".to_owned()
        } else {
            format!("hookkit = {{ {} }}", hookkit(metadata, &self.folder)?)
        };
        let mut text =
            filled(include_str!("templates/pack.toml"), &[("pack", &self.package), ("dependency", &dependency)]);
        if shared.has_lints {
            text += "\n[lints]\nworkspace = true\n";
        }
        undo.note(&root.join("Cargo.toml"))?;
        undo.create(&manifest, &text)?;
        undo.create(&self.folder.join("src/lib.rs"), include_str!("templates/lib.rs"))?;
        let is_member = || -> Result<bool> {
            Ok(Metadata::of(root)?.packages.iter().any(|package| package.manifest_path == manifest))
        };
        // A glob of the workspace may already include it: only cargo knows.
        if !is_member()? {
            let member = self.folder.strip_prefix(root).unwrap_or(&self.folder);
            manifest::add_member(root, member.to_str().context("the pack's path is not UTF-8")?)?;
        }
        ensure!(is_member()?, "{} is not a member of the workspace", self.folder.display());
        Ok(())
    }

    /// Adds hookkit's `testing` for the pack's tests; returns `false` if it was already there.
    pub(crate) fn test(&self, metadata: &Metadata, undo: &mut Undo) -> Result<bool> {
        if metadata.package(&self.package).is_some_and(|package| package.tests_with(HOOKKIT, "testing")) {
            return Ok(false);
        }
        let path = self.manifest();
        undo.note(&path)?;
        manifest::test_with(&path, "testing")?;
        Ok(true)
    }

    /// Adds serde and its derives to the package's dependencies; returns `false` if it was already there.
    pub(super) fn decode(&self, metadata: &Metadata, undo: &mut Undo) -> Result<bool> {
        let path = self.manifest();
        undo.note(&path)?;
        manifest::derive_with_serde(&path, manifest::shared(&metadata.workspace_root)?.has_serde)
    }
}

/// Returns the other packages' dependency on hookkit, for a package in this folder. Paths within the workspace are made
/// relative to the folder.
fn hookkit(metadata: &Metadata, folder: &Path) -> Result<String> {
    let dependency = metadata.dependency(HOOKKIT).context(
        "no package of this workspace depends on hookkit; to make a workspace of hooks: \
         cargo xtask new workspace PATH",
    )?;
    let root = &metadata.workspace_root;
    let path = dependency.path.as_deref().and_then(|path| path.strip_prefix(root).ok());
    match (path, folder.strip_prefix(root)) {
        (Some(path), Ok(folder)) => {
            let up = "../".repeat(folder.iter().count());
            Ok(format!("path = {}", toml_string(&Path::new(&up).join(path))?))
        }
        _ => dependency.to_toml(dependency.uses_default_features),
    }
}
