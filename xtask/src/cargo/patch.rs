//! The `[patch]` tables of a workspace.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The `[patch]` tables of a workspace's manifest.
fn patch(root: &Path) -> Result<Option<toml::Value>> {
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut manifest: toml::Table = toml::from_str(&text).with_context(|| format!("reading {}", path.display()))?;
    Ok(manifest.remove("patch"))
}

/// The place of a package by a patch of the workspace's manifest, which takes precedence over its source.
pub(crate) fn patched(root: &Path, package: &str) -> Result<Option<PathBuf>> {
    let patch = patch(root)?;
    let sources = patch
        .iter()
        .filter_map(toml::Value::as_table)
        .flat_map(toml::Table::values);
    let crates = sources.filter_map(toml::Value::as_table).flatten();
    let is_meant = |(name, krate): &(&String, &toml::Value)| {
        let named = krate.get("package").and_then(toml::Value::as_str);
        named.unwrap_or(name) == package
    };
    let mut paths = crates
        .filter(is_meant)
        .filter_map(|(_, krate)| krate.get("path")?.as_str());
    Ok(paths.next().map(|path| root.join(path)))
}

/// The `[patch]` tables of a workspace's manifest, with paths that hold in other folders, too.
pub(crate) fn patches(root: &Path) -> Result<String> {
    let Some(mut patch) = patch(root)? else {
        return Ok(String::new());
    };
    let sources = patch.as_table_mut().into_iter().flat_map(|sources| sources.iter_mut());
    let crates = sources.flat_map(|(_, crates)| crates.as_table_mut().into_iter().flat_map(|crates| crates.iter_mut()));
    for (_, krate) in crates {
        if let Some(toml::Value::String(path)) = krate.get_mut("path") {
            let absolute = root.join(&*path);
            absolute
                .to_str()
                .with_context(|| format!("{} is not UTF-8", absolute.display()))?
                .clone_into(path);
        }
    }
    Ok(toml::to_string(&toml::Table::from_iter([("patch".to_owned(), patch)]))?)
}
