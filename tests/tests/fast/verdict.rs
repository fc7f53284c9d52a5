//! What a verdict says is what the real client does.
//!
//! Each row of the table is a run of a hook on an event. It is played in the client, where a shell script prints what the
//! row says, and judged; and then what the model read, what the user saw and what became of the matter are compared.
//! `ROWS=42,Stop cargo test -p hookkit-tests --test it verdicts_are` plays these alone, and tells what came of them.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::{env, thread};

use anyhow::{Context, Result, bail, ensure};
use hookkit::protocol::event::{self, EVENTS, Event};
use hookkit::testing::{Action, Known, Message, Place, Rule, UNKNOWN, Verdict};
use hookkit_tests::client;
use serde_json::Value;

mod observed;
mod rows;
mod stage;

use rows::{Row, rows};
use stage::{Numbered, Reality, Text};

#[test]
fn verdicts_are_what_the_client_does() -> Result<()> {
    let Some(client) = client::require("verdicts_are_what_the_client_does") else {
        return Ok(());
    };
    let table = rows();
    let chosen = env::var("ROWS").ok();
    let is_chosen = |number: usize, row: &Row| {
        let mut words = chosen.iter().flat_map(|chosen| chosen.split(','));
        chosen.is_none() || words.any(|word| word == number.to_string() || word == row.event.name)
    };
    let played: Vec<Numbered<'_>> = table
        .iter()
        .enumerate()
        .filter(|(number, row)| row.unseen.is_none() && is_chosen(*number, row))
        .collect();
    let groups = Mutex::new(groups(&played));
    let (faults, rules) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        while let Some((event, rows)) = { groups.lock().expect("a group").pop() } {
            let play = || {
                let realities = stage::play(&client, event, &rows);
                compared(event, &rows, realities, chosen.is_some(), &rules)
            };
            let mut found = play();
            if !found.is_empty() {
                // On a busy machine a session can end before a hook that it does not wait for.
                eprintln!("played again:\n{}", found.join("\n"));
                found = play();
            }
            faults.lock().expect("a list").extend(found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(work);
        }
    });
    let mut faults = faults.into_inner()?;
    faults.sort();
    assert!(
        faults.is_empty(),
        "{} of {}:\n{}",
        faults.len(),
        played.len(),
        faults.join("\n")
    );
    if chosen.is_none() {
        let rules = rules.into_inner()?;
        let untried = Rule::ALL
            .iter()
            .filter(|rule| rule.known == Known::Seen && !rules.contains(rule));
        let untried: Vec<&str> = untried.map(|rule| rule.words).collect();
        assert_eq!(untried, Vec::<&str>::new(), "said to be seen, and no row shows it");
    }
    Ok(())
}

/// The sessions to play: the rows of an event share one, unless they would disturb each other.
fn groups<'r>(rows: &[Numbered<'r>]) -> Vec<(&'static Event, Vec<Numbered<'r>>)> {
    // A session of many rows takes long: it is cut where two can share the work.
    const MOST: usize = 20;
    let mut groups = Vec::new();
    for event in EVENTS {
        let of_event = rows.iter().copied().filter(|(_, row)| row.event == *event);
        let (alone, together): (Vec<_>, Vec<_>) = of_event.partition(stage::is_alone);
        groups.extend(alone.into_iter().map(|row| (*event, vec![row])));
        groups.extend(together.chunks(MOST).map(|rows| (*event, rows.to_vec())));
    }
    // The longest are played first.
    groups.sort_by_key(|(_, rows)| rows.len());
    groups
}

/// What is wrong with the verdicts on these rows.
fn compared(
    event: &Event,
    rows: &[Numbered<'_>],
    realities: Result<Vec<Reality>>,
    is_told: bool,
    rules: &Mutex<Vec<&'static Rule>>,
) -> Vec<String> {
    let realities = match realities {
        Ok(realities) => realities,
        Err(err) => return vec![format!("{}: {err:#}", event.name)],
    };
    let mut faults = Vec::new();
    for ((number, row), reality) in rows.iter().zip(realities) {
        let mut ran = row.ran.clone().command(stage::command(row));
        ran.target = reality.target.clone();
        let verdict = Verdict::of(row.event, &ran);
        let about = format!(
            "row {number}: {} {:?} {:?}",
            event.name,
            row.ran.end,
            String::from_utf8_lossy(&row.ran.stdout)
                .chars()
                .take(150)
                .collect::<String>()
        );
        if is_told {
            eprintln!("{about}\n{verdict}\n{:#?}\n", Told(&reality));
        }
        let found = differences(*number, &verdict, &reality);
        faults.extend(
            found
                .iter()
                .map(|fault| format!("{about}:\n    {}", fault.replace('\n', "\n      "))),
        );
        rules.lock().expect("a list").extend(verdict.rules());
    }
    faults
}

/// What came of a row, cut to what is of use to whoever looks for a fault.
struct Told<'r>(&'r Reality);

