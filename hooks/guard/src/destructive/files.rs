//! Files and folders: deleted, moved away, or opened to everybody.

use std::cell::LazyCell;

use super::place::{Places, Target};
use super::taken::is_printed;
use super::{Danger, find};
use crate::effects::changes::{Target as Change, Use};
use crate::effects::programs::name;
use crate::prelude::*;
use crate::words::is_given;

/// Judges commands that delete, move or change the modes of files.
pub(super) fn delete(command: &Command, changes: &[Change], places: &Places) -> Option<Danger> {
    // Most programs need none of them.
    let arguments = LazyCell::new(|| Arguments::of(command.arguments()));
    match name(command) {
        "rm" => rm(command, &arguments, places),
        "shred" | "srm" | "wipe" => {
            let is_kept = arguments.operands.iter().any(|word| places.target(word) != Target::Temporary);
            let kept = is_kept.then(|| Danger::ask_of(command, "deletes files so that nothing brings them back"));
            worst([kept, lost(command, changes, places)])
        }
        "find" => find::judge(command, places),
        "mv" => mv(command, &arguments, places),
        "chmod" | "install" if sets_owner(command) => {
            let owner = Danger::ask_of(command, "lets everybody run a program with its owner's rights");
            worst([Some(owner), lost(command, changes, places)])
        }
        "chmod" | "chown" | "chgrp" if arguments.has("R recursive") => {
            // The mode is that of a file.
            let has_reference =
                (arguments.options.iter()).any(|option| option.starts_with("--ref") && option.contains('='));
            arguments
                .operands
                .iter()
                .skip(usize::from(!has_reference))
                .find_map(|word| change(command, places.target(word)))
        }
        // An entry of a list or an attribute is as a name in the project.
        "chattr" | "setfacl" if arguments.has("R recursive") && !arguments.has("test") => {
            change(command, worst_of(&arguments.operands, places)?)
        }
        "chmod" => worst([close(command, &arguments, places), lost(command, changes, places)]),
        "rsync" if arguments.has("n dry-run") || arguments.has("list-only") => None,
        "rsync" => worst([rsync(command, &arguments, places), lost(command, changes, places)]),
        "patch"
            if Arguments::of_command(command).has("R reverse")
                && !arguments.has("dry-run")
                && command.via.contains(&Via::Pipeline) =>
        {
            Some(Danger::ask_of(command, "takes changes back that may not be committed"))
        }
        // It deletes folders in which there is nothing.
        "rmdir" => None,
        _ => lost(command, changes, places),
    }
}

fn worst(findings: [Option<Danger>; 2]) -> Option<Danger> {
    super::worst(findings.into_iter().flatten())
}

/// Files of which nothing is left, and folders with all that is in them.
fn lost(command: &Command, changes: &[Change], places: &Places) -> Option<Danger> {
    let is_lost = |change: &&Change| matches!(change.use_of, Use::Lost | Use::Whole) && !change.is("/dev/null");
    let lost = changes.iter().filter(is_lost).map(|change| (change.use_of, change.pieces.clone()));
    deleted(command, lost.collect(), places)
}

/// Judges files and folders that are deleted. The text of an answer has the whole command: it is made once for each kind of
/// place, not for each file.
fn deleted(command: &Command, mut deleted: Vec<(Use, Vec<Piece>)>, places: &Places) -> Option<Danger> {
    let mut kinds = Vec::new();
    deleted.retain(|(use_of, name)| {
        let target = places.target_of(name);
        if !kinds.contains(&(*use_of, target)) {
            kinds.push((*use_of, target));
        }
        target == Target::Inside
    });
    let findings = kinds.into_iter().filter_map(|(use_of, target)| match use_of {
        Use::Whole => all(command, target),
        _ => one(command, target),
    });
    findings.max_by_key(|finding| finding.severity).or_else(|| unsaved(command, &deleted, places))
}

/// Files of the project that git does not have as they are.
pub(super) fn unsaved(command: &Command, deleted: &[(Use, Vec<Piece>)], places: &Places) -> Option<Danger> {
    let files = places.unsaved(deleted)?;
    Some(Danger::ask_of(command, &["deletes ", &files].concat()))
}

