#![cfg_attr(
    windows,
    allow(dead_code, unused_imports, reason = "the comparison with git is for Unix")
)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::soak;

fn found(patterns: &str, path: &str) -> Option<String> {
    let patterns = Patterns::parse("list", patterns).unwrap();
    patterns.find(path).map(|found| found.pattern().to_owned())
}

#[test]
fn a_pattern_matches_as_the_documentation_says() {
    for (pattern, matching, others) in [
        (
            "*.lock",
            &["a.lock", "b/c.lock", "x.lock/y"][..],
            &["a.locked", "lock"][..],
        ),
        ("/Cargo.lock", &["Cargo.lock"], &["web/Cargo.lock"]),
        ("docs/api.md", &["docs/api.md"], &["web/docs/api.md"]),
        ("build/", &["build/", "build/a", "x/build/a"], &["build"]),
        ("a/**/b", &["a/b", "a/x/b", "a/x/y/b/c"], &["b", "x/a/b"]),
        ("a/**", &["a/b", "a/b/c"], &["a/", "b"]),
        ("**/b", &["b", "a/b"], &["ab"]),
        ("a?[0-9][!x]", &["ab1y"], &["ab1x", "a/1y", "ab1"]),
        ("\\#a", &["#a"], &["a"]),
        ("a\\ ", &["a "], &["a"]),
    ] {
        for path in matching {
            assert_eq!(found(pattern, path).as_deref(), Some(pattern), "{path}");
        }
        for path in others {
            assert_eq!(found(pattern, path), None, "{pattern} on {path}");
        }
    }
}

#[test]
fn the_last_line_decides_except_within_a_matched_folder() {
    let list = "*.env\n!example.env\n/keys/\n!/keys/public\n";
    assert_eq!(found(list, "a.env").as_deref(), Some("*.env"));
    assert_eq!(found(list, "x/example.env"), None);
    assert_eq!(found(list, "keys/public").as_deref(), Some("/keys/"));
}

#[test]
fn joined_lists_keep_their_names() {
    let list = Patterns::parse("first", "a\nb\n").unwrap();
    let list = list.and(Patterns::parse("second", "\n!a\nc\n").unwrap());
    assert!(list.find("a").is_none());
    assert_eq!(list.find("b").unwrap().to_string(), "`b` (line 2 of `first`)");
    let found = list.find("c").unwrap();
    assert_eq!((found.source(), found.line(), found.pattern()), ("second", 3, "c"));
}

#[test]
fn case_is_significant_unless_it_is_turned_off_or_the_system_ignores_it() {
    let list = Patterns::parse("list", ".git/\n[a]b\n/Cargo.lock\n").unwrap();
    assert_eq!(list.find("cargo.lock").is_some(), FOLDS_CASE);
    assert_eq!(list.find(".GIT/config").is_some(), FOLDS_CASE);
    let list = list.ignoring_case();
    assert!(list.find(".GIT/config").is_some());
    assert!(list.find("AB").is_some());
}

#[test]
fn nothing_matches_the_root() {
    for root in [".", "", "./"] {
        assert_eq!(found("*\n.*\n", root), None);
    }
}

#[test]
fn a_line_that_never_matches_is_an_error_with_a_fix() {
    for (line, mistake) in [
        ("[ab", "the `[` is not closed"),
        ("a[]", "the `[` is not closed"),
        ("a[[:digit:]", "the `[` is not closed"),
        ("a[[:foo:]]", "unknown character class"),
        ("a\\", "the `\\` at the end escapes nothing"),
        ("src\\gen", "`\\` does not separate folders"),
        ("*.{js,ts}", "`{…}` is not expanded"),
        ("../a", "`..` never matches"),
        ("!a/../b", "`..` never matches"),
        ("./a", "remove the `.`"),
        ("a//b", "empty folder name"),
        ("/", "the pattern is empty"),
        ("!", "the pattern is empty"),
        ("~/.ssh", "`~` is not expanded"),
        ("a\t", "the trailing tab"),
        (" a", "leading whitespace"),
        ("a # why", "a comment needs its own line"),
    ] {
        let error = Patterns::parse("list", &format!("fine\n{line}\n")).unwrap_err();
        let error = error.to_string();
        let (place, message) = error.split_once("`: ").unwrap();
        assert_eq!(place, format!("line 2 of `list`, `{line}"));
        assert!(message.contains(mistake), "{line}: {message}");
        let lenient = Patterns::parse_lenient("list", &format!("fine\n{line}\n"));
        assert!(lenient.find("fine").is_some());
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let error = Patterns::parse("list", "a//b\r\nfine\r\n[\r\n")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("line 1 of `list`, `a//b`: empty folder name"),
        "{error}"
    );
    assert!(error.contains("; line 3, `[`: the `[` is not closed"), "{error}");
}

