//! A pack that is looked at before anything of the author's is changed.

#![expect(clippy::disallowed_methods, reason = "the files are those of the target folder")]

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use tempfile::TempDir;

use crate::build::changes::tell_code;
use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::build::link::{Link, Toolchain};
use crate::build::overrides::Overrides;
use crate::cargo::location::{self, git_of_clone};
use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::manifest::cargo_says;
use crate::cargo::packs;
use crate::cargo::workspace::{Metadata, Package, Workspace, patches};
use crate::commands::outdated::version_of;
use crate::terminal::listed;

/// Where a pack is from, in the words of `cargo add`.
#[derive(Args, Clone, Default)]
pub(crate) struct Source {
    /// The pack's package, with a version behind an `@` if need be; of git and of a path the only pack there, if it has no
    /// name
    #[arg(value_name = "PACKAGE", required_unless_present_any = ["git", "path"])]
    pub(crate) package: Option<String>,
    /// A git repository: its URL, or its folder
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    git: Option<String>,
    /// The tag of the repository
    #[arg(long, requires = "git", conflicts_with_all = ["branch", "rev"])]
    tag: Option<String>,
    /// The branch of the repository, as it is now
    #[arg(long, requires = "git", conflicts_with = "rev")]
    branch: Option<String>,
    /// The commit of the repository
    #[arg(long, requires = "git")]
    rev: Option<String>,
    /// The folder of the package, or of a workspace with it
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// A registry of cargo's configuration, in place of crates.io
    #[arg(long, value_name = "NAME", conflicts_with_all = ["git", "path"])]
    registry: Option<String>,
}

impl Source {
    /// A tag of a git repository.
    pub(crate) fn tag(package: &str, url: &str, tag: &str) -> Self {
        Self {
            package: Some(package.to_owned()),
            git: Some(url.to_owned()),
            tag: Some(tag.to_owned()),
            ..Self::default()
        }
    }

    /// A version of a registry, or the newest one.
    pub(crate) fn registry(package: &str, version: Option<&str>, registry: Option<String>) -> Self {
        Self {
            package: Some(version.map_or_else(|| package.to_owned(), |version| format!("{package}@={version}"))),
            registry,
            ..Self::default()
        }
    }

    /// A branch of a git repository, or the one that it is on.
    pub(crate) fn branch(package: &str, url: &str, branch: Option<&str>) -> Self {
        Self {
            package: Some(package.to_owned()),
            git: Some(url.to_owned()),
            branch: branch.map(str::to_owned),
            ..Self::default()
        }
    }

    pub(crate) fn named_tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Returns the same with the name of its package, and with that package's own folder: a workspace has several packages.
    ///
    /// # Errors
    ///
    /// Fails if there is no such pack, or there are several and none is named.
    pub(crate) fn with_package(&self, cwd: &Path) -> Result<Self> {
        let clone;
        let folder = match (&self.path, &self.git, &self.package) {
            (Some(path), ..) => path,
            (None, Some(git), None) => {
                clone = self.cloned(git, cwd)?;
                &clone.path().join("clone")
            }
            _ => return Ok(self.clone()),
        };
        let folder = folder
            .canonicalize()
            .with_context(|| format!("the folder {}", folder.display()))?;
        if self.git.is_some() && !folder.join("Cargo.toml").is_file() {
            // cargo searches the folders of a repository.
            return Ok(self.clone());
        }
        let metadata = Metadata::of_package(&folder, cwd)?;
        let named = self.package.as_deref().and_then(|name| name.split('@').next());
        let packs: Vec<&Package> = metadata.packages.iter().filter(|package| package.is_pack()).collect();
        let found = match named {
            Some(name) => metadata.packages.iter().find(|package| package.name == name),
            None => {
                let of_folder = metadata.packages.iter().find(|package| package.folder() == folder);
                of_folder.or_else(|| packs.first().copied().filter(|_| packs.len() == 1))
            }
        };
        let names = || match packs.len() {
            0 => "there is no pack: a pack is a library that depends on hookkit".to_owned(),
            _ => format!("there are {}", listed(packs.iter().map(|pack| &pack.name))),
        };
        let found = found.with_context(|| match named {
            Some(name) => format!("there is no package `{name}` in {}; {}", folder.display(), names()),
            None => format!("name the pack: {}", names()),
        })?;
        Ok(Self {
            package: self.package.clone().or_else(|| Some(found.name.clone())),
            path: self.path.as_ref().map(|_| found.folder().to_owned()),
            ..self.clone()
        })
    }

