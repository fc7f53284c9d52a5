//! Edits a workspace's own Cargo.toml: its members, and `[workspace.metadata.hookkit]`.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built")]

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use crate::cargo::metadata::HOOKKIT;
use crate::disk::files;

/// Reads the manifest of a workspace.
pub(crate) fn read(root: &Path) -> Result<DocumentMut> {
    let path = root.join("Cargo.toml");
    files::text(&path)?.parse().with_context(|| format!("reading {}", path.display()))
}

/// Adds a pack to the workspace's list of packs, unless it is already there.
pub(crate) fn name_pack(root: &Path, package: &str) -> Result<()> {
    let fault = "`packs` in [workspace.metadata.hookkit] should be a list of packages";
    append(root, &["workspace", "metadata", HOOKKIT], "packs", package, fault)
}

/// Makes a package a workspace member, by appending its path to the list.
pub(crate) fn add_member(root: &Path, path: &str) -> Result<()> {
    append(root, &["workspace"], "members", path, "`members` in [workspace] should be a list of paths")
}

/// Appends a word to a list of the workspace's manifest; adds missing tables. `fault` is the error for another value.
fn append(root: &Path, tables: &[&str], key: &str, word: &str, fault: &'static str) -> Result<()> {
    edit(&root.join("Cargo.toml"), |document| {
        let mut within: &mut dyn TableLike = document.as_table_mut();
        for key in tables {
            let mut implicit = Table::new();
            implicit.set_implicit(true);
            within = table(within, key, implicit)?;
        }
        push(list(within, key).context(fault)?, word);
        Ok(())
    })
    .map(drop)
}

/// The parts of a workspace's manifest that a new member inherits.
pub(crate) struct Shared {
    pub(crate) has_hookkit: bool,
    pub(crate) has_serde: bool,
    pub(crate) has_lints: bool,
}

/// Returns the parts of a workspace's manifest that all members share.
pub(crate) fn shared(root: &Path) -> Result<Shared> {
    let document = read(root)?;
    let workspace = document.get("workspace");
    let dependencies = workspace.and_then(|workspace| workspace.get("dependencies"));
    let has = |name: &str| dependencies.is_some_and(|dependencies| dependencies.get(name).is_some());
    Ok(Shared {
        has_hookkit: has(HOOKKIT),
        has_serde: has("serde"),
        has_lints: workspace.is_some_and(|workspace| workspace.get("lints").is_some()),
    })
}

/// Returns the table at a key; adds `new` if it is missing.
fn table<'t>(within: &'t mut dyn TableLike, key: &str, new: Table) -> Result<&'t mut dyn TableLike> {
    let table = within.entry(key).or_insert(Item::Table(new)).as_table_like_mut();
    table.with_context(|| format!("`{key}` should be a table"))
}

/// Returns the list at a key; adds an empty one if it is missing. `None` if there is a different value.
fn list<'t>(within: &'t mut dyn TableLike, key: &str) -> Option<&'t mut Array> {
    within.entry(key).or_insert(value(Array::new())).as_array_mut()
}

/// Returns the text before a value, and the text between it and the next comma or the end of the list.
fn around(value: &Value) -> (String, String) {
    let text = |raw: Option<&toml_edit::RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    (text(value.decor().prefix()), text(value.decor().suffix()))
}

