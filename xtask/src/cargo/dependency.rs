//! Edits of what packages of a workspace depend on: packs, hookkit, and its features.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use crate::cargo::command::cargo_says;
use crate::cargo::manifest::{edit, push};
use crate::cargo::metadata::{HOOKKIT, Metadata, NOWHERE, Package, XTASK};
use crate::cargo::source::PackSource;
use crate::terminal::meant;

/// The package of a workspace that holds third-party packs: the one that is asked for, or the team's xtask.
pub(crate) fn holder<'m>(metadata: &'m Metadata, asked: Option<&str>) -> Result<&'m Package> {
    let packages = &metadata.packages;
    if let Some(name) = asked {
        let found = packages.iter().find(|package| package.name == name);
        return found.with_context(|| {
            let names = packages.iter().map(|package| &*package.name);
            format!("there is no package `{name}` in the workspace; {}", meant(name, names))
        });
    }
    let is_xtask = |package: &&Package| package.name == XTASK || package.dependency(XTASK).is_some();
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

/// Has a package depend on another version of what it depends on already, in the same table.
pub(crate) fn depend_again(metadata: &Metadata, holder: &Package, name: &str, source: &PackSource) -> Result<()> {
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
    const NAMES: [&str; 2] = [HOOKKIT, XTASK];
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

/// Takes out what [`depend`] has put in. Dependencies that the author wrote stay; false if there was none of ours.
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
                "remove", "--quiet", "--package", &holder.name, "--target", NOWHERE, package,
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

/// Has a package depend on serde with its derives, from the workspace if that has it; false if it does already.
pub(crate) fn derive_with_serde(manifest: &Path, is_shared: bool) -> Result<bool> {
    edit(manifest, |document| {
        let dependencies = document.entry("dependencies").or_insert(Item::Table(Table::new()));
        let dependencies = dependencies
            .as_table_like_mut()
            .context("`dependencies` should be a table")?;
        let serde = dependencies.entry("serde").or_insert_with(|| {
            let (key, value): (_, Value) = match is_shared {
                true => ("workspace", true.into()),
                false => ("version", "1".into()),
            };
            Item::Value(Value::InlineTable(InlineTable::from_iter([(key, value)])))
        });
        if let Some(version) = serde.as_str().map(str::to_owned) {
            let table = InlineTable::from_iter([("version", Value::from(version))]);
            *serde = Item::Value(Value::InlineTable(table));
        }
        let table = serde
            .as_table_like_mut()
            .context("`serde` should be a version or a table")?;
        let features = table
            .entry("features")
            .or_insert(Item::Value(Value::Array(Array::new())))
            .as_array_mut()
            .context("`features` of serde should be a list")?;
        if !features.iter().any(|feature| feature.as_str() == Some("derive")) {
            push(features, "derive");
        }
        table.fmt();
        Ok(())
    })
}

/// Has the tests of a package take a feature of hookkit, from where the package itself takes hookkit.
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
        of_tests.insert(HOOKKIT, Item::Value(Value::InlineTable(table)));
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

    fn folder(manifest: &str) -> Result<TempDir> {
        let folder = test_support::folder();
        fs::write(folder.path().join("Cargo.toml"), manifest)?;
        Ok(folder)
    }

    #[test]
    fn tests_take_a_feature_from_where_the_package_takes_hookkit() -> Result<()> {
        for row in &test_support::lines!("lines/dependencies.txt").section("of tests").rows {
            let (before, after) = (&row.line, &row.expected[0]);
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
        let refused = test_with(&manifest, "testing").expect_err("its source is not known");
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
    fn the_registry_of_a_dependency_is_read_wherever_it_is() {
        let found = |manifest: &str| {
            let folder = folder(manifest)?;
            registry(&package(folder.path())?, "guards")
        };
        test_support::lines!("lines/dependencies.txt").check_section("registry of guards", |manifest| {
            found(manifest).expect(manifest).unwrap_or_default()
        });
    }
}
