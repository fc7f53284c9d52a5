//! The effects of a valid answer, on events for which the client reads the whole answer.

use hookkit_protocol::event::{
    PERMISSION_REQUEST, POST_TOOL_BATCH, POST_TOOL_USE, PRE_MODEL_SWITCH, PRE_TOOL_USE, SESSION_START, STOP,
};
use hookkit_protocol::output::{Block, Context, PlainText, Stop, SystemMessage};

use super::node::Node;
use super::schema::Answer;
use super::skill;
use super::turn::Objection;
use super::{Action, Channel, Judge};
use crate::rule::{self, Rule};

/// The parts of an answer that matter in addition to its decision.
struct Outcome {
    /// `true` if the announced action does not happen.
    is_denied: bool,
    /// `true` if the client honors `continue: false`.
    stops: bool,
    /// `true` if no part of the answer takes effect except the denial.
    is_silenced: bool,
}

impl Judge<'_> {
    /// Judges a valid answer.
    pub(super) fn answered(&mut self, answer: &Answer) {
        self.drop_unknown_keys(answer);
        let status = self.ran.status();
        let is_failure = status != 0 && status != 2;
        let denies_itself = if self.is_skill() { answer.is_denial() } else { self.denies(answer) };
        if is_failure && self.is_strict() && !denies_itself {
            self.because(rule::ON_FAILURE_OVER_JSON);
            self.dropped("stdout", rule::ON_FAILURE_OVER_JSON);
            self.failed_by_status();
            if answer.stops() && self.event.stop != Stop::Ignored {
                self.stop(answer, true);
            }
            return;
        }
        match answer.specific {
            Some(named) if named.name != self.event.name && !self.is_read_in_skill(named) => {
                self.answered_for_other_event(answer, named.name);
            }
            _ => self.apply(answer),
        }
        if status != 0 {
            self.drop_stderr(if self.denies(answer) { rule::STDERR_WITH_REASON } else { rule::STDERR_WITH_JSON });
        }
    }

    /// Returns `true` if an answer on this event is itself a denial.
    fn denies(&self, answer: &Answer) -> bool {
        if self.is(&PERMISSION_REQUEST) {
            request(answer) == Some("deny")
        } else if self.is_skill() {
            skill::denies(answer)
        } else {
            answer.is_denial()
        }
    }

    fn answered_for_other_event(&mut self, answer: &Answer, named: &str) {
        let event = self.event.name;
        if answer.is_block() && !self.is(&PERMISSION_REQUEST) {
            let why = format!("it is for {named}; because of `decision: \"block\"`, the rest of the answer applies");
            self.dropped_as("`hookSpecificOutput`", why, rule::OTHER_EVENT_WITH_BLOCK);
            self.apply(answer);
            return;
        }
        let why =
            format!("its `hookEventName` is {named}, but the event is {event}: the client drops the whole answer");
        self.dropped_as("stdout", why, rule::OTHER_EVENT);
        if self.ran.status() == 2 && (self.is(&PRE_TOOL_USE) || self.is_skill()) {
            self.because(rule::EXIT_TWO_WITH_OTHER_EVENT);
            let command = &self.ran.command;
            let text = format!("[{command}]: blocked (exit 2); its output could not be processed");
            self.block(Objection::new(text));
            return;
        }
        let text = format!(
            "Failed to run: Hook returned incorrect event name: expected '{event}' but got '{named}'. Full stdout: {}",
            answer.kept().pretty()
        );
        self.failed(rule::OTHER_EVENT, &text);
    }

    /// Returns a member of this event's own object.
    fn own<'a>(&self, answer: &'a Answer, name: &str) -> Option<&'a Node> {
        let named = answer.specific?;
        (named.name == self.event.name).then(|| answer.member(name))?
    }

    fn own_text<'a>(&self, answer: &'a Answer, name: &str) -> Option<&'a str> {
        self.own(answer, name)?.text()
    }

    /// Applies an answer. If it has an object that belongs to another event, the object is dropped.
    fn apply(&mut self, answer: &Answer) {
        let objection = if self.is(&PERMISSION_REQUEST) {
            self.decide_request(answer);
            None
        } else if self.is_skill() {
            self.decide_skill(answer)
        } else {
            self.decide(answer)
        };
        let stops = answer.stops() && self.event.stop != Stop::Ignored;
        let outcome = Outcome {
            is_denied: objection.is_some() && self.event.block != Block::Ignored,
            stops,
            is_silenced: stops && self.is(&POST_TOOL_USE),
        };
        if let Some(objection) = objection {
            self.object(answer, objection, &outcome);
        }
        self.pass_context_on(answer, &outcome);
        if outcome.stops {
            self.stop(answer, outcome.is_denied);
        } else {
            self.drop_if("`continue`", answer.stops(), rule::STOP_UNREAD);
            self.drop_if("`stopReason`", answer.top("stopReason").is_some(), rule::REASON_ALONE);
        }
        self.pass_message_on(answer, &outcome);
        self.effects(answer, &outcome);
        self.loose_ends(answer, self.denies(answer));
        if self.verdict.because.is_empty() {
            self.because(if answer.is_empty() { rule::EMPTY_JSON } else { rule::JSON });
        }
    }

    fn allow(&mut self, rule: &'static Rule) {
        self.because(rule);
        self.verdict.action = Action::Allowed;
    }

    /// Decides the outcome of the action from an answer and the exit code, on all events except permission requests.
    /// Returns the block, if there is one.
    fn decide(&mut self, answer: &Answer) -> Option<Objection> {
        let permission = self.own_text(answer, "permissionDecision");
        let reason = answer.text("reason");
        let own_reason = self.own_text(answer, "permissionDecisionReason");
        let from_json = |reason: Option<&str>| Objection {
            is_from_json: true,
            ..Objection::new(reason.unwrap_or("Blocked by hook").to_owned())
        };
        let is_approval = answer.text("decision") == Some("approve");
        if is_approval && permission.is_some_and(|word| word != "allow") {
            self.dropped("`decision`", rule::PERMISSION_OVER_APPROVE);
        }
        if permission == Some("deny") {
            self.because_of_block(rule::DENY);
            return Some(from_json(own_reason.or(reason)));
        }
        // `permissionDecision` does not override this, contrary to the docs, unless it denies, too (client 2.1.330).
        if answer.is_block() {
            self.because_of_block(rule::BLOCK);
            if permission.is_some() {
                self.dropped("`permissionDecision`", rule::BLOCK_OVER_PERMISSION);
            }
            return Some(from_json(reason));
        }
        if self.ran.status() == 2 {
            self.because_of_block(rule::EXIT_TWO_WITH_JSON);
            self.drop_if("`permissionDecision`", permission.is_some(), rule::EXIT_TWO_WITH_JSON);
            return Some(Objection::new(self.objection()));
        }
        let (is_call, is_switch) = (self.is(&PRE_TOOL_USE), self.is(&PRE_MODEL_SWITCH));
        if is_approval && !(is_call || is_switch) {
            self.dropped("`decision`", rule::APPROVE_UNREAD);
        }
        match permission {
            Some("allow") if is_switch => self.allow(rule::ALLOW_SWITCH),
            Some("allow") => self.allow(rule::ALLOW),
            Some("ask") => self.ask(answer),
            Some("defer") => {
                self.because(rule::DEFER);
                self.verdict.action = Action::Deferred;
            }
            _ if is_approval && is_call => self.allow(rule::APPROVE),
            _ if is_approval && is_switch => self.allow(rule::ALLOW_SWITCH),
            _ => {}
        }
        None
    }

    /// Decides a permission request from the answer's own object. The exit code has no effect.
    fn decide_request(&mut self, answer: &Answer) {
        if answer.top("decision").is_some() {
            self.dropped("`decision` at the top level", rule::REQUEST_NEEDS_OBJECT);
        }
        self.drop_if("exit code 2", self.ran.status() == 2, rule::REQUEST_NEEDS_OBJECT);
        let decision = answer.member("decision");
        let member = |name: &str| decision.and_then(|decision| decision.get(name));
        match request(answer) {
            Some("allow") => {
                for (name, rule) in [("updatedInput", rule::INPUT), ("updatedPermissions", rule::PERMISSIONS)] {
                    if let Some(value) = member(name) {
                        self.effect(name, value, rule);
                    }
                }
                self.allow(rule::REQUEST_ALLOWED);
            }
            Some("deny") => {
                self.because(rule::REQUEST_DENIED);
                self.verdict.action = Action::Denied;
                let message = member("message").and_then(Node::text);
                if member("interrupt") == Some(&Node::Flag(true)) {
                    self.because(rule::REQUEST_INTERRUPTED);
                    self.verdict.ends_turn = true;
                    self.drop_if("`message`", message.is_some(), rule::REQUEST_INTERRUPTED);
                } else {
                    let message = message.unwrap_or("Permission denied by hook");
                    self.model_reads(Channel::ToolError, message, rule::REASON_TO_MODEL);
                }
            }
            _ => {}
        }
    }

    fn ask(&mut self, answer: &Answer) {
        self.because(rule::ASK);
        self.verdict.action = Action::Asked;
        let reason = self.own_text(answer, "permissionDecisionReason");
        if let Some(reason) = reason {
            self.user_sees(Channel::Question, reason, rule::REASON_ON_TERMINAL);
        }
        if self.is(&PRE_MODEL_SWITCH) {
            let reason = reason.unwrap_or("confirmation required, and this session cannot ask");
            let text = format!("Model switch blocked by a PreModelSwitch hook: {reason}");
            self.user_sees(Channel::Reply, text, rule::ASK);
        } else {
            let text = match reason {
                Some(reason) => reason.to_owned(),
                None => format!("Hook {} asked for confirmation for this tool", self.name()),
            };
            self.model_reads(Channel::ToolError, text, rule::ASK);
        }
    }

    /// Applies a block that comes from the answer or from the exit code.
    fn object(&mut self, answer: &Answer, mut objection: Objection, outcome: &Outcome) {
        if outcome.is_silenced {
            self.dropped("the block", rule::STOP_SILENCES);
        } else if self.is_skill() {
            self.deny_skill(&objection.text, !outcome.stops);
        } else if outcome.stops && self.event.stop == Stop::LetsEnd {
            self.object_in_vain(&objection);
        } else if outcome.stops && self.event.block == Block::EndsTurn && answer.text("stopReason").is_some() {
            self.dropped("the reason for the block", rule::STOP_REASON_FIRST);
        } else {
            let is_other_object = answer.specific.is_some_and(|named| named.name != self.event.name);
            objection.is_without_prompt =
                is_other_object || self.own(answer, "suppressOriginalPrompt") == Some(&Node::Flag(true));
            if self.is(&PRE_MODEL_SWITCH)
                && let Some(message) = answer.text("systemMessage")
            {
                objection.text += &format!("\n{message}");
            }
            self.block(objection);
        }
    }

    /// Drops a block, because the turn ends anyway. The text of the block stays in the conversation.
    fn object_in_vain(&mut self, Objection { text, is_from_json, .. }: &Objection) {
        self.dropped("the block", rule::STOP_LETS_END);
        if self.is(&STOP) {
            let feedback = format!("Stop hook feedback:\n{text}");
            self.model_reads(Channel::NextPrompt, feedback, rule::NOTE_STAYS);
            if *is_from_json {
                self.model_reads(Channel::NextPrompt, self.blocking_error(text), rule::NOTE_STAYS);
            }
        }
    }

    /// Applies `continue: false` on events for which the client honors it.
    fn stop(&mut self, answer: &Answer, is_denied: bool) {
        let reason = answer.text("stopReason");
        match self.event.stop {
            Stop::Ignored => {}
            Stop::EndsTurn => {
                self.because(rule::STOP_AFTER);
                self.verdict.ends_turn = true;
                let denial = self.verdict.model_reads.first().map(|message| message.text.clone());
                let text = match (reason, denial) {
                    (Some(reason), _) => reason.to_owned(),
                    (None, Some(denial)) if is_denied && self.is(&PRE_TOOL_USE) => denial,
                    // The note about the block is there already.
                    (None, Some(_)) if is_denied && self.is(&POST_TOOL_BATCH) => return,
                    _ if self.is(&PRE_TOOL_USE) => "Execution stopped by hook".to_owned(),
                    _ => format!("Execution stopped by {} hook", self.event.name),
                };
                self.note_stays(&text);
            }
            Stop::EndsBeforeModel => {
                if is_denied && !self.is_skill() {
                    self.dropped("`continue`", rule::BLOCK);
                    return;
                }
                let rule = if self.is_skill() {
                    self.verdict.action = Action::Denied;
                    rule::STOP_SKILL
                } else {
                    rule::STOP_WITHOUT_MODEL
                };
                self.because(rule);
                self.verdict.ends_turn = true;
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                let text = format!("Operation stopped by hook{reason}");
                self.user_sees(Channel::Reply, text.clone(), rule);
                self.model_reads(Channel::NextPrompt, text, rule::NOTE_STAYS);
            }
            Stop::LetsEnd => {
                self.because(rule::STOP_LETS_END);
                if self.is(&STOP) {
                    self.note_stays(reason.unwrap_or("Stop hook prevented continuation"));
                }
            }
        }
    }

    fn pass_context_on(&mut self, answer: &Answer, outcome: &Outcome) {
        let Some(context) = self.own_text(answer, "additionalContext") else {
            return;
        };
        let event = self.event.name;
        let before = format!("{} hook additional context: ", self.name_of_context());
        let what = "`additionalContext`";
        match self.event.context {
            Context::Dropped => self.dropped(what, rule::CONTEXT_UNREAD),
            Context::Model if outcome.is_silenced => self.dropped(what, rule::STOP_SILENCES),
            Context::Model if self.is_unsent(outcome) => self.dropped(what, rule::CONTEXT_OF_DENIED_PROMPT),
            Context::Model if self.verdict.action == Action::Deferred => self.dropped(what, rule::CONTEXT_OF_DEFERRED),
            Context::Model => {
                let place = if outcome.stops || (outcome.is_denied && self.event.block == Block::EndsTurn) {
                    Channel::NextPrompt
                } else {
                    Channel::Reminder
                };
                self.model_reads_within(place, &before, context, "", rule::CONTEXT);
            }
            Context::KeepsGoing if outcome.stops && self.is(&STOP) => {
                self.model_reads_within(Channel::NextPrompt, &before, context, "", rule::NOTE_STAYS);
            }
            Context::KeepsGoing if outcome.stops => self.dropped(what, rule::STOP_LETS_END),
            Context::KeepsGoing if outcome.is_denied => {
                self.model_reads_within(Channel::Reminder, &before, context, "", rule::CONTEXT);
            }
            Context::KeepsGoing => {
                self.because(rule::CONTEXT_KEEPS_GOING);
                self.verdict.action = Action::KeepsGoing;
                let before = format!("<system-reminder>\n{event} hook additional context: ");
                let after = "\n</system-reminder>";
                self.model_reads_within(Channel::UserMessage, &before, context, after, rule::CONTEXT_KEEPS_GOING);
            }
        }
    }

    /// Returns `true` if the event is a prompt that is not sent to the model.
    fn is_unsent(&self, outcome: &Outcome) -> bool {
        let is_prompt = self.event.plain_text == PlainText::Model && self.event.block == Block::Denies;
        is_prompt && (outcome.is_denied || outcome.stops)
    }

    fn pass_message_on(&mut self, answer: &Answer, outcome: &Outcome) {
        let Some(message) = answer.text("systemMessage") else {
            return;
        };
        let (message, is_whole) = Self::passed_on(message);
        let what = "`systemMessage`";
        let text = if self.is(&PRE_MODEL_SWITCH) { message } else { format!("{} says: {message}", self.name()) };
        match self.event.system_message {
            SystemMessage::User if outcome.is_silenced => self.dropped(what, rule::STOP_SILENCES),
            SystemMessage::User if self.is_unsent(outcome) => self.dropped(what, rule::MESSAGE_WITH_DENIED_PROMPT),
            // The message is part of the reply.
            SystemMessage::User if outcome.is_denied && self.is(&PRE_MODEL_SWITCH) => {}
            SystemMessage::User => self.user_sees(Channel::Notice, text, rule::MESSAGE_SHOWN),
            SystemMessage::Terminal => self.user_sees(Channel::Notice, text, rule::MESSAGE_ON_TERMINAL),
            SystemMessage::Model | SystemMessage::Dropped => self.dropped(what, rule::MESSAGE_UNREAD),
        }
        self.drop_if("the end of a long text", !is_whole, rule::TOO_LONG);
    }

    /// Adds the event's other effects: `updatedInput`, `sessionTitle`, `watchPaths` and so on.
    fn effects(&mut self, answer: &Answer, outcome: &Outcome) {
        for (name, rule) in [
            ("updatedInput", rule::INPUT),
            ("updatedToolOutput", rule::TOOL_OUTPUT),
            ("updatedMCPToolOutput", rule::MCP_OUTPUT),
            ("classifierContext", rule::CLASSIFIER),
            ("sessionTitle", rule::TITLE),
            ("initialUserMessage", rule::FIRST_MESSAGE),
            ("watchPaths", rule::WATCHED),
            ("reloadSkills", rule::SKILLS),
            ("retry", rule::RETRY),
            ("displayContent", rule::DISPLAY),
        ] {
            let Some(value) = self.own(answer, name) else {
                continue;
            };
            let target = self.ran.target.as_deref().unwrap_or_default();
            let is_same_session = self.is(&SESSION_START) && matches!(target, "clear" | "compact");
            let is_tool_built_in = !target.is_empty() && !target.starts_with("mcp__");
            let has_newer = self.own(answer, "updatedToolOutput").is_some();
            let why = match name {
                "updatedInput" if outcome.is_denied || self.verdict.action == Action::Deferred => {
                    Some(rule::INPUT_OF_DENIED)
                }
                "updatedMCPToolOutput" if is_tool_built_in => Some(rule::MCP_OUTPUT),
                "updatedMCPToolOutput" if has_newer => Some(rule::MCP_OUTPUT_WITH_OTHER),
                "sessionTitle" if is_same_session => Some(rule::TITLE_KEPT),
                // A new output replaces the old one before the turn ends.
                "classifierContext" if outcome.is_silenced => Some(rule::STOP_SILENCES),
                _ => None,
            };
            match why {
                Some(why) => self.dropped(format!("`{name}`"), why),
                None => self.effect(name, value, rule),
            }
        }
        if self.own(answer, "retry") == Some(&Node::Flag(true)) {
            let text = "The PermissionDenied hook indicated you may retry this tool call.";
            self.model_reads(Channel::UserMessage, text, rule::RETRY);
        }
    }

    /// Reports the remaining members that have no effect, and the terminal sequence.
    pub(super) fn loose_ends(&mut self, answer: &Answer, is_denial: bool) {
        if answer.top("suppressOutput").is_some() {
            self.dropped("`suppressOutput`", rule::SUPPRESS);
        }
        let is_permitted = matches!(self.verdict.action, Action::Allowed | Action::GoesOn | Action::Deferred);
        if self.own(answer, "permissionDecisionReason").is_some() && is_permitted {
            self.dropped("`permissionDecisionReason`", rule::REASON_UNREAD);
        }
        let has_reason = answer.text("reason").is_some();
        self.drop_if("`reason`", has_reason && !is_denial, rule::REASON_ALONE);
        self.terminal_sequence(answer);
    }
}

/// Returns the decision of an answer on a permission request.
fn request(answer: &Answer) -> Option<&str> {
    answer.member("decision")?.get("behavior")?.text()
}
