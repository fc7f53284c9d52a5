//! Command lines with their verdicts, and notes where a verdict is wrong. The long lists have paths of Unix.

#![cfg_attr(windows, allow(dead_code, reason = "the long lists are for Unix"))]

use hookkit::{Context, Environment};

use test_support::lines;

use super::{Allowed, Severity, judge};

#[cfg(windows)]
#[test]
fn each_line_of_windows_ends_as_it_is_said() {
    let lines = test_support::lines!("lines/deny-destruction-windows.txt");
    lines.check(|_, line| verdict(severity(line)));
}

fn verdict(severity: Option<Severity>) -> String {
    let verdict = match severity {
        None => "pass",
        Some(Severity::Ask) => "ask",
        Some(Severity::Deny) => "deny",
    };
    verdict.to_owned()
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
    test_support::lines!("lines/deny-destruction.txt").check(|_, line| verdict(severity(line)));
}

#[cfg(unix)]
#[test]
fn the_documentation_says_what_is_not_seen_and_what_is_overdone() {
    const LIMITS: &str = include_str!("../../limits/deny-destruction.md");
    for (heading, expected) in [(lines::NOT_SEEN, None), (lines::HARMLESS, Some(Severity::Ask))] {
        for line in lines::of_table(LIMITS, heading) {
            assert_eq!(severity(&line), expected, "{line}");
        }
    }
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
