//! A workspace's metadata from `cargo metadata`, and the workspace's settings for hookkit.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::cargo::accepted::ensure_known;
use crate::cargo::command::cargo;
use crate::cargo::min_client::MinClient;
use crate::cargo::program::says;
use crate::disk::files;
use crate::terminal::inform;

pub(crate) const HOOKKIT: &str = "hookkit";

/// The xtask package. It depends on hookkit but has no hooks.
pub(crate) const XTASK: &str = "hookkit-xtask";

/// The package for services. It depends on hookkit but has no hooks.
const SERVICE: &str = "hookkit-service";

/// A condition that no platform meets. Cargo.lock pins dependencies with this condition, but only hooks are built with
/// them.
pub(crate) const NOWHERE: &str = "cfg(any())";

/// A workspace's settings for its hooks: `[workspace.metadata.hookkit]`.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// The name under which the workspace's hooks are installed. By default, a workspace within a project uses its path
    /// in the project.
    pub(crate) name: Option<String>,
    /// The third-party packages that count as packs.
    pub(crate) packs: Vec<String>,
    /// The names of hooks that are linked dynamically, because a dependency cannot be linked statically.
    pub(crate) dynamic: Vec<String>,
    /// The oldest client that the workspace's hooks support.
    pub(crate) min_client: Option<MinClient>,
    /// The workspace's orders by name: hooks that run one after the other in one program.
    pub(crate) orders: BTreeMap<String, Vec<String>>,
    /// The workspace's overrides by hook name; `overrides` parses them.
    pub(crate) hooks: BTreeMap<String, serde_json::Value>,
}

/// The output of `cargo metadata`.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
    metadata: Option<CustomMetadata>,
}

/// The workspace's metadata. Only hookkit's part is checked.
#[derive(Default, Deserialize)]
struct CustomMetadata {
    hookkit: Option<serde_json::Value>,
}

impl Metadata {
    /// Asks cargo about the workspace around the current folder, after its code is accepted.
    pub(crate) fn here() -> Result<Self> {
        let folder = std::env::current_dir()?;
        ensure_known(&folder)?;
        Self::of(&folder)
    }

    pub(crate) fn of(folder: &Path) -> Result<Self> {
        Self::asked(folder, &[])
    }

    /// Asks cargo about the package in a folder, with the configuration of another folder.
    pub(crate) fn of_package(folder: &Path, cwd: &Path) -> Result<Self> {
        let manifest = folder.join("Cargo.toml");
        Self::asked(cwd, &["--manifest-path".as_ref(), manifest.as_os_str()])
    }

    /// Asks cargo about the workspace's own packages. For third-party ones, it would download all of them for all
    /// platforms.
    fn asked(cwd: &Path, arguments: &[&OsStr]) -> Result<Self> {
        let mut cargo = cargo();
        cargo.args(["metadata", "--format-version", "1", "--no-deps"]).args(arguments).current_dir(cwd);
        let said = says(&mut cargo, "there is no workspace here")?;
        serde_json::from_str(&said).context("parsing the output of `cargo metadata`")
    }

    /// Returns the package with this name if it belongs to the workspace.
    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Returns the dependencies of all packages.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &Dependency> {
        self.packages.iter().flat_map(|package| &package.dependencies)
    }

    /// Returns the dependency on this package from the first package that has one.
    pub(crate) fn dependency(&self, name: &str) -> Option<&Dependency> {
        self.packages.iter().find_map(|package| package.dependency(name))
    }

    /// Returns the paths of path dependencies.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.dependencies().filter_map(|dependency| dependency.path.as_deref())
    }

    pub(crate) fn settings(&self) -> Result<Settings> {
        let manifest = self.workspace_root.join("Cargo.toml");
        let has_own = |package: &&Package| package.metadata.as_ref().is_some_and(|metadata| metadata.hookkit.is_some());
        if let Some(package) = self.packages.iter().find(has_own) {
            inform!(
                "warning: [package.metadata.hookkit] in {} is not read; write [workspace.metadata.hookkit] in {}",
                package.manifest_path.display(),
                manifest.display()
            );
        }
        let given = self.metadata.as_ref().and_then(|metadata| metadata.hookkit.clone());
        let Some(given) = given else {
            return Ok(Settings::default());
        };
        serde_json::from_value(given).with_context(|| format!("[workspace.metadata.hookkit] in {}", manifest.display()))
    }
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The package's source; absent for a path.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    metadata: Option<CustomMetadata>,
    targets: Vec<Target>,
}

