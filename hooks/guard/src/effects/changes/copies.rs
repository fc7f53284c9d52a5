//! Files that programs change by copying, moving or linking.

use super::{Changed, Use};
use crate::prelude::*;
use crate::words::operands;

/// Returns the sources and the destinations of a program that copies: the last operand, or the folder of `-t`.
pub(crate) fn ways(command: &Command, read: &Read) -> (Vec<Name>, Vec<Name>) {
    let operands = operands(command);
    // Not every system's program takes a value where GNU's does.
    let last = [read.words().last().copied(), operands.last().copied()];
    // With more than one `-t` the program fails.
    let mut destinations = read.values(Role::Into);
    destinations.truncate(1);
    if destinations.is_empty() && operands.len() > 1 {
        destinations.extend(last.into_iter().flatten().map(pieces));
        destinations.dedup();
    } else if destinations.is_empty() && read.program.name == "ln" {
        destinations.push(exact("."));
    }
    (operands.into_iter().map(pieces).collect(), destinations)
}

/// Returns the targets of a program that copies: its destinations, and the files in them that it may overwrite.
pub(super) fn copies(command: &Command, read: &Read, use_of: Use) -> Vec<Changed> {
    let (sources, destinations) = ways(command, read);
    // `rsync` copies the content of a folder whose name ends with a slash.
    let has_slash = |word: &&Word| word.literal().is_some_and(|name| name.ends_with('/'));
    let are_contents = read.program.name == "rsync" && read.words().iter().rev().skip(1).any(has_slash);
    let is_folder = use_of == Use::Merged && (are_contents || read.has("T no-target-directory"));
    let is_empty = read.words().first().and_then(|word| word.literal()) == Some("/dev/null");
    let may_be_remote = read.program.has(Role::Sent);
    let with_parents = read.has("parents");
    let mut targets = Vec::new();
    for destination in destinations {
        for source in &sources {
            if with_parents {
                targets.push(Changed::new(within(&destination, "/", source), use_of));
            }
            let mut name = parted(source).1.pop().unwrap_or_default();
            // A parent folder's content is copied, too, but not next to the destination.
            if let [Piece::Text(name)] = &mut name[..]
                && name == ".."
            {
                name.pop();
            }
            // A machine's name may come before it.
            if let [Piece::Text(name)] = &mut name[..]
                && may_be_remote
                && let Some((_, path)) = name.split_once(':')
            {
                *name = path.to_owned();
            }
            targets.push(Changed::new(within(&destination, "/", &name), use_of));
        }
        targets.extend(is_folder.then(|| Changed::new(destination.clone(), use_of)));
        targets.push(Changed::new(destination, if is_empty { Use::Lost } else { Use::File }));
    }
    // An existing file may be kept as a copy.
    let mut assigned = command.assignments.iter().rev();
    let assigned = assigned.find(|assigned| assigned.name == "SIMPLE_BACKUP_SUFFIX");
    let suffix = read.values_of("S suffix").pop();
    if let Some(suffix) = suffix.or_else(|| assigned.map(|assigned| pieces(&assigned.value))) {
        targets.extend(
            Use::File.each(targets.iter().map(|target| within(&target.pieces, "", &suffix)).collect::<Vec<_>>()),
        );
    }
    targets
}

/// Returns the targets of a command's links, if they are literal.
pub(crate) fn linked(command: &Command) -> Vec<Changed> {
    let Some(read) = Read::of(command) else {
        return Vec::new();
    };
    match read.program.name {
        "ln" => {}
        "cp" if read.has("l s link symbolic-link") => {}
        _ => return Vec::new(),
    }
    let (sources, destinations) = ways(command, &read);
    let is_one = sources.len() == 2;
    let mut linked = Vec::new();
    for source in sources {
        let Some(text) = literal(&source) else {
            continue;
        };
        // A relative target starts at the link's folder: the destination, or, for a single link, the folder of the destination.
        if !text.starts_with(['/', '~']) {
            let from = |between| destinations.iter().map(move |to| (to, between));
            linked.extend(
                from("/").chain(from("/../").filter(|_| is_one)).map(|(to, between)| within(to, between, &source)),
            );
        }
        linked.push(source);
    }
    linked.retain(|name| literal(name).is_some());
    Use::Linked.each(linked)
}
