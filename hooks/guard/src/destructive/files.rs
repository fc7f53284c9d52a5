//! Files and folders that a command deletes, moves away, or opens to everybody.

use super::taken::is_printed;
use super::{Places, Target, ask, deny, find};
use crate::effects::programs::program_name;
use crate::prelude::*;

/// Judges commands that delete or move files, or change their modes.
pub(super) fn delete(command: &Command, changes: &[Changed], places: &Places) -> Option<Found> {
    // Most commands need no such reading.
    let read = LazyCell::new(|| Read::any(command));
    let own = match program_name(command) {
        "rm" => return rm(command, &read, places),
        "find" => return find::judge(command, places),
        "mv" => return mv(command, &read, places),
        // It only deletes empty folders.
        "rmdir" => return None,
        "rsync" if read.writes("n dry-run list-only") => return None,
        "rsync" => rsync(command, &read, places),
        "shred" | "srm" | "wipe" if read.words().iter().any(|word| places.target(word) != Target::Temporary) => {
            ask(command, "deletes files so that they cannot be restored")
        }
        "chmod" | "install" if sets_owner(command) => {
            ask(command, "lets everybody run a program with its owner's rights")
        }
        "chmod" | "chown" | "chgrp" if read.writes("R recursive") => {
            // The mode may come from a file.
            let first = usize::from(!read.writes("reference"));
            read.words().iter().skip(first).find_map(|word| change(command, places.target(word)))
        }
        // An entry of a list or an attribute looks like a name in the project.
        "chattr" | "setfacl" if read.writes("R recursive") && !read.writes("test") => {
            change(command, worst_of(&read.words(), places)?)
        }
        "chmod" => close(command, &read, places),
        "patch" if read.writes("R reverse") && !read.writes("dry-run") && command.is_in_pipeline() => {
            ask(command, "reverts changes that may not be committed")
        }
        _ => None,
    };
    // Files that lose their content, and folders with everything in them.
    let is_lost = |change: &&Changed| matches!(change.use_of, Use::Lost | Use::Whole) && !change.is("/dev/null");
    Found::worst(own.into_iter().chain(deleted(command, changes.iter().filter(is_lost).cloned().collect(), places)))
}

/// Judges deleted files and folders. An answer quotes the whole command, so there is one answer for each kind of
/// target, not for each file.
fn deleted(command: &Command, mut deleted: Vec<Changed>, places: &Places) -> Option<Found> {
    let mut kinds = Vec::new();
    deleted.retain(|change| {
        let kind = (change.use_of, places.target_of(&change.pieces));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
        kind.1 == Target::Inside
    });
    let findings = kinds.into_iter().filter_map(|(use_of, target)| match use_of {
        Use::Whole => all(command, target),
        _ => one(command, target),
    });
    Found::worst(findings).or_else(|| unsaved(command, &deleted, places))
}

/// Judges deleted files of the project, whose current content git may not have.
pub(super) fn unsaved(command: &Command, deleted: &[Changed], places: &Places) -> Option<Found> {
    ask(command, &format!("deletes {}", places.unsaved(deleted)?))
}

/// Judges an `rsync` that deletes files that only the target has.
fn rsync(command: &Command, read: &Read, places: &Places) -> Option<Found> {
    let word = read.words().pop()?;
    if !read.options().any(|option| option == "--del" || option.starts_with("--delete")) {
        return None;
    }
    let target = if word.known_start().contains(':') { Target::Outside } else { places.target(word) };
    if target > Target::Inside {
        ask(command, &format!("deletes files that only the target has, and the target is {}", target.name()))
    } else {
        unsaved(command, &[Changed::of(word, Use::Whole)], places)
    }
}

/// Returns the danger of a redirection by itself, or after a loop or a group, which usually prints something.
pub(super) fn empty(command: &Command, places: &Places) -> Option<Found> {
    use RedirectionOperator::{Clobber, Output};
    let targets = command
        .redirections
        .iter()
        .filter(|redirection| matches!(redirection.operator, Output | Clobber))
        .map(|to| &to.target);
    if targets.clone().any(|target| target.parts.iter().all(is_given)) {
        return Some(Asked("a redirection overwrites files whose names another command finds".into()));
    }
    if !command.words.is_empty() {
        return None;
    }
    if targets.clone().any(|target| places.target(target) >= Target::Repository) {
        return Some(Asked("a redirection may empty a file of the system or of the repository".into()));
    }
    let files: Vec<_> = targets.map(|target| Changed::of(target, Use::Lost)).collect();
    let file = places.unsaved(&files)?;
    Some(Asked(format!("a redirection may empty {file}")))
}

/// Judges commands that write to the user's own documents from a project elsewhere, change files that control access to
/// the machine or the programs that run on it, or overwrite files outside the project.
pub(super) fn write(command: &Command, all: &[Changed], places: &Places) -> Option<Found> {
    let is_closed = LazyCell::new(|| program_name(command) == "chmod" && gives_none(command));
    // Deletions are judged by their place.
    let is_judged = |change: &&Changed| match change.use_of {
        Use::Whole | Use::Linked => false,
        Use::Mode => !*is_closed,
        _ => true,
    };
    let changes = all.iter().filter(is_judged);
    let files: Vec<PathBuf> = changes.flat_map(|change| places.files(&change.pieces)).collect();
    if files.iter().any(|path| places.is_document(path)) {
        return ask(command, "writes to your own documents, outside the project");
    }
    let is_filled = || {
        let is_archive = lists("7z tar unzip", program_name(command));
        all.iter()
            .filter(|change| change.use_of == Use::Merged)
            .any(|change| places.is_over_system(&change.pieces, is_archive))
    };
    if files.iter().any(|path| places.is_critical(path)) || is_filled() {
        return ask(
            command,
            "changes a file that controls access or permissions on this machine, or the programs that run on it",
        );
    }
    match places.overwrites(command, all) {
        false => None,
        true if command.words.is_empty() => {
            Some(Asked("a redirection overwrites a file that is outside the project".into()))
        }
        true => ask(command, "overwrites a file that is outside the project"),
    }
}

