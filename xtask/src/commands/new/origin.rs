//! The origin of hookkit in a new workspace: a folder, a git repository or a registry.

use std::env;

use crate::cargo::metadata::{Dependency, HOOKKIT, Metadata, XTASK, registry_origin, toml_string};
use crate::cargo::patch::patched;
use crate::commands::prelude::*;

/// Options that select the origin of hookkit.
#[derive(Args)]
pub(super) struct Asked {
    /// Take hookkit from a git repository [default: the source that this xtask uses]
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    git: Option<String>,
    /// The tag of the repository
    #[arg(long, requires = "git", conflicts_with = "rev")]
    tag: Option<String>,
    /// The commit of the repository
    #[arg(long, requires = "git")]
    rev: Option<String>,
    /// Take hookkit from a clone of its repository
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

/// Returns the source folder recorded at compile time, for runs outside any workspace. Tests use a different one.
fn own_folder() -> PathBuf {
    env::var_os("HOOKKIT_TESTS")
        .filter(|_| cfg!(feature = "rig"))
        .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
}

/// Cargo.toml entries for hookkit's two crates, as the contents of inline tables.
#[derive(Debug, PartialEq)]
pub(super) struct Origin {
    pub(super) hookkit: String,
    pub(super) xtask: String,
    /// The clone with both crates, if hookkit is only in a folder on this machine.
    pub(super) folder: Option<PathBuf>,
}

impl Origin {
    pub(super) fn find(asked: &Asked) -> Result<Self> {
        if let Some(url) = &asked.git {
            let commit = [("tag", &asked.tag), ("rev", &asked.rev)];
            let commit = commit.iter().filter_map(|(key, value)| {
                Some(format!(", {key} = {}", toml_string(Path::new(value.as_ref()?)).ok()?))
            });
            return Ok(Self::alike(format!("git = {}{}", toml_string(Path::new(url))?, commit.collect::<String>())));
        }
        if let Some(path) = &asked.path {
            let clone = path.canonicalize();
            return Self::of_clone(&clone.with_context(|| format!("the folder {}", path.display()))?);
        }
        // Outside a workspace, xtask was started by its path or its manifest's path.
        let of_workspace = match Metadata::here() {
            Ok(metadata) => Self::of(&metadata)?,
            Err(_) => None,
        };
        of_workspace.map_or_else(|| Self::compiled(&own_folder()), Ok)
    }

    /// Returns the origin of hookkit in a workspace, which can be a team's or hookkit's own.
    fn of(metadata: &Metadata) -> Result<Option<Self>> {
        if let Some(package) = metadata.package(XTASK) {
            return Self::next_to(package.folder()).map(Some);
        }
        if let Some(path) = patched(&metadata.workspace_root, XTASK)? {
            let path = path.canonicalize().with_context(|| format!("the folder {}", path.display()))?;
            return Self::next_to(&path).map(Some);
        }
        let same = |xtask: &Dependency| match &xtask.path {
            Some(path) => Self::next_to(path),
            None => Ok(Self::alike(xtask.to_toml(true)?)),
        };
        metadata.dependency(XTASK).map(same).transpose()
    }

    /// Returns this xtask's origin recorded at compile time, for a run outside any workspace.
    fn compiled(xtask: &Path) -> Result<Self> {
        let is_below = |folders: [&str; 2]| {
            let parts: Vec<_> = xtask.iter().collect();
            parts.windows(2).any(|pair| pair == folders)
        };
        // cargo's own folders, which nothing else should depend on.
        if is_below(["registry", "src"]) {
            let version = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
            return Ok(Self::alike(registry_origin(version, None)));
        }
        ensure!(
            !is_below(["git", "checkouts"]),
            "this xtask was built from a git repository whose URL is not recorded; pass `--git URL`"
        );
        Self::next_to(xtask)
    }

    /// Returns the clone that contains xtask's folder.
    fn next_to(xtask: &Path) -> Result<Self> {
        Self::of_clone(xtask.parent().unwrap_or(xtask))
    }

    fn of_clone(folder: &Path) -> Result<Self> {
        let path = |package: &str| -> Result<String> {
            let path = folder.join(package);
            if !path.join("Cargo.toml").is_file() {
                bail!("{} is not a clone of hookkit; name one: --path DIR, or --git URL", folder.display());
            }
            Ok(format!("path = {}", toml_string(&path)?))
        };
        Ok(Self { hookkit: path(HOOKKIT)?, xtask: path("xtask")?, folder: Some(folder.to_owned()) })
    }

    /// Returns an origin with the same entry for both crates.
    fn alike(words: String) -> Self {
        Self { hookkit: words.clone(), xtask: words, folder: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the origin for a team's workspace whose xtask has this dependency on hookkit-xtask.
    fn of(dependency: Value) -> Result<Option<Origin>> {
        let folder = test_support::folder();
        std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\n")?;
        let mut declared = json!({
            "name": XTASK, "source": null, "req": "*", "kind": null, "registry": null,
            "uses_default_features": true, "features": [], "target": null,
        });
        for (key, value) in dependency.as_object().into_iter().flatten() {
            declared[key] = value.clone();
        }
        Origin::of(&serde_json::from_value(json!({
            "packages": [{
                "name": "xtask", "manifest_path": "/acme/xtask/Cargo.toml", "targets": [], "dependencies": [declared],
            }],
            "workspace_root": folder.path(),
            "target_directory": "/acme/target",
            "metadata": null,
        }))?)
    }

    #[test]
    fn a_teams_workspace_says_it_by_its_own_xtask() -> Result<()> {
        for (dependency, words) in [
            (
                json!({"source": "registry+https://github.com/rust-lang/crates.io-index", "req": "^0.1"}),
                "version = \"^0.1\"",
            ),
            (
                json!({"source": "git+https://git.example.com/hookkit?tag=v0.1.0"}),
                "git = \"https://git.example.com/hookkit\", tag = \"v0.1.0\"",
            ),
        ] {
            assert_eq!(of(dependency)?, Some(Origin::alike(words.to_owned())));
        }
        let xtask = env::current_dir()?;
        assert_eq!(of(json!({"path": xtask}))?, Some(Origin::next_to(&xtask)?));
        Ok(())
    }

    #[test]
    fn outside_of_all_workspaces_it_is_where_xtask_was_compiled() -> Result<()> {
        let xtask = env::current_dir()?;
        assert_eq!(Origin::compiled(&xtask)?.folder.as_deref(), xtask.parent());
        let of_registry = Origin::compiled(Path::new("/home/user/.cargo/registry/src/index/hookkit-xtask-0.1.0"))?;
        assert!(of_registry.xtask.starts_with("version = \"") && of_registry.folder.is_none());
        for (folder, message) in [
            ("/home/user/.cargo/git/checkouts/hookkit-1/abc/xtask", "pass `--git URL`"),
            ("/home/user/gone/xtask", "/home/user/gone is not a clone of hookkit"),
        ] {
            let refused = Origin::compiled(Path::new(folder)).expect_err(folder).to_string();
            assert!(refused.contains(message), "{refused}");
        }
        Ok(())
    }
}
