//! Generates a plugin's files from its hooks' definitions and programs.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use hmac_sha256::Hash;
use serde::Serialize;
use serde_json::{Value, json};

use crate::binaries::platform::Platform;
use crate::binaries::universal;
use crate::disk::tree::Tree;
use crate::settings::check;
use crate::settings::document::Document;
use crate::settings::entries::{self, Entry, Events, Handler};
use crate::settings::part::Part;
use crate::settings::plugin::parts::{HOOKS, LICENCES, MANIFEST, ORIGIN, Origin, PackagedHook, Plugin, SUMS};
use crate::settings::plugin::{readme, starter};
use crate::settings::record::fingerprint;
use crate::terminal::hex;

impl Plugin {
    /// Returns all files of the plugin's folder.
    ///
    /// # Errors
    ///
    /// Fails if Claude Code would not read part of it, which is a bug.
    pub(crate) fn files(&self) -> Result<Tree> {
        let Origin { name, hooks, .. } = &self.origin;
        let mut tree = Tree::default();
        tree.add(HOOKS, self.hooks()?);
        if let Some(licences) = &self.licences {
            tree.add(LICENCES, licences.clone());
        }
        tree.add(ORIGIN, pretty(&self.origin)?);
        tree.add("README.md", readme::text(self));
        // Files are compared byte for byte, even after git has checked them out.
        tree.add(".gitattributes", "* -text\n");
        // A project often ignores `bin` and `*.exe`.
        tree.add(".gitignore", "!*\n");
        let guards: Vec<&str> =
            hooks.iter().filter(|hook| hook.is_guard()).map(|hook| hook.declared.name.as_str()).collect();
        tree.add_program(format!("bin/{name}"), starter::script(name, &guards));
        for (file, program) in self.program_files() {
            tree.add_program(format!("bin/{file}"), program);
        }
        // The client caches a plugin by version, so different contents must have different versions.
        let version = format!("{}+{}", self.version()?, &digest(&tree)[..12]);
        tree.add(MANIFEST, self.manifest(&version)?);
        tree.add(SUMS, sums(&tree));
        Ok(tree)
    }

    /// Returns the programs by file name in `bin`.
    fn program_files(&self) -> Vec<(String, Vec<u8>)> {
        let name = &self.origin.name;
        let (mac, others): (Vec<_>, Vec<_>) = self
            .programs
            .iter()
            .map(|(platform, program)| (*platform, program.clone()))
            .partition(|(platform, _)| matches!(platform, Platform::MacX86 | Platform::MacArm));
        let mut files: Vec<_> =
            others.into_iter().map(|(platform, program)| (program_file(name, platform), program)).collect();
        if !mac.is_empty() {
            files.push((program_file(name, Platform::MacArm), universal::join(&mac)));
        }
        files
    }

    /// Returns the version in a plugin's files.
    pub(crate) fn version_of(&self, files: &Tree) -> String {
        let manifest = files.bytes(MANIFEST).unwrap_or_default();
        let manifest: Value = serde_json::from_slice(manifest).unwrap_or_default();
        manifest["version"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the highest version of the packs.
    fn version(&self) -> Result<semver::Version> {
        let versions: Result<Vec<semver::Version>, _> = self
            .origin
            .hooks
            .iter()
            .map(|hook| &hook.declared.package_version)
            .map(|version| version.parse())
            .collect();
        let mut highest = versions?.into_iter().max().context("a plugin needs at least one hook")?;
        highest.build = semver::BuildMetadata::EMPTY;
        Ok(highest)
    }

    fn manifest(&self, version: &str) -> Result<String> {
        let name = &self.origin.name;
        pretty(&json!({
            "name": name,
            "version": version,
            "description": self.description(),
            "author": {"name": name},
        }))
    }

    /// Returns hooks.json.
    fn hooks(&self) -> Result<String> {
        let name = &self.origin.name;
        let mut entries = Vec::new();
        for PackagedHook { declared, entries: on } in &self.origin.hooks {
            for on in on {
                let handler = Handler::with_arguments(command(name), vec![declared.name.clone()])
                    .of_hook(declared, entries::blocks_unstarted(declared, on));
                entries.push(Entry::new(on, handler));
            }
        }
        let text = pretty(&HooksFile { hooks: Events(&entries::by_event(&entries)) })?;
        let findings = Document::parse(&text)?.findings_of(&Part::PluginHooks);
        ensure!(
            findings.is_empty(),
            "Claude Code would not read the plugin's hooks:\n{}",
            check::listed(&findings).join("\n")
        );
        Ok(text)
    }
}

/// Returns the file name in `bin` of a platform's program. All macOS processors share a file.
pub(super) fn program_file(plugin: &str, platform: Platform) -> String {
    match platform {
        Platform::WindowsX86 => format!("{plugin}.exe"),
        Platform::MacX86 | Platform::MacArm => format!("{plugin}-macos"),
        other => format!("{plugin}-{other}"),
    }
}

/// Returns the command in a plugin's hook entries. Its argument is the hook's name.
pub(crate) fn command(plugin: &str) -> String {
    format!("${{CLAUDE_PLUGIN_ROOT}}/bin/{plugin}")
}

/// The content of hooks.json, with its members in conventional order.
#[derive(Serialize)]
struct HooksFile<'e> {
    hooks: Events<'e>,
}

fn pretty(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Returns the SHA-256 of all files with their names and modes.
fn digest(tree: &Tree) -> String {
    let mut hash = Hash::new();
    for (path, file) in &tree.0 {
        for part in [path.as_bytes(), &[u8::from(file.is_program)], &file.bytes] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hex(&hash.finalize())
}

/// Returns the list of all files with their SHA-256, in the format of `sha256sum --check`.
pub(crate) fn sums(tree: &Tree) -> String {
    let mut list = String::new();
    for (path, file) in tree.0.iter().filter(|(path, _)| *path != SUMS) {
        // Writing to a string cannot fail.
        let _ = writeln!(list, "{}  {path}", fingerprint(&file.bytes));
    }
    list
}

#[cfg(test)]
pub(crate) mod tests;
