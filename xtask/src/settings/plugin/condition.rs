//! The condition of a package on disk: whether its files match its list, and whether its program is for this system.
//!
//! None of the package's code is run, and no link below its folder is followed. The caller escapes the names. The list
//! comes with the package, so it reveals accidents, but not an attacker who changes both.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use rustix::fs::FileType;
use serde_json::Value;

use crate::binaries::platform::Platform;
use crate::binaries::universal;
use crate::disk::beneath::{Beneath, Folder, Stat};
use crate::disk::bounded::{self, Deadline, SECONDS};
use crate::settings::plugin::contents::program_file;
use crate::settings::plugin::package::of_sums;
use crate::settings::plugin::parts::{self, HOOKS, MANIFEST, ORIGIN, Origin, SUMS};
use crate::settings::record::fingerprint;

/// Maximum number of bytes to read from a package's files.
const BYTES: u64 = 128 * 1024 * 1024;

/// Maximum number of files and folders, and of nested folders, to read.
const MOST: usize = 1_000;
const DEEPEST: usize = 8;

/// Entries of the folder that belong to other programs: git, Claude Code (2.1.330, in its copies) and macOS.
const OF_OTHERS: &[&str] = &[".git", ".in_use", ".orphaned_at", ".DS_Store"];

/// A folder that looks like one written by `package`.
pub(crate) struct Package {
    folder: Beneath,
    /// The sources declared by the package, or the reason why they cannot be read.
    pub(crate) origin: Result<Origin, String>,
    /// The plugin's version.
    pub(crate) version: Option<String>,
}

/// The purpose of a file in a package.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// The script that all entries start.
    Script,
    /// This system's program.
    Program,
    /// hooks.json.
    Hooks,
    /// plugin.json.
    Manifest,
    /// hookkit.json.
    Origin,
    Sums,
    Other,
}

/// A file that differs from the packaged one.
pub(crate) struct Fault {
    /// Path relative to the plugin's folder.
    pub(crate) path: String,
    pub(crate) role: Role,
    pub(crate) kind: FaultKind,
}

