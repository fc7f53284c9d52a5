//! The files that a command of a shell changes, as far as its words show.

use hookkit::shell::{Command, Redirection, RedirectionOperator, Word};

use crate::folders::OF_PATCH;
use crate::words::{
    Arguments, Kernel, Piece, Valued, components, has_flag, joined, long, of_kernel, operands, parted, pieces,
    pieces_from, within,
};

/// A file that a command changes.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    /// Its name: a text alone where it is known.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) use_of: Use,
}

/// Kind of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Use {
    /// It is changed, or made.
    File,
    /// It is gone, with all that is in it.
    Whole,
    /// It is changed where it is there already: a copy of another one is not a harm.
    Overwritten,
    /// It is changed where it is there already; of a folder, what is in it, by the contents of another.
    Merged,
    /// It is changed, with all that is in it.
    Tree,
    /// A link to it is made.
    Linked,
}

/// Returns the files that redirections of a command change.
pub(crate) fn redirected(command: &Command) -> impl Iterator<Item = Target> {
    let written = command.redirections.iter().filter(|to| writes(to));
    written.map(|to| target(&to.target, Use::File))
}

/// Returns the files that a command changes itself.
pub(crate) fn targets(command: &Command) -> Vec<Target> {
    let mut targets = Vec::new();
    let operands = operands(command);
    let all = |use_of| operands.iter().map(move |word| target(word, use_of));
    match command.program().unwrap_or_default() {
        "chmod" | "chown" | "chgrp" if has_flag(command, 'R', "recursive") => targets.extend(all(Use::Tree)),
        "tee" | "touch" | "truncate" | "chmod" | "chown" | "chgrp" => targets.extend(all(Use::File)),
        "patch" => targets.extend(patched(command).into_iter().map(file)),
        "rm" | "rmdir" | "unlink" | "shred" => targets.extend(all(Use::Whole)),
        "cp" => targets.extend(copies(command, OF_COPIES, Use::Merged)),
        "install" => {
            targets.extend(copies(command, OF_INSTALL, Use::Overwritten));
            // It gives folders that are there another mode.
            targets.extend(all(Use::File).filter(|_| has_flag(command, 'd', "directory")));
        }
        "ln" => targets.extend(copies(command, OF_COPIES, Use::Overwritten)),
        "mv" => {
            targets.extend(copies(command, OF_COPIES, Use::Overwritten));
            let (_, destinations) = ways(command, OF_COPIES);
            targets.extend(all(Use::Whole).filter(|target| !destinations.contains(&target.pieces)));
        }
        program @ ("sed" | "gsed" | "perl" | "ruby") => targets.extend(edited(command, program).into_iter().map(file)),
        "curl" | "wget" | "wget2" => targets.extend(fetched(command).into_iter().map(file)),
        "bsdtar" | "gtar" | "tar" => targets.extend(of_option(command, OF_TAR, "C").map(file)),
        "unzip" => targets.extend(of_option(command, &[('d', NO_NAME)], "d").map(file)),
        "7z" | "7za" | "7zz" => targets.extend(of_option(command, &[('o', NO_NAME)], "o").map(file)),
        "rsync" => targets.extend(copies(command, OF_RSYNC, Use::Merged)),
        "scp" => targets.extend(copies(command, OF_SCP, Use::Merged)),
        "dd" => {
            let written = operands.iter().filter(|word| word.known_start().starts_with("of="));
            targets.extend(written.map(|word| file(pieces_from(word, "of=".len()))));
        }
        name if FINDS.contains(&name) => {
            let arguments = command.arguments();
            let pairs = arguments
                .windows(2)
                .filter(|pair| matches!(pair[0].literal(), Some(option) if WRITES.contains(&option)));
            targets.extend(pairs.map(|pair| target(&pair[1], Use::File)));
            targets.extend(Some(file(vec![Piece::Unknown])).filter(|_| command.has_argument("-delete")));
        }
        _ => {}
    }
    targets
}

