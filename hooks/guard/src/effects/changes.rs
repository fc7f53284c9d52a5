//! The files that a command of a shell changes, as far as its words show.

use hookkit::shell::{Command, Part, Redirection, RedirectionOperator, Word};

use crate::words::{Arguments, Piece, Valued, has_flag, operands, pieces, pieces_from};

mod copies;
mod edited;
mod fetched;
mod found;
mod kernel;

use copies::{NONE, OF_COPIES, OF_INSTALL, copies, patched};
use edited::edited;
use found::WRITES;

pub(crate) use copies::{linked, ways};
pub(crate) use fetched::fetched;
pub(crate) use found::{FINDS, found};
pub(crate) use kernel::through;

/// A file that a command changes.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    /// Its name: a text alone where it is known.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) use_of: Use,
}

impl Target {
    fn of(word: &Word, use_of: Use) -> Self {
        Self {
            pieces: pieces(word),
            use_of,
        }
    }

    /// Returns `true` if this is its name.
    pub(crate) fn is(&self, path: &str) -> bool {
        matches!(&self.pieces[..], [Piece::Text(name)] if name == path)
    }

    fn file(pieces: Vec<Piece>) -> Self {
        Self {
            pieces,
            use_of: Use::File,
        }
    }
}

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Use {
    /// It is changed, or made.
    File,
    /// A file, of whose content nothing is left.
    Lost,
    /// It is gone, with all that is in it.
    Whole,
    /// It is changed where it is there already: a copy of another one is not a harm.
    Overwritten,
    /// It is changed where it is there already; of a folder, what is in it, by the contents of another.
    Merged,
    /// Its mode, its owner or its times are changed.
    Mode,
    /// The same, of all that is in it, too.
    Tree,
    /// A link to it is made.
    Linked,
}

/// Returns the files that redirections of a command change.
pub(crate) fn redirected(command: &Command) -> impl Iterator<Item = Target> {
    let written = command.redirections.iter().filter(|to| writes(to));
    written.map(|to| {
        let replaces = matches!(to.operator, RedirectionOperator::Output | RedirectionOperator::Clobber);
        let use_of = match replaces && prints_nothing(command) {
            true => Use::Lost,
            false => Use::File,
        };
        Target::of(&to.target, use_of)
    })
}

/// Returns `true` for a command that is there for its redirection: `: > x`, `cat /dev/null > x`.
fn prints_nothing(command: &Command) -> bool {
    match command.program() {
        Some(":" | "true") => true,
        Some("cat" | "gcat") => {
            let inputs = command.redirections.iter();
            let inputs = inputs.filter(|redirection| redirection.operator == RedirectionOperator::Input);
            let inputs = inputs.map(|redirection| &redirection.target);
            let mut files = command.arguments().iter().chain(inputs).peekable();
            files.peek().is_some() && files.all(|word| word.literal() == Some("/dev/null"))
        }
        _ => false,
    }
}

pub(crate) fn writes(redirection: &Redirection) -> bool {
    use RedirectionOperator as Op;
    match redirection.operator {
        Op::Output | Op::Append | Op::Clobber | Op::ReadWrite | Op::OutputAndError | Op::AppendOutputAndError => true,
        // A word that is not a descriptor is a file.
        Op::DuplicateOutput => redirection
            .target
            .literal()
            .is_none_or(|word| word.contains(|c: char| !c.is_ascii_digit() && c != '-')),
        _ => false,
    }
}

/// Returns the files that a command changes itself.
pub(crate) fn targets(command: &Command) -> Vec<Target> {
    let all = |use_of| -> Vec<Target> {
        let operands = operands(command).into_iter();
        operands.map(|word| Target::of(word, use_of)).collect()
    };
    let has = |valued, letter, name| has_flag(command, valued, letter, name);
    let files = |valued, letters| of_names(Arguments::of(command, valued).values_of(letters));
    match command.program().unwrap_or_default() {
        "chmod" | "chown" | "chgrp" if has(&[], 'R', "recursive") => all(Use::Tree),
        "touch" | "chmod" | "chown" | "chgrp" => all(Use::Mode),
        "sponge" | "tee" => all(Use::File),
        "shred" | "srm" | "truncate" | "unlink" => all(Use::Lost),
        "rm" | "grm" | "rmdir" => all(Use::Whole),
        "cp" | "gcp" => copies(command, OF_COPIES, Use::Merged),
        "scp" => copies(command, OF_SCP, Use::Merged),
        "ln" | "gln" => copies(command, OF_COPIES, Use::Overwritten),
        "install" | "ginstall" => {
            let mut targets = copies(command, OF_INSTALL, Use::Overwritten);
            if has(OF_INSTALL, 'd', "directory") {
                // It gives folders that are there another mode.
                targets.extend(all(Use::Mode));
            }
            targets
        }
        "mv" | "gmv" => {
            let mut targets = copies(command, OF_COPIES, Use::Overwritten);
            let (_, destinations) = ways(command, OF_COPIES);
            let mut moved = all(Use::Whole);
            moved.retain(|target| !destinations.contains(&target.pieces));
            targets.extend(moved);
            targets
        }
        "rsync" => {
            let mut targets = copies(command, OF_RSYNC, Use::Merged);
            if has(OF_RSYNC, NONE, "remove-source-files") {
                let mut sources = Arguments::of(command, OF_RSYNC).operands;
                sources.pop();
                targets.extend(sources.into_iter().map(|word| Target::of(word, Use::Whole)));
            }
            targets
        }
        "patch" => of_names(patched(command)),
        program @ ("sed" | "gsed" | "perl" | "ruby") => of_names(edited(command, program)),
        "aria2c" | "curl" | "fetch" | "http" | "https" | "wget" | "wget2" | "xh" | "xhs" => of_names(fetched(command)),
        "unzip" => files(&[('d', NO_NAME)], "d"),
        "bsdtar" | "gtar" | "tar" => of_tar(command),
        "zip" => archived(all(Use::Whole), 0, has(OF_ZIP, 'm', "move")),
        "7z" | "7za" | "7zz" if command.has_argument("a") => {
            archived(all(Use::Whole), 1, command.has_argument("-sdel"))
        }
        "7z" | "7za" | "7zz" => files(&[('o', NO_NAME)], "o"),
        "rar" => archived(all(Use::Whole), 1, command.has_argument("m")),
        "sort" | "gsort" => files(OF_SORT, "o"),
        "qemu-img" if !command.has_argument("info") => {
            let mut disk = all(Use::File);
            disk.drain(..disk.len().saturating_sub(1));
            disk
        }
        "dd" | "gdd" | "dc3dd" | "dcfldd" => {
            let mut operands = operands(command);
            operands.retain(|word| word.known_start().starts_with("of="));
            of_names(
                operands
                    .into_iter()
                    .map(|word| pieces_from(word, "of=".len()))
                    .collect(),
            )
        }
        name if FINDS.contains(&name) => {
            let mut targets = Vec::new();
            for pair in command.arguments().windows(2) {
                if pair[0].literal().is_some_and(|option| WRITES.contains(&option)) {
                    targets.push(Target::of(&pair[1], Use::File));
                }
            }
            if command.has_argument("-delete") {
                targets.push(Target::file(vec![Piece::Unknown]));
            }
            targets
        }
        _ => Vec::new(),
    }
}

