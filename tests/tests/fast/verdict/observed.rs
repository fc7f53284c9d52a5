//! Verdicts and what was observed of the client before, where those records are at hand.
//!
//! In the records a hook prints words of its own: `OUT!`, `ERR!`, `WHY!`, `CTX!`, `SYS!`, `STOP!`, `NEW!`, `OLD!`. They say
//! whether the model was shown each of them, and the user.

use std::str;

use hookkit::protocol::event::{self, EVENTS, Event};
use hookkit::testing::{Action, Channel, End, Known, Message, Ran, Verdict};
use hookkit_tests::prelude::*;
use hookkit_tests::verdict::with_own_object;

const WORDS: [&str; 8] = ["OUT!", "ERR!", "WHY!", "CTX!", "SYS!", "STOP!", "NEW!", "OLD!"];

/// The runs that are in the records, each with its event and the name of its case.
fn runs() -> Vec<(&'static Event, String, Ran)> {
    let mut runs = Vec::new();
    let table: Lines = lines!("lines/observed.txt");
    let code = |text: &str| text.parse().expect("a code");
    for event in EVENTS {
        for row in &table.section("on every event").rows {
            let [case, exit, stderr] = row.fields();
            let ran = Ran::exit(code(exit)).stdout(with_own_object(&row.line, event.name));
            let ran = ran.stderr(stderr.trim_start_matches('-'));
            runs.push((*event, format!("{}: {case}", event.name), ran));
        }
    }
    for row in &table.section("on one event").rows {
        let [case, exit] = row.fields();
        let stdout = row.line.trim_start_matches('-');
        let name = case.split(':').next().unwrap_or_default();
        let Some(event) = event::event(name) else { continue };
        let mut ran = Ran::exit(code(exit)).stdout(with_own_object(stdout, name));
        if stdout.is_empty() || exit == "2" && !stdout.starts_with("OUT!") || case.contains("exit 1") {
            ran = ran.stderr("ERR!");
        }
        if case.contains("no such file") {
            ran = ran.stderr("ERR! no such file");
        }
        if case.contains("onFailure block") {
            ran = ran.blocks_in_settings(true);
        }
        runs.push((event, case.to_owned(), ran));
    }
    for (case, ran) in [
        ("PreToolUse: killed by its timeout", Ran::ended(End::TimedOut)),
        ("PreToolUse: killed by a signal", Ran::ended(End::Killed).stderr("ERR!")),
        ("PreToolUse: onFailure block: timeout", Ran::ended(End::TimedOut).blocks_in_settings(true)),
        ("PreToolUse: onFailure block: killed by a signal", Ran::ended(End::Killed).blocks_in_settings(true)),
        ("PreToolUse: args (exec form), command does not exist", Ran::ended(End::NotStarted)),
    ] {
        runs.push((&event::PRE_TOOL_USE, case.to_owned(), ran));
    }
    runs
}

#[test]
fn verdicts_are_what_was_observed() -> Result<()> {
    let records = repository().join("../shared/real-client/observed.jsonl");
    let Ok(records) = fs::read_to_string(records) else {
        skip("verdicts_are_what_was_observed", "the records are not here");
        return Ok(());
    };
    let records = records.lines().map(serde_json::from_str);
    let records: Vec<Value> = records.collect::<Result<_, _>>().context("the records")?;
    let mut faults = Vec::new();
    let mut compared = 0;
    for (event, case, ran) in runs() {
        let Some(record) = records.iter().find(|record| record["case"] == case.as_str()) else {
            continue;
        };
        compared += 1;
        let verdict = Verdict::of(event, &ran.target("Bash"));
        faults.extend(differences(event, &verdict, record).into_iter().map(|fault| format!("{case}: {fault}")));
    }
    assert!(compared > 300, "only {compared} of the records are known here");
    assert!(faults.is_empty(), "of {compared}:\n{}", faults.join("\n"));
    Ok(())
}

