//! What a command of a shell changes, as far as its words tell.

use hookkit::shell::{Command, ExpansionKind, Part, Redirection, RedirectionOperator, Word};

use crate::folders::is_home;

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

/// A part of a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// Something that only the shell knows; of a glob it is names of files that are there.
    Any {
        is_glob: bool,
    },
}

impl Piece {
    /// Whether it leaves less than every name.
    pub(super) fn says_something(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Any { is_glob } => *is_glob,
        }
    }
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
            targets.extend(all(Use::Whole));
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

fn operands(command: &Command) -> Vec<&Word> {
    let mut are_options_over = false;
    let is_operand = |word: &&Word| {
        let is_option = !are_options_over && word.known_start().starts_with('-');
        are_options_over |= word.literal() == Some("--");
        !is_option
    };
    command.arguments().iter().filter(is_operand).collect()
}

/// The options of a program that take a value: the letter and the long name of each.
type Valued = [(char, &'static str)];

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

/// The arguments of a program.
struct Arguments<'w> {
    operands: Vec<&'w Word>,
    /// The values of its options, by their letters.
    values: Vec<(char, Vec<Piece>)>,
}

impl<'w> Arguments<'w> {
    fn of(command: &'w Command, valued: &Valued) -> Self {
        let mut words = command.arguments().iter();
        let mut found = Self {
            operands: Vec::new(),
            values: Vec::new(),
        };
        while let Some(word) = words.next() {
            if word.literal() == Some("--") {
                found.operands.extend(words);
                break;
            }
            if !word.known_start().starts_with('-') {
                found.operands.push(word);
            } else if let Some((letter, at)) = option(word, valued) {
                let value = match at {
                    Some(at) => Some(pieces_from(word, at)),
                    None => words.next().map(pieces),
                };
                found.values.extend(value.map(|value| (letter, value)));
            }
        }
        found
    }

    fn values_of(self, letters: &str) -> impl Iterator<Item = Vec<Piece>> {
        let values = self.values.into_iter();
        values.filter_map(move |(letter, value)| letters.contains(letter).then_some(value))
    }
}

/// Returns the letter of the option with a value that a word holds, and the position of the value if the word holds that,
/// too: `-t`, `-vt`, `-tDIR`, `--target-directory`, `--target=DIR`.
fn option(word: &Word, valued: &Valued) -> Option<(char, Option<usize>)> {
    let start = word.known_start();
    if start.starts_with("--") {
        let (name, at) = long(start);
        if name.is_empty() || at.is_none() && word.parts.len() > 1 {
            return None;
        }
        let (letter, _) = valued.iter().find(|(_, full)| full.starts_with(name))?;
        return Some((*letter, at));
    }
    let is_valued = |letter: &char| valued.iter().any(|(valued, _)| valued == letter);
    let (at, letter) = start.char_indices().skip(1).find(|(_, letter)| is_valued(letter))?;
    let at = at + letter.len_utf8();
    let is_whole = at == start.len() && word.parts.len() == 1;
    Some((letter, (!is_whole).then_some(at)))
}

/// Returns the name of a long option, which can be cut short, and the position of its value.
fn long(option: &str) -> (&str, Option<usize>) {
    let equals = option.find('=');
    (&option[2..equals.unwrap_or(option.len())], equals.map(|at| at + 1))
}

/// Returns whether a flag is among the arguments: by its letter, alone or with others, or by its long name, which can be cut short.
fn has_flag(command: &Command, letter: char, name: &str) -> bool {
    command.arguments().iter().any(|word| match word.known_start() {
        "--" => false,
        option if option.starts_with("--") => name.starts_with(long(option).0),
        option => option.starts_with('-') && option.contains(letter),
    })
}

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

/// Returns the path of a name in a folder.
fn within(folder: &[Piece], between: &str, name: Vec<Piece>) -> Vec<Piece> {
    joined(
        folder
            .iter()
            .cloned()
            .chain([Piece::Text(between.to_owned())])
            .chain(name),
    )
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

/// A word's pieces, with `~` where the shell puts the home folder.
fn pieces(word: &Word) -> Vec<Piece> {
    pieces_from(word, 0)
}

/// Those from a position in the text that it begins with.
fn pieces_from(word: &Word, start: usize) -> Vec<Piece> {
    let first = usize::from(start > 0 && word.known_start().len() == start);
    let mut pieces = Vec::new();
    let mut is_in_brackets = false;
    for (at, part) in word.parts.iter().enumerate() {
        match part {
            Part::Literal(text) => {
                let text = if at == 0 { &text[start..] } else { text };
                // What follows on a glob can be the characters that a `[` begins.
                let text = text
                    .split_once(']')
                    .filter(|_| is_in_brackets)
                    .map_or(text, |(_, rest)| rest);
                // In quotes it is a name; behind `of=` some shells put the home folder, too.
                let here = if at == 0 && start == 0 && text.starts_with('~') {
                    "./"
                } else {
                    ""
                };
                pieces.push(Piece::Text(format!("{here}{text}")));
                is_in_brackets = false;
            }
            Part::Expansion(expansion) => {
                is_in_brackets = expansion.kind == ExpansionKind::Glob;
                pieces.push(match expansion.kind {
                    kind if at == first && is_home(kind) && is_own_home(word.parts.get(at + 1)) => {
                        Piece::Text("~".to_owned())
                    }
                    ExpansionKind::Glob | ExpansionKind::Brace => Piece::Any { is_glob: true },
                    _ => Piece::Any { is_glob: false },
                });
            }
        }
    }
    let has_braces = |part: &Part| matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Brace);
    if word.parts.iter().any(has_braces) {
        pieces = without_braces(pieces);
    }
    joined(pieces)
}

/// The pieces with one that is not known for all from the first `{` to the last `}`.
fn without_braces(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut before: Vec<Piece> = Vec::new();
    let mut rest = pieces.into_iter();
    for piece in rest.by_ref() {
        match piece {
            Piece::Text(text) if text.contains('{') => {
                before.extend(text.split('{').next().map(|text| Piece::Text(text.to_owned())));
                break;
            }
            piece => before.push(piece),
        }
    }
    let mut behind: Vec<Piece> = Vec::new();
    for piece in rest.rev() {
        match piece {
            Piece::Text(text) if text.contains('}') => {
                behind.extend(text.rsplit('}').next().map(|text| Piece::Text(text.to_owned())));
                break;
            }
            piece => behind.push(piece),
        }
    }
    before.push(Piece::Any { is_glob: true });
    before.extend(behind.into_iter().rev());
    before
}

/// Whether what follows on a `~` is no user's name.
fn is_own_home(next: Option<&Part>) -> bool {
    match next {
        None => true,
        Some(Part::Literal(text)) => text.starts_with('/'),
        Some(Part::Expansion(_)) => false,
    }
}

/// The pieces with neighbouring texts put together.
fn joined(pieces: impl IntoIterator<Item = Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

/// Parts a path that is known in part: into the folders that it begins with, and the components that follow on them.
pub(super) fn parted(pieces: &[Piece]) -> (String, Vec<Vec<Piece>>) {
    let mut components = vec![Vec::new()];
    for piece in pieces {
        let Piece::Text(text) = piece else {
            components.last_mut().expect("there is one").push(piece.clone());
            continue;
        };
        for (index, name) in text.split('/').enumerate() {
            if index > 0 {
                components.push(Vec::new());
            }
            if !name.is_empty() {
                components
                    .last_mut()
                    .expect("there is one")
                    .push(Piece::Text(name.to_owned()));
            }
        }
    }
    // What follows on the last slash is the name, if anything does.
    components.pop_if(|last| last.is_empty());
    let is_known = |component: &&Vec<Piece>| matches!(component[..], [] | [Piece::Text(_)]);
    let most = components.len().saturating_sub(1);
    let known = components.iter().take(most).take_while(is_known).count();
    let mut folder = String::new();
    for component in components.drain(..known) {
        if let Some(Piece::Text(name)) = component.first() {
            folder.push_str(name);
        }
        folder.push('/');
    }
    (folder, components)
}

/// Whether a name may be what these pieces become. A glob finds no name with a dot before it unless it says so.
pub(super) fn fits(name: &str, pieces: &[Piece]) -> bool {
    if name.starts_with('.') && matches!(pieces.first(), Some(Piece::Any { is_glob: true })) {
        return false;
    }
    let mut rest = name;
    let mut is_open = false;
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Text(text) = piece else {
            is_open = true;
            continue;
        };
        let found = match (is_open, at + 1 == pieces.len()) {
            (false, _) => rest.starts_with(text.as_str()).then_some(0),
            (true, true) => rest.ends_with(text.as_str()).then(|| rest.len() - text.len()),
            (true, false) => rest.find(text.as_str()),
        };
        let Some(start) = found else { return false };
        rest = &rest[start + text.len()..];
        is_open = false;
    }
    is_open || rest.is_empty()
}
