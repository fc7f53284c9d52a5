//! Edits of the author's Cargo.toml files, which are undone where they lead nowhere.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use crate::cargo::command::cargo_says;
use crate::cargo::metadata::{Metadata, NOWHERE, Package};
use crate::cargo::source::Source;
use crate::rows::changed_file;

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
            let bytes = crate::disk::files::read(&path)?;
            Ok((path, bytes))
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
        })
    }

    /// Returns the rows of the files that have changed since.
    pub(crate) fn changed(&self) -> Result<Vec<serde_json::Value>> {
        let mut rows = Vec::new();
        for (path, before) in &self.files {
            let after = crate::disk::files::read(path)?;
            let row = changed_file(path, before.as_deref(), after.as_deref());
            // The manifest of a package at the root is that of the workspace, too.
            rows.extend(row.filter(|row| !rows.contains(row)));
        }
        Ok(rows)
    }

    pub(crate) fn keep(mut self) {
        self.files.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        for (path, bytes) in &self.files {
            let undone = match bytes {
                Some(bytes) if crate::disk::files::read(path).is_ok_and(|present| present.as_ref() == Some(bytes)) => {
                    Ok(())
                }
                Some(bytes) => fs::write(path, bytes),
                None => fs::remove_file(path).or(Ok(())),
            };
            if let Err(err) = undone {
                crate::terminal::tell(format_args!("warning: {} could not be put back: {err}", path.display()));
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

/// Has the tests of a package take a feature of hookkit, from where the package itself takes hookkit.
pub(crate) fn test_with(manifest: &Path, feature: &str) -> Result<()> {
    const KRATE: &str = crate::cargo::metadata::HOOKKIT;
    edit(manifest, |document| {
        let dependency = |table: &str| document.get(table).and_then(|table| table.get(KRATE)).cloned();
        let of_tests = dependency("dev-dependencies");
        let is_new = of_tests.is_none();
        let declared = of_tests.or_else(|| dependency("dependencies"));
        let declared = declared.and_then(|item| item.into_value().ok()).with_context(|| {
            format!("`{KRATE}` is not in [dependencies]; write it into [dev-dependencies] with the feature `{feature}`")
        })?;
        let mut table = match declared {
            Value::InlineTable(table) => table,
            version => InlineTable::from_iter([("version", version)]),
        };
        if is_new {
            // Features add up, and only what is built with the package can be left out of it.
            table.remove("features");
            table.remove("optional");
        }
        let features = table.get_or_insert("features", Array::new());
        let features = features.as_array_mut().context("`features` should be a list")?;
        push(features, feature);
        table.fmt();
        let of_tests = document.entry("dev-dependencies").or_insert(Item::Table(Table::new()));
        let of_tests = of_tests
            .as_table_like_mut()
            .context("`dev-dependencies` should be a table")?;
        of_tests.insert(KRATE, Item::Value(Value::InlineTable(table)));
        Ok(())
    })?;
    Ok(())
}

/// What a new member of a workspace takes from its manifest.
pub(crate) struct Shared {
    pub(crate) has_hookkit: bool,
    pub(crate) has_lints: bool,
}

/// What a workspace's manifest has for all members.
pub(crate) fn shared(root: &Path) -> Result<Shared> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let document: DocumentMut = text.parse().with_context(|| format!("reading {}", path.display()))?;
    let workspace = document.get("workspace");
    let hookkit = workspace.and_then(|workspace| workspace.get("dependencies")?.get(crate::cargo::metadata::HOOKKIT));
    Ok(Shared {
        has_hookkit: hookkit.is_some(),
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

/// What stands around a value: before it, and between it and the next comma or the list's end.
fn around(value: &Value) -> (String, String) {
    let text = |raw: Option<&toml_edit::RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    (text(value.decor().prefix()), text(value.decor().suffix()))
}

/// Adds a word to the end of a list, as its neighbours are written. A comment behind the last one stays with it.
fn push(list: &mut Array, word: &str) {
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

/// The package of a workspace that holds packs from elsewhere: the one that is asked for, or the team's xtask.
pub(crate) fn holder<'m>(metadata: &'m Metadata, asked: Option<&str>) -> Result<&'m Package> {
    let packages = &metadata.packages;
    if let Some(name) = asked {
        let found = packages.iter().find(|package| package.name == name);
        return found.with_context(|| {
            let names = packages.iter().map(|package| &package.name);
            format!(
                "there is no package `{name}` in the workspace; there are {}",
                crate::terminal::listed(names)
            )
        });
    }
    let is_xtask = |package: &&Package| {
        package.name == crate::cargo::metadata::XTASK || package.dependency(crate::cargo::metadata::XTASK).is_some()
    };
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

/// Gives a place another text. A comment next to it stays.
fn replace(place: &mut Value, text: &str) {
    let decor = place.decor().clone();
    *place = Value::from(text);
    *place.decor_mut() = decor;
}

/// Has each dependency on hookkit and on its xtask that has this key, in any manifest of the workspace, have another value.
pub(crate) fn set_of_hookkit(metadata: &Metadata, key: &str, value: &str) -> Result<()> {
    const NAMES: [&str; 2] = [crate::cargo::metadata::HOOKKIT, crate::cargo::metadata::XTASK];
    let set = |dependencies: Option<&mut Item>| {
        let Some(dependencies) = dependencies.and_then(Item::as_table_like_mut) else {
            return;
        };
        for name in NAMES {
            match dependencies.get_mut(name) {
                Some(Item::Value(version @ Value::String(_))) if key == "version" => replace(version, value),
                Some(dependency) => {
                    let dependency = dependency.as_table_like_mut();
                    let present = dependency.and_then(|table| table.get_mut(key)?.as_value_mut());
                    present.into_iter().for_each(|present| replace(present, value));
                }
                None => {}
            }
        }
    };
    let root = metadata.workspace_root.join("Cargo.toml");
    let manifests = metadata.packages.iter().map(|package| &package.manifest_path);
    for manifest in manifests.filter(|manifest| **manifest != root).chain([&root]) {
        edit(manifest, |document| {
            set(document
                .get_mut("workspace")
                .and_then(|workspace| workspace.get_mut("dependencies")));
            for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
                set(document.get_mut(kind));
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Takes out what [`depend`] has put in. Dependencies that somebody wrote by hand stay; false if there was none of ours.
pub(crate) fn depend_no_more(metadata: &Metadata, package: &str) -> Result<bool> {
    let root = metadata.workspace_root.join("Cargo.toml");
    let mut patch = None;
    edit(&root, |document| {
        patch = document.get("patch").cloned();
        Ok(())
    })?;
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
    // `cargo remove` also takes out each patch that nothing uses any more; those are the author's.
    if let Some(patch) = patch {
        edit(&root, |document| {
            document.insert("patch", patch);
            Ok(())
        })?;
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    fn folder(manifest: &str) -> Result<TempDir> {
        let folder = tempfile::tempdir()?;
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
        for (before, after) in [
            (
                WORKSPACE.to_owned(),
                WORKSPACE.replace(
                    "[profile",
                    "[workspace.metadata.hookkit]\npacks = [\"guards\"]\n\n[profile",
                ),
            ),
            (
                format!("{WORKSPACE}\n[workspace.metadata.hookkit] # hooks\nname = 'acme' # short\n"),
                format!(
                    "{WORKSPACE}\n[workspace.metadata.hookkit] # hooks\nname = 'acme' # short\npacks = [\"guards\"]\n"
                ),
            ),
            (
                format!("{WORKSPACE}\n[workspace.metadata.hookkit]\npacks = [\n    \"other\", # why\n]\n"),
                format!(
                    "{WORKSPACE}\n[workspace.metadata.hookkit]\npacks = [\n    \"other\", # why\n    \"guards\",\n]\n"
                ),
            ),
            (
                "[workspace]\nmetadata = { hookkit = { packs = [\"other\"] } }\n".to_owned(),
                "[workspace]\nmetadata = { hookkit = { packs = [\"other\", \"guards\"] } }\n".to_owned(),
            ),
            (
                "[workspace]\nmetadata.hookkit.name = \"acme\"\n".to_owned(),
                "[workspace]\nmetadata.hookkit.name = \"acme\"\nmetadata.hookkit.packs = [\"guards\"]\n".to_owned(),
            ),
        ] {
            assert_eq!(with(&before, "guards", true)?, (after.clone(), true));
            assert_eq!(with(&after, "guards", true)?, (after.clone(), false), "twice");
            assert_eq!(with(&after, "guards", false)?, (before.clone(), true), "and back");
            assert_eq!(with(&before, "guards", false)?, (before, false), "none is there");
        }
        Ok(())
    }

    #[test]
    fn a_list_of_packs_stays_as_it_is_written() -> Result<()> {
        for (before, after) in [
            (r#"["other"]"#, r#"["other", "guards"]"#),
            (r#"[ "other" ]"#, r#"[ "other", "guards" ]"#),
            (r#"["other",]"#, r#"["other", "guards",]"#),
            ("[\n    \"other\",\n]", "[\n    \"other\",\n    \"guards\",\n]"),
            (
                "[\n  \"other\", # why\n  # to be continued\n]",
                "[\n  \"other\", # why\n  \"guards\",\n  # to be continued\n]",
            ),
            (
                "[\n\t\"one\", # 1\n\t\"two\" # 2\n]",
                "[\n\t\"one\", # 1\n\t\"two\", # 2\n\t\"guards\"\n]",
            ),
        ] {
            let manifest = |list: &str| format!("[workspace.metadata.hookkit]\npacks = {list} # ours\n");
            let added = with(&manifest(before), "guards", true)?.0;
            assert_eq!(added, manifest(after));
            assert_eq!(with(&added, "guards", false)?.0, manifest(before));
        }
        for (before, after) in [
            (r#"["guards", "other"]"#, r#"["other"]"#),
            (r#"["one", "guards", "two"]"#, r#"["one", "two"]"#),
            (
                "[\n    \"guards\", # 1\n    \"other\", # 2\n]",
                "[\n    \"other\", # 2\n]",
            ),
            (
                "[\n    \"one\", # 1\n    # of it\n    \"guards\", # 2\n    \"two\", # 3\n]",
                "[\n    \"one\", # 1\n    \"two\", # 3\n]",
            ),
        ] {
            let manifest = |list: &str| format!("[workspace.metadata.hookkit]\npacks = {list}\n");
            assert_eq!(with(&manifest(before), "guards", false)?.0, manifest(after));
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
    fn what_is_no_list_of_packs_is_refused_untouched() -> Result<()> {
        for (tables, told) in [
            (
                "metadata.hookkit.packs = \"guards\"",
                "`packs` in [workspace.metadata.hookkit] should be a list of packages",
            ),
            ("metadata.hookkit = 1", "`hookkit` should be a table"),
            ("metadata = []", "`metadata` should be a table"),
        ] {
            let text = format!("[workspace]\n{tables}\n");
            let folder = folder(&text)?;
            let manifest = folder.path().join("Cargo.toml");
            let refused = name_pack(folder.path(), "guards", true).expect_err(told);
            assert_eq!(
                format!("{refused:#}"),
                format!("editing {}: {told}", manifest.display())
            );
            assert_eq!(fs::read_to_string(manifest)?, text);
        }
        Ok(())
    }

    #[test]
    fn tests_take_a_feature_from_where_the_package_takes_hookkit() -> Result<()> {
        for (before, after) in [
            (
                "[dependencies]\nhookkit.workspace = true\n",
                "hookkit = { workspace = true, features = [\"testing\"] }",
            ),
            (
                "[dependencies]\nhookkit = \"0.1\"\n",
                "hookkit = { version = \"0.1\", features = [\"testing\"] }",
            ),
            (
                "[dependencies.hookkit] # ours\npath = \"../hookkit\" # here\nfeatures = [\"glob\"]\n",
                "hookkit = { path = \"../hookkit\", features = [\"testing\"] }",
            ),
        ] {
            let folder = folder(before)?;
            let manifest = folder.path().join("Cargo.toml");
            test_with(&manifest, "testing")?;
            assert_eq!(
                fs::read_to_string(manifest)?,
                format!("{before}\n[dev-dependencies]\n{after}\n")
            );
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
        let refused = test_with(&manifest, "testing").expect_err("nobody knows its source");
        assert!(
            format!("{refused:#}").contains("`hookkit` is not in [dependencies]; write it"),
            "{refused:#}"
        );
        assert_eq!(fs::read_to_string(manifest)?, renamed);
        Ok(())
    }

    fn package(folder: &Path) -> Result<Package> {
        Ok(serde_json::from_value(json!({
            "name": "xtask",
            "manifest_path": folder.join("Cargo.toml"),
            "targets": [],
            "dependencies": [],
        }))?)
    }

    #[test]
    fn the_registry_of_a_dependency_is_read_wherever_it_stands() -> Result<()> {
        for (manifest, expected) in [
            (
                "[dependencies]\nguards = { version = \"1\", registry = \"acme\" }",
                Some("acme"),
            ),
            (
                "[dependencies.guards]\nversion = \"1\"\nregistry = \"acme\"",
                Some("acme"),
            ),
            (
                "[target.'cfg(any())'.dependencies]\nguards = { version = \"1\", registry = \"acme\" }",
                Some("acme"),
            ),
            (
                "[target.'cfg(unix)'.dependencies]\nother = \"1\"\n\n[target.\"cfg(any())\".dependencies.guards]\nregistry = \"acme\"",
                Some("acme"),
            ),
            ("[dependencies]\nguards = \"1\"", None),
            ("[dependencies]\nother = { version = \"1\", registry = \"acme\" }", None),
            ("[package]\nname = \"xtask\"", None),
        ] {
            let folder = folder(manifest)?;
            let found = registry(&package(folder.path())?, "guards")?;
            assert_eq!(found.as_deref(), expected, "{manifest}");
        }
        Ok(())
    }

    #[test]
    fn what_leads_nowhere_is_undone() -> Result<()> {
        let folder = folder(WORKSPACE)?;
        let path = |file: &str| folder.path().join(file);
        fs::create_dir(path("xtask"))?;
        fs::write(path("xtask/Cargo.toml"), "[package]\n")?;
        let metadata: Metadata = serde_json::from_value(json!({
            "packages": [{
                "name": "xtask",
                "manifest_path": path("xtask/Cargo.toml"),
                "targets": [],
                "dependencies": [],
            }],
            "workspace_root": folder.path(),
            "target_directory": path("target"),
        }))?;
        let change = || -> Result<()> {
            fs::write(path("Cargo.toml"), "changed")?;
            fs::write(path("Cargo.lock"), "new")?;
            Ok(fs::remove_file(path("xtask/Cargo.toml"))?)
        };

        let undo = Undo::of(&metadata)?;
        let modified = fs::metadata(path("Cargo.toml"))?.modified()?;
        drop(undo);
        assert_eq!(fs::metadata(path("Cargo.toml"))?.modified()?, modified, "not touched");

        let undo = Undo::of(&metadata)?;
        change()?;
        drop(undo);
        assert_eq!(fs::read_to_string(path("Cargo.toml"))?, WORKSPACE);
        assert_eq!(fs::read_to_string(path("xtask/Cargo.toml"))?, "[package]\n");
        assert!(!path("Cargo.lock").exists());

        let undo = Undo::of(&metadata)?;
        change()?;
        undo.keep();
        assert_eq!(fs::read_to_string(path("Cargo.toml"))?, "changed");
        assert!(path("Cargo.lock").exists() && !path("xtask/Cargo.toml").exists());
        Ok(())
    }
}
