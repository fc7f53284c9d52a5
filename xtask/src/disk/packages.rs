//! Finds a project's package folders by their manifests, and the repositories in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::disk::files::entries;

/// Files that identify a package folder.
const MANIFESTS: &str = "\
    Cargo.toml Gemfile Package.swift build.gradle build.gradle.kts composer.json go.mod mix.exs package.json pom.xml \
    pubspec.yaml pyproject.toml setup.py";

/// Folders for build results, downloads, and packages that only tests read.
const SKIPPED: &str = "build dist fixtures node_modules site-packages target testdata vendor venv";

/// Maximum depth to search below the project.
const DEPTH: usize = 4;

/// Maximum number of folder entries to read, because a checkout can have any number.
const ENTRIES: usize = 50_000;

/// Folders found below another one, the outermost first.
#[derive(Default)]
pub(crate) struct Found {
    /// Package folders.
    pub(crate) packages: Vec<PathBuf>,
    /// The roots of other repositories, including submodules.
    pub(crate) repositories: Vec<PathBuf>,
}

/// Returns the package folders and the repositories below a folder, at most `most` of each.
///
/// Links are not followed. Hidden folders and other repositories are not searched.
pub(crate) fn below(root: &Path, most: usize) -> Found {
    let (mut found, mut left) = (Found::default(), ENTRIES);
    let mut level = folders(root, &mut left).folders;
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for folder in level {
            let mut within = folders(&folder, &mut left);
            if within.is_repository {
                found.repositories.push(folder);
                continue;
            }
            next.append(&mut within.folders);
            found.packages.extend(within.is_package.then_some(folder));
        }
        level = next;
    }
    for folders in [&mut found.packages, &mut found.repositories] {
        folders.sort_by_cached_key(|folder| (folder.components().count(), folder.clone()));
        folders.truncate(most);
    }
    found
}

/// The relevant entries of a folder.
#[derive(Default)]
struct Contents {
    folders: Vec<PathBuf>,
    is_package: bool,
    is_repository: bool,
}

/// Reads a folder, up to the remaining number of entries.
fn folders(folder: &Path, left: &mut usize) -> Contents {
    let mut contents = Contents::default();
    for entry in entries(folder).take(*left) {
        *left -= 1;
        let name = entry.file_name();
        contents.is_repository |= name == ".git";
        match entry.file_type() {
            Ok(kind) if kind.is_file() => contents.is_package |= is_one_of(MANIFESTS, &name),
            Ok(kind) if kind.is_dir() && is_searched(&name) => contents.folders.push(entry.path()),
            _ => {}
        }
    }
    contents
}

fn is_searched(name: &OsStr) -> bool {
    !name.as_encoded_bytes().starts_with(b".") && !is_one_of(SKIPPED, name)
}

fn is_one_of(names: &str, name: &OsStr) -> bool {
    names.split(' ').any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_manifests_are_found() {
        let (lines, folder) = (test_support::lines!("lines/packages.txt"), test_support::folder());
        let (section, root) = (lines.section("folders"), folder.path());
        section.write(root, "");
        let within = |paths: Vec<PathBuf>| {
            let paths = paths.iter();
            let within = paths.filter_map(|path| path.strip_prefix(root).ok().map(|path| path.display().to_string()));
            within.collect::<Vec<_>>()
        };
        let found = below(root, 9);
        assert_eq!(within(found.packages), section.lines().collect::<Vec<_>>());
        assert_eq!(within(found.repositories), ["module"]);
        assert_eq!(within(below(root, 2).packages), ["web", "elsewhere/real"]);
    }
}
