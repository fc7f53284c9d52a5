//! Tests of lines that run unchanged, are changed, or are denied.

use hookkit::Hook;
use hookkit::testing::{Action, Recorded, Session, Verdict};
use serde_json::Value;

use super::*;

fn run(session: &Session, line: &str) -> Verdict {
    let call = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
    session.run(use_project_commands::DEF, &call)
}

#[test]
fn each_line_ends_as_it_is_said() {
    test_support::lines!("lines/use-project-commands.txt").check(|section, line| {
        let session = Session::new();
        section.write(&session.path(""), "");
        let verdict = run(&session, line);
        if verdict.action == Action::Denied {
            let reason = &verdict.model_reads[0].text;
            let (_, command) = reason.split_once(": run `").expect(reason);
            return format!("deny {}", command.trim_end_matches('`'));
        }
        let mut effects = verdict.effects.iter();
        let Some(changed) = effects.find(|effect| effect.member == "updatedInput") else {
            verdict.assert_passed();
            return "pass".to_owned();
        };
        let input: Value = changed.value.decode().unwrap();
        format!("run {}", input["command"].as_str().unwrap())
    });
}

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    let session = Session::new();
    for (text, expected) in [
        ("npm = 1\n", "line 1 is"),
        ("npm = \"pnpm\"\n[more]\n", "line 2 is"),
        ("npm = \"pnpm\"\nnpm i\n", "line 2 is"),
        ("# Why.\nnpm = \" \"\n", "line 2 is"),
    ] {
        session.write(FILE, text);
        let verdict = run(&session, "npm i");
        verdict.assert_failed(expected).assert_goes_ahead();
    }
}

#[test]
fn a_rule_about_the_old_command_is_not_passed_by() {
    let session = Session::new();
    session.write(FILE, "npm = \"pnpm\"\n");
    session.write(".claude/settings.json", r#"{"permissions":{"deny":["Bash(npm publish *)"]}}"#);
    run(&session, "npm publish --tag x").assert_denied("run `pnpm publish --tag x`");
    run(&session, "npm i").assert_model_reads("so `pnpm i` was run");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_file_is_not_followed() {
    let session = Session::new();
    let outside = session.write("~/secret", "token\n");
    fs::create_dir(session.path(".claude")).unwrap();
    std::os::unix::fs::symlink(outside, session.path(FILE)).unwrap();
    let failed = run(&session, "npm i").failed.expect("it fails");
    assert!(failed.contains("it is a link") && !failed.contains("token"), "{failed}");
}
