//! Verdicts on shell commands of skills. The client runs them before the model reads the skill, without asking the
//! user about them.

use hookkit_protocol::event;

use super::schema::Answer;
use super::turn::Objection;
use super::{Action, Channel, Judge, UNKNOWN};
use crate::rule::{self, Rule};

const NO_QUESTIONS: &str = "the hook asked for approval, which a skill can't wait for";
const NO_CHANGES: &str = "the hook changed the command, which isn't supported here";

/// Number of a reason's characters that the client always passes on, in whatever unit it counts.
const WHOLE: usize = 450;

/// A denial in an answer: its rule, and its reason.
struct Denial<'a> {
    rule: &'static Rule,
    reason: Option<&'a str>,
    /// The reason that the client itself gives for the denial.
    note: Option<&'static str>,
}

/// Returns the denial that the client finds in an answer, if there is one.
fn denial(answer: &Answer) -> Option<Denial<'_>> {
    let reason = answer.text("reason");
    let of = |rule, reason, note| Some(Denial { rule, reason, note });
    let own_reason = answer.specific_text("permissionDecisionReason").or(reason);
    match answer.specific_text("permissionDecision") {
        Some("deny") => return of(rule::DENY, own_reason, None),
        Some("ask" | "defer") => return of(rule::NO_QUESTIONS, own_reason, Some(NO_QUESTIONS)),
        _ => {}
    }
    let request = answer.member("decision");
    let of_request = |name: &str| request?.get(name);
    if of_request("behavior").and_then(|word| word.text()) == Some("deny") {
        let message = of_request("message").and_then(|message| message.text());
        return of(rule::REQUEST_DENIED, message.or(reason), None);
    }
    if answer.is_block() {
        return of(rule::BLOCK, reason, None);
    }
    let is_changed = answer.member("updatedInput").is_some() || of_request("updatedInput").is_some();
    is_changed.then_some(Denial { rule: rule::NO_CHANGES, reason: None, note: Some(NO_CHANGES) })
}

/// Returns `true` if an answer keeps the command from running, with any exit code.
pub(super) fn denies(answer: &Answer) -> bool {
    denial(answer).is_some()
}

impl Judge<'_> {
    /// Returns `true` if the event belongs to a skill's command.
    pub(super) fn is_skill(&self) -> bool {
        self.is(&event::PRE_SKILL_SHELL_COMMAND)
    }

    /// Returns `true` if the client accepts this event's object in place of the skill event's own.
    pub(super) fn is_read_in_skill(&self, named: &event::Event) -> bool {
        let read = [&event::PRE_TOOL_USE, &event::PERMISSION_REQUEST];
        self.is_skill() && read.iter().any(|event| event.name == named.name)
    }

    /// Decides the outcome of the command from an answer and the exit code. Returns the block, if there is one.
    pub(super) fn decide_skill(&mut self, answer: &Answer) -> Option<Objection> {
        if let Some(Denial { rule, reason, note }) = denial(answer) {
            self.because_of_block(rule);
            let text = match (reason, note) {
                (Some(reason), Some(note)) => format!("{reason}; {note}"),
                (reason, note) => reason.or(note).unwrap_or("Blocked by hook").to_owned(),
            };
            return Some(Objection::new(text));
        }
        if self.ran.status() == 2 {
            self.because_of_block(rule::EXIT_TWO_WITH_JSON);
            return Some(Objection::new(self.objection()));
        }
        if answer.text("decision") == Some("approve") {
            self.dropped("`decision`", rule::APPROVE_UNREAD);
        }
        if answer.specific_text("permissionDecision") == Some("allow") {
            self.dropped("`permissionDecision`", rule::ALLOW_UNREAD);
        }
        None
    }

    /// Keeps the command from running. The user reads the reason, and the model reads it in place of the output.
    pub(super) fn deny_skill(&mut self, text: &str, is_skill_sent: bool) {
        self.verdict.action = Action::Denied;
        let quoted = format!("[{}]:", self.ran.command);
        let text = match text.strip_prefix(&quoted).map(str::trim) {
            Some(own) if !own.starts_with("failed; ") && !own.starts_with("timed out; ") => own,
            _ => text,
        };
        let note = [NO_QUESTIONS, NO_CHANGES].into_iter().find(|note| text.ends_with(note));
        let own = note.map_or(text, |note| text.trim_end_matches(note).trim_end_matches("; "));
        let own = if ["Blocked by hook", "No stderr output"].contains(&own) { String::new() } else { shown(own) };
        let blocked = |reason: &str| match reason {
            "" => "blocked by hook".to_owned(),
            reason => format!("blocked by hook: {reason}"),
        };
        let why = match note {
            Some(note) if own.is_empty() => note.to_owned(),
            Some(note) => format!("{}; {note}", blocked(&own)),
            None => blocked(&own),
        };
        let end = if why.ends_with(UNKNOWN) { "" } else { ")" };
        let notice = format!("Not run in {UNKNOWN}: {UNKNOWN} ({why}{end}");
        self.user_sees(Channel::Notice, notice, rule::COMMAND_DENIED);
        if is_skill_sent {
            let reason = if own.is_empty() { note.unwrap_or_default() } else { &own };
            let output = format!("[not run: {}]", blocked(reason));
            self.model_reads(Channel::UserMessage, output, rule::COMMAND_DENIED);
        }
    }

    /// Reports a failure. The command runs anyway.
    pub(super) fn failed_in_skill(&mut self, text: &str) {
        let line = shown(text.trim().lines().next().unwrap_or_default());
        let why = if line.is_empty() { "hook failed".to_owned() } else { format!("hook failed: {line}") };
        self.ran_anyway(&why);
    }

    pub(super) fn ran_anyway(&mut self, why: &str) {
        let notice = format!("Ran anyway in {UNKNOWN}: {UNKNOWN} ({why})");
        self.user_sees(Channel::Notice, notice, rule::RAN_ANYWAY);
    }
}

/// Returns a reason as the client shows it: on one line, and cut off.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WHOLE) {
        Some((end, _)) => format!("{}{UNKNOWN}", &line[..end]),
        None => line,
    }
}
