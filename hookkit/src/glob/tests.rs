#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "the comparison with git is for Unix"))]

use std::fs;
use std::path::Path;

use super::*;
use crate::soak;

fn found(patterns: &str, path: &str) -> Option<String> {
    let patterns = Patterns::parse("list", patterns).unwrap();
    patterns.find(path).map(|found| found.pattern().to_owned())
}

#[test]
fn a_pattern_matches_as_the_documentation_says() {
    test_support::lines!("lines/patterns.txt").check_inputs(|section, inputs| {
        let &[pattern, path] = inputs else { panic!("{inputs:?}") };
        let list = match section.name {
            // Git ignores the case of `a`, but not of `[A]` and `\A`: with it, they match neither `a` nor `A`.
            "brackets and escapes without case" => Patterns::parse_lenient("list", pattern).ignoring_case(),
            _ => Patterns::parse("list", pattern).unwrap(),
        };
        match list.find(path).map(|found| found.pattern().to_owned()) {
            None => "none".into(),
            Some(found) if found == pattern => "match".into(),
            Some(found) => found,
        }
    });
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
    test_support::lines!("lines/pattern-lines.txt").check(|_, line| {
        let lines = format!("fine\n{line}\n");
        assert!(Patterns::parse_lenient("list", &lines).find("fine").is_some());
        let Err(error) = Patterns::parse("list", &lines) else {
            assert_eq!(mistake::mistake(line), None);
            return "fine".into();
        };
        let error = error.to_string();
        let message = error.strip_prefix(&format!("line 2 of `list`, `{line}`: "));
        message.unwrap_or(&error).to_owned()
    });
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let error = Patterns::parse("list", "a//b\r\nfine\r\n[\r\n").unwrap_err().to_string();
    let expected = "line 1 of `list`, `a//b`: empty folder name";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.contains("; line 3, `[`: the `[` is not closed"), "{error}");
}

#[test]
fn lines_end_as_in_git() {
    let list = Patterns::parse_lenient("list", "\u{feff}a\r\nb\0c\n+/v8\n\r\nd\r");
    let line = |path: &str| list.find(path).map(|found| (found.line(), found.pattern()));
    assert_eq!(line("a"), Some((1, "a")));
    assert_eq!(line("b"), Some((2, "b\0c")));
    assert_eq!(line("+/v8"), Some((3, "+/v8")));
    assert_eq!(line("d"), Some((5, "d")));
}

#[test]
fn no_pattern_takes_exponential_time() {
    let text = |part: &str| part.repeat(2_000 / part.len());
    for (pattern, text) in [
        ("*a*a*a*a*a*a*a*a*b".to_owned(), text("a")),
        (format!("{}b", "*a".repeat(500)), text("a")),
        (format!("{}b", "a*".repeat(500)), text("a")),
        (format!("{}b", "*?".repeat(500)), text("a")),
        (format!("{}b", "*[!b]".repeat(100)), text("a")),
        (format!("{}b", "**/".repeat(500)), text("a/")),
        (format!("{}b", "**/a/".repeat(500)), text("a/")),
        (format!("{}b", "**/*a*a/".repeat(50)), text("aaaaaaa/")),
        (format!("{}b", "**/*/".repeat(50)), text("a/")),
        (format!("**/{}b", "*a*/".repeat(50)), text("aaaaaaa/")),
        (format!("**/{}b", "a/".repeat(500)), text("a/")),
        (format!("{}b", "**\\/*a*".repeat(50)), text("aaa/")),
    ] {
        for folds_case in [false, true] {
            let mut steps = 0;
            let is_match = wildmatch::is_match(pattern.as_bytes(), text.as_bytes(), folds_case, || steps += 1);
            assert!(!is_match, "{pattern}");
            assert!(steps <= pattern.len() * text.len(), "{pattern}: {steps} steps");
        }
    }
}

#[test]
fn no_input_panics() {
    let random = &mut fastrand::Rng::with_seed(11);
    let characters = [&CHARACTERS[..], &NAME, &["\0", "€", "\u{feff}"]].concat();
    for _ in 0..soak::size(5_000, 500_000) {
        let mut text = |longest| -> String { (0..random.usize(..longest)).map(|_| any(random, &characters)).collect() };
        let (list, path) = (text(12), text(8));
        drop(Patterns::parse("list", &list));
        let list = Patterns::parse_lenient("list", &list);
        list.find(&path);
        list.ignoring_case().find(&path);
    }
}

/// Returns git's result for each path: the number of the line that decides, if there is one.
fn git(folder: &Path, paths: &[String], folds_case: bool) -> Vec<Option<usize>> {
    let listed = folder.join("paths");
    fs::write(&listed, paths.join("\0")).unwrap();
    let git = test_support::git_command(folder)
        .arg("-c")
        .arg(format!("core.ignoreCase={folds_case}"))
        .args(["-c", "core.excludesFile=", "check-ignore"])
        .args(["--no-index", "--verbose", "--non-matching", "-z", "--stdin"])
        .stdin(fs::File::open(listed).unwrap())
        .output()
        .unwrap();
    let message = String::from_utf8(git.stdout).unwrap();
    let fields: Vec<&str> = message.split_terminator('\0').collect();
    let expected = 4 * paths.len();
    assert_eq!(fields.len(), expected, "{}", String::from_utf8_lossy(&git.stderr));
    fields.chunks(4).map(|field| field[1].parse().ok()).collect()
}

