use std::os::unix::fs::symlink;

use test_support::git;

use crate::destructive::Allowed;
use crate::destructive::list::verdict;
use crate::prelude::*;

/// Writes a project with committed, changed and new files.
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
    let kept = ["src/clean.rs", "src/changed.rs", "src/old/gone.rs", "docs/a.md", "staged.rs"];
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

/// Writes a project with files that git does not have, and repositories in it.
fn write_repositories(project: &Path, repositories: &[&str]) {
    fs::create_dir_all(project.join("src")).unwrap();
    fs::write(project.join("src/a.rs"), "").unwrap();
    fs::write(project.join(".gitignore"), "made*\n.claude/worktrees\nvendor\n").unwrap();
    git(project, &["init", "--quiet", "--initial-branch", "main"]);
    git(project, &["add", "."]);
    git(project, &["commit", "--quiet", "--message", "one"]);
    for folder in ["build", "node_modules/a/.git", "dist", "made", "notes"] {
        fs::create_dir_all(project.join(folder)).unwrap();
        fs::write(project.join(folder).join("file"), "").unwrap();
    }
    for file in ["app.log", "src/x.pyc", "made.txt", "notes.txt"] {
        fs::write(project.join(file), "").unwrap();
    }
    for repository in repositories.iter().filter(|name| **name != "none") {
        let (kind, name) = repository.split_once('/').unwrap();
        let tree = &format!(".claude/worktrees/{name}");
        match kind {
            "vendor" => git(project, &["clone", "--quiet", ".", &format!("vendor/{name}")]),
            _ => git(project, &["worktree", "add", "--quiet", "-b", name, tree]),
        };
        let tree = project.join(tree);
        let commit = ["commit", "--quiet", "--allow-empty", "--message", name];
        match name {
            "own" => drop(git(project.join("vendor/own"), &commit)),
            "new" => fs::write(tree.join("file"), "").unwrap(),
            "detached" => {
                git(&tree, &["checkout", "--quiet", "--detach"]);
                git(&tree, &commit);
            }
            // Its commits are on a branch.
            _ if kind == "worktrees" => drop(git(&tree, &commit)),
            _ => {}
        }
    }
}

#[test]
fn a_file_that_was_made_in_the_session_is_not_the_only_copy() {
    let folder = test_support::lasting();
    let project = folder.path();
    write_repositories(project, &[]);
    let transcript = project.join(".git/transcript");
    let verdict = |line| {
        let mut context = crate::testing::context(project);
        context.transcript_path = transcript.clone();
        let judged = crate::destructive::judge(line, &context, Environment::default(), &Allowed::default());
        judged.is_some()
    };
    assert!(verdict("rm notes.txt"));
    // The clock of files ticks every few milliseconds, and a file of the same tick counts as one of the session.
    let made = |file: &Path| fs::metadata(file).unwrap().created().unwrap();
    loop {
        fs::write(&transcript, "").unwrap();
        if made(&transcript) > made(&project.join("notes.txt")) {
            break;
        }
        fs::remove_file(&transcript).unwrap();
    }
    assert!(verdict("rm notes.txt"));
    fs::write(project.join("draft.txt"), "").unwrap();
    assert!(!verdict("rm draft.txt"));
}

#[test]
fn each_line_ends_as_it_is_said_by_the_name_of_the_checkout_and_by_a_link() {
    let lines = test_support::lines!("lines/deny-destruction-checkouts.txt");
    for section in &lines.sections {
        let folder = test_support::lasting();
        let project = folder.path().join("project");
        let repositories = section.words("repositories");
        match section.words("files").is_empty() {
            _ if !repositories.is_empty() => {
                write_repositories(&project, &repositories);
                section.write(&project, "");
            }
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
