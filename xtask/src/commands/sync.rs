//! `cargo xtask sync`: installs the hooks in a project's own file, from the sources specified there.

use std::io;
use std::process::Command;
use std::time::Duration;

use hmac_sha256::Hash;

use crate::cargo::accepted;
use crate::cargo::command::cargo_of_folder;
use crate::cargo::location::git_of_clone;
use crate::cargo::metadata::Metadata;
use crate::commands::prelude::*;
use crate::disk::lock::Lock;
use crate::disk::{files, state, write};
use crate::settings::pinned::{self, differences};
use crate::settings::place::Place;
use crate::settings::scope::{self, OfAgent, PROJECT};
use crate::settings::sources::{self, Source, Sources};
use crate::settings::startup;
use crate::terminal::progress::Progress;
use crate::terminal::{hex, inform_all, meant, person, program};

#[derive(Args)]
#[command(after_help = "\
Exit code 1: with --check, something is missing or differs.

Examples:
  cargo xtask sync                   in a clone, before its first session
  cargo-hookkit sync --check         in CI: nothing is built
  cargo xtask sync --accept guards   the first time, for a third-party source")]
pub(crate) struct Options {
    /// The project [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Build and change nothing, and fail if the project's files contradict each other
    #[arg(long)]
    check: bool,
    /// Fail if a committed file would change
    #[arg(long)]
    frozen: bool,
    /// Accept this source, whose code is built and run as you, by its name in hookkit.toml; may be repeated
    #[arg(long, value_name = "NAME")]
    accept: Vec<String>,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let root = scope::project_root(options.project.as_deref())?;
    let root = root.canonicalize().unwrap_or(root);
    let place = Place::new(scope::kind(&root.join(PROJECT)), &root.join(PROJECT), "sync")?;
    ensure!(
        place.is_shared(),
        "{} is the folder of your own settings, not a project: choose one with --project DIR",
        root.display()
    );
    let sources = Sources::read(&place)?;
    ensure!(
        !sources.all.is_empty(),
        "there is no {} with a source of hooks; `cargo xtask install` in a workspace of hooks writes it",
        sources::file(&place)
    );
    if options.check || options.frozen {
        let mut found = differences(&place)?;
        if options.check {
            found.extend(of_agents(&root, &sources));
        }
        if options.check || !found.is_empty() {
            return message(&place, &found, options);
        }
    }
    for name in &options.accept {
        ensure!(
            sources.all.contains_key(name),
            "{} has no source `{name}`; {}",
            sources::file(&place),
            meant(name, sources.all.keys().map(String::as_str))
        );
    }
    let mut all = Vec::new();
    for (name, source) in &sources.all {
        all.push((name, source, Found::of(name, source, &place)?));
    }
    // All questions come before the first build, which can take minutes.
    for (name, source, found) in &all {
        found.accept(name, source, &place, options)?;
    }
    let before = committed(&place)?;
    for (name, source, found) in &all {
        let _lock = found.lock()?;
        let folder = found.fetch(source)?;
        let mut installs = vec![Vec::new()];
        for OfAgent { agent, read, .. } in scope::of_agents(&root, name) {
            // A file that cannot be read is reported at the end: Claude Code's hooks do not depend on it.
            let Ok((_, hooks)) = read else { continue };
            let mut options = vec!["--agent".to_owned(), agent.id.to_owned()];
            options.extend(hooks.into_iter().flat_map(|hook| ["--hook".to_owned(), hook]));
            installs.push(options);
        }
        for options_of_agent in installs {
            found
                .install(&folder, &root, &options_of_agent, &options.format)
                .with_context(|| format!("the hooks of `{name}`"))?;
        }
    }
    let changed: Vec<String> = committed(&place)?
        .into_iter()
        .zip(before)
        .filter_map(|(after, before)| (after != before).then_some(after.0))
        .collect();
    ensure!(!options.frozen || changed.is_empty(), "committed files have changed: {}", changed.join(", "));
    let mut found = differences(&place)?;
    found.extend(of_agents(&root, &sources));
    ensure!(found.is_empty(), "the project's files are not in sync afterwards:\n  {}", found.join("\n  "));
    if options.format.is_json() {
        let rows: Vec<Value> = all
            .iter()
            .map(|(name, source, _)| {
                let mut row = row("source", source);
                row["name"] = json!(name);
                row
            })
            .chain([summary(&place, true, &changed)])
            .collect();
        options.format.print("", &rows)?;
    }
    Ok(Done::Clean)
}