/// Asserts that the same line decides about every path in a list and in git. Each list has its own folder.
fn assert_same_as_git(cases: &[(String, Vec<String>)], random: &mut fastrand::Rng, folds_case: bool) {
    let folder = test_support::folder();
    let folder = folder.path();
    fs::create_dir_all(folder.join(".git/objects")).unwrap();
    fs::create_dir(folder.join(".git/refs")).unwrap();
    fs::write(folder.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let mut all = Vec::new();
    for (number, (list, paths)) in cases.iter().enumerate() {
        let root = folder.join(number.to_string());
        fs::create_dir(&root).unwrap();
        fs::write(root.join(".gitignore"), list).unwrap();
        for path in paths {
            // Some are folders; the parents of others are, too.
            if random.u8(..3) == 0 {
                fs::create_dir_all(root.join(path)).unwrap();
            }
            all.push(format!("{number}/{path}"));
        }
    }
    let mut expected = git(folder, &all, folds_case).into_iter();
    for (number, (list, paths)) in cases.iter().enumerate() {
        let mut patterns = Patterns::parse_lenient(".gitignore", list);
        patterns.folds_case = folds_case;
        for path in paths {
            let is_folder = folder.join(number.to_string()).join(path).is_dir();
            let listed = if is_folder { format!("{path}/") } else { path.clone() };
            let line = patterns.last_line(&listed).map(|line| line.number);
            assert_eq!(line, expected.next().unwrap(), "{listed:?} by {list:?}, {folds_case}");
        }
    }
}

const NAMES: [&str; 16] =
    ["a", "b", "ab", "foo", "a.c", ".x", "x y", "Foo", "a[b", "a\\b", "a*", "!a", "#a", "ä", "a ", "]"];

const PARTS: [&str; 44] = [
    "a", "b", "ab", "foo", "*", "?", "**", "*.c", "a*", "[ab]", "[!a]", "[^b]", "[a-f]", "[[:alpha:]]", "\\*", "\\a",
    "\\!a", "\\#a", ".x", "x\\ y", "x y", "a\\ ", "F*", "a[b", "[]a]", "[]]", "a\\[b", "***", "**b", "[", "\\\\", "ä",
    "[a-", "[\\]]", "[!]a]", "[--0]", "[[:foo:]]", "{a,b}", "a?", "*[b", "a**", "a?**", "\\!**", "**\\",
];

/// Upper case letters occur only in ranges: see `lines/patterns.txt`.
const CHARACTERS: [&str; 40] = [
    "*", "*", "*", "?", "[", "[", "]", "]", "!", "^", "-", "-", "\\", "\\", "/", "/", "/", "/", "a", "a", "b", "b",
    "c", "ä", ":", " ", "#", "\t", "\r", "\n", "\n", "\n", "\n!", "**/", "/**", "/**/", "[:alpha:]", "[[:upper:]",
    "[A-b]", "[B-a]",
];

const NAME: [&str; 20] =
    ["a", "a", "a", "b", "b", "b", "c", "A", "B", "C", "ä", "*", "[", "]", "-", "\\", "!", ":", " ", "\t"];

const ENDS: [&str; 8] = ["", "", "", "", "/", "/", " ", "\\"];
const STARTS: [&str; 8] = ["", "", "", "", "/", "!", "!/", "#"];

fn any<'t>(random: &mut fastrand::Rng, of: &[&'t str]) -> &'t str {
    of[random.usize(..of.len())]
}

fn some(random: &mut fastrand::Rng, parts: &[&str]) -> String {
    let parts: Vec<&str> = (0..random.usize(1..4)).map(|_| any(random, parts)).collect();
    parts.join("/")
}

/// Returns random lines and paths.
fn case(random: &mut fastrand::Rng) -> (String, Vec<String>) {
    let line = |random: &mut fastrand::Rng| {
        format!("{}{}{}\n", any(random, &STARTS), some(random, &PARTS), any(random, &ENDS))
    };
    let list = (0..random.usize(1..6)).map(|_| line(random)).collect();
    (list, (0..60).map(|_| some(random, &NAMES)).collect())
}

/// Returns a test case of random characters, so that the patterns have any form.
fn case_of_characters(random: &mut fastrand::Rng) -> (String, Vec<String>) {
    let mut text =
        |of: &[&str], longest| -> String { (0..random.usize(1..longest)).map(|_| any(random, of)).collect() };
    let list = text(&CHARACTERS, 40);
    let paths = (0..60).map(|_| [text(&NAME, 4), text(&NAME, 4), text(&NAME, 3)]);
    let paths: Vec<[String; 3]> = paths.collect();
    let paths = paths.iter().map(|parts| parts[..random.usize(1..4)].join("/"));
    (list, paths.collect())
}

/// Requires git, and file names that Windows does not allow.
#[cfg(unix)]
#[test]
fn matches_are_the_same_as_gits() {
    let random = &mut fastrand::Rng::with_seed(7);
    for round in soak::rounds(4, 40) {
        let cases: Vec<_> = (0..40)
            .map(|number| match number % 2 {
                0 => case(random),
                _ => case_of_characters(random),
            })
            .collect();
        assert_same_as_git(&cases, random, FOLDS_CASE || round % 2 == 1);
    }
}
