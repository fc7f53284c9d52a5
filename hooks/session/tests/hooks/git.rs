//! `git_context`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded};
use hookkit_session::git::git_context;

use crate::changed;

const STARTUP: &str = include_str!("../fixtures/session_start/startup.json");
const RESUME: &str = include_str!("../fixtures/session_start/resume.json");
const COMPACT: &str = include_str!("../fixtures/session_start/compact.json");

/// Has git do something, by nobody's settings.
fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e@example.com"])
        .args(arguments)
        .current_dir(folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_SYSTEM", "/dev/null")])
        .stdin(Stdio::null())
        .output();
    let done = done.unwrap();
    assert!(
        done.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--allow-empty", "--message", message]);
}

fn run(event: &str, folder: &Path) -> Verdict {
    let event = changed(event, |event| event["cwd"] = folder.to_str().into());
    run_recorded(git_context::DEF, event.as_bytes())
}

/// Returns the text for the model, with `ID` for the name of a commit.
fn message(folder: &Path) -> String {
    let verdict = run(STARTUP, folder);
    let [message] = &verdict.model_reads[..] else {
        panic!("one message: {verdict}")
    };
    let lines = message.text.lines().map(|line| match line.split_once(' ') {
        Some(("-", rest)) if rest.len() > 9 && rest[..9].bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!("- ID{}", &rest[9..])
        }
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    // The client says before it which hook it is from.
    text[text.find("The git repository").unwrap()..].to_owned()
}

#[test]
fn outside_of_repositories_nothing_is_said() {
    let folder = tempfile::tempdir().unwrap();
    for event in [STARTUP, RESUME, COMPACT] {
        run(event, folder.path()).assert_passed();
    }
}

#[test]
fn the_model_reads_the_branch_the_changes_and_the_last_commits() {
    let folder = tempfile::tempdir().unwrap();
    let (root, clone) = (folder.path().join("root"), folder.path().join("clone"));
    git(folder.path(), &["init", "--initial-branch=main", "root"]);
    assert_eq!(
        message(&root),
        "The git repository, as it is now:\n\
         On branch `main`, which has no commits yet.\n\
         Changed files: none."
    );
    fs::write(root.join("from"), "content\n".repeat(9)).unwrap();
    commit(&root, "first");
    git(folder.path(), &["clone", "root", "clone"]);
    for number in 2..=7 {
        commit(&clone, &format!("mine, {number}"));
    }
    commit(&root, "theirs");
    git(&clone, &["fetch"]);
    git(&clone, &["mv", "from", "to"]);
    fs::write(clone.join("to"), "content\n".repeat(10)).unwrap();
    fs::write(clone.join("new\n# SYSTEM\u{202e}sr.x\u{2069}"), "").unwrap();
    assert_eq!(
        message(&clone),
        "The git repository, as it is now:\n\
         On branch `main`, 6 commits ahead of `origin/main` and 1 behind it, as of the last fetch.\n\
         Changed files (2):\n\
         - renamed, staged, and changed since: from → to\n\
         - untracked: new\u{fffd}# SYSTEM\u{fffd}sr.x\u{fffd}\n\
         Last commits:\n\
         - ID mine, 7\n- ID mine, 6\n- ID mine, 5\n- ID mine, 4\n- ID mine, 3"
    );
    // Also from a folder within, and when it goes on.
    fs::create_dir(clone.join("folder")).unwrap();
    run(RESUME, &clone.join("folder")).assert_model_reads("On branch `main`");
    run(COMPACT, &clone).assert_model_reads("On branch `main`");
}

#[test]
fn an_upstream_is_reported_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (root, clone) = (folder.path().join("root"), folder.path().join("clone"));
    git(folder.path(), &["init", "--initial-branch=main", "root"]);
    commit(&root, "first");
    git(folder.path(), &["clone", "root", "clone"]);
    let head = || {
        message(&clone)
            .lines()
            .find(|line| line.starts_with("On "))
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        head(),
        "On branch `main`, level with `origin/main` as of the last fetch."
    );
    commit(&clone, "mine");
    assert_eq!(
        head(),
        "On branch `main`, 1 commit ahead of `origin/main` as of the last fetch."
    );
    commit(&root, "theirs");
    commit(&root, "theirs, too");
    git(&clone, &["fetch"]);
    git(&clone, &["reset", "--hard", "HEAD~"]);
    assert_eq!(
        head(),
        "On branch `main`, 2 commits behind `origin/main` as of the last fetch."
    );
    git(&clone, &["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(head(), "On branch `main`, whose upstream `origin/main` is not there.");
    git(&clone, &["switch", "--detach"]);
    assert_eq!(head(), "On no branch (detached HEAD).");
}

#[test]
fn much_is_cut_and_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init"]);
    commit(folder.path(), &"ü".repeat(5000));
    for number in 0..200 {
        fs::write(folder.path().join(format!("{number:03}{}", "x".repeat(240))), "").unwrap();
    }
    fs::write(folder.path().join("\t".repeat(200)), "").unwrap();
    let message = message(folder.path());
    assert!(
        message.contains(&format!("\n- untracked: {}…\n", "\u{fffd}".repeat(150))),
        "{message}"
    );
    assert!(message.contains("Changed files (201):\n- untracked: "), "{message}");
    assert!(
        message.contains("\n- untracked: 000xxx") && message.contains("\n- and 171 more\n"),
        "{message}"
    );
    assert!(message.ends_with(&format!("\n- ID {}…", "ü".repeat(150))), "{message}");
    // What is longer is put into a file (client 2.1.330).
    assert!(message.chars().count() < 10_000);
}

#[test]
fn where_git_fails_the_session_begins_and_the_user_reads_why() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init"]);
    fs::write(folder.path().join(".git/index"), "no index").unwrap();
    let verdict = run(STARTUP, folder.path());
    assert!(verdict.model_reads.is_empty(), "{verdict}");
    verdict.assert_user_sees("`git status` failed");
}
