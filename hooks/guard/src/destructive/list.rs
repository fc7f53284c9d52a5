//! Command lines with their verdicts, and notes where a verdict is wrong. The long lists have paths of Unix.

#![cfg_attr(windows, allow(dead_code, reason = "the long lists are for Unix"))]

mod asked;
mod denied;
mod passed;

use hookkit::{Context, Environment};

use self::{asked::ASKED, denied::DENIED, passed::PASSED};
use super::{Allowed, Severity, judge};
use crate::limits;

/// The tables of the documentation: lines that are not seen, and harmless ones that are asked about.
const LIMITS: &str = include_str!("../../limits/deny-destruction.md");

/// On Windows: the command lines of Git Bash, with their verdicts.
#[cfg(windows)]
const ON_WINDOWS: &[(&str, Option<Severity>)] = &[
    ("rm -rf C:/", Some(Severity::Deny)),
    ("rm -rf 'C:\\'", Some(Severity::Deny)),
    ("rm -rf ~", Some(Severity::Deny)),
    ("rm -rf C:/Windows", Some(Severity::Deny)),
    ("rm -rf ../..", Some(Severity::Deny)),
    ("rm -rf .", Some(Severity::Deny)),
    ("rm -rf .git", Some(Severity::Deny)),
    ("rm -rf .GIT", Some(Severity::Deny)),
    ("rm -rf 'git~1'", Some(Severity::Deny)),
    ("rm -rf C:/code/project/.git.", Some(Severity::Ask)),
    ("rm -rf C:/code/project/build::\\$INDEX_ALLOCATION", Some(Severity::Ask)),
    ("rm -rf /", Some(Severity::Ask)),
    ("rm -rf /c/Users", Some(Severity::Ask)),
    ("rm -rf /tmp/../c/Users", Some(Severity::Ask)),
    ("cd /c/Users && rm -rf me", Some(Severity::Ask)),
    ("rm -rf //server/share", Some(Severity::Ask)),
    ("rm -rf C:x", Some(Severity::Ask)),
    ("rm -rf d:/other/x", Some(Severity::Ask)),
    ("rm -rf C:/CODE/project/build", Some(Severity::Ask)),
    ("rm -rf build", None),
    ("rm -rf c:/code/project/build", None),
    ("cd src && rm -rf x", None),
];

#[cfg(windows)]
#[test]
fn each_line_of_windows_ends_as_it_is_said() {
    for (line, expected) in ON_WINDOWS {
        assert_eq!(severity(line), *expected, "{line}");
    }
}

/// In the lists the home folder is `/home/me`.
fn severity(line: &str) -> Option<Severity> {
    let project = if cfg!(windows) {
        "C:/code/project"
    } else {
        "/code/project"
    };
    severity_in(line, project)
}

fn severity_in(line: &str, project: &str) -> Option<Severity> {
    let home = std::env::home_dir().unwrap_or_else(|| "/home/me".into());
    let [line, project] = [line, project].map(|text| text.replace("/home/me", &home.to_string_lossy()));
    let mut context = Context::default();
    context.project_dir = project.clone().into();
    context.cwd = project.into();
    judge(&line, &context, Environment::default(), &Allowed::default()).map(|finding| finding.severity)
}

#[cfg(unix)]
#[test]
fn each_line_ends_as_it_is_said() {
    let mut wrong = Vec::new();
    let own = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let lists: [(Vec<String>, Option<Severity>); 5] = [
        (own(DENIED), Some(Severity::Deny)),
        (own(ASKED), Some(Severity::Ask)),
        (own(PASSED), None),
        (limits::lines(LIMITS, limits::NOT_SEEN), None),
        (limits::lines(LIMITS, limits::HARMLESS), Some(Severity::Ask)),
    ];
    for (lines, expected) in lists {
        assert!(lines.len() > 5);
        for line in lines {
            let found = severity(&line);
            if found != expected {
                wrong.push(format!("{line:?}: {found:?} instead of {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[cfg(unix)]
#[test]
fn a_file_of_the_system_or_of_the_user_is_one_in_a_project_too() {
    for (project, line) in [
        ("/", "echo x >> etc/passwd"),
        ("/etc", "sed -i s/a/b/ passwd"),
        ("/home/me", "cp k .ssh/authorized_keys"),
        ("/home/me/.ssh", "cat k >> authorized_keys"),
        ("/code/project", "cat k >> ../../home/me/.ssh/authorized_keys"),
        ("/code/project", "cd /etc && tee -a passwd"),
    ] {
        assert_eq!(severity_in(line, project), Some(Severity::Ask), "{project}: {line}");
    }
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
        (format!("truncate -s0{}", names("/etc/")), Some(Severity::Deny)),
        (format!("unlink{}", names("/opt/x/")), Some(Severity::Ask)),
        (format!("touch{}", names("a")), None),
        (format!("wget{} https://example.com/a", folders("-P")), None),
        (
            format!("curl -O{} https://example.com/a", folders("--output-dir")),
            None,
        ),
        (format!("tar -cf x{} a", folders("-C")), None),
        (format!("echo {}{}", "x".repeat(40_000), names("a")), None),
    ] {
        assert!(line.len() > 10_000);
        assert_eq!(severity(&line), expected, "{}", &line[..20]);
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
        severity(&format!("{program} '{code}'"));
        severity(&format!("{program} 'drop execute(\"{code}'"));
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
            severity(&format!("{program} '{}'", code.replace('\'', "'\\''")));
        }
    }
}