/// The names of `find`, and its options by which it writes a file.
pub(crate) const FINDS: &[&str] = &["find", "gfind", "bfs"];
const WRITES: &[&str] = &["-fls", "-fprint", "-fprint0", "-fprintf"];

/// Returns the files that `find` may come to: below each folder that it starts in, by the names that its tests know.
pub(crate) fn found(command: &Command) -> Vec<Vec<Piece>> {
    /// More are not looked at.
    const MOST: usize = 50;
    const NAMES: &[&str] = &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"];
    let arguments = command.arguments();
    let is_start = |word: &&Word| !word.known_start().starts_with(['-', '(', '!']);
    let starts = arguments
        .iter()
        .skip_while(|word| matches!(word.literal(), Some("-H" | "-L" | "-P")));
    let mut starts: Vec<_> = starts.take_while(is_start).map(pieces).collect();
    if starts.is_empty() {
        starts.push(vec![Piece::from(".")]);
    }
    let names = arguments.windows(2).enumerate().filter_map(|(at, pair)| {
        let is_not = at > 0 && matches!(arguments[at - 1].literal(), Some("!" | "-not"));
        let name = pair[1].literal()?.rsplit('/').next()?;
        (NAMES.contains(&pair[0].literal()?) && !is_not && !name.contains(['*', '?', '['])).then_some(name)
    });
    let slash = || Piece::from("/");
    let mut rests = vec![vec![slash(), Piece::Unknown]];
    for name in names {
        let name = Piece::Text(format!("/{name}"));
        rests.extend([
            vec![name.clone()],
            vec![slash(), Piece::Braces, name.clone()],
            vec![slash(), Piece::Unknown, name],
        ]);
    }
    let paths = starts
        .iter()
        .flat_map(|start| rests.iter().map(|rest| within(start, "", rest.clone())));
    paths.take(MOST).collect()
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

/// The letter of options that have only a long name.
const NONE: char = '\0';

const OF_COPIES: &Valued = &[
    ('t', "target-directory"),
    ('S', "suffix"),
    (NONE, "no-preserve"),
    (NONE, "sparse"),
];

const OF_INSTALL: &Valued = &[
    ('t', "target-directory"),
    ('S', "suffix"),
    ('g', "group"),
    ('m', "mode"),
    ('o', "owner"),
    (NONE, "strip-program"),
];

/// The long name of options that have only a letter.
const NO_NAME: &str = "\0";

const OF_CURL: &Valued = &[
    ('o', "output"),
    (NONE, "output-dir"),
    ('H', "header"),
    ('X', "request"),
    ('d', "data"),
    ('u', "user"),
    ('A', "user-agent"),
    ('F', "form"),
];

const OF_WGET: &Valued = &[
    ('O', "output-document"),
    ('P', "directory-prefix"),
    ('U', "user-agent"),
    ('o', "output-file"),
];

const OF_TAR: &Valued = &[('C', "directory"), ('f', "file")];

const OF_SCP: &Valued = &[('P', NO_NAME), ('i', NO_NAME), ('o', NO_NAME), ('l', NO_NAME)];

const OF_RSYNC: &Valued = &[('e', "rsh"), (NONE, "exclude"), (NONE, "include"), (NONE, "filter")];

/// Returns the values of options: files that a program writes, or folders into which it unpacks.
fn of_option(command: &Command, valued: &Valued, letters: &'static str) -> impl Iterator<Item = Vec<Piece>> {
    Arguments::of(command, valued).values_of(letters)
}

/// Returns the files into which a request puts what it gets, and the folders.
fn fetched(command: &Command) -> Vec<Vec<Piece>> {
    match command.program() {
        Some("curl") => of_option(command, OF_CURL, "o\0").collect(),
        _ => of_option(command, OF_WGET, "OPo").collect(),
    }
}

/// Returns the sources and the destinations of a program that copies: its last operand, or the folder of `-t`.
fn ways(command: &Command, valued: &Valued) -> (Vec<Vec<Piece>>, Vec<Vec<Piece>>) {
    let operands = operands(command);
    let arguments = Arguments::of(command, valued);
    // Not every system's program takes a value where GNU's does.
    let last = [arguments.operands.last().copied(), operands.last().copied()];
    // With more than one `-t` the program denies.
    let mut destinations = Vec::from_iter(arguments.values_of("t").next());
    if destinations.is_empty() && operands.len() > 1 {
        destinations.extend(last.into_iter().flatten().map(pieces));
        destinations.dedup();
    } else if destinations.is_empty() && command.program() == Some("ln") {
        destinations.push(vec![Piece::from(".")]);
    }
    (operands.into_iter().map(pieces).collect(), destinations)
}

/// Returns what a program changes that copies: its destinations, and the files that are in them already.
fn copies(command: &Command, valued: &Valued, use_of: Use) -> Vec<Target> {
    let (sources, destinations) = ways(command, valued);
    let is_folder = use_of == Use::Merged && has_flag(command, 'T', "no-target-directory");
    let with_parents = has_flag(command, NONE, "parents");
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
            let pieces = within(&destination, "/", name);
            targets.push(Target { pieces, use_of });
        }
        let pieces = destination.clone();
        targets.extend(is_folder.then_some(Target { pieces, use_of }));
        targets.push(file(destination));
    }
    // A copy is kept of what is there already.
    let mut suffixes = Vec::from_iter(Arguments::of(command, valued).values_of("S").last());
    let mut assigned = command.assignments.iter().rev();
    let assigned = assigned.find(|assigned| assigned.name == "SIMPLE_BACKUP_SUFFIX");
    suffixes.extend(assigned.map(|assigned| pieces(&assigned.value)));
    let kept = suffixes
        .iter()
        .flat_map(|suffix| targets.iter().map(|target| within(&target.pieces, "", suffix.clone())));
    let kept: Vec<_> = kept.map(file).collect();
    targets.extend(kept);
    targets
}

