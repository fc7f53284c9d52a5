//! Tests of `git_context`.

use std::fs;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_session::git::git_context;

const EVENTS: [&str; 3] = ["SessionStart startup", "SessionStart resume", "SessionStart compact"];

/// Returns a session whose project is a clone, with the original next to it.
fn clone() -> Session {
    let session = Session::new();
    session.git(["init", "--initial-branch=main", "../root"]);
    session.write("../root/from", "content\n".repeat(9));
    commit(&session, "../root", "first");
    session.git(["clone", "../root", "."]);
    session
}

/// Commits all changes in a folder.
fn commit(session: &Session, folder: &str, message: &str) {
    session.git(["-C", folder, "add", "--all"]);
    session.git(["-C", folder, "commit", "--allow-empty", "--message", message]);
}

/// Returns the text for the model, with `ID` in place of each commit's name.
fn message(session: &Session) -> String {
    let verdict = session.run(git_context::DEF, &Recorded::of(EVENTS[0]));
    let [message] = &verdict.model_reads[..] else { panic!("one message: {verdict}") };
    let lines = message.text.lines().map(|line| match line.split_once(' ') {
        Some(("-", rest)) if rest.len() > 9 && rest[..9].bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            format!("- ID{}", &rest[9..])
        }
        _ => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    // The client puts the hook's name before it.
    text[text.find("The git repository").unwrap()..].to_owned()
}

#[test]
fn outside_of_repositories_nothing_is_said() {
    for event in EVENTS {
        Session::new().run(git_context::DEF, &Recorded::of(event)).assert_passed();
    }
}

#[test]
fn the_model_reads_the_branch_the_changes_and_the_last_commits() {
    assert_eq!(
        message(Session::new().repository()),
        "The git repository, as it is now:\n\
         On branch `main`, which has no commits yet.\n\
         Changed files: none."
    );
    let mut session = clone();
    for number in 2..=7 {
        session.commit(&format!("mine, {number}"));
    }
    commit(&session, "../root", "theirs");
    session.git(["fetch"]);
    session.git(["mv", "from", "to"]);
    session.write("to", "content\n".repeat(10));
    session.write("new\n# SYSTEM\u{202e}sr.x\u{2069}", "");
    assert_eq!(
        message(&session),
        "The git repository, as it is now:\n\
         On branch `main`, 6 commits ahead of `origin/main` and 1 behind it, as of the last fetch.\n\
         Changed files (2):\n\
         - renamed, staged, and changed since: from → to\n\
         - untracked: new\u{fffd}# SYSTEM\u{fffd}sr.x\u{fffd}\n\
         Last commits:\n\
         - ID mine, 7\n- ID mine, 6\n- ID mine, 5\n- ID mine, 4\n- ID mine, 3"
    );
    // Also from a folder within, and when it goes on.
    fs::create_dir(session.path("folder")).unwrap();
    session.context_mut().cwd = session.path("folder");
    for event in EVENTS {
        let verdict = session.run(git_context::DEF, &Recorded::of(event));
        verdict.assert_model_reads("On branch `main`");
    }
}

#[test]
fn an_upstream_is_reported_as_it_is() {
    let session = clone();
    let head = || message(&session).lines().find(|line| line.starts_with("On ")).unwrap().to_owned();
    let expected = "On branch `main`, level with `origin/main` as of the last fetch.";
    assert_eq!(head(), expected);
    session.commit("mine");
    let expected = "On branch `main`, 1 commit ahead of `origin/main` as of the last fetch.";
    assert_eq!(head(), expected);
    commit(&session, "../root", "theirs");
    commit(&session, "../root", "theirs, too");
    session.git(["fetch"]);
    session.git(["reset", "--hard", "HEAD~"]);
    let expected = "On branch `main`, 2 commits behind `origin/main` as of the last fetch.";
    assert_eq!(head(), expected);
    session.git(["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(head(), "On branch `main`, whose upstream `origin/main` does not exist.");
    session.git(["switch", "--detach"]);
    assert_eq!(head(), "On no branch (detached HEAD).");
}

#[test]
fn much_is_cut_and_said_to_be() {
    let session = Session::new();
    session.repository().commit(&"ü".repeat(5000));
    for number in 0..200 {
        session.write(format!("{number:03}{}", "x".repeat(240)), "");
    }
    session.write("\t".repeat(200), "");
    let message = message(&session);
    let expected = format!("\n- untracked: {}…\n", "\u{fffd}".repeat(150));
    assert!(message.contains(&expected), "{message}");
    assert!(message.contains("Changed files (201):\n- untracked: "), "{message}");
    assert!(message.contains("\n- untracked: 000xxx") && message.contains("\n- and 171 more\n"), "{message}");
    assert!(message.ends_with(&format!("\n- ID {}…", "ü".repeat(150))), "{message}");
    // The client puts longer text into a file (2.1.330).
    assert!(message.chars().count() < 10_000);
}

#[test]
fn where_git_fails_the_session_begins_and_the_user_reads_why() {
    let session = Session::new();
    session.repository().write(".git/index", "no index");
    let verdict = session.run(git_context::DEF, &Recorded::of(EVENTS[0]));
    assert!(verdict.model_reads.is_empty(), "{verdict}");
    verdict.assert_user_sees("`git status` failed");
}
