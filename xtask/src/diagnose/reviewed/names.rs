//! The paths that a command or a script could mention.
//!
//! A path can be in quotes, after a variable, or in an argument of another program. So every part of a text that looks
//! like a path counts. A lookup in the checkout shows which of them are files.

use std::collections::BTreeSet;
use std::iter;

use hookkit_shell::{Command, ExpansionKind, Part, Word, analyze};

/// Maximum number of names in a path, and of bytes in a name. No system opens longer paths.
const DEEPEST: usize = 2048;
const LONGEST: usize = 255;

/// Maximum number of paths in a text.
pub(super) const MOST: usize = 200_000;

/// Words that identify a language, and the extension that it omits from module names.
const LANGUAGES: &[(&str, &str)] = &[
    ("-m", "py"),
    ("bun", "ts"),
    ("deno", "ts"),
    ("node", "js"),
    ("perl", "pm"),
    ("php", "php"),
    ("python", "py"),
    ("ruby", "rb"),
];

/// Programs that list the files in a folder. The value is `true` if they include subfolders.
const LISTERS: &[(&str, bool)] = &[("fd", true), ("find", true), ("ls", false), ("run-parts", false)];

/// A path by its components, without `.`.
pub(super) type Name = Vec<String>;

/// The paths that texts could mention.
#[derive(Default)]
pub(super) struct Names {
    pub(super) paths: BTreeSet<Name>,
    /// Paths that a shell sources, or passes to an interpreter.
    pub(super) run: BTreeSet<Name>,
    /// Folders whose files a text reads one after the other.
    pub(super) listed: BTreeSet<Listed>,
    /// Extensions that module names omit.
    pub(super) endings: BTreeSet<&'static str>,
}

/// A folder from which files are read if their paths have a certain suffix.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Listed {
    /// The folder; empty for any folder. `None` for a folder in a variable, which can be any folder that the text
    /// mentions.
    pub(super) folder: Option<Name>,
    /// `true` if files in subfolders count, too.
    pub(super) is_deep: bool,
    pub(super) end: String,
}

/// Returns the paths that texts could mention.
pub(super) fn named<'t>(texts: impl IntoIterator<Item = &'t str>) -> Names {
    let mut names = Names::default();
    for text in texts {
        let lower = text.to_lowercase();
        let spoken = LANGUAGES.iter().filter(|(word, _)| lower.contains(word));
        names.endings.extend(spoken.map(|(_, ending)| ending));
        let paths = &mut names.paths;
        add(text, paths);
        for piece in text.replace("::", "/").split(|char| !is_of_path(char)) {
            add(piece, paths);
            // An option can end with its value, and a module has dots in place of slashes.
            let option = piece.strip_prefix('-').filter(|option| !option.starts_with('-'));
            let value = option.map_or(piece, |option| option.get(1..).unwrap_or_default());
            add(value, paths);
            if !value.contains('/') {
                let module = value.trim_start_matches('.');
                let folders = value.strip_suffix(module).unwrap_or_default();
                add(&format!("{folders}/{}", module.replace('.', "/")), paths);
            }
        }
        // After a syntax error, the rest of a text is not analyzed.
        for script in iter::once(text).chain(text.lines()).map(analyze) {
            script.commands().iter().for_each(|command| names.add(command));
        }
    }
    names
}

impl Names {
    /// Adds the paths of a command.
    fn add(&mut self, command: &Command) {
        let assigned = command.assignments.iter();
        let values = assigned.flat_map(|assignment| assignment.elements.iter().flatten().chain([&assignment.value]));
        let program = command.program().unwrap_or_default();
        let lister = LISTERS.iter().find(|(name, _)| program == *name);
        for word in command.texts().chain(values) {
            add_parts(word, &mut self.paths);
            self.listed.extend(lister.and_then(|(_, is_deep)| {
                Some(Listed { folder: Some(name(word.literal()?)?), is_deep: *is_deep, end: String::new() })
            }));
            self.listed.extend(listed(word));
        }
        let is_language = LANGUAGES.iter().any(|(word, _)| program.starts_with(word));
        if is_language || program.ends_with("sh") || matches!(program, "." | "source") {
            let script = command.arguments().iter().find(|word| !word.is_option());
            script.into_iter().chain(command.targets()).for_each(|word| add_parts(word, &mut self.run));
        }
    }
}

fn add_parts(word: &Word, names: &mut BTreeSet<Name>) {
    word.parts.iter().filter_map(Part::literal).for_each(|text| add(text, names));
}

/// Returns the folder of a word that matches several files, or of a file that only the shell can determine.
fn listed(word: &Word) -> Option<Listed> {
    let parts = &word.parts;
    let found = (2..).zip(parts.windows(2)).find_map(|(at, parts)| match parts {
        [Part::Literal(start), Part::Expansion(_)] => {
            let folder = name(start.rsplit_once('/')?.0);
            // `/*` does not follow a variable.
            (at > 2 || folder.is_some()).then_some((at, folder))
        }
        _ => None,
    });
    let is_open = parts.first().is_some_and(|first| first.is(ExpansionKind::Glob));
    let (at, folder) = found.or(is_open.then(|| (1, Some(Name::new()))))?;
    let end = parts.last().and_then(Part::literal).unwrap_or_default();
    let end = end.rsplit('/').next().unwrap_or_default().to_owned();
    let mut rest = parts[at..].iter().filter_map(Part::literal);
    Some(Listed { folder, is_deep: !end.is_empty() && rest.any(|text| text.contains('/')), end })
}

fn is_of_path(char: char) -> bool {
    char.is_alphanumeric() || "/._-+@~%".contains(char)
}

fn add(text: &str, names: &mut BTreeSet<Name>) {
    if names.len() < MOST {
        names.extend(name(text));
    }
}

/// Returns a text as a path. `None` if it is too long, or if it is the folder itself.
fn name(text: &str) -> Option<Name> {
    // The rest of a URL.
    if text.starts_with("//") || text.contains('\0') {
        return None;
    }
    let components = text.split('/').filter(|component| !matches!(*component, "" | "."));
    let name: Name = components.map(str::to_owned).collect();
    let is_path = (1..=DEEPEST).contains(&name.len()) && name.iter().all(|component| component.len() <= LONGEST);
    is_path.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_in_any_spelling() {
        test_support::lines!("lines/reviewed-names.txt").check(|section, text| {
            let path: Vec<_> = section.name.split('/').map(str::to_owned).collect();
            let is_it = |name: &Vec<String>| match section.name {
                "a/b.js" => *name == path,
                "host" => name.starts_with(&path),
                _ => name.ends_with(&path),
            };
            let is_named = named([text]).paths.iter().any(is_it);
            if is_named { "named".to_owned() } else { String::new() }
        });
        let long = "/".repeat(1 << 20);
        assert_eq!(named([&*long, "", "\0", &*"a/".repeat(9999)]).paths, BTreeSet::new());
    }
}
