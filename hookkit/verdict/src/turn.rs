//! Verdicts on events for which the client reads the whole answer.

use hookkit_protocol::event::{
    PERMISSION_REQUEST, POST_MODEL_SWITCH, PRE_MODEL_SWITCH, PRE_TOOL_USE, SESSION_START, SETUP, SUBAGENT_START,
    TASK_COMPLETED, TASK_CREATED, TEAMMATE_IDLE, USER_PROMPT_SUBMIT,
};
use hookkit_protocol::hook::Mode;
use hookkit_protocol::output::{Block, PlainText};

use super::stdout::{self, Stdout};
use super::{Action, Channel, Judge, UNKNOWN};
use crate::rule::{self, Rule};
use crate::{End, Ran};

/// A block, and its source.
pub(super) struct Objection {
    pub text: String,
    /// `true` if the block comes from JSON: the client then quotes the command once more.
    pub is_from_json: bool,
    /// `true` if the text for the user does not include the prompt.
    pub is_without_prompt: bool,
}

impl Objection {
    /// Creates a block that does not come from JSON.
    pub(super) fn new(text: String) -> Self {
        Self { text, is_from_json: false, is_without_prompt: false }
    }
}

/// Returns `true` if the entry has `onFailure: "block"` and the client waits for the hook. Some events ignore it.
pub(super) fn blocks_on_failure(ran: &Ran) -> bool {
    ran.blocks_in_settings && ran.mode == Mode::Awaited
}

