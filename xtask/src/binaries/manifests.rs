//! Text of the generated manifests.

use std::path::Path;

use anyhow::Result;

use crate::binaries::definition::Definition;
use crate::cargo::metadata::toml_string;
use crate::cargo::packs::Pack;
use crate::cargo::workspace::Workspace;

/// The profile of hooks. It is in each manifest and on the command line, because the author's configuration overrides
/// the manifest.
///
/// The profile is `dev` in the author's target folder, so that proc macros and their dependencies are built once for
/// xtask, the hooks and the author's tests. Optimizing across crates would add seconds to each build with almost no
/// effect on hooks, which are small and start often. With several codegen units per crate, the compiler merges them
/// again, which adds a tenth to the build and makes hooks larger.
pub(crate) const PROFILE: [&str; 9] = [
    "opt-level = 's'", "codegen-units = 1", "debug = false", "debug-assertions = false", "incremental = false",
    "lto = false", "overflow-checks = false", "panic = 'abort'", "strip = true",
];

/// The link in a generated package to the author's workspace.
///
/// cargo identifies a crate below the generated package by its relative path, and any other crate by its absolute path.
/// rustc orders functions and strings by this identity, so only the link makes a binary the same in every folder.
pub(crate) const SOURCES: &str = "hookkit-sources";

/// The folder of a generated workspace's [parts](Part).
pub(crate) const PARTS: &str = "parts";

/// A package in a generated workspace that links some of the packs. It is not a member; see `Build::manifests`.
pub(crate) struct Part<'w> {
    /// The name of the package.
    pub(crate) name: String,
    pub(crate) packs: Vec<&'w Pack>,
}

impl<'w> Part<'w> {
    /// Returns the part for one pack.
    pub(crate) fn of_pack(workspace: &str, pack: &'w Pack) -> Self {
        Self { name: part_of(workspace, &pack.package), packs: vec![pack] }
    }

    /// Returns the part for the packs whose hooks are in an order.
    pub(crate) fn of_order(workspace: &str, order: &Definition, packs: &'w [Pack]) -> Self {
        Self {
            name: part_of_order(workspace, &order.declared.name),
            packs: packs.iter().filter(|pack| order.packages().any(|package| package == pack.package)).collect(),
        }
    }

    /// Returns the part for all packs.
    pub(crate) fn of_all(workspace: &str, packs: &'w [Pack]) -> Self {
        Self { name: part_of_all(workspace), packs: packs.iter().collect() }
    }
}

/// Returns the name of the package that links all packs.
pub(crate) fn part_of_all(workspace: &str) -> String {
    format!("{workspace}-all")
}

/// Returns the name of the package that links one pack.
pub(crate) fn part_of(workspace: &str, pack: &str) -> String {
    format!("{workspace}-of-{pack}")
}

/// Returns the name of the package that links the packs of an order.
pub(crate) fn part_of_order(workspace: &str, order: &str) -> String {
    format!("{workspace}-in-{order}")
}

/// Returns the path of a file in a part, for [`Build::write`].
pub(crate) fn part_file(workspace: &str, part: &str, file: &str) -> String {
    format!("{workspace}/{PARTS}/{part}/{file}")
}

/// The metadata of every generated package.
pub(crate) const PACKAGE: &str = "[package]\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n";

/// Returns the start of a generated manifest, up to the package's name.
///
/// Proc macros and build scripts use the author's own profile, without debug information.
pub(crate) fn head(workspace: &Workspace) -> String {
    format!(
        "# Written by `cargo xtask`; changes are lost.\n\
         [workspace]\nexclude = [{SOURCES:?}, {PARTS:?}]\n\n\
         [profile.dev]\n{}\n\n\
         [profile.dev.build-override]\n{}strip = 'debuginfo'\n\n{PACKAGE}",
        PROFILE.join("\n"),
        workspace.host_profile
    )
}

/// The part of a manifest that optimizes the crates of every hook call for speed.
///
/// At level 3 these crates would be larger without executing fewer instructions. A call runs little of the shell
/// grammar but loads its pages, so a smaller grammar is as quick.
pub(crate) const FAST: &str = "
[profile.dev.package.hookkit]
opt-level = 2

[profile.dev.package.hookkit-json]
opt-level = 2
";

/// Replaces paths below a workspace's root in a generated manifest with paths below the link.
pub(crate) fn below_link(manifest: &str, root: &Path, link: &str) -> Result<String> {
    // In the manifest's form, in which a quote in a path is escaped.
    let root = toml_string(root)?;
    let root = root.strip_suffix('"').unwrap_or(&root);
    Ok(manifest
        .replace(&format!("path = {root}/"), &format!("path = \"{link}/"))
        .replace(&format!("path = {root}\""), &format!("path = \"{link}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_below_the_root_is_below_the_link() {
        for root in ["/home/me/hooks", "/home/me/my \"hooks\"", "/home/me/a\\b", "/home/me/\""] {
            let root = Path::new(root);
            let path = |path: &Path| format!("a = {{ path = {} }}\n", toml_string(path).unwrap());
            let manifest = path(root) + &path(&root.join("packs/a")) + &path(Path::new("/home/me/hooks-2"));
            let expected = path(Path::new(SOURCES))
                + &path(&Path::new(SOURCES).join("packs/a"))
                + &path(Path::new("/home/me/hooks-2"));
            assert_eq!(below_link(&manifest, root, SOURCES).unwrap(), expected);
        }
    }
}
