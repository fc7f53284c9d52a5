//! Tables as texts, whose rows are found by the name of a program.

/// A table of programs, as a text: each row is a line with names, and indented lines with what is known of these programs.
///
/// In a line of names, `, ` is between two programs, and `/` between two names of one. What follows on a blank are commands of
/// the program that the row is about. Several such lines may be before the indented ones. A line that begins with `#` is for
/// people.
///
/// The places of the names are computed when the hook is compiled; there are `PLACES` of them, and at most half as many names.
///
/// ```
/// use hookkit::shell::programs::table::Table;
///
/// static FORMATTERS: Table<16> = Table::new("ruff format, black\n    python\nprettier\n    js ts css\n");
///
/// let row = FORMATTERS.rows("ruff").next().unwrap();
/// assert_eq!((row.commands, row.text.trim()), ("format", "python"));
/// assert!(FORMATTERS.rows("gofmt").next().is_none());
/// ```
#[derive(Debug)]
pub struct Table<const PLACES: usize> {
    text: &'static str,
    /// For each name the position of its item, at the place of its hash or the next one that was free.
    places: [u16; PLACES],
}

/// A row of a [`Table`], for one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The first name of the program.
    pub name: &'static str,
    /// Text behind its names: the commands that the row is about.
    pub commands: &'static str,
    /// The indented lines.
    pub text: &'static str,
}

/// Mark of a place without a name.
const FREE: u16 = u16::MAX;

impl<const PLACES: usize> Table<PLACES> {
    /// Reads the names of a table.
    ///
    /// # Panics
    ///
    /// If the text is longer than 64 KiB, or has too many names for its places; in a `static` this is an error of the compiler.
    pub const fn new(text: &'static str) -> Self {
        let mut places = [FREE; PLACES];
        let bytes = text.as_bytes();
        assert!(bytes.len() < FREE as usize, "a position in the table is two bytes");
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            let is_of_names = !matches!(bytes[at], b'#' | b' ' | b'\n');
            while is_of_names && bytes[at] != b'\n' {
                let (item, mut hash) = (at, EMPTY);
                let mut are_names_over = false;
                loop {
                    let is_end = bytes[at] == b'\n' || bytes[at] == b',' && bytes[at + 1] == b' ';
                    if !are_names_over && (is_end || matches!(bytes[at], b'/' | b' ')) {
                        let mut place = hash as usize % PLACES;
                        while places[place] != FREE {
                            place = (place + 1) % PLACES;
                        }
                        places[place] = item as u16;
                        (hash, count) = (EMPTY, count + 1);
                        are_names_over = bytes[at] == b' ';
                    } else {
                        hash = hashed(hash, bytes[at]);
                    }
                    if is_end {
                        break;
                    }
                    at += 1;
                }
                while matches!(bytes[at], b',' | b' ') {
                    at += 1;
                }
            }
            while bytes[at] != b'\n' {
                at += 1;
            }
            at += 1;
        }
        assert!(count * 2 <= PLACES, "there are more names than places");
        Self { text, places }
    }

    /// Returns the rows that have a name.
    pub fn rows(&self, name: &str) -> impl Iterator<Item = Row> {
        let place = name.bytes().fold(EMPTY, hashed) as usize;
        let places = (0..PLACES).map(move |next| self.places[(place + next) % PLACES]);
        let rows = places
            .take_while(|at| *at != FREE)
            .filter_map(|at| row(&self.text[usize::from(at)..]));
        rows.filter(move |(names, _)| names.split('/').any(|one| one == name))
            .map(|(_, row)| row)
    }
}

/// FNV-1a.
const EMPTY: u32 = 0x811c_9dc5;

const fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// Returns the names of the item that a text begins with, and its row.
fn row(text: &'static str) -> Option<(&'static str, Row)> {
    let item = text.lines().next()?.split(", ").next()?;
    let (names, commands) = item.split_once(' ').unwrap_or((item, ""));
    let lines = &text[text.find("\n ")? + 1..];
    let end = lines
        .match_indices('\n')
        .find(|(at, _)| !lines[at + 1..].starts_with(' '));
    let row = Row {
        name: names.split('/').next()?,
        commands,
        text: &lines[..end.map_or(lines.len(), |(at, _)| at)],
    };
    Some((names, row))
}

/// Returns `true` if a list of words with a blank between two has a word.
pub fn lists(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
