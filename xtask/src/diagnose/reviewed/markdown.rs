//! Entries of a skill, an agent or a command: a Markdown file whose frontmatter can declare hooks and permissions, and
//! whose text can contain commands that run before the model reads it (client 2.1.330).
//!
//! The client parses the frontmatter as YAML. This module only splits it into keys with their values as written, and
//! only if it is so plain that every parser would find the same keys. Otherwise, the whole file is compared.

use std::path::{Path, PathBuf};

use hookkit_shell::programs::table::lists;

use super::entry::Entry;
use super::found::{Finder, Place};
use crate::diagnose::active::source::read_as_the_client;
use crate::settings::position::Places;

/// Keys that cannot start anything.
const HARMLESS: &str = "\
    argument-hint color description disable-model-invocation effort license model name user-invocable version \
    when_to_use";

/// Adds the entries of a file, and of the files in its commands.
pub(super) fn add(finder: &mut Finder<'_>, file: &Path, bases: &[PathBuf]) {
    let Some(bytes) = finder.read(file) else {
        return;
    };
    let text = read_as_the_client(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some(keys) = keys(text) else {
        finder.called([text], bases, &Place::of(file));
        return finder.whole(file, &bytes);
    };
    // If a value is not YAML, all keys are lost.
    let is_plain = |text: &str| text.starts_with(char::is_alphanumeric) && !text.contains([':', '\n']);
    let declared = keys.into_iter().filter(|key| !lists(HARMLESS, key.name) || !is_plain(&key.text));
    let declared = declared.map(|key| (format!("frontmatter.{}", key.name), (key.text, key.line)));
    let commands = commands(text).into_iter().map(|command| ("command".to_owned(), command));
    for (part, (text, line)) in declared.chain(commands) {
        let place = Place::at(file, line);
        finder.called([&*text], bases, &place);
        finder.add(Entry::new(file, part, &text.into()), place);
    }
}

/// A key in the frontmatter.
struct Key<'t> {
    name: &'t str,
    /// The value as written.
    text: String,
    line: usize,
}

/// Returns the keys in the frontmatter; empty if there is none. `None` if it is not plain.
fn keys(text: &str) -> Option<Vec<Key<'_>>> {
    if !text.trim_start().starts_with("---") {
        return Some(Vec::new());
    }
    let is_odd =
        |char: char| matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}') || char.is_control() && !"\t\n".contains(char);
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..);
    if lines.next()?.0 != "---" {
        return None;
    }
    let mut keys: Vec<Key<'_>> = Vec::new();
    for (line, number) in lines {
        match line {
            "---" => return Some(keys),
            // The client may see the end here.
            _ if line.contains("---") || line.contains(is_odd) => return None,
            _ if line.trim().is_empty() || line.starts_with('#') => {}
            _ if line.starts_with([' ', '\t', '-']) => {
                let key = keys.last_mut()?;
                key.text.push('\n');
                key.text.push_str(line);
            }
            _ => {
                let (name, value) = line.split_once(':')?;
                let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
                if name.is_empty() || !is_plain || !(value.is_empty() || value.starts_with(' ')) {
                    return None;
                }
                keys.push(Key { name, text: value.trim().to_owned(), line: number });
            }
        }
    }
    None
}

/// Returns the commands in a text, with their lines. A command follows a `!`, in backticks or in a fenced block.
fn commands(text: &str) -> Vec<(String, usize)> {
    let mut commands = Vec::new();
    for (start, end) in [("!`", "`"), ("```!", "```")] {
        let mut places = Places::new(text);
        for (at, _) in text.match_indices(start) {
            let behind = &text[at + start.len()..];
            // A command without an end may have one for the client.
            let command = behind.find(end).map_or(behind, |end| &behind[..end]);
            commands.push((command.trim().to_owned(), places.of(at).line));
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_first_lines_are_divided_into_keys() {
        test_support::lines!("lines/reviewed-keys.txt").check(|_, text| match keys(text) {
            Some(keys) => keys.iter().map(|key| format!("{}={};", key.name, key.text)).collect(),
            None => "unknown".to_owned(),
        });
    }

    #[test]
    fn commands_are_behind_a_mark() {
        let text = "a `b`\n!`git log` and !`x\n```!\nrun me\n```\n";
        let found = commands(text);
        let found: Vec<_> = found.iter().map(|(command, line)| (&**command, *line)).collect();
        assert_eq!(found, [("git log", 2), ("x", 2), ("run me", 3)]);
    }
}
