//! Comparison of a verdict with an observation: the model's texts, the user's, and the outcome of the event itself.

use anyhow::{Context, Result, bail, ensure};
use hookkit::protocol::event::{self, Event};
use hookkit::testing::{Action, Channel, Known, Message, Ran, UNKNOWN, Verdict};
use serde_json::Value;

use super::{Observation, Row, Text};

/// The verdict on a row, compared with an observation.
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The differences, each with the row in front.
    pub faults: Vec<String>,
}

/// Compares the verdict on a row with an observation of it.
pub fn judged(row: &Row, observed: &Observation) -> Judged {
    judged_as(row, row.ran.clone(), observed)
}

/// Compares the verdict on a run with an observation of a row that may differ from it in the keys of its entry.
pub fn judged_as(row: &Row, ran: Ran, observed: &Observation) -> Judged {
    let mut ran = ran.command(row.command());
    ran.target.clone_from(&observed.target);
    let verdict = Verdict::of(row.event, &ran);
    let faults = differences(row, &verdict, observed);
    let faults =
        faults.iter().map(|fault| format!("{}: {}:\n    {}", row.key(), row.run, fault.replace('\n', "\n      ")));
    Judged { faults: faults.collect(), verdict }
}

fn differences(row: &Row, verdict: &Verdict, observed: &Observation) -> Vec<String> {
    let mut faults = Vec::new();
    if !observed.has_run {
        return vec!["the hook did not run".to_owned()];
    }
    faults.extend(misread(row, verdict, observed));
    faults.extend(misseen(row, verdict, observed));
    if let Err(err) = became(row, verdict, observed) {
        faults.push(format!("{err:#}"));
    }
    faults
}

/// Removes a message from a text that contains it, from the beginning of a paragraph to the end of one.
///
/// Returns `true` if it did. The rest of the text was not predicted.
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
            // An unknown end matches the rest of the text.
            let end = if parts.len() > 1 && parts.last() == Some(&"") { text.len() } else { end };
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

fn is_in_place(text: &Text, place: Channel) -> bool {
    match place {
        Channel::ToolError => text.kind == "tool_error",
        Channel::ToolResult => text.kind == "tool_result",
        Channel::Reminder | Channel::Later => text.role == "system",
        Channel::UserMessage | Channel::Instructions => text.role == "user" && text.kind == "text",
        Channel::NextPrompt | Channel::CommandOutput => text.is_late && text.kind == "text",
        _ => false,
    }
}

/// Lists the texts that the model read and that were not predicted, and the reverse.
fn misread(row: &Row, verdict: &Verdict, observed: &Observation) -> Vec<String> {
    let mut faults = Vec::new();
    let mut texts = observed.texts.clone();
    for message in verdict.model_reads.iter().filter(|message| message.rule.known == Known::Seen) {
        let mut places = texts.iter_mut().filter(|text| is_in_place(text, message.place));
        if !places.any(|text| take_out(&mut text.text, &message.text)) {
            faults.push(format!("the model did not read, {}: {}", message.place, message.text));
        }
    }
    let used = used(row, verdict);
    for text in texts {
        if is_of_a_hook(&text.text, row, &used) {
            let end: String = text.text.chars().take(300).collect();
            faults.push(format!("the model read, too ({} {}): {end}", text.role, text.kind));
        }
    }
    faults
}

/// Lists the words of the row that appear because the client used the answer.
fn used(row: &Row, verdict: &Verdict) -> Vec<String> {
    let mut used = vec![format!("{}new", row.word())];
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

/// Returns `true` if a text is due to a hook.
fn is_of_a_hook(text: &str, row: &Row, used: &[String]) -> bool {
    let text = used.iter().fold(text.to_owned(), |text, used| text.replace(used, ""));
    text.contains(&row.word()) || is_note(&text)
}

/// Returns `true` if a text contains a note of the client's about a hook.
pub(super) fn is_note(text: &str) -> bool {
    if text.contains("[not run: ") {
        return true;
    }
    // The client's own instructions speak of hooks, too.
    const NOTES: [&str; 6] =
        ["error", "feedback", "additional context", "success:", "stopped continuation", "blocking error"];
    NOTES.iter().any(|note| text.contains(&format!(" hook {note}")))
}

/// Lists the texts that the user saw and that were not predicted, and the reverse.
fn misseen(row: &Row, verdict: &Verdict, observed: &Observation) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = |wanted: fn(&Value) -> Option<&str>| -> Vec<String> {
        observed.events.iter().filter_map(wanted).map(str::to_owned).collect()
    };
    let mut notices = lines(|event| (event["subtype"] == "informational").then(|| event["content"].as_str())?);
    let mut replies = lines(|event| match event["type"].as_str()? {
        "result" => event["result"].as_str(),
        "control_response" => event["response"]["error"].as_str(),
        _ => None,
    });
    let mut stderr = vec![observed.stderr.join("\n")];
    for Message { place, text, rule, .. } in &verdict.user_sees {
        if rule.known != Known::Seen {
            continue;
        }
        let places = match place {
            Channel::Notice => &mut notices,
            Channel::Reply => &mut replies,
            Channel::Stderr => &mut stderr,
            _ => continue,
        };
        // The client reports it once in a session.
        let is_repeated = text.contains("so it didn't check this action");
        if !places.iter_mut().any(|found| take_out(found, text)) && !is_repeated {
            faults.push(format!("the user did not see, {place}: {text}"));
        }
    }
    let used = used(row, verdict);
    for text in notices.iter().chain(&replies) {
        // The reason of a blocked prompt is both a notice and the reply.
        let is_twin = verdict.user_sees.iter().any(|message| take_out(&mut text.clone(), &message.text));
        let word = row.word();
        let text = used.iter().fold(text.clone(), |text, used| text.replace(used, ""));
        if text.contains(&word) && !is_twin {
            faults.push(format!("the user saw, too: {text}"));
        }
    }
    faults
}

