//! Lists of command lines with their verdicts, and notes on wrong verdicts. The long lists have Unix paths.

#![cfg_attr(windows, allow(dead_code, reason = "the long lists are for Unix"))]

use super::{Allowed, judge};
use crate::prelude::*;
use crate::testing::context;

/// Returns the verdict on a line in a project: deny, ask or pass.
pub(super) fn verdict(line: &str, project: impl Into<PathBuf>, allowed: &Allowed) -> String {
    word(line, project.into(), Environment::default(), allowed).to_owned()
}

fn word(line: &str, project: PathBuf, environment: Environment, allowed: &Allowed) -> &'static str {
    match judge(line, &context(project), environment, allowed).map(|found| found.is_certain()) {
        None => "pass",
        Some(false) => "ask",
        Some(true) => "deny",
    }
}

/// The home folder of the lists.
const HOME: &str = if cfg!(windows) { "C:/Users/me" } else { "/home/me" };

/// Runs `judge` with this home folder.
fn at_home<R>(home: &str, judge: impl FnOnce() -> R) -> R {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    hookkit::testing::with_variables([(name, home)], judge)
}

/// Returns the verdict of a line of the lists.
fn listed(line: &str, project: &str) -> String {
    at_home(HOME, || verdict(line, project, &Allowed::default()))
}

#[cfg(windows)]
#[test]
fn each_line_of_windows_ends_as_it_is_said() {
    let lines = test_support::lines!("lines/deny-destruction-windows.txt");
    lines.check(|_, line| listed(line, "C:/code/project"));
    let lines = test_support::lines!("lines/deny-destruction.txt");
    lines.check_section("commands of hookkit", |line| listed(line, "C:/code/project"));
}

#[cfg(unix)]
#[test]
fn each_line_ends_as_it_is_said() {
    test_support::lines!("lines/deny-destruction.txt").check(|section, line| {
        let project = section.words("project").concat();
        listed(line, if project.is_empty() { "/code/project" } else { &project })
    });
}

#[cfg(unix)]
#[test]
fn the_documentation_says_what_is_not_seen_and_what_is_overdone() {
    use test_support::lines;

    const LIMITS: &str = include_str!("../../limits/deny-destruction.md");
    for (heading, expected) in [(lines::NOT_SEEN, "pass"), (lines::HARMLESS, "ask")] {
        for line in lines::of_table(LIMITS, heading) {
            assert_eq!(listed(&line, "/code/project"), expected, "{line}");
        }
    }
}

/// Lines whose verdicts rightly depend on the folder are in a list of their own.
#[cfg(unix)]
#[test]
fn each_line_ends_the_same_wherever_the_project_is() {
    use std::collections::{HashMap, HashSet};

    let lasting = test_support::lasting();
    fs::create_dir_all(lasting.path().join("real/project")).unwrap();
    // The repository around this checkout is not that of the project.
    fs::write(lasting.path().join("real/project/.git"), "").unwrap();
    let link = lasting.path().join("link");
    std::os::unix::fs::symlink("real", &link).unwrap();
    let temporary = Environment::new(|name| (name == "TMPDIR").then(|| "/scratch/me".into()));
    let lines = test_support::lines!("lines/deny-destruction.txt");
    let others = test_support::lines!("lines/deny-destruction-places.txt");
    let others = others.sections.iter();
    let others = others.flat_map(|section| section.rows.iter().map(|row| (section.name, row)));
    let others: HashMap<(&str, &str), &str> =
        others.map(|(place, row)| ((place, &*row.line), &*row.expected[0])).collect();
    let mut unused: HashSet<_> = others.keys().copied().collect();
    let mut wrong = Vec::new();
    // Wherever the link can be made, it is below a home folder, because some of its folders are the system's.
    let outer = lasting.path().to_str().unwrap();
    for (place, home, parent, environment) in [
        ("below the home folder", HOME, "/home/me/code".to_owned(), Environment::default()),
        ("below a link", outer, link.display().to_string(), Environment::default()),
        ("a path with a blank", HOME, "/code/it's ñ 1".to_owned(), Environment::default()),
        ("/tmp/code/x/project", HOME, "/tmp/code/x".to_owned(), Environment::default()),
        ("$TMPDIR/code/project", HOME, "/scratch/me/code".to_owned(), temporary),
    ] {
        // The home folder and this checkout may have one, too.
        let place = if parent.contains(' ') { "a path with a blank" } else { place };
        let project = PathBuf::from(format!("{parent}/project"));
        let quoted = format!("'{}'", parent.replace('\'', "'\\''"));
        for row in ["lines", "commands of hookkit"]
            .iter()
            .flat_map(|name| &lines.section(name).rows)
            .filter(|row| home == HOME || !row.line.contains(HOME))
        {
            let line = row.line.replace("/code", &quoted);
            let found = at_home(home, || word(&line, project.clone(), environment, &Allowed::default()));
            let (key, same) = ((place, &*row.line), &*row.expected[0]);
            let other = others.get(&key).copied();
            if other.is_some_and(|other| other != same) {
                unused.remove(&key);
            }
            let expected = other.unwrap_or(same);
            if found != expected {
                wrong.push(format!("{place}: {}: {found} instead of {expected}", row.line));
            }
        }
    }
    assert!(wrong.is_empty() && unused.is_empty(), "{wrong:#?}\nunused lines of the list of places: {unused:?}");
}

