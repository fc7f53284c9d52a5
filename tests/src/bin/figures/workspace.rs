//! An author's workspace: one pack of hooks, and a project that they are installed into.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use hookkit_tests::xtask::{command, installed, repository};

use crate::report::{Available, Missing};
use crate::{cargo, process};

/// A generated workspace with its own target folder, so that its first build is a clean one.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Writes one at `root`, with the versions that this repository pins. `dependencies` are lines of the pack's manifest.
    pub(crate) fn new(root: PathBuf, hooks: &str, dependencies: &str) -> Result<Self> {
        let workspace = Self { root };
        fs::create_dir_all(workspace.project())?;
        fs::create_dir_all(workspace.root.join("guards/src"))?;
        let manifest = format!(
            "[package]\nname = \"guards\"\nedition = \"2024\"\n\n[dependencies]\nhookkit.path = {:?}\n{dependencies}\n",
            repository().join("hookkit")
        );
        fs::write(workspace.root.join("guards/Cargo.toml"), manifest)?;
        fs::write(
            workspace.root.join("Cargo.toml"),
            "[workspace]\nresolver = \"3\"\nmembers = [\"guards\"]\n\n[workspace.metadata.hookkit]\nname = \"figures\"\n",
        )?;
        fs::copy(repository().join("Cargo.lock"), workspace.root.join("Cargo.lock"))?;
        workspace.write_hooks(hooks)?;
        Ok(workspace)
    }

    /// Replaces the pack's code.
    pub(crate) fn write_hooks(&self, hooks: &str) -> Result<()> {
        Ok(fs::write(self.root.join("guards/src/lib.rs"), hooks)?)
    }

    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Downloads the pack's dependencies.
    pub(crate) fn fetch(&self) -> Result<Available<()>> {
        let fetched = cargo::command().arg("fetch").current_dir(&self.root).output()?;
        Ok(if fetched.status.success() { Ok(()) } else { Err(Missing(cargo::error(&fetched))) })
    }

    /// Installs the hooks with xtask; the seconds of CPU.
    pub(crate) fn install(&self) -> Result<f64> {
        self.install_only(&[])
    }

    /// Installs these hooks, or all if there are none; the seconds of CPU.
    pub(crate) fn install_only(&self, hooks: &[&str]) -> Result<f64> {
        let project = self.project();
        let mut command = command(&self.root, &["install", "--project"])?;
        command.arg(&project).args(hooks.iter().flat_map(|hook| ["--hook", hook]));
        command.env("CARGO_TARGET_DIR", self.root.join("target"));
        process::cpu(command)
    }

    /// Returns a hook's binary, as `install` put it into the project.
    pub(crate) fn installed(&self, hook: &str) -> Result<PathBuf> {
        installed(&self.project(), hook)
    }

    /// Packages a hook as a plugin, with the installed binary in place of its program. Returns the script that starts it.
    ///
    /// The script's cost is the difference to the binary alone.
    pub(crate) fn plugin(&self, hook: &str) -> Result<PathBuf> {
        let out = self.root.join("plugin");
        let mut package = command(&self.root, &["package", "--name", "figures", "--hook", hook, "--out"])?;
        package.arg(&out).env("CARGO_TARGET_DIR", self.root.join("target"));
        process::cpu(package)?;
        let bin = out.join("figures/bin");
        let program = bin.join(format!("figures-linux-{}", std::env::consts::ARCH));
        fs::copy(self.installed(hook)?, &program).with_context(|| format!("replacing {}", program.display()))?;
        Ok(bin.join("figures"))
    }

    /// Builds the binary of a hook that is installed already in another way, below the folder `name`.
    pub(crate) fn launcher(&self, hook: &str, name: &str, target: &str, flags: &[&str]) -> Result<PathBuf> {
        let binary = format!("hook-{hook}");
        let mut build = cargo::command();
        build
            .args(["build", "--package", "hookkit-launchers-of-guards", "--bin", &binary, "--target", target])
            .current_dir(self.root.join("target/hookkit/hookkit-launchers"))
            .env("CARGO_TARGET_DIR", self.root.join(name))
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        cargo::build(build)?.remove(&binary).context("cargo built no launcher")
    }
}
