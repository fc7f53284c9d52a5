//! Tests of verdicts on hookkit's own answers, and on mistakes that the client reports.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hookkit_protocol::event::{self, Denial, EVENTS};
use hookkit_protocol::hook::Mode;
use hookkit_protocol::output::Block;

use super::{Action, Ran, Recorded, Verdict, run_recorded};
use crate::__private::{Declaration, UNDECLARED, define, entry};
use crate::event::PreToolUse;
use crate::json::join;
use crate::{Error, Payload, Response, failure};

#[test]
fn a_denial_works_on_every_event_that_has_one() {
    for event in EVENTS {
        if event.denial == Denial::Impossible {
            continue;
        }
        for pieces in [failure::denial(event), failure::DENY_ANY] {
            let mut denial = Response::default();
            join(&mut denial.stdout, pieces, "no");
            // With the exit code, and without it if JSON is enough.
            for code in [2, 0] {
                if code == 0 && event.denial == Denial::Fail {
                    continue;
                }
                let mut ran = Ran::from(denial.clone());
                ran.end = super::End::Exited(code);
                let verdict = Verdict::of(event, &ran);
                match event.block {
                    Block::KeepsGoing => assert_eq!(verdict.action, Action::KeepsGoing, "{}", event.name),
                    Block::EndsTurn => assert!(verdict.ends_turn, "{}", event.name),
                    _ => assert_eq!(verdict.action, Action::Denied, "{} {code}", event.name),
                }
            }
        }
    }
}

fn deny(_: &Payload<'_>) -> Result<Response, Error> {
    let stdout = br#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    Ok(Response { stdout: stdout.to_vec(), ..Response::default() })
}

#[test]
fn a_hook_is_called_on_the_names_of_its_list() {
    for (matcher, tool, is_called) in [
        ("Task", "Agent", true),
        ("Agent", "Agent", true),
        // No call has this old name.
        ("Task", "Task", false),
        ("Edit|Write", "Task", false),
        ("mcp__a__b", "mcp__a__c", false),
        // An expression is not applied.
        ("^Edit$", "Task", true),
    ] {
        let entries = Box::leak(Box::new([entry::<PreToolUse>(Some(matcher), None, false, deny, &[])]));
        let declared = Declaration { name: "guard", ..UNDECLARED };
        let hook = define(declared, entries, None);
        let payload = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{}}}}"#);
        let verdict = run_recorded(&hook, payload.as_bytes());
        let action = if is_called { Action::Denied } else { Action::GoesOn };
        assert_eq!(verdict.action, action, "{matcher} {tool}");
        let asserted = catch_unwind(AssertUnwindSafe(|| _ = verdict.assert_passed()));
        assert!(asserted.is_err(), "{matcher} {tool}");
    }
}

