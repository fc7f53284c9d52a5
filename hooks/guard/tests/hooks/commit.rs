//! `check_commit_message` on recorded events, in repositories; Wine has no git.

use hookkit::Hook;
use hookkit::testing::{Action, Recorded, Session, Verdict};
use hookkit_guard::commit::{Code, CommitRules, check_commit_message};

/// Returns a session in a repository with these commits.
fn repository(subjects: &[&str]) -> Session {
    let session = Session::new();
    session.repository();
    for subject in subjects {
        session.commit(&subject.replace('␠', " "));
    }
    session
}

/// Runs the recorded event with another command.
fn run(session: &Session, command: &str) -> Verdict {
    let event = Recorded::of("PreToolUse Bash").with("tool_input.command", command);
    session.run(check_commit_message::DEF, &event)
}

#[test]
fn each_message_ends_as_it_is_said() {
    let there = repository(&[]);
    let lines = test_support::lines!("lines/check-commit-message.txt");
    for section in &lines.sections {
        let here = match section.name {
            "there is no repository" => Session::new(),
            _ => repository(&section.words("commits")),
        };
        section.write(&here.path(""), "");
        let [from, to] = [&here, &there].map(|session| session.path("").display().to_string());
        lines.check_section(section.name, |line| {
            let verdict = run(&here, &line.replace("THERE", &to).replace("HERE", &from));
            if verdict.action != Action::Denied {
                verdict.assert_passed();
                return "pass".to_owned();
            }
            let codes = [
                "GC005: line 3 has",
                "GC006: the subject must have this project's form",
                "GC007: the subject says that the work is unfinished",
            ];
            let reads = |code: &&str| verdict.model_reads.iter().any(|message| message.text.contains(code));
            let codes: Vec<&str> = codes.into_iter().filter(reads).map(|code| &code[..5]).collect();
            codes.join(" ")
        });
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
    let rules = CommitRules { off: vec![Code::GC003, Code::GC007] };
    repository.configure(check_commit_message::DEF, &rules);
    run(&repository, command).assert_passed();
}
