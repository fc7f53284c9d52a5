//! `protect_checks` on recorded events.

mod outcome;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_guard::checks::protect_checks;
use outcome::outcome;

/// Returns a session with these files in its project.
fn session(files: &[(&str, &str)]) -> Session {
    let session = Session::new();
    for (name, text) in files {
        session.write(name, text);
    }
    session
}

fn edit(session: &Session, file: &str, from: &str, to: &str) -> Verdict {
    let event = Recorded::of("PreToolUse Edit")
        .with("tool_input.file_path", session.path(file))
        .with("tool_input.old_string", from)
        .with("tool_input.new_string", to);
    session.run(protect_checks::DEF, &event)
}

#[test]
fn settings_of_a_linter_are_asked_about() {
    let session = session(&[
        ("eslint.config.mjs", "export default [];"),
        (".husky/pre-commit", "npm test"),
        (".claude/hookkit/app/bin/guard", "program"),
        ("src/index.js", "eval(x)"),
    ]);
    edit(&session, "eslint.config.mjs", "[]", "[{}]").assert_asked(
        "/eslint.config.mjs` is protected, since it decides what the project's checks find. Fix the code where it is wrong, and \
         the check only where that is",
    );
    edit(&session, ".husky/pre-commit", "npm test", "true").assert_asked("decides what the project's checks find");
    let hook = ".claude/hookkit/app/bin/guard";
    edit(&session, hook, "program", "true").assert_asked("decides what the project's checks find");
    edit(&session, "src/index.js", "eval(x)", "x").assert_passed();
    // This project has none yet.
    let write = Recorded::of("PreToolUse Write")
        .with("tool_input.file_path", session.path("ruff.toml"))
        .with("tool_input.content", "line-length = 100");
    session.run(protect_checks::DEF, &write).assert_passed();
}

#[test]
fn of_a_file_with_other_settings_only_those_of_checks_are_asked_about() {
    let session = session(&[("Cargo.toml", "[lints.rust]\nunused = \"deny\"\n\n[dependencies]\n")]);
    edit(
        &session, "Cargo.toml", "[dependencies]\n", "[dependencies]\nserde = \"1\"\n",
    )
    .assert_passed();
    edit(&session, "Cargo.toml", "\"deny\"", "\"allow\"").assert_asked("`lints.rust` in `");
}

#[test]
fn commands_that_change_them_are_asked_about() {
    test_support::lines!("lines/protect-checks.txt").check(|section, line| {
        let session = Session::new();
        section.write(&session.path(""), "");
        let call = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
        let verdict = session.run(protect_checks::DEF, &call);
        let asked = match section.name {
            "agents without guards" => "an agent may run without the guards of this session",
            _ => "decides what the project's checks find",
        };
        outcome(&verdict, "", asked)
    });
}
