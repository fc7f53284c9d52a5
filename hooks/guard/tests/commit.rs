//! `check_commit_message` on recorded events, in repositories; Wine has no git.

#![cfg(unix)]
use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_guard::commit::{Code, CommitRules, check_commit_message};

/// Returns a session in a repository with these commits.
fn repository(subjects: &[&str]) -> Session {
    let session = Session::new();
    session.repository();
    for subject in subjects {
        session.commit(subject);
    }
    session
}

/// The recorded event, with another command.
fn run(session: &Session, command: &str) -> Verdict {
    let event = Recorded::of("PreToolUse Bash").with("tool_input.command", command);
    session.run(check_commit_message::DEF, &event)
}

#[test]
fn a_message_is_found_wherever_it_is() {
    let repository = repository(&[]);
    repository.write("message.txt", "WIP\n");
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
        run(&repository, command).assert_denied("GC007: the subject says that the work is not done");
    }
}

#[test]
fn several_messages_are_its_paragraphs() {
    let repository = repository(&[]);
    run(
        &repository,
        "git commit -m 'Take empty lines' -m 'They came from Windows.'",
    )
    .assert_passed();
    let body = "word ".repeat(30);
    run(&repository, &format!("git commit -m 'Take empty lines' -m '{body}'")).assert_denied("GC005: line 3 has");
}

#[test]
fn what_is_not_known_or_no_message_gets_no_opinion() {
    let repository = repository(&[]);
    for command in [
        "echo hello", "git commit", "git commit --amend --no-edit", "git commit --fixup HEAD",
        "git commit -m \"$message\"", "git commit -m \"$(date)\"", "git commit -F missing.txt",
        "git log --grep commit -m", "echo git commit -m WIP", "git commit -m 'Take empty lines'",
    ] {
        run(&repository, command).assert_passed();
    }
}

#[test]
fn the_form_is_that_of_the_last_commits() {
    let conventional = repository(&["feat: a", "fix(b): b", "docs: c", "chore!: d", "test: e"]);
    run(&conventional, "git commit -m 'Take empty lines'").assert_denied("GC006: this project's commits are");
    run(&conventional, "git commit -m 'fix: take empty lines'").assert_passed();
    let free = repository(&["feat: a", "B", "C", "D", "E"]);
    run(&free, "git commit -m 'Take empty lines'").assert_passed();
    let nowhere = Session::new();
    run(&nowhere, "git commit -m 'Take empty lines'").assert_passed();
    run(&nowhere, "git commit -m 'WIP'").assert_denied("GC007");
}

#[test]
fn the_folder_is_the_one_that_the_command_runs_in() {
    let conventional = repository(&["feat: a", "fix(b): b", "docs: c", "chore!: d", "test: e"]);
    conventional.write("message.txt", "WIP\n");
    let free = repository(&[]);
    let [here, there] = [&conventional, &free].map(|session| session.path("").display().to_string());
    for command in [
        format!("cd '{there}' && git commit -m 'Take empty lines'"),
        format!("git -C '{there}' commit -m 'Take empty lines'"),
        "cd \"$folder\" && git commit -m 'Take empty lines'".to_owned(),
        "mkdir new && cd new && git init && git commit -m 'Take empty lines'".to_owned(),
        format!("cd '{there}' && git commit -F message.txt"),
        format!("git -C '{there}' commit -F message.txt"),
    ] {
        run(&conventional, &command).assert_passed();
    }
    for command in [
        format!("cd '{here}' && git commit -m 'Take empty lines'"),
        "cd . && git commit -m 'Take empty lines'".to_owned(),
    ] {
        run(&conventional, &command).assert_denied("GC006");
    }
    for command in [
        format!("cd '{here}' && git commit -F message.txt"),
        format!("cd '{there}' && git commit -F '{here}/message.txt'"),
    ] {
        run(&conventional, &command).assert_denied("GC007");
    }
}

#[test]
fn a_file_that_is_not_a_message_is_reported_to_the_user() {
    let repository = repository(&[]);
    repository.write("long", "a\n".repeat(1 << 20));
    for (file, fault) in [("long", "it has more than 1048576 bytes"), (".git", "it is not a file")] {
        run(&repository, &format!("git commit -F {file}")).assert_user_sees(fault);
    }
}

#[test]
fn codes_can_be_turned_off() {
    let mut repository = repository(&[]);
    let command = "git commit -m 'WIP.'";
    run(&repository, command).assert_denied("GC003");
    let rules = CommitRules {
        off: vec![Code::GC003, Code::GC007],
    };
    repository.configure(check_commit_message::DEF, &rules);
    run(&repository, command).assert_passed();
}
