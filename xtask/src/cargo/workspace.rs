//! The author's workspace: what cargo says of it, and which of its packages have hooks.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::cargo::lockfile::Lockfile;
use crate::cargo::packs::{self, Pack};
use crate::cargo::unnamed::{self, Unnamed};
use crate::terminal::tell;

/// The workspace around a folder.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo runs, so that the author's configuration holds.
    pub(crate) cwd: PathBuf,
    /// The folder of the generated packages.
    pub(crate) generated: PathBuf,
    /// The folder of what is built of them.
    pub(crate) built: PathBuf,
    /// The library crates whose hooks are its hooks.
    pub(crate) packs: Vec<Pack>,
    /// Those that it depends on and does not name.
    pub(crate) unnamed: Vec<Unnamed>,
    /// How a Cargo.toml names the hookkit that they are written for, as the inside of an inline table.
    pub(crate) hookkit: String,
    /// Its `[patch]` tables, with paths that hold anywhere.
    pub(crate) patches: String,
    /// What its Cargo.lock pins, if it has one.
    pub(crate) lock: Option<Lockfile>,
    /// What stands in `[workspace.metadata.hookkit]`.
    pub(crate) settings: Settings,
}

/// What a workspace says of its hooks, in `[workspace.metadata.hookkit]`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// The name under which its hooks are installed. In a project that it is a part of it is its path there, without one.
    name: Option<String>,
    /// The packages from elsewhere whose hooks are its hooks, too.
    #[serde(default)]
    pub(crate) packs: Vec<String>,
    /// The hooks that are linked dynamically, for a dependency that cannot do without, by the names that they are installed
    /// under.
    #[serde(default)]
    pub(crate) dynamic: Vec<String>,
    /// What it changes of its hooks, by their names; `overrides` reads it.
    #[serde(default)]
    pub(crate) hooks: BTreeMap<String, serde_json::Value>,
}

impl Workspace {
    /// Asks cargo about the workspace around the current folder.
    pub(crate) fn find() -> Result<Self> {
        Self::new(&Metadata::of(&std::env::current_dir()?)?)
    }

    pub(crate) fn new(metadata: &Metadata) -> Result<Self> {
        let root = metadata.workspace_root.clone();
        let settings = metadata.settings()?;
        let lock = Lockfile::read(&root.join("Cargo.lock"))?;
        let patches = patches(&root)?;
        let packs = packs::find(metadata, &settings.packs, lock.as_ref())?;
        let hookkit = packs::hookkit(metadata, &packs, lock.as_ref())?;
        let generated = metadata.target_directory.join("hookkit");
        Ok(Self {
            cwd: root.clone(),
            built: generated.join("build"),
            generated,
            hookkit,
            unnamed: unnamed::find(metadata, &settings.packs, lock.as_ref()),
            packs,
            patches,
            lock,
            settings,
            root,
        })
    }

    /// Says whose hooks are left out for want of a name.
    pub(crate) fn tell_unnamed(&self) {
        for unnamed in &self.unnamed {
            tell(format_args!("note: {unnamed}"));
        }
    }

    /// What its hooks are called where they are installed.
    pub(crate) fn naming(&self) -> Naming {
        Naming::new(&self.root, &self.settings)
    }
}

/// What a workspace's hooks are called where they are installed, so that two workspaces in one place never touch each
/// other's.
pub(crate) struct Naming {
    pub(crate) root: PathBuf,
    /// The name in its settings.
    given: Option<String>,
}

impl Naming {
    fn new(root: &Path, settings: &Settings) -> Self {
        Self {
            root: root.to_owned(),
            given: settings.name.clone(),
        }
    }

    /// That of the workspace around the current folder, even where its packs are in a state that nothing can be built of.
    pub(crate) fn find() -> Result<Self> {
        let metadata = Metadata::of(&std::env::current_dir()?)?;
        Ok(Self::new(&metadata.workspace_root, &metadata.settings()?))
    }