fn of_names(names: Vec<Vec<Piece>>) -> Vec<Target> {
    names.into_iter().map(Target::file).collect()
}

/// Returns what an archiver changes: its archive, behind a number of other words, and the files behind that if it takes them
/// away.
fn archived(mut operands: Vec<Target>, before: usize, takes: bool) -> Vec<Target> {
    operands.drain(..before.min(operands.len()));
    if let Some(archive) = operands.first_mut() {
        archive.use_of = Use::File;
    }
    if !takes {
        operands.truncate(1);
    }
    operands
}

/// The long name of options that have only a letter.
const NO_NAME: &str = "\0";

const OF_TAR: &Valued = &[('C', "directory"), ('f', "file")];

const OF_ZIP: &Valued = &[
    ('b', "temp-path"),
    ('n', "suffixes"),
    ('t', "from-date"),
    ('P', "password"),
];

const OF_SCP: &Valued = &[('P', NO_NAME), ('i', NO_NAME), ('o', NO_NAME), ('l', NO_NAME)];

const OF_SORT: &Valued = &[
    ('S', "buffer-size"),
    ('T', "temporary-directory"),
    ('k', "key"),
    ('o', "output"),
    ('t', "field-separator"),
];

pub(crate) const OF_RSYNC: &Valued = &[
    ('B', "block-size"),
    ('M', "remote-option"),
    ('T', "temp-dir"),
    ('e', "rsh"),
    ('f', "filter"),
    (NONE, "bwlimit"),
    (NONE, "chmod"),
    (NONE, "chown"),
    (NONE, "exclude"),
    (NONE, "exclude-from"),
    (NONE, "files-from"),
    (NONE, "include"),
    (NONE, "include-from"),
    (NONE, "log-file"),
    (NONE, "max-size"),
    (NONE, "min-size"),
    (NONE, "out-format"),
    (NONE, "partial-dir"),
    (NONE, "password-file"),
    (NONE, "port"),
    (NONE, "rsync-path"),
    (NONE, "timeout"),
];

/// Returns what `tar` changes: the archive that it makes, with the files that it takes into that, or the folder that it
/// unpacks into.
fn of_tar(command: &Command) -> Vec<Target> {
    let words = command.arguments();
    let first = words.first().map_or("", Word::known_start);
    // They need no dash.
    let bundled = if first.starts_with('-') { "" } else { first };
    let has = |letter, name| has_flag(command, OF_TAR, letter, name) || bundled.contains(letter);
    let makes = has('A', "concatenate") || has('c', "create") || has('r', "append") || has('u', "update");
    let Arguments { mut operands, .. } = Arguments::of(command, OF_TAR);
    let mut targets = of_names(Arguments::of(command, OF_TAR).values_of(if makes { "f" } else { "C" }));
    operands.drain(..usize::from(!bundled.is_empty()).min(operands.len()));
    if bundled.contains('f') && !operands.is_empty() {
        let archive = operands.remove(0);
        targets.extend(makes.then(|| Target::of(archive, Use::File)));
    }
    if has_flag(command, OF_TAR, NONE, "remove-files") {
        targets.extend(operands.into_iter().map(|word| Target::of(word, Use::Whole)));
    }
    targets
}

/// Returns whether the paths that a command's words make with each other could take too much memory: it is not to be
/// asked what it changes.
pub(crate) fn is_too_long(command: &Command) -> bool {
    const MOST: usize = 16 << 20;
    let lengths = command.words.iter().map(|word| {
        let lengths = word.parts.iter().map(|part| match part {
            Part::Literal(text) => text.len(),
            Part::Expansion(_) => 1,
        });
        lengths.sum::<usize>()
    });
    lengths.max().unwrap_or_default() * command.words.len() > MOST
}

/// Returns whether globs also find names with a dot at the start from a command on.
pub(crate) fn finds_dots(command: &Command) -> bool {
    let is_option = |word: &Word| word.known_start().to_ascii_lowercase().contains("dot");
    let is_set = matches!(command.program(), Some("shopt" | "setopt")) && command.arguments().iter().any(is_option);
    let mut assigned = command.assignments.iter();
    is_set || assigned.any(|assigned| assigned.name == "GLOBIGNORE")
}