#[test]
fn a_block_without_a_text_drops_nothing() {
    for event in [&event::CONFIG_CHANGE, &event::ELICITATION, &event::ELICITATION_RESULT] {
        let verdict = Verdict::of(event, &Ran::exit(0).stdout(r#"{"decision":"block"}"#));
        let expected = (Action::Denied, 0);
        assert_eq!((verdict.action, verdict.dropped.len()), expected, "{}", event.name);
        let verdict = Verdict::of(event, &Ran::exit(0).stdout(r#"{"decision":"block","reason":"no"}"#));
        let expected = (Action::Denied, 1);
        assert_eq!((verdict.action, verdict.dropped.len()), expected, "{}", event.name);
    }
}

#[test]
fn silence_means_no_opinion() {
    for facts in EVENTS {
        let verdict = Verdict::of(facts, &Ran::exit(0));
        assert!(verdict.dropped.is_empty() && verdict.effects.is_empty(), "{}", facts.name);
        assert!(!verdict.because.is_empty(), "{}", facts.name);
    }
}

type Assertion = fn(&Verdict) -> &Verdict;

const ASSERTIONS: [(&str, Assertion); 7] = [
    ("denied", |verdict| verdict.assert_denied("")),
    ("passed", Verdict::assert_passed),
    ("goes_ahead", Verdict::assert_goes_ahead),
    ("allowed", Verdict::assert_allowed),
    ("asked", |verdict| verdict.assert_asked("")),
    ("kept_going", |verdict| verdict.assert_kept_going("")),
    ("turn_ended", |verdict| verdict.assert_turn_ended("")),
];

#[test]
fn the_assertions_that_should_hold_do_and_they_alone() {
    for section in test_support::lines!("lines/assertions.txt").sections {
        let named: Vec<&str> = section.rows.iter().flat_map(|row| row.line.split(' ')).collect();
        for event in EVENTS {
            let is_of = |row: &&test_support::lines::Row| row.line.split(' ').any(|name| name == event.name);
            let others = || section.rows.iter().find(|row| row.line == "*" && !named.contains(&event.name));
            let Some(row) = section.rows.iter().find(is_of).or_else(others) else {
                continue;
            };
            let ran = match section.name {
                "exit 0" => Ran::exit(0),
                "exit 2" => Ran::exit(2).stderr("no"),
                "async" => Ran::exit(0).mode(Mode::Async),
                "async rewake" => Ran::exit(0).mode(Mode::AsyncRewake),
                answer => Ran::exit(0).stdout(answer.replace("EVENT", event.name)),
            };
            let verdict = Verdict::of(event, &ran);
            let holds = |assertion: &Assertion| catch_unwind(AssertUnwindSafe(|| assertion(&verdict))).is_ok();
            let held = ASSERTIONS.iter().filter(|(_, assertion)| holds(assertion));
            let held: Vec<&str> = held.map(|(name, _)| *name).collect();
            let expected = row.expected[0].replace('-', "");
            assert_eq!(held.join(" "), expected, "{} on {}", section.name, event.name);
            // A message suggests the assertions that hold.
            let err = catch_unwind(AssertUnwindSafe(|| verdict.assert_failed("x"))).unwrap_err();
            let message = err.downcast_ref::<String>().unwrap();
            let (_, proposed) = message.split_once("these hold: ").unwrap();
            let is_proposed = |(name, _): &&(&str, Assertion)| proposed.contains(&format!("assert_{name}("));
            let proposed = ASSERTIONS.iter().filter(is_proposed).map(|(name, _)| *name);
            let proposed: Vec<&str> = proposed.collect();
            assert!(proposed.iter().all(|name| held.contains(name)), "{message}");
            assert!(!message.ends_with("these hold: "), "{message}");
        }
    }
}

#[test]
fn every_member_of_every_event_is_used_or_dropped_with_a_reason() {
    for facts in EVENTS {
        let Some(members) = facts.members else { continue };
        for member in members {
            let value = match member.name {
                "permissionDecision" => r#""deny""#,
                "action" => r#""accept""#,
                "decision" => r#"{"behavior":"deny"}"#,
                "watchPaths" => r#"["/a"]"#,
                "suppressOriginalPrompt" | "reloadSkills" | "retry" => "true",
                "updatedInput" | "content" => r#"{"a":1}"#,
                _ => r#""text""#,
            };
            let name = facts.name;
            let specific = format!(r#"{{"hookEventName":"{name}","{}":{value}}}"#, member.name);
            let answer = format!(r#"{{"hookSpecificOutput":{specific}}}"#);
            let verdict = Verdict::of(facts, &Ran::exit(0).stdout(answer));
            let is_decided = verdict.action != Action::GoesOn;
            let is_reported =
                !verdict.model_reads.is_empty() || !verdict.effects.is_empty() || !verdict.dropped.is_empty();
            // These have an effect only together with another member.
            let is_companion = matches!(member.name, "suppressOriginalPrompt" | "content");
            assert!(is_decided || is_reported || is_companion, "{name}.{}", member.name);
        }
    }
}

/// Quotes the client's own message.
#[test]
fn the_first_bad_member_is_named() {
    test_support::lines!("lines/bad-answers.txt").check(|_, answer| {
        let verdict = Verdict::of(&event::PRE_TOOL_USE, &Ran::exit(0).stdout(answer));
        assert_eq!(verdict.action, Action::GoesOn, "{answer}");
        verdict.dropped[0].why.to_string()
    });
}

#[test]
fn a_failure_that_blocks_quotes_the_answer_as_the_client_does() {
    let ran = Ran::exit(1)
        .stdout("{\"b\": [1, {}], \"reason\": null, \"a\": {\"c\": 1.5}}")
        .stderr("oops\n")
        .blocks_in_settings(true);
    let verdict = Verdict::of(&event::POST_TOOL_USE, &ran.target("Bash"));
    let text = include_str!("../../lines/quoted-answer.txt");
    assert_eq!(verdict.model_reads[0].text, text);
}

#[test]
fn keys_that_are_out_of_place_are_dropped_with_a_hint() {
    let answer = r#"{"permissionDecision":"deny","colour":"red",
        "hookSpecificOutput":{"hookEventName":"PreToolUse","systemMessage":"hello","retry":true}}"#;
    let verdict = Verdict::of(&event::PRE_TOOL_USE, &Ran::exit(0).stdout(answer));
    let dropped: Vec<String> =
        verdict.dropped.iter().map(|dropped| format!("{}: {}", dropped.what, dropped.why)).collect();
    let expected = [
        "`permissionDecision`: an unknown key at the top level; it belongs in `hookSpecificOutput`",
        "`colour`: an unknown key at the top level",
        "`hookSpecificOutput.systemMessage`: an unknown key on PreToolUse; it belongs at the top level",
        "`hookSpecificOutput.retry`: an unknown key on PreToolUse",
    ];
    assert_eq!(dropped, expected);
}

#[test]
fn a_verdict_displays_as_a_report() {
    let ran = Ran::exit(2).stderr("no\nnever").command("guard --strict").target("Bash");
    let verdict = Verdict::of(&event::PRE_TOOL_USE, &ran);
    let report = "\
the tool call is denied
the model reads, as the tool's error: PreToolUse:Bash hook error: [guard --strict]: no
    never
because exit code 2 blocks, with stderr as its text (seen in client 2.1.332)";
    assert_eq!(verdict.to_string(), report);
}

#[test]
fn a_rule_of_an_event_that_was_never_raised_is_not_reported_as_seen() {
    let run = Ran::exit(2).stderr("no");
    let report = Verdict::of(&event::TEAMMATE_IDLE, &run).to_string();
    assert!(report.contains("from the code of client") && !report.contains("seen in client"), "{report}");
    let report = Verdict::of(&event::STOP, &run).to_string();
    assert!(report.contains("seen in client"), "{report}");
}

#[test]
#[should_panic(expected = "the event has no field `tool_input.comand`; did you mean `command`?")]
fn a_misspelt_field_of_the_input_is_not_another_one() {
    drop(Recorded::of("PreToolUse Bash").with("tool_input.comand", "git push"));
}

#[test]
#[should_panic(expected = "PreToolUse has no field `command`; did you mean `tool_input.command`?")]
fn a_field_of_the_input_is_not_set_next_to_it() {
    drop(Recorded::of("PreToolUse Bash").with("command", "git push"));
}

#[test]
#[should_panic(expected = "PreToolUse has no field `tool_inptu`; did you mean `tool_input`?")]
fn a_misspelt_field_is_not_another_one() {
    let call = Recorded::of("PreToolUse Bash").with("prompt_id", "x").with("of_a_newer_client", 1);
    drop(call.with("tool_inptu.command", "ls"));
}
