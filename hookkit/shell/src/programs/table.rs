//! Text tables with rows for programs.

/// A table of programs in text form: each row is a line with names, and indented lines with facts about these programs.
///
/// In a line of names, `, ` separates two programs, and `/` two names of one program. After a blank come the commands of the
/// program that the row is about. Several such lines may come before the indented ones. A line that begins with `#` is a
/// comment.
///
/// The places of the names are computed when the hook is compiled. There are `PLACES` places, for at most half as many
/// names. A name counts once for each command of its row.
///
/// ```
/// use hookkit::shell::programs::table::Table;
///
/// static FORMATTERS: Table<16> = Table::new("ruff format, black\n    python\nprettier\n    js ts css\n");
///
/// let row = FORMATTERS.rows("black").next().unwrap();
/// assert_eq!((row.commands, row.text.trim()), ("", "python"));
/// let row = FORMATTERS.rows_of_command("ruff", "format").next().unwrap();
/// assert_eq!((row.commands, row.text.trim()), ("format", "python"));
/// assert!(FORMATTERS.rows("gofmt").next().is_none());
/// ```
#[derive(Debug)]
pub struct Table<const PLACES: usize> {
    text: &'static str,
    /// Positions of each name's item and of its row's indented lines, in the slot of the name's hash or the next free one.
    places: [Place; PLACES],
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// Upper half of the name's hash: names with a different one are not compared.
    tag: u16,
    item: u16,
    lines: (u16, u16),
}

const fn tag(hash: u32) -> u16 {
    (hash >> 16) as u16
}

/// A row of a [`Table`], for one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// First name of the program.
    pub name: &'static str,
    /// Text after the names: the commands that the row is about.
    pub commands: &'static str,
    /// The indented lines.
    pub text: &'static str,
}

const FREE: Place = Place { tag: 0, item: u16::MAX, lines: (0, 0) };

impl<const PLACES: usize> Table<PLACES> {
    /// Reads the names of a table.
    ///
    /// # Panics
    ///
    /// Panics if the text is longer than 64 KiB, or has too many names for its places; in a `static` this is a compile
    /// error.
    pub const fn new(text: &'static str) -> Self {
        let mut places = [FREE; PLACES];
        let bytes = text.as_bytes();
        assert!(bytes.len() < FREE.item as usize, "a position in the table is two bytes");
        let (mut at, mut count) = (0, 0);
        while at < bytes.len() {
            let is_of_names = !matches!(bytes[at], b'#' | b' ' | b'\n');
            while is_of_names && bytes[at] != b'\n' {
                let item = at as u16;
                let lines = lines(bytes, at);
                let names = end_of(bytes, at, b' ');
                let end = end_of(bytes, at, b'\n');
                while at < names {
                    let name = end_of(bytes, at, b'/');
                    let name = if name < names { name } else { names };
                    let hash = hashed(EMPTY, bytes, at, name);
                    // Each name, or each name with the first word of each command.
                    let mut command = names;
                    loop {
                        let mut hash = hash;
                        if command < end {
                            hash = hashed(hash, bytes, names, names + 1);
                            hash = hashed(hash, bytes, command + 1, end_of(bytes, command + 1, b' '));
                        }
                        let mut place = hash as usize % PLACES;
                        while places[place].item != FREE.item {
                            place = (place + 1) % PLACES;
                        }
                        places[place] = Place { tag: tag(hash), item, lines };
                        count += 1;
                        command = end_of(bytes, command + 1, b'|');
                        if command >= end {
                            break;
                        }
                    }
                    at = name + 1;
                }
                at = end;
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

    /// Returns the rows of a program without commands.
    pub fn rows(&self, name: &str) -> impl Iterator<Item = Row> {
        self.at(hashed(EMPTY, name.as_bytes(), 0, name.len()), name)
    }

    /// Returns the rows of a program for commands that begin with a word.
    pub fn rows_of_command(&self, name: &str, word: &str) -> impl Iterator<Item = Row> {
        let hash = hashed(EMPTY, name.as_bytes(), 0, name.len());
        self.at(hashed(hashed(hash, b" ", 0, 1), word.as_bytes(), 0, word.len()), name)
    }

    fn at(&self, hash: u32, name: &str) -> impl Iterator<Item = Row> {
        (0..PLACES)
            .map(move |next| self.places[(hash as usize + next) % PLACES])
            .take_while(|place| place.item != FREE.item)
            .filter(move |place| place.tag == tag(hash))
            .filter_map(move |place| {
                let item = &self.text[usize::from(place.item)..];
                let bytes = item.as_bytes();
                let end = end_of(bytes, 0, b' ');
                let mut at = 0;
                while !(bytes[at..].starts_with(name.as_bytes())
                    && (at + name.len() == end || bytes[at + name.len()] == b'/'))
                {
                    at = end_of(bytes, at, b'/') + 1;
                    if at >= end {
                        return None;
                    }
                }
                Some(Row {
                    name: &item[..end_of(bytes, 0, b'/').min(end)],
                    commands: item[end..end_of(bytes, end, b'\n')].trim_start(),
                    text: &self.text[usize::from(place.lines.0)..usize::from(place.lines.1)],
                })
            })
    }
}

/// Returns the end of a part of an item: the next occurrence of a byte, or the item's end.
const fn end_of(text: &[u8], from: usize, byte: u8) -> usize {
    let mut at = from;
    while at < text.len() {
        let is_end = text[at] == b'\n' || text[at] == b',' && text[at + 1] == b' ';
        // A blank ends the first word of a command.
        if is_end || text[at] == byte || byte == b' ' && text[at] == b'|' {
            return at;
        }
        at += 1;
    }
    at
}

/// Returns the positions of the indented lines after an item.
const fn lines(text: &[u8], item: usize) -> (u16, u16) {
    let mut start = item;
    while text[start] != b'\n' || text[start + 1] != b' ' {
        start += 1;
    }
    start += 1;
    let mut end = start;
    while end < text.len() && (text[end] != b'\n' || end + 1 < text.len() && text[end + 1] == b' ') {
        end += 1;
    }
    (start as u16, end as u16)
}

/// FNV-1a hash of an empty string.
const EMPTY: u32 = 0x811c_9dc5;

const fn hashed(hash: u32, text: &[u8], from: usize, end: usize) -> u32 {
    let (mut hash, mut at) = (hash, from);
    while at < end {
        hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// Returns `true` if a word is in a space-separated list.
pub fn lists(list: &str, word: &str) -> bool {
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    // Nearly all words differ in their first byte.
    while !rest.is_empty() && !word.is_empty() {
        if rest[0] == word[0] && rest.starts_with(word) && rest.get(word.len()).is_none_or(|byte| *byte == b' ') {
            return true;
        }
        let next = rest.iter().position(|byte| *byte == b' ');
        rest = &rest[next.map_or(rest.len(), |next| next + 1)..];
    }
    false
}

/// Returns the words of a list. A search for a character would be slower, and guards check every command of a line.
fn words(list: &str) -> impl Iterator<Item = &[u8]> {
    list.as_bytes().split(|byte| *byte == b' ')
}

/// Returns `true` if a text begins with a word of a space-separated list.
pub fn begins(list: &str, text: &str) -> bool {
    words(list).any(|word| text.as_bytes().starts_with(word))
}

/// Returns `true` if a text ends with a word of a space-separated list.
pub fn ends(list: &str, text: &str) -> bool {
    words(list).any(|word| text.as_bytes().ends_with(word))
}

/// Returns `true` if a text contains a word of a space-separated list.
pub fn holds(list: &str, text: &str) -> bool {
    list.split(' ').any(|word| text.contains(word))
}
