//! The names of a workspace's hooks and packs, stored for completions, which build nothing.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::disk::bounded;

/// The name of the file, in the folder of the generated packages.
const FILE: &str = "names";

/// The names of the last build.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Names {
    pub(crate) hooks: Vec<String>,
    pub(crate) packs: Vec<String>,
    /// Packs from outside of the workspace.
    pub(crate) foreign: Vec<String>,
}

impl Build<'_> {
    /// Stores the names of these hooks and of all packs.
    pub(crate) fn keep_names(&self, hooks: &[Definition]) -> Result<()> {
        let mut text = String::new();
        for hook in hooks.iter().filter(|hook| !hook.changes.off) {
            text += &format!("hook {}\n", hook.declared.name);
        }
        for pack in &self.workspace.packs {
            let kind = if pack.is_foreign { "foreign" } else { "pack" };
            text += &format!("{kind} {}\n", pack.package);
        }
        self.write(FILE, &text)
    }
}

impl Names {
    /// Reads the names of the last build of the workspace around a folder; empty if there was none.
    ///
    /// The file is in a checkout, and a shell reads the result, so only valid names are returned.
    pub(crate) fn of_last_build(folder: &Path) -> Self {
        let built = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).into_iter();
        let targets = built.chain(folder.ancestors().map(|folder| folder.join("target")));
        let files = targets.map(|target| folder.join(target).join("hookkit").join(FILE));
        let text = files.filter_map(|file| bounded::read(&file).ok()).next();
        Self::parse(&String::from_utf8_lossy(&text.unwrap_or_default()))
    }

    fn parse(text: &str) -> Self {
        let mut names = Self::default();
        for (kind, name) in text.lines().filter_map(|line| line.split_once(' ')) {
            let is_of_name = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
            if !name.starts_with(|char: char| char.is_ascii_alphanumeric()) || !name.chars().all(is_of_name) {
                continue;
            }
            match kind {
                "hook" => names.hooks.push(name.to_owned()),
                "pack" => names.packs.push(name.to_owned()),
                "foreign" => {
                    names.packs.push(name.to_owned());
                    names.foreign.push(name.to_owned());
                }
                _ => {}
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_names_are_read() {
        let text = "hook guard\nhook $(touch ran)\nhook --check\nhook \nhook a b\npack acme_2\nforeign mid\nother x\n\u{1b}[2J\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let expected = Names {
            hooks: names(&["guard"]),
            packs: names(&["acme_2", "mid"]),
            foreign: names(&["mid"]),
        };
        assert_eq!(Names::parse(text), expected);
    }
}
