//! Files that `find` finds, and files whose names a program prints.

use crate::effects::programs::name;
use crate::prelude::*;
use hookkit::shell::programs::find::{Term, starts, terms, tests};

/// Returns the files that `find` may find below each of its folders, with the names in its tests. A folder itself is among them
/// unless a test excludes hookkit's own files.
fn found(command: &Command) -> Vec<Name> {
    /// Maximum number of files to return.
    const MOST: usize = 50;
    const NAMES: &str = "iname ipath iwholename name path wholename";
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
    let slash = || Piece::from("/");
    let mut rests = vec![vec![slash(), Piece::Unknown]];
    for name in names {
        let name = Piece::Text(format!("/{name}"));
        rests.extend([
            vec![name.clone()],
            vec![slash(), Piece::Braces, name.clone()],
            vec![slash(), Piece::Unknown, name],
        ]);
    }
    let paths = starts.iter().flat_map(|start| rests.iter().map(|rest| within(start, "", rest)));
    let is_own = |start| literal(start).is_some_and(|start| start.trim_end_matches('/').ends_with(".claude"));
    starts.iter().filter(|start| is_any || is_own(start)).cloned().chain(paths).take(MOST).collect()
}

/// Returns the files whose names a command may print: each word is one, or a folder that holds some. `None` for a command that
/// prints something else.
pub(crate) fn listed(command: &Command) -> Option<Vec<Name>> {
    let read = match Git::of(command) {
        Some(git) => Read::of_git(git.words),
        None if name(command) == "find" => return Some(found(command)),
        None => Read::of(command)?,
    };
    if read.made().unwrap_or(read.program.last()) != Role::Name {
        return None;
    }
    // With `--files`, no pattern comes first.
    let is_all = read.has("files");
    let paths = read.operands().into_iter().filter(|(_, role)| is_all || *role == Role::Name).flat_map(|(word, _)| {
        let path = pieces(word);
        [Some(within(&path, "/", &[Piece::Unknown])), literal(&path).is_none().then_some(path)]
    });
    Some(paths.flatten().collect())
}
