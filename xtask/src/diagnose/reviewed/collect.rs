//! All entries of a checkout. A session can start in any folder of it that has a `.claude`.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookkit_protocol::guards::{IN_PROJECT, SETTINGS};

use crate::diagnose::reviewed::checkout::{Checkout, Kind};
use crate::diagnose::reviewed::entry::Entry;
use crate::diagnose::reviewed::found::{Finder, Found, Place};
use crate::diagnose::reviewed::list::FILE;
use crate::diagnose::reviewed::{documents, markdown, plugin};
use crate::settings::part::Part;

/// The most names that are looked at in search of folders with a `.claude`.
const NAMES: usize = 200_000;

/// The most files of skills, agents and commands of one folder, and the most levels.
const FILES: usize = 2_000;
const LEVELS: usize = 8;

/// Files by which cargo and rustup choose the programs that a command in the folder runs, or in one below it.
const LAUNCHERS: [&str; 4] = [
    ".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml",
];

/// The folder of cargo's configuration.
const CARGO: &str = ".cargo";

/// Folders of Markdown files.
const TEXTS: [&str; 4] = ["agents", "commands", "output-styles", "skills"];

const CLAUDE: &str = ".claude";
const SERVERS: &str = ".mcp.json";

/// Returns the entries of a checkout.
pub(crate) fn of(root: &Path) -> Found {
    let checkout = Checkout::new(root);
    let mut finder = Finder::new(&checkout);
    for start in starts(&mut finder) {
        of_start(&mut finder, &start);
    }
    finder.done()
}

/// Returns the folders in which a session finds settings or servers of its own.
fn starts(finder: &mut Finder<'_>) -> Vec<PathBuf> {
    let mut starts = vec![PathBuf::new()];
    let mut left = VecDeque::from([PathBuf::new()]);
    let mut count = 0;
    while let Some(folder) = left.pop_front() {
        let names = finder.checkout.names(&folder).unwrap_or_else(|err| {
            let what = format!("{}, which cannot be read: {}", folder.display(), err.kind());
            finder.found.unseen.insert(what);
            Vec::new()
        });
        count += names.len();
        if count > NAMES {
            let what =
                format!("folders behind the first {NAMES} names: sessions that start there have settings of their own");
            finder.found.unseen.insert(what);
            break;
        }
        spelled(
            finder,
            &folder,
            &names,
            &[&[CLAUDE, SERVERS, CARGO], &LAUNCHERS[2..]].concat(),
        );
        // git waits for a pipe, and is then not asked about ignored files.
        let ignored = folder.join(".gitignore");
        if let Kind::Odd(why) = finder.checkout.kind(&ignored) {
            finder.add(Entry::unread(&ignored, &why), Place::of(&ignored));
        }
        for launcher in LAUNCHERS {
            if names.iter().any(|name| Path::new(launcher).starts_with(name)) {
                documents::add_toml(finder, &folder, launcher);
            }
        }
        let is_start = names.iter().any(|name| name == CLAUDE || name == SERVERS);
        starts.extend((is_start && !folder.as_os_str().is_empty()).then(|| folder.clone()));
        let within = names.iter().filter(|name| *name != ".git" && *name != CLAUDE);
        let within = within.map(|name| folder.join(name));
        left.extend(within.filter(|path| finder.checkout.is_folder(path)));
    }
    starts
}

/// Adds names that are those of the client on a system that ignores case, and other ones here.
fn spelled(finder: &mut Finder<'_>, folder: &Path, names: &[OsString], known: &[&str]) {
    for name in names {
        let meant = known
            .iter()
            .find(|known| name.eq_ignore_ascii_case(known) && name != *known);
        if let Some(meant) = meant {
            let path = folder.join(name);
            let why = format!("where names ignore case, it is {meant}");
            finder.add(Entry::unread(&path, &why), Place::of(&path));
        }
    }
}

/// Adds the entries of sessions that start in a folder.
fn of_start(finder: &mut Finder<'_>, start: &Path) {
    let claude = start.join(CLAUDE);
    let bases = [start.to_owned(), PathBuf::new()];
    let names = finder.checkout.names(&claude).unwrap_or_default();
    let guards = IN_PROJECT.iter().map(|name| name.trim_end_matches('/'));
    let known: Vec<&str> = SETTINGS.into_iter().chain(guards).chain(TEXTS).collect();
    spelled(finder, &claude, &names, &known);
    for name in SETTINGS {
        if let Some(settings) = documents::add(finder, &claude.join(name), &Part::Settings, &bases) {
            plugin::of_marketplaces(finder, &settings, start);
        }
    }
    documents::add(finder, &start.join(SERVERS), &Part::PluginHooks, &bases);
    for file in finder.within(&claude) {
        let is_known =
            SETTINGS.iter().any(|name| file.ends_with(name)) || file == Path::new(FILE) || is_markdown(&file);
        if !is_known && finder.checkout.kind(&file) != Kind::Folder {
            finder.file(&file, &Place::of(&file));
        }
    }
    for folder in finder.within(&claude.join("skills")) {
        let names = finder.checkout.names(&folder).unwrap_or_default();
        if names.iter().any(|name| name.eq_ignore_ascii_case(plugin::FOLDER)) {
            plugin::add(finder, &folder, start);
        }
    }
    for name in TEXTS {
        texts(finder, &claude.join(name), &bases);
    }
}

/// Adds the Markdown files below a folder. The client also reads those that a link leads to.
fn texts(finder: &mut Finder<'_>, folder: &Path, bases: &[PathBuf]) {
    let mut left = VecDeque::from([folder.to_owned()]);
    let mut count = 0;
    while let Some(path) = left.pop_front() {
        count += 1;
        let levels = path
            .strip_prefix(folder)
            .map_or(0, |within| within.components().count());
        if count > FILES || levels > LEVELS {
            let what = format!(
                "{}: it has more than {FILES} files, or {LEVELS} levels of folders",
                folder.display()
            );
            finder.found.unseen.insert(what);
            return;
        }
        match finder.checkout.kind(&path) {
            Kind::Folder => left.extend(finder.within(&path)),
            Kind::Outside { .. } => drop(finder.read(&path, &Place::of(&path))),
            _ if is_markdown(&path) => {
                let own = path.parent().map(Path::to_owned);
                let bases: Vec<PathBuf> = own.into_iter().chain(bases.iter().cloned()).collect();
                markdown::add(finder, &path, &bases);
            }
            _ => {}
        }
    }
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}
