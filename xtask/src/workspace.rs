//! The author's workspace, as cargo describes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// The workspace around the current folder.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    /// Its library crates that depend on hookkit.
    pub(crate) packs: Vec<Pack>,
    /// How the packs name hookkit, as a value in a Cargo.toml.
    pub(crate) hookkit: String,
    /// What stands in `[workspace.metadata.hookkit]`.
    pub(crate) settings: Settings,
}

/// What a workspace says of its hooks, in `[workspace.metadata.hookkit]`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// The name under which its hooks are installed, if it is not that of its folder.
    name: Option<String>,
    /// The hooks that are linked dynamically, for a dependency that cannot do without.
    #[serde(default)]
    pub(crate) dynamic: Vec<String>,
}

/// A library crate with hooks.
pub(crate) struct Pack {
    /// The package's name.
    pub(crate) package: String,
    /// The name that its code has in other crates.
    pub(crate) library: String,
    /// The package's folder.
    pub(crate) folder: PathBuf,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn find() -> Result<Self> {
        let output = cargo()
            .args(["metadata", "--format-version", "1", "--no-deps"])
            .output()
            .context("cargo could not be run")?;
        ensure!(
            output.status.success(),
            "there is no workspace here\n{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).context("reading what `cargo metadata` said")?;
        let mut hookkit = None;
        let mut packs = Vec::new();
        for package in metadata.packages {
            let dependency = package.dependencies.iter().find(|dependency| dependency.is_hookkit());
            let library = package.targets.iter().find(|target| target.is_library());
            let (Some(dependency), Some(library)) = (dependency, library) else {
                continue;
            };
            hookkit.get_or_insert(dependency.to_toml()?);
            packs.push(Pack {
                library: library.name.replace('-', "_"),
                folder: package.manifest_path.parent().unwrap_or(Path::new("/")).to_owned(),
                package: package.name,
            });
        }
        let Some(hookkit) = hookkit else {
            bail!(
                "no crate of the workspace {} has hooks: a pack is a library crate that depends on hookkit",
                metadata.workspace_root.display()
            );
        };
        Ok(Self {
            root: metadata.workspace_root,
            target: metadata.target_directory,
            packs,
            hookkit,
            settings: metadata.metadata.unwrap_or_default().hookkit,
        })
    }

    /// The name under which the workspace's hooks are installed, so that two workspaces in one project never touch each
    /// other's.
    pub(crate) fn name(&self) -> Result<String> {
        if let Some(name) = &self.settings.name {
            ensure!(
                !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '"', '$']),
                "the name {name:?} in [workspace.metadata.hookkit] cannot be a folder's; use letters, digits, `-` and `_`"
            );
            return Ok(name.clone());
        }
        let name = self.root.file_name().context("the workspace is the root folder")?;
        let name = name
            .to_str()
            .context("the name of the workspace's folder is not UTF-8")?;
        Ok(name.to_owned())
    }
}

/// A `cargo` that is not told about the one that runs xtask.
///
/// `cargo run` describes its own package in variables, which would be news to build scripts, and rebuild them.
pub(crate) fn cargo() -> Command {
    const OF_THIS_PACKAGE: [&str; 6] = [
        "CARGO_BIN_",
        "CARGO_CRATE_",
        "CARGO_MAKEFLAGS",
        "CARGO_MANIFEST_",
        "CARGO_PKG_",
        "CARGO_PRIMARY_",
    ];
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let is_ours = |name: &str| OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix));
        if name.to_str().is_some_and(is_ours) {
            command.env_remove(name);
        }
    }
    command
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
    metadata: Option<CustomMetadata>,
}

/// The workspace's metadata, of which only our part is ours to judge.
#[derive(Default, Deserialize)]
struct CustomMetadata {
    #[serde(default)]
    hookkit: Settings,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Absent for an ordinary dependency; `dev` or `build`.
    kind: Option<String>,
    req: String,
    path: Option<PathBuf>,
    source: Option<String>,
}

impl Dependency {
    fn is_hookkit(&self) -> bool {
        self.name == "hookkit" && self.kind.is_none()
    }

    fn to_toml(&self) -> Result<String> {
        if let Some(path) = &self.path {
            return Ok(format!("path = {}", toml_string(path)?));
        }
        // `git+https://host/repository?rev=…`, with whatever names the commit behind the question mark.
        let git = self.source.as_deref().and_then(|source| source.strip_prefix("git+"));
        let Some(git) = git else {
            return Ok(format!("version = {:?}", self.req));
        };
        let (url, query) = git.split_once('?').unwrap_or((git, ""));
        let mut toml = format!("git = {url:?}");
        if let Some((key, value)) = query.split_once('=') {
            toml += &format!(", {key} = {value:?}");
        }
        Ok(toml)
    }
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Target {
    fn is_library(&self) -> bool {
        self.kind.iter().any(|kind| kind == "lib" || kind == "rlib")
    }
}

/// A path as a string in a TOML file. TOML's basic strings take every escape that JSON writes.
pub(crate) fn toml_string(path: &Path) -> Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))?;
    Ok(serde_json::to_string(text)?)
}