/// Each of these would take a minute or more if each word were compared with every other.
#[cfg(unix)]
#[test]
fn a_command_of_many_files_takes_no_longer_than_it_has_words() {
    let each = |count, word: &str| (0..count).map(|number| format!(" {word}{number}")).collect::<String>();
    let names = |folder| each(20_000, folder);
    let folders = |option| each(2_000, &format!("{option} d"));
    for (line, expected) in [
        (format!("truncate -s0{}", names("/etc/")), "deny"),
        (format!("unlink{}", names("/opt/x/")), "ask"),
        (format!("touch{}", names("a")), "pass"),
        (format!("wget{} https://example.com/a", folders("-P")), "pass"),
        (format!("curl -O{} https://example.com/a", folders("--output-dir")), "pass"),
        (format!("tar -cf x{} a", folders("-C")), "pass"),
        (format!("echo {}{}", "x".repeat(40_000), names("a")), "pass"),
    ] {
        assert!(line.len() > 10_000);
        assert_eq!(listed(&line, "/code/project"), expected, "{}", &line[..20]);
    }
}

/// Each of these would take a quarter of a second if it were read again from each letter.
#[cfg(unix)]
#[test]
fn code_takes_no_longer_than_it_has_letters() {
    for (program, unit) in [
        ("awk", "\"a\"|getline"),
        ("mysql -e", "delete\n"),
        ("mysql -e", "[drop "),
        ("mysql -e", "a(\"drop table x\""),
        ("node -e", "fs.rm("),
        ("psql -c", "--\n/* drop */"),
        ("python -c", "from os import a,"),
        ("node -e", "}=require('child_process')"),
        ("python -c", "import subprocess, "),
        ("python -c", "subprocess.run(['a',"),
        ("python -c", "d=mkdtemp((\nrun([d,"),
        ("python -c", "\nd = mkdtemp()\nrmtree(d)"),
        ("python -c", "__import__('os')."),
        ("Rscript -e", "rm("),
        ("awk", ">\"a\";"),
        ("python -c", "unlink(',\"unlink(\",\"\"',"),
        ("sed", "/e/,"),
        ("sed", "s/[[:a:]]/e/e\n"),
    ] {
        let code = unit.repeat(10_000 / unit.len()).replace('\'', "'\\''");
        // The end of the text, and a quotation mark that opens nothing.
        listed(&format!("{program} '{code}'"), "/code/project");
        listed(&format!("{program} 'drop execute(\"{code}'"), "/code/project");
    }
}

/// Strings that look like code but are not: none of them ends the process.
#[cfg(unix)]
#[test]
fn each_text_is_read_to_its_end() {
    const MARKS: &[&str] = &[
        "é", "…", "'", "\"", "`", "\\", "$", "-", "/*", "*/", "[", ":]", "(", ")", "drop table", " ", "\n", "\r", ";",
        "e", "s/", "a\\", "q'", "unlink('", "execute(", "d = mkdtemp(", "__import__('", "Path(", "writeFileSync('a', ",
        " as d:", "fetch('http://", "do shell script ", "/dev/sd", "'fs'", "{execSync}=require('child_process')",
        "const ", "spawnSync('a', ", "shell: true", "subprocess.run(", "{", "=>", "|",
    ];
    let mut seed: usize = 1;
    let mut next = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1) % (1 << 48);
        seed >> 16
    };
    for program in ["awk", "mysql -e", "node -e", "osascript -e", "php -r", "python -c", "ruby -e", "sed"] {
        for _ in 0..500 {
            let code: String = (0..next() % 12).map(|_| MARKS[next() % MARKS.len()]).collect();
            listed(&format!("{program} '{}'", code.replace('\'', "'\\''")), "/code/project");
        }
    }
}
