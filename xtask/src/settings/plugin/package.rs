//! Reads packages from disk, joins them, and checks a package before replacing it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::binaries::platform::Platform;
use crate::binaries::universal;
use crate::disk::beneath::Beneath;
use crate::disk::tree::{self, Tree};
use crate::settings::plugin::contents;
use crate::settings::plugin::parts::{self, LICENCES, ORIGIN, Origin, Plugin, SUMS};
use crate::terminal::one_line;

/// Reads a package's files, and checks that they are unchanged. `None` if the folder does not exist.
///
/// # Errors
///
/// Fails if a file was added, changed or removed.
pub(crate) fn read_files(folder: &Beneath) -> Result<Option<Tree>> {
    let Some(tree) = Tree::read(folder)? else {
        return Ok(None);
    };
    check_sums(&tree).with_context(|| format!("{folder} is not a package, or was changed since"))?;
    Ok(Some(tree))
}

/// Checks that a folder has exactly the files in its list.
pub(crate) fn check_sums(tree: &Tree) -> Result<()> {
    let listed = tree.bytes(SUMS).with_context(|| format!("it has no {SUMS}"))?;
    let (listed, present) = (String::from_utf8_lossy(listed), contents::sums(tree));
    if listed == present {
        return Ok(());
    }
    let (listed, present) = (of_sums(&listed, usize::MAX), of_sums(&present, usize::MAX));
    let mut differing = listed.iter().filter(|(path, sum)| present.get(*path) != Some(sum)).map(|(path, _)| path);
    let mut added = present.keys().filter(|path| !listed.contains_key(*path));
    match differing.next().or_else(|| added.next()) {
        Some(path) => bail!("{} differs from {SUMS}", one_line(path)),
        None => bail!("{SUMS} is not in the form that `package` writes"),
    }
}

/// Returns the SHA-256 of each file in a list, up to a maximum number of files.
pub(super) fn of_sums(list: &str, most: usize) -> BTreeMap<String, String> {
    let lines = list.lines().filter_map(|line| line.split_once("  ")).take(most);
    lines.map(|(sum, path)| (path.to_owned(), sum.to_owned())).collect()
}

/// Returns `true` if a folder looks like a package.
pub(crate) fn is_one(folder: &Beneath) -> bool {
    folder.join(ORIGIN).stat().is_ok_and(|file| file.is_some())
}

/// Reads a package.
///
/// # Errors
///
/// Fails if it is not a package, or has been changed.
pub(crate) fn read(folder: &Beneath) -> Result<Plugin> {
    let tree = read_files(folder)?.with_context(|| format!("{folder} does not exist"))?;
    of_files(&tree).with_context(|| format!("reading the package {folder}"))
}

/// Returns the package with these files. Generated files are not read.
pub(crate) fn of_files(tree: &Tree) -> Result<Plugin> {
    let bytes = |path: &str| tree.bytes(path).with_context(|| format!("it has no {path}"));
    let origin: Origin = serde_json::from_slice(bytes(ORIGIN)?).with_context(|| format!("reading {ORIGIN}"))?;
    parts::check_name(&origin.name)?;
    for hook in &origin.hooks {
        parts::check_name(&hook.declared.name).context("a hook's name")?;
    }
    let name = &origin.name;
    let mut programs = BTreeMap::new();
    for (path, file) in &tree.0 {
        let system = path.strip_prefix("bin/").and_then(|file| file.strip_prefix(name.as_str()));
        // Without an extension, it is the script.
        match system.unwrap_or_default() {
            "" => {}
            ".exe" => drop(programs.insert(Platform::WindowsX86, file.bytes.clone())),
            "-macos" => programs.extend(universal::split(&file.bytes).with_context(|| format!("reading {path}"))?),
            other => {
                let platform = Platform::parse(other.trim_start_matches('-'))?;
                programs.insert(platform, file.bytes.clone());
            }
        }
    }
    Ok(Plugin { licences: tree.bytes(LICENCES).map(<[u8]>::to_vec), origin, programs })
}

/// Joins packages with the same hooks for different platforms.
///
/// # Errors
///
/// Fails if they have different hooks, or if the program for a shared platform differs.
pub(crate) fn join(mut plugin: Plugin, other: Plugin) -> Result<Plugin> {
    let name = plugin.origin.name.clone();
    let alike = |one: &Origin, other: &Origin| {
        (&one.hookkit, &one.code, &one.hooks) == (&other.hookkit, &other.code, &other.hooks)
    };
    ensure!(
        alike(&plugin.origin, &other.origin) && plugin.licences == other.licences,
        "the packages of `{name}` do not have the same sources: build all of them from one commit, with one version of \
         hookkit"
    );
    for (platform, program) in other.programs {
        let known = plugin.programs.entry(platform).or_insert_with(|| program.clone());
        ensure!(
            *known == program,
            "two packages of `{name}` have different programs for {platform}; leave one of them out"
        );
    }
    plugin.origin.compilers.extend(other.origin.compilers);
    Ok(plugin)
}

/// Writes a package into a folder, replacing an earlier one.
///
/// # Errors
///
/// Fails if the folder has any other content.
pub(crate) fn write(tree: &Tree, folder: &Beneath) -> Result<bool> {
    let before = read_files(folder)
        .with_context(|| format!("{folder} was left as it is: `package` replaces only what it has written itself"))?;
    if before.as_ref() == Some(tree) {
        tree::tidy(folder)?;
        return Ok(false);
    }
    tree.replace(folder, before.as_ref())?;
    Ok(true)
}

/// Returns the folder for a plugin in a project, which needs no installation.
///
/// There, the client (2.1.330) loads any folder with a `.claude-plugin/plugin.json`, if the user trusts the project.
pub(crate) fn in_project(project: &Path, name: &str) -> Beneath {
    Beneath::project(project).join(".claude/skills").join(name)
}
