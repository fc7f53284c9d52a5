//! Tests of `approve_read_only` on recorded events, with git, links, and Unix paths.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use hookkit::Hook;
use hookkit::testing::{Action, Verdict, run_recorded, with_variables};
use hookkit_permission::read_only::approve_read_only;
use serde_json::Value;
use tempfile::TempDir;
use test_support::git;

/// Runs the recorded event with another command.
fn run(command: &str) -> Verdict {
    run_in(Path::new("/home/user/project"), command)
}

/// Runs the recorded event with another command in another folder.
fn run_in(cwd: &Path, command: &str) -> Verdict {
    let mut event: Value = serde_json::from_str(include_str!("fixtures/pre_tool_use/bash.json")).unwrap();
    event["tool_input"]["command"] = command.into();
    event["cwd"] = cwd.to_str().unwrap().into();
    run_recorded(approve_read_only::DEF, event.to_string().as_bytes())
}

/// Runs a command in a folder of a project.
fn run_in_project(project: &Path, folder: &str, command: &str) -> Verdict {
    with_variables([("CLAUDE_PROJECT_DIR", project)], || run_in(&project.join(folder), command))
}

/// Runs `git status` in a folder of a project.
fn status_in(project: &Path, folder: &str) -> Verdict {
    run_in_project(project, folder, "git status")
}

/// Runs git, which may fail.
fn try_git(folder: &Path, arguments: &[&str]) -> Output {
    test_support::git_command(folder).args(arguments).output().unwrap()
}

/// Creates a repository on the branch `main`, with one commit.
fn repository() -> (TempDir, PathBuf) {
    let folder = test_support::folder();
    let root = folder.path().canonicalize().unwrap().join("project");
    fs::create_dir_all(root.join("src")).unwrap();
    for arguments in [&["init", "--initial-branch=main"][..], &["commit", "--allow-empty", "--message", "first"]] {
        git(&root, arguments);
    }
    (folder, root)
}

/// Creates a folder that git treats as a bare repository. Its configuration names a program as file system monitor,
/// which creates `ran` in the folder where git runs.
fn lookalike(folder: &Path, worktree: &str) {
    for part in ["objects", "refs"] {
        fs::create_dir_all(folder.join(part)).unwrap();
    }
    fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {worktree}\n\tfsmonitor = \"touch ran; false\"\n"
    );
    fs::write(folder.join("config"), config).unwrap();
}

#[test]
fn a_folder_that_a_checkout_made_look_like_a_repository_is_left_to_the_user() {
    let (_folder, root) = repository();
    fs::create_dir_all(root.join("tracked/src")).unwrap();
    lookalike(&root.join("tracked"), "src");
    // git runs the program that the checkout names.
    git(root.join("tracked/src"), &["status"]);
    assert!(root.join("tracked/src/ran").exists());
    status_in(&root, "").assert_allowed();
    status_in(&root, "src").assert_allowed();
    status_in(&root, "tracked").assert_passed();
    status_in(&root, "tracked/src").assert_passed();
    for line in [
        "cd tracked && git status", "cd src/../tracked/src && git log", "git -C tracked status",
        "git -C src -C ../tracked/src diff",
    ] {
        run_in_project(&root, "", line).assert_passed();
    }
    for line in ["cd src && git status", "(cd src; git log)", "git -C src diff"] {
        run_in_project(&root, "", line).assert_allowed();
    }
    // A session may start there.
    status_in(&root.join("tracked"), "src").assert_passed();
    // Objects and references may be elsewhere.
    fs::remove_dir_all(root.join("tracked/objects")).unwrap();
    fs::write(root.join("tracked/commondir"), "../.git").unwrap();
    status_in(&root, "tracked/src").assert_passed();
    // Other commands do not use a repository.
    run_in(&root.join("tracked"), "ls").assert_allowed();
}

#[test]
fn a_repository_within_the_project_is_left_to_the_user() {
    let (_folder, root) = repository();
    lookalike(&root.join("tracked"), "../module");
    fs::create_dir(root.join("module")).unwrap();
    fs::write(root.join("module/.git"), "gitdir: ../tracked\n").unwrap();
    git(root.join("module"), &["status"]);
    assert!(root.join("module/ran").exists());
    status_in(&root, "module").assert_passed();
    // Naming it like a linked work tree does not help.
    fs::create_dir_all(root.join("tracked/worktrees/x")).unwrap();
    fs::write(root.join("tracked/worktrees/x/commondir"), "../..").unwrap();
    fs::write(root.join("module/.git"), "gitdir: ../tracked/worktrees/x\n").unwrap();
    status_in(&root, "module").assert_passed();
    // A session may start there.
    status_in(&root.join("module"), "").assert_passed();
    git(&root, &["init", "inner"]);
    status_in(&root, "inner").assert_passed();
    status_in(&root.join("inner"), "").assert_allowed();
}

