//! The licences of the crates that a program is linked from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::cargo::command::cargo;
use crate::cargo::program::says;
use crate::disk::bounded;
use crate::terminal::one_line;

/// The text of the MIT licence, after its copyright line.
macro_rules! mit {
    () => {
        "\
Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the \"Software\"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE."
    };
}

/// The crates of a program, each with its licence.
pub(crate) struct Licences {
    crates: BTreeMap<(String, semver::Version), Licence>,
}

struct Licence {
    /// SPDX expression of its manifest.
    expression: Option<String>,
    /// Texts in its folder, by the files' names.
    texts: BTreeMap<String, String>,
}

/// The answer of `cargo metadata`, with all dependencies.
#[derive(Deserialize)]
struct Graph {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: semver::Version,
    license: Option<String>,
    license_file: Option<PathBuf>,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
    root: String,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Needed>,
}

#[derive(Deserialize)]
struct Needed {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    /// Absent for an ordinary dependency; `dev` or `build`.
    kind: Option<String>,
}

impl Licences {
    /// Returns those of the crates that the package with this manifest is linked from, on any of the targets.
    ///
    /// # Errors
    ///
    /// Fails if cargo does, or a crate has a licence that cannot be read.
    pub(crate) fn of(manifest: &Path, targets: &[&str], cwd: &Path) -> Result<Self> {
        let mut cargo = cargo();
        cargo
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(targets.iter().flat_map(|target| ["--filter-platform", target]))
            .arg("--manifest-path")
            .arg(manifest)
            .current_dir(cwd);
        let said = says(&mut cargo, "the crates of the program cannot be listed")?;
        let graph: Graph = serde_json::from_str(&said).context("reading the output of `cargo metadata`")?;
        let crates = graph.linked().into_iter().map(|package| {
            let licence = Licence {
                expression: package.license.clone(),
                texts: package.texts(cwd)?,
            };
            Ok(((package.name.clone(), package.version.clone()), licence))
        });
        Ok(Self {
            crates: crates.collect::<Result<_>>()?,
        })
    }

    /// Returns the licence of these packages together, as an SPDX expression; `None` if one has none.
    pub(crate) fn expression<'n>(&self, packages: impl Iterator<Item = &'n str>) -> Option<String> {
        let of = |package: &str| {
            let mut crates = self.crates.iter();
            let (_, licence) = crates.find(|((name, _), _)| name == package)?;
            licence.expression.clone()
        };
        let expressions: Option<BTreeSet<String>> = packages.map(of).collect();
        let expressions = Vec::from_iter(expressions?);
        match &expressions[..] {
            [one] => Some(one.clone()),
            several => Some(
                several
                    .iter()
                    .map(|one| format!("({one})"))
                    .collect::<Vec<_>>()
                    .join(" AND "),
            ),
        }
    }

    /// Returns a text with all crates and the texts of their licences, each text once.
    pub(crate) fn text(&self) -> String {
        let mut document = INTRODUCTION.to_owned();
        let mut crates_of_text: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for ((name, version), licence) in &self.crates {
            // Writing to a string cannot fail.
            let expression = licence.expression.as_deref().unwrap_or("its own licence");
            let _ = writeln!(document, "- {name} {version}: {expression}");
            for (file, text) in &licence.texts {
                let name = format!("{name} {version} ({file})");
                crates_of_text.entry(text).or_default().insert(name);
            }
        }
        for (name, text) in LIBRARIES {
            crates_of_text.entry(text).or_default().insert((*name).to_owned());
        }
        let mut texts: Vec<(BTreeSet<String>, &str)> = crates_of_text
            .into_iter()
            .map(|(text, crates)| (crates, text))
            .collect();
        texts.sort();
        for (crates, text) in texts {
            let crates: Vec<String> = crates.into_iter().collect();
            let _ = write!(
                document,
                "\n{RULE}\n{}\n{RULE}\n\n{}\n",
                crates.join("\n"),
                text.trim_end()
            );
        }
        document
    }
}

const RULE: &str = "--------------------------------------------------------------------------------";

const INTRODUCTION: &str = "\
Licences of the code in the programs of this plugin.

Besides the crates below, the programs contain the standard library of Rust (MIT OR Apache-2.0); those for Linux contain
musl (MIT), and those for Windows the start-up code of mingw-w64 (ZPL-2.1 and public domain).

";

/// Libraries that are not crates, with the notices that their licences ask for.
const LIBRARIES: &[(&str, &str)] = &[
    (
        "The standard library of Rust",
        concat!("Copyright (c) The Rust Project Contributors\n\n", mit!()),
    ),
    ("musl", concat!("Copyright © 2005-2020 Rich Felker, et al.\n\n", mit!())),
];

impl Graph {
    /// Returns the packages that are linked into the root: neither build scripts nor procedural macros, nor what only
    /// these need. The root itself is generated.
    fn linked(&self) -> Vec<&Package> {
        let packages: BTreeMap<&str, &Package> = self.packages.iter().map(|package| (&*package.id, package)).collect();
        let nodes: BTreeMap<&str, &Node> = self.resolve.nodes.iter().map(|node| (&*node.id, node)).collect();
        let (mut linked, mut open) = (BTreeSet::new(), vec![&*self.resolve.root]);
        while let Some(id) = open.pop() {
            let needed = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            for needed in needed.filter(|needed| needed.dep_kinds.iter().any(|kind| kind.kind.is_none())) {
                let is_linked = packages
                    .get(&*needed.pkg)
                    .is_some_and(|package| !package.is_proc_macro());
                if is_linked && linked.insert(&*needed.pkg) {
                    open.push(&needed.pkg);
                }
            }
        }
        linked.into_iter().filter_map(|id| packages.get(id).copied()).collect()
    }
}

