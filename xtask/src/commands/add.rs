//! `cargo xtask add` and `update`: let cargo change a workspace's packs, and show the effect before it is accepted.

use std::mem;

use crate::binaries::changes::{between, report_code};
use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::cargo::command::cargo_says;
use crate::cargo::lockfile::Lockfile;
use crate::cargo::manifest;
use crate::cargo::metadata::{Metadata, NOWHERE, Package, XTASK};
use crate::cargo::source::{self, Source};
use crate::cargo::undo::Undo;
use crate::cargo::workspace::Workspace;
use crate::commands::prelude::*;
use crate::terminal::{self, person};

#[derive(Args)]
pub(crate) struct Add {
    /// The pack's package, or `PACKAGE@VERSION`
    #[arg(value_name = "PACKAGE")]
    pack: String,
    #[command(flatten)]
    source: Source,
    /// The package of this workspace that gets the dependency [default: the workspace's xtask]
    #[arg(long = "package", value_name = "NAME")]
    holder: Option<String>,
    #[command(flatten)]
    accepted: Accepted,
}

#[derive(Args)]
pub(crate) struct Update {
    /// Packages of Cargo.lock, as in `cargo update` [default: all third-party packs]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
    /// The version to take, which may be an older one
    #[arg(long, value_name = "VERSION", requires = "packages")]
    precise: Option<String>,
    #[command(flatten)]
    accepted: Accepted,
}

#[derive(Args)]
struct Accepted {
    /// Accept the changes without a question
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn add(options: &Add) -> Result<Done> {
    let metadata = Metadata::here()?;
    let is_xtask = |package: &&Package| package.name == XTASK || package.dependency(XTASK).is_some();
    let xtask = || Some(&*metadata.packages.iter().find(is_xtask)?.name);
    let holder = options.holder.as_deref().or_else(xtask).context(
        "no package of the workspace depends on hookkit-xtask; name the package that will depend on the pack: \
         --package NAME",
    )?;
    let name = source::name(&options.pack);
    change(&metadata, &options.accepted, Some(name), || {
        let add = ["add", "--quiet", "--package", holder, "--target", NOWHERE, &options.pack];
        cargo_says(".".as_ref(), add.into_iter().chain(options.source.arguments()))?;
        manifest::name_pack(&metadata.workspace_root, name)?;
        // Other packages keep their versions.
        cargo_says(&metadata.workspace_root, ["update", "--workspace", "--quiet"])
    })
}

pub(crate) fn update(options: &Update) -> Result<Done> {
    let metadata = Metadata::here()?;
    let mut packages = options.packages.clone();
    if packages.is_empty() {
        packages = metadata.settings()?.packs;
        ensure!(!packages.is_empty(), "there is no third-party pack here; to add one: cargo xtask add PACKAGE");
    }
    change(&metadata, &options.accepted, None, || {
        let precise = options.precise.iter().flat_map(|version| ["--precise", version]);
        let update = ["update", "--quiet"].into_iter().chain(packages.iter().map(String::as_str));
        cargo_says(&metadata.workspace_root, update.chain(precise))
    })
}

/// Runs a `cargo` command that changes the author's files. Then restores the files, shows the effect on the hooks, and
/// applies the change once the user accepts it. Listing the hooks runs their code.
fn change(
    metadata: &Metadata,
    accepted: &Accepted,
    added: Option<&str>,
    cargo: impl FnOnce() -> Result<()>,
) -> Result<Done> {
    let root = &metadata.workspace_root;
    // The workspace may be broken, and the change may repair it.
    let old = Workspace::new(metadata).and_then(|workspace| hooks(&workspace)).unwrap_or_default();
    let known = Lockfile::read(&root.join("Cargo.lock"))?.unwrap_or_default();
    let changed = || -> Result<_> {
        let undo = Undo::of(metadata)?;
        cargo()?;
        let after = Workspace::new(&Metadata::of(root)?)?;
        let change = undo.undone()?;
        let locked = after.lock.clone().unwrap_or_default();
        report_code(&locked.packages, &known.packages);
        let new = hooks(&after)?;
        if let Some(pack) = added {
            ensure!(
                new.iter().any(|hook| hook.declared.package == pack),
                "`{pack}` has no hooks; a hook is a `pub` function with #[hook(…)]"
            );
        }
        Ok((after, change, locked, new))
    };
    let (after, change, locked, new) = changed().context("nothing was changed, and all files are as they were")?;
    let changes = between((&old, &known.packages), (&new, &locked.packages));
    let mut text = Text::new();
    let mut rows = Vec::new();
    for change in &changes {
        text.diff(&change.to_string());
        rows.push(row("change", change));
    }
    let format = &accepted.format;
    if !format.is_json() && !changes.is_empty() {
        terminal::print(mem::take(&mut text))?;
    }
    let is_asked = || !format.is_json() && person::ensure_own_terminal("").is_ok();
    let is_accepted = !changes.is_empty() && (accepted.yes || is_asked() && person::agrees("Accept it?", false)?);
    if is_accepted {
        rows.extend(change.make()?);
        after.warn_outside();
    }
    rows.push(row("summary", json!({"changes": changes.len(), "accepted": is_accepted})));
    match (changes.is_empty(), is_accepted) {
        (true, _) => text.plain("Nothing would change"),
        (false, true) => text.words(DONE, "\nAccepted").plain(". Install it: ").command("cargo xtask install"),
        (false, false) => text.plain("\nNothing was changed yet; to accept the changes, add ").command("--yes"),
    };
    format.report(text, &rows, changes.is_empty() || is_accepted)
}

/// Returns the hooks that a workspace would install.
fn hooks(workspace: &Workspace) -> Result<Vec<Definition>> {
    let mut build = Build::new(workspace)?;
    build.is_in_use = false;
    let mut hooks = build.definitions()?;
    hooks.retain(|hook| !hook.changes.off);
    Ok(hooks)
}