#[test]
fn a_link_leads_git_to_where_it_leads() {
    let (folder, root) = repository();
    git(folder.path(), &["init", "other"]);
    fs::create_dir(folder.path().join("other/sub")).unwrap();
    symlink(folder.path().join("other/sub"), root.join("link")).unwrap();
    for line in [
        "git -C link status", "git -C link/.. status", "git -C src -C ../link/.. log", "cd link && git status",
        "cd link; cd ..; git log",
    ] {
        run_in_project(&root, "", line).assert_passed();
    }
}

#[test]
fn linked_work_trees_of_the_project_are_its_own() {
    let (folder, root) = repository();
    git(&root, &["worktree", "add", "trees/a"]);
    git(&root, &["worktree", "add", "../other"]);
    let other = root.with_file_name("other");
    fs::create_dir(other.join("src")).unwrap();
    status_in(&root, "trees/a").assert_allowed();
    status_in(&other, "src").assert_allowed();
    status_in(&root.join("src"), "").assert_allowed();
    // Outside of repositories nothing is checked.
    status_in(folder.path(), "").assert_passed();
    status_in(&root, "missing").assert_passed();
}

#[test]
fn a_repository_whose_configuration_starts_a_program_is_left_to_the_user() {
    let (_folder, root) = repository();
    git(&root, &["worktree", "add", "tree"]);
    git(&root, &["config", "extensions.worktreeConfig", "true"]);
    let monitor = root.join("monitor");
    program(&monitor);
    let monitor = monitor.to_str().unwrap();
    status_in(&root, "tree").assert_allowed();
    git(root.join("tree"), &["config", "--worktree", "core.fsmonitor", monitor]);
    git(root.join("tree"), &["status"]);
    assert!(root.join("monitor.ran").exists());
    status_in(&root, "tree").assert_passed();
    status_in(&root, "").assert_allowed();
    git(&root, &["config", "core.fsmonitor", monitor]);
    status_in(&root, "").assert_passed();
}

/// Creates a program that writes a file next to itself when it runs.
fn program(path: &Path) {
    fs::write(path, "#!/bin/sh\n: > \"$0.ran\"\nexit 1\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Asserts that git runs the program in a repository, and that the command is left to the user.
#[track_caller]
fn assert_left(root: &Path, command: &str, program: &Path) {
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let output = try_git(root, &arguments);
    assert!(program.with_extension("ran").exists(), "git runs it: {command}: {output:?}");
    run_in_project(root, "", command).assert_passed();
}

#[test]
fn references_of_alternates_are_left_to_the_user() {
    let (folder, root) = repository();
    let evil = folder.path().join("evil");
    program(&evil);
    git(folder.path(), &["init", "other"]);
    let alternate = folder.path().join("other/.git/objects");
    fs::write(root.join(".git/objects/info/alternates"), alternate.to_str().unwrap()).unwrap();
    run_in_project(&root, "", "git log").assert_allowed();
    git(&root, &["config", "core.alternateRefsCommand", evil.to_str().unwrap()]);
    assert_left(&root, "git log --alternate-refs", &evil);
    run_in_project(&root, "", "git log").assert_passed();
}

#[test]
fn a_merge_driver_of_the_repository_is_left_to_the_user() {
    let (folder, root) = repository();
    let evil = folder.path().join("evil");
    program(&evil);
    fs::write(root.join(".gitattributes"), "file merge=x\n").unwrap();
    for (branch, text) in [("main", "base"), ("other", "theirs"), ("main", "ours")] {
        git(&root, &["switch", branch]);
        fs::write(root.join("file"), text).unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "--message", text]);
        try_git(&root, &["branch", "other"]);
    }
    try_git(&root, &["merge", "other"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "--message", "merge"]);
    run_in_project(&root, "", "git log -m -p").assert_allowed();
    git(&root, &["config", "merge.x.driver", evil.to_str().unwrap()]);
    git(&root, &["config", "log.diffMerges", "remerge"]);
    assert_left(&root, "git log -m -p", &evil);
}