impl std::fmt::Debug for Told<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut = |text: &str| text.chars().take(400).collect::<String>();
        for text in &self.0.texts {
            writeln!(
                f,
                "{} {} late {}: {:?}",
                text.role,
                text.kind,
                text.is_late,
                cut(&text.text)
            )?;
        }
        for event in &self.0.events {
            if !matches!(event["subtype"].as_str(), Some("hook_started" | "init")) {
                writeln!(f, "{}", cut(&event.to_string()))?;
            }
        }
        write!(f, "{} requests; tool ran: {}", self.0.requests, self.0.has_tool_run)
    }
}

fn differences(number: usize, verdict: &Verdict, reality: &Reality) -> Vec<String> {
    let mut faults = Vec::new();
    if !reality.has_run {
        return vec!["the hook did not run".to_owned()];
    }
    faults.extend(misread(number, verdict, reality));
    faults.extend(misseen(number, verdict, reality));
    if let Err(err) = became(verdict, reality, number) {
        faults.push(format!("{err:#}"));
    }
    faults
}

/// Whether a text holds what a message says, from the beginning of a paragraph to the end of one.
///
/// What is found is taken out, so that what is left was not foretold.
fn take_out(text: &mut String, message: &str) -> bool {
    let parts: Vec<&str> = message.split(UNKNOWN).collect();
    let (first, rest) = (parts[0], &parts[1..]);
    let mut from = 0;
    while let Some(at) = text[from..].find(first) {
        let start = from + at;
        let mut end = Some(start + first.len());
        for part in rest {
            end = end.and_then(|end| text[end..].find(part).map(|at| end + at + part.len()));
        }
        let Some(end) = end else { return false };
        let is_begin = start == 0
            || text[..start].ends_with('\n')
            || text[..start].ends_with("Compacted ")
            || text[..start].ends_with('>');
        let behind = &text[end..];
        let is_end =
            behind.is_empty() || behind.starts_with('\n') || behind.starts_with('<') || parts.last() == Some(&"");
        if is_begin && is_end {
            // An unknown end reaches as far as the text does.
            let end = if parts.len() > 1 && parts.last() == Some(&"") {
                text.len()
            } else {
                end
            };
            text.replace_range(start..end, "");
            return true;
        }
        from = start + 1;
        while !text.is_char_boundary(from) {
            from += 1;
        }
    }
    false
}

fn is_in_place(text: &Text, place: Place) -> bool {
    match place {
        Place::ToolError => text.kind == "tool_error",
        Place::ToolResult => text.kind == "tool_result",
        Place::Reminder | Place::Later => text.role == "system",
        Place::UserMessage | Place::Instructions => text.role == "user" && text.kind == "text",
        Place::NextPrompt | Place::CommandOutput => text.is_late && text.kind == "text",
        _ => false,
    }
}

/// What the model read and was not foretold, or the other way round.
fn misread(number: usize, verdict: &Verdict, reality: &Reality) -> Vec<String> {
    let mut faults = Vec::new();
    let mut texts = reality.texts.clone();
    for message in verdict
        .model_reads
        .iter()
        .filter(|message| message.rule.known == Known::Seen)
    {
        let mut places = texts.iter_mut().filter(|text| is_in_place(text, message.place));
        if !places.any(|text| take_out(&mut text.text, &message.text)) {
            faults.push(format!("the model did not read, {}: {}", message.place, message.text));
        }
    }
    let used = used(verdict, number);
    for text in texts {
        if is_of_a_hook(&text.text, number, &used) {
            let end: String = text.text.chars().take(300).collect();
            faults.push(format!("the model read, too ({} {}): {end}", text.role, text.kind));
        }
    }
    faults
}

