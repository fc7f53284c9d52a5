//! Files that requests write.

use crate::prelude::*;

/// Returns `true` for a program that fetches data from another machine.
pub(crate) fn is_fetcher(program: &str) -> bool {
    Program::named(program).is_some_and(|program| program.has(Role::Address))
}

/// Returns the files that a request writes, from its options and addresses, and the folder for them.
pub(crate) fn fetched(read: &Read) -> Vec<Name> {
    let mut fetched = read.values(Role::Written);
    if read.has("spider") {
        return fetched;
    }
    let named = read.values(Role::Named);
    // With `-nc`, an existing file stays.
    let keeps = || read.has("no-clobber") || read.unknown().any(|option| option.is("-nc"));
    let name_files = match read.program.last() {
        Role::Address => named.is_empty() && !keeps(),
        _ => read.made() == Some(Role::Address),
    };
    let mut names = Vec::new();
    if name_files {
        names.extend(
            read.operands_that_are(Role::Address)
                .map(pieces)
                .chain(read.values(Role::Address))
                .filter_map(|address| name(&address)),
        );
    }
    match read.values(Role::Folder).pop() {
        Some(folder) => {
            fetched.extend(names.into_iter().chain(named.iter().cloned()).map(|name| within(&folder, "/", &name)));
            fetched.push(folder);
        }
        None => fetched.extend(names),
    }
    fetched.extend(named);
    fetched
}

/// Returns the name of the file for an address: the last component, without a query.
fn name(address: &[Piece]) -> Option<Name> {
    let [Piece::Text(text), behind @ ..] = address else {
        return None;
    };
    let (_, path) = text.split_once("://").unwrap_or(("", text)).1.split_once('/')?;
    let (path, has_query) = match path.split_once(['?', '#']) {
        Some((path, _)) => (path, true),
        // To a shell, a query begins with a glob.
        None => (path, matches!(behind, [Piece::Character | Piece::Glob, ..])),
    };
    let name = base(path);
    let is_known = behind.is_empty() || has_query;
    (is_known && !name.is_empty()).then(|| exact(name))
}