#[test]
fn a_repository_that_fetches_what_it_lacks_is_left_to_the_user() {
    let (folder, root) = repository();
    let evil = folder.path().join("evil");
    program(&evil);
    fs::write(root.join("file"), "text").unwrap();
    git(&root, &["add", "."]);
    git(&root, &["commit", "--message", "second"]);
    let id = git(&root, &["rev-parse", "HEAD:file"]);
    let (folder_of_object, object) = id.trim().split_at(2);
    fs::remove_file(root.join(".git/objects").join(folder_of_object).join(object)).unwrap();
    run_in_project(&root, "", "git show").assert_allowed();
    git(&root, &["config", "remote.origin.url", "."]);
    git(&root, &["config", "remote.origin.uploadpack", evil.to_str().unwrap()]);
    git(&root, &["config", "remote.origin.partialclonefilter", "blob:none"]);
    assert_left(&root, "git show", &evil);
}

#[test]
fn a_work_tree_whose_repository_is_elsewhere_is_left_to_the_user() {
    let (_folder, root) = repository();
    git(&root, &["worktree", "add", "tree"]);
    status_in(&root, "tree").assert_allowed();
    // git keeps the blank.
    fs::write(root.join(".git/worktrees/tree/commondir"), "../.. \n").unwrap();
    status_in(&root, "tree").assert_passed();
}

#[test]
fn a_repository_with_parts_elsewhere_is_left_to_the_user() {
    let (folder, root) = repository();
    git(folder.path(), &["clone", "project", "other"]);
    git(&root, &["worktree", "add", "tree"]);
    git(&root, &["worktree", "add", "other"]);
    git(&root, &["status"]);
    let (dot_git, outside) = (root.join(".git"), folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    // The user's hooks in another folder are common.
    fs::remove_dir_all(dot_git.join("hooks")).unwrap();
    symlink(&outside, dot_git.join("hooks")).unwrap();
    fs::write(dot_git.join("shallow"), "").unwrap();
    fs::write(dot_git.join("packed-refs"), "").unwrap();
    for part in [
        "HEAD", "index", "packed-refs", "shallow", "config", "objects", "refs", "logs", "info", "info/exclude",
        "worktrees", "worktrees/tree", "worktrees/tree/HEAD", "worktrees/tree/gitdir", "worktrees/other/gitdir",
        "commondir", "config.worktree", "index.lock", "info/attributes",
    ] {
        status_in(&root, "").assert_allowed();
        status_in(&root, "tree").assert_allowed();
        let (part, kept) = (dot_git.join(part), outside.join("kept"));
        let is_there = part.exists();
        if is_there {
            fs::rename(&part, &kept).unwrap();
        }
        symlink(&kept, &part).unwrap();
        for folder in ["", "tree"] {
            let verdict = status_in(&root, folder);
            assert_eq!(verdict.action, Action::GoesOn, "{} in `{folder}`", part.display());
        }
        fs::remove_file(&part).unwrap();
        if is_there {
            fs::rename(&kept, &part).unwrap();
        }
    }
}

#[test]
fn an_index_that_is_a_link_is_not_written_to() {
    let (folder, root) = repository();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init"]);
    fs::write(other.join("file"), "text").unwrap();
    git(&other, &["add", "file"]);
    let index = other.join(".git/index");
    let before = fs::read(&index).unwrap();
    let _ = fs::remove_file(root.join(".git/index"));
    symlink(&index, root.join(".git/index")).unwrap();
    fs::write(root.join("file"), "text").unwrap();
    git(&root, &["status"]);
    assert!(fs::read(&index).unwrap() != before, "git writes the other index");
    status_in(&root, "").assert_passed();
}

#[test]
fn what_only_looks_is_allowed() {
    run_recorded(approve_read_only::DEF, include_bytes!("fixtures/pre_tool_use/bash.json")).assert_allowed();
    run("ls && cat notes.txt | head -n 50").assert_allowed();
    let (_folder, root) = repository();
    run_in(&root, "git status && git diff | head -n 50").assert_allowed();
}

#[test]
fn what_it_cannot_decode_is_left_to_the_user() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
    let verdict = run_recorded(approve_read_only::DEF, event);
    verdict.assert_user_sees("missing field `command`");
}