/// Checks the outcome of the event itself.
fn became(row: &Row, verdict: &Verdict, observed: &Observation) -> Result<()> {
    let result = observed.result().context("no result")?;
    let end = result["terminal_reason"].as_str().unwrap_or_default();
    let Some(event) = event::event(verdict.event) else { bail!("no such event") };
    let is = |other: &[&Event]| other.contains(&event);
    let does = |action: Action| verdict.action == action;
    let has = |kind: &str, part: &str| observed.texts.iter().any(|text| text.kind == kind && text.text.contains(part));
    let asked = |holds: bool| {
        ensure!(holds, "the model was asked {} times", observed.requests);
        Ok(())
    };
    let ran = |runs: bool| {
        ensure!(observed.has_tool_run == runs, "the tool ran: {}", observed.has_tool_run);
        Ok(())
    };
    let is_new_input = verdict.effects.iter().any(|effect| effect.member == "updatedInput");
    if is(&[&event::PRE_TOOL_USE]) {
        let runs = does(Action::GoesOn) || does(Action::Allowed) || does(Action::NotAwaited);
        ran(runs && !is_new_input)?;
        ensure!(does(Action::Deferred) == (end == "tool_deferred"), "it ended by {end}");
    }
    if is(&[&event::PRE_SKILL_SHELL_COMMAND]) {
        let runs = does(Action::GoesOn) || does(Action::NotAwaited);
        ran(runs)?;
    }
    if is(&[&event::PERMISSION_REQUEST]) {
        // The user cannot be asked.
        let runs = does(Action::Allowed) && !is_new_input;
        ran(runs)?;
    }
    if is(&[&event::PRE_SKILL_SHELL_COMMAND]) {
        asked((observed.requests > 0) != verdict.ends_turn)?;
    } else if is(&[&event::USER_PROMPT_SUBMIT, &event::USER_PROMPT_EXPANSION]) {
        let is_asked = !does(Action::Denied) && !verdict.ends_turn;
        asked((observed.requests > 0) == is_asked)?;
    } else if !is(&[&event::STOP, &event::SUBAGENT_STOP]) {
        let is_ended = matches!(end, "hook_stopped" | "aborted_tools");
        ensure!(verdict.ends_turn == is_ended, "it ended by {end}");
    }
    if is(&[&event::STOP]) {
        let times = if does(Action::KeepsGoing) { 2 } else { 1 };
        asked(observed.requests == times)?;
        let is_let = verdict.because.iter().any(|rule| rule.words.contains("continue: false"));
        ensure!(is_let == (end == "stop_hook_prevented"), "it ended by {end}");
    }
    if is(&[&event::SUBAGENT_STOP]) {
        let times = if does(Action::KeepsGoing) { 4 } else { 3 };
        asked(observed.requests == times)?;
    }
    if is(&[&event::TASK_CREATED]) {
        ensure!(has("tool_result", "created successfully") != does(Action::Denied), "the outcome of the task differs");
    }
    if is(&[&event::TASK_COMPLETED]) {
        ensure!(has("tool_result", "Updated task") != does(Action::Denied), "the outcome of the task differs");
    }
    if is(&[&event::PRE_COMPACT]) {
        let times = if does(Action::Denied) { 1 } else { 2 };
        asked(observed.requests == times)?;
    }
    if is(&[&event::PRE_MODEL_SWITCH]) {
        let mut responses = observed.events.iter().filter(|event| event["type"] == "control_response");
        let response = responses.next().context("no answer to the request")?;
        let is_denied = does(Action::Denied) || does(Action::Asked);
        ensure!((response["response"]["subtype"] == "error") == is_denied, "the outcome of the switch differs");
    }
    if is(&[&event::ELICITATION, &event::ELICITATION_RESULT]) {
        let answer = match &verdict.action {
            Action::Answered(action) => action,
            Action::Denied => "decline",
            _ => "cancel",
        };
        ensure!(has("tool_result", &format!("\"action\":\"{answer}\"")), "the server did not get `{answer}`");
    }
    if is(&[&event::CONFIG_CHANGE]) {
        ensure!(has("tool_result", "file-content") == does(Action::Denied), "the outcome of the settings differs");
    }
    if let Action::CreatedAt(path) = &verdict.action {
        ensure!(has("tool_error", path), "the path is not `{path}`");
    }
    for effect in verdict.effects.iter().filter(|effect| effect.rule.known == Known::Seen) {
        let value = effect.value.text();
        let Some(at) = value.find(&row.word()) else {
            continue;
        };
        let word = value[at..].split('"').next().unwrap_or_default();
        let is_shown = |event: &Value| event["subtype"] != "hook_response" && event.to_string().contains(word);
        let is_there =
            observed.texts.iter().any(|text| text.text.contains(word)) || observed.events.iter().any(is_shown);
        ensure!(is_there, "`{}` changed nothing", effect.member);
    }
    Ok(())
}