fn summary(place: &Place, in_sync: bool, changed: &[String]) -> Value {
    row("summary", json!({"settings": place.to_string(), "in_sync": in_sync, "changed": changed}))
}

/// Returns clauses about the hooks of all sources that another agent cannot start, and about the agents' files that
/// cannot be read.
fn of_agents(root: &Path, sources: &Sources) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for OfAgent { agent, place, read } in sources.all.keys().flat_map(|name| scope::of_agents(root, name)) {
        match read {
            Ok((_, hooks)) => {
                let missing = hooks.iter().filter(|hook| !place.has_binary(hook));
                found.extend(missing.map(|hook| format!("`{hook}` in {}: its binary is missing", agent.name)));
            }
            Err(err) => {
                found.insert(format!("{err:#}"));
            }
        }
    }
    found
}

/// Returns the contents of the files that a team commits, with their names.
fn committed(place: &Place) -> Result<Vec<(String, Option<Vec<u8>>)>> {
    let mut files = vec![place.file(), sources::file(place), pinned::file(place), startup::file(place)];
    for folder in Sources::read(place)?.folders() {
        files.push(place.within(Path::new(folder))?.file());
    }
    files.iter().map(|file| Ok((file.to_string(), write::read(file)?))).collect()
}

/// Reports differences between the files.
fn message(place: &Place, found: &[String], options: &Options) -> Result<Done> {
    let is_clean = found.is_empty();
    let rows: Vec<Value> = found
        .iter()
        .map(|what| row("difference", json!({"what": what})))
        .chain([summary(place, is_clean, &[])])
        .collect();
    let found: String = found.iter().map(|found| format!("  {found}\n")).collect();
    let fix = format!("{} sync{}", program(), scope::options(place));
    ensure!(
        is_clean || !options.frozen,
        "nothing was built, since committed files would change:\n\n{found}\nWrite them, and commit them: {fix}"
    );
    let text = if is_clean {
        format!("In sync: {place}")
    } else {
        format!("Not in sync: {place}\n\n{found}\nTo fix this: {fix}")
    };
    options.format.report(text, &rows, is_clean)
}

/// Maximum number of a source's hooks to show before the user accepts it, so that the source itself does not scroll off
/// the screen.
const LINES: usize = 20;