/// Files that only the target has, and those that are moved there.
fn rsync(command: &Command, arguments: &Arguments, places: &Places) -> Option<Danger> {
    let operands = Read::of(command)?.words();
    let target = operands.last()?;
    let deletes = arguments.options.iter().any(|option| option.starts_with("--del"));
    let target = if target.known_start().contains(':') { Target::Outside } else { places.target(target) };
    let what = ["deletes what only the target has, and that is ", target.name()].concat();
    (deletes && target > Target::Inside).then(|| Danger::ask_of(command, &what))
}

/// Returns the danger of a redirection alone, or of that of a loop or a group, which most often prints something.
pub(super) fn empty(command: &Command, places: &Places) -> Option<Danger> {
    use RedirectionOperator::{Clobber, Output};
    let empties = |redirection: &&Redirection| matches!(redirection.operator, Output | Clobber);
    let is_found = |to: &Redirection| to.target.parts.iter().all(is_given);
    if command.redirections.iter().any(|to| empties(&to) && is_found(to)) {
        return Some(Danger::ask("a redirection overwrites files whose names are found"));
    }
    if !command.words.is_empty() {
        return None;
    }
    let targets = || command.redirections.iter().filter(empties).map(|to| &to.target);
    if targets().any(|target| places.target(target) >= Target::Repository) {
        return Some(Danger::ask("a redirection may empty a file of the system or of the repository"));
    }
    let files: Vec<_> = targets().map(|target| (Use::Lost, pieces(target))).collect();
    let file = places.unsaved(&files)?;
    Some(Danger::ask(format!("a redirection may empty {file}")))
}

/// Judges commands that write to the user's own documents, from a project that is elsewhere, or to files that decide who may
/// do what on the machine, and which programs it runs, and those that overwrite what is outside of the project.
pub(super) fn write(command: &Command, all: &[Change], places: &Places) -> Option<Danger> {
    // What is deleted is judged by where it is.
    let changes = (all.iter()).filter(|change| !matches!(change.use_of, Use::Whole | Use::Linked));
    let mut is_critical = false;
    for change in changes {
        let files = places.files(&change.pieces);
        if files.iter().any(|path| places.is_document(path)) {
            return Some(Danger::ask_of(command, "writes to your own documents, which are not the project's"));
        }
        is_critical = is_critical || files.iter().any(|path| places.is_critical(path));
    }
    let unpacks = || {
        let mut unpacked = all.iter().filter(|change| change.use_of == Use::Merged);
        lists("7z tar unzip", name(command)) && unpacked.any(|change| places.is_over_system(&change.pieces))
    };
    if is_critical || unpacks() {
        return Some(Danger::ask_of(
            command,
            "changes a file by which the machine decides who may do what, or which programs it runs",
        ));
    }
    places.overwrites(command, all).then(|| {
        if command.words.is_empty() {
            Danger::ask("a redirection overwrites a file that is outside the project")
        } else {
            Danger::ask_of(command, "overwrites a file that is outside the project")
        }
    })
}

/// Returns `true` for a mode with which a program has the rights of its owner or group.
fn sets_owner(command: &Command) -> bool {
    command.literals().any(|word| {
        let mode = word.strip_prefix("-m").or(word.strip_prefix("--mode=")).unwrap_or(word);
        let is_symbolic = mode.split(',').filter_map(|part| part.split_once('+')).any(|(who, what)| {
            who.bytes().all(|byte| b"ugoa".contains(&byte)) && what.contains('s') && what.len() <= 4
        });
        mode.len() == 4 && is_octal(mode) && mode.starts_with(['2', '4', '6']) || is_symbolic
    })
}

