//! Edits of a workspace's own Cargo.toml: its members, and `[workspace.metadata.hookkit]`.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

/// The table that names packs, from the manifest's root on.
const HOOKKIT: [&str; 3] = ["workspace", "metadata", "hookkit"];

/// Reads the manifest of a workspace.
pub(crate) fn read(root: &Path) -> Result<DocumentMut> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    text.parse().with_context(|| format!("reading {}", path.display()))
}

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
            None if is_named => push(packs, package),
            Some(at) if !is_named => remove(packs, at),
            _ => {}
        }
        if packs.is_empty() {
            table.remove("packs");
            remove_empty(document.as_table_mut(), &HOOKKIT);
        }
        Ok(())
    })
}

/// Makes a package a member of the workspace: its path goes to the end of the list.
pub(crate) fn add_member(root: &Path, path: &str) -> Result<()> {
    edit(&root.join("Cargo.toml"), |document| {
        let workspace = document
            .entry("workspace")
            .or_insert(Item::Table(Table::new()))
            .as_table_like_mut()
            .context("`workspace` should be a table")?;
        let members = workspace
            .entry("members")
            .or_insert(Item::Value(Value::Array(Array::new())))
            .as_array_mut()
            .context("`members` in [workspace] should be a list of paths")?;
        push(members, path);
        Ok(())
    })?;
    Ok(())
}

/// The parts of a workspace's manifest that a new member takes from it.
pub(crate) struct Shared {
    pub(crate) has_hookkit: bool,
    pub(crate) has_serde: bool,
    pub(crate) has_lints: bool,
}

fn has_dependency(table: &Item, name: &str) -> bool {
    table
        .get("dependencies")
        .and_then(|dependencies| dependencies.get(name))
        .is_some()
}

/// Returns the parts of a workspace's manifest that are for all members.
pub(crate) fn shared(root: &Path) -> Result<Shared> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let document: DocumentMut = text.parse().with_context(|| format!("reading {}", path.display()))?;
    let workspace = document.get("workspace");
    let has = |name: &str| workspace.is_some_and(|workspace| has_dependency(workspace, name));
    Ok(Shared {
        has_hookkit: has(crate::cargo::metadata::HOOKKIT),
        has_serde: has("serde"),
        has_lints: workspace.and_then(|workspace| workspace.get("lints")).is_some(),
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

/// Returns the text before a value, and the text between it and the next comma or the list's end.
fn around(value: &Value) -> (String, String) {
    let text = |raw: Option<&toml_edit::RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    (text(value.decor().prefix()), text(value.decor().suffix()))
}

/// Adds a word to the end of a list, as its neighbours are written. A comment behind the last one stays with it.
pub(super) fn push(list: &mut Array, word: &str) {
    let has_comma = list.trailing_comma();
    let mut end = list.trailing().as_str().unwrap_or_default().to_owned();
    let last = list.len().checked_sub(1).and_then(|last| list.get_mut(last));
    let Some(last) = last else { return list.push(word) };
    let (prefix, suffix) = around(last);
    if !has_comma {
        last.decor_mut().set_suffix("");
        end = suffix;
    }
    let (comment, end) = end.split_at(end.find('\n').unwrap_or_default());
    let own = match prefix.rfind('\n') {
        Some(at) => format!("{comment}{}", &prefix[at..]),
        None => " ".to_owned(),
    };
    let (suffix, trailing) = if has_comma { ("", end) } else { (end, "") };
    list.push_formatted(Value::from(word).decorated(own, suffix));
    list.set_trailing(trailing);
}

/// The inverse of [`push`], of any word: the comments on its own line, and those above it, go with it.
fn remove(list: &mut Array, at: usize) {
    let (prefix, suffix) = around(&list.remove(at));
    let joined = |behind: &str| match (prefix.split_once('\n'), behind.find('\n')) {
        (Some((of_the_one_before, _)), Some(line)) => format!("{of_the_one_before}{}", &behind[line..]),
        (Some((of_the_one_before, _)), None) => format!("{of_the_one_before}{behind}"),
        (None, _) => behind.to_owned(),
    };
    if let Some(next) = list.get_mut(at) {
        let behind = around(next).0;
        let behind = if behind.contains('\n') { joined(&behind) } else { prefix };
        next.decor_mut().set_prefix(behind);
    } else if list.trailing_comma() {
        list.set_trailing(joined(list.trailing().as_str().unwrap_or_default()));
    } else if let Some(last) = at.checked_sub(1).and_then(|last| list.get_mut(last)) {
        last.decor_mut().set_suffix(joined(&suffix));
    }
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
pub(super) fn edit(path: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<bool> {
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

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn folder(manifest: &str) -> Result<TempDir> {
        let folder = test_support::folder();
        fs::write(folder.path().join("Cargo.toml"), manifest)?;
        Ok(folder)
    }

    /// The manifest with a pack named, or no more, and whether that changed it.
    fn with(manifest: &str, package: &str, is_named: bool) -> Result<(String, bool)> {
        let folder = folder(manifest)?;
        let is_changed = name_pack(folder.path(), package, is_named)?;
        Ok((fs::read_to_string(folder.path().join("Cargo.toml"))?, is_changed))
    }

    const WORKSPACE: &str = "# Ours.\n[workspace]\nmembers = [ \"app\",'xtask' ] # two\n\n[profile.dev]\ndebug = 0\n";

    #[test]
    fn a_pack_is_named_and_all_else_stays() -> Result<()> {
        let whole = |text: &str| match text.starts_with("packs") {
            true => format!("[workspace.metadata.hookkit]\n{text} # ours\n"),
            false => text.to_owned(),
        };
        let lines = test_support::lines!("lines/manifests.txt");
        for row in &lines.section("a pack is named").rows {
            let (before, after) = (whole(&row.line), whole(&row.expected[0]));
            assert_eq!(with(&before, "guards", true)?, (after.clone(), true));
            assert_eq!(with(&after, "guards", true)?, (after.clone(), false), "twice");
            assert_eq!(with(&after, "guards", false)?, (before.clone(), true), "and back");
            assert_eq!(with(&before, "guards", false)?, (before, false), "none is there");
        }
        for row in &lines.section("a pack is named no more").rows {
            assert_eq!(with(&whole(&row.line), "guards", false)?.0, whole(&row.expected[0]));
        }
        Ok(())
    }

    #[test]
    fn the_last_pack_takes_the_table_along_that_holds_nothing_else() -> Result<()> {
        let one = format!("{WORKSPACE}\n[workspace.metadata.hookkit]\npacks = [\"guards\"]\n");
        assert_eq!(with(&one, "guards", false)?, (WORKSPACE.to_owned(), true));
        let named = format!("{WORKSPACE}\n[workspace.metadata.hookkit]\npacks = [\"guards\"]\nname = \"acme\"\n");
        assert_eq!(
            with(&named, "guards", false)?.0,
            named.replace("packs = [\"guards\"]\n", "")
        );
        Ok(())
    }

    #[test]
    fn what_is_not_a_list_of_packs_is_refused_untouched() -> Result<()> {
        for row in &test_support::lines!("lines/manifests.txt").section("refused").rows {
            let (tables, message) = (&row.line, &*row.expected[0]);
            let text = format!("[workspace]\n{tables}\n");
            let folder = folder(&text)?;
            let manifest = folder.path().join("Cargo.toml");
            let refused = name_pack(folder.path(), "guards", true).expect_err(message);
            assert_eq!(
                format!("{refused:#}"),
                format!("editing {}: {message}", manifest.display())
            );
            assert_eq!(fs::read_to_string(manifest)?, text);
        }
        Ok(())
    }
}