    /// Clones its repository into a temporary folder, as git alone would: no code of it runs.
    fn cloned(&self, git: &str, cwd: &Path) -> Result<TempDir> {
        let folder = tempfile::tempdir().context("there is no temporary folder")?;
        let clone = folder.path().join("clone");
        let path = clone
            .to_str()
            .with_context(|| format!("{} is not UTF-8", clone.display()))?;
        let mut arguments = vec!["clone", "--quiet"];
        if let Some(name) = self.tag.as_ref().or(self.branch.as_ref()) {
            arguments.extend(["--branch", name]);
        }
        if self.rev.is_none() {
            arguments.extend(["--depth", "1"]);
        }
        let url = url(git);
        arguments.extend(["--", &url, path]);
        git_of_clone(cwd, &arguments).map_err(|err| self.explained(cwd, err))?;
        if let Some(rev) = &self.rev {
            git_of_clone(&clone, &["checkout", "--quiet", "--detach", rev])?;
        }
        Ok(folder)
    }

    /// Returns an error about it with the tags that there are, if it names one that is not there.
    pub(crate) fn explained(&self, cwd: &Path, err: anyhow::Error) -> anyhow::Error {
        let (Some(git), Some(tag)) = (&self.git, &self.tag) else {
            return err;
        };
        match location::tags(cwd, &url(git)) {
            Ok(tags) if tags.contains(tag) => err,
            Ok(tags) if tags.is_empty() => anyhow!("{git} has no tag `{tag}`, and no others"),
            Ok(mut tags) => {
                tags.sort_by_cached_key(|tag| Reverse(version_of(tag).map(|(_, version)| version)));
                let more = match tags.len().saturating_sub(20) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                anyhow!(
                    "{git} has no tag `{tag}`; there are {}{more}",
                    listed(tags.iter().take(20))
                )
            }
            Err(_) => err,
        }
    }

    /// Whether it is what a git repository has at the moment.
    pub(crate) fn is_branch(&self) -> bool {
        self.git.is_some() && self.tag.is_none() && self.rev.is_none()
    }

    /// Whether it says no more than a name.
    pub(crate) fn is_bare(&self) -> bool {
        let Self {
            git, path, registry, ..
        } = self;
        git.is_none()
            && path.is_none()
            && registry.is_none()
            && self.package.as_ref().is_some_and(|name| !name.contains('@'))
    }

    /// The arguments of `cargo add`.
    pub(crate) fn arguments(&self) -> Result<Vec<String>> {
        let path = self.path.as_ref().map(|path| {
            let path = path
                .canonicalize()
                .with_context(|| format!("the folder {}", path.display()))?;
            path.into_os_string()
                .into_string()
                .map_err(|path| anyhow::anyhow!("{} is not UTF-8", Path::new(&path).display()))
        });
        let mut arguments: Vec<String> = self.package.iter().cloned().collect();
        for (option, value) in [
            ("--git", self.git.as_deref().map(url)),
            ("--tag", self.tag.clone()),
            ("--branch", self.branch.clone()),
            ("--rev", self.rev.clone()),
            ("--path", path.transpose()?),
            ("--registry", self.registry.clone()),
        ] {
            arguments.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        Ok(arguments)
    }
}

/// Returns what cargo takes for a repository: a folder has a URL, too, and so has `git@host:path`.
fn url(git: &str) -> String {
    match Path::new(git).canonicalize() {
        Ok(folder) => format!("file://{}", folder.display()),
        Err(_) => location::with_scheme(git),
    }
}

/// A workspace that has one pack and nothing else.
pub(crate) struct Candidate {
    pub(crate) workspace: Workspace,
    /// The pack, in the version that cargo chose.
    pub(crate) package: lockfile::Package,
    /// With all that it needs.
    pub(crate) closure: Vec<lockfile::Package>,
    /// What the author's Cargo.lock has.
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
        let folder = author.generated.join("candidate");
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
        workspace.built = author.generated.join("build");
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
                packs::ensure_same_hookkit((&workspace.packs, lock), (&self.workspace.packs, newer))
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

/// Who looks at a candidate, and what of theirs counts for it.
pub(crate) struct Author {
    pub(crate) cwd: PathBuf,
    generated: PathBuf,
    patches: String,
    lock: String,
    /// How its packs are linked, where some cannot be linked in every way.
    link: Option<Link>,
}

impl Author {
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let lock = crate::disk::files::read(&root.join("Cargo.lock"))?.unwrap_or_default();
        Ok(Self {
            cwd: root.clone(),
            generated: metadata.target_directory.join("hookkit"),
            patches: patches(root)?,
            link: (!metadata.settings()?.dynamic.is_empty()).then_some(Link::Dynamic),
            lock: String::from_utf8(lock).context("Cargo.lock is not UTF-8")?,
        })
    }

    /// Somebody without a workspace, in a folder that goes.
    pub(crate) fn nobody(folder: &Path) -> Result<Self> {
        Ok(Self {
            cwd: std::env::current_dir()?,
            generated: folder.to_owned(),
            patches: String::new(),
            lock: String::new(),
            link: None,
        })
    }
}
