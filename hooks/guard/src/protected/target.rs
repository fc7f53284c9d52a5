//! What a command of a shell changes, as far as its words tell.

use hookkit::shell::{Command, ExpansionKind, Part, Redirection, RedirectionOperator, Word};

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
        "tee" | "touch" | "truncate" | "chmod" | "chown" | "chgrp" | "patch" => targets.extend(all(Use::File)),
        "rm" | "rmdir" | "unlink" | "shred" => targets.extend(all(Use::Whole)),
        "cp" | "install" | "ln" => targets.extend(destinations(command, &operands)),
        "mv" => {
            targets.extend(destinations(command, &operands));
            targets.extend(all(Use::Whole));
        }
        "sed" | "gsed" | "perl" | "ruby" if command.arguments().iter().any(is_in_place) => {
            targets.extend(behind_script(command).map(|word| target(word, Use::File)));
        }
        "dd" => targets.extend(operands.iter().filter_map(|word| {
            let mut target = target(word, Use::File);
            let Some(Piece::Text(text)) = target.pieces.first_mut() else {
                return None;
            };
            *text = text.strip_prefix("of=")?.to_owned();
            Some(target)
        })),
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

/// Where a program puts copies: its last operand, or the folder of `-t`, and in a folder the files that are there already.
fn destinations(command: &Command, operands: &[&Word]) -> Vec<Target> {
    const LONG: &str = "--target-directory=";
    let arguments = command.arguments();
    let option = arguments
        .iter()
        .position(|word| matches!(word.literal(), Some("-t" | "--target-directory")));
    let by_option = option.and_then(|at| arguments.get(at + 1)).map(pieces).or_else(|| {
        let mut long = arguments.iter().map(pieces).filter_map(|mut pieces| {
            let Some(Piece::Text(text)) = pieces.first_mut() else {
                return None;
            };
            *text = text.strip_prefix(LONG)?.to_owned();
            Some(pieces)
        });
        long.next()
    });
    let (sources, destination) = match (by_option, operands) {
        (Some(folder), sources) => (sources, folder),
        (None, [sources @ .., last]) if !sources.is_empty() => (sources, pieces(last)),
        _ => return Vec::new(),
    };
    let copies = sources.iter().map(|source| {
        let mut copy = destination.clone();
        copy.push(Piece::Text("/".to_owned()));
        copy.extend(parted(&pieces(source)).1.pop().unwrap_or_default());
        Target {
            pieces: joined(copy),
            use_of: Use::Overwritten,
        }
    });
    let mut targets: Vec<Target> = copies.collect();
    targets.push(Target {
        pieces: destination,
        use_of: Use::File,
    });
    targets
}

/// Whether an option has a program change files in their place: `-i`, `-pi`, `-i.bak`, `--in-place`.
fn is_in_place(word: &Word) -> bool {
    let start = word.known_start();
    let Some(letters) = start.strip_prefix('-') else {
        return false;
    };
    let others = |c: char| c.is_ascii_digit() || "aEnlprswz".contains(c);
    letters.trim_start_matches(others).starts_with('i') || start.starts_with("--in-place")
}

/// The files of a program whose first operand is its script, where no option brings one.
fn behind_script(command: &Command) -> impl Iterator<Item = &Word> {
    let mut files = Vec::new();
    let mut has_script = false;
    let mut arguments = command.arguments().iter();
    while let Some(word) = arguments.next() {
        match word.known_start().strip_prefix('-') {
            None => files.push(word),
            Some(long) if long.starts_with('-') => {
                has_script |= long.starts_with("-expression") || long.starts_with("-file");
            }
            Some(letters) if letters.ends_with(['e', 'f']) => {
                has_script = true;
                arguments.next();
            }
            Some(_) => {}
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
    let mut pieces = Vec::new();
    let mut is_in_brackets = false;
    for (at, part) in word.parts.iter().enumerate() {
        match part {
            Part::Literal(text) => {
                // What follows on a glob can be the characters that a `[` begins.
                let text = text
                    .split_once(']')
                    .filter(|_| is_in_brackets)
                    .map_or(text.as_str(), |(_, rest)| rest);
                // In quotes it is a name.
                let here = if at == 0 && text.starts_with('~') { "./" } else { "" };
                pieces.push(Piece::Text(format!("{here}{text}")));
                is_in_brackets = false;
            }
            Part::Expansion(expansion) => {
                is_in_brackets = expansion.kind == ExpansionKind::Glob;
                pieces.push(match expansion.kind {
                    ExpansionKind::Tilde if at == 0 && is_own_home(word.parts.get(1)) => Piece::Text("~".to_owned()),
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