#[derive(PartialEq)]
pub(crate) enum FaultKind {
    Missing,
    /// The package has no such program.
    NotPackaged,
    /// A link, a folder or something else is in the file's place.
    NotAFile(&'static str),
    NotExecutable,
    Empty,
    /// The program is for another system.
    OtherSystem,
    /// The file differs from the list.
    Changed,
    /// The file is not in the list.
    Added,
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// The result of checking a package.
#[derive(Default)]
pub(crate) struct Condition {
    pub(crate) faults: Vec<Fault>,
    /// The reason why the check is incomplete, if so.
    pub(crate) is_cut: Option<String>,
}

impl Package {
    /// Reads the package in a plugin's folder, if there is one. A project's package is opened from the project's root.
    pub(crate) fn read(root: &Path, project: Option<&Path>) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        if let Some(project) = project
            && !root.starts_with(project.canonicalize().ok()?)
        {
            return None;
        }
        let folder = Beneath::named(&root);
        let read = |path: &str| folder.join(path).read_up_to(bounded::BYTES);
        let (origin, sums) = (read(ORIGIN), read(SUMS).ok().flatten().unwrap_or_default());
        if matches!(origin, Ok(None)) && !listed(&sums).contains_key(ORIGIN) {
            return None;
        }
        let manifest: Value =
            serde_json::from_slice(&read(MANIFEST).ok().flatten().unwrap_or_default()).unwrap_or_default();
        Some(Self { origin: origin_of(origin), version: manifest["version"].as_str().map(str::to_owned), folder })
    }

    /// Returns `true` if the file that the entries start exists and is executable, or if its name cannot be read.
    pub(crate) fn has_script(&self) -> bool {
        let Ok(origin) = &self.origin else { return true };
        let stat = self.folder.join("bin").join(&origin.name).stat();
        stat.is_ok_and(|stat| stat.is_some_and(|stat| stat.is_program()))
    }

    /// Compares the files with the list, and checks the program for a system.
    pub(crate) fn condition(&self, platform: Option<Platform>, deadline: Deadline) -> Condition {
        let mut condition = Condition::default();
        let mut found = BTreeMap::new();
        let walked = self
            .folder
            .open()
            .map_err(|err| err.to_string())
            .and_then(|opened| walk(&opened, &self.folder, "", deadline, &mut found));
        condition.is_cut = walked.err();
        let role = |path: &str| self.role(path, platform);
        let mut add = |path: &str, kind: FaultKind| {
            condition.faults.push(Fault { path: path.to_owned(), role: role(path), kind });
        };
        if let Err(why) = &self.origin {
            let unreadable = || FaultKind::Unreadable(why.clone());
            let is_there = found.contains_key(ORIGIN);
            add(ORIGIN, if is_there { unreadable() } else { FaultKind::Missing });
        }
        let (sums, fault) = match self.folder.join(SUMS).read_up_to(bounded::BYTES) {
            Ok(None) => (None, FaultKind::Missing),
            Ok(sums) => (sums, FaultKind::Unreadable("it lists no files".to_owned())),
            Err(err) => (None, FaultKind::Unreadable(err.to_string())),
        };
        let listed = listed(&sums.unwrap_or_default());
        let is_compared = !listed.is_empty();
        if !is_compared {
            add(SUMS, fault);
        }

        let mut expected: BTreeSet<String> = listed.keys().cloned().collect();
        expected.extend([HOOKS, MANIFEST].map(str::to_owned));
        if let Ok(Origin { name, .. }) = &self.origin {
            expected.insert(format!("bin/{name}"));
            expected.extend(platform.map(|platform| format!("bin/{}", program_file(name, platform))));
        }
        let is_missing = |path: &&String| !found.contains_key(*path) && condition.is_cut.is_none();
        for path in expected.iter().filter(is_missing) {
            // hookkit.json has its own fault.
            match role(path) {
                Role::Origin => {}
                Role::Program if !self.is_packaged(path, platform, &listed) => add(path, FaultKind::NotPackaged),
                _ => add(path, FaultKind::Missing),
            }
        }
        let mut left = BYTES;
        // Files that decide about hooks come first, in case the time limit is exceeded.
        let (first, rest): (Vec<_>, Vec<_>) =
            found.iter().partition(|(path, _)| !matches!(role(path), Role::Other | Role::Sums));
        for (path, stat) in first.into_iter().chain(rest) {
            let role = role(path);
            // They have their own faults.
            if role == Role::Sums || role == Role::Origin && self.origin.is_err() {
                continue;
            }
            let what = match stat.kind {
                FileType::RegularFile => "",
                FileType::Directory if !expected.contains(path) => continue,
                FileType::Directory => "a folder",
                FileType::Symlink => "a symbolic link",
                _ => "not a regular file",
            };
            if !what.is_empty() {
                add(path, FaultKind::NotAFile(what));
                continue;
            }
            let sum = listed.get(path);
            if sum.is_none() && is_compared {
                add(path, FaultKind::Added);
                continue;
            }
            if deadline.is_over() {
                condition.is_cut = Some(format!("the check takes over {SECONDS} s"));
                break;
            }
            let bytes = match self.folder.join(path).read_up_to(left) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(err) => {
                    add(path, FaultKind::Unreadable(err.to_string()));
                    continue;
                }
            };
            left = left.saturating_sub(bytes.len() as u64);
            let is_run = matches!(role, Role::Script | Role::Program);
            if is_run && bytes.is_empty() {
                add(path, FaultKind::Empty);
            } else if let (Role::Program, Some(platform)) = (role, platform)
                && is_of_another(&bytes, platform)
            {
                add(path, FaultKind::OtherSystem);
            } else if sum.is_some_and(|sum| *sum != fingerprint(&bytes)) {
                add(path, FaultKind::Changed);
            } else if is_run && !stat.is_program() {
                add(path, FaultKind::NotExecutable);
            }
        }
        condition
    }

    /// Returns `true` if the package was built with a program for this platform.
    fn is_packaged(&self, file: &str, platform: Option<Platform>, listed: &BTreeMap<String, String>) -> bool {
        let has =
            |origin: &Origin| origin.compilers.keys().any(|name| Some(name.as_str()) == platform.map(Platform::name));
        listed.contains_key(file) || self.origin.as_ref().is_ok_and(has)
    }

    fn role(&self, path: &str, platform: Option<Platform>) -> Role {
        let origin = self.origin.as_ref().ok();
        let name = origin.map(|origin| origin.name.as_str());
        match path {
            HOOKS => Role::Hooks,
            MANIFEST => Role::Manifest,
            ORIGIN => Role::Origin,
            SUMS => Role::Sums,
            _ => match path.strip_prefix("bin/").zip(name) {
                Some((file, name)) if file == name => Role::Script,
                Some((file, name)) if platform.is_some_and(|of| file == program_file(name, of)) => Role::Program,
                _ => Role::Other,
            },
        }
    }
}

/// Parses hookkit.json, and checks the names in it.
fn origin_of(bytes: io::Result<Option<Vec<u8>>>) -> Result<Origin, String> {
    let bytes = bytes.map_err(|err| err.to_string())?;
    let origin: Origin = serde_json::from_slice(&bytes.unwrap_or_default()).map_err(|err| err.to_string())?;
    let names = origin.hooks.iter().map(|hook| &hook.declared.name);
    for name in [&origin.name].into_iter().chain(names) {
        parts::check_name(name).map_err(|_| "it has a name that `package` does not write".to_owned())?;
    }
    Ok(origin)
}

