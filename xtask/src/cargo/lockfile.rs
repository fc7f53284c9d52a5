//! Parses a Cargo.lock, to find packages, their sources, and their dependents.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The packages from which a workspace is built.
#[derive(Clone, Default, Deserialize)]
pub(crate) struct Lockfile {
    /// Version of the format. The earliest formats have none.
    #[serde(default)]
    version: u32,
    #[serde(default, rename = "package")]
    pub(crate) packages: Vec<Package>,
    /// The text of the file.
    #[serde(skip)]
    pub(crate) text: String,
}

/// A package in a single version.
///
/// A package is identified by its name, version and source. The forms in `dependencies` depend on the file's other
/// packages.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: semver::Version,
    /// The package's source: `registry+…`, `sparse+…`, `git+…#COMMIT`; `None` for a path.
    pub(crate) source: Option<String>,
    /// `NAME`; `NAME VERSION` if several packages have this name; `NAME VERSION (SOURCE)` if several of these have the
    /// same version.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lockfile {
    /// Reads a Cargo.lock if it exists.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let Some(bytes) = crate::disk::files::read(path)? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
        let read = Self::parse(&text).with_context(|| format!("reading {}", path.display()))?;
        Ok(Some(Self { text, ..read }))
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        Ok(toml_edit::de::from_str(text)?)
    }

    /// Returns a package's source as written in a Cargo.toml. From format 4 on, a Cargo.lock percent-encodes a git
    /// reference.
    pub(crate) fn plain(&self, source: &str) -> String {
        let Some((url, query)) = source.split_once('?').filter(|_| self.version >= 4) else {
            return source.to_owned();
        };
        let (query, commit) = query.split_once('#').unwrap_or((query, ""));
        format!("{url}?{}#{commit}", decoded(query))
    }

    /// Returns all packages with this name, one for each version and source.
    pub(crate) fn named<'l>(&'l self, name: &str) -> impl Iterator<Item = &'l Package> {
        self.packages.iter().filter(move |package| package.name == name)
    }

    /// Returns the packages that a package needs.
    pub(crate) fn dependencies<'l>(&'l self, of: &Package) -> impl Iterator<Item = &'l Package> {
        let is_meant = |package: &&Package| of.dependencies.iter().any(|named| package.is_named_by(named));
        self.packages.iter().filter(is_meant)
    }

    /// Returns the packages that need a package.
    pub(crate) fn dependents<'l>(&'l self, on: &Package) -> impl Iterator<Item = &'l Package> {
        let needs = |package: &&Package| package.dependencies.iter().any(|named| on.is_named_by(named));
        self.packages.iter().filter(needs)
    }

    /// Returns a package and all its dependencies, direct and indirect.
    pub(crate) fn closure<'l>(&'l self, of: &'l Package) -> BTreeSet<&'l Package> {
        let (mut reached, mut open) = (BTreeSet::new(), vec![of]);
        while let Some(package) = open.pop() {
            if reached.insert(package) {
                open.extend(self.dependencies(package));
            }
        }
        reached
    }
}

/// Decodes a URL query: `%2F` is a slash and `+` a space.
fn decoded(query: &str) -> String {
    let mut bytes = Vec::with_capacity(query.len());
    let mut rest = query.as_bytes();
    while let [first, tail @ ..] = rest {
        let is_escape = |digits: &&[u8]| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit);
        let escaped = tail.get(..2).filter(is_escape);
        let escaped = escaped.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok());
        let byte = if *first == b'+' { b' ' } else { *first };
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Package {
    fn identity(&self) -> (&str, &semver::Version, Option<&str>) {
        (&self.name, &self.version, self.source.as_deref())
    }

    fn is_named_by(&self, named: &str) -> bool {
        let mut words = named.split(' ');
        let source = self.source.as_deref().unwrap_or_default();
        words.next() == Some(&self.name)
            && words.next().is_none_or(|version| self.version.to_string() == version)
            // There, a git source has no commit.
            && words
                .next()
                .is_none_or(|named| source.split('#').next() == named.trim_matches(['(', ')']).split('#').next())
    }
}

