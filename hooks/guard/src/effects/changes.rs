//! The files that a command of a shell changes, as far as its words show.

use hookkit::shell::{Command, Part, Redirection, RedirectionOperator, Word};

use crate::words::{Arguments, Piece, Valued, has_flag, operands, pieces, pieces_from, within};

mod copies;
mod edited;
mod fetched;
mod found;
mod kernel;
mod named;

use copies::{NONE, OF_COPIES, OF_INSTALL, copies, patched};
use edited::edited;
use found::WRITES;

pub(crate) use copies::{linked, ways};
pub(crate) use fetched::{fetched, is_fetcher};
pub(crate) use found::{FINDS, found};
pub(crate) use kernel::{LONGEST, through};
pub(crate) use named::named;

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
    /// A program that is not known to only read has its name.
    Named,
}

/// Returns the files that redirections of a command change.
pub(crate) fn redirected(command: &Command) -> impl Iterator<Item = Target> {
    let written = command.redirections.iter().filter(|to| writes(to));
    written.map(|to| {
        let replaces = matches!(to.operator, RedirectionOperator::Output | RedirectionOperator::Clobber);
        let use_of = match replaces && (prints_nothing(command) || reads(command, &to.target)) {
            true => Use::Lost,
            false => Use::File,
        };
        Target::of(&to.target, use_of)
    })
}

/// Returns `true` for a command that reads the file which its redirection empties before: `sort x > x`.
fn reads(command: &Command, target: &Word) -> bool {
    let is_text = || matches!(command.program(), Some("[" | "echo" | "printf" | "test"));
    target.literal().is_some_and(|file| command.has_argument(file)) && !is_text()
}