/// Returns what `patch` changes, and the copies that it keeps.
fn patched(command: &Command) -> Vec<Vec<Piece>> {
    let arguments = Arguments::of(command, OF_PATCH);
    let mut changed: Vec<_> = arguments.operands.iter().map(|word| pieces(word)).collect();
    if changed.is_empty() {
        changed.push(vec![Piece::Unknown]);
    }
    let mut kept = Vec::new();
    let mark = || vec![Piece::from("*")];
    let of = |letter| Arguments::of(command, OF_PATCH).values_of(letter).last();
    let prefixes = [of("B"), of("Y")]
        .into_iter()
        .flatten()
        .map(|prefix| within(&prefix, "", mark()));
    for template in prefixes.chain(of("z").map(|suffix| within(&mark(), "", suffix))) {
        kept.extend(changed.iter().flat_map(|name| named(&template, name)));
    }
    changed.extend(kept);
    changed.extend(Arguments::of(command, OF_PATCH).values_of("or"));
    // The files that a patch names are in the folder, or below.
    changed.retain(|pieces| pieces[..] != [Piece::Unknown]);
    changed
}

/// Returns the names of a copy by a template, with the copied file's in the place of each `*`: its path, or the last
/// component of that next to it.
///
/// A name that is longer than a path can be is not a file.
fn named(template: &[Piece], path: &[Piece]) -> [Vec<Piece>; 2] {
    let marks = template.iter().map(|piece| match piece {
        Piece::Text(text) => text.matches('*').count(),
        _ => 1,
    });
    if marks.sum::<usize>().saturating_mul(length(path)) > LONGEST {
        return [vec![Piece::Unknown], vec![Piece::Unknown]];
    }
    let filled = |name: &[Piece]| {
        let pieces = template.iter().flat_map(|piece| match piece {
            Piece::Text(text) => {
                let mut pieces = Vec::new();
                for (index, text) in text.split('*').enumerate() {
                    if index > 0 {
                        pieces.extend_from_slice(name);
                    }
                    pieces.push(Piece::Text(text.to_owned()));
                }
                pieces
            }
            Piece::Glob => name.to_vec(),
            piece => vec![piece.clone()],
        });
        joined(pieces)
    };
    let mut folder = components(path);
    let name = folder.pop().unwrap_or_default();
    let name_next_to = joined(
        folder
            .into_iter()
            .flat_map(|name| name.into_iter().chain([Piece::from("/")])),
    );
    [filled(path), within(&name_next_to, "", filled(&name))]
}