impl PartialEq for Package {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Package {}

impl PartialOrd for Package {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Package {
    fn cmp(&self, other: &Self) -> Ordering {
        self.identity().cmp(&other.identity())
    }
}

impl std::fmt::Display for Package {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Checks that all packages of a generated Cargo.lock are pinned.
///
/// A package with a path belongs to the author and is not pinned.
pub(crate) fn ensure_nothing_new(pinned: &Lockfile, taken: &Lockfile) -> Result<()> {
    let is_new = |package: &&Package| package.source.is_some() && !pinned.packages.contains(package);
    let new: Vec<String> = taken.packages.iter().filter(is_new).map(ToString::to_string).collect();
    ensure!(
        new.is_empty(),
        "Cargo.lock does not pin {}, from which the hooks are built; update it: cargo update --workspace",
        crate::terminal::listed(new)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTRY: &str = "registry+https://example.invalid/index";

    /// Returns a package for a test file: its name and version, its source, and its dependencies.
    fn package(identity: &str, source: Option<&str>, needs: &[&str]) -> String {
        let (name, version) = identity.split_once(' ').expect("a name and a version");
        let source = source.map_or_else(String::new, |source| format!("source = {source:?}\n"));
        format!("\n[[package]]\nname = {name:?}\nversion = {version:?}\n{source}dependencies = {needs:?}\n")
    }

    fn lock_text() -> String {
        let more = "git+https://example.invalid/more?tag=v0.3.0#0123";
        let packages = [
            package("app 0.1.0", None, &["guards 1.0.0", "more"]),
            package("more 0.3.0", Some(more), &[&format!("guards 2.0.0 ({REGISTRY})")]),
            package("guards 1.0.0", Some(REGISTRY), &[]),
            package("guards 2.0.0", Some(REGISTRY), &[]),
        ];
        format!("version = 4\n{}", packages.concat())
    }

    #[test]
    fn a_dependency_is_reported_by_name_version_and_source() -> Result<()> {
        let lock = Lockfile::parse(&lock_text())?;
        let names = |packages: Vec<&Package>| packages.iter().map(ToString::to_string).collect::<Vec<_>>();
        let [one, two] = lock.named("guards").collect::<Vec<_>>()[..] else {
            panic!("there are two");
        };
        assert_eq!(names(lock.dependents(one).collect()), ["app 0.1.0"]);
        assert_eq!(names(lock.dependents(two).collect()), ["more 0.3.0"]);
        let app = lock.named("app").next().context("it is there")?;
        let closure = lock.closure(app).into_iter().collect();
        assert_eq!(names(closure), ["app 0.1.0", "guards 1.0.0", "guards 2.0.0", "more 0.3.0"]);
        Ok(())
    }

    #[test]
    fn a_source_is_reported_as_a_manifest_says_it() -> Result<()> {
        let encoded = "git+https://example.invalid/more?tag=guards%2Fv1.0.0%2B1+%C3%BC%#0123";
        let plain = "git+https://example.invalid/more?tag=guards/v1.0.0+1 ü%#0123";
        assert_eq!(Lockfile::parse("version = 4")?.plain(encoded), plain);
        for source in [plain, encoded, "registry+https://example.invalid/index"] {
            assert_eq!(Lockfile::parse("version = 3")?.plain(source), source);
        }
        Ok(())
    }

    #[test]
    fn a_package_is_the_same_however_a_file_names_what_it_needs() -> Result<()> {
        let lock = |needs: &str| Lockfile::parse(&lock_text().replace("\"guards 1.0.0\"", needs));
        assert_eq!(lock("\"guards 1.0.0\"")?.packages, lock("\"guards\"")?.packages);
        Ok(())
    }

    #[test]
    fn what_is_built_is_what_is_pinned() -> Result<()> {
        let pinned = Lockfile::parse(&lock_text())?;
        let with = |packages: &str| {
            let lock = Lockfile::parse(&(lock_text() + packages))?;
            ensure_nothing_new(&pinned, &lock)
        };
        // A generated package has a path, like the author's packages.
        with(&package("hookkit-launchers 0.0.0", None, &[]))?;
        // Not all pinned packages belong to a pack.
        ensure_nothing_new(&pinned, &Lockfile::default())?;
        let other = "registry+https://other.invalid/index";
        let more = "git+https://example.invalid/more?tag=v0.3.0#4567";
        for (packages, message) in [
            (package("guards 1.0.1", Some(REGISTRY), &[]), "`guards 1.0.1`"),
            (package("guards 1.0.0", Some(other), &[]), "`guards 1.0.0`"),
            (
                package("more 0.3.0", Some(more), &[]) + &package("new 1.0.0", Some(REGISTRY), &[]),
                "`more 0.3.0`, `new 1.0.0`",
            ),
        ] {
            let refused = with(&packages).expect_err(message).to_string();
            assert_eq!(
                refused,
                format!(
                    "Cargo.lock does not pin {message}, from which the hooks are built; update it: cargo update --workspace"
                )
            );
        }
        Ok(())
    }
}
