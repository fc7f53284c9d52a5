//! Files and folders: deleted, moved away, or opened to everybody.

use std::cell::LazyCell;
use std::path::PathBuf;

use hookkit::shell::{Command, ExpansionKind, Part, Redirection, RedirectionOperator, Via, Word};

use super::place::{Places, Target};
use super::{Arguments, Danger, find};

/// Judges commands that delete, move or change the modes of files.
pub(super) fn delete(command: &Command, places: &Places) -> Option<Danger> {
    // Most programs need none of them.
    let arguments = LazyCell::new(|| Arguments::of(command.arguments()));
    match command.program()? {
        "rm" | "grm" => rm(command, &arguments, places),
        // What is emptied is as good as deleted.
        "shred" | "srm" => {
            let mut files = arguments.operands.iter().map(|word| places.target(word));
            let is_kept = files.any(|target| target != Target::Temporary);
            is_kept.then(|| Danger::ask(format!("`{command}` deletes files so that nothing brings them back")))
        }
        "unlink" | "truncate" => {
            let files = arguments
                .operands
                .iter()
                .filter(|word| word.literal() != Some("/dev/null"));
            files.filter_map(|word| one(command, word, places)).next()
        }
        "find" | "gfind" | "bfs" => find::judge(command, places),
        "mv" | "gmv" => mv(command, &arguments, places),
        "cp" | "gcp" => match &arguments.operands[..] {
            [from, to @ ..] if from.literal() == Some("/dev/null") => {
                to.iter().find_map(|word| one(command, word, places))
            }
            _ => None,
        },
        "install" | "ln"
            if arguments
                .operands
                .first()
                .is_some_and(|from| from.literal() == Some("/dev/null")) =>
        {
            arguments.operands[1..]
                .iter()
                .find_map(|word| one(command, word, places))
        }
        "zip" if arguments.has("m", "move") => taken(command, arguments.operands.get(1..).unwrap_or_default(), places),
        "7z" | "7za" | "7zz" if arguments.options.contains(&"-sdel") => taken(command, &arguments.operands, places),
        "rar" if arguments.operands.first().and_then(|word| word.literal()) == Some("m") => {
            taken(command, arguments.operands.get(1..).unwrap_or_default(), places)
        }
        "tar" | "gtar" | "bsdtar" if arguments.has("", "remove-files") => taken(command, &arguments.operands, places),
        "chmod" | "install" if sets_owner(command) => Some(Danger::ask(format!(
            "`{command}` lets everybody run a program with its owner's rights"
        ))),
        "chmod" | "chown" | "chgrp" if arguments.has("R", "recursive") => {
            let targets = arguments.operands.iter().skip(1);
            targets.filter_map(|word| change(command, places.target(word))).next()
        }
        "rsync" if !arguments.has("n", "dry-run") => rsync(command, &arguments, places),
        _ => None,
    }
}

/// Files that only the target has, and those that are moved there.
fn rsync(command: &Command, arguments: &Arguments<'_>, places: &Places) -> Option<Danger> {
    const VALUED: &[&str] = &[
        "--bwlimit",
        "--chmod",
        "--chown",
        "--exclude",
        "--exclude-from",
        "--files-from",
        "--filter",
        "--include",
        "--include-from",
        "--log-file",
        "--max-size",
        "--min-size",
        "--out-format",
        "--partial-dir",
        "--password-file",
        "--port",
        "--rsh",
        "--rsync-path",
        "--temp-dir",
        "--timeout",
        "-e",
        "-f",
        "-M",
        "-T",
    ];
    let has_value = |word: &Word| word.literal().is_some_and(|text| VALUED.contains(&text));
    let operands: Vec<&Word> = crate::git::without_values(command.arguments(), has_value)
        .filter(|word| !word.known_start().starts_with('-'))
        .collect();
    let (target, sources) = operands.split_last()?;
    let deletes = arguments.options.iter().any(|option| option.starts_with("--del"));
    let target = match target.known_start().contains(':') {
        true => Target::Outside,
        false => places.target(target),
    };
    let deleted = (deletes && target > Target::Inside).then(|| {
        Danger::ask(format!(
            "`{command}` deletes what only the target has, and that is {}",
            target.name()
        ))
    });
    let moves = arguments.has("", "remove-source-files");
    let moved = moves.then(|| taken(command, sources, places)).flatten();
    deleted.into_iter().chain(moved).max_by_key(|danger| danger.severity)
}

