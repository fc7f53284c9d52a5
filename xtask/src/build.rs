//! From functions to binaries.
//!
//! Below `target/hookkit` stand two generated packages: the *lister*, linked with every pack and with hookkit's registry,
//! prints the definitions; the *launchers* have one binary a hook, of one line each.
//! They are workspaces of their own: in one, cargo would give the launchers the lister's registry, and with it each would
//! carry every hook of its pack.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::workspace::{Workspace, cargo, toml_string};

/// A hook's definition, as the lister prints it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    /// In seconds.
    pub(crate) timeout: Option<u32>,
    pub(crate) on_failure: String,
    /// The function's path, from its crate on.
    pub(crate) path: String,
}

impl Definition {
    /// The first sentence or so of the description, for a table.
    pub(crate) fn summary(&self) -> &str {
        self.description.lines().next().unwrap_or_default()
    }
}

/// Where the generated packages are, and how they are built.
pub(crate) struct Build<'w> {
    workspace: &'w Workspace,
    folder: PathBuf,
}

/// What both packages begin with. The same profile lets them share the build of their dependencies.
///
/// A hook is small and starts often; optimizing across crates costs seconds of each build and buys next to nothing.
const MANIFEST: &str = r#"# Written by `cargo xtask`; changes are lost.
[workspace]

[profile.release]
opt-level = "s"
lto = "off"
codegen-units = 1
panic = "abort"
strip = true

# The path that every call of every hook goes.
[profile.release.package.hookkit]
opt-level = 3

[profile.release.package.hookkit-protocol]
opt-level = 3

[package]
version = "0.0.0"
edition = "2024"
publish = false
"#;

impl<'w> Build<'w> {
    pub(crate) fn new(workspace: &'w Workspace) -> Self {
        let folder = workspace.target.join("hookkit");
        Self { workspace, folder }
    }

    /// Builds the lister and asks it.
    pub(crate) fn definitions(&self) -> Result<Vec<Definition>> {
        // A crate that is only depended on is not linked.
        let externs: String = self
            .workspace
            .packs
            .iter()
            .map(|pack| format!("extern crate {} as _;\n", pack.library))
            .collect();
        let main = format!("{externs}\nfn main() {{\n    print!(\"{{}}\", hookkit::__private::list());\n}}\n");
        self.write("lister/src/main.rs", &main)?;
        self.manifest("lister", "features = [\"registry\"]", "")?;
        let built = self.cargo("lister")?;
        let lister = built.get("lister").context("cargo built no lister")?;
        let output = Command::new(lister).output().context("the lister could not be run")?;
        ensure!(output.status.success(), "the lister failed: {}", output.status);
        let definitions: Vec<Definition> = String::from_utf8(output.stdout)?
            .lines()
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .context("reading what the lister said")?;
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for hook in &definitions {
            if let Some(other) = seen.insert(&hook.name, &hook.path) {
                bail!(
                    "two hooks are called `{}`: {other} and {}; rename one of the functions",
                    hook.name,
                    hook.path
                );
            }
        }
        Ok(definitions)
    }

    /// Builds every hook into a binary of its own; where each is, by the hook's name.
    pub(crate) fn launchers(&self, hooks: &[Definition]) -> Result<HashMap<String, PathBuf>> {
        let mut binaries = String::new();
        for hook in hooks {
            let name = binary_name(&hook.name);
            binaries += &format!("\n[[bin]]\nname = {name:?}\npath = \"src/{name}.rs\"\n");
            self.write(
                &format!("launchers/src/{name}.rs"),
                &format!("hookkit::main!({});\n", hook.path),
            )?;
        }
        self.manifest("launchers", "", &binaries)?;
        let built = self.cargo("launchers")?;
        hooks
            .iter()
            .map(|hook| {
                let binary = built
                    .get(&binary_name(&hook.name))
                    .with_context(|| format!("cargo built no binary for `{}`", hook.name))?;
                Ok((hook.name.clone(), binary.clone()))
            })
            .collect()
    }

    /// Writes a package's manifest, and lets it use the versions that the author's Cargo.lock names.
    fn manifest(&self, name: &str, hookkit_features: &str, targets: &str) -> Result<()> {
        let mut text = format!("{MANIFEST}name = {name:?}\n{targets}\n[dependencies]\n");
        text += &format!("hookkit = {{ {}, {hookkit_features} }}\n", self.workspace.hookkit);
        for pack in &self.workspace.packs {
            text += &format!("{} = {{ path = {} }}\n", pack.package, toml_string(&pack.folder)?);
        }
        self.write(&format!("{name}/Cargo.toml"), &text)?;
        let lock = self.workspace.root.join("Cargo.lock");
        if !lock.exists() {
            return Ok(());
        }
        let text = fs::read_to_string(&lock).with_context(|| format!("reading {}", lock.display()))?;
        self.write(&format!("{name}/Cargo.lock"), &text)
    }

    /// Writes a generated file. What has not changed is not written, so that cargo does not build it again.
    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    /// Builds one of the two packages; the binaries that cargo names, by target.
    ///
    /// cargo runs in the author's root, so that the author's configuration holds.
    fn cargo(&self, package: &str) -> Result<HashMap<String, PathBuf>> {
        let output = cargo()
            .current_dir(&self.workspace.root)
            .args([
                "build",
                "--release",
                "--quiet",
                "--message-format=json-render-diagnostics",
            ])
            .arg("--manifest-path")
            .arg(self.folder.join(package).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.folder.join("build"))
            .stderr(Stdio::inherit())
            .output()
            .context("cargo could not be run")?;
        ensure!(output.status.success(), "the hooks do not build; see above");
        let messages = String::from_utf8(output.stdout)?;
        Ok(messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Artifact>(line).ok())
            .map(|artifact| (artifact.target.name, artifact.executable))
            .collect())
    }
}

/// The binary's name for cargo. The prefix keeps a hook called `build` or `test` from being refused.
fn binary_name(hook: &str) -> String {
    format!("hook-{hook}")
}

/// What cargo says of a binary that it built. Its other messages do not have these fields.
#[derive(Deserialize)]
struct Artifact {
    target: ArtifactTarget,
    executable: PathBuf,
}

#[derive(Deserialize)]
struct ArtifactTarget {
    name: String,
}