/// Returns what a command makes links to, as far as it is known.
pub(crate) fn linked(command: &Command) -> Vec<Target> {
    let makes_links = || has_flag(command, 'l', "link") || has_flag(command, 's', "symbolic-link");
    match command.program() {
        Some("ln") => {}
        Some("cp") if makes_links() => {}
        _ => return Vec::new(),
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

/// Returns the files that a program changes in their place, with the copies that it keeps, and those that scripts of `sed`
/// write.
fn edited(command: &Command, program: &str) -> Vec<Vec<Piece>> {
    // The last one counts, and what is read as one can be a script.
    let templates = command
        .arguments()
        .iter()
        .rev()
        .filter_map(|word| in_place(word, program))
        .take(4);
    let (scripts, files) = scripts_and_files(command, program);
    let mut changed = Vec::new();
    for mut template in templates {
        let is_mark = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('*')) || *piece == Piece::Glob;
        if !template.iter().any(is_mark) {
            template = within(&[Piece::from("*")], "", template);
        }
        for file in &files {
            changed.push(pieces(file));
            changed.extend(named(&template, &pieces(file)));
        }
    }
    if program != "perl" && program != "ruby" {
        changed.extend(scripts.iter().flat_map(|script| written(script)));
    }
    changed
}

/// Returns what follows on the option by which a program changes files in their place: `-i`, `-pi`, `-i.bak`, `--in-place`,
/// `--in`.
fn in_place(word: &Word, program: &str) -> Option<Vec<Piece>> {
    let start = word.known_start();
    let letters = start.strip_prefix('-')?;
    if letters.starts_with('-') {
        let (name, at) = long(start);
        let is_it = !name.is_empty() && "in-place".starts_with(name);
        return is_it.then(|| at.map(|at| pieces_from(word, at)).unwrap_or_default());
    }
    let behind = without_flags(letters, program).strip_prefix('i')?;
    Some(pieces_from(word, start.len() - behind.len()))
}

/// Returns what follows on the letters of an option that take no value.
fn without_flags<'l>(letters: &'l str, program: &str) -> &'l str {
    let flags = if program == "perl" {
        "aclnpstuvwSTUWXf"
    } else {
        "aEnlprswzub"
    };
    letters.trim_start_matches(|c: char| c.is_ascii_digit() || flags.contains(c))
}

/// Returns the scripts of a program, by its options or else by its first operand, and its files.
fn scripts_and_files<'w>(command: &'w Command, program: &str) -> (Vec<&'w str>, Vec<&'w Word>) {
    let mut scripts = Vec::new();
    let mut files = Vec::new();
    let mut has_script = false;
    let by_option = if program == "perl" { ['e', 'E'] } else { ['e', 'f'] };
    let mut arguments = command.arguments().iter();
    while let Some(word) = arguments.next() {
        let start = word.known_start();
        match start.strip_prefix('-') {
            None => files.push(word),
            Some(option) if option.starts_with('-') => {
                let (name, at) = long(start);
                let is_script = !name.is_empty() && ["expression", "file"].iter().any(|full| full.starts_with(name));
                has_script |= is_script;
                scripts.extend(at.filter(|_| is_script).map(|at| &start[at..]));
            }
            Some(letters) if letters.ends_with(by_option) => {
                has_script = true;
                scripts.extend(arguments.next().map(Word::known_start));
            }
            // The script is in the same word.
            Some(letters) => {
                let script = without_flags(letters, program).strip_prefix(by_option);
                has_script |= script.is_some();
                scripts.extend(script);
            }
        }
    }
    if !has_script && !files.is_empty() {
        scripts.push(files.remove(0).known_start());
    }
    (scripts, files)
}