/// Files that go into an archive, and are deleted.
fn taken(command: &Command, files: &[&Word], places: &Places) -> Option<Danger> {
    let files = files.iter().filter(|word| word.literal() != Some("/dev/null"));
    let findings = files.filter_map(|word| all(command, places.target(word)));
    findings.max_by_key(|finding| finding.severity)
}

/// Returns the danger of the output of a command that prints nothing: it empties its file.
pub(super) fn empty(command: &Command, places: &Places) -> Option<Danger> {
    use RedirectionOperator::{Clobber, Output};
    let empties = |redirection: &&Redirection| matches!(redirection.operator, Output | Clobber);
    let is_silent = match command.program() {
        // A redirection alone, or that of a loop or a group, which most often prints something.
        None if command.words.is_empty() => {
            let mut targets = command
                .redirections
                .iter()
                .filter(empties)
                .map(|redirection| &redirection.target);
            let is_kept = targets.any(|target| places.target(target) >= Target::Repository);
            return is_kept.then(|| Danger::ask("a redirection may empty a file of the system or of the repository"));
        }
        None => false,
        Some(":" | "true") => true,
        Some("cat") => {
            let inputs = command
                .redirections
                .iter()
                .filter(|redirection| redirection.operator == RedirectionOperator::Input);
            let mut files = command
                .arguments()
                .iter()
                .chain(inputs.map(|redirection| &redirection.target))
                .peekable();
            files.peek().is_some() && files.all(|word| word.literal() == Some("/dev/null"))
        }
        _ => false,
    };
    let mut emptied = command.redirections.iter().filter(empties).filter(|_| is_silent);
    emptied.find_map(|redirection| one(command, &redirection.target, places))
}

/// Judges commands that write to the user's own documents, from a project that is elsewhere, or to files that decide who may
/// do what on the machine, and which programs it runs.
pub(super) fn write(command: &Command, places: &Places) -> Option<Danger> {
    let files: Vec<PathBuf> = written(command)
        .into_iter()
        .flat_map(|word| places.files(word))
        .collect();
    let what = if files.iter().any(|path| places.is_document(path)) {
        "writes to your own documents, which are not the project's"
    } else if files.iter().any(|path| places.is_critical(path)) {
        "changes a file by which the machine decides who may do what, or which programs it runs"
    } else {
        return None;
    };
    Some(Danger::ask(format!("`{command}` {what}")))
}

/// The files that a command writes, where it is one of the most common.
fn written(command: &Command) -> Vec<&Word> {
    use RedirectionOperator::{Append, AppendOutputAndError, Clobber, Output, OutputAndError};
    let arguments = || Arguments::of(command.arguments());
    let mut written: Vec<&Word> = match command.program() {
        Some("cp" | "gcp" | "mv" | "gmv" | "install" | "ln" | "rsync") => {
            arguments().operands.last().copied().into_iter().collect()
        }
        Some("tee" | "chmod" | "chown" | "chgrp" | "touch" | "mkdir") => arguments().operands,
        Some("sed" | "gsed" | "perl") if arguments().has("i", "in-place") => arguments().operands,
        _ => Vec::new(),
    };
    for redirection in &command.redirections {
        if let Output | Append | Clobber | OutputAndError | AppendOutputAndError = redirection.operator {
            written.push(&redirection.target);
        }
    }
    written
}

/// Returns `true` for a mode with which a program has the rights of its owner or group.
fn sets_owner(command: &Command) -> bool {
    command.arguments().iter().filter_map(Word::literal).any(|word| {
        let mode = word
            .strip_prefix("-m")
            .or_else(|| word.strip_prefix("--mode="))
            .unwrap_or(word);
        let is_octal = mode.len() == 4 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        let is_symbolic = mode.split(',').any(|part| {
            part.split_once('+').is_some_and(|(who, what)| {
                who.bytes().all(|byte| b"ugoa".contains(&byte)) && what.contains('s') && what.len() <= 4
            })
        });
        is_octal && matches!(mode.as_bytes()[0], b'2' | b'4' | b'6') || is_symbolic
    })
}

