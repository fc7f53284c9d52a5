//! Answers of each guard to lines that it cannot analyze: by its policy, and by the words of the text.

use std::time::Instant;

use hookkit::testing::{Action, Recorded, Session};
use hookkit::{Hook, HookDef};
use hookkit_guard::branches::protect_branches;
use hookkit_guard::checks::protect_checks;
use hookkit_guard::commit::check_commit_message;
use hookkit_guard::destructive::deny_destruction;
use hookkit_guard::files::protect_secrets;
use hookkit_guard::git_hooks::keep_git_hooks;
use hookkit_guard::protected::protect_files;
use hookkit_guard::secrets::deny_secrets;

/// Each guard of commands, with a command that it stops, and its answer if that is not analyzed.
const GUARDS: [(&HookDef, &str, Action); 8] = [
    (deny_destruction::DEF, "rm -rf ~", Action::Asked),
    (protect_secrets::DEF, "cat .env", Action::Asked),
    (protect_files::DEF, "rm Cargo.lock", Action::Asked),
    (protect_checks::DEF, "rm ruff.toml", Action::Asked),
    (keep_git_hooks::DEF, "git commit -n -m x", Action::Denied),
    (protect_branches::DEF, "git push origin main", Action::Asked),
    // Its policy is `continue`: a message that cannot be read is not checked.
    (check_commit_message::DEF, "git commit -m 'x.'", Action::GoesOn),
    // It reads the line's text.
    (deny_secrets::DEF, "echo AKIAZ7Q3M2XK5LNB4WTD", Action::Denied),
];

/// Lines that hide a command: too deep, too long, or not a script.
fn hidden(command: &str) -> [String; 4] {
    [
        format!("{}{command}", "sudo ".repeat(10)),
        format!("{}{command}", "env ".repeat(10)),
        format!("{command}; echo {}", "x".repeat(1 << 20)),
        format!("echo ) ; {command}"),
    ]
}

fn action(session: &Session, guard: &HookDef, line: &str) -> Action {
    let event = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
    session.run(guard, &event).action
}

#[test]
fn each_guard_has_an_answer_to_a_line_that_is_not_analyzed() {
    let session = Session::new();
    session.write("ruff.toml", "").parent().unwrap();
    for (guard, command, expected) in GUARDS {
        for line in hidden(command) {
            let shown: String = line.chars().take(60).collect();
            assert_eq!(action(&session, guard, &line), expected, "{}: {shown}", guard.declared.name);
        }
        // These guards ask about everything that they cannot analyze.
        if guard.declared.name != "deny-destruction" && guard.declared.name != "protect-secrets" {
            for line in hidden("ls src").iter().chain(&hidden("git log -n 3")) {
                let shown: String = line.chars().take(60).collect();
                assert_eq!(action(&session, guard, line), Action::GoesOn, "{}: {shown}", guard.declared.name);
            }
        }
    }
}

/// A text three times as long, beyond the limit of the analysis, takes three times as long, not nine times.
#[test]
fn a_long_here_document_makes_no_guard_late() {
    let session = Session::new();
    let documents: [fn(usize) -> String; 2] = [
        |lines| "A word of src/main.rs.\n".repeat(lines),
        |lines| (0..lines).map(|number| format!("src/a{number}.rs is here\n")).collect(),
    ];
    for document in documents {
        let lines = [50_000, 150_000].map(|lines| format!("cat > notes.md <<'EOF'\n{}EOF", document(lines)));
        for (guard, _, _) in GUARDS {
            // Another process may delay one of them, but not one of each pair.
            let mut times = Vec::new();
            let holds = (0..5).any(|_| {
                let [short, long] = lines.each_ref().map(|line| {
                    let start = Instant::now();
                    action(&session, guard, line);
                    start.elapsed()
                });
                times.push([short, long]);
                long < short * 6
            });
            assert!(holds, "{}: {times:?}", guard.declared.name);
        }
    }
}