/// Returns `true` for a command that is there for its redirection: `: > x`, `cat /dev/null > x`.
fn prints_nothing(command: &Command) -> bool {
    match command.program().map(plain) {
        Some(":" | "true") => true,
        Some("cat") => {
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

/// Returns the name of a program of GNU's where it is installed next to another system's: `cp` of `gcp`.
pub(crate) fn plain(program: &str) -> &str {
    match program {
        "gcat" | "gchgrp" | "gchmod" | "gchown" | "gcp" | "gdd" | "ginstall" | "gln" | "gmv" | "grm" | "grmdir"
        | "gsed" | "gshred" | "gsort" | "gtar" | "gtee" | "gtouch" | "gtruncate" => &program[1..],
        _ => program,
    }
}

/// Returns the files that a command changes itself.
pub(crate) fn targets(command: &Command) -> Vec<Target> {
    let of_words =
        |words: Vec<&Word>, use_of| -> Vec<Target> { words.into_iter().map(|word| Target::of(word, use_of)).collect() };
    let all = |use_of| of_words(operands(command), use_of);
    let has = |valued, letter, name| has_flag(command, valued, letter, name);
    let files = |valued, letters: &[char]| of_names(Arguments::of(command, valued).values_of(letters));
    match plain(command.program().unwrap_or_default()) {
        "chmod" | "chown" | "chgrp" if has(&[], 'R', "recursive") => all(Use::Tree),
        "touch" | "chmod" | "chown" | "chgrp" => all(Use::Mode),
        "sponge" | "tee" => all(Use::File),
        "srm" if has(&[], 'R', "recursive") => all(Use::Whole),
        "srm" | "wipe" if has(&[], 'r', "recursive") => all(Use::Whole),
        "shred" | "srm" | "truncate" | "unlink" | "wipe" => all(Use::Lost),
        "del-cli" | "rimraf" | "rm" | "rmdir" => all(Use::Whole),
        "cp" => copies(command, OF_COPIES, Use::Merged),
        "scp" => copies(command, OF_SCP, Use::Merged),
        "ln" => copies(command, OF_COPIES, Use::Overwritten),
        "install" => {
            let mut targets = copies(command, OF_INSTALL, Use::Overwritten);
            if has(OF_INSTALL, 'd', "directory") {
                // It gives folders that are there another mode.
                targets.extend(all(Use::Mode));
            }
            targets
        }
        "mv" => {
            let mut targets = copies(command, OF_COPIES, Use::Overwritten);
            let (_, destinations) = ways(command, OF_COPIES);
            let mut moved = all(Use::Whole);
            moved.retain(|target| !destinations.contains(&target.pieces));
            targets.extend(moved);
            targets
        }
        "rsync" if has(OF_RSYNC, 'n', "dry-run") => Vec::new(),
        "rsync" => {
            let mut targets = copies(command, OF_RSYNC, Use::Merged);
            if command.has_argument("--remove-source-files") || command.has_argument("--remove-sent-files") {
                let mut sources = Arguments::of(command, OF_RSYNC).operands;
                sources.pop();
                targets.extend(of_words(sources, Use::Whole));
            }
            targets
        }
        "patch" => of_names(patched(command)),
        program @ ("sed" | "perl" | "ruby") => of_names(edited(command, program)),
        program if is_fetcher(program) => of_names(fetched(command)),
        "unzip" => files(&[('d', NO_NAME)], &['d']),
        "bsdtar" | "tar" => of_tar(command),
        "zip" => {
            let operands = Arguments::of(command, OF_ZIP).operands;
            let looks = command.has_argument("-sf") || operands.len() == 1 && has(OF_ZIP, 'T', "test");
            archived(of_words(operands, Use::Whole), !looks, has(OF_ZIP, 'm', "move"))
        }
        "7z" | "7za" | "7zr" | "7zz" => {
            let mut targets = files(&[('o', NO_NAME)], &['o']);
            let (verb, files) = behind_verb(command);
            let takes = matches!(&*verb, "a" | "u");
            let makes = takes || matches!(&*verb, "d" | "rn");
            targets.extend(archived(
                of_words(files, Use::Whole),
                makes,
                takes && command.has_argument("-sdel"),
            ));
            targets
        }
        "rar" => {
            let (verb, files) = behind_verb(command);
            let takes = matches!(&*verb, "m" | "mf");
            let makes = takes || matches!(&*verb, "a" | "c" | "d" | "f" | "k" | "r" | "rn" | "s" | "u");
            archived(
                of_words(files, Use::Whole),
                makes,
                makes && (takes || command.has_argument("-df")),
            )
        }
        "sort" => files(OF_SORT, &['o']),
        "qemu-img" => {
            let mut operands = Arguments::of(command, OF_QEMU_IMG).operands;
            let disk = match operands.first().and_then(|word| word.literal()) {
                Some("convert" | "dd" | "rebase") => operands.pop(),
                Some("amend" | "commit" | "create" | "resize") => operands.get(1).copied(),
                _ => None,
            };
            of_words(Vec::from_iter(disk), Use::File)
        }
        "dd" | "dc3dd" | "dcfldd" => {
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

/// Returns the command of an archiver, in lowercase, and what is behind it.
fn behind_verb(command: &Command) -> (String, Vec<&Word>) {
    let mut operands = operands(command);
    let verb = operands
        .first()
        .map_or("", |word| word.known_start())
        .to_ascii_lowercase();
    operands.drain(..1.min(operands.len()));
    (verb, operands)
}

fn of_names(names: Vec<Vec<Piece>>) -> Vec<Target> {
    names.into_iter().map(Target::file).collect()
}

/// Returns what an archiver changes that makes an archive: that, and the files behind it if it takes them away.
fn archived(mut operands: Vec<Target>, makes: bool, takes: bool) -> Vec<Target> {
    if let Some(archive) = operands.first_mut() {
        archive.use_of = Use::File;
    }
    operands.truncate(match (makes, takes) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => operands.len(),
    });
    // It goes to stdout.
    operands.retain(|operand| !operand.is("-"));
    operands
}

/// The long name of options that have only a letter.
const NO_NAME: &str = "\0";

const OF_TAR: &Valued = &[
    ('C', "directory"),
    ('F', "info-script"),
    ('H', "format"),
    ('I', "use-compress-program"),
    ('K', "starting-file"),
    ('L', "tape-length"),
    ('N', "newer"),
    ('T', "files-from"),
    ('V', "label"),
    ('X', "exclude-from"),
    ('b', "blocking-factor"),
    ('f', "file"),
    ('g', "listed-incremental"),
    (NONE, "exclude"),
    (NONE, "group"),
    (NONE, "mode"),
    (NONE, "owner"),
    (NONE, "strip-components"),
    (NONE, "transform"),
];

const OF_ZIP: &Valued = &[
    ('O', "output-file"),
    ('P', "password"),
    ('Z', "compression-method"),
    ('b', "temp-path"),
    ('i', "include"),
    ('n', "suffixes"),
    ('s', "split-size"),
    ('t', "from-date"),
    ('x', "exclude"),
];

const OF_QEMU_IMG: &Valued = &[
    ('F', NO_NAME),
    ('O', NO_NAME),
    ('S', NO_NAME),
    ('b', NO_NAME),
    ('f', NO_NAME),
    ('o', NO_NAME),
];

const OF_SCP: &Valued = &[
    ('D', NO_NAME),
    ('F', NO_NAME),
    ('J', NO_NAME),
    ('P', NO_NAME),
    ('S', NO_NAME),
    ('X', NO_NAME),
    ('c', NO_NAME),
    ('i', NO_NAME),
    ('l', NO_NAME),
    ('o', NO_NAME),
];

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
    (NONE, "backup-dir"),
    (NONE, "bwlimit"),
    (NONE, "chmod"),
    (NONE, "chown"),
    (NONE, "compare-dest"),
    (NONE, "copy-dest"),
    (NONE, "debug"),
    (NONE, "exclude"),
    (NONE, "exclude-from"),
    (NONE, "files-from"),
    (NONE, "include"),
    (NONE, "include-from"),
    (NONE, "info"),
    (NONE, "link-dest"),
    (NONE, "log-file"),
    (NONE, "max-delete"),
    (NONE, "max-size"),
    (NONE, "min-size"),
    (NONE, "modify-window"),
    (NONE, "out-format"),
    (NONE, "partial-dir"),
    (NONE, "password-file"),
    (NONE, "port"),
    (NONE, "rsync-path"),
    (NONE, "suffix"),
    (NONE, "timeout"),
    (NONE, "write-batch"),
];

/// Returns what `tar` changes: the archive that it makes, with the files that it takes into that, or the folders that it
/// unpacks into.
fn of_tar(command: &Command) -> Vec<Target> {
    let mut words = command.arguments();
    let first = words.first().map_or("", Word::known_start);
    // Options without a dash: their values are the next words, in the same order.
    let bundled = if first.starts_with('-') { "" } else { first };
    let (mut archives, mut folders) = (Vec::new(), Vec::new());
    if !bundled.is_empty() {
        words = &words[1..];
    }
    for letter in bundled
        .chars()
        .filter(|letter| OF_TAR.iter().any(|(valued, _)| valued == letter))
    {
        let Some((value, behind)) = words.split_first() else {
            break;
        };
        match letter {
            'f' => archives.push(pieces(value)),
            'C' => folders.push(pieces(value)),
            _ => {}
        }
        words = behind;
    }
    let arguments = Arguments::of_words(words, OF_TAR);
    archives.extend(arguments.values_of(&['f']));
    // Each is taken from the one before it.
    for folder in arguments.values_of(&['C']) {
        let from = folders.last().map(|last| within(last, "/", folder.clone()));
        folders.extend(from);
        folders.push(folder);
    }
    let has = |letter, name| has_flag(command, OF_TAR, letter, name) || bundled.contains(letter);
    let makes = ["concatenate", "catenate"].iter().any(|name| has('A', name))
        || has('c', "create")
        || has('r', "append")
        || has('u', "update");
    let mut targets = of_names(if makes { archives } else { folders.clone() });
    if has_flag(command, OF_TAR, NONE, "remove-files") {
        for operand in &arguments.operands {
            let inner = folders.iter().map(|folder| within(folder, "/", pieces(operand)));
            targets.extend(inner.chain([pieces(operand)]).map(|pieces| Target {
                pieces,
                use_of: Use::Whole,
            }));
        }
    }
    targets.retain(|target| !target.is("-"));
    targets
}

/// Returns whether the paths that a command's words make with each other could take too much memory: it is not to be
/// asked what it changes.
pub(crate) fn is_too_long(command: &Command) -> bool {
    const MOST: usize = 16 << 20;
    let makes_paths = match plain(command.program().unwrap_or_default()) {
        "bsdtar" | "cp" | "install" | "ln" | "mv" | "patch" | "perl" | "rsync" | "ruby" | "scp" | "sed" | "tar" => true,
        program => is_fetcher(program),
    };
    let lengths = command.words.iter().map(|word| {
        let lengths = word.parts.iter().map(|part| match part {
            Part::Literal(text) => text.len(),
            Part::Expansion(_) => 1,
        });
        lengths.sum::<usize>()
    });
    makes_paths && lengths.max().unwrap_or_default() * command.words.len() > MOST
}

/// Returns whether globs also find names with a dot at the start from a command on.
pub(crate) fn finds_dots(command: &Command) -> bool {
    let is_option = |word: &Word| word.known_start().to_ascii_lowercase().contains("dot");
    let is_set = matches!(command.program(), Some("shopt" | "setopt")) && command.arguments().iter().any(is_option);
    let mut assigned = command.assignments.iter();
    is_set || assigned.any(|assigned| assigned.name == "GLOBIGNORE")
}
