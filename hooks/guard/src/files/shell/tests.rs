use tempfile::TempDir;

use super::*;
use crate::testing::context;
use test_support::lines;

/// Returns the kind of finding about a line, and its reason.
fn found(project: &Path, line: &str) -> (&'static str, String) {
    match look(line, &context(project)) {
        Some(Certain(reason)) => ("certain", reason),
        Some(Asked(reason)) => ("asked", reason),
        Some(Possible(reason)) => ("possible", reason),
        None => ("pass", String::new()),
    }
}

fn project() -> TempDir {
    let project = test_support::folder();
    for file in [".env", "certs/server.key", "src/main.rs"] {
        let path = project.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "TOKEN=1\n").unwrap();
    }
    project
}

#[test]
fn each_command_ends_as_it_is_said() {
    let lines = test_support::lines!("lines/protect-secrets.txt");
    lines.check_in_folders("TOKEN=1\n", |section, project, line| {
        let (found, reason) = found(project, line);
        match section.name {
            "the answer says what the command does" => format!("{found}\t{reason}"),
            _ => found.to_owned(),
        }
    });
}

#[test]
fn an_environment_file_that_git_takes_unnamed_is_asked_about() {
    let lines = test_support::lines!("lines/protect-secrets-git.txt");
    for section in &lines.sections {
        let folder = test_support::folder();
        section.write(folder.path(), "TOKEN=1\n");
        test_support::git(&folder, &["init", "--quiet"]);
        let tracked = section.words("tracked");
        test_support::git(&folder, &[&["add", "--force", "--"][..], &tracked].concat());
        test_support::git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "one"]);
        for file in tracked {
            fs::write(folder.path().join(file), "TOKEN=22\n").unwrap();
        }
        lines.check_section(section.name, |line| found(folder.path(), line).0.to_owned());
    }
}

#[test]
fn the_documentation_says_what_is_not_seen_and_what_is_overdone() {
    let limits = include_str!("../../../limits/protect-secrets.md");
    let project = project();
    for (heading, expected) in [(lines::NOT_SEEN, "pass"), (lines::HARMLESS, "possible")] {
        for line in lines::of_table(limits, heading) {
            assert_eq!(found(project.path(), &line).0, expected, "{line}");
        }
    }
}

#[test]
fn what_is_certain_counts_more_than_what_is_possible() {
    let project = project();
    let names: String = (0..30_000).map(|number| format!("x{number} ")).collect();
    let many = "cat ".to_owned() + &names;
    for (line, expected) in
        [("cat \"$d/.env\"; cat .env", "certain"), (&many, "possible"), (&format!("cat .env; {many}"), "certain")]
    {
        assert_eq!(found(project.path(), line).0, expected);
    }
}

/// Each of these took minutes when its names were looked up again for each word.
#[test]
fn long_lines_have_answers() {
    let project = project();
    let count = 1_000;
    for (line, expected) in [
        ("cat ".to_owned() + &"\"$x\" ".repeat(count), "pass"),
        ("python3 -c ".to_owned() + &"\"'`".repeat(5 * count), "pass"),
        ("x=1; ".repeat(count) + "cat $x", "pass"),
        ("echo a=b@c:d,".repeat(count), "pass"),
        (format!("echo {} | base64 -d", "A".repeat(20 * count)), "pass"),
        ("sh -c \"sh -c 'sh -c cat'\"; ".repeat(count / 5), "pass"),
        ("f=x; g=y; ".repeat(40) + "cat " + &"\"$f\" ".repeat(count) + "; cat .env", "certain"),
        ("printf 'cat \"$x\"' | bash; ".repeat(count), "pass"),
        // Only a part of it is searched.
        (
            "cd a; cd b; ".repeat(8)
                + "cat "
                + &(0..5 * count).map(|number| format!("x/y/{number} ")).collect::<String>(),
            "possible",
        ),
        ("cat a*; ".repeat(count), "possible"),
    ] {
        let found = found(project.path(), &line);
        assert_eq!(found.0, expected, "{}: {found:?}", &line[..40]);
    }
}
