//! The files that `sed`, `perl` and `ruby` change in their place.

use crate::prelude::*;
use crate::words::long;

/// Returns the files that a program changes in their place, with the copies that it keeps, and those that scripts of `sed`
/// write.
pub(super) fn edited(command: &Command, read: &Read) -> Vec<Vec<Piece>> {
    let program = read.program.name;
    // The last one counts, and what is read as one can be a script.
    let words = command.arguments().iter().rev();
    let suffixes = words.filter_map(|word| in_place(word, program)).take(4);
    let is_script = |role: Role| matches!(role, Role::Pattern | Role::Patterns | Role::Code);
    let (scripts, files): (Vec<_>, Vec<_>) = read.operands().into_iter().partition(|(_, role)| is_script(*role));
    let scripts = [read.values(Role::Pattern), read.values(Role::Patterns)]
        .concat()
        .into_iter()
        .chain(scripts.into_iter().map(|(word, _)| pieces(word)));
    let scripts = scripts.filter_map(|script| match script.into_iter().next()? {
        Piece::Text(script) => Some(script),
        _ => None,
    });
    let mut changed = Vec::new();
    for suffix in suffixes {
        // The name is in the place of a `*`.
        let (before, suffix) = suffix.split_once('*').unwrap_or(("", suffix));
        for (file, _) in &files {
            let kept = within(&[Piece::from(before)], "", pieces(file));
            changed.extend([pieces(file), within(&kept, "", vec![Piece::from(suffix)])]);
        }
    }
    if program != "perl" && program != "ruby" {
        changed.extend(scripts.flat_map(|script| of_sed(&script, "wW").collect::<Vec<_>>()));
    }
    changed
}

/// Returns what follows on the option by which a program changes files in their place: `-i`, `-pi`, `-i.bak`, `--in-place`,
/// `--in`.
fn in_place<'w>(word: &'w Word, program: &str) -> Option<&'w str> {
    let start = word.known_start();
    let letters = start.strip_prefix('-')?;
    if letters.starts_with('-') {
        let (name, at) = long(start);
        let is_it = !name.is_empty() && "in-place".starts_with(name);
        return is_it.then(|| at.map_or("", |at| &start[at..]));
    }
    without_flags(letters, program).strip_prefix('i')
}

/// Returns what follows on the letters of an option that take no value.
fn without_flags<'l>(letters: &'l str, program: &str) -> &'l str {
    let flags = if program == "perl" {
        "acdfglnpstuvwSTUWX"
    } else {
        "aEnlprswzub"
    };
    letters.trim_start_matches(|c: char| c.is_ascii_digit() || flags.contains(c))
}

/// Returns the files that a script of `sed` names behind one of these commands: `w` is a flag of `s`, too.
pub(crate) fn of_sed<'s>(script: &'s str, letters: &'s str) -> impl Iterator<Item = Vec<Piece>> + use<'s> {
    /// More are not looked at, nor is a longer name.
    const MOST: usize = 1000;
    let marks = script
        .match_indices(|char| letters.contains(char))
        .filter_map(|(at, _)| {
            let before = script[..at].trim_end_matches(|c: char| c.is_ascii_digit() || "gpiIMme".contains(c));
            let file = &script[at + 1..];
            if !file.starts_with([' ', '\t', '.', '/', '~']) || before.ends_with(char::is_alphabetic) {
                return None;
            }
            let end = file
                .char_indices()
                .take(MOST)
                .find(|(_, c)| *c == '\n')
                .map(|(end, _)| end);
            let end = end.or((file.len() < MOST).then_some(file.len()))?;
            // No file has a longer name, so this is another part of the script.
            let is_name = |file: &&str| !file.is_empty() && file.split('/').all(|name| name.len() < 256);
            Some(file[..end].trim()).filter(is_name)
        });
    marks.take(MOST).map(|file| vec![Piece::from(file)])
}