/// The location of a source on this machine.
enum Found {
    /// A workspace in this folder.
    Folder(PathBuf),
    /// A clone of the source's repository in this folder, which must be created or updated.
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
        let folder = place.root().join(path);
        let found =
            folder.canonicalize().ok().filter(|folder| folder.join("Cargo.toml").is_file()).with_context(|| {
                format!(
                    "`{}`: there is no Cargo.toml in {}; correct `path` in {}",
                    one_line(name),
                    one_line(folder.display()),
                    sources::file(place)
                )
            })?;
        Ok(Self::Folder(found))
    }

    /// Returns the key under which the source is accepted. It is the same in all projects.
    fn key(&self, source: &Source) -> String {
        match self {
            Self::Folder(folder) => accepted::key(folder),
            Self::Clone(_) => json!(["git", source.git, source.folder]).to_string(),
        }
    }

    /// Waits for other runs that change the clones.
    fn lock(&self) -> Result<Option<Lock>> {
        const LIMIT: Duration = Duration::from_secs(600);
        let Self::Clone(clone) = self else { return Ok(None) };
        let sources = clone.parent().unwrap_or(clone);
        state::create(sources)?;
        Lock::take(sources, LIMIT).map(Some)
    }

    /// Asks the user about a source that was not accepted before.
    ///
    /// # Errors
    ///
    /// Fails if the user does not accept it.
    fn accept(&self, name: &str, source: &Source, place: &Place, options: &Options) -> Result<()> {
        let key = self.key(source);
        let project = place.root();
        let is_own = || matches!(self, Self::Folder(folder) if has_built_this(folder));
        if is_own() || state::accepted(project).contains(&key) {
            return Ok(());
        }
        let name = one_line(name);
        let whence = match self {
            Self::Folder(folder) => one_line(folder.display()),
            Self::Clone(_) => source.to_string(),
        };
        let described = pinned::described(place, &name);
        for line in described.iter().take(LINES) {
            inform_all(format_args!("  {line}\n"));
        }
        if let Some(more @ 1..) = described.len().checked_sub(LINES) {
            inform_all(format_args!("  and {more} more\n"));
        }
        inform_all(format_args!(
            "These are the hooks of `{name}`, from {whence}, as the project describes them.\n\
             Its code is built and run as you: build scripts, macros, and the hooks in each session.\n"
        ));
        let is_accepted = options.accept.iter().any(|accepted| one_line(accepted) == name)
            || person::agrees(&format!("Accept `{name}`?"), false)?;
        let options = scope::options(place);
        ensure!(
            is_accepted,
            "`{name}` was not accepted: nothing was fetched, built or run\n\
             To accept it: {} sync{options} --accept {}",
            program(),
            quoted(&name)
        );
        state::accept(&key, project)
    }

    /// Returns the workspace's folder, at the commit specified in the project's file.
    fn fetch(&self, source: &Source) -> Result<PathBuf> {
        let clone = match self {
            Self::Folder(folder) => return Ok(folder.clone()),
            Self::Clone(clone) => clone,
        };
        let url = source.git.as_deref().unwrap_or_default();
        let rev = source.rev.as_deref().unwrap_or_default();
        ensure!(
            rev.len() >= 40 && rev.chars().all(|char| char.is_ascii_hexdigit()),
            "{source} has no `rev`, the commit to install; `cargo xtask install` in a clone of it writes the `rev`"
        );
        let _progress = Progress::new("Fetching", one_line(url));
        if !clone.join(".git").is_dir() {
            let sources = clone.parent().unwrap_or(clone);
            git_of_clone(sources, &["clone", "--quiet", "--no-checkout", "--", url, files::utf8(clone)?])?;
        }
        let is_there = || git_of_clone(clone, &["cat-file", "-e", &format!("{rev}^{{commit}}")]);
        if is_there().is_err() {
            git_of_clone(clone, &["fetch", "--quiet", "--tags", "origin"])?;
        }
        // A commit that is only in a fork, or in a deleted branch, was not accepted.
        let refs = ["for-each-ref", "--count=1", "--contains", rev, "refs/remotes/origin", "refs/tags"];
        let named = git_of_clone(clone, &refs).unwrap_or_default();
        ensure!(!named.is_empty(), "{source} has no commit {rev} in a branch or a tag: was it pushed?");
        git_of_clone(clone, &["checkout", "--quiet", "--force", "--detach", rev])
            .with_context(|| format!("if the clone is broken, remove it: rm -rf {}", clone.display()))?;
        let folder = clone.join(&source.folder).canonicalize().with_context(|| format!("{source}"))?;
        ensure!(folder.starts_with(clone.canonicalize()?), "{source} is outside of its repository");
        Ok(folder)
    }

    /// Makes the workspace install its hooks that are in the project's file. With `--json` its output goes to stderr,
    /// because its hookkit may be too old for this option.
    fn install(&self, folder: &Path, project: &Path, of_agent: &[String], format: &Format) -> Result<()> {
        let mut install = if has_built_this(folder) {
            Command::new(std::env::current_exe()?)
        } else {
            // Its own xtask, of the same version as its hookkit, with the toolchain selected by its folder.
            let mut cargo = cargo_of_folder();
            cargo.arg("xtask");
            cargo
        };
        let install = install.args(["install", "--project", files::utf8(project)?]).args(of_agent).current_dir(folder);
        if format.is_json() {
            install.stdout(io::stderr());
        }
        let status = install.status().context("cargo could not be run")?;
        ensure!(status.success(), "`cargo xtask install` failed in {}", folder.display());
        Ok(())
    }
}

/// Returns `true` if this process is the xtask of the workspace in a folder, so that the workspace's code already runs.
/// This relies on the package that `cargo run` sets; the current folder proves nothing.
fn has_built_this(folder: &Path) -> bool {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let metadata = package.and_then(|package| Metadata::of(&package).ok());
    metadata.and_then(|metadata| metadata.workspace_root.canonicalize().ok()).as_deref() == Some(folder)
}
