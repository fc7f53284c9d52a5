//! The paths that a text could name: a command, or a script.
//!
//! A path can be in quotes, behind a variable, or in the argument of another program, so that every piece of the text that
//! looks like one is taken. The checkout says which of them are files.

use std::collections::BTreeSet;

use hookkit_shell::{Part, analyze};

/// The most bytes of a text that is parsed as a shell parses it.
const PARSED: usize = 64 << 10;

/// The most components of a path, and the most bytes of one.
const DEEPEST: usize = 32;
const LONGEST: usize = 255;

/// The most paths of a text.
pub(super) const MOST: usize = 10_000;

/// A path by its components, without `.` and `..`.
pub(super) type Name = Vec<String>;

/// Returns the paths that texts could name.
pub(super) fn named<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for text in texts {
        add(text, &mut names);
        text.split(|char| !is_of_path(char))
            .for_each(|piece| add(piece, &mut names));
        if text.len() > PARSED {
            continue;
        }
        for command in analyze(text).commands() {
            let targets = command.redirections.iter().map(|redirection| &redirection.target);
            let values = command.assignments.iter().map(|assignment| &assignment.value);
            let parts = command
                .words
                .iter()
                .chain(targets)
                .chain(values)
                .flat_map(|word| &word.parts);
            for part in parts {
                match part {
                    Part::Literal(text) => add(text, &mut names),
                    Part::Expansion(_) => {}
                }
            }
        }
    }
    names
}

/// Returns the paths of files that a shell reads as a part of a script.
pub(super) fn sourced(text: &str) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    if text.len() > PARSED {
        return names;
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
    names
}

fn is_of_path(char: char) -> bool {
    char.is_alphanumeric() || "/._-+@~%".contains(char)
}

fn add(text: &str, names: &mut BTreeSet<Name>) {
    // The rest of a URL, or a text of several lines.
    if text.starts_with("//") || text.contains(['\n', '\0']) || names.len() >= MOST {
        return;
    }
    let mut name = Name::new();
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => drop(name.pop()),
            component => name.push(component.to_owned()),
        }
        if name.len() > DEEPEST || component.len() > LONGEST {
            return;
        }
    }
    if !name.is_empty() {
        names.insert(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_parts_of_a_script() {
        let text = "cat a; . ./b\nif true; then source \"$(dirname \"$0\")/c d\"; fi";
        assert_eq!(
            sourced(text),
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
            let is_named = named([text]).iter().any(is_it);
            if is_named { "named".to_owned() } else { String::new() }
        });
        let long = "/".repeat(1 << 20);
        assert_eq!(named([&*long, "", "\0", "..", &*"a/".repeat(99)]), BTreeSet::new());
    }
}
