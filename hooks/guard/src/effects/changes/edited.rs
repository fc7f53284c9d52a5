//! Files that `sed`, `perl` and `ruby` edit in place.

use crate::prelude::*;
use crate::words::long;
use hookkit::shell::programs::sed::{script, steps};

/// Returns the files that a program edits in place, with the copies that it keeps, and the files that `sed` scripts write.
pub(super) fn edited(command: &Command, read: &Read) -> Vec<Name> {
    let program = read.program.name;
    // The last option counts; a word that looks like one may be a script.
    let words = command.arguments().iter().rev();
    let suffixes = words.filter_map(|word| in_place(word, program)).take(4);
    let is_script = |role: Role| matches!(role, Role::Pattern | Role::Patterns | Role::Code);
    let mut files = read.operands();
    files.retain(|(_, role)| !is_script(*role));
    let mut changed = Vec::new();
    for suffix in suffixes {
        // The name replaces a `*`.
        let (before, suffix) = suffix.split_once('*').unwrap_or(("", suffix));
        for (file, _) in &files {
            changed.extend([pieces(file), within(&within(&exact(before), "", &pieces(file)), suffix, &[])]);
        }
    }
    if program != "perl" && program != "ruby" {
        changed.extend(of_sed(command, true));
    }
    changed
}

/// Returns the rest of an option after its letters for editing in place: `-i`, `-pi`, `-i.bak`, `--in-place`, `--in`.
fn in_place<'w>(word: &'w Word, program: &str) -> Option<&'w str> {
    let start = word.known_start();
    let letters = start.strip_prefix('-')?;
    if letters.starts_with('-') {
        let (name, at) = long(start);
        let is_it = !name.is_empty() && "in-place".starts_with(name);
        return is_it.then(|| at.map_or("", |at| &start[at..]));
    }
    // Letters without a value.
    let flags = if program == "perl" { "acdfglnpstuvwSTUWX" } else { "aEnlprswzub" };
    letters.trim_start_matches(|c: char| c.is_ascii_digit() || flags.contains(c)).strip_prefix('i')
}

/// Returns the files that a `sed` command's scripts name: the files that they write, or all files.
pub(crate) fn of_sed(command: &Command, writes: bool) -> Vec<Name> {
    let script = script(command.arguments(), command.input());
    let names = steps(&script)
        .into_iter()
        .filter(|step| !writes || lists("s w W", step.name.encode_utf8(&mut [0; 4])))
        .filter_map(|step| step.rest.filter(|_| step.name != 'e'));
    let name = |name: &str| {
        let mut pieces = Vec::new();
        for (at, text) in name.split('…').enumerate() {
            pieces.extend((at > 0).then_some(Piece::Unknown));
            pieces.extend((!text.is_empty()).then(|| Piece::from(text)));
        }
        pieces
    };
    names.map(name).collect()
}
