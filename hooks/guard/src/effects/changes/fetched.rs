//! The files into which requests put what they get.

use hookkit::shell::Command;

use crate::words::{Arguments, Piece, Valued, has_flag, pieces, within};

/// Returns `true` for a program that fetches what another machine sends.
pub(crate) fn is_fetcher(program: &str) -> bool {
    program == "lynx" || Request::of(program).is_some()
}

/// Letters of options that have only a long name: a file that is written, a folder for files, an address.
const FILE: char = '\u{1}';
const FOLDER: char = '\u{2}';
const ADDRESS: char = '\u{3}';

/// Options with a value of a program that fetches files.
struct Request {
    valued: &'static Valued,
    /// The letters of the file for what is fetched.
    named: &'static [char],
    /// Those of other files.
    written: &'static [char],
    /// Those of folders; the last one counts.
    folders: &'static [char],
    /// The flag by which addresses name files; without one they do so where no file is named.
    by_address: Option<(char, &'static str)>,
}

impl Request {
    fn of(program: &str) -> Option<&'static Self> {
        Some(match program {
            "aria2c" => &ARIA2C,
            "curl" => &CURL,
            "fetch" => &FETCH,
            "http" | "https" | "xh" | "xhs" => &HTTPIE,
            "wget" | "wget2" => &WGET,
            _ => return None,
        })
    }
}

const ARIA2C: Request = Request {
    valued: &[
        ('d', "dir"),
        ('i', "input-file"),
        ('j', "max-concurrent-downloads"),
        ('l', "log"),
        ('o', "out"),
        ('s', "split"),
        ('x', "max-connection-per-server"),
    ],
    named: &['o'],
    written: &['l'],
    folders: &['d'],
    by_address: None,
};

const CURL: Request = Request {
    valued: &[
        ('A', "user-agent"),
        ('C', "continue-at"),
        ('D', "dump-header"),
        ('E', "cert"),
        ('F', "form"),
        ('H', "header"),
        ('K', "config"),
        ('P', "ftp-port"),
        ('Q', "quote"),
        ('T', "upload-file"),
        ('U', "proxy-user"),
        ('X', "request"),
        ('Y', "speed-limit"),
        ('b', "cookie"),
        ('c', "cookie-jar"),
        ('d', "data"),
        ('e', "referer"),
        ('m', "max-time"),
        ('o', "output"),
        ('r', "range"),
        ('t', "telnet-option"),
        ('u', "user"),
        ('w', "write-out"),
        ('x', "proxy"),
        ('y', "speed-time"),
        ('z', "time-cond"),
        (FILE, "etag-save"),
        (FILE, "hsts"),
        (FILE, "libcurl"),
        (FILE, "stderr"),
        (FILE, "trace"),
        (FILE, "trace-ascii"),
        (FOLDER, "output-dir"),
        (ADDRESS, "url"),
    ],
    named: &['o'],
    written: &['D', 'c', FILE],
    folders: &[FOLDER],
    by_address: Some(('O', "remote-name-all")),
};

const FETCH: Request = Request {
    valued: &[('T', "timeout"), ('o', "output")],
    named: &['o'],
    written: &[],
    folders: &[],
    by_address: None,
};

const HTTPIE: Request = Request {
    valued: &[('a', "auth"), ('o', "output"), ('p', "print"), ('s', "style")],
    named: &['o'],
    written: &[],
    folders: &[],
    by_address: Some(('d', "download")),
};

const WGET: Request = Request {
    valued: &[
        ('A', "accept"),
        ('B', "base"),
        ('D', "domains"),
        ('I', "include-directories"),
        ('O', "output-document"),
        ('P', "directory-prefix"),
        ('Q', "quota"),
        ('R', "reject"),
        ('T', "timeout"),
        ('U', "user-agent"),
        ('X', "exclude-directories"),
        ('a', "append-output"),
        ('e', "execute"),
        ('i', "input-file"),
        ('l', "level"),
        ('o', "output-file"),
        ('t', "tries"),
        ('w', "wait"),
    ],
    named: &['O'],
    written: &['a', 'o'],
    folders: &['P'],
    by_address: None,
};

/// Returns the files that a request writes, by its options and by its addresses, and the folder for these.
pub(crate) fn fetched(command: &Command) -> Vec<Vec<Piece>> {
    let Some(request) = command.program().and_then(Request::of) else {
        return Vec::new();
    };
    let arguments = Arguments::of(command, request.valued);
    let mut fetched = arguments.values_of(request.written);
    if command.has_argument("--spider") {
        return fetched;
    }
    let named = arguments.values_of(request.named);
    let name_files = match request.by_address {
        Some((letter, name)) => has_flag(command, request.valued, letter, name),
        // Where there is a file, it stays with `-nc`.
        None => named.is_empty() && !command.has_argument("-nc"),
    };
    let mut names = Vec::new();
    if name_files {
        names.extend(arguments.operands.iter().filter_map(|word| name(&pieces(word))));
        names.extend(
            arguments
                .values_of(&[ADDRESS])
                .iter()
                .filter_map(|address| name(address)),
        );
    }
    match arguments.values_of(request.folders).pop() {
        Some(folder) => {
            let inner = names.into_iter().chain(named.iter().cloned());
            fetched.extend(inner.map(|name| within(&folder, "/", name)));
            fetched.push(folder);
        }
        None => fetched.extend(names),
    }
    fetched.extend(named);
    fetched
}

/// Returns the name of the file for an address: its last component, without a query.
fn name(address: &[Piece]) -> Option<Vec<Piece>> {
    let [Piece::Text(text), behind @ ..] = address else {
        return None;
    };
    let (_, path) = text.split_once("://").unwrap_or(("", text)).1.split_once('/')?;
    let (path, has_query) = match path.split_once(['?', '#']) {
        Some((path, _)) => (path, true),
        // To a shell a query begins with a glob.
        None => (path, matches!(behind, [Piece::Character | Piece::Glob, ..])),
    };
    let name = path.rsplit('/').next()?;
    let is_known = behind.is_empty() || has_query;
    (is_known && !name.is_empty()).then(|| vec![Piece::from(name)])
}