    /// The name in a project's settings, or in others.
    ///
    /// A workspace that is a part of the project has a name that is the same in each clone and worktree, whatever their
    /// folders are called: it stands in the settings that they share.
    pub(crate) fn within(&self, project: Option<&Path>) -> Result<String> {
        if let Some(name) = &self.given {
            return Ok(name.clone());
        }
        let within = project.and_then(|project| self.root.strip_prefix(project).ok());
        let name = match within {
            Some(within) if within.as_os_str().is_empty() => Some("project".to_owned()),
            Some(within) => within.to_str().map(|within| within.replace('/', "-")),
            None => None,
        };
        name.with_context(|| {
            format!(
                "the hooks of {} have no name, by which other workspaces are told from it in the same settings; give them one \
                 in its Cargo.toml:\n\n[workspace.metadata.hookkit]\nname = \"…\"",
                self.root.display()
            )
        })
    }
}

/// The `[patch]` tables of a workspace's manifest.
fn patch(root: &Path) -> Result<Option<toml::Value>> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut manifest: toml::Table = toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    Ok(manifest.remove("patch"))
}

/// Where a patch of a workspace's manifest has a package, wherever it would be from otherwise.
pub(crate) fn patched(root: &Path, package: &str) -> Result<Option<PathBuf>> {
    let patch = patch(root)?;
    let sources = patch
        .iter()
        .filter_map(toml::Value::as_table)
        .flat_map(toml::Table::values);
    let crates = sources.filter_map(toml::Value::as_table).flatten();
    let is_meant = |(name, krate): &(&String, &toml::Value)| {
        let named = krate.get("package").and_then(toml::Value::as_str);
        named.unwrap_or(name) == package
    };
    let mut paths = crates
        .filter(is_meant)
        .filter_map(|(_, krate)| krate.get("path")?.as_str());
    Ok(paths.next().map(|path| root.join(path)))
}

/// The `[patch]` tables of a workspace's manifest, with paths that hold in other folders, too.
pub(crate) fn patches(root: &Path) -> Result<String> {
    let Some(mut patch) = patch(root)? else {
        return Ok(String::new());
    };
    let sources = patch.as_table_mut().into_iter().flat_map(|sources| sources.iter_mut());
    let crates = sources.flat_map(|(_, crates)| crates.as_table_mut().into_iter().flat_map(|crates| crates.iter_mut()));
    for (_, krate) in crates {
        if let Some(toml::Value::String(path)) = krate.get_mut("path") {
            let absolute = root.join(&*path);
            absolute
                .to_str()
                .with_context(|| format!("{} is not UTF-8", absolute.display()))?
                .clone_into(path);
        }
    }
    Ok(toml::to_string(&toml::Table::from_iter([("patch".to_owned(), patch)]))?)
}

/// A `cargo` that is not told about the one that runs xtask.
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
        "CARGO_BIN_",
        "CARGO_CRATE_",
        "CARGO_MAKEFLAGS",
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_PRIMARY_",
    ];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix));
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command
}

/// What `cargo metadata` says of the workspace's own packages.
///
/// Those from elsewhere are not asked for: cargo would download all of them, for all platforms.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
    metadata: Option<CustomMetadata>,
}

/// The workspace's metadata, of which only our part is ours to judge.
#[derive(Default, Deserialize)]
struct CustomMetadata {
    hookkit: Option<serde_json::Value>,
}

impl Metadata {
    pub(crate) fn of(folder: &Path) -> Result<Self> {
        Self::asked(folder, &[])
    }

    /// Asks cargo about the package in a folder, by the configuration that holds in another one.
    pub(crate) fn of_package(folder: &Path, cwd: &Path) -> Result<Self> {
        let manifest = folder.join("Cargo.toml");
        Self::asked(cwd, &["--manifest-path".as_ref(), manifest.as_os_str()])
    }

