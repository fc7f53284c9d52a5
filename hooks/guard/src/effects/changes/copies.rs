//! Files that programs change which copy, move, link or patch.

use hookkit::shell::Command;
use hookkit::shell::programs::Role;

use super::kernel::{LONGEST, length};
use super::{Target, Use};
use crate::effects::programs::Read;
use crate::words::{Piece, append, components, operands, parted, pieces, push, within};

/// Returns the sources and the destinations of a program that copies: its last operand, or the folder of `-t`.
pub(crate) fn ways(command: &Command, read: &Read<'_>) -> (Vec<Vec<Piece>>, Vec<Vec<Piece>>) {
    let operands = operands(command);
    // Not every system's program takes a value where GNU's does.
    let last = [read.words().last().copied(), operands.last().copied()];
    // With more than one `-t` the program denies.
    let mut destinations = read.values(Role::Into);
    destinations.truncate(1);
    if destinations.is_empty() && operands.len() > 1 {
        destinations.extend(last.into_iter().flatten().map(pieces));
        destinations.dedup();
    } else if destinations.is_empty() && read.program.name == "ln" {
        destinations.push(vec![Piece::from(".")]);
    }
    (operands.into_iter().map(pieces).collect(), destinations)
}

/// Returns what a program changes that copies: its destinations, and the files that are in them already.
pub(super) fn copies(command: &Command, read: &Read<'_>, use_of: Use) -> Vec<Target> {
    let (sources, destinations) = ways(command, read);
    let is_folder = use_of == Use::Merged && read.has(&["T", "no-target-directory"]);
    let is_empty = read.words().first().and_then(|word| word.literal()) == Some("/dev/null");
    let may_be_remote = read.program.has(Role::Sent);
    let with_parents = read.has(&["parents"]);
    let mut targets = Vec::new();
    for destination in destinations {
        for source in &sources {
            if with_parents {
                let pieces = within(&destination, "/", source.clone());
                targets.push(Target { pieces, use_of });
            }
            let mut name = parted(source).1.pop().unwrap_or_default();
            // The contents of a parent folder are copied, too, and not next to the destination.
            if let [Piece::Text(name)] = &mut name[..]
                && name == ".."
            {
                name.pop();
            }
            // Behind the name of a machine.
            if let [Piece::Text(name)] = &mut name[..]
                && may_be_remote
                && let Some((_, path)) = name.split_once(':')
            {
                *name = path.to_owned();
            }
            let pieces = within(&destination, "/", name);
            targets.push(Target { pieces, use_of });
        }
        let pieces = destination.clone();
        targets.extend(is_folder.then_some(Target { pieces, use_of }));
        targets.push(Target {
            pieces: destination,
            use_of: if is_empty { Use::Lost } else { Use::File },
        });
    }
    // A copy is kept of what is there already.
    let mut suffixes = Vec::from_iter(read.values(Role::Suffix).pop());
    let mut assigned = command.assignments.iter().rev();
    let assigned = assigned.find(|assigned| assigned.name == "SIMPLE_BACKUP_SUFFIX");
    suffixes.extend(assigned.map(|assigned| pieces(&assigned.value)));
    for at in 0..targets.len() {
        for suffix in &suffixes {
            let kept = within(&targets[at].pieces, "", suffix.clone());
            targets.push(Target::file(kept));
        }
    }
    targets
}

/// Returns what `patch` changes, and the copies that it keeps.
pub(super) fn patched(read: &Read<'_>) -> Vec<Vec<Piece>> {
    let mut changed: Vec<_> = read.words().into_iter().map(pieces).collect();
    if changed.is_empty() {
        changed.push(vec![Piece::Unknown]);
    }
    let mark = || vec![Piece::from("*")];
    let of = |names: &[&str]| read.values_of(names).pop();
    let templates = [
        of(&["B", "prefix"]).map(|prefix| within(&prefix, "", mark())),
        of(&["Y", "basename-prefix"]).map(|prefix| within(&prefix, "", mark())),
        of(&["z", "suffix"]).map(|suffix| within(&mark(), "", suffix)),
    ];
    let files = changed.len();
    for template in templates.iter().flatten() {
        for at in 0..files {
            changed.extend(named(template, &changed[at]));
        }
    }
    // The files that a patch names are in the folder, or below.
    changed.retain(|pieces| pieces[..] != [Piece::Unknown]);
    changed
}

/// Returns the names of a copy by a template, with the copied file's in the place of each `*`: its path, or the last
/// component of that next to it.
///
/// A name that is longer than a path can be is not a file.
pub(super) fn named(template: &[Piece], path: &[Piece]) -> [Vec<Piece>; 2] {
    let marks = template.iter().map(|piece| match piece {
        Piece::Text(text) => text.matches('*').count(),
        _ => 1,
    });
    if marks.sum::<usize>().saturating_mul(length(path)) > LONGEST {
        return [vec![Piece::Unknown], vec![Piece::Unknown]];
    }
    let filled = |name: &[Piece]| {
        let mut filled = Vec::new();
        for piece in template {
            match piece {
                Piece::Text(text) => {
                    for (index, text) in text.split('*').enumerate() {
                        if index > 0 {
                            append(&mut filled, name.to_vec());
                        }
                        push(&mut filled, Piece::from(text));
                    }
                }
                Piece::Glob => append(&mut filled, name.to_vec()),
                piece => push(&mut filled, piece.clone()),
            }
        }
        filled
    };
    let mut folder = components(path);
    let name = folder.pop().unwrap_or_default();
    let mut next_to = Vec::new();
    for name in folder {
        append(&mut next_to, name);
        push(&mut next_to, Piece::from("/"));
    }
    [filled(path), within(&next_to, "", filled(&name))]
}

/// Returns what a command makes links to, as far as it is known.
pub(crate) fn linked(command: &Command) -> Vec<Target> {
    let Some(read) = Read::of(command) else {
        return Vec::new();
    };
    match read.program.name {
        "ln" => {}
        "cp" if read.has(&["l", "s", "link", "symbolic-link"]) => {}
        _ => return Vec::new(),
    }
    let (sources, destinations) = ways(command, &read);
    let is_one = sources.len() == 2;
    let mut linked = Vec::new();
    for source in sources {
        let [Piece::Text(text)] = &source[..] else {
            continue;
        };
        // It is taken from the link's folder, which is the destination, or of one link the folder that this is in.
        if !text.starts_with(['/', '~']) {
            let from = |between| destinations.iter().map(move |to| (to, between));
            let froms = from("/").chain(from("/../").filter(|_| is_one));
            linked.extend(froms.map(|(to, between)| within(to, between, source.clone())));
        }
        linked.push(source);
    }
    linked.retain(|pieces| matches!(pieces[..], [Piece::Text(_)]));
    let target = |pieces| Target {
        pieces,
        use_of: Use::Linked,
    };
    linked.into_iter().map(target).collect()
}
