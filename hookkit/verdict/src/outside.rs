//! Verdicts on events for which the client reads only parts of an answer.

use hookkit_protocol::event::Background;
use hookkit_protocol::hook::Mode;
use hookkit_protocol::output::{Block, PlainText, SystemMessage};

use super::schema::Answer;
use super::stdout::{self, Stdout};
use super::turn::blocks_on_failure;
use super::{Action, Channel, Judge};
use crate::End;
use crate::rule::{self, Rule};

/// The parts of a run that the client keeps.
struct Kept {
    has_succeeded: bool,
    is_blocked: bool,
    /// `true` if the client cancelled the hook.
    is_cancelled: bool,
    /// The text of the block, stdout, or the output of the failure.
    output: String,
}

impl Kept {
    fn failed(output: impl Into<String>) -> Self {
        Self { has_succeeded: false, is_blocked: false, is_cancelled: false, output: output.into() }
    }

    fn text(&self) -> &str {
        stdout::trim(&self.output)
    }

    /// Returns a separator and the output, or an empty text if there is no output.
    fn text_behind(&self, separator: &str) -> String {
        match self.text() {
            "" => String::new(),
            text => format!("{separator}{text}"),
        }
    }
}

impl Judge<'_> {
    /// Judges a run on an event for which the client reads only parts of an answer.
    pub(super) fn outside(&mut self) {
        let (result, answer) = self.result();
        let result = self.with_on_failure(result);
        match self.event.name {
            "PreCompact" => self.before_compaction(&result),
            "PostCompact" => self.command_output(&result),
            "WorktreeCreate" => self.worktree(&result),
            "WorktreeRemove" if !result.has_succeeded => self.because(rule::REMOVAL),
            "Elicitation" | "ElicitationResult" if result.is_blocked => self.deny_silently(&result, rule::DECLINED),
            "Elicitation" | "ElicitationResult" => self.elicitation(&result, answer.as_ref()),
            "ConfigChange" if result.is_blocked => self.deny_silently(&result, rule::SETTINGS_KEPT),
            "SessionEnd" => self.end_of_session(&result),
            _ => self.unheeded(&result),
        }
        if result.is_blocked && self.event.block == Block::Ignored {
            self.dropped("the block", rule::BLOCKS_NOTHING);
        }
        if let Some(answer) = &answer {
            self.rest_of(answer, &result);
        } else if result.has_succeeded && self.is_text_unread() {
            self.drop_if("stdout", !result.text().is_empty(), rule::PLAIN_UNREAD);
        }
        if result.has_succeeded {
            self.drop_stderr(rule::STDERR_OF_SUCCESS);
        }
    }

    /// Returns the parts of the run that the client keeps, and the answer if stdout is a valid answer.
    fn result(&mut self) -> (Kept, Option<Answer>) {
        if self.ran.mode != Mode::Awaited && self.event.background == Background::Fails {
            self.because(rule::BACKGROUND);
            self.drop_streams(rule::BACKGROUND);
            self.is_stderr_used = true;
            let nothing = Kept { has_succeeded: true, ..Kept::failed("") };
            return (nothing, None);
        }
        match self.ran.end {
            End::TimedOut => {
                self.because(rule::TIMED_OUT);
                let result = Kept { is_cancelled: true, ..Kept::failed("Hook cancelled") };
                return (result, None);
            }
            End::NotStarted => {
                self.because(rule::NOT_STARTED);
                let text = self.why_not_started();
                return (Kept::failed(text), None);
            }
            End::Exited(_) | End::Killed => {}
        }
        let status = self.ran.status();
        let answer = match stdout::classify(&self.ran.out()) {
            Stdout::Invalid(invalid) => {
                self.dropped_as("stdout", invalid.fault, invalid.rule);
                if status != 2 {
                    self.because(invalid.rule);
                    let message = self.with_stderr(&invalid.message);
                    return (Kept::failed(message), None);
                }
                None
            }
            Stdout::Answer(answer) => Some(answer),
            Stdout::Empty | Stdout::Text(_) => None,
        };
        let block = answer.as_ref().filter(|answer| answer.is_block());
        let output = match block {
            Some(answer) => answer.text("reason").map_or_else(|| self.ran.err(), str::to_owned),
            None if status == 0 => self.ran.out(),
            None => self.ran.err(),
        };
        if block.is_none() && status != 0 {
            self.is_stderr_used = true;
            if answer.is_none() && !self.ran.stdout.trim_ascii().is_empty() && self.verdict.dropped.is_empty() {
                self.drop_stdout();
            }
        } else if block.is_some() && status != 0 {
            self.drop_stderr(rule::STDERR_WITH_REASON);
        }
        match (block.is_some(), status) {
            (true, _) => self.because_of_block(rule::BLOCK),
            (false, 2) => self.because_of_block(rule::EXIT_TWO),
            (false, 0) if answer.is_some() => self.because(rule::JSON),
            (false, 0) => self.because(rule::NO_OPINION),
            _ if self.ran.end == End::Killed => self.because(rule::KILLED),
            _ => self.because(rule::FAILED),
        }
        let result = Kept {
            has_succeeded: status == 0,
            is_blocked: status == 2 || block.is_some(),
            is_cancelled: false,
            output,
        };
        (result, answer)
    }

    /// Turns a failure into a block, if `onFailure` requires it.
    fn with_on_failure(&mut self, result: Kept) -> Kept {
        if !blocks_on_failure(self.ran) || result.has_succeeded || result.is_blocked {
            return result;
        }
        self.because(rule::ON_FAILURE);
        let (kind, text) =
            if result.is_cancelled { ("timed out", String::new()) } else { ("failed", result.text_behind("\n")) };
        Kept { is_blocked: true, output: format!("{kind}; blocking because onFailure is \"block\"{text}"), ..result }
    }

    fn before_compaction(&mut self, result: &Kept) {
        if result.is_blocked {
            self.verdict.action = Action::Denied;
            let text = result.text_behind(": ");
            let text = format!("Compaction blocked by PreCompact hook: [{}]{text}", self.ran.command);
            self.user_sees(Channel::Reply, text.clone(), rule::COMPACTION_DENIED);
            self.model_reads(Channel::CommandOutput, text, rule::COMPACTION_DENIED);
            return;
        }
        if result.has_succeeded && !result.text().is_empty() {
            let limit = hookkit_protocol::output::TEXT_LIMIT;
            if result.text().encode_utf16().count() > limit {
                self.dropped("the end of a long text", rule::TOO_LONG_INSTRUCTIONS);
            } else {
                self.model_reads(Channel::Instructions, result.text(), rule::INSTRUCTIONS);
            }
        }
        self.command_output(result);
    }

    /// Adds a line about the run to the command's output.
    fn command_output(&mut self, result: &Kept) {
        if !result.is_cancelled {
            let outcome = if result.has_succeeded { "completed successfully" } else { "failed" };
            let (event, command) = (self.event.name, &self.ran.command);
            let report = format!("{event} [{command}] {outcome}{}", result.text_behind(": "));
            let rule =
                if result.has_succeeded && result.text().is_empty() { rule::COMPLETED } else { rule::COMMAND_OUTPUT };
            self.model_reads(Channel::CommandOutput, report, rule);
        }
    }

    fn worktree(&mut self, result: &Kept) {
        let path = result.text().lines().map(str::trim).rfind(|line| !line.is_empty());
        let failure = match path {
            Some(path) if result.has_succeeded => {
                let is_reason = self.verdict.because.contains(&rule::BLOCK);
                self.because(if is_reason { rule::REASON_AS_PATH } else { rule::PATH });
                self.verdict.action = Action::CreatedAt(path.to_owned());
                return;
            }
            Some(_) => format!("{}: {}", self.ran.command, result.text()),
            None if !result.has_succeeded => format!("{}: no output", self.ran.command),
            None => "hook succeeded but returned no worktree path (command: echo the path to stdout; http/callback: \
                     return hookSpecificOutput.worktreePath)"
                .to_owned(),
        };
        self.because(rule::NO_PATH);
        self.verdict.action = Action::Denied;
        let text = format!("WorktreeCreate hook failed: {failure}");
        self.model_reads(Channel::ToolError, text, rule::NO_PATH);
    }

    fn elicitation(&mut self, result: &Kept, answer: Option<&Answer>) {
        let Some(answer) = answer else { return };
        let Some(named) = answer.specific else { return };
        let Some(action) = answer.specific_text("action") else {
            return;
        };
        // Elsewhere JSON is read whatever the exit code; here the client looks for it in stderr (client 2.1.330).
        if !result.has_succeeded {
            self.dropped("`action`", rule::ANSWER_NEEDS_SUCCESS);
        } else if named.name != self.event.name {
            self.dropped("`action`", rule::ANSWER_OF_OTHER_EVENT);
        } else {
            self.because(rule::ANSWERED);
            self.verdict.action = Action::Answered(action.to_owned());
            if let Some(content) = answer.member("content") {
                self.effect("content", content, rule::ANSWERED);
            }
        }
    }

    /// Denies with a block whose text is not used.
    fn deny_silently(&mut self, result: &Kept, rule: &'static Rule) {
        self.verdict.action = Action::Denied;
        self.because(rule);
        self.drop_if("the text of the block", !result.text().is_empty(), rule);
    }

    /// Reports a failure on an event that cannot be denied.
    fn unheeded(&mut self, result: &Kept) {
        let is_shown = self.event.system_message == SystemMessage::Terminal;
        if is_shown && !result.has_succeeded {
            let line = result.text().lines().next().unwrap_or_default();
            self.user_sees(Channel::Notice, line, rule::NOTICE);
        }
    }

    fn end_of_session(&mut self, result: &Kept) {
        if !result.has_succeeded && !result.output.is_empty() {
            let text = format!("SessionEnd hook [{}] failed: {}", self.ran.command, result.output);
            self.user_sees(Channel::Stderr, text, rule::SESSION_END);
        }
    }

    fn is_text_unread(&self) -> bool {
        self.event.plain_text == PlainText::Unread
    }

    /// Judges the rest of a valid answer.
    fn rest_of(&mut self, answer: &Answer, result: &Kept) {
        let is_output_raw = !self.is_text_unread() && result.has_succeeded;
        if is_output_raw && !result.is_blocked {
            // The whole answer was used as it is.
            self.terminal_sequence(answer);
            return;
        }
        self.drop_unknown_keys(answer);
        self.drop_if("`continue`", answer.top("continue").is_some(), rule::STOP_UNREAD);
        if answer.specific_text("additionalContext").is_some() {
            self.dropped("`additionalContext`", rule::CONTEXT_UNREAD);
        }
        if let Some(paths) = answer.member("watchPaths").filter(|_| self.event.members.is_some()) {
            self.effect("watchPaths", paths, rule::WATCHED);
        }
        if let Some(message) = answer.text("systemMessage") {
            match self.event.system_message {
                SystemMessage::Terminal => self.user_sees(Channel::Notice, message, rule::MESSAGE_ON_TERMINAL),
                SystemMessage::Model => self.model_reads(Channel::Reminder, message, rule::MESSAGE_TO_MODEL),
                SystemMessage::User | SystemMessage::Dropped => {
                    self.dropped("`systemMessage`", rule::MESSAGE_UNREAD);
                }
            }
        }
        if answer.text("decision") == Some("approve") {
            self.dropped("`decision`", rule::APPROVE_UNREAD);
        }
        self.loose_ends(answer, answer.is_block());
    }
}

#[cfg(test)]
mod tests {
    use hookkit_protocol::event::WORKTREE_REMOVE;

    use crate::{Ran, Verdict, rule};

    /// In headless sessions, the client removes no worktree, so there is no recorded row.
    #[test]
    fn a_block_of_worktree_remove_is_dropped() {
        let by_exit_code = Verdict::of(&WORKTREE_REMOVE, &Ran::exit(2).stderr("no"));
        let answer = Ran::exit(0).stdout(r#"{"decision":"block","reason":"no"}"#);
        let by_answer = Verdict::of(&WORKTREE_REMOVE, &answer);
        for verdict in [&by_exit_code, &by_answer] {
            let mut dropped = verdict.dropped.iter().map(|dropped| (&*dropped.what, dropped.rule));
            assert!(dropped.any(|it| it == ("the block", rule::BLOCKS_NOTHING)), "{verdict:?}");
        }
        assert!(by_exit_code.rules().any(|rule| rule == rule::REMOVAL));
        assert!(by_answer.rules().all(|rule| rule != rule::REMOVAL));
        let passed = Verdict::of(&WORKTREE_REMOVE, &Ran::exit(0));
        assert_eq!(passed.dropped, []);
    }
}
