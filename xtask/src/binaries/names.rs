//! The names of a workspace's hooks and packs, stored for completions, which build nothing, and for builds of some packs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::disk::bounded;

/// The name of the file, in the folder of the generated packages.
const FILE: &str = "names";

/// The names of the last build.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Names {
    /// Hooks, and the packs that have them.
    pub(crate) hooks: BTreeMap<String, String>,
    pub(crate) packs: Vec<String>,
    /// Packs from outside of the workspace.
    pub(crate) foreign: Vec<String>,
}

impl Build<'_> {
    /// Stores the names of these hooks and of all packs. If only some packs were built, the names of the hooks of others
    /// remain.
    pub(crate) fn keep_names(&self, hooks: &[Definition], built: Option<&BTreeSet<String>>) -> Result<()> {
        let mut names = match built {
            Some(built) => {
                let mut names = self.names().hooks;
                let is_left = |pack: &String| {
                    !built.contains(pack) && self.workspace.packs.iter().any(|known| known.package == *pack)
                };
                names.retain(|_, pack| is_left(pack));
                names
            }
            None => BTreeMap::new(),
        };
        let active = hooks.iter().filter(|hook| !hook.changes.off);
        let package = |hook: &Definition| hook.packages().next().unwrap_or_default().to_owned();
        names.extend(active.map(|hook| (hook.declared.name.clone(), package(hook))));
        let mut text = String::new();
        for (hook, pack) in names {
            text += &format!("hook {hook} {pack}\n");
        }
        for pack in &self.workspace.packs {
            let kind = if pack.is_foreign { "foreign" } else { "pack" };
            text += &format!("{kind} {}\n", pack.package);
        }
        self.write(FILE, &text)
    }

    /// Returns the names of the last builds.
    pub(crate) fn names(&self) -> Names {
        let text = bounded::read(&self.folder.join(FILE)).unwrap_or_default();
        Names::parse(&String::from_utf8_lossy(&text))
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
        let is_of_name = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
        let is_name =
            |name: &&str| name.starts_with(|char: char| char.is_ascii_alphanumeric()) && name.chars().all(is_of_name);
        for (kind, line) in text.lines().filter_map(|line| line.split_once(' ')) {
            let words: Vec<&str> = line.split(' ').collect();
            if !words.iter().all(is_name) {
                continue;
            }
            match (kind, &words[..]) {
                ("hook", [hook, pack]) => drop(names.hooks.insert((*hook).to_owned(), (*pack).to_owned())),
                ("pack", [pack]) => names.packs.push((*pack).to_owned()),
                ("foreign", [pack]) => {
                    names.packs.push((*pack).to_owned());
                    names.foreign.push((*pack).to_owned());
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
        let text = "hook guard acme_2\nhook $(touch ran) b\nhook --check b\nhook  b\nhook a b c\nhook a\npack acme_2\nforeign mid\nother x\n\u{1b}[2J\n";
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let expected = Names {
            hooks: BTreeMap::from([("guard".to_owned(), "acme_2".to_owned())]),
            packs: names(&["acme_2", "mid"]),
            foreign: names(&["mid"]),
        };
        assert_eq!(Names::parse(text), expected);
    }
}
