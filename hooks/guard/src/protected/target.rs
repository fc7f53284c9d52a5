//! What a command of a shell changes, as far as its words tell.

use hookkit::shell::{Command, Redirection, RedirectionOperator, Word};

use crate::words::{Arguments, Piece, Valued, has_flag, long, operands, parted, pieces, pieces_from, within};

/// A file that a command changes.
#[derive(Debug, PartialEq)]
pub(super) struct Target {
    /// Its name: a text alone where it is known.
    pub(super) pieces: Vec<Piece>,
    pub(super) use_of: Use,
}

/// What becomes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Use {
    /// It is changed, or made.
    File,
    /// It is gone, with all that is in it.
    Whole,
    /// It is changed where it is there already: a copy of another one is no harm.
    Overwritten,
    /// It is changed where it is there already; of a folder, what is in it, by the contents of another.
    Merged,
    /// It is changed, with all that is in it.
    Tree,
    /// A link to it is made.
    Linked,
}

/// The files that a command changes.
pub(super) fn targets(command: &Command) -> Vec<Target> {
    let written = command.redirections.iter().filter(|to| writes(to));
    let mut targets: Vec<Target> = written.map(|to| target(&to.target, Use::File)).collect();
    let operands = operands(command);
    let all = |use_of| operands.iter().map(move |word| target(word, use_of));
    match command.program().unwrap_or_default() {
        "chmod" | "chown" | "chgrp" if has_flag(command, 'R', "recursive") => targets.extend(all(Use::Tree)),
        "tee" | "touch" | "truncate" | "chmod" | "chown" | "chgrp" => targets.extend(all(Use::File)),
        "patch" => {
            targets.extend(all(Use::File));
            let written = Arguments::of(command, OF_PATCH).values_of("or");
            targets.extend(written.map(|pieces| Target {
                pieces,
                use_of: Use::File,
            }));
        }
        "rm" | "rmdir" | "unlink" | "shred" => targets.extend(all(Use::Whole)),
        "cp" => targets.extend(copies(command, OF_COPIES, Use::Merged)),
        "install" => targets.extend(copies(command, OF_INSTALL, Use::Overwritten)),
        "ln" => targets.extend(copies(command, OF_COPIES, Use::Overwritten)),
        "mv" => {
            targets.extend(copies(command, OF_COPIES, Use::Overwritten));
            let (_, destinations) = ways(command, OF_COPIES);
            targets.extend(all(Use::Whole).filter(|target| !destinations.contains(&target.pieces)));
        }
        "sed" | "gsed" | "perl" | "ruby" if command.arguments().iter().any(is_in_place) => {
            targets.extend(behind_script(command).map(|word| target(word, Use::File)));
        }
        "dd" => {
            let written = operands.iter().filter(|word| word.known_start().starts_with("of="));
            targets.extend(written.map(|word| Target {
                pieces: pieces_from(word, "of=".len()),
                use_of: Use::File,
            }));
        }
        _ => {}
    }
    targets
}

fn writes(redirection: &Redirection) -> bool {
    use RedirectionOperator as Op;
    match redirection.operator {
        Op::Output | Op::Append | Op::Clobber | Op::ReadWrite | Op::OutputAndError | Op::AppendOutputAndError => true,
        // A word that is no descriptor is a file.
        Op::DuplicateOutput => redirection
            .target
            .literal()
            .is_none_or(|word| word.contains(|c: char| !c.is_ascii_digit() && c != '-')),
        _ => false,
    }
}

const OF_COPIES: &Valued = &[('t', "target-directory"), ('S', "suffix")];

const OF_INSTALL: &Valued = &[
    ('t', "target-directory"),
    ('S', "suffix"),
    ('g', "group"),
    ('m', "mode"),
    ('o', "owner"),
];

/// By `o` and `r` it writes a file.
const OF_PATCH: &Valued = &[
    ('o', "output"),
    ('r', "reject-file"),
    ('B', "prefix"),
    ('D', "ifdef"),
    ('F', "fuzz"),
    ('V', "version-control"),
    ('Y', "basename-prefix"),
    ('d', "directory"),
    ('g', "get"),
    ('i', "input"),
    ('p', "strip"),
    ('x', "debug"),
    ('z', "suffix"),
];

