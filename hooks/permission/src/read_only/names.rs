//! Commands that find files, and commands that are given the names of what is found.

use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

use super::programs::{has_only_options, holds_arguments, is_one_of, is_option, short_options};

/// Tests of `find` whose value is a pattern.
const PATTERNS: &str = "-ilname -iname -ipath -iregex -iwholename -lname -name -path -regex -wholename";

/// Further tests of `find` with a value, and actions.
const VALUED: &[&str] = &[
    "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-fstype", "-gid", "-group", "-inum", "-links",
    "-maxdepth", "-mindepth", "-mmin", "-mtime", "-perm", "-printf", "-regextype", "-samefile", "-size", "-type",
    "-uid", "-used", "-user", "-xtype",
];

/// Tests, actions and options of `find` without a value that write nothing and start nothing.
const ALONE: &str = "--help --version -E -H -L -P -X -a -and -d -daystart -depth -empty -executable -false -follow \
    -ls -mount -nogroup -noleaf -not -nouser -o -or -print -print0 -prune -quit -readable -s -true -writable -x -xdev";

/// Returns `true` if `find` has known tests, and commands for what is found; those are looked at by themselves.
pub(super) fn find(words: &[Word]) -> bool {
    find_patterns(words).is_some()
}

/// The indexes of the patterns that `find` compares names with; `None` if it does anything that is not known.
pub(super) fn find_patterns(words: &[Word]) -> Option<Vec<usize>> {
    let mut patterns = Vec::new();
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let text = word.known_start();
        index += 1;
        if text == "-exec" {
            index += 1 + words[index..]
                .iter()
                .position(|word| matches!(word.literal(), Some(";" | "+")))?;
        } else if lists(PATTERNS, text) || text == "-perm" {
            words.get(index)?;
            patterns.push(index);
            index += 1;
        } else if VALUED.contains(&text) || text.starts_with("-newer") {
            words.get(index)?;
            index += 1;
        } else if text.starts_with('-') && !lists(ALONE, text) {
            return None;
        }
    }
    Some(patterns)
}

/// Names, and nothing for them.
pub(super) fn fd(words: &[Word]) -> bool {
    let is_known = |word: &Word| short_options(word, "0adEeFgHhIiLpqSstuV") || is_one_of(word, FD);
    words.iter().all(is_known)
}

/// Long options of `fd` that run and write nothing.
const FD: &str = "absolute-path base-directory case-sensitive changed-before changed-within exact-depth exclude extension \
    fixed-strings follow full-path glob hidden ignore-case max-depth max-results min-depth no-follow no-hidden no-ignore \
    no-ignore-vcs owner print0 prune quiet regex relative-path search-path size type unrestricted version help";

/// Returns `true` if a program takes whatever file is named for no option, and starts and writes nothing by what it finds
/// there: names that are not known may be given to it.
pub(super) fn takes_any_name(command: &Command) -> bool {
    const ANY: &str = "basename cat dirname head ls nl stat tac";
    command.name().is_some_and(|name| lists(ANY, name))
}

/// Returns `true` if a command prints nothing but names of the project's files, each with a NUL behind it.
pub(super) fn prints_names(command: &Command) -> bool {
    let words = command.arguments();
    let has = |texts: &[&str]| {
        words
            .iter()
            .any(|word| word.literal().is_some_and(|text| texts.contains(&text)))
    };
    match command.name() {
        Some("find") => {
            let prints = |word: &Word| ["-exec", "-ls", "-print", "-printf"].contains(&word.known_start());
            has(&["-print0"]) && !words.iter().any(|word| prints(word) || holds_arguments(word))
        }
        Some("fd" | "fdfind") => has(&["-0", "--print0"]),
        Some("git") => has(&["ls-files"]) && has(&["-z"]) && words.len() == 2,
        Some("rg") => {
            has(&["-l", "--files", "--files-with-matches"])
                && has(&["-0", "--null"])
                && has_only_options(words, "l0FgiStw", "files files-with-matches glob ignore-case null type")
        }
        Some("grep") => {
            has(&["-lZ", "-rlZ", "-lrZ"]) && has_only_options(words, "EFilrwZ", "include exclude exclude-dir")
        }
        _ => false,
    }
}

/// Returns the words of the command that `xargs` runs, if it takes names that end in NUL from its input.
pub(super) fn xargs(words: &[Word]) -> Option<&[Word]> {
    let mut has_null = false;
    let mut rest = words;
    while let Some((option, behind)) = rest.split_first().filter(|(word, _)| is_option(word)) {
        rest = behind;
        match option.literal()? {
            "-0" | "--null" => has_null = true,
            "-r" | "-x" | "-t" | "--no-run-if-empty" | "--verbose" => {}
            "-n" | "-P" | "-I" | "-L" | "-s" => rest = behind.get(1..)?,
            _ => return None,
        }
    }
    (has_null && !rest.is_empty()).then_some(rest)
}