/// Returns the SHA-256 of each file in a list.
fn listed(sums: &[u8]) -> BTreeMap<String, String> {
    of_sums(&String::from_utf8_lossy(sums), MOST)
}

/// Adds the entries of a folder and its subfolders, by path.
///
/// # Errors
///
/// Fails with the reason if entries are left out.
fn walk(
    opened: &Folder,
    folder: &Beneath,
    prefix: &str,
    deadline: Deadline,
    found: &mut BTreeMap<String, Stat>,
) -> Result<(), String> {
    let said = |err: io::Error| err.to_string();
    let mut names = opened.names().map_err(said)?;
    // At a limit, the same files are found on every file system.
    names.sort_unstable();
    for name in names {
        if prefix.is_empty() && OF_OTHERS.iter().any(|other| name == **other) {
            continue;
        }
        if found.len() >= MOST {
            return Err(format!("it has more than {MOST} files"));
        }
        if deadline.is_over() {
            return Err(format!("the check takes over {SECONDS} s"));
        }
        let path = format!("{prefix}{}", name.to_string_lossy());
        let Some(stat) = opened.stat(&name).map_err(said)? else {
            continue;
        };
        let is_folder = stat.is_folder();
        if is_folder && prefix.matches('/').count() >= DEEPEST {
            return Err("its folders are nested too deep".to_owned());
        }
        let inner_prefix = format!("{path}/");
        found.insert(path, stat);
        if is_folder {
            let inner = folder.join(&name);
            walk(&inner.open().map_err(said)?, &inner, &inner_prefix, deadline, found)?;
        }
    }
    Ok(())
}

/// Returns `true` if a file has another platform's program header.
fn is_of_another(program: &[u8], platform: Platform) -> bool {
    // From <elf.h>: `EI_CLASS` for 64 bits, and `e_machine`.
    let is_elf = |machine: u8| program.starts_with(b"\x7fELF\x02") && program.get(18..20) == Some(&[machine, 0]);
    let is_for = match platform {
        Platform::LinuxX86 => is_elf(62),
        Platform::LinuxArm => is_elf(183),
        Platform::MacX86 | Platform::MacArm => universal::split(program).is_ok_and(|programs| {
            // Rosetta runs x86-64 programs on ARM.
            programs.iter().map(|(of, _)| *of).any(|of| of == platform || of == Platform::MacX86)
        }),
        Platform::WindowsX86 => program.starts_with(b"MZ"),
    };
    let heads: [&[u8]; 4] = [b"\x7fELF", b"MZ", &[0xcf, 0xfa, 0xed, 0xfe], &[0xca, 0xfe, 0xba, 0xbe]];
    !is_for && heads.iter().any(|head| program.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_for_another_system_is_known_by_its_header() {
        let elf = |class: u8, machine: u8| [b"\x7fELF", &[class][..], &[0; 13], &[machine, 0]].concat();
        let mac = |processor: u8| vec![0xcf, 0xfa, 0xed, 0xfe, processor, 0, 0, 1];
        let (x86, arm) = (elf(2, 62), elf(2, 183));
        let cases: [(&[u8], &[Platform]); 9] = [
            (&x86, &[Platform::LinuxX86]),
            (&arm, &[Platform::LinuxArm]),
            (&mac(7), &[Platform::MacX86, Platform::MacArm]),
            (&mac(12), &[Platform::MacArm]),
            (b"MZ\x90", &[Platform::WindowsX86]),
            (&elf(1, 3), &[]),
            // The header is truncated.
            (b"\x7fELF\x02", &[]),
            // A shell could run these.
            (b"#!/bin/sh\n", &Platform::ALL),
            (b"", &Platform::ALL),
        ];
        for (program, fits) in cases {
            for platform in Platform::ALL {
                let is_of_another = is_of_another(program, platform);
                assert_eq!(is_of_another, !fits.contains(&platform), "{program:?} {platform}");
            }
        }
        let both = universal::join(&[(Platform::MacX86, mac(7)), (Platform::MacArm, mac(12))]);
        assert!(!is_of_another(&both, Platform::MacX86) && is_of_another(&both, Platform::LinuxX86));
    }

    #[test]
    fn a_list_has_a_sum_for_each_file() {
        let sums = listed(b"aa  README.md\nbb  bin/a b\nnothing\n");
        let rows: Vec<(&str, &str)> = sums.iter().map(|(path, sum)| (&**path, &**sum)).collect();
        assert_eq!(rows, [("README.md", "aa"), ("bin/a b", "bb")]);
    }
}
