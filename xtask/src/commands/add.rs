//! `cargo xtask add` and `remove`: third-party packs.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::binaries::changes::{self, described, report_code};
use crate::binaries::generated::Build;
use crate::binaries::link::Toolchain;
use crate::cargo::dependency;
use crate::cargo::lockfile::{Lockfile, Package};
use crate::cargo::manifest;
use crate::cargo::metadata::Metadata;
use crate::cargo::source::PackSource;
use crate::cargo::undo::Undo;
use crate::cargo::unnamed;
use crate::cargo::workspace::Workspace;
use crate::terminal::rows::{Format, extend, row};
use crate::terminal::style::DONE;
use crate::terminal::text::Text;
use crate::terminal::width::width;
use crate::terminal::{counted, listed};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    source: PackSource,
    /// The package of this workspace that gets the dependency [default: the workspace's xtask]
    #[arg(long = "package", value_name = "NAME")]
    holder: Option<String>,
    /// Add it even without a terminal, as in a script of your own
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn add(options: &Options) -> Result<()> {
    let added = try_to_add(options).context("nothing was added, and all files are as they were")?;
    options.format.print(added.text, &added.rows)
}

/// The text about a pack that was added.
struct Added {
    text: Text,
    rows: Vec<Value>,
}

/// Adds it, and says what it is; the author's files are put back where that fails.
fn try_to_add(options: &Options) -> Result<Added> {
    let metadata = Metadata::here()?;
    ensure_new(&options.source, &metadata)?;
    let source = options.source.with_package(&metadata.workspace_root)?;
    ensure_new(&source, &metadata)?;
    let undo = Undo::of(&metadata)?;
    let lock = metadata.workspace_root.join("Cargo.lock");
    let before = Lockfile::read(&lock)?.unwrap_or_default();

    let name = match dependency_that_is_there(&source, &metadata) {
        Some(name) => name,
        None => depend(&metadata, options.holder.as_deref(), &source)?,
    };
    manifest::name_pack(&metadata.workspace_root, &name, true)?;
    dependency::relock(&metadata)?;
    let workspace = Workspace::find()?;
    let after = Lockfile::read(&lock)?.unwrap_or_default();
    let pack = after.named(&name).next().context("the pack is not in Cargo.lock")?;
    report_code(pack, &after.closure_of(&name), &before.packages);
    let toolchain = Toolchain::find(&workspace.root)?;
    let mut build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    build.is_in_use = false;
    let definitions = build.definitions()?;
    let hooks: Vec<_> = definitions
        .iter()
        .filter(|hook| hook.declared.package == name)
        .collect();
    ensure!(
        !hooks.is_empty(),
        "`{name}` has no hooks; a hook is a `pub` function with #[hook(…)]"
    );
    let mut rows = undo.changed()?;
    undo.keep();
    workspace.warn_outside();

    let mut text = Text::new();
    text.words(DONE, "Added").plain(' ').bold(&name);
    text.plain(format_args!(
        " {}, with {}:\n\n",
        changes::source(pack),
        counted(hooks.len(), "hook")
    ));
    let column = hooks
        .iter()
        .map(|hook| width(&hook.declared.name))
        .max()
        .unwrap_or_default();
    for hook in &hooks {
        let name = &hook.declared.name;
        text.plain("  ")
            .bold(name)
            .pad(name, column)
            .hang()
            .plain(hook.summary());
        text.plain("\n      ").dimmed(described(hook)).line_end();
    }
    let closure = after.closure_of(&name);
    let is_new = |package: &&Package| package.name != name && !before.packages.contains(package);
    let new: Vec<&Package> = closure.iter().filter(is_new).collect();
    for hook in &hooks {
        rows.push(row("hook", hook)?);
    }
    for package in &new {
        rows.push(row("new_package", package.row())?);
    }
    let mut summary = row("summary", pack.row())?;
    extend(&mut summary, json!({"hooks": hooks.len(), "new_packages": new.len()}));
    rows.push(summary);
    text.plain(match new.len() {
        0 => "\nIt needs no package that was not here before.\n".to_owned(),
        count => format!(
            "\nIt brings {}: {}.\n",
            counted(count, "more package"),
            listed(new.iter().map(ToString::to_string))
        ),
    });
    text.plain("Install them: ").command("cargo xtask install");
    Ok(Added { text, rows })
}

/// Checks that no other version of a pack is there: what that would change has to be seen first.
///
/// # Errors
///
/// Fails if one is.
fn ensure_new(pack: &PackSource, metadata: &Metadata) -> Result<()> {
    let Some(name) = &pack.package else {
        return Ok(());
    };
    let name = name.split('@').next().unwrap_or_default();
    ensure_foreign(metadata, name)?;
    if pack.is_bare() {
        return Ok(());
    }
    let lock = Lockfile::read(&metadata.workspace_root.join("Cargo.lock"))?;
    let unnamed = unnamed::find(metadata, &metadata.settings()?.packs, lock.as_ref());
    if let Some(unnamed) = unnamed.iter().find(|unnamed| unnamed.package == name) {
        bail!("{unnamed}");
    }
    let mut packages = metadata.packages.iter();
    ensure!(
        packages.all(|package| package.dependency(name).is_none()),
        "`{name}` is there already; to see what another version changes, and to take it: cargo xtask update {name} --to …; \
         to take it from another source: cargo xtask remove {name}"
    );
    Ok(())
}

