//! Collects a checkout's entries. A session can start in any folder with a `.claude`.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookkit_protocol::guards::{IN_PROJECT, OF_AGENTS, SETTINGS};

use super::checkout::{Checkout, Kind};
use super::entry::Entry;
use super::found::{Finder, Found, Place};
use super::list::{FILE, List};
use super::{documents, markdown, plugin};
use crate::cargo::location;
use crate::disk::bounded::{Deadline, SECONDS};
use crate::settings::code::sessions;
use crate::settings::finding::Finding;
use crate::settings::folders::Scope;
use crate::settings::part::Part;
use crate::settings::start;
use crate::terminal::{counted, one_line};

/// Maximum number of names to check when searching for folders with a `.claude`.
const NAMES: usize = 2_000_000;

/// Maximum number of skill, agent or command files in a folder.
const FILES: usize = 20_000;

/// Files that decide which programs a cargo or rustup command runs, in the file's folder and below.
const LAUNCHERS: [&str; 4] = [".cargo/config", ".cargo/config.toml", "rust-toolchain", "rust-toolchain.toml"];

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
    for (path, commit) in location::submodules(root).unwrap_or_default() {
        finder.add(Entry::new(&path, "submodule", &commit.into()), Place::of(&path));
    }
    let starts = starts(&mut finder, root);
    starts.iter().for_each(|start| of_start(&mut finder, start));
    // Any of the files can have set the folders of modules.
    if !finder.paths.is_empty() {
        finder.files.clear();
        starts.iter().for_each(|start| of_start(&mut finder, start));
    }
    finder.done()
}

/// Returns the folders in which a session finds its own settings or servers.
fn starts(finder: &mut Finder<'_>, root: &Path) -> Vec<PathBuf> {
    let mut starts = vec![PathBuf::new()];
    let mut left = VecDeque::from([PathBuf::new()]);
    let mut count = 0;
    while let Some(folder) = left.pop_front() {
        let paths = finder.within(&folder);
        let names: Vec<&OsStr> = paths.iter().filter_map(|path| path.file_name()).collect();
        // A linked working tree belongs to a different branch.
        let is_another = names.contains(&OsStr::new(".git")) && start::are_linked(&root.join(&folder), root);
        if is_another && !folder.as_os_str().is_empty() {
            continue;
        }
        count += names.len();
        if count > NAMES {
            let why = format!("it has more than {NAMES} names, and folders with settings may be among the rest");
            finder.unread(Path::new("."), &why);
            break;
        }
        spelled(finder, &folder, &names, &[&[CLAUDE, SERVERS, CARGO], &LAUNCHERS[2..]].concat());
        // git would block on a named pipe, so in that case it is not asked about ignored files.
        let ignored = folder.join(".gitignore");
        if let Kind::Odd(why) = finder.checkout.kind(&ignored) {
            finder.unread(&ignored, &why);
        }
        for launcher in LAUNCHERS {
            if names.iter().any(|name| Path::new(launcher).starts_with(name)) {
                documents::add_toml(finder, &folder, launcher);
            }
        }
        let is_start = names.iter().any(|name| *name == CLAUDE || *name == SERVERS);
        starts.extend((is_start && !folder.as_os_str().is_empty()).then(|| folder.clone()));
        let is_within = |path: &PathBuf| !path.ends_with(".git") && finder.checkout.is_folder(path);
        left.extend(paths.into_iter().filter(is_within));
    }
    starts
}

/// Adds names that the client accepts on a case-insensitive system, but not on this one.
fn spelled(finder: &mut Finder<'_>, folder: &Path, names: &[&OsStr], known: &[&str]) {
    for name in names {
        let meant = known.iter().find(|known| name.eq_ignore_ascii_case(known) && *name != **known);
        if let Some(meant) = meant {
            finder.unread(&folder.join(name), &format!("if the system ignores case, it is {meant}"));
        }
    }
}

