//! `check_commit_message` on recorded events, in repositories; Wine has no git.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_config};
use hookkit_guard::commit::{Code, CommitRules, check_commit_message};
use serde_json::Value;
use tempfile::TempDir;

/// A repository with these commits.
fn repository(subjects: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "--quiet"]);
    for subject in subjects {
        git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
    }
    folder
}

/// The recorded event, with another command in another folder.
fn run(folder: &Path, command: &str) -> Verdict {
    let mut event: Value = serde_json::from_str(include_str!("fixtures/pre_tool_use/bash.json")).unwrap();
    event["cwd"] = folder.to_str().into();
    event["tool_input"]["command"] = command.into();
    run_recorded(check_commit_message::DEF, event.to_string().as_bytes())
}

#[test]
fn a_message_is_found_wherever_it_is() {
    let repository = repository(&[]);
    fs::write(repository.path().join("message.txt"), "WIP\n").unwrap();
    for command in [
        "git commit -m WIP",
        "git commit -mWIP",
        "git commit -am 'WIP'",
        "git commit --message WIP",
        "git commit --message=\"WIP\"",
        "git add . && git -C . commit -m WIP",
        "git commit -m \"$(cat <<'EOF'\nWIP\n\nIt's (not) done.\nEOF\n)\"",
        "git commit -F - <<'EOF'\nWIP\nEOF",
        "git commit -F message.txt",
        "git commit --file=message.txt",
        "sh -c 'git commit -m WIP'",
    ] {
        run(repository.path(), command).assert_denied("GC007: the subject says that the work is not done");
    }
}

#[test]
fn several_messages_are_its_paragraphs() {
    let repository = repository(&[]);
    run(
        repository.path(),
        "git commit -m 'Take empty lines' -m 'They came from Windows.'",
    )
    .assert_passed();
    let body = "word ".repeat(30);
    run(
        repository.path(),
        &format!("git commit -m 'Take empty lines' -m '{body}'"),
    )
    .assert_denied("GC005: line 3 has");
}

#[test]
fn what_is_not_known_or_no_message_gets_no_opinion() {
    let repository = repository(&[]);
    for command in [
        "echo hello",
        "git commit",
        "git commit --amend --no-edit",
        "git commit --fixup HEAD",
        "git commit -m \"$message\"",
        "git commit -m \"$(date)\"",
        "git commit -F missing.txt",
        "git log --grep commit -m",
        "echo git commit -m WIP",
        "git commit -m 'Take empty lines'",
    ] {
        run(repository.path(), command).assert_passed();
    }
}

#[test]
fn the_form_is_that_of_the_last_commits() {
    let conventional = repository(&["feat: a", "fix(b): b", "docs: c", "chore!: d", "test: e"]);
    run(conventional.path(), "git commit -m 'Take empty lines'").assert_denied("GC006: this project's commits are");
    run(conventional.path(), "git commit -m 'fix: take empty lines'").assert_passed();
    let free = repository(&["feat: a", "B", "C", "D", "E"]);
    run(free.path(), "git commit -m 'Take empty lines'").assert_passed();
    let nowhere = tempfile::tempdir().unwrap();
    run(nowhere.path(), "git commit -m 'Take empty lines'").assert_passed();
    run(nowhere.path(), "git commit -m 'WIP'").assert_denied("GC007");
}

#[test]
fn the_folder_is_the_one_that_the_command_runs_in() {
    let conventional = repository(&["feat: a", "fix(b): b", "docs: c", "chore!: d", "test: e"]);
    fs::write(conventional.path().join("message.txt"), "WIP\n").unwrap();
    let free = repository(&[]);
    let (here, there) = (conventional.path().display(), free.path().display());
    for command in [
        format!("cd '{there}' && git commit -m 'Take empty lines'"),
        format!("git -C '{there}' commit -m 'Take empty lines'"),
        "cd \"$folder\" && git commit -m 'Take empty lines'".to_owned(),
        "mkdir new && cd new && git init && git commit -m 'Take empty lines'".to_owned(),
        format!("cd '{there}' && git commit -F message.txt"),
        format!("git -C '{there}' commit -F message.txt"),
    ] {
        run(conventional.path(), &command).assert_passed();
    }
    for command in [
        format!("cd '{here}' && git commit -m 'Take empty lines'"),
        "cd . && git commit -m 'Take empty lines'".to_owned(),
    ] {
        run(conventional.path(), &command).assert_denied("GC006");
    }
    for command in [
        format!("cd '{here}' && git commit -F message.txt"),
        format!("cd '{there}' && git commit -F '{here}/message.txt'"),
    ] {
        run(conventional.path(), &command).assert_denied("GC007");
    }
}

#[test]
fn a_file_that_is_not_a_message_is_reported_to_the_user() {
    let repository = repository(&[]);
    fs::write(repository.path().join("long"), "a\n".repeat(1 << 20)).unwrap();
    for (file, fault) in [("long", "it has more than 1048576 bytes"), (".git", "it is not a file")] {
        run(repository.path(), &format!("git commit -F {file}")).assert_user_sees(fault);
    }
}

#[test]
fn codes_can_be_turned_off() {
    let repository = repository(&[]);
    let command = "git commit -m 'WIP.'";
    run(repository.path(), command).assert_denied("GC003");
    let rules = CommitRules {
        off: vec![Code::GC003, Code::GC007],
    };
    with_config(&rules, || run(repository.path(), command)).assert_passed();
}
