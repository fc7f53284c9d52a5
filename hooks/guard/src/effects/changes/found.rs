//! Files that `find` finds, and files whose names a program prints.

use crate::effects::programs::program_name;
use crate::prelude::*;
use crate::words::of_pattern;
use hookkit::shell::programs::find::{Term, names, starts, terms, tests};

/// Returns the files that `find` or `fd` may find: name patterns below each folder, and for `find` also names directly
/// in it or one folder down. The folders themselves are included unless a test excludes hookkit's own files.
fn found(command: &Command) -> Vec<Name> {
    /// Maximum number of files to return.
    const MOST: usize = 50;
    const NAMES: &str = "iname ipath iwholename name path wholename";
    let below = names(command)
        .into_iter()
        .map(|(folder, name)| within(&within(&exact(&folder), "/", &[Piece::Unknown]), "/", &of_pattern(&name)));
    if program_name(command) != "find" {
        return below.take(MOST).collect();
    }
    let arguments = command.arguments();
    let mut starts: Vec<_> = starts(arguments).map(pieces).collect();
    if starts.is_empty() {
        starts.push(exact("."));
    }
    let names = tests(arguments).filter_map(|(test, value)| {
        let name = base(value.literal()?);
        (lists(NAMES, test) && !name.contains(['*', '?', '['])).then_some(name)
    });
    // These tests exclude empty files, or files at the top.
    let is_other = |term| matches!(term, Term::Test(test, _) if lists(NAMES, test) || lists("empty maxdepth", test));
    let is_any = !terms(arguments).any(is_other) || arguments.iter().any(|word| word.known_start().contains("hookkit"));
    let rests: Vec<Name> = names
        .flat_map(|name| {
            let name = Piece::Text(format!("/{name}"));
            [vec![name.clone()], vec![Piece::from("/"), Piece::Braces, name]]
        })
        .collect();
    let paths = starts.iter().flat_map(|start| rests.iter().map(|rest| within(start, "", rest)));
    let is_own = |start| literal(start).is_some_and(|start| start.trim_end_matches('/').ends_with(".claude"));
    let folders = starts.iter().filter(|start| is_any || is_own(start)).cloned();
    folders.chain(paths).chain(below).take(MOST).collect()
}

/// Returns the files whose names a command may print: each word is a file, or a folder that contains such files. `None`
/// for a command that prints something else.
pub(crate) fn listed(command: &Command) -> Option<Vec<Name>> {
    let read = match Git::of(command) {
        Some(git) => Read::of_git(git.words),
        None if program_name(command) == "find" || finds_hidden(command) => return Some(found(command)),
        None => Read::of(command)?,
    };
    if read.made().unwrap_or(read.program.last()) != Role::Name {
        return None;
    }
    // With `--files`, no pattern comes first.
    let is_all = read.has("files");
    let names = read.operands().into_iter().filter(|(_, role)| is_all || *role == Role::Name);
    let mut paths: Vec<Name> = names.map(|(word, _)| pieces(word)).collect();
    if paths.is_empty() && command.is("ls") {
        paths.push(exact("."));
    }
    let paths = paths
        .into_iter()
        .flat_map(|path| [Some(within(&path, "/", &[Piece::Unknown])), literal(&path).is_none().then_some(path)]);
    Some(paths.flatten().collect())
}

/// Returns `true` for an `fd` that also finds hidden files.
fn finds_hidden(command: &Command) -> bool {
    command.is("fd fdfind") && command.has_argument("-H -u -uu --hidden --unrestricted")
}
