//! Command lines with their verdicts, and notes where a verdict is wrong. The long lists have paths of Unix.

#![cfg_attr(windows, allow(dead_code, reason = "the long lists are for Unix"))]

use std::env;
use std::path::PathBuf;

use hookkit::Environment;

use test_support::lines;

use super::{Allowed, Severity, judge};
use crate::testing::context;

/// Returns what comes of a line in a project: deny, ask or pass.
pub(super) fn verdict(line: &str, project: impl Into<PathBuf>, allowed: &Allowed) -> String {
    word(line, project.into(), Environment::default(), allowed).to_owned()
}

fn word(line: &str, project: PathBuf, environment: Environment, allowed: &Allowed) -> &'static str {
    match judge(line, &context(project), environment, allowed).map(|danger| danger.severity) {
        None => "pass",
        Some(Severity::Ask) => "ask",
        Some(Severity::Deny) => "deny",
    }
}

/// Returns what comes of a line of the lists, in which the home folder is `/home/me`.
fn listed(line: &str, project: &str) -> String {
    let home = env::home_dir().unwrap_or_else(|| "/home/me".into());
    let [line, project] = [line, project].map(|text| text.replace("/home/me", &home.to_string_lossy()));
    verdict(&line, project, &Allowed::default())
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
    const LIMITS: &str = include_str!("../../limits/deny-destruction.md");
    for (heading, expected) in [(lines::NOT_SEEN, "pass"), (lines::HARMLESS, "ask")] {
        for line in lines::of_table(LIMITS, heading) {
            assert_eq!(listed(&line, "/code/project"), expected, "{line}");
        }
    }
}

/// Where one rightly ends otherwise, that is in a list of its own, with its reason.
#[cfg(unix)]
#[test]
fn each_line_ends_the_same_wherever_the_project_is() {
    let lasting = test_support::lasting();
    std::fs::create_dir_all(lasting.path().join("real/project")).unwrap();
    // The repository around this checkout is not that of the project.
    std::fs::write(lasting.path().join("real/project/.git"), "").unwrap();
    let linked = lasting.path().join("link");
    std::os::unix::fs::symlink("real", &linked).unwrap();
    let linked = linked.to_str().unwrap();
    let home = env::home_dir().unwrap_or_else(|| "/home/me".into());
    let home = home.to_str().unwrap();
    let temporary = |name: &str| (name == "TMPDIR").then(|| "/scratch/me".into());
    let [lines, others] = [
        test_support::lines!("lines/deny-destruction.txt"),
        test_support::lines!("lines/deny-destruction-places.txt"),
    ];
    let lines = ["lines", "commands of hookkit"].map(|name| &lines.section(name).rows);
    let mut wrong = Vec::new();
    for (place, parent) in [
        ("/home/me/code/project", &*format!("{home}/code")),
        ("a link", linked),
        ("/code/it's ñ 1/project", "/code/it's ñ 1"),
        ("/tmp/code/x/project", "/tmp/code/x"),
        ("$TMPDIR/code/project", "/scratch/me/code"),
    ] {
        let environment = Environment::new(if place.starts_with('$') { temporary } else { |_| None });
        let quoted = format!("'{}'", parent.replace('\'', "'\\''"));
        let mut others: Vec<_> = others
            .sections
            .iter()
            .filter(|section| section.name == place)
            .flat_map(|section| &section.rows)
            .collect();
        for row in lines.into_iter().flatten() {
            let line = row.line.replace("/home/me", home).replace("/code", &quoted);
            let found = word(
                &line,
                format!("{parent}/project").into(),
                environment,
                &Allowed::default(),
            );
            let other = others.iter().position(|other| other.line == row.line);
            let expected = other.map_or(&row.expected, |at| &others.swap_remove(at).expected);
            if found != expected.concat() {
                wrong.push(format!(
                    "{place}: {}: {found} instead of {}",
                    row.line,
                    expected.concat()
                ));
            }
        }
        wrong.extend(
            others
                .iter()
                .map(|other| format!("{place}: {} is not a line of the lists", other.line)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// With each of its words looked at next to each other one, each of these takes a minute or more.
#[cfg(unix)]
#[test]
fn a_command_of_many_files_takes_no_longer_than_it_has_words() {
    let names = |folder: &str| {
        (0..20_000)
            .map(|number| format!(" {folder}{number}"))
            .collect::<String>()
    };
    let folders = |option: &str| {
        (0..2_000)
            .map(|number| format!(" {option} d{number}"))
            .collect::<String>()
    };
    for (line, expected) in [
        (format!("truncate -s0{}", names("/etc/")), "deny"),
        (format!("unlink{}", names("/opt/x/")), "ask"),
        (format!("touch{}", names("a")), "pass"),
        (format!("wget{} https://example.com/a", folders("-P")), "pass"),
        (
            format!("curl -O{} https://example.com/a", folders("--output-dir")),
            "pass",
        ),
        (format!("tar -cf x{} a", folders("-C")), "pass"),
        (format!("echo {}{}", "x".repeat(40_000), names("a")), "pass"),
    ] {
        assert!(line.len() > 10_000);
        assert_eq!(listed(&line, "/code/project"), expected, "{}", &line[..20]);
    }
}

/// Read again from each of its letters, each of these takes seconds.
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
        let code = unit.repeat(60_000 / unit.len()).replace('\'', "'\\''");
        // Its end, and a quotation mark that opens nothing.
        listed(&format!("{program} '{code}'"), "/code/project");
        listed(&format!("{program} 'drop execute(\"{code}'"), "/code/project");
    }
}

/// Texts that have the marks of code, and are not any: none of them ends the process.
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
    for program in [
        "awk", "mysql -e", "node -e", "osascript -e", "php -r", "python -c", "ruby -e", "sed",
    ] {
        for _ in 0..500 {
            let code: String = (0..next() % 12).map(|_| MARKS[next() % MARKS.len()]).collect();
            listed(&format!("{program} '{}'", code.replace('\'', "'\\''")), "/code/project");
        }
    }
}
