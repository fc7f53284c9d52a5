//! `cargo xtask update hookkit`: another release of hookkit and of hookkit-xtask together.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::binaries::changes::source;
use crate::cargo::command::cargo_says;
use crate::cargo::dependency;
use crate::cargo::hookkit;
use crate::cargo::lockfile::{Lockfile, Package};
use crate::cargo::metadata::{HOOKKIT, Metadata, XTASK};
use crate::cargo::source::{Origin, newest_tag};
use crate::cargo::undo::Undo;
use crate::terminal::Done;
use crate::terminal::rows::{Format, extend, row};

/// The crates of a release. Their versions are one.
const CRATES: [&str; 9] = [
    HOOKKIT, "hookkit-effects", "hookkit-json", "hookkit-macros", "hookkit-protocol", "hookkit-secrets",
    "hookkit-shell", "hookkit-verdict", XTASK,
];

/// Shows what another release would change, or takes it.
///
/// Nothing is built: the xtask that runs here is the one of the old release.
pub(crate) fn update(to: Option<&str>, is_accepted: bool, format: &Format) -> Result<Done> {
    let metadata = Metadata::here()?;
    let root = &metadata.workspace_root;
    let lock = root.join("Cargo.lock");
    let before = Lockfile::read(&lock)?.context("there is no Cargo.lock; write it: cargo update --workspace")?;
    let [present] = before.named(HOOKKIT).collect::<Vec<_>>()[..] else {
        bail!("Cargo.lock has no hookkit, or several; `cargo xtask install` says how to have one");
    };
    let members = metadata.packages.iter();
    let dependency = members.filter_map(|package| package.dependency(HOOKKIT)).next();
    let origin = Origin::of(dependency.context("no package of the workspace depends on hookkit")?);
    let summary = |is_updated: bool| row("summary", json!({"package": HOOKKIT, "updated": is_updated}));
    let is_pinned = |why: &str| {
        let rows = [pack_row(present, None, Some(why))?, summary(false)?];
        format.print(format_args!("{HOOKKIT} {}: {why}", source(present)), &rows)?;
        Ok(Done::Clean)
    };
    let is_of_one_release = ensure_one_release(&before).is_ok();
    let undo = Undo::of(&metadata)?;
    match (&origin, to) {
        (Origin::Path, _) => return is_pinned("a folder, which is always as it is"),
        (Origin::Commit, _) => return is_pinned("pinned to a commit; write another one into Cargo.toml"),
        (Origin::Branch { .. }, Some(_)) => return is_pinned("a branch, of which no version can be chosen"),
        (Origin::Branch { .. }, None) | (Origin::Registry, None) => {}
        (Origin::Registry, Some(version)) => dependency::set_of_hookkit(&metadata, "version", &format!("={version}"))?,
        (Origin::Tag { url, tag }, to) => {
            let newest = match to {
                Some(to) => to.to_owned(),
                None => newest_tag(root, url, tag)?,
            };
            if newest == *tag && is_of_one_release {
                return is_pinned("up to date");
            }
            dependency::set_of_hookkit(&metadata, "tag", &newest)?;
        }
    }
    let after = relocked(&metadata, &lock, &origin).context("nothing was updated, and all files are as they were")?;
    let (old, new) = (of_release(&before), of_release(&after));
    if old == new {
        return is_pinned("the newest that Cargo.toml allows");
    }
    let mut text = String::new();
    let mut rows = Vec::new();
    for package in new {
        let before = old.iter().find(|old| old.name == package.name);
        if let Some(before) = before {
            rows.push(pack_row(before, Some(package), None)?);
        }
        let before = before.map_or_else(|| "none".to_owned(), |before| source(before));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {before} → {}", package.name, source(package));
    }
    if !is_accepted {
        drop(undo);
        rows.push(summary(false)?);
        let text = format!("{text}\nNothing was changed yet; to accept that, add --yes");
        format.print(text, &rows)?;
        return Ok(Done::WithFindings);
    }
    rows.extend(undo.changed()?);
    undo.keep();
    rows.push(summary(true)?);
    let text = format!("{text}\nUpdated. Install the hooks anew: cargo xtask install");
    format.print(text, &rows)?;
    Ok(Done::Clean)
}

/// Returns the row of a crate of hookkit, as `outdated` has it of a pack.
fn pack_row(package: &Package, newer: Option<&Package>, why: Option<&str>) -> Result<Value> {
    let newer = newer.filter(|newer| *newer != package).map(|newer| {
        let mut members = newer.row();
        extend(&mut members, json!({"tag": null, "refused": null}));
        members
    });
    let mut row = row("pack", package.row())?;
    extend(
        &mut row,
        json!({"outdated": newer.is_some(), "why": why, "newer": newer}),
    );
    Ok(row)
}

/// Has Cargo.lock fit the manifests, with the newest crates that these allow, and returns it.
fn relocked(metadata: &Metadata, path: &Path, origin: &Origin) -> Result<Lockfile> {
    dependency::relock(metadata)?;
    let mut lock = Lockfile::read(path)?.unwrap_or_default();
    hookkit::ensure_one_hookkit(&Metadata::of(&metadata.workspace_root)?, &lock)?;
    if !matches!(origin, Origin::Tag { .. }) {
        let names = of_release(&lock).into_iter().map(|package| package.name.clone());
        let command = ["update", "--quiet"].map(str::to_owned).into_iter().chain(names);
        cargo_says(&metadata.workspace_root, &command.collect::<Vec<_>>())?;
        lock = Lockfile::read(path)?.unwrap_or_default();
    }
    ensure_one_release(&lock)?;
    Ok(lock)
}

/// Checks that hookkit and hookkit-xtask are of one release.
///
/// # Errors
///
/// Fails if they are not.
pub(crate) fn ensure_one_release(lock: &Lockfile) -> Result<()> {
    let (Some(hookkit), Some(xtask)) = (lock.named(HOOKKIT).next(), lock.named(XTASK).next()) else {
        return Ok(());
    };
    ensure!(
        hookkit.version == xtask.version && hookkit.source == xtask.source,
        "hookkit would be {}, and hookkit-xtask {}: they are of one release",
        source(hookkit),
        source(xtask)
    );
    Ok(())
}

/// Returns the crates of hookkit in a Cargo.lock that are third-party.
fn of_release(lock: &Lockfile) -> Vec<&Package> {
    let found = CRATES.iter().flat_map(|name| lock.named(name));
    found.filter(|package| package.source.is_some()).collect()
}