/// What of the row's own word may be read, since the answer brings it about.
fn used(verdict: &Verdict, number: usize) -> Vec<String> {
    let mut used = vec![format!("{}new", rows::word(number))];
    if let Action::CreatedAt(path) = &verdict.action {
        used.push(path.clone());
    }
    let is_used = |word: &String| {
        let is_effect = verdict.effects.iter().any(|effect| effect.value.text().contains(word));
        is_effect || matches!(&verdict.action, Action::CreatedAt(path) if path == word)
    };
    used.retain(is_used);
    used
}

/// Whether a text is one that a hook has brought about.
fn is_of_a_hook(text: &str, number: usize, used: &[String]) -> bool {
    // The client's own instructions speak of hooks, too.
    const NOTES: [&str; 6] = [
        "error",
        "feedback",
        "additional context",
        "success:",
        "stopped continuation",
        "blocking error",
    ];
    let text = used.iter().fold(text.to_owned(), |text, used| text.replace(used, ""));
    text.contains(&rows::word(number)) || NOTES.iter().any(|note| text.contains(&format!(" hook {note}")))
}

/// What the user saw and was not foretold, or the other way round.
fn misseen(number: usize, verdict: &Verdict, reality: &Reality) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = |wanted: fn(&Value) -> Option<&str>| -> Vec<String> {
        reality.events.iter().filter_map(wanted).map(str::to_owned).collect()
    };
    let mut notices = lines(|event| (event["subtype"] == "informational").then(|| event["content"].as_str())?);
    let mut replies = lines(|event| match event["type"].as_str()? {
        "result" => event["result"].as_str(),
        "control_response" => event["response"]["error"].as_str(),
        _ => None,
    });
    let mut stderr = vec![reality.stderr.clone()];
    for Message { place, text, rule, .. } in &verdict.user_sees {
        if rule.known != Known::Seen {
            continue;
        }
        let places = match place {
            Place::Notice => &mut notices,
            Place::Reply => &mut replies,
            Place::Stderr => &mut stderr,
            _ => continue,
        };
        // Told once in a session.
        let is_repeated = text.contains("so it didn't check this action");
        if !places.iter_mut().any(|found| take_out(found, text)) && !is_repeated {
            faults.push(format!("the user did not see, {place}: {text}"));
        }
    }
    let used = used(verdict, number);
    for text in notices.iter().chain(&replies) {
        // What blocks a prompt is both a notice and the reply.
        let is_twin = verdict
            .user_sees
            .iter()
            .any(|message| take_out(&mut text.clone(), &message.text));
        let word = rows::word(number);
        let text = used.iter().fold(text.clone(), |text, used| text.replace(used, ""));
        if text.contains(&word) && !is_twin {
            faults.push(format!("the user saw, too: {text}"));
        }
    }
    faults
}

