//! Words of a command: the pieces of their names, and globs, braces and options in them.

use crate::folders::is_home;
use crate::prelude::*;

/// The pieces of a name. Adjacent texts are joined.
pub(crate) type Name = Vec<Piece>;

/// A piece of a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    /// A glob: it matches existing files without a dot at the start.
    Glob,
    /// A glob of one character.
    Character,
    /// Braces with uncertain words, or a glob that also matches names with a dot at the start.
    Braces,
    /// Text that the shell computes.
    Unknown,
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Piece {
    /// Returns `true` if the piece excludes any name.
    pub(crate) fn says_something(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Glob | Self::Character | Self::Braces => true,
            Self::Unknown => false,
        }
    }
}

pub(crate) fn operands(command: &Command) -> Vec<&Word> {
    let mut are_options_over = false;
    let is_operand = |word: &&Word| {
        let is_option = !are_options_over && word.is_option() && !word.is("-");
        are_options_over |= word.is("--");
        !is_option
    };
    command.arguments().iter().filter(is_operand).collect()
}

/// Returns the name of a long option, which may be shortened, and the position of its value.
pub(crate) fn long(option: &str) -> (&str, Option<usize>) {
    let equals = option.find('=');
    (&option[2..equals.unwrap_or(option.len())], equals.map(|at| at + 1))
}

/// Returns words as a shell line.
pub(crate) fn shell_line(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(|word| shell_word(word.as_ref())).collect();
    words.join(" ")
}

/// Returns a literal name.
pub(crate) fn exact(text: &str) -> Name {
    vec![Piece::from(text)]
}

/// Returns the text of a literal name.
pub(crate) fn literal(name: &[Piece]) -> Option<&str> {
    match name {
        [Piece::Text(text)] => Some(text),
        _ => None,
    }
}

/// Returns the pieces of a pattern of names, which also matches names that start with a dot.
pub(crate) fn of_pattern(value: &str) -> Name {
    let mut pieces = Vec::new();
    for (index, text) in value.split(['*', '?', '[']).enumerate() {
        if index > 0 {
            pieces.push(Piece::Braces);
        }
        let rest = text.split_once(']').filter(|_| index > 0);
        pieces.push(Piece::from(rest.map_or(text, |(_, rest)| rest)));
    }
    pieces
}

/// Returns the literal prefix of a name.
pub(crate) fn start(name: &[Piece]) -> &str {
    literal(name.get(..1).unwrap_or_default()).unwrap_or_default()
}

/// Returns the path of a name in a folder.
pub(crate) fn within(folder: &[Piece], between: &str, name: &[Piece]) -> Name {
    let mut path = folder.to_vec();
    push(&mut path, between.into());
    append(&mut path, name.to_vec());
    path
}

/// Returns the pieces of a word, with `~` where the shell inserts the home folder.
pub(crate) fn pieces(word: &Word) -> Name {
    pieces_from(word, 0)
}

/// Returns the pieces of a word from a position in its literal prefix.
pub(crate) fn pieces_from(word: &Word, start: usize) -> Name {
    let first = usize::from(start > 0 && word.known_start().len() == start);
    let mut pieces = Vec::new();
    let mut is_in_brackets = false;
    // Without a closing bracket, a `[` is a character.
    let last_end = word.parts.iter().rposition(may_close);
    for (at, part) in word.parts.iter().enumerate() {
        match part {
            Part::Literal(_) if at < first && word.parts.len() > 1 => {}
            Part::Literal(text) => {
                let text = if at == 0 { &text[start..] } else { text };
                let is_past = at > 0 && word.parts[at - 1].is(ExpansionKind::Tilde);
                let text = past_folder(Some(part)).filter(|_| is_past).unwrap_or(text);
                // If they may not be closed, the rest of the name may be in them.
                let length = if is_in_brackets {
                    in_brackets(text)
                        .filter(|_| !is_of_class(word, at))
                        .unwrap_or_else(|| text.find('/').unwrap_or(text.len()))
                } else {
                    0
                };
                let text = &text[length..];
                // In quotes a `~` is a name; after `of=` some shells insert the home folder, too.
                let here = if at == 0 && start == 0 && text.starts_with('~') { "./" } else { "" };
                push(&mut pieces, Piece::Text(format!("{here}{text}")));
                is_in_brackets = false;
            }
            Part::Expansion(expansion) => {
                let may_close = last_end.is_some_and(|end| at < end);
                is_in_brackets = expansion.kind == ExpansionKind::Bracket && may_close;
                let next = word.parts.get(at + 1);
                let piece = match expansion.kind {
                    kind if at == first && is_home(kind) && is_own_home(next) => Piece::from("~"),
                    ExpansionKind::Folder if at == first && !names_on(next) => Piece::from("."),
                    ExpansionKind::Tilde if past_folder(next).is_some() => Piece::from("."),
                    // Another user's home folder is next to this user's.
                    ExpansionKind::Tilde if at == first && matches!(next, Some(Part::Literal(_))) => {
                        Piece::from("~/../")
                    }
                    ExpansionKind::Bracket if is_closed(next) && !is_of_class(word, at + 1) => Piece::Character,
                    ExpansionKind::Bracket if !may_close => Piece::from("["),
                    ExpansionKind::Bracket | ExpansionKind::Glob => Piece::Glob,
                    ExpansionKind::Brace | ExpansionKind::Sequence => Piece::Braces,
                    // After a name, `$$` makes a new one.
                    ExpansionKind::Number if pieces.last().is_some_and(is_plain_name) => Piece::from("0"),
                    _ => Piece::Unknown,
                };
                push(&mut pieces, piece);
            }
        }
    }
    pieces
}