/// Appends a word to a list, unless it is already there, in the style of its neighbors. A comment after the last word
/// stays with that word.
fn push(list: &mut Array, word: &str) {
    if list.iter().any(|known| known.as_str() == Some(word)) {
        return;
    }
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

/// Adds serde and its derives to a package's dependencies, inherited if the workspace has serde. Returns `false` if it
/// was already there.
pub(crate) fn derive_with_serde(manifest: &Path, is_shared: bool) -> Result<bool> {
    edit(manifest, |document| {
        let dependencies = table(document.as_table_mut(), "dependencies", Table::new())?;
        let of = |key, version| value(InlineTable::from_iter([(key, version)]));
        let new = || if is_shared { of("workspace", Value::from(true)) } else { of("version", "1".into()) };
        let serde = dependencies.entry("serde").or_insert_with(new);
        if let Some(version) = serde.as_str().map(Value::from) {
            *serde = of("version", version);
        }
        let table = serde.as_table_like_mut().context("`serde` should be a version or a table")?;
        let features = list(table, "features").context("`features` of serde should be a list")?;
        push(features, "derive");
        table.fmt();
        Ok(())
    })
}

/// Adds a feature of hookkit for a package's tests, from the same source as the package's own dependency.
pub(crate) fn test_with(manifest: &Path, feature: &str) -> Result<()> {
    edit(manifest, |document| {
        let dependency = |table: &str| document.get(table).and_then(|table| table.get(HOOKKIT)).cloned();
        let of_tests = dependency("dev-dependencies");
        let is_new = of_tests.is_none();
        let declared = of_tests.or_else(|| dependency("dependencies"));
        let declared = declared.and_then(|item| item.into_value().ok()).with_context(|| {
            format!(
                "`{HOOKKIT}` is not in [dependencies]; write it into [dev-dependencies] with the feature `{feature}`"
            )
        })?;
        let mut hookkit = match declared {
            Value::InlineTable(table) => table,
            version => InlineTable::from_iter([("version", version)]),
        };
        if is_new {
            // Features are merged with those of `dependencies`, and a dev-dependency cannot be optional.
            hookkit.remove("features");
            hookkit.remove("optional");
        }
        push(list(&mut hookkit, "features").context("`features` should be a list")?, feature);
        hookkit.fmt();
        table(document.as_table_mut(), "dev-dependencies", Table::new())?.insert(HOOKKIT, value(hookkit));
        Ok(())
    })
    .map(drop)
}

/// Changes a manifest but keeps its comments and style. Returns `false` if nothing changed.
fn edit(path: &Path, change: impl FnOnce(&mut DocumentMut) -> Result<()>) -> Result<bool> {
    let edited = || -> Result<bool> {
        let before = fs::read_to_string(path)?;
        let mut document: DocumentMut = before.parse()?;
        change(&mut document)?;
        let after = document.to_string();
        // toml_edit ends each line with `\n`.
        let unix = before.replace("\r\n", "\n");
        let is_changed = after != unix;
        if is_changed {
            fs::write(path, if unix == before { after } else { after.replace('\n', "\r\n") })?;
        }
        Ok(is_changed)
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

    #[test]
    fn a_pack_is_named_and_all_else_stays() -> Result<()> {
        let whole = |text: &str| {
            if text.starts_with("packs") {
                format!("[workspace.metadata.hookkit]\n{text} # ours\n")
            } else {
                text.to_owned()
            }
        };
        let lines = test_support::lines!("lines/manifests.txt");
        for row in &lines.section("a pack is named").rows {
            for end in ["\n", "\r\n"] {
                let [before, after] = [&row.line, &row.expected[0]].map(|text| whole(text).replace('\n', end));
                let folder = folder(&before)?;
                for _ in 0..2 {
                    name_pack(folder.path(), "guards")?;
                    assert_eq!(fs::read_to_string(folder.path().join("Cargo.toml"))?, after);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_not_a_list_of_packs_is_refused_untouched() -> Result<()> {
        for row in &test_support::lines!("lines/manifests.txt").section("refused").rows {
            let (tables, message) = (&row.line, &*row.expected[0]);
            let text = format!("[workspace]\n{tables}\n");
            let folder = folder(&text)?;
            let manifest = folder.path().join("Cargo.toml");
            let refused = name_pack(folder.path(), "guards").expect_err(message);
            assert_eq!(format!("{refused:#}"), format!("editing {}: {message}", manifest.display()));
            assert_eq!(fs::read_to_string(manifest)?, text);
        }
        Ok(())
    }

    #[test]
    fn tests_take_a_feature_from_where_the_package_takes_hookkit() -> Result<()> {
        for row in &test_support::lines!("lines/manifests.txt").section("of tests").rows {
            let (before, after) = (&row.line, &row.expected[0]);
            let folder = folder(before)?;
            let manifest = folder.path().join("Cargo.toml");
            test_with(&manifest, "testing")?;
            assert_eq!(fs::read_to_string(manifest)?, format!("{before}\n[dev-dependencies]\n{after}\n"));
        }
        let of_tests = |features: &str| {
            let hookkit = format!("hookkit = {{ workspace = true, features = [{features}] }}");
            format!("[dev-dependencies]\nanyhow = \"1\" # why\n{hookkit}\n\n[dependencies]\nhookkit.workspace = true\n")
        };
        let folder = folder(&of_tests("\"glob\""))?;
        let manifest = folder.path().join("Cargo.toml");
        test_with(&manifest, "testing")?;
        assert_eq!(fs::read_to_string(&manifest)?, of_tests("\"glob\", \"testing\""));

        let renamed = "[dependencies]\nhk = { package = \"hookkit\", version = \"0.1\" }\n";
        fs::write(&manifest, renamed)?;
        let refused = test_with(&manifest, "testing").expect_err("its source is not known");
        assert!(format!("{refused:#}").contains("`hookkit` is not in [dependencies]; write it"), "{refused:#}");
        assert_eq!(fs::read_to_string(manifest)?, renamed);
        Ok(())
    }
}