/// Whether the matter itself went as the verdict says.
fn became(verdict: &Verdict, reality: &Reality, number: usize) -> Result<()> {
    let result = stage::result(reality)?;
    let end = result["terminal_reason"].as_str().unwrap_or_default();
    let Some(event) = event::event(verdict.event) else {
        bail!("no such event")
    };
    let is = |other: &[&Event]| other.contains(&event);
    let does = |action: Action| verdict.action == action;
    let has = |kind: &str, part: &str| {
        reality
            .texts
            .iter()
            .any(|text| text.kind == kind && text.text.contains(part))
    };
    let is_new_input = verdict.effects.iter().any(|effect| effect.member == "updatedInput");
    if is(&[&event::PRE_TOOL_USE]) {
        let runs = does(Action::GoesOn) || does(Action::Allowed) || does(Action::NotAwaited);
        ensure!(
            reality.has_tool_run == (runs && !is_new_input),
            "the tool ran: {}",
            reality.has_tool_run
        );
        ensure!(does(Action::Deferred) == (end == "tool_deferred"), "it ended by {end}");
    }
    if is(&[&event::PERMISSION_REQUEST]) {
        // Nobody can be asked.
        let runs = does(Action::Allowed) && !is_new_input;
        ensure!(reality.has_tool_run == runs, "the tool ran: {}", reality.has_tool_run);
    }
    if is(&[&event::USER_PROMPT_SUBMIT, &event::USER_PROMPT_EXPANSION]) {
        let is_asked = !does(Action::Refused) && !verdict.ends_turn;
        ensure!(
            (reality.requests > 0) == is_asked,
            "the model was asked {} times",
            reality.requests
        );
    } else if !is(&[&event::STOP, &event::SUBAGENT_STOP]) {
        let is_ended = matches!(end, "hook_stopped" | "aborted_tools");
        ensure!(verdict.ends_turn == is_ended, "it ended by {end}");
    }
    if is(&[&event::STOP]) {
        let times = if does(Action::KeepsGoing) { 2 } else { 1 };
        ensure!(
            reality.requests == times,
            "the model was asked {} times",
            reality.requests
        );
        let is_let = verdict
            .because
            .iter()
            .any(|rule| rule.words.contains("continue: false"));
        ensure!(is_let == (end == "stop_hook_prevented"), "it ended by {end}");
    }
    if is(&[&event::SUBAGENT_STOP]) {
        let times = if does(Action::KeepsGoing) { 4 } else { 3 };
        ensure!(
            reality.requests == times,
            "the models were asked {} times",
            reality.requests
        );
    }
    if is(&[&event::TASK_CREATED]) {
        ensure!(
            has("tool_result", "created successfully") != does(Action::Refused),
            "another fate of the task"
        );
    }
    if is(&[&event::TASK_COMPLETED]) {
        ensure!(
            has("tool_result", "Updated task") != does(Action::Refused),
            "another fate of the task"
        );
    }
    if is(&[&event::PRE_COMPACT]) {
        let times = if does(Action::Refused) { 1 } else { 2 };
        ensure!(
            reality.requests == times,
            "the model was asked {} times",
            reality.requests
        );
    }
    if is(&[&event::PRE_MODEL_SWITCH]) {
        let mut responses = reality
            .events
            .iter()
            .filter(|event| event["type"] == "control_response");
        let response = responses.next().context("no answer to the request")?;
        let is_refused = does(Action::Refused) || does(Action::Asked);
        ensure!(
            (response["response"]["subtype"] == "error") == is_refused,
            "another fate of the switch"
        );
    }
    if is(&[&event::ELICITATION, &event::ELICITATION_RESULT]) {
        let answer = match &verdict.action {
            Action::Answered(action) => action,
            Action::Refused => "decline",
            _ => "cancel",
        };
        ensure!(
            has("tool_result", &format!("\"action\":\"{answer}\"")),
            "the server did not get `{answer}`"
        );
    }
    if is(&[&event::CONFIG_CHANGE]) {
        ensure!(
            has("tool_result", "file-content") == does(Action::Refused),
            "another fate of the settings"
        );
    }
    if let Action::CreatedAt(path) = &verdict.action {
        ensure!(has("tool_error", path), "the path is not `{path}`");
    }
    for effect in verdict.effects.iter().filter(|effect| effect.rule.known == Known::Seen) {
        let value = effect.value.text();
        let Some(at) = value.find(&rows::word(number)) else {
            continue;
        };
        let word = value[at..].split('"').next().unwrap_or_default();
        let is_shown = |event: &Value| event["subtype"] != "hook_response" && event.to_string().contains(word);
        let is_there = reality.texts.iter().any(|text| text.text.contains(word)) || reality.events.iter().any(is_shown);
        ensure!(is_there, "`{}` changed nothing", effect.member);
    }
    Ok(())
}

/// Of the rows that a headless session cannot show, the verdict says what the table does.
#[test]
fn what_cannot_be_shown_is_judged_by_the_words_of_the_client() {
    for (number, row) in rows().iter().enumerate() {
        let Row { event, ran, unseen } = row;
        let Some((why, says)) = unseen else { continue };
        let verdict = Verdict::of(event, ran);
        let text = verdict.to_string().replace(&rows::word(number), "@");
        let lines: Vec<&str> = text
            .split("\nbecause ")
            .next()
            .unwrap_or_default()
            .split('\n')
            .collect();
        assert_eq!(lines.join("\n"), says.join("\n"), "{}: {why}", event.name);
        assert!(!why.is_empty());
    }
}

/// Every event is in the table.
#[test]
fn every_event_has_a_row() {
    let tried: BTreeSet<&str> = rows().iter().map(|row| row.event.name).collect();
    let all: BTreeSet<&str> = EVENTS.iter().map(|event| event.name).collect();
    assert_eq!(tried, all);
}