/// Returns the files in a project that another agent's pattern may match: `.codex/hooks.json`, `.opencode/plugin*/*`.
fn of_agent(finder: &mut Finder<'_>, start: &Path, pattern: &str) -> Vec<PathBuf> {
    let Some((folder, _)) = pattern.split_once("/*") else { return vec![start.join(pattern)] };
    let Some(beginning) = folder.strip_suffix('*') else { return finder.within(&start.join(folder)) };
    let (parent, beginning) = beginning.rsplit_once('/').unwrap_or(("", beginning));
    let mut folders = finder.within(&start.join(parent));
    let name = |folder: &PathBuf| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    folders.retain(|folder| name(folder).is_some_and(|name| name.starts_with(beginning)));
    let mut files = Vec::new();
    folders.iter().for_each(|folder| files.extend(finder.within(folder)));
    files
}

/// Adds the entries for sessions that start in a folder.
fn of_start(finder: &mut Finder<'_>, start: &Path) {
    let claude = start.join(CLAUDE);
    let bases = [start.to_owned(), PathBuf::new()];
    let files = finder.within(&claude);
    let names: Vec<&OsStr> = files.iter().filter_map(|file| file.file_name()).collect();
    let guards = IN_PROJECT.iter().map(|name| name.trim_end_matches('/'));
    let known: Vec<&str> = SETTINGS.into_iter().chain(guards).chain(TEXTS).collect();
    spelled(finder, &claude, &names, &known);
    for name in SETTINGS {
        if let Some(settings) = documents::add(finder, &claude.join(name), &Part::Settings, &bases) {
            plugin::of_marketplaces(finder, &settings, start);
        }
    }
    documents::add(finder, &start.join(SERVERS), &Part::PluginHooks, &bases);
    for pattern in OF_AGENTS {
        for file in of_agent(finder, start, pattern) {
            match file.extension().and_then(OsStr::to_str) {
                Some("json") => drop(documents::add(finder, &file, &Part::Settings, &bases)),
                // The file's code runs in the agent.
                Some("js" | "ts") => finder.file(&file, &Place::of(&file)),
                _ => {}
            }
        }
    }
    for file in files {
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

/// Adds the Markdown files below a folder. Links to other files are followed, as in the client.
fn texts(finder: &mut Finder<'_>, folder: &Path, bases: &[PathBuf]) {
    let mut left = VecDeque::from([folder.to_owned()]);
    let mut count = 0;
    while let Some(path) = left.pop_front() {
        count += 1;
        if count > FILES {
            return finder.unread(folder, &format!("it has more than {FILES} files"));
        }
        match finder.checkout.kind(&path) {
            Kind::Folder => left.extend(finder.within(&path)),
            Kind::Outside { .. } => drop(finder.read(&path)),
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

/// Maximum number of differences in the finding.
const NAMED: usize = 5;

/// Compares a project with its reviewed list if it has one, within a time limit.
pub(crate) fn look_in_time(project: &Path) -> Option<Finding> {
    let root = project.to_owned();
    let found = Deadline::new().within(move || look(&root));
    found.unwrap_or_else(|| Some(sessions::slow_checkout(SECONDS, FILE)))
}

fn look(project: &Path) -> Option<Finding> {
    let finding = |what: &str| sessions::not_reviewed(what).in_file(&Scope::Project, &project.join(FILE));
    let list = match List::read(project, None) {
        Ok(list) => list?,
        Err(err) => return Some(finding(&one_line(format_args!("{err:#}")))),
    };
    let found = of(project);
    let differences = list.differences(&found);
    let named = differences.iter().take(NAMED).filter_map(|difference| {
        let entry = difference.entry()?;
        let place = difference.now.filter(|_| !entry.is_file()).and_then(|(_, place)| place.line);
        let line = place.map_or_else(String::new, |line| format!(":{line}"));
        let part = if entry.is_file() { "" } else { &entry.part };
        let named = format!("{} {}{line} {part}", difference.change(), entry.file);
        Some(one_line(named.trim_end()))
    });
    let mut named: Vec<String> = named.collect();
    if differences.len() > NAMED {
        named.push(format!("and {} more", differences.len() - NAMED));
    }
    let count = counted(differences.len(), "difference");
    (!named.is_empty()).then(|| finding(&format!("{count} from what was reviewed: {}", named.join(", "))))
}
