//! A pack that is inspected before any file of the author is changed.

#![expect(clippy::disallowed_methods, reason = "the files are those of the target folder")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::binaries::changes::report_code;
use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::binaries::link::{Link, Toolchain};
use crate::binaries::overrides::Overrides;
use crate::cargo::command::cargo_says;
use crate::cargo::hookkit;
use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::metadata::Metadata;
use crate::cargo::patch::patches;
use crate::cargo::source::PackSource;
use crate::cargo::workspace::Workspace;

/// A workspace with one pack and nothing else.
pub(crate) struct Candidate {
    pub(crate) workspace: Workspace,
    /// Package of the pack, in the version that cargo chose.
    pub(crate) package: lockfile::Package,
    /// Package of the pack and all its dependencies.
    pub(crate) closure: Vec<lockfile::Package>,
    /// Packages of the author's Cargo.lock.
    accepted: Vec<lockfile::Package>,
    link: Option<Link>,
}

const MANIFEST: &str = r#"# Written by `cargo xtask` to inspect a pack; changes are lost.
[workspace]

[package]
name = "hookkit-candidate"
version = "0.0.0"
edition = "2024"
publish = false

[lib]
path = "lib.rs"
"#;

impl Candidate {
    /// Finds the pack and its dependencies with cargo, in the versions of the author's Cargo.lock, if there is one.
    ///
    /// This runs none of its code.
    pub(crate) fn find(source: &PackSource, author: &Author) -> Result<Self> {
        let source = &source.with_package(&author.cwd)?;
        let folder = author.target.join("hookkit/candidate");
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let write = |file: &str, text: &str| {
            let path = folder.join(file);
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
        };
        let manifest = format!("{MANIFEST}\n{}", author.patches);
        write("Cargo.toml", &manifest)?;
        write("lib.rs", "")?;
        write("Cargo.lock", &author.lock)?;
        let path = folder.join("Cargo.toml");
        let path = path
            .to_str()
            .with_context(|| format!("{} is not UTF-8", path.display()))?;
        let add = [
            &["add", "--quiet", "--manifest-path", path].map(str::to_owned)[..],
            &source.arguments()?,
        ]
        .concat();
        cargo_says(&author.cwd, &add).map_err(|err| source.explained(&author.cwd, err))?;

        let metadata = Metadata::of_package(&folder, &author.cwd)?;
        let dependency = metadata
            .packages
            .first()
            .and_then(|package| package.dependencies.first());
        let name = dependency.context("cargo added nothing")?.name.clone();
        let named = format!(
            "{}\n[workspace.metadata.hookkit]\npacks = [{name:?}]\n",
            fs::read_to_string(path)?
        );
        write("Cargo.toml", &named)?;
        // The author's Cargo.lock may pin an older version of the pack.
        let resolve = ["metadata", "--quiet", "--format-version", "1", "--manifest-path", path];
        let update = ["update", "--quiet", "--manifest-path", path, &name];
        cargo_says(&author.cwd, &resolve.map(str::to_owned))?;
        cargo_says(&author.cwd, &update.map(str::to_owned))?;

        let mut workspace = Workspace::new(&Metadata::of_package(&folder, &author.cwd)?)?;
        workspace.cwd.clone_from(&author.cwd);
        workspace.generated.clone_from(&folder);
        workspace.built.clone_from(&author.target);
        let lock = workspace.lock.as_ref().context("cargo wrote no Cargo.lock")?;
        let package = lock
            .named(&name)
            .next()
            .context("the pack is not in Cargo.lock")?
            .clone();
        let closure = lock.closure_of(&name);
        Ok(Self {
            package,
            closure,
            accepted: Lockfile::parse(&author.lock)?.packages,
            link: author.link,
            workspace,
        })
    }

    /// Prepares its build.
    pub(crate) fn build<'c>(&'c self, toolchain: &'c Toolchain) -> Result<Build<'c>> {
        let mut build = Build::new(&self.workspace, self.link.unwrap_or(toolchain.best()), toolchain)?;
        build.is_in_use = false;
        Ok(build)
    }

    /// Builds it, and returns its hooks. Both run its code.
    pub(crate) fn hooks(&self) -> Result<Vec<Definition>> {
        report_code(&self.package, &self.closure, &self.accepted);
        let toolchain = Toolchain::find(&self.workspace.cwd)?;
        let hooks = self.build(&toolchain)?.declared()?;
        ensure!(!hooks.is_empty(), "{} has no hooks", self.package);
        Ok(hooks)
    }

    /// Checks that it uses the same hookkit as a workspace's packs.
    ///
    /// # Errors
    ///
    /// It uses another one.
    pub(crate) fn ensure_same_hookkit(&self, workspace: &Workspace) -> Result<()> {
        match (&workspace.lock, &self.workspace.lock) {
            (Some(lock), Some(newer)) => {
                hookkit::ensure_same_hookkit((&workspace.packs, lock), (&self.workspace.packs, newer))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a workspace can have its hooks in addition to `all` others.
    ///
    /// # Errors
    ///
    /// `add` and `update` would refuse it.
    pub(crate) fn ensure_fits(&self, workspace: &Workspace, all: &[Definition], hooks: &[Definition]) -> Result<()> {
        self.ensure_same_hookkit(workspace)?;
        // `all` may contain another version of it.
        let others = all.iter().filter(|hook| hook.declared.package != self.package.name);
        let mut together: Vec<Definition> = others.chain(hooks).cloned().collect();
        Overrides::read(&workspace.settings.hooks)?.apply(&mut together)
    }
}

/// The author's part of a candidate's build: folder, patches and Cargo.lock.
pub(crate) struct Author {
    pub(crate) cwd: PathBuf,
    /// Target folder.
    target: PathBuf,
    patches: String,
    lock: String,
    /// Link type for its packs, if some cannot be linked statically.
    link: Option<Link>,
}

impl Author {
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let lock = crate::disk::files::read(&root.join("Cargo.lock"))?.unwrap_or_default();
        Ok(Self {
            cwd: root.clone(),
            target: metadata.target_directory.clone(),
            patches: patches(root)?,
            link: (!metadata.settings()?.dynamic.is_empty()).then_some(Link::Dynamic),
            lock: String::from_utf8(lock).context("Cargo.lock is not UTF-8")?,
        })
    }

    /// Makes an author without a workspace: the build is in a temporary folder.
    pub(crate) fn without_workspace(folder: &Path) -> Result<Self> {
        Ok(Self {
            cwd: folder.to_owned(),
            target: folder.to_owned(),
            patches: String::new(),
            lock: String::new(),
            link: None,
        })
    }
}