impl Judge<'_> {
    /// Judges a run on an event for which the client reads the whole answer.
    pub(super) fn turn(&mut self) {
        match self.ran.end {
            End::TimedOut => self.timed_out(),
            End::NotStarted => {
                let text = self.why_not_started();
                self.failed(rule::NOT_STARTED, &text);
            }
            End::Exited(_) | End::Killed => self.ended(),
        }
    }

    fn ended(&mut self) {
        let status = self.ran.status();
        match stdout::classify(&self.ran.out()) {
            Stdout::Invalid(invalid) => {
                self.dropped_as("stdout", invalid.fault, invalid.rule);
                if status == 2 {
                    self.exit_two(rule::EXIT_TWO_WITH_INVALID);
                } else {
                    let text = self.with_stderr(&invalid.message);
                    self.failed(invalid.rule, &text);
                }
            }
            Stdout::Answer(answer) => self.answered(&answer),
            Stdout::Text(text) if status == 0 => self.said(&text),
            Stdout::Empty if status == 0 => self.because(rule::NO_OPINION),
            text => {
                if matches!(text, Stdout::Text(_)) {
                    self.drop_stdout();
                }
                match status {
                    2 if self.looks_like_a_missing_script() => self.missing_script(),
                    2 => self.exit_two(rule::EXIT_TWO),
                    _ => self.failed_by_status(),
                }
            }
        }
        if status == 0 {
            self.drop_stderr(rule::STDERR_OF_SUCCESS);
        }
    }

    /// Passes on text that is not JSON, from a run that exited with 0.
    fn said(&mut self, text: &str) {
        self.because(rule::NO_OPINION);
        let before = match self.event.plain_text {
            PlainText::Model => format!("{} hook success: ", self.name()),
            PlainText::AsContext => format!("{} hook additional context: ", self.name_of_context()),
            _ => return self.dropped("stdout", rule::PLAIN_UNREAD),
        };
        self.model_reads_within(Channel::Reminder, &before, text, "", rule::PLAIN_TO_MODEL);
    }

    fn looks_like_a_missing_script(&self) -> bool {
        let is_event_concerned =
            self.event.ignores_on_failure || (self.ran.is_of_plugin && self.is(&USER_PROMPT_SUBMIT));
        let stderr = self.ran.err().to_lowercase();
        is_event_concerned
            && stdout::trim(&self.ran.out()).is_empty()
            && ["no such file", "can't open"].iter().any(|words| stderr.contains(words))
    }

    fn missing_script(&mut self) {
        self.is_stderr_used = true;
        let text = format!(
            "Hook script appears to be missing — \"{}\" exited 2 with: {}. {UNKNOWN}",
            self.ran.command,
            self.ran.err().trim()
        );
        self.failed(rule::MISSING_SCRIPT, &text);
    }

    pub(super) fn failed_by_status(&mut self) {
        self.is_stderr_used = true;
        let stderr = self.ran.err();
        let text = Some(stderr.trim()).filter(|text| !text.is_empty());
        let rule = match self.ran.end {
            End::Killed => rule::KILLED,
            _ => rule::FAILED,
        };
        self.failed(rule, text.unwrap_or("No stderr output"));
    }

    pub(super) fn exit_two(&mut self, rule: &'static Rule) {
        self.because_of_block(rule);
        let text = self.objection();
        self.block(Objection::new(text));
    }

    /// Returns `true` if a failure blocks because of the entry's `onFailure`.
    ///
    /// This includes events after a tool ran, on which nothing can be blocked: the model reads the failure.
    pub(super) fn is_strict(&self) -> bool {
        blocks_on_failure(self.ran) && !self.event.ignores_on_failure
    }

    /// Turns a failure into a block if `onFailure` requires it. Returns `true` if it did.
    fn blocked_by_failure(&mut self, rule: &'static Rule, text: &str) -> bool {
        if !self.is_strict() {
            self.drop_if("`onFailure`", blocks_on_failure(self.ran), rule::ON_FAILURE_UNHEEDED);
            return false;
        }
        self.because(rule);
        self.because(rule::ON_FAILURE);
        let text = format!("[{}]: {text}", self.ran.command);
        if self.is(&PERMISSION_REQUEST) {
            self.verdict.action = Action::Denied;
            self.model_reads(Channel::ToolError, text, rule::ON_FAILURE);
        } else {
            self.block(Objection { is_without_prompt: true, ..Objection::new(text) });
        }
        true
    }

    /// Reports a failure. It blocks if `onFailure` requires it.
    pub(super) fn failed(&mut self, rule: &'static Rule, text: &str) {
        let blocking = format!("failed; blocking because onFailure is \"block\"\n{text}");
        if self.blocked_by_failure(rule, &blocking) {
            return;
        }
        self.because(rule);
        let is_by_status = [rule::NOT_STARTED, rule::KILLED, rule::FAILED].contains(&rule);
        let prefix = if is_by_status { "Failed with non-blocking status code: " } else { "" };
        let text = format!("{prefix}{text}");
        // The user does not read about a failure that the hook chose with its exit code.
        let is_chosen = rule == rule::FAILED
            && matches!(self.ran.end, End::Exited(code) if code <= 128 && code != 126 && code != 127);
        if self.is(&PRE_MODEL_SWITCH) {
            let text = format!("PreModelSwitch hook {} failed: {text}", self.name());
            self.user_sees(Channel::Notice, text, rule::SWITCH_FAILED);
        } else if self.is_skill() {
            self.failed_in_skill(text.trim_start_matches(prefix));
        } else if self.is(&PRE_TOOL_USE) && !is_chosen {
            self.tell_of_no_verdict("gave no usable answer");
        } else {
            let line = text.lines().next().unwrap_or_default();
            self.user_sees(Channel::Notice, line, rule::NOTICE);
        }
    }

    fn tell_of_no_verdict(&mut self, what: &str) {
        let origin = if self.ran.is_of_plugin { format!(" of the \"{UNKNOWN}\" plugin") } else { String::new() };
        let text = format!("A hook{origin} {what}, so it didn't check this action.");
        self.user_sees(Channel::Notice, text, rule::NO_VERDICT);
    }

    fn timed_out(&mut self) {
        self.drop_streams(rule::TIMED_OUT);
        if self.blocked_by_failure(rule::TIMED_OUT, "timed out; blocking because onFailure is \"block\"") {
            return;
        }
        if self.is(&PRE_MODEL_SWITCH) {
            self.because(rule::TIMED_OUT_DENIES);
            let text = format!("PreModelSwitch hook {} did not respond before its timeout", self.name());
            self.deny_switch(&text);
            return;
        }
        self.because(rule::TIMED_OUT);
        if self.is_skill() {
            self.ran_anyway("hook timed out");
        } else if self.is(&PRE_TOOL_USE) {
            self.tell_of_no_verdict("didn't answer in time");
        } else {
            let text = format!("{} hook timed out", self.name());
            self.user_sees(Channel::Notice, text, rule::NOTICE);
        }
    }

    /// Blocks the announced action, if it can be blocked.
    pub(super) fn block(&mut self, objection: Objection) {
        let Objection { text, is_from_json, is_without_prompt } = objection;
        let event = self.event.name;
        match self.event.block {
            Block::Ignored => self.unheeded_block(&text, is_from_json),
            Block::Reports => self.model_reads(Channel::Reminder, self.blocking_error(&text), rule::REASON_TO_MODEL),
            Block::EndsTurn => {
                self.verdict.ends_turn = true;
                self.note_stays(&text);
            }
            Block::KeepsGoing => {
                self.verdict.action = Action::KeepsGoing;
                let kind = if self.is(&TEAMMATE_IDLE) { event } else { "Stop" };
                let feedback = format!("{kind} hook feedback:\n{text}");
                self.model_reads(Channel::UserMessage, feedback, rule::FEEDBACK);
                if is_from_json {
                    self.model_reads(Channel::Reminder, self.blocking_error(&text), rule::FEEDBACK_TWICE);
                }
            }
            Block::Denies => {
                self.verdict.action = Action::Denied;
                if self.is(&PRE_TOOL_USE) {
                    let error = format!("{} hook error: {text}", self.name());
                    self.model_reads(Channel::ToolError, error, rule::REASON_TO_MODEL);
                } else if self.is(&TASK_CREATED) || self.is(&TASK_COMPLETED) {
                    let place = if self.is(&TASK_CREATED) { Channel::ToolError } else { Channel::ToolResult };
                    self.model_reads(place, format!("{event} hook feedback:\n{text}"), rule::REASON_TO_MODEL);
                } else if self.is(&PRE_MODEL_SWITCH) {
                    self.deny_switch(&text);
                } else if self.is_skill() {
                    self.deny_skill(&text, true);
                } else {
                    let notice = format!("{event} operation blocked by hook:\n{text}");
                    let (prompt, rule) = if is_without_prompt {
                        (String::new(), rule::WITHOUT_PROMPT)
                    } else {
                        (format!("\n\nOriginal prompt: {UNKNOWN}"), rule::PROMPT_DENIED)
                    };
                    self.user_sees(Channel::Reply, notice + &prompt, rule);
                }
            }
        }
    }

    /// Returns the text of a block, with the command line.
    pub(super) fn blocking_error(&self, text: &str) -> String {
        let (name, command) = (self.name(), &self.ran.command);
        format!("{name} hook blocking error from command: \"{command}\": {text}")
    }

    /// Adds the reason for the end of the turn, which stays in the conversation.
    pub(super) fn note_stays(&mut self, text: &str) {
        let note = format!("{} hook stopped continuation: {text}", self.name());
        self.model_reads(Channel::NextPrompt, note, rule::NOTE_STAYS);
    }

    fn deny_switch(&mut self, text: &str) {
        self.verdict.action = Action::Denied;
        let text = format!("Model switch blocked by a PreModelSwitch hook: {text}");
        self.user_sees(Channel::Reply, text, rule::SWITCH_DENIED);
    }

    /// Drops a block on an event where nothing can be blocked.
    fn unheeded_block(&mut self, text: &str, is_from_json: bool) {
        let rule = self.blocks_nothing();
        self.dropped(if is_from_json { "`decision`" } else { "exit code 2" }, rule);
        let is_shown = [&SESSION_START, &SETUP, &SUBAGENT_START, &POST_MODEL_SWITCH];
        if !is_from_json && is_shown.iter().any(|event| self.is(event)) {
            self.user_sees(Channel::Notice, text, rule::NOTICE);
        }
    }
}
