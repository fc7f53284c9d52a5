use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use test_support::git;

use crate::destructive::Allowed;
use crate::destructive::list::verdict;

/// Writes a project with files that git has as they are, changed ones, and new ones.
fn write_repository(project: &Path) {
    for folder in ["src/old", "docs", "scratch", "target"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    let write = |files: &[&str], text| {
        for file in files {
            fs::write(project.join(file), text).unwrap();
        }
    };
    write(&[".gitignore"], "target\n");
    let kept = [
        "src/clean.rs", "src/changed.rs", "src/old/gone.rs", "docs/a.md", "staged.rs",
    ];
    write(&kept, "one");
    git(project, &["init", "--quiet", "--initial-branch", "current"]);
    git(project, &["add", "."]);
    git(project, &["commit", "--quiet", "--message", "one"]);
    git(project, &["branch", "other"]);
    write(&["src/changed.rs", "staged.rs"], "two");
    git(project, &["add", "staged.rs"]);
    fs::remove_file(project.join("src/old/gone.rs")).unwrap();
    write(&["new.rs", "docs/new.md", "scratch/a", "target/a"], "two");
}

#[test]
fn each_line_ends_as_it_is_said_by_the_name_of_the_checkout_and_by_a_link() {
    let lines = test_support::lines!("lines/deny-destruction-checkouts.txt");
    for section in &lines.sections {
        let folder = test_support::lasting();
        let project = folder.path().join("project");
        match section.words("files").is_empty() {
            true => write_repository(&project),
            false => {
                fs::create_dir(&project).unwrap();
                section.write(&project, "");
            }
        }
        let link = folder.path().join("link");
        symlink("project", &link).unwrap();
        for root in [&project, &link] {
            lines.check_section(section.name, |line| verdict(line, root, &Allowed::default()));
        }
    }
}

#[test]
fn a_merge_is_called_off_where_nothing_was_resolved() {
    let project = test_support::folder();
    let project = project.path();
    write_repository(project);
    let verdict = || verdict("git merge other || git merge --abort", project, &Allowed::default());
    assert_eq!(verdict(), "pass");
    fs::write(project.join(".git/MERGE_HEAD"), "").unwrap();
    assert_eq!(verdict(), "ask");
}
