//! The paths that a text could name: a command, or a script.
//!
//! A path can be in quotes, behind a variable, or in the argument of another program, so that every piece of the text that
//! looks like one is taken. The checkout says which of them are files.

use std::collections::BTreeSet;

use hookkit_shell::{ExpansionKind, Part, Word, analyze};

/// The most bytes of a text that is parsed as a shell parses it.
const PARSED: usize = 64 << 10;

/// The most components of a path, and the most bytes of one.
const DEEPEST: usize = 32;
const LONGEST: usize = 255;

/// The most paths of a text.
pub(super) const MOST: usize = 10_000;

/// Words of a text in some language, and the ending that it leaves out of a module's name.
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

/// Programs that list the files of a folder, and whether also those below it.
const LISTERS: &[(&str, bool)] = &[("fd", true), ("find", true), ("ls", false), ("run-parts", false)];

/// A path by its components, without `.` and `..`.
pub(super) type Name = Vec<String>;

/// The paths that texts could name.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) paths: BTreeSet<Name>,
    /// Folders whose files are taken one after the other, and whether also those below; without components, each folder.
    pub(super) listed: BTreeSet<(Name, bool)>,
    /// Endings that the names of modules do not have.
    pub(super) endings: BTreeSet<&'static str>,
}

/// Returns the paths that texts could name.
pub(super) fn named<'t>(texts: impl IntoIterator<Item = &'t str>) -> Names {
    let Names {
        mut paths,
        mut listed,
        mut endings,
    } = Names::default();
    for text in texts {
        let spoken = LANGUAGES.iter().filter(|(word, _)| text.contains(word));
        endings.extend(spoken.map(|(_, ending)| ending));
        add(text, &mut paths);
        for piece in text.split(|char| !is_of_path(char)) {
            add(piece, &mut paths);
            // An option can have its value at its end, and a module has points for slashes.
            let option = piece.strip_prefix('-').filter(|option| !option.starts_with('-'));
            let value = option.map_or(piece, |option| option.get(1..).unwrap_or_default());
            add(value, &mut paths);
            if !endings.is_empty() && !value.contains('/') {
                add(&value.replace('.', "/"), &mut paths);
            }
        }
        if text.len() > PARSED {
            continue;
        }
        for command in analyze(text).commands() {
            let targets = command.redirections.iter().map(|redirection| &redirection.target);
            let assigned = command.assignments.iter();
            let values =
                assigned.flat_map(|assignment| assignment.elements.iter().flatten().chain([&assignment.value]));
            let lister = LISTERS.iter().find(|(name, _)| command.program() == Some(name));
            for word in command.words.iter().chain(targets).chain(values) {
                for part in &word.parts {
                    if let Part::Literal(text) = part {
                        add(text, &mut paths);
                    }
                }
                listed.extend(lister.and_then(|(_, is_deep)| Some((name(word.literal()?)?, *is_deep))));
                listed.extend(folder(word).map(|folder| (folder, false)));
            }
        }
    }
    Names { paths, listed, endings }
}

/// Returns the folder of a word for several files, or for one that only the shell knows.
fn folder(word: &Word) -> Option<Name> {
    let mut folders = word.parts.windows(2).filter_map(|parts| match parts {
        [Part::Literal(start), Part::Expansion(_)] => name(start.rsplit_once('/')?.0),
        _ => None,
    });
    let is_open = matches!(word.parts.first(), Some(Part::Expansion(first)) if first.kind == ExpansionKind::Glob);
    folders.next_back().or(is_open.then(Name::new))
}

/// Returns the paths of files that a shell reads as a part of a script.
pub(super) fn sourced(text: &str) -> Names {
    let mut names = BTreeSet::new();
    if text.len() > PARSED {
        return Names::default();
    }
    for command in analyze(text).commands() {
        if !matches!(command.program(), Some("." | "source")) {
            continue;
        }
        for part in command.arguments().iter().flat_map(|word| &word.parts) {
            if let Part::Literal(text) = part {
                add(text, &mut names);
            }
        }
    }
    Names {
        paths: names,
        ..Names::default()
    }
}

fn is_of_path(char: char) -> bool {
    char.is_alphanumeric() || "/._-+@~%".contains(char)
}

fn add(text: &str, names: &mut BTreeSet<Name>) {
    if names.len() < MOST {
        names.extend(name(text));
    }
}

/// Returns a text as a path, unless it is too long, or the folder itself.
fn name(text: &str) -> Option<Name> {
    // The rest of a URL, or a text of several lines.
    if text.starts_with("//") || text.contains(['\n', '\0']) {
        return None;
    }
    let mut name = Name::new();
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(name.pop()),
            component => name.push(component.to_owned()),
        }
        if name.len() > DEEPEST || component.len() > LONGEST {
            return None;
        }
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_parts_of_a_script() {
        let text = "cat a; . ./b\nif true; then source \"$(dirname \"$0\")/c d\"; fi";
        assert_eq!(
            sourced(text).paths,
            BTreeSet::from([vec!["b".to_owned()], vec!["c d".to_owned()]])
        );
    }

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
        assert_eq!(
            named([&*long, "", "\0", "..", &*"a/".repeat(99)]).paths,
            BTreeSet::new()
        );
    }
}
