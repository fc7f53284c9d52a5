//! `find` expressions.

use std::{iter, mem};

use super::table::lists;
use super::text::{after_last, letters};
use crate::{Command, Word};

/// A part of a `find` expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term<'w> {
    /// A folder to search.
    Start(&'w Word),
    /// An operator, without a dash: `!`, `not`, `(`, `)`, `,`, `a`, `and`, `o`, `or`.
    Sign(&'w str),
    /// A test, an action or an option, without its dash, and its value.
    Test(&'w str, Option<&'w Word>),
    /// An action that runs a program, without its dash, and the words of the program.
    Run(&'w str, &'w [Word]),
    /// A word that cannot be classified with certainty.
    Unknown(&'w Word),
}

/// Tests whose value is a pattern, or a text that looks like a path.
pub const PATTERNS: &str = "ilname iname ipath iregex iwholename lname name path perm regex wholename";

/// Other tests, actions and options with a value. The last ones write a file, or read names from a file.
const VALUED: &str = "amin anewer atime cmin cnewer ctime fstype gid group inum links maxdepth mindepth mmin mtime printf \
    regextype samefile size type uid used user xtype fls fprint fprint0 fprintf files0-from";

/// Tests, actions and options without a value.
const ALONE: &str = "E H L P X d daystart delete depth empty executable false follow help ls mount nogroup noleaf nouser print \
    print0 prune quit readable s true version writable x xdev";

/// Returns the parts of a `find`, from its arguments.
pub fn terms(arguments: &[Word]) -> impl Iterator<Item = Term<'_>> {
    let mut words = arguments;
    let mut has_begun = false;
    iter::from_fn(move || {
        let word;
        (word, words) = words.split_first()?;
        let text = word.known_start();
        let name = text.strip_prefix('-').unwrap_or_default();
        // The first options come before the folders.
        let is_sign = matches!(text, "!" | "(" | ")" | ",");
        let is_early = name.starts_with('O') || name.len() == 1 && lists(ALONE, name);
        has_begun |= is_sign || !name.is_empty() && !is_early;
        Some(match name.trim_start_matches('-') {
            _ if is_sign => Term::Sign(text),
            "" if !has_begun => Term::Start(word),
            _ if word.literal().is_none() => Term::Unknown(word),
            "a" | "and" | "not" | "o" | "or" => Term::Sign(name),
            "exec" | "execdir" | "ok" | "okdir" => {
                let (run, rest) = words.split_at(end_of_run(words).unwrap_or(words.len()));
                words = rest.get(1..).unwrap_or_default();
                Term::Run(name, run)
            }
            _ if lists(PATTERNS, name) || lists(VALUED, name) || name.starts_with("newer") => {
                let Some((value, rest)) = words.split_first() else {
                    return Some(Term::Unknown(word));
                };
                words = rest;
                Term::Test(name, Some(value))
            }
            plain if lists(ALONE, plain) => Term::Test(plain, None),
            _ => Term::Unknown(word),
        })
    })
}

/// Returns the index of the word that ends the command of a `find` action.
pub(crate) fn end_of_run(words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|&at| words[at].is(";") || words[at].is("+") && at > 0 && words[at - 1].is("{}"))
}

/// Returns the folders that a `find` searches.
pub fn starts(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    terms(arguments).filter_map(|term| match term {
        Term::Start(word) => Some(word),
        _ => None,
    })
}

/// Returns the tests with a value that no `!` negates.
pub fn tests(arguments: &[Word]) -> impl Iterator<Item = (&str, &Word)> {
    let mut is_negated = false;
    terms(arguments).filter_map(move |term| {
        let was_negated = mem::replace(&mut is_negated, matches!(term, Term::Sign("!" | "not")));
        match term {
            Term::Test(name, Some(value)) if !was_negated => Some((name, value)),
            _ => None,
        }
    })
}

/// Returns a word as a glob, in which a `*` replaces each part that is not literal, such as brackets.
pub fn glob(word: &Word) -> String {
    let text = word.to_string();
    let (start, rest) = text.split_once('…').unwrap_or((&text, ""));
    let ends = rest.split('…').map(|part| after_last(part, ']'));
    if start == text { text } else { iter::once(start).chain(ends).collect::<Vec<_>>().join("*") }
}

/// Returns `true` for an `xargs` that reads NUL-separated names.
pub fn takes_whole_names(xargs: &Command) -> bool {
    let is_null = |option: &str| option == "--null" || letters(option).contains('0');
    xargs.starts().take_while(|word| word.starts_with('-')).any(is_null)
}

/// Returns the folders and the name globs that a command finds: `certs` and `*` for `find certs`. A search of all files in the
/// current folder is left out.
pub fn names(command: &Command) -> Vec<(String, String)> {
    let words = command.arguments();
    let operands = words.iter().filter(|word| !word.is_option()).map(glob);
    let names: Vec<String> = match command.program() {
        Some("fd" | "fdfind") => operands.map(|name| format!("*{name}*")).collect(),
        Some("git" | "ls") if command.is_in_pipeline() => {
            operands.map(|name| if name.contains('*') { name } else { name + "/*" }).collect()
        }
        Some("find") => {
            let names = tests(words).filter(|(test, _)| test.ends_with("name") || test.ends_with("path"));
            let names: Vec<String> = names.map(|(_, name)| glob(name)).collect();
            // A branch may have no name.
            let branches = 1 + terms(words).filter(|term| matches!(term, Term::Sign("o" | "or" | ","))).count();
            if branches > names.len() { vec!["*".to_owned()] } else { names }
        }
        _ => Vec::new(),
    };
    let mut folders: Vec<String> = starts(words).map(glob).collect();
    if folders.is_empty() || !command.is_named("find") {
        folders = vec![".".to_owned()];
    }
    let in_folder = |folder: &String, name: &String| {
        let known = name.split(['*', '?', '[']).next().and_then(|known| known.rsplit_once('/'));
        let last = after_last(name, '/');
        (known.map_or(folder.clone(), |(inner, _)| inner.to_owned()), last.to_owned())
    };
    let found = folders.iter().flat_map(|folder| names.iter().map(move |name| in_folder(folder, name)));
    found.filter(|(folder, name)| folder != "." || name != "*").collect()
}