/// Returns `true` for a text that ends with an ordinary name, unlike `.` or `..`.
fn is_plain_name(piece: &Piece) -> bool {
    let Piece::Text(text) = piece else { return false };
    base(text).starts_with(|char: char| char.is_ascii_alphanumeric())
}

/// Returns `true` if the next part closes an open bracket.
fn is_closed(next: Option<&Part>) -> bool {
    let text = next.and_then(Part::literal).unwrap_or_default();
    in_brackets(text).is_some_and(|length| !text[..length].contains('/'))
}

/// Returns `true` if a part may contain a `]`.
fn may_close(part: &Part) -> bool {
    part.literal().map_or(!is_glob(part), |text| text.contains(']'))
}

/// Returns `true` if two brackets come right before this part: `[[:alpha:]]`.
fn is_of_class(word: &Word, at: usize) -> bool {
    at >= 2 && word.parts[at - 2..at].iter().all(|part| part.is(ExpansionKind::Bracket))
}

/// Returns the length of a bracket expression's rest, with its end: `a-z]`. A `]` at the start is one of the characters.
fn in_brackets(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(['!', '^']).unwrap_or(text);
    let rest = rest.strip_prefix(']').unwrap_or(rest);
    Some(text.len() - rest.len() + rest.find(']')? + 1)
}

/// Returns `true` if a part is a glob.
pub(crate) fn is_glob(part: &Part) -> bool {
    part.is(ExpansionKind::Glob) || part.is(ExpansionKind::Bracket)
}

/// Returns a command for display: with `~`, `$HOME` and `*` as written, and `…` for other expansions.
pub(crate) fn readable(command: &Command) -> String {
    let of_part = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Expansion(expansion) => match expansion.kind {
            ExpansionKind::Tilde => "~",
            ExpansionKind::Home => "$HOME",
            ExpansionKind::Glob => "*",
            _ => "…",
        }
        .to_owned(),
    };
    let words = command.words.iter().map(|word| word.parts.iter().map(of_part).collect::<String>());
    words.collect::<Vec<_>>().join(" ")
}

/// Returns `true` for an argument that `find`, `fd`, `parallel` or `xargs` inserts.
pub(crate) fn is_given(part: &Part) -> bool {
    part.is(ExpansionKind::Arguments)
}

/// Returns `true` if a `~` before this part is the user's own home, not a named user's.
fn is_own_home(next: Option<&Part>) -> bool {
    // A further part of a list may follow: `-v ~:/home`.
    let ends = |part: &Part| part.literal().is_some_and(|text| text.starts_with(['/', ':']));
    next.is_none_or(ends)
}

/// Returns `true` if a part continues the name of the folder before it: `"$(pwd)x"`.
fn names_on(next: Option<&Part>) -> bool {
    next.is_some_and(|part| !part.literal().is_some_and(|text| text.starts_with('/')))
}