fn rm(command: &Command, arguments: &Arguments<'_>, places: &Places) -> Option<Danger> {
    if arguments.has("", "no-preserve-root") {
        return Some(Danger::deny(format!(
            "`{command}` asks to delete the root of the file system"
        )));
    }
    let is_recursive = arguments.has("rR", "recursive");
    let (inserted, named): (Vec<&Word>, Vec<&Word>) =
        (arguments.operands.iter()).partition(|word| word.parts.iter().any(is_given));
    // The text of an answer has the whole command: it is made once for each place, not for each word.
    let mut targets: Vec<Target> = Vec::new();
    for target in named.into_iter().map(|word| places.target(word)) {
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    let findings = targets.into_iter().filter_map(|target| match is_recursive {
        true => all(command, target),
        false => one_at(command, target),
    });
    let findings = findings.chain(inserted.first().and_then(|_| given(command)));
    findings.max_by_key(|finding| finding.severity)
}

/// Returns `true` if `find` or `xargs` puts something there.
fn is_given(part: &Part) -> bool {
    matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Arguments)
}

/// The files that `find` finds are judged there.
fn given(command: &Command) -> Option<Danger> {
    let is_xargs = |via: &Via| matches!(via, Via::Prefix(name) if name == "xargs");
    (command.via.iter().any(is_xargs)).then(|| Danger::ask(format!("`{command}` deletes what it reads from a pipe")))
}

/// A folder with all that is in it.
pub(super) fn all(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Temporary | Target::Inside => None,
        Target::Outside | Target::Unknown => {
            Some(Danger::ask(format!("`{command}` deletes what is {}", target.name())))
        }
        _ => Some(Danger::deny(format!("`{command}` deletes {}", target.name()))),
    }
}

/// A file, or several. What a variable holds is not asked about, else hardly a loop would pass.
fn one(command: &Command, word: &Word, places: &Places) -> Option<Danger> {
    one_at(command, places.target(word))
}

fn one_at(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Unknown => None,
        Target::Project => Some(Danger::ask(format!(
            "`{command}` deletes all files of the project's folder"
        ))),
        target => all(command, target),
    }
}

/// Modes and owners.
pub(super) fn change(command: &Command, target: Target) -> Option<Danger> {
    match target {
        Target::Temporary | Target::Inside | Target::Project => None,
        Target::Outside | Target::Unknown | Target::Repository => Some(Danger::ask(format!(
            "`{command}` changes all files of what is {}",
            target.name()
        ))),
        Target::System | Target::Everything => Some(Danger::deny(format!(
            "`{command}` changes all files of {}",
            target.name()
        ))),
    }
}

fn mv(command: &Command, arguments: &Arguments<'_>, places: &Places) -> Option<Danger> {
    // In the word of the option, or behind it, the folder is not looked for.
    if arguments.has("t", "target-directory") {
        let worst = arguments.operands.iter().map(|word| places.target(word)).max()?;
        return match worst {
            Target::Temporary | Target::Inside => None,
            Target::Outside | Target::Unknown => {
                Some(Danger::ask(format!("`{command}` moves what is {}", worst.name())))
            }
            _ => Some(Danger::deny(format!("`{command}` moves {} away", worst.name()))),
        };
    }
    let (to, from) = arguments.operands.split_last()?;
    if to.literal() == Some("/dev/null") {
        return Some(Danger::deny(format!(
            "`{command}` puts a file in the place of `/dev/null`, and loses it"
        )));
    }
    let worst = from.iter().map(|word| places.target(word)).max()?;
    if worst >= Target::Project {
        return Some(Danger::deny(format!("`{command}` moves {} away", worst.name())));
    }
    let is_lost = worst == Target::Outside && places.is_temporary(to);
    is_lost.then(|| {
        Danger::ask(format!(
            "`{command}` moves what is {} to where it is deleted",
            worst.name()
        ))
    })
}
