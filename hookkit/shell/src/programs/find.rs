//! Expressions of `find`.

use std::{iter, mem};

use super::table::lists;
use crate::{Command, ExpansionKind, Part, Word};

/// A part of a `find`, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term<'w> {
    /// A folder that is searched.
    Start(&'w Word),
    /// An operator, without a dash: `!`, `not`, `(`, `)`, `,`, `a`, `and`, `o`, `or`.
    Sign(&'w str),
    /// A test, an action or an option, without its dash, and its value.
    Test(&'w str, Option<&'w Word>),
    /// An action that runs a program, without its dash, and the words of the program.
    Run(&'w str, &'w [Word]),
    /// A word that is nothing of it for certain.
    Unknown(&'w Word),
}

/// Tests whose value is a pattern, or a text that looks like a path.
pub const PATTERNS: &str = "ilname iname ipath iregex iwholename lname name path perm regex wholename";

/// Other tests, and actions and options, with a value. The last ones write a file, or read one with names.
const VALUED: &str = "amin anewer atime cmin cnewer ctime fstype gid group inum links maxdepth mindepth mmin mtime printf \
    regextype samefile size type uid used user xtype fls fprint fprint0 fprintf files0-from";

/// Those without a value.
const ALONE: &str = "E H L P X d daystart delete depth empty executable false follow help ls mount nogroup noleaf nouser print \
    print0 prune quit readable s true version writable x xdev";

/// Returns the parts of a `find`, by its arguments.
pub fn terms(arguments: &[Word]) -> impl Iterator<Item = Term<'_>> {
    let mut words = arguments;
    let mut has_begun = false;
    iter::from_fn(move || {
        let word;
        (word, words) = words.split_first()?;
        let text = word.known_start();
        let name = text.strip_prefix('-').unwrap_or_default();
        // The first options are before the folders.
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

/// Returns the index of the word that ends a program which `find` runs.
pub(crate) fn end_of_run(words: &[Word]) -> Option<usize> {
    (0..words.len()).find(|&at| words[at].is(";") || words[at].is("+") && at > 0 && words[at - 1].is("{}"))
}

/// Returns the folders in which a `find` starts.
pub fn starts(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    terms(arguments).filter_map(|term| match term {
        Term::Start(word) => Some(word),
        _ => None,
    })
}

/// Returns the tests with a value that no `!` is before.
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

/// Returns a word as a glob, in which a `*` is for all that is not literal, as for what is in brackets.
pub fn glob(word: &Word) -> String {
    let mut glob = String::new();
    let mut is_bracket = false;
    for part in &word.parts {
        match part {
            Part::Literal(text) if is_bracket => glob.push_str(text.rsplit(']').next().unwrap_or_default()),
            Part::Literal(text) => glob.push_str(text),
            part if part.is(ExpansionKind::Tilde) => glob.push('~'),
            _ => glob.push('*'),
        }
        is_bracket = part.is(ExpansionKind::Bracket);
    }
    glob
}

/// Returns globs of the files whose names a command finds: `certs/**` of `find certs -type f`, `**/*_key` of
/// `find . -name '*_key'`. A search of the whole folder that it runs in has none.
pub fn globs(command: &Command) -> Vec<String> {
    let words = command.arguments();
    let operands = || words.iter().filter(|word| !word.is_option()).map(glob);
    let (mut folders, mut names): (Vec<String>, Vec<String>) = match command.program() {
        Some("find") => {
            let names = tests(words).filter(|(test, _)| test.ends_with("name") || test.ends_with("path"));
            (
                starts(words).map(glob).filter(|folder| folder != "*").collect(),
                names.map(|(_, name)| glob(name)).collect(),
            )
        }
        Some("fd" | "fdfind") => {
            (operands().chain([".".to_owned()]).collect(), operands().map(|name| format!("*{name}*")).collect())
        }
        Some("git" | "ls") => (operands().collect(), Vec::new()),
        _ => return Vec::new(),
    };
    if folders.is_empty() {
        folders.push(".".to_owned());
    }
    // Another branch may have no name.
    if terms(words).filter(|term| matches!(term, Term::Sign("o" | "or" | ","))).count() >= names.len() {
        names.clear();
    }
    let globs = folders.iter().flat_map(|folder| {
        let of_names = names.iter().map(move |name| match name.starts_with(folder) {
            true => name.clone(),
            false => format!("{folder}/**/{name}"),
        });
        let whole = names.is_empty().then(|| [folder.clone(), format!("{folder}/**")]);
        of_names.chain(whole.into_iter().flatten())
    });
    globs.map(|glob| glob.trim_start_matches("./").to_owned()).filter(|glob| glob != "." && glob != "**").collect()
}