/// Returns the text after `~+`, `~-` and `~1`, which are current and earlier folders of the shell.
pub(crate) fn past_folder(behind_tilde: Option<&Part>) -> Option<&str> {
    let text = behind_tilde?.literal()?;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
    (rest.len() < text.len() && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

/// Makes the globs of a name also match names with a dot at the start.
pub(crate) fn find_dots(name: &mut [Piece]) {
    for piece in name {
        if matches!(piece, Piece::Glob | Piece::Character) {
            *piece = Piece::Braces;
        }
    }
}

/// Adds a piece to a name, and joins adjacent texts.
pub(crate) fn push(name: &mut Name, piece: Piece) {
    match (name.last_mut(), piece) {
        (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
        (_, piece) => name.push(piece),
    }
}

/// Adds the pieces of another name.
pub(crate) fn append(name: &mut Name, more: Name) {
    for piece in more {
        push(name, piece);
    }
}

/// Returns the components of a path. Before a leading slash, and between two slashes, there is an empty component.
pub(crate) fn components(pieces: &[Piece]) -> Vec<Name> {
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
                components.last_mut().expect("there is one").push(Piece::from(name));
            }
        }
    }
    components
}

/// Splits a path into its literal folders, and the components after them.
pub(crate) fn parted(pieces: &[Piece]) -> (String, Vec<Name>) {
    let mut components = components(pieces);
    // The last component is the name, unless a slash ends the path.
    components.pop_if(|last| last.is_empty());
    let most = components.len().saturating_sub(1);
    let known =
        components.iter().take(most).take_while(|component| matches!(component[..], [] | [Piece::Text(_)])).count();
    let mut folder = String::new();
    for component in components.drain(..known) {
        folder.push_str(start(&component));
        folder.push('/');
    }
    (folder, components)
}

/// Returns `true` if these pieces may become a name. A glob does not match a dot at the start, unless the pattern has one.
pub(crate) fn fits(name: &str, pieces: &[Piece]) -> bool {
    if name.starts_with('.') && matches!(pieces.first(), Some(Piece::Glob | Piece::Character)) {
        return false;
    }
    // Position to continue from if the last piece of variable length has to be one character longer.
    let mut longer: Option<(&str, &[Piece])> = None;
    let (mut rest, mut pieces) = (name, pieces);
    loop {
        let next = match pieces {
            [] if rest.is_empty() => return true,
            [] => None,
            [Piece::Text(text), behind @ ..] => rest.strip_prefix(text.as_str()).map(|rest| (rest, behind)),
            [Piece::Character, behind @ ..] => without_first(rest).map(|rest| (rest, behind)),
            [_, behind @ ..] => {
                longer = Some((rest, behind));
                Some((rest, behind))
            }
        };
        (rest, pieces) = match (next, longer) {
            (Some(next), _) => next,
            (None, Some((from, behind))) => {
                let Some(from) = without_first(from) else { return false };
                longer = Some((from, behind));
                (from, behind)
            }
            (None, None) => return false,
        };
    }
}

fn without_first(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    chars.next().map(|_| chars.as_str())
}

/// Returns the files in some folders that match these pieces.
pub(crate) fn fitting(folders: &[PathBuf], name: &[Piece]) -> Vec<PathBuf> {
    /// Maximum number of files to return.
    const MOST: usize = 10_000;
    folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten()
        .filter(|file| fits(&file.file_name().to_string_lossy(), name))
        .take(MOST)
        .map(|file| file.path())
        .collect()
}

/// Returns `true` if a part is a brace or a sequence.
pub(crate) fn is_brace(part: &Part) -> bool {
    part.is(ExpansionKind::Brace) || part.is(ExpansionKind::Sequence)
}

