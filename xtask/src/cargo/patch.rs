//! The `[patch]` tables of a workspace.

use std::path::{Path, PathBuf};

use anyhow::Result;
use toml_edit::{DocumentMut, Item, value};

use crate::cargo::manifest;
use crate::disk::files;

/// Returns the `[patch]` tables of a workspace's manifest.
fn patch(root: &Path) -> Result<Option<Item>> {
    Ok(manifest::read(root)?.remove("patch"))
}

/// Returns a package's path from the workspace's `[patch]` tables, which take precedence over its source.
pub(crate) fn patched(root: &Path, package: &str) -> Result<Option<PathBuf>> {
    let patch = patch(root)?;
    let sources = patch.iter().filter_map(Item::as_table_like).flat_map(|sources| sources.iter());
    let crates = sources.filter_map(|(_, crates)| crates.as_table_like()).flat_map(|crates| crates.iter());
    let is_meant = |(name, krate): &(&str, &Item)| {
        let named = krate.get("package").and_then(Item::as_str);
        named.unwrap_or(name) == package
    };
    Ok(crates.filter(is_meant).find_map(|(_, krate)| krate.get("path")?.as_str()).map(|path| root.join(path)))
}

/// Returns the `[patch]` tables of a workspace's manifest, with paths that are also valid in other folders.
pub(crate) fn patches(root: &Path) -> Result<String> {
    let Some(mut patch) = patch(root)? else {
        return Ok(String::new());
    };
    let sources = patch.as_table_like_mut().into_iter().flat_map(|sources| sources.iter_mut());
    let crates = sources.filter_map(|(_, crates)| crates.as_table_like_mut()).flat_map(|crates| crates.iter_mut());
    for (_, krate) in crates {
        if let Some(item) = krate.get_mut("path")
            && let Some(path) = item.as_str()
        {
            *item = value(files::utf8(&root.join(path))?);
        }
    }
    let mut patches = DocumentMut::new();
    patches.insert("patch", patch);
    Ok(patches.to_string())
}