/// Returns the sources and the destinations of a program that copies: its last operand, or the folder of `-t`.
fn ways(command: &Command, valued: &Valued) -> (Vec<Vec<Piece>>, Vec<Vec<Piece>>) {
    let operands = operands(command);
    let arguments = Arguments::of(command, valued);
    // Not every system's program takes a value where GNU's does.
    let last = [arguments.operands.last().copied(), operands.last().copied()];
    // With more than one `-t` the program refuses.
    let mut destinations = Vec::from_iter(arguments.values_of("t").next());
    if destinations.is_empty() && operands.len() > 1 {
        destinations.extend(last.into_iter().flatten().map(pieces));
        destinations.dedup();
    } else if destinations.is_empty() && command.program() == Some("ln") {
        destinations.push(vec![Piece::Text(".".to_owned())]);
    }
    (operands.into_iter().map(pieces).collect(), destinations)
}

/// Returns what a program changes that copies: its destinations, and the files that are in them already.
fn copies(command: &Command, valued: &Valued, use_of: Use) -> Vec<Target> {
    let (sources, destinations) = ways(command, valued);
    let is_folder = use_of == Use::Merged && has_flag(command, 'T', "no-target-directory");
    let mut targets = Vec::new();
    for destination in destinations {
        for source in &sources {
            let mut name = parted(source).1.pop().unwrap_or_default();
            // The contents of a parent folder are copied, too, and not beside the destination.
            if let [Piece::Text(name)] = &mut name[..]
                && name == ".."
            {
                name.pop();
            }
            let pieces = within(&destination, "/", name);
            targets.push(Target { pieces, use_of });
        }
        let pieces = destination.clone();
        targets.extend(is_folder.then_some(Target { pieces, use_of }));
        targets.push(Target {
            pieces: destination,
            use_of: Use::File,
        });
    }
    targets
}

/// Returns what a command makes links to, as far as it is known.
pub(super) fn linked(command: &Command) -> Vec<Target> {
    if command.program() != Some("ln") {
        return Vec::new();
    }
    let (sources, destinations) = ways(command, OF_COPIES);
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

/// Whether an option has a program change files in their place: `-i`, `-pi`, `-i.bak`, `--in-place`, `--in`.
fn is_in_place(word: &Word) -> bool {
    let start = word.known_start();
    let Some(letters) = start.strip_prefix('-') else {
        return false;
    };
    if letters.starts_with('-') {
        let name = long(start).0;
        return !name.is_empty() && "in-place".starts_with(name);
    }
    without_flags(letters).starts_with('i')
}

/// Returns what follows on the letters of an option that take no value.
fn without_flags(letters: &str) -> &str {
    letters.trim_start_matches(|c: char| c.is_ascii_digit() || "aEnlprswzub".contains(c))
}

/// The files of a program whose first operand is its script, where no option brings one.
fn behind_script(command: &Command) -> impl Iterator<Item = &Word> {
    let mut files = Vec::new();
    let mut has_script = false;
    let mut arguments = command.arguments().iter();
    while let Some(word) = arguments.next() {
        match word.known_start().strip_prefix('-') {
            None => files.push(word),
            Some(option) if option.starts_with('-') => {
                let name = long(word.known_start()).0;
                has_script |= !name.is_empty() && ["expression", "file"].iter().any(|full| full.starts_with(name));
            }
            Some(letters) if letters.ends_with(['e', 'f']) => {
                has_script = true;
                arguments.next();
            }
            // The script is in the same word.
            Some(letters) => has_script |= without_flags(letters).starts_with(['e', 'f']),
        }
    }
    files.into_iter().skip(usize::from(!has_script))
}

fn target(word: &Word, use_of: Use) -> Target {
    Target {
        pieces: pieces(word),
        use_of,
    }
}
