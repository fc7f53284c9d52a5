//! The files into which requests put what they get.

use hookkit::shell::{Command, ExpansionKind, Part, Word};

use super::copies::NONE;
use crate::words::{Arguments, Piece, Valued, has_flag, within};

const OF_ARIA2C: &Valued = &[
    ('d', "dir"),
    ('i', "input-file"),
    ('j', "max-concurrent-downloads"),
    ('l', "log"),
    ('o', "out"),
];

const OF_CURL: &Valued = &[
    ('A', "user-agent"),
    ('F', "form"),
    ('H', "header"),
    ('T', "upload-file"),
    ('X', "request"),
    ('b', "cookie"),
    ('c', "cookie-jar"),
    ('d', "data"),
    ('e', "referer"),
    ('m', "max-time"),
    ('o', "output"),
    ('u', "user"),
    ('w', "write-out"),
    ('x', "proxy"),
    (NONE, "output-dir"),
];

const OF_FETCH: &Valued = &[('o', "output"), ('T', "timeout")];

const OF_HTTPIE: &Valued = &[('a', "auth"), ('o', "output"), ('p', "print"), ('s', "style")];

const OF_WGET: &Valued = &[
    ('O', "output-document"),
    ('P', "directory-prefix"),
    ('T', "timeout"),
    ('U', "user-agent"),
    ('o', "output-file"),
];

/// Returns the files that a request writes, by its options and by its addresses, and the folders for these.
pub(crate) fn fetched(command: &Command) -> Vec<Vec<Piece>> {
    // The letters of the file that is named, of other files and of folders, and the flag by which addresses name files.
    let (valued, file, others, folders, by_address) = match command.program() {
        Some("aria2c") => (OF_ARIA2C, "o", "l", "d", None),
        Some("curl") => (OF_CURL, "o", "c", "\0", Some(('O', "remote-name-all"))),
        Some("fetch") => (OF_FETCH, "o", "", "", None),
        Some("http" | "https" | "xh" | "xhs") => (OF_HTTPIE, "o", "", "", Some(('d', "download"))),
        Some("wget" | "wget2") => (OF_WGET, "O", "o", "P", None),
        _ => return Vec::new(),
    };
    let arguments = Arguments::of(command, valued);
    let mut fetched = Arguments::of(command, valued).values_of(file);
    let is_named = match by_address {
        Some((letter, name)) => has_flag(command, valued, letter, name),
        None => fetched.is_empty(),
    };
    let names: Vec<_> = match is_named {
        true => arguments.operands.iter().filter_map(|word| name(word)).collect(),
        false => Vec::new(),
    };
    let folders = arguments.values_of(folders);
    for folder in &folders {
        let inner = [&fetched[..], &names].concat();
        fetched.extend(inner.into_iter().map(|name| within(folder, "/", name)));
    }
    if folders.is_empty() {
        fetched.extend(names);
    }
    fetched.extend(folders);
    fetched.extend(Arguments::of(command, valued).values_of(others));
    fetched
}

/// Returns the name of the file for an address: its last component, without a query.
fn name(address: &Word) -> Option<Vec<Piece>> {
    let is_known = match address.parts.get(1) {
        None => true,
        // The query begins with what is a glob to the shell.
        Some(Part::Expansion(glob)) => glob.kind == ExpansionKind::Glob,
        Some(Part::Literal(_)) => false,
    };
    let text = address.known_start();
    let (_, path) = text.split_once("://").unwrap_or(("", text)).1.split_once('/')?;
    let name = path.split(['?', '#']).next()?.rsplit('/').next()?;
    (is_known && !name.is_empty()).then(|| vec![Piece::from(name)])
}
