//! Determines the package manager of a project.

use hookkit::shell::Command;

use super::Other;
use crate::prelude::*;

/// The package managers of a language, each with its lock file.
type Managers = &'static str;

const OF_NODE: Managers = "npm package-lock.json\npnpm pnpm-lock.yaml\nyarn yarn.lock\nbun bun.lock\nbun bun.lockb";
const OF_PYTHON: Managers = "uv uv.lock\npoetry poetry.lock\npdm pdm.lock\npipenv Pipfile.lock";

fn rows(managers: Managers) -> impl Iterator<Item = (&'static str, &'static str)> {
    managers.lines().filter_map(|row| row.split_once(' '))
}

/// Returns the name of npm, pnpm, yarn or bun if a command runs one of them.
pub(super) fn of_node(command: &Command) -> Option<&'static str> {
    let mut names = rows(OF_NODE).map(|(name, _)| name);
    names.find(|name| command.name() == Some(name))
}

/// Returns the command of the project's package manager that replaces another package manager's command in a folder.
///
/// # Errors
///
/// Fails if `package.json` exists and cannot be read.
pub(super) fn other(command: &Command, folder: &Path, context: &Context) -> Result<Option<Other<'static>>, Error> {
    let (managers, old) = match (of_node(command), command.name()) {
        (Some(name), _) => (OF_NODE, name),
        (None, Some("pip" | "pip3")) => (OF_PYTHON, "pip"),
        _ => return Ok(None),
    };
    let mut words: Vec<&str> = command.arguments().iter().map(Word::known_start).collect();
    let elsewhere = elsewhere(&words, old);
    let place = words.drain(elsewhere.clone()).next_back().unwrap_or_default();
    let place = place.split_once('=').map_or(place, |(_, place)| place);
    // bun itself runs files, and tests.
    let is_own = old == "bun" && matches!(words[..], ["run" | "test", ..]);
    let Some(verb) = verb(&words).filter(|_| !is_own) else {
        return Ok(None);
    };
    // The folder of a workspace shows the project's package manager, too.
    let folder = context.absolute(folder.join(place));
    let Some((new, file)) = used(managers, &folder, context)? else {
        return Ok(None);
    };
    // `npm install -g pnpm` installs the package manager itself.
    let is_elsewhere =
        |word: &&str| matches!(*word, "-g" | "--global" | "--user") || word.split(['@', '=']).next() == Some(new);
    if new == old || words.iter().any(is_elsewhere) {
        return Ok(None);
    }
    // All of them understand these alike.
    let is_same = managers == OF_NODE && matches!(words[..], ["install" | "run"] | ["run", _]);
    let verb = if is_same { Vec::new() } else { verb };
    Ok(Some(Other {
        old,
        new,
        words: if is_same { 1 } else { 2 },
        command: [&[new], &verb[..]].concat(),
        file,
        elsewhere: elsewhere.start + 1..elsewhere.end + 1,
    }))
}

/// Returns the option, with its value, that names another folder or a workspace.
fn elsewhere(words: &[&str], program: &str) -> Range<usize> {
    // In pnpm, `-w` means the workspace around all others.
    let options = if program == "npm" { "-C -w --prefix --workspace" } else { "-C -F --cwd --dir --filter --prefix" };
    let is_one = |word: &&str| lists(options, word.split('=').next().unwrap_or_default());
    let at = words.iter().take_while(|word| **word != "--").position(is_one);
    at.map_or(0..0, |at| at..(at + 2 - usize::from(words[at].contains('='))).min(words.len()))
}

/// Returns the equivalent words for each package manager if a command installs, removes or runs something.
fn verb(words: &[&str]) -> Option<Vec<&'static str>> {
    let (first, rest) = words.split_first()?;
    Some(match (*first, rest) {
        ("ci" | "i" | "install", _) if rest.iter().all(|word| word.starts_with('-')) => vec!["install"],
        ("add" | "i" | "install", _) => vec!["add"],
        ("remove" | "rm" | "un" | "uninstall", _) => vec!["remove"],
        ("run" | "run-script", _) => vec!["run"],
        ("start", _) => vec!["run", "start"],
        ("t" | "test", _) => vec!["run", "test"],
        _ => return None,
    })
}

/// Returns the package manager of the nearest folder that determines one, with the deciding file; `None` if it
/// determines two.
fn used(managers: Managers, folder: &Path, context: &Context) -> Result<Option<(&'static str, &'static str)>, Error> {
    for folder in folder.ancestors() {
        let Ok(below) = folder.strip_prefix(&context.project_dir) else {
            break;
        };
        let manifest: Option<Value> = ConfigFile::in_project(context, below.join("package.json")).json()?;
        let named = manifest.as_ref().and_then(|manifest| manifest["packageManager"].as_str());
        let named = named.and_then(|named| rows(managers).find(|(name, _)| named.split('@').next() == Some(name)));
        if let Some((name, _)) = named {
            return Ok(Some((name, "package.json")));
        }
        let mut locks: Vec<_> = rows(managers).filter(|(_, lock)| folder.join(lock).is_file()).collect();
        locks.dedup_by_key(|(name, _)| *name);
        match locks[..] {
            [] => {}
            [one] => return Ok(Some(one)),
            _ => break,
        }
    }
    Ok(None)
}