#[test]
fn odd_but_valid_lines_are_accepted() {
    for line in [
        "",
        "  ",
        "# a",
        "#a # b",
        "[]a]",
        "[!]a]",
        "[^]]",
        "[\\]]",
        "[[]",
        "[[:alpha:]x]",
        "{a}",
        "a{",
        "\\{a,b}",
        "a b",
        "a ",
        "\\ a",
        "\\!a",
        "a\\*",
        "/~",
        "a#b",
        "**",
        "..a",
        "...",
        "!/a/",
    ] {
        assert_eq!(mistake::mistake(line), None, "{line}");
    }
}

/// Returns git's result for each path: the number of the line that decides, if there is one.
fn git(folder: &Path, paths: &[String]) -> Vec<Option<usize>> {
    let mut git = Command::new("git")
        .args([
            "-c",
            "core.ignoreCase=false",
            "-c",
            "core.excludesFile=",
            "check-ignore",
        ])
        .args(["--no-index", "--verbose", "--non-matching", "-z", "--stdin"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let listed: String = paths.iter().map(|path| format!("./{path}\0")).collect();
    // The output fits into a pipe.
    git.stdin.take().unwrap().write_all(listed.as_bytes()).unwrap();
    let message = String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap();
    let fields: Vec<&str> = message.split_terminator('\0').collect();
    fields.chunks(4).map(|field| field[1].parse().ok()).collect()
}

const NAMES: [&str; 16] = [
    "a", "b", "ab", "foo", "a.c", ".x", "x y", "Foo", "a[b", "a\\b", "a*", "!a", "#a", "ä", "a ", "]",
];

const PARTS: [&str; 40] = [
    "a",
    "b",
    "ab",
    "foo",
    "*",
    "?",
    "**",
    "*.c",
    "a*",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-f]",
    "[[:alpha:]]",
    "\\*",
    "\\a",
    "\\!a",
    "\\#a",
    ".x",
    "x\\ y",
    "x y",
    "a\\ ",
    "F*",
    "a[b",
    "[]a]",
    "[]]",
    "a\\[b",
    "***",
    "**b",
    "[",
    "\\\\",
    "ä",
    "[a-",
    "[\\]]",
    "[!]a]",
    "[--0]",
    "[[:foo:]]",
    "{a,b}",
    "a?",
    "*[b",
];

const ENDS: [&str; 8] = ["", "", "", "", "/", "/", " ", "\\"];
const STARTS: [&str; 8] = ["", "", "", "", "/", "!", "!/", "#"];

fn any<'t>(random: &mut fastrand::Rng, of: &[&'t str]) -> &'t str {
    of[random.usize(..of.len())]
}

fn some(random: &mut fastrand::Rng, parts: &[&str]) -> String {
    let parts: Vec<&str> = (0..random.usize(1..4)).map(|_| any(random, parts)).collect();
    parts.join("/")
}

/// It needs git, and names that Windows does not allow.
#[cfg(unix)]
#[test]
fn matches_are_the_same_as_gits() {
    let random = &mut fastrand::Rng::with_seed(7);
    for _ in soak::rounds(6, 60) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".git")).unwrap();
        fs::create_dir(folder.path().join(".git/objects")).unwrap();
        fs::create_dir(folder.path().join(".git/refs")).unwrap();
        fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let line = |random: &mut fastrand::Rng| {
            format!(
                "{}{}{}\n",
                any(random, &STARTS),
                some(random, &PARTS),
                any(random, &ENDS)
            )
        };
        let list: String = (0..random.usize(1..6)).map(|_| line(random)).collect();
        fs::write(folder.path().join(".gitignore"), &list).unwrap();
        let paths: Vec<String> = (0..60).map(|_| some(random, &NAMES)).collect();
        for path in &paths {
            // Some are folders, and so are the parents of others.
            if random.u8(..3) == 0 {
                fs::create_dir_all(folder.path().join(path)).unwrap();
            }
        }
        let patterns = Patterns::parse_lenient(".gitignore", &list);
        for (path, expected) in paths.iter().zip(git(folder.path(), &paths)) {
            let is_folder = folder.path().join(path).is_dir();
            let listed = if is_folder { format!("{path}/") } else { path.clone() };
            let line = patterns.last_line(&listed).map(|line| line.number);
            assert_eq!(line, expected, "{listed:?} by {list:?}");
        }
    }
}