/// Returns `true` for a mode that runs a program with the rights of its owner or group.
fn sets_owner(command: &Command) -> bool {
    command.literals().any(|word| {
        let mode = word.strip_prefix("-m").or(word.strip_prefix("--mode=")).unwrap_or(word);
        let mut parts = mode.split(',').filter_map(|part| part.split_once('+'));
        mode.len() == 4 && is_octal(mode) && mode.starts_with(['2', '4', '6'])
            || parts.any(|(who, what)| consists_of("ugoa", who) && what.contains('s') && what.len() <= 4)
    })
}

/// Returns `true` for a mode that lets only the owner write, as ssh demands.
fn gives_none(command: &Command) -> bool {
    let read = Read::any(command);
    let words = read.words();
    let Some(mode) = words.first().and_then(|mode| mode.literal()).filter(|_| !read.writes("reference")) else {
        return false;
    };
    if is_octal(mode) {
        let others = mode.len().saturating_sub(2);
        return mode.len() < 4 + usize::from(mode.starts_with('0')) && !mode[others..].contains(['2', '3', '6', '7']);
    }
    mode.split(',').all(|part| match part.split_once(['+', '=']) {
        Some((who, rights)) => who == "u" && !rights.contains('s') || consists_of("rxX", rights),
        None => part.contains('-'),
    })
}

/// Judges a mode that takes away all rights to a file of the system, or the owner's right to enter its folders.
fn close(command: &Command, read: &Read, places: &Places) -> Option<Found> {
    let words = read.words();
    let (mode, files) = words.split_first()?;
    let mode = mode.literal()?;
    let takes_all = !mode.is_empty() && consists_of("0", mode) || lists("a-rwx a= ugo-rwx", mode);
    let of_owner = mode.len().checked_sub(3).map_or(b'0', |at| mode.as_bytes()[at]);
    if !takes_all && (!is_octal(mode) || of_owner % 2 == 1) {
        return None;
    }
    let is_closed = |word: &&&Word| {
        places.target(word) >= Target::System
            && (takes_all || places.files(&pieces(word)).iter().any(|file| file.is_dir()))
    };
    ask(command, &format!("takes away the rights to {}", places.target(files.iter().find(is_closed)?).name()))
}

fn is_octal(mode: &str) -> bool {
    !mode.is_empty() && consists_of("01234567", mode)
}

fn rm(command: &Command, read: &Read, places: &Places) -> Option<Found> {
    if read.writes("no-preserve-root") {
        return deny(command, "allows the deletion of the root of the file system");
    }
    let is_recursive = read.writes("r R recursive");
    let (inserted, named): (Vec<&Word>, Vec<&Word>) =
        read.words().into_iter().partition(|word| word.parts.iter().any(is_given));
    let change = |word| Changed::of(word, if is_recursive || is_printed(word) { Use::Whole } else { Use::Lost });
    Found::worst(
        deleted(command, named.into_iter().map(change).collect(), places)
            .into_iter()
            .chain(inserted.first().and_then(|_| given(command))),
    )
}

/// Judges deletions of files that another command names. [`find`] judges deletions by `find`, except in scripts.
fn given(command: &Command) -> Option<Found> {
    if command.is_run_by("fd fdfind xargs") || command.via.iter().any(|via| matches!(via, Via::Script(_))) {
        ask(command, "deletes files whose names come from another command")
    } else {
        None
    }
}

/// Judges the deletion of a folder and its content.
pub(super) fn all(command: &Command, target: Target) -> Option<Found> {
    let name = target.name();
    match target {
        Target::Temporary | Target::Inside => None,
        Target::Outside | Target::Unknown => ask(command, &format!("deletes something that is {name}")),
        _ => deny(command, &format!("deletes {name}")),
    }
}

/// Judges the deletion of single files. A variable's value passes, because most loops use variables.
fn one(command: &Command, target: Target) -> Option<Found> {
    match target {
        Target::Unknown => None,
        Target::Project => ask(command, "deletes all files of the project's folder"),
        target => all(command, target),
    }
}

/// Judges changes of modes and owners.
pub(super) fn change(command: &Command, target: Target) -> Option<Found> {
    let name = target.name();
    match target {
        Target::Temporary | Target::Inside | Target::Project => None,
        Target::Outside | Target::Unknown | Target::Repository => {
            ask(command, &format!("changes all files of something that is {name}"))
        }
        _ => deny(command, &format!("changes all files of {name}")),
    }
}

/// Returns the worst target among some words.
fn worst_of(words: &[&Word], places: &Places) -> Option<Target> {
    words.iter().map(|word| places.target(word)).max()
}

fn mv(command: &Command, read: &Read, places: &Places) -> Option<Found> {
    let words = read.words();
    let (to, from) = words.split_last()?;
    let is_into = read.writes("t target-directory");
    if to.is("/dev/null") && !is_into {
        return deny(command, "moves a file over `/dev/null`, which loses the file");
    }
    let worst = worst_of(if is_into { &words } else { from }, places)?;
    let name = worst.name();
    match worst {
        _ if worst >= Target::Project => deny(command, &format!("moves {name} away")),
        Target::Outside | Target::Unknown if is_into => ask(command, &format!("moves something that is {name}")),
        Target::Outside if places.is_temporary(to) => {
            ask(command, &format!("moves something that is {name} to a folder for temporary files"))
        }
        _ => None,
    }
}
