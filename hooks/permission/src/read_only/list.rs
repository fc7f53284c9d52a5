//! Tests of the command lines in the hook's list.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hookkit::prelude::*;
use test_support::lines;

use super::{Approved, Level, approve_read_only};

/// Returns the lowest level at which a line is approved. All higher levels approve it, too.
fn lowest(line: &str, project: &Path, cwd: PathBuf) -> String {
    let mut context = Context::default();
    (context.project_dir, context.cwd) = (project.into(), cwd);
    let is_approved = [Level::Read, Level::Build, Level::EditProject].map(|level| {
        let call = PreToolUse::new("Bash", tool::Bash::new(line));
        let answer = approve_read_only(call, context.clone(), Config(Approved { level }));
        answer.unwrap().is_some()
    });
    match is_approved {
        [true, true, true] => "read",
        [false, true, true] => "build",
        [false, false, true] => "edit-project",
        [false, false, false] => "never",
        _ => "not at a higher level",
    }
    .to_owned()
}

#[test]
fn each_line_ends_as_it_is_said() {
    let project = test_support::folder();
    test_support::git(&project, &["init"]);
    let lines = lines!("lines/approve-read-only.txt");
    let section = lines.section("lines");
    section.write(project.path(), "");
    lines.check_section(section.name, |line| lowest(line, project.path(), project.path().into()));
}

#[test]
fn a_command_that_reads_a_secret_by_the_table_is_left() {
    let lines = lines!("../../hookkit/secrets/lines/files.txt");
    for row in lines.sections.iter().flat_map(|section| &section.rows) {
        let project = test_support::folder();
        let path = row.expected.get(1).unwrap_or(&row.line);
        if row.expected.len() > 1 {
            let file = project.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, &row.line).unwrap();
        }
        let line = format!("cat '{path}'");
        let lowest = lowest(&line, project.path(), project.path().into());
        assert!(row.expected[0] == "open" || lowest == "never", "{line}: {lowest}");
    }
}

#[test]
fn lines_that_show_a_file_outside_of_the_project_are_left() {
    let folder = test_support::folder();
    let (project, secret) = (folder.path().join("project"), folder.path().join("secret"));
    let lines = lines!("lines/approve-read-only.txt");
    let section = lines.section("lines that show a file outside of the project");
    section.write(folder.path(), "");
    lines.check_section(section.name, |line| {
        let line = line.replace("SECRET", secret.to_str().unwrap());
        let mut bash = Command::new("bash");
        let shown = bash.args(["-c", &line]).current_dir(&project).output().unwrap();
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("canary"), "bash shows it: {line}: {shown}");
        lowest(&line, &project, project.clone())
    });
}

#[test]
fn a_loop_that_goes_up_is_left() {
    let project = test_support::folder();
    let folder = project.path().join("a/b/c");
    fs::create_dir_all(&folder).unwrap();
    let lowest = |line| lowest(line, project.path(), folder.clone());
    assert_eq!(lowest("cd .. && cat notes.txt"), "read");
    assert_eq!(lowest("for x in a b c d; do cd ..; cat notes.txt; done"), "never");
}

#[test]
fn settings_of_the_project_by_which_a_program_asks_another_server_are_seen() {
    let project = test_support::folder();
    let folder = project.path().join("src");
    fs::create_dir(&folder).unwrap();
    let lowest = || lowest("npm view lodash", project.path(), folder.clone());
    assert_eq!(lowest(), "read");
    let settings = "registry=https://x\n//x/:_authToken=${TOKEN}\n";
    fs::write(project.path().join(".npmrc"), settings).unwrap();
    assert_eq!(lowest(), "never");
}
