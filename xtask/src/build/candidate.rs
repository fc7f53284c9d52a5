//! A pack that is looked at before anything of the author's is changed.

#![expect(clippy::disallowed_methods, reason = "the files are those of the target folder")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::build::changes::tell_code;
use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::build::link::{Link, Toolchain};
use crate::build::overrides::Overrides;
use crate::cargo::command::cargo_says;
use crate::cargo::hookkit;
use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::metadata::Metadata;
use crate::cargo::patch::patches;
use crate::cargo::source::Source;
use crate::cargo::workspace::Workspace;

/// A workspace that has one pack and nothing else.
pub(crate) struct Candidate {
    pub(crate) workspace: Workspace,
    /// The pack, in the version that cargo chose.
    pub(crate) package: lockfile::Package,
    /// With all that it needs.
    pub(crate) closure: Vec<lockfile::Package>,
    /// The packages of the author's Cargo.lock.
    accepted: Vec<lockfile::Package>,
    link: Option<Link>,
}

const MANIFEST: &str = r#"# Written by `cargo xtask` to look at a pack; changes are lost.
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
    /// Has cargo find the pack, and what it needs: in versions that the author's Cargo.lock pins, where there is one.
    ///
    /// None of its code runs for that.
    pub(crate) fn find(source: &Source, author: &Author) -> Result<Self> {
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
        // The author's pin is for the version that the author has.
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

    /// Its build.
    pub(crate) fn build<'c>(&'c self, toolchain: &'c Toolchain) -> Result<Build<'c>> {
        Build::new(&self.workspace, self.link.unwrap_or(toolchain.best()), toolchain)
    }

    /// Builds it, and asks for its hooks: its code runs for both.
    pub(crate) fn hooks(&self) -> Result<Vec<Definition>> {
        tell_code(&self.package, &self.closure, &self.accepted);
        let toolchain = Toolchain::find(&self.workspace.cwd)?;
        let hooks = self.build(&toolchain)?.declared()?;
        ensure!(!hooks.is_empty(), "{} has no hooks", self.package);
        Ok(hooks)
    }

    /// Checks that it is written for the hookkit of a workspace's packs.
    ///
    /// # Errors
    ///
    /// Fails if it is not.
    pub(crate) fn ensure_same_hookkit(&self, workspace: &Workspace) -> Result<()> {
        match (&workspace.lock, &self.workspace.lock) {
            (Some(lock), Some(newer)) => {
                hookkit::ensure_same_hookkit((&workspace.packs, lock), (&self.workspace.packs, newer))
            }
            _ => Ok(()),
        }
    }

    /// Checks that its hooks can be those of a workspace, beside `all` that are there.
    ///
    /// # Errors
    ///
    /// Fails if `add` and `update` would refuse it.
    pub(crate) fn ensure_fits(&self, workspace: &Workspace, all: &[Definition], hooks: &[Definition]) -> Result<()> {
        self.ensure_same_hookkit(workspace)?;
        // It may be there in another version.
        let others = all.iter().filter(|hook| hook.declared.package != self.package.name);
        let mut together: Vec<Definition> = others.chain(hooks).cloned().collect();
        Overrides::read(&workspace.settings.hooks)?.apply(&mut together)
    }
}

/// The author who looks at a candidate: the folder, patches and Cargo.lock that its build uses.
pub(crate) struct Author {
    pub(crate) cwd: PathBuf,
    /// The target folder.
    target: PathBuf,
    patches: String,
    lock: String,
    /// The way in which its packs are linked, where some cannot be linked in every way.
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

    /// An author without a workspace: the build is in a temporary folder.
    pub(crate) fn without_workspace(folder: &Path) -> Result<Self> {
        Ok(Self {
            cwd: std::env::current_dir()?,
            target: folder.to_owned(),
            patches: String::new(),
            lock: String::new(),
            link: None,
        })
    }
}