/// Takes all rights to a file of the system, or those of its owner to enter a folder of it.
fn close(command: &Command, arguments: &Arguments, places: &Places) -> Option<Danger> {
    let (mode, files) = arguments.operands.split_first()?;
    let mode = mode.literal()?;
    let takes_all = is_octal(mode) && mode.bytes().all(|byte| byte == b'0') || lists("a-rwx a= ugo-rwx", mode);
    let of_owner = mode.len().checked_sub(3).map_or(b'0', |at| mode.as_bytes()[at]);
    if !takes_all && (!is_octal(mode) || of_owner % 2 == 1) {
        return None;
    }
    let is_closed = |word: &&&Word| {
        let files = || places.files(&pieces(word));
        places.target(word) >= Target::System && (takes_all || files().iter().any(|file| file.is_dir()))
    };
    let closed = places.target(files.iter().find(is_closed)?);
    Some(Danger::ask_of(command, &["takes away the rights to ", closed.name()].concat()))
}

fn is_octal(mode: &str) -> bool {
    !mode.is_empty() && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
}

fn rm(command: &Command, arguments: &Arguments, places: &Places) -> Option<Danger> {
    if arguments.has("no-preserve-root") {
        return Some(Danger::deny_of(command, "asks to delete the root of the file system"));
    }
    let is_recursive = arguments.has("r R recursive");
    let (inserted, named): (Vec<&Word>, Vec<&Word>) =
        (arguments.operands.iter()).partition(|word| word.parts.iter().any(is_given));
    let use_of = |word| {
        if is_recursive || is_printed(word) { Use::Whole } else { Use::Lost }
    };
    let named = named.into_iter().map(|word| (use_of(word), pieces(word)));
    worst([deleted(command, named.collect(), places), inserted.first().and_then(|_| given(command))])
}

/// The files that `find` finds are judged there, unless it gives them to a script.
fn given(command: &Command) -> Option<Danger> {
    let is_given = |via: &Via| via.is_prefix("fd fdfind xargs") || matches!(via, Via::Script(_));
    (command.via.iter().any(is_given)).then(|| Danger::ask_of(command, "deletes files whose names it is given"))
}

/// A folder with all that is in it.
pub(super) fn all(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Temporary | Target::Inside => None,
        Target::Outside | Target::Unknown => {
            Some(Danger::ask_of(command, &["deletes what is ", target.name()].concat()))
        }
        _ => Some(Danger::deny_of(command, &["deletes ", target.name()].concat())),
    }
}

/// A file, or several. What a variable holds is not asked about, else hardly a loop would pass.
fn one(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Unknown => None,
        Target::Project => Some(Danger::ask_of(command, "deletes all files of the project's folder")),
        target => all(command, target),
    }
}

/// Modes and owners.
pub(super) fn change(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Temporary | Target::Inside | Target::Project => None,
        Target::Outside | Target::Unknown | Target::Repository => {
            Some(Danger::ask_of(command, &["changes all files of what is ", target.name()].concat()))
        }
        _ => Some(Danger::deny_of(command, &["changes all files of ", target.name()].concat())),
    }
}

/// Returns the worst target among some words.
fn worst_of(words: &[&Word], places: &Places) -> Option<Target> {
    words.iter().map(|word| places.target(word)).max()
}

fn mv(command: &Command, arguments: &Arguments, places: &Places) -> Option<Danger> {
    // In the word of the option, or after it, the folder is not looked for.
    let (to, from) = arguments.operands.split_last()?;
    let is_into = arguments.has("t target-directory");
    if to.is("/dev/null") && !is_into {
        return Some(Danger::deny_of(command, "puts a file in the place of `/dev/null`, and loses it"));
    }
    let worst = worst_of(if is_into { &arguments.operands } else { from }, places)?;
    let name = worst.name();
    match worst {
        _ if worst >= Target::Project => Some(Danger::deny_of(command, &["moves ", name, " away"].concat())),
        Target::Outside | Target::Unknown if is_into => {
            Some(Danger::ask_of(command, &["moves what is ", name].concat()))
        }
        Target::Outside if places.is_temporary(to) => {
            Some(Danger::ask_of(command, &["moves what is ", name, " to where it is deleted"].concat()))
        }
        _ => None,
    }
}