/// Returns `true` if the record holds only the beginning of what is there.
fn is_cut(record: &Value, place: Channel) -> bool {
    place == Channel::Stderr && record["stderr"].as_str().is_some_and(|text| text.chars().count() >= 400)
}

fn differences(event: &Event, verdict: &Verdict, record: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let is_seen = |message: &&Message| message.rule.known == Known::Seen;
    let shown = |value: &Value, word: &str| value.to_string().contains(word);
    for word in WORDS {
        // These sessions are over before there is another prompt.
        let is_reported = |message: &&Message| message.place != Channel::NextPrompt && message.text.contains(word);
        // A missing path is reported in the client's own words.
        let is_path = matches!(&verdict.action, Action::CreatedAt(path) if path.contains(word));
        let foretold = is_path || verdict.model_reads.iter().filter(is_seen).any(|message| is_reported(&message));
        let mut marks = record["model"].as_array().into_iter().flatten();
        let is_read = marks.any(|mark| mark["mark"] == word);
        if foretold != is_read {
            faults.push(format!("the model read {word}: {is_read}, by the verdict {foretold}"));
        }
        let is_of_user = |message: &&Message| message.text.contains(word) && !is_cut(record, message.place);
        let foretold = verdict.user_sees.iter().filter(is_seen).any(|message| is_of_user(&message));
        let mut lines = record["stream"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let replies = ["control_response", "result/success result:"];
        let is_reply = lines.any(|line| replies.iter().any(|reply| line.starts_with(reply)) && line.contains(word));
        let is_seen = is_reply || shown(&record["notices"], word) || shown(&record["stderr"], word);
        if foretold != is_seen {
            faults.push(format!("the user saw {word}: {is_seen}, by the verdict {foretold}"));
        }
    }
    let result = record["tool_results"].to_string();
    let requests = record["requests"].as_u64().unwrap_or_default();
    let terminal = record["result"][4].as_str().unwrap_or_default();
    let denies = verdict.action == Action::Denied;
    let is = |events: &[&Event]| events.contains(&event);
    if is(&[&event::PRE_TOOL_USE]) {
        let runs = matches!(verdict.action, Action::GoesOn | Action::Allowed);
        if record["tool_ran"] != runs {
            faults.push(format!("the tool ran: {}", record["tool_ran"]));
        }
    }
    if is(&[&event::USER_PROMPT_SUBMIT, &event::USER_PROMPT_EXPANSION])
        && (denies || verdict.ends_turn) != (requests == 0)
    {
        faults.push(format!("the model was asked {requests} times"));
    }
    if is(&[&event::PRE_TOOL_USE, &event::POST_TOOL_USE, &event::POST_TOOL_BATCH, &event::PERMISSION_REQUEST])
        && verdict.ends_turn != matches!(terminal, "hook_stopped" | "aborted_tools")
    {
        faults.push(format!("the turn ended by {terminal}"));
    }
    if is(&[&event::STOP]) && (verdict.action == Action::KeepsGoing) != (requests > 1) {
        faults.push(format!("the model was asked {requests} times"));
    }
    if is(&[&event::ELICITATION, &event::ELICITATION_RESULT]) && denies != result.contains("decline") {
        faults.push(format!("the server got {result}"));
    }
    if is(&[&event::TASK_CREATED]) && denies != result.contains("No tasks found") {
        faults.push(format!("the task: {result}"));
    }
    if is(&[&event::TASK_COMPLETED]) && denies != result.contains("[pending]") {
        faults.push(format!("the task: {result}"));
    }
    if is(&[&event::CONFIG_CHANGE]) && denies != result.contains("file-content") {
        faults.push(format!("the settings: {result}"));
    }
    if is(&[&event::WORKTREE_CREATE]) && denies != result.contains("WorktreeCreate hook failed") {
        faults.push(format!("the worktree: {result}"));
    }
    faults
}
