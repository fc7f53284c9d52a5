//! `cargo xtask sync`: what a project's own file says is installed, from wherever it says.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hmac_sha256::Hash;

use crate::install;
use crate::pinned::{self, differences};
use crate::place::Place;
use crate::scope::{self, PROJECT};
use crate::sources::{self, Source, Sources};
use crate::state;
use crate::workspace::{Metadata, cargo};
use crate::{Done, hex, one_line, print, quoted, tell};

#[derive(Args)]
pub(crate) struct Options {
    /// The project [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Build and change nothing, and fail where the project's files do not fit together
    #[arg(long)]
    check: bool,
    /// Fail where a committed file would change
    #[arg(long)]
    frozen: bool,
    /// Accept this source, whose code is built and run as you, by its name in hookkit.toml; may be repeated
    #[arg(long, value_name = "NAME")]
    accept: Vec<String>,
}

pub(crate) const EXAMPLES: &str = "\
Exit code 1: with --check, something is to be done.

Examples:
  cargo xtask sync                   what a clone needs before its first session
  cargo xtask sync --check           in CI: nothing is built
  cargo xtask sync --accept guards   for the first time, with a source from elsewhere";

pub(crate) fn run(options: &Options) -> Result<Done> {
    let root = scope::project_root(options.project.as_deref())?;
    let root = root.canonicalize().unwrap_or(root);
    let place = Place::new(scope::kind(&root.join(PROJECT)), &root.join(PROJECT), "sync")?;
    ensure!(
        place.is_shared(),
        "{} is your own folder, and no project",
        root.display()
    );
    let sources = Sources::read(&place)?;
    ensure!(
        sources.iter().next().is_some(),
        "there is no {} that names a source of hooks; `cargo xtask install` in a workspace of hooks writes it",
        sources::file(&place)
    );
    if options.check || options.frozen {
        let found = differences(&place)?;
        if options.check || !found.is_empty() {
            return told(&place, &found, options.frozen);
        }
    }
    for name in &options.accept {
        let mut names = sources.names();
        ensure!(
            names.any(|known| known == name),
            "{} has no source `{name}`",
            sources::file(&place)
        );
    }
    let mut all = Vec::new();
    for (name, source) in sources.iter() {
        all.push((name, source, Found::of(name, source, &place)?));
    }
    // Nobody is asked a second question after minutes of a build.
    for (name, source, found) in &all {
        found.accept(name, source, &place, options)?;
    }
    for (name, source, found) in &all {
        let folder = found.fetch(source)?;
        found
            .install(&folder, &root)
            .with_context(|| format!("the hooks of `{name}`"))?;
    }
    let found = differences(&place)?;
    ensure!(
        found.is_empty(),
        "the project's files do not fit together afterwards:\n  {}",
        found.join("\n  ")
    );
    Ok(Done::Clean)
}

/// Says what does not fit together.
fn told(place: &Place, found: &[String], is_frozen: bool) -> Result<Done> {
    let shown = place.settings().display();
    if found.is_empty() {
        print(format_args!("In sync: {shown}"))?;
        return Ok(Done::Clean);
    }
    let found: String = found.iter().map(|found| format!("  {found}\n")).collect();
    let options = scope::options(place);
    ensure!(
        !is_frozen,
        "nothing was built, since committed files would change:\n\n{found}\n\
         Write them, and commit them: cargo xtask sync{options}"
    );
    print(format_args!(
        "Not in sync: {shown}\n\n{found}\nTo mend that: cargo xtask sync{options}"
    ))?;
    Ok(Done::WithFindings)
}

/// Where a source is on this machine.
enum Found {
    /// A workspace in this folder.
    Folder(PathBuf),
    /// A clone of its repository, to be made or brought up to date, in this folder.
    Clone(PathBuf),
}

impl Found {
    fn of(name: &str, source: &Source, place: &Place) -> Result<Self> {
        if let Some(git) = &source.git {
            let cache = state::cache().context("no folder for clones: set HOME, or XDG_CACHE_HOME")?;
            let key = hex(&Hash::hash(git.as_bytes())[..8]);
            return Ok(Self::Clone(cache.join("sources").join(key)));
        }
        let path = source.path.as_deref().unwrap_or_default();
        let folder = place.project().unwrap_or(Path::new("/")).join(path);
        let found = folder
            .canonicalize()
            .ok()
            .filter(|folder| folder.join("Cargo.toml").is_file());
        let found = found.with_context(|| {
            format!(
                "`{}` is to be in {}, and there is no workspace",
                one_line(name),
                one_line(&folder.display().to_string())
            )
        })?;
        Ok(Self::Folder(found))
    }