/// Returns the files that a script of `sed` writes: behind the command `w`, and behind the flag of `s`.
fn written(script: &str) -> impl Iterator<Item = Vec<Piece>> {
    /// More are not looked at, nor is a longer name.
    const MOST: usize = 1000;
    let marks = script.match_indices(['w', 'W']).filter_map(|(at, _)| {
        let before = script[..at].trim_end_matches(|c: char| c.is_ascii_digit() || "gpiIMme".contains(c));
        let file = &script[at + 1..];
        if !file.starts_with([' ', '\t']) || before.ends_with(char::is_alphabetic) {
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

fn target(word: &Word, use_of: Use) -> Target {
    Target {
        pieces: pieces(word),
        use_of,
    }
}

fn file(pieces: Vec<Piece>) -> Target {
    Target {
        pieces,
        use_of: Use::File,
    }
}

/// The longest path that the kernel opens (`PATH_MAX`), in bytes.
const LONGEST: usize = 4096;

/// Returns how many bytes of a path are known.
fn length(path: &[Piece]) -> usize {
    let lengths = path.iter().map(|piece| match piece {
        Piece::Text(text) => text.len(),
        _ => 1,
    });
    lengths.sum()
}

/// Returns the files that a target is by a name of the kernel's. An open file is one that a redirection of the line reads.
pub(crate) fn through(target: Target, redirections: &[&Redirection]) -> Vec<Target> {
    let kernel = of_kernel(&target.pieces).filter(|_| length(&target.pieces) <= LONGEST);
    let Some((kernel, rest)) = kernel else {
        return vec![target];
    };
    let folders = match kernel {
        Kernel::Folder => vec![vec![Piece::from(".")]],
        Kernel::Root => vec![Vec::new()],
        Kernel::Descriptor(number) => read_by(number, redirections),
    };
    let targets = folders.iter().map(|folder| Target {
        pieces: within(folder, "", rest.clone()),
        ..target
    });
    // A file that is read can have such a name, too.
    targets.flat_map(|target| through(target, &[])).collect()
}

/// Returns the files that a descriptor may read; one that is not known, any.
fn read_by(number: Option<u32>, redirections: &[&Redirection]) -> Vec<Vec<Piece>> {
    /// More are not looked at.
    const MOST: usize = 50;
    use RedirectionOperator::{DuplicateInput, DuplicateOutput, Input};
    let is_copy = redirections.iter().any(|redirection| {
        let is_other = !matches!(redirection.target.literal(), Some("1" | "2" | "-"));
        let default = match redirection.operator {
            DuplicateInput => 0,
            DuplicateOutput => 1,
            _ => return false,
        };
        is_other && Some(redirection.descriptor.unwrap_or(default)) == number
    });
    let is_any = is_copy || number.is_none();
    let read = redirections
        .iter()
        .rev()
        .filter(|redirection| redirection.operator == Input);
    let read = read.filter(|read| is_any || Some(read.descriptor.unwrap_or(0)) == number);
    read.take(MOST).map(|read| pieces(&read.target)).collect()
}

/// Returns whether globs also find names with a dot at the start from a command on.
pub(crate) fn finds_dots(command: &Command) -> bool {
    let is_option = |word: &Word| word.known_start().to_ascii_lowercase().contains("dot");
    let is_set = matches!(command.program(), Some("shopt" | "setopt")) && command.arguments().iter().any(is_option);
    let mut assigned = command.assignments.iter();
    is_set || assigned.any(|assigned| assigned.name == "GLOBIGNORE")
}
