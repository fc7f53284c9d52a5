//! Edits of the author's Cargo.toml files, which are undone where they lead nowhere.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use crate::candidate::Source;
use crate::workspace::{Metadata, Package, cargo};

/// The author's files as they were, put back when it is dropped, unless what was made of them shall [stay](Self::keep).
pub(crate) struct Undo {
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Undo {
    /// Looks at all manifests of a workspace, and at its Cargo.lock.
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let mut paths = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
        paths.extend(metadata.packages.iter().map(|package| package.manifest_path.clone()));
        let files = paths.into_iter().map(|path| {
            let bytes = crate::write::read(&path)?;
            Ok((path, bytes))
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
        })
    }

    pub(crate) fn keep(mut self) {
        self.files.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        for (path, bytes) in &self.files {
            let undone = match bytes {
                Some(bytes) if crate::write::read(path).is_ok_and(|present| present.as_ref() == Some(bytes)) => Ok(()),
                Some(bytes) => fs::write(path, bytes),
                None => fs::remove_file(path).or(Ok(())),
            };
            if let Err(err) = undone {
                crate::tell(format_args!("warning: {} could not be put back: {err}", path.display()));
            }
        }
    }
}

/// The table that names packs, from the manifest's root on.
const HOOKKIT: [&str; 3] = ["workspace", "metadata", "hookkit"];

/// Names a pack in the workspace's manifest, or does not any more; false if nothing changed.
pub(crate) fn name_pack(root: &Path, package: &str, is_named: bool) -> Result<bool> {
    edit(&root.join("Cargo.toml"), |document| {
        let table = hookkit_table(document)?;
        let packs = table
            .entry("packs")
            .or_insert(Item::Value(Value::Array(Array::new())))
            .as_array_mut()
            .context("`packs` in [workspace.metadata.hookkit] should be a list of packages")?;
        let position = packs.iter().position(|pack| pack.as_str() == Some(package));
        match position {
            None if is_named => packs.push(package),
            Some(at) if !is_named => drop(packs.remove(at)),
            _ => {}
        }
        if packs.is_empty() {
            table.remove("packs");
            remove_empty(document.as_table_mut(), &HOOKKIT);
        }
        Ok(())
    })
}

/// Takes out what the workspace's manifest changes of hooks, which it calls by these keys.
pub(crate) fn drop_changes(root: &Path, keys: &[String]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    edit(&root.join("Cargo.toml"), |document| {
        if let Some(hooks) = hookkit_table(document)?
            .get_mut("hooks")
            .and_then(Item::as_table_like_mut)
        {
            for key in keys {
                hooks.remove(key);
            }
        }
        remove_empty(document.as_table_mut(), &[&HOOKKIT[..], &["hooks"]].concat());
        Ok(())
    })?;
    Ok(())
}

/// `[workspace.metadata.hookkit]`, which is there from now on.
fn hookkit_table(document: &mut DocumentMut) -> Result<&mut dyn toml_edit::TableLike> {
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in HOOKKIT {
        let mut implicit = Table::new();
        implicit.set_implicit(true);
        let item = table.entry(key).or_insert(Item::Table(implicit));
        table = item
            .as_table_like_mut()
            .with_context(|| format!("`{key}` should be a table"))?;
    }
    Ok(table)
}

/// Removes tables that hold nothing any more, the innermost first.
fn remove_empty(table: &mut dyn toml_edit::TableLike, path: &[&str]) {
    let [first, rest @ ..] = path else { return };
    let Some(inner) = table.get_mut(first).and_then(Item::as_table_like_mut) else {
        return;
    };
    remove_empty(inner, rest);
    if inner.is_empty() {
        table.remove(first);
    }
}