    /// What is accepted once, whichever project names it.
    fn key(&self, source: &Source) -> String {
        match self {
            Self::Folder(folder) => format!("path {}", folder.display()),
            Self::Clone(_) => format!("git {source}"),
        }
    }

    /// Asks the user about a source that was not accepted before.
    ///
    /// # Errors
    ///
    /// Where it is not accepted.
    fn accept(&self, name: &str, source: &Source, place: &Place, options: &Options) -> Result<()> {
        let key = self.key(source);
        let is_own = || matches!(self, Self::Folder(folder) if has_built_this(folder));
        if is_own() || state::accepted().contains(&key) {
            return Ok(());
        }
        let name = one_line(name);
        tell(format_args!("{name}, from {source}"));
        for line in pinned::described(place, &name) {
            tell(format_args!("  {line}"));
        }
        tell("Its code is built and run as you: build scripts, macros, and the hooks in each session.");
        let is_accepted = options.accept.iter().any(|accepted| one_line(accepted) == name) || asked()?;
        let options = scope::options(place);
        ensure!(
            is_accepted,
            "`{name}` was not accepted, and nothing of it was fetched, built or run\n\
             To accept it: cargo xtask sync{options} --accept {}",
            quoted(&name)
        );
        state::accept(&key)
    }

    /// Returns the workspace, with the commit that the project's file names.
    fn fetch(&self, source: &Source) -> Result<PathBuf> {
        let clone = match self {
            Self::Folder(folder) => return Ok(folder.clone()),
            Self::Clone(clone) => clone,
        };
        let url = source.git.as_deref().unwrap_or_default();
        let rev = source.rev.as_deref().unwrap_or_default();
        ensure!(
            rev.len() >= 40 && rev.chars().all(|char| char.is_ascii_hexdigit()),
            "{source} has no `rev`, the commit to install; `cargo xtask install` in a clone of it writes that"
        );
        if !clone.join(".git").is_dir() {
            let made = clone.parent().unwrap_or(clone);
            state::create(made)?;
            git(made, &["clone", "--quiet", "--no-checkout", "--", url, path(clone)?])?;
        }
        if git(clone, &["cat-file", "-e", &format!("{rev}^{{commit}}")]).is_err() {
            git(clone, &["fetch", "--quiet", "--tags", "origin"])?;
        }
        git(clone, &["checkout", "--quiet", "--force", "--detach", rev])?;
        let folder = clone.join(&source.folder);
        let folder = folder.canonicalize().with_context(|| format!("{source}"))?;
        ensure!(
            folder.starts_with(clone.canonicalize()?),
            "{source} is outside of its repository"
        );
        Ok(folder)
    }

    /// Has the workspace install its hooks: those that the project's file names.
    fn install(&self, folder: &Path, project: &Path) -> Result<()> {
        if has_built_this(folder) {
            return install::run(&install::Options::of_project(project)).map(drop);
        }
        // By its own xtask, which is as old as its hookkit.
        let status = cargo()
            .args(["xtask", "install", "--project", path(project)?])
            .current_dir(folder)
            .status()
            .context("cargo could not be run")?;
        ensure!(status.success(), "`cargo xtask install` failed in {}", folder.display());
        Ok(())
    }
}

/// Returns whether this process is the xtask of the workspace in a folder, so that its code runs already. `cargo run` says
/// of which package it runs the program; what the current folder is says nothing.
fn has_built_this(folder: &Path) -> bool {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let metadata = package.and_then(|package| Metadata::of(&package).ok());
    let root = metadata.and_then(|metadata| metadata.workspace_root.canonicalize().ok());
    root.as_deref() == Some(folder)
}

/// Asks for a yes, where somebody is there to give it.
fn asked() -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    tell("Accept it? [y/N]");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn path(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{} is not UTF-8", path.display()))
}

/// Runs git where no repository of a checkout has a say: a clone of ours, which runs none of its hooks.
fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .context("git could not be run")?;
    if !output.status.success() {
        bail!(
            "git {}: {}",
            arguments[0],
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(())
}