impl Package {
    /// Returns `true` if the package is a pack: a library that depends on hookkit.
    ///
    /// A crate that depends on hookkit-xtask is a team's own tool, or its tests. A crate that depends on
    /// hookkit-service answers with hooks from packs.
    pub(crate) fn is_pack(&self) -> bool {
        let is_tool = [XTASK, SERVICE].iter().any(|tool| self.name == *tool || self.dependency(tool).is_some());
        let mut kinds = self.targets.iter().flat_map(|target| &target.kind);
        let is_library = kinds.any(|kind| kind == "lib" || kind == "rlib");
        is_library && self.dependency(HOOKKIT).is_some() && !is_tool
    }

    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    /// Returns the dependency with this name, for ordinary builds.
    pub(crate) fn dependency(&self, name: &str) -> Option<&Dependency> {
        self.dependencies.iter().find(|dependency| dependency.name == name && dependency.kind.is_none())
    }

    /// Returns `true` if the package's tests use this feature of a dependency.
    pub(crate) fn tests_with(&self, name: &str, feature: &str) -> bool {
        let is_for_tests = |dependency: &&Dependency| dependency.kind.as_deref() != Some("build");
        let mut dependencies = self.dependencies.iter().filter(is_for_tests);
        dependencies.any(|dependency| dependency.name == name && dependency.features.iter().any(|has| has == feature))
    }
}

/// A dependency, as a package's manifest declares it.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Kind of the dependency: `dev` or `build`; absent for an ordinary one.
    kind: Option<String>,
    req: String,
    pub(crate) path: Option<PathBuf>,
    /// `registry+…` or `git+…`; absent for a path.
    source: Option<String>,
    /// The index of the registry; absent for crates.io.
    registry: Option<String>,
    /// The platforms of the dependency, as written in the manifest.
    pub(crate) target: Option<String>,
    pub(crate) features: Vec<String>,
    pub(crate) uses_default_features: bool,
}

impl Dependency {
    /// Returns the dependency as the inside of an inline table, for another package's manifest.
    pub(crate) fn to_toml(&self, with_default_features: bool) -> Result<String> {
        let mut toml = match (&self.path, self.source.as_deref().and_then(git_origin)) {
            (Some(path), _) => format!("path = {}", toml_string(path)?),
            (None, Some(git)) => git,
            (None, None) => registry_origin(&self.req, self.registry.as_deref()),
        };
        if !with_default_features {
            toml += ", default-features = false";
        }
        Ok(toml)
    }
}

/// Returns a registry package as the inside of an inline table.
pub(crate) fn registry_origin(requirement: &str, index: Option<&str>) -> String {
    match index {
        Some(index) => format!("version = {requirement:?}, registry-index = {index:?}"),
        None => format!("version = {requirement:?}"),
    }
}

/// Returns `git+https://host/repository?rev=…` as the inside of an inline table, with the revision in the query; `None`
/// for other kinds of sources.
pub(crate) fn git_origin(source: &str) -> Option<String> {
    let git = source.strip_prefix("git+")?;
    let git = git.split_once('#').map_or(git, |(git, _)| git);
    let (url, query) = git.split_once('?').unwrap_or((git, ""));
    let mut toml = format!("git = {url:?}");
    if let Some((key, value)) = query.split_once('=') {
        toml += &format!(", {key} = {value:?}");
    }
    Some(toml)
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

/// Returns a path as a string in a TOML file. TOML's basic strings accept every escape that JSON writes.
pub(crate) fn toml_string(path: &Path) -> Result<String> {
    Ok(serde_json::to_string(files::utf8(path)?)?)
}