/// Returns the words that brace expansion makes of a word: `x{,.old}` becomes `x` and `x.old`.
///
/// The words of a sequence (`{1..3}`) are uncertain. If an unmatched brace remains, which may be in quotes, one more
/// word is returned: its text between the first and the last brace is uncertain. If there are more than `most` words,
/// only this word is returned.
pub(crate) fn without_braces(word: Word, most: usize) -> Vec<Word> {
    /// Maximum number of tokens; the words of a longer word are uncertain.
    const MOST_TOKENS: usize = 500;
    let Some(Part::Expansion(brace)) = word.parts.iter().find(|part| is_brace(part)) else {
        return vec![word];
    };
    // Quoted text has no such expansion.
    let (mut unknown, mut tilde) = (brace.clone(), brace.clone());
    (unknown.kind, unknown.is_quoted) = (ExpansionKind::Brace, true);
    tilde.kind = ExpansionKind::Tilde;
    let unknown = Part::Expansion(unknown);
    let tokens = tokens(&word.parts);
    let mut found = Vec::new();
    if tokens.len() <= MOST_TOKENS {
        expand(&tokens, &unknown, most, &mut found);
    }
    if found.len() > most {
        found.clear();
    }
    let has_brace = |word: &Vec<Part>| word.iter().any(|token| is_text(token, "{") || is_text(token, "}"));
    if found.is_empty() || found.iter().any(has_brace) {
        let first = tokens.iter().position(|token| is_text(token, "{")).unwrap_or_default();
        let last = tokens.iter().rposition(|token| is_text(token, "}"));
        let behind = last.map_or(&[][..], |last| &tokens[last + 1..]);
        found.push([&tokens[..first], std::slice::from_ref(&unknown), behind].concat());
    }
    let begins_with_brace = is_text(&tokens[0], "{");
    let words = found.into_iter().filter(|tokens| !tokens.is_empty()).map(|tokens| {
        let mut word = word.clone();
        word.parts.clear();
        for token in tokens {
            let text = match token {
                Part::Literal(text) => text,
                token if token.is(ExpansionKind::Sequence) => ".".to_owned(),
                token if token != unknown && is_brace(&token) => ",".to_owned(),
                token => {
                    word.parts.push(token);
                    continue;
                }
            };
            match word.parts.last_mut() {
                Some(Part::Literal(before)) => before.push_str(&text),
                // After a brace it was not at the start when the word was read.
                None if begins_with_brace && text.starts_with('~') => {
                    word.parts.extend([Part::Expansion(tilde.clone()), Part::Literal(text[1..].to_owned())]);
                }
                _ => word.parts.push(Part::Literal(text)),
            }
        }
        word
    });
    words.collect()
}

/// Returns the parts of a word, with each `{` and `}` as a part of its own.
fn tokens(parts: &[Part]) -> Vec<Part> {
    let mut tokens = Vec::new();
    for part in parts {
        let Part::Literal(text) = part else {
            tokens.push(part.clone());
            continue;
        };
        for text in text.split_inclusive(['{', '}']) {
            let (before, brace) = text.split_at(text.find(['{', '}']).unwrap_or(text.len()));
            tokens.extend(
                [before, brace].into_iter().filter(|text| !text.is_empty()).map(|text| Part::Literal(text.to_owned())),
            );
        }
    }
    tokens
}

fn is_text(token: &Part, text: &str) -> bool {
    token.literal() == Some(text)
}

/// Adds the words from the outer braces of a word, and recursively from inner ones: at most one more than `most`.
fn expand(tokens: &[Part], unknown: &Part, most: usize, found: &mut Vec<Vec<Part>>) {
    let Some((open, cuts)) = (0..tokens.len()).find_map(|open| Some((open, cuts(&tokens[open..])?))) else {
        found.push(tokens.to_vec());
        return;
    };
    let inner = &tokens[open..];
    let rest = &inner[cuts[cuts.len() - 1] + 1..];
    for cut in cuts.windows(2) {
        if found.len() > most {
            return;
        }
        let inside = match cuts.len() {
            2 => std::slice::from_ref(unknown),
            _ => &inner[cut[0] + 1..cut[1]],
        };
        expand(&[&tokens[..open], inside, rest].concat(), unknown, most, found);
    }
}

/// Returns the positions of the `{`, the commas and the `}` of the braces at the start of some tokens.
fn cuts(tokens: &[Part]) -> Option<Vec<usize>> {
    let mut cuts = Vec::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        let (is_open, is_close) = (is_text(token, "{"), is_text(token, "}"));
        let is_comma =
            matches!(token, Part::Expansion(comma) if comma.kind == ExpansionKind::Brace && !comma.is_quoted);
        depth += usize::from(is_open);
        if depth == 0 {
            return None;
        }
        if depth == 1 && (is_open || is_close || is_comma) {
            cuts.push(at);
        }
        depth -= usize::from(is_close);
        if depth == 0 {
            return (cuts.len() > 2 || is_sequence(&tokens[1..at])).then_some(cuts);
        }
    }
    None
}

/// Returns `true` if the text in braces may be a sequence in some shell: of characters, numbers or expansions.
fn is_sequence(inside: &[Part]) -> bool {
    let mut ends = inside.split(|token| token.is(ExpansionKind::Sequence));
    let is_end = |end: &[Part], point: &str| match end {
        [Part::Literal(text)] => {
            let end = text.strip_prefix(point).unwrap_or_default();
            end.chars().count() == 1 || end.parse::<i64>().is_ok()
        }
        [Part::Literal(text), ..] => text.starts_with(point),
        _ => point.is_empty() && !end.is_empty(),
    };
    inside.len() > 1 && is_end(ends.next().unwrap_or_default(), "") && ends.all(|end| is_end(end, "."))
}

#[cfg(test)]
mod tests;