/// Returns the pack's name, if a package of the workspace depends on it already and nothing else is said of it.
fn dependency_that_is_there(pack: &PackSource, metadata: &Metadata) -> Option<String> {
    let name = pack.package.as_deref().filter(|_| pack.is_bare())?;
    let mut packages = metadata.packages.iter();
    packages
        .any(|package| package.dependency(name).is_some())
        .then(|| name.to_owned())
}

/// Checks that a package is not one of the workspace's own: cargo would take that for it, whatever else is said.
///
/// # Errors
///
/// Fails if it is one.
fn ensure_foreign(metadata: &Metadata, name: &str) -> Result<()> {
    let own = metadata.packages.iter().find(|package| package.name == name);
    match own {
        None => Ok(()),
        Some(own) => bail!(
            "`{name}` is a package of this workspace, in {}, whose hooks it has without `add`; a third-party pack needs \
             another name",
            own.folder().display()
        ),
    }
}

/// Has the holder depend on the pack, and returns the pack's name.
fn depend(metadata: &Metadata, holder: Option<&str>, pack: &PackSource) -> Result<String> {
    let holder = dependency::holder(metadata, holder)?;
    let done = dependency::depend(metadata, holder, &pack.arguments()?);
    done.map_err(|err| pack.explained(&metadata.workspace_root, err))?;
    if let Some(package) = &pack.package {
        return Ok(package.split('@').next().unwrap_or(package).to_owned());
    }
    let after = Metadata::of(&metadata.workspace_root)?;
    let dependencies = after.packages.iter().find(|package| package.name == holder.name);
    let dependencies = dependencies.into_iter().flat_map(|package| &package.dependencies);
    let is_known = |name: &str| holder.dependencies.iter().any(|known| known.name == name);
    let mut added = dependencies.filter(|dependency| !is_known(&dependency.name));
    match added.next() {
        Some(dependency) => Ok(dependency.name.clone()),
        None => bail!("that pack is there already; to take another version of it: cargo xtask update"),
    }
}

#[derive(Args)]
pub(crate) struct Removed {
    /// The pack's package
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// Remove it even without a terminal, as in a script of your own
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn remove(options: &Removed) -> Result<()> {
    let metadata = Metadata::here()?;
    let package = &options.package;
    ensure_foreign(&metadata, package)?;
    let undo = Undo::of(&metadata)?;
    let changed = changed_hooks(package);
    let was_named = manifest::name_pack(&metadata.workspace_root, package, false)?;
    manifest::drop_changes(&metadata.workspace_root, &changed)?;
    let was_held = dependency::depend_no_more(&metadata, package)?;
    ensure!(
        was_named || was_held,
        "`{package}` is not a pack here: `packs` in [workspace.metadata.hookkit] does not name it"
    );
    dependency::relock(&metadata)?;
    let mut rows = undo.changed()?;
    undo.keep();
    let stays = metadata.packages.iter().find(|holder| {
        let dependency = holder.dependency(package);
        dependency.is_some_and(|dependency| dependency.target.is_none())
    });
    let mut text = format!("Removed {package}.");
    if let Some(holder) = stays {
        let _ = write!(text, " `{}` depends on it still, for its own code.", holder.name);
    }
    if !changed.is_empty() {
        let _ = write!(text, " What Cargo.toml changed of {} is gone, too.", listed(&changed));
    }
    let is_last = Workspace::find()?.packs.is_empty();
    let command = if is_last { "uninstall" } else { "install" };
    let summary = json!({
        "package": package,
        "needed_by": stays.map(|holder| &holder.name),
        "forgotten": changed,
    });
    rows.push(row("summary", summary)?);
    let text = format!("{text}\nRemove its hooks from the settings, too: cargo xtask {command}");
    options.format.print(text, &rows)
}

/// Returns the hooks of a pack that the workspace's Cargo.toml changes, by its names for them: without the pack they do not exist.
fn changed_hooks(package: &str) -> Vec<String> {
    let definitions = || -> Result<_> {
        let workspace = Workspace::find()?;
        let toolchain = Toolchain::find(&workspace.root)?;
        Build::new(&workspace, toolchain.best(), &toolchain)?.definitions()
    };
    // A pack may go because it does not build.
    let definitions = definitions().unwrap_or_default();
    let of_pack = definitions.iter().filter(|hook| hook.declared.package == package);
    of_pack
        .filter_map(|hook| hook.changes.key())
        .map(str::to_owned)
        .collect()
}