    fn asked(cwd: &Path, arguments: &[&OsStr]) -> Result<Self> {
        let output = cargo()
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .args(arguments)
            .current_dir(cwd)
            .output()
            .context("cargo could not be run")?;
        ensure!(
            output.status.success(),
            "there is no workspace here\n{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
        serde_json::from_slice(&output.stdout).context("reading what `cargo metadata` said")
    }

    pub(crate) fn settings(&self) -> Result<Settings> {
        let given = self.metadata.as_ref().and_then(|metadata| metadata.hookkit.clone());
        let Some(given) = given else {
            return Ok(Settings::default());
        };
        serde_json::from_value(given).with_context(|| {
            let manifest = self.workspace_root.join("Cargo.toml");
            format!("[workspace.metadata.hookkit] in {}", manifest.display())
        })
    }
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

impl Package {
    /// Returns whether it is a pack: a library that depends on hookkit. A crate that depends on hookkit-xtask is a team's own
    /// tool, or the tests of one.
    pub(crate) fn is_pack(&self) -> bool {
        let is_tool = self.name == packs::XTASK || self.dependency(packs::XTASK).is_some();
        self.is_library() && self.dependency(packs::HOOKKIT).is_some() && !is_tool
    }

    /// Whether other packages can depend on it.
    pub(crate) fn is_library(&self) -> bool {
        let mut kinds = self.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| kind == "lib" || kind == "rlib")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("/"))
    }

    /// The dependency of this name, for ordinary builds.
    pub(crate) fn dependency(&self, name: &str) -> Option<&Dependency> {
        let mut dependencies = self.dependencies.iter();
        dependencies.find(|dependency| dependency.name == name && dependency.kind.is_none())
    }

    /// Whether its tests have this feature of another package.
    pub(crate) fn tests_with(&self, name: &str, feature: &str) -> bool {
        let is_for_tests = |dependency: &&Dependency| dependency.kind.as_deref() != Some("build");
        let mut dependencies = self.dependencies.iter().filter(is_for_tests);
        dependencies.any(|dependency| dependency.name == name && dependency.features.iter().any(|has| has == feature))
    }
}

/// What a package says of another one that it needs.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Absent for an ordinary dependency; `dev` or `build`.
    kind: Option<String>,
    req: String,
    pub(crate) path: Option<PathBuf>,
    /// `registry+…` or `git+…`; absent for a path.
    pub(crate) source: Option<String>,
    /// The index of a registry that is not crates.io.
    registry: Option<String>,
    /// The platforms that it is for, as they stand in the manifest.
    pub(crate) target: Option<String>,
    features: Vec<String>,
    pub(crate) uses_default_features: bool,
}

impl Dependency {
    /// The same dependency for another package's manifest, as the inside of an inline table.
    pub(crate) fn to_toml(&self, with_default_features: bool) -> Result<String> {
        let mut toml = self.origin()?;
        if !with_default_features {
            toml += ", default-features = false";
        }
        Ok(toml)
    }

    /// The features that are asked for beside those of the manifest that it goes into.
    pub(crate) fn features(&self) -> &[String] {
        &self.features
    }

    fn origin(&self) -> Result<String> {
        if let Some(path) = &self.path {
            return Ok(format!("path = {}", toml_string(path)?));
        }
        if let Some(git) = self.source.as_deref().and_then(git_origin) {
            return Ok(git);
        }
        Ok(registry_origin(&self.req, self.registry.as_deref()))
    }
}

/// A package of a registry, as the inside of an inline table.
pub(crate) fn registry_origin(requirement: &str, index: Option<&str>) -> String {
    match index {
        Some(index) => format!("version = {requirement:?}, registry-index = {index:?}"),
        None => format!("version = {requirement:?}"),
    }
}

/// `git+https://host/repository?rev=…`, with whatever names the commit behind the question mark, as the inside of an inline
/// table; `None` for another kind of source.
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

/// A path as a string in a TOML file. TOML's basic strings take every escape that JSON writes.
pub(crate) fn toml_string(path: &Path) -> Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))?;
    Ok(serde_json::to_string(text)?)
}