impl Package {
    fn is_proc_macro(&self) -> bool {
        let mut kinds = self.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| kind == "proc-macro")
    }

    /// Returns the texts of its licence. A crate without any has those of the folder around it, as in a workspace.
    ///
    /// # Errors
    ///
    /// Fails if the manifest names a file outside of the crate's sources: a package is published.
    fn texts(&self, workspace: &Path) -> Result<BTreeMap<String, String>> {
        let folder = self.manifest_path.parent().unwrap_or(Path::new("/"));
        let folder = folder
            .canonicalize()
            .with_context(|| format!("reading {}", folder.display()))?;
        let workspace = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let root = root_of(&folder, &workspace);
        let mut texts = BTreeMap::new();
        let mut add = |name: String, path: &Path| -> Result<()> {
            let bytes = bounded::read(path).with_context(|| format!("reading {}", path.display()))?;
            texts.insert(name, plain(&String::from_utf8_lossy(&bytes)));
            Ok(())
        };
        if let Some(file) = &self.license_file {
            let path = folder.join(file);
            let path = path
                .canonicalize()
                .with_context(|| format!("reading {}", path.display()))?;
            ensure!(
                path.starts_with(root),
                "`license-file` of {} is {}, outside of {}, so it was not read; copy it next to the crate's Cargo.toml",
                one_line(&self.name),
                one_line(&path.display().to_string()),
                one_line(&root.display().to_string())
            );
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            add(name, &path)?;
        }
        for folder in folder.ancestors() {
            let mut is_found = self.license_file.is_some();
            for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if is_licence(&name) && entry.file_type()?.is_file() {
                    add(name, &entry.path())?;
                    is_found = true;
                }
            }
            if is_found || folder == root {
                break;
            }
        }
        Ok(texts)
    }
}

/// Returns the folder that the sources of a crate are in: the root of the workspace, of a checkout of git, or of a crate
/// that cargo has unpacked. What is above is not the crate's.
fn root_of<'f>(folder: &'f Path, workspace: &Path) -> &'f Path {
    let has = |marks: &'static [&str]| {
        let is_root = move |folder: &&Path| *folder == workspace || marks.iter().any(|mark| folder.join(mark).exists());
        folder.ancestors().find(is_root)
    };
    has(&[".git", ".cargo-ok", ".cargo-checksum.json"])
        // A workspace without git.
        .or_else(|| has(&["Cargo.lock"]))
        .unwrap_or(folder)
}

/// Returns `true` if a file of this name is about a licence.
fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stems = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
    stems.iter().any(|stem| name.starts_with(stem)) && !name.ends_with(".rs")
}

/// Returns a text with the line ends of Unix, so that copies of one licence are equal.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn package(folder: &Path, license_file: Option<&str>) -> Package {
        Package {
            id: String::new(),
            name: "acme".to_owned(),
            version: semver::Version::new(1, 0, 0),
            license: None,
            license_file: license_file.map(PathBuf::from),
            manifest_path: folder.join("Cargo.toml"),
            targets: Vec::new(),
        }
    }

    /// A checkout with a crate, next to a file of the user's.
    fn checkout() -> (tempfile::TempDir, PathBuf) {
        let folder = test_support::folder();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("checkout/acme")).unwrap();
        fs::create_dir_all(root.join("checkout/.git")).unwrap();
        fs::write(root.join("license-keys.txt"), "secret").unwrap();
        (folder, root)
    }

    #[test]
    fn a_licence_outside_of_the_sources_is_refused() {
        let (_folder, root) = checkout();
        let acme = root.join("checkout/acme");
        symlink(root.join("license-keys.txt"), acme.join("link")).unwrap();
        for file in [
            "../../license-keys.txt",
            "link",
            root.join("license-keys.txt").to_str().unwrap(),
        ] {
            let refused = package(&acme, Some(file)).texts(Path::new("/elsewhere")).unwrap_err();
            assert!(refused.to_string().contains("outside of"), "{file}: {refused:#}");
        }
        fs::write(root.join("checkout/TERMS"), "ours").unwrap();
        let texts = package(&acme, Some("../TERMS")).texts(Path::new("/elsewhere")).unwrap();
        assert_eq!(texts, BTreeMap::from([("TERMS".to_owned(), "ours".to_owned())]));
    }

    #[test]
    fn nothing_above_the_sources_is_read() {
        let (_folder, root) = checkout();
        let acme = root.join("checkout/acme");
        let elsewhere = Path::new("/elsewhere");
        assert!(package(&acme, None).texts(elsewhere).unwrap().is_empty());
        // A crate that is not in a repository.
        fs::remove_dir(root.join("checkout/.git")).unwrap();
        assert!(package(&acme, None).texts(elsewhere).unwrap().is_empty());
        fs::write(root.join("checkout/Cargo.lock"), "").unwrap();
        fs::write(root.join("checkout/LICENSE"), "ours").unwrap();
        let texts = package(&acme, None).texts(elsewhere).unwrap();
        assert_eq!(texts, BTreeMap::from([("LICENSE".to_owned(), "ours".to_owned())]));
    }
}
