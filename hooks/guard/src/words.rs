//! Words of a command: what is known of the text that each becomes, and which of them are options.

use hookkit::shell::{Command, ExpansionKind, Part, Word};

use crate::folders::is_home;

/// A part of a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    /// Something that only the shell knows; of a glob it is names of files that are there.
    Any {
        is_glob: bool,
    },
}

impl Piece {
    /// Whether it leaves less than every name.
    pub(crate) fn says_something(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Any { is_glob } => *is_glob,
        }
    }
}

pub(crate) fn operands(command: &Command) -> Vec<&Word> {
    let mut are_options_over = false;
    let is_operand = |word: &&Word| {
        let is_option = !are_options_over && word.known_start().starts_with('-');
        are_options_over |= word.literal() == Some("--");
        !is_option
    };
    command.arguments().iter().filter(is_operand).collect()
}

/// The options of a program that take a value: the letter and the long name of each.
pub(crate) type Valued = [(char, &'static str)];

/// The arguments of a program.
pub(crate) struct Arguments<'w> {
    pub(crate) operands: Vec<&'w Word>,
    /// The values of its options, by their letters.
    values: Vec<(char, Vec<Piece>)>,
}

impl<'w> Arguments<'w> {
    pub(crate) fn of(command: &'w Command, valued: &Valued) -> Self {
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

    pub(crate) fn values_of(self, letters: &str) -> impl Iterator<Item = Vec<Piece>> {
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
pub(crate) fn long(option: &str) -> (&str, Option<usize>) {
    let equals = option.find('=');
    (&option[2..equals.unwrap_or(option.len())], equals.map(|at| at + 1))
}

/// Returns whether a flag is among the arguments: by its letter, alone or with others, or by its long name, which can be cut short.
pub(crate) fn has_flag(command: &Command, letter: char, name: &str) -> bool {
    command.arguments().iter().any(|word| match word.known_start() {
        "--" => false,
        option if option.starts_with("--") => name.starts_with(long(option).0),
        option => option.starts_with('-') && option.contains(letter),
    })
}

/// Returns the path of a name in a folder.
pub(crate) fn within(folder: &[Piece], between: &str, name: Vec<Piece>) -> Vec<Piece> {
    joined(
        folder
            .iter()
            .cloned()
            .chain([Piece::Text(between.to_owned())])
            .chain(name),
    )
}

/// A word's pieces, with `~` where the shell puts the home folder.
pub(crate) fn pieces(word: &Word) -> Vec<Piece> {
    pieces_from(word, 0)
}

/// Those from a position in the text that it begins with.
pub(crate) fn pieces_from(word: &Word, start: usize) -> Vec<Piece> {
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
pub(crate) fn joined(pieces: impl IntoIterator<Item = Piece>) -> Vec<Piece> {
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
pub(crate) fn parted(pieces: &[Piece]) -> (String, Vec<Vec<Piece>>) {
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
pub(crate) fn fits(name: &str, pieces: &[Piece]) -> bool {
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