/// Changes a manifest, whose comments and style stay; false if it is as it was.
fn edit(path: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<bool> {
    let edited = || -> Result<bool> {
        let before = fs::read_to_string(path)?;
        let mut document: DocumentMut = before.parse()?;
        change(&mut document)?;
        let after = document.to_string();
        if after != before {
            fs::write(path, &after)?;
        }
        Ok(after != before)
    };
    edited().with_context(|| format!("editing {}", path.display()))
}

/// No platform: what a package needs there is pinned by Cargo.lock, and built with the hooks alone.
const NOWHERE: &str = "cfg(any())";

/// The package of a workspace that holds packs from elsewhere: the one that is asked for, or the team's xtask.
pub(crate) fn holder<'m>(metadata: &'m Metadata, asked: Option<&str>) -> Result<&'m Package> {
    let packages = &metadata.packages;
    if let Some(name) = asked {
        let found = packages.iter().find(|package| package.name == name);
        return found.with_context(|| {
            let names = packages.iter().map(|package| &package.name);
            format!(
                "there is no package `{name}` in the workspace; there are {}",
                crate::listed(names)
            )
        });
    }
    let is_xtask =
        |package: &&Package| package.name == crate::packs::XTASK || package.dependency(crate::packs::XTASK).is_some();
    packages
        .iter()
        .find(is_xtask)
        .context("no package of the workspace depends on hookkit-xtask; name the one that shall depend on the pack: --package NAME")
}

/// Has a package depend on a pack, as `arguments` of `cargo add` say.
pub(crate) fn depend(metadata: &Metadata, holder: &Package, arguments: &[String]) -> Result<()> {
    let mut command = vec![
        "add".to_owned(),
        "--quiet".to_owned(),
        "--package".to_owned(),
        holder.name.clone(),
    ];
    command.extend(["--target".to_owned(), NOWHERE.to_owned()]);
    command.extend_from_slice(arguments);
    cargo_says(&metadata.workspace_root, &command)
}

/// The registry that a dependency names, if it is not crates.io.
pub(crate) fn registry(holder: &Package, name: &str) -> Result<Option<String>> {
    let path = &holder.manifest_path;
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let document: DocumentMut = text.parse().with_context(|| format!("reading {}", path.display()))?;
    let of_platforms = document.get("target").and_then(Item::as_table_like).into_iter();
    let of_platforms = of_platforms.flat_map(|targets| targets.iter().map(|(_, target)| target));
    let tables = of_platforms.chain([document.as_item()]);
    let mut dependencies = tables.filter_map(|table| table.get("dependencies")?.get(name)?.get("registry")?.as_str());
    Ok(dependencies.next().map(str::to_owned))
}

/// Has a package depend on another version of what it depends on already, in the table where it stands.
pub(crate) fn depend_again(metadata: &Metadata, holder: &Package, name: &str, source: &Source) -> Result<()> {
    let mut command = vec![
        "add".to_owned(),
        "--quiet".to_owned(),
        "--package".to_owned(),
        holder.name.clone(),
    ];
    let target = holder.dependency(name).and_then(|dependency| dependency.target.clone());
    command.extend(target.into_iter().flat_map(|target| ["--target".to_owned(), target]));
    command.extend(source.arguments()?);
    cargo_says(&metadata.workspace_root, &command)
}

/// Takes out what [`depend`] has put in. Dependencies that somebody wrote by hand stay; false if there was none of ours.
pub(crate) fn depend_no_more(metadata: &Metadata, package: &str) -> Result<bool> {
    let mut is_done = false;
    for holder in &metadata.packages {
        let mut held = holder
            .dependencies
            .iter()
            .filter(|dependency| dependency.name == package);
        if held.any(|dependency| dependency.target.as_deref() == Some(NOWHERE)) {
            let command = [
                "remove",
                "--quiet",
                "--package",
                &holder.name,
                "--target",
                NOWHERE,
                package,
            ];
            cargo_says(&metadata.workspace_root, &command.map(str::to_owned))?;
            is_done = true;
        }
    }
    Ok(is_done)
}

/// Has Cargo.lock fit the manifests, and no more than that.
pub(crate) fn relock(metadata: &Metadata) -> Result<()> {
    cargo_says(
        &metadata.workspace_root,
        &["update", "--workspace", "--quiet"].map(str::to_owned),
    )
}

/// Runs cargo in a folder. Where it fails, what it says is the error.
pub(crate) fn cargo_says(folder: &Path, arguments: &[String]) -> Result<()> {
    let output = cargo().args(arguments).current_dir(folder).output();
    let output = output.context("cargo could not be run")?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .trim_start_matches("error: ")
    );
    Ok(())
}
