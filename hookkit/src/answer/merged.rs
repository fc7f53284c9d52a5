//! Merges the answers of hooks that run one after the other into one answer.

use hookkit_protocol::event::PERMISSION_REQUEST;
use hookkit_protocol::terminal;
use serde::Deserialize;

use super::meaning::{Decision, Meaning, Member, Value};
use super::permission::decided;
use crate::permission::PermissionUpdate;
use crate::{Error, Json, Payload, Response};

/// The answers so far, on an event of a tool's call.
///
/// The strictest decision counts, with the reasons of all hooks that made it. The client merges the answers of several
/// hooks in the same way (2.1.330), with one exception: if one hook allows the call and another changes its input, the
/// client still allows it.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// The decision that counts, with its reasons.
    decision: Option<&'static Decision>,
    reasons: Vec<String>,
    stop_reasons: Vec<String>,
    system_messages: Vec<String>,
    contexts: Vec<String>,
    classifier_contexts: Vec<String>,
    terminal_sequence: String,
    /// `true` if every answer so far hides its row, `false` if one does not; `None` without answers.
    suppresses_output: Option<bool>,
    interrupts: bool,
    updated_input: Option<Json>,
    updated_output: Option<Json>,
    updated_permissions: Vec<PermissionUpdate>,
}

/// The decisions, the strictest first.
const DECISIONS: [(&str, &Decision); 5] = [
    ("block", &Decision::BLOCK),
    ("deny", &Decision::DENY),
    ("defer", &Decision::DEFER),
    ("ask", &Decision::ASK),
    ("allow", &Decision::ALLOW),
];

/// An answer, decoded from the output that a hook printed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Printed {
    pub(crate) decision: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) r#continue: Option<bool>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) system_message: Option<String>,
    terminal_sequence: Option<String>,
    suppress_output: bool,
    pub(crate) hook_specific_output: OfEvent,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OfEvent {
    pub(crate) permission_decision: Option<String>,
    pub(crate) permission_decision_reason: Option<String>,
    pub(crate) updated_input: Option<Json>,
    pub(crate) updated_tool_output: Option<Json>,
    pub(crate) additional_context: Option<String>,
    classifier_context: Option<String>,
    pub(crate) decision: Option<OfRequest>,
}

/// The decision on a permission request.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfRequest {
    pub(crate) behavior: String,
    pub(crate) message: Option<String>,
    #[serde(default)]
    interrupt: bool,
    pub(crate) updated_input: Option<Json>,
    #[serde(default)]
    updated_permissions: Vec<PermissionUpdate>,
}

impl Printed {
    /// Returns the decision in one word, for an answer with this exit code: the client's word (`deny`, `block`, `ask`,
    /// `allow`, `defer`), `stop`, `rewrite`, `context`, or `none`.
    #[cfg(any(feature = "audit", feature = "service", test))]
    pub(crate) fn word(&self, exit_code: u8) -> &str {
        let of_event = &self.hook_specific_output;
        let of_request = of_event.decision.as_ref();
        let decision = of_event.permission_decision.as_deref();
        let decision = decision.or(of_request.map(|request| &*request.behavior));
        let decision = decision.or(self.decision.as_deref());
        let rewrites = of_event.updated_input.is_some()
            || of_event.updated_tool_output.is_some()
            || of_request.is_some_and(|request| request.updated_input.is_some());
        match decision {
            Some(word @ ("deny" | "block")) => word,
            _ if self.r#continue == Some(false) => "stop",
            Some(word) => word,
            None if exit_code == crate::OnFailure::Block.exit_code() => "deny",
            None if rewrites => "rewrite",
            None if of_event.additional_context.is_some() => "context",
            None => "none",
        }
    }

    /// Decodes an answer; `None` if the hook printed nothing.
    ///
    /// # Errors
    ///
    /// Fails if the output is not a complete answer.
    pub(crate) fn read(stdout: &[u8]) -> Result<Option<Self>, Error> {
        let stdout = stdout.trim_ascii();
        if stdout.is_empty() {
            return Ok(None);
        }
        let printed = Json::parse(String::from_utf8_lossy(stdout)).and_then(|json| json.decode());
        printed.map(Some).map_err(|err| Error::msg(format_args!("its answer is cut off: {err}")))
    }
}

impl Merged {
    /// Adds the output of the next hook. Returns the payload member that the output replaces, and the new value.
    ///
    /// # Errors
    ///
    /// Fails if the output is not an answer.
    pub(crate) fn add(&mut self, stdout: &[u8]) -> Result<Option<(&'static str, Json)>, Error> {
        let Some(printed) = Printed::read(stdout)? else {
            return Ok(None);
        };
        let of_event = printed.hook_specific_output;
        let of_request = of_event.decision.unwrap_or(OfRequest {
            behavior: String::new(),
            message: None,
            interrupt: false,
            updated_input: None,
            updated_permissions: Vec::new(),
        });
        let updated_input = of_event.updated_input.or(of_request.updated_input);
        if updated_input.is_some() && self.decision == Some(&Decision::ALLOW) {
            // The decision was about the input before.
            self.decision = None;
            self.reasons.clear();
        }
        self.decide(printed.decision, printed.reason);
        self.decide(of_event.permission_decision, of_event.permission_decision_reason);
        self.decide(Some(of_request.behavior), of_request.message);
        if printed.r#continue == Some(false) {
            self.stop_reasons.push(printed.stop_reason.unwrap_or_default());
        }
        self.system_messages.extend(printed.system_message);
        self.contexts.extend(of_event.additional_context);
        self.classifier_contexts.extend(of_event.classifier_context);
        let sequence = printed.terminal_sequence.unwrap_or_default();
        if self.terminal_sequence.len() + sequence.len() <= terminal::LIMIT {
            self.terminal_sequence += &sequence;
        }
        self.suppresses_output = Some(self.suppresses_output.unwrap_or(true) && printed.suppress_output);
        self.interrupts |= of_request.interrupt;
        self.updated_permissions.extend(of_request.updated_permissions);
        Ok(if let Some(input) = updated_input {
            self.updated_input = Some(input.clone());
            Some(("tool_input", input))
        } else if let Some(output) = of_event.updated_tool_output {
            self.updated_output = Some(output.clone());
            Some(("tool_response", output))
        } else {
            None
        })
    }

    /// Adds messages for the user about failed hooks. Their failures have no other effect.
    pub(crate) fn add_failures(&mut self, messages: Vec<String>) {
        self.system_messages.extend(messages);
    }

    /// Adds a hook's decision, given as the client's word.
    fn decide(&mut self, word: Option<String>, reason: Option<String>) {
        let strictness = |decision| DECISIONS.iter().position(|(_, known)| Some(*known) == decision);
        let Some(decision) = word.and_then(|word| DECISIONS.iter().find(|(known, _)| *known == word)) else {
            return;
        };
        let (before, now) = (strictness(self.decision), strictness(Some(decision.1)));
        match before {
            Some(before) if Some(before) < now => return,
            Some(before) if Some(before) == now => {}
            _ => self.reasons.clear(),
        }
        self.decision = Some(decision.1);
        self.reasons.extend(reason.filter(|reason| !self.reasons.contains(reason)));
    }

    /// Returns `true` if no hook has printed an answer.
    pub(crate) fn is_empty(&self) -> bool {
        self.suppresses_output.is_none()
    }

    /// Encodes the answer to the payload of a call's event.
    ///
    /// # Errors
    ///
    /// Fails if the client would not accept a value.
    pub(crate) fn response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        self.response_on(&payload.event_name()?, payload)
    }

    /// Encodes the answer to the event of this name, as [`response`](Self::response) does.
    pub(crate) fn response_on(self, event: &str, payload: &Payload<'_>) -> Result<Response, Error> {
        let joined = |texts: Vec<String>, separator: &str| (!texts.is_empty()).then(|| texts.join(separator));
        let mut meaning = match self.decision {
            Some(decision) => Meaning::decided(decision, joined(self.reasons, "\n")),
            None => Meaning::default(),
        };
        let mut set = |member: &'static Member, value: Option<Value>| {
            if let Some(value) = value {
                meaning.set(member, value);
            }
        };
        let text = |text: String| Value::Text(text.into());
        set(&Member::STOP_REASON, joined(self.stop_reasons, "\n").map(Value::Whole));
        set(&Member::SYSTEM_MESSAGE, joined(self.system_messages, "\n").map(text));
        let sequence = Some(self.terminal_sequence).filter(|sequence| !sequence.is_empty());
        set(&Member::TERMINAL_SEQUENCE, sequence.map(Value::Whole));
        let suppresses = self.suppresses_output == Some(true);
        set(&Member::SUPPRESS_OUTPUT, suppresses.then_some(Value::True));
        set(&Member::CLASSIFIER_CONTEXT, joined(self.classifier_contexts, "\n").map(text));
        set(&Member::UPDATED_TOOL_OUTPUT, self.updated_output.map(Value::Json));
        let is_request = event == PERMISSION_REQUEST.name;
        let is_called_off = [&Decision::DENY, &Decision::DEFER, &Decision::BLOCK].map(Some).contains(&self.decision);
        if !is_request && !is_called_off {
            set(&Member::UPDATED_INPUT, self.updated_input.clone().map(Value::Json));
        }
        meaning.context = joined(self.contexts, "\n\n").map(Into::into);
        if is_request {
            if self.interrupts {
                meaning.set(&Member::INTERRUPT, Value::True);
            }
            let input = self.updated_input.as_ref().map(|input| input.text().as_bytes());
            meaning = decided(meaning, input, &self.updated_permissions)?;
        }
        meaning.encode_on(event, payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges the answers of hooks to an event; returns the answer, and the changes that later hooks read.
    fn merged(event: &str, answers: &[&str]) -> (String, Vec<String>) {
        let (mut merged, mut changes) = (Merged::default(), Vec::new());
        for answer in answers {
            let change = merged.add(answer.as_bytes()).unwrap();
            changes.extend(change.map(|(member, value)| format!("{member}: {}", value.text())));
        }
        let payload = format!(r#"{{"hook_event_name":"{event}"}}"#);
        let response = merged.response(&Payload::parse(payload.as_bytes()).unwrap()).unwrap();
        assert_eq!((response.exit_code, &*response.stderr), (0, ""));
        (String::from_utf8(response.stdout).unwrap(), changes)
    }

    /// Returns a PreToolUse answer with these members of `hookSpecificOutput`.
    fn pre(members: &str) -> String {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{members}}}}}"#)
    }

    fn of_call(answers: &[&str]) -> String {
        let answers: Vec<String> = answers.iter().map(|members| pre(members)).collect();
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        merged("PreToolUse", &answers).0
    }

    #[test]
    fn hooks_without_an_opinion_have_none_together() {
        assert_eq!(merged("PreToolUse", &[]).0, "");
        assert_eq!(merged("PreToolUse", &["", " \n"]).0, "");
    }

    #[test]
    fn the_strictest_decision_counts_with_all_its_reasons() {
        let decision = |word: &str, reason: &str| {
            format!(r#""permissionDecision":"{word}","permissionDecisionReason":"{reason}""#)
        };
        let [allow, ask, deny, other] =
            [decision("allow", "a"), decision("ask", "b"), decision("deny", "c"), decision("deny", "d")];
        let defer = r#""permissionDecision":"defer""#;
        for (answers, expected) in [
            (vec![&*allow, &*ask], pre(&ask)),
            (vec![&*ask, &*allow], pre(&ask)),
            (vec![&*ask, defer], pre(defer)),
            (vec![defer, &*deny, &*ask], pre(&deny)),
            (vec![&*deny, &*allow, &*other], pre(&decision("deny", "c\\nd"))),
        ] {
            assert_eq!(of_call(&answers), expected);
        }
    }

    #[test]
    fn the_last_change_counts_and_each_is_read_by_the_next_hook() {
        let [one, other] = [r#""updatedInput":{"command":"a"}"#, r#""updatedInput":{"command":"a b"}"#];
        let (answer, changes) = merged("PreToolUse", &[&pre(one), &pre(other)]);
        assert_eq!(answer, pre(other));
        let expected = [r#"tool_input: {"command":"a"}"#, r#"tool_input: {"command":"a b"}"#];
        assert_eq!(changes, expected);
        let output = |text: &str| {
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PostToolUse","updatedToolOutput":{text}}}}}"#)
        };
        let (answer, changes) = merged("PostToolUse", &[&output("1"), &output("[2]")]);
        assert_eq!(answer, output("[2]"));
        assert_eq!(changes, ["tool_response: 1", "tool_response: [2]"]);
    }

    #[test]
    fn an_allow_is_not_for_the_input_of_a_later_hook() {
        let allow = r#""permissionDecision":"allow""#;
        let input = r#""updatedInput":{"command":"rm"}"#;
        assert_eq!(of_call(&[allow, input]), pre(input));
        assert_eq!(of_call(&[input, allow]), pre(&format!("{allow},{input}")));
        let both = format!("{allow},{input}");
        assert_eq!(of_call(&[allow, &both]), pre(&both));
        // A denied call has no input.
        let deny = r#""permissionDecision":"deny""#;
        assert_eq!(of_call(&[input, deny]), pre(deny));
    }

    #[test]
    fn texts_are_joined() {
        let context = |text: &str| format!(r#""additionalContext":"{text}""#);
        assert_eq!(of_call(&[&context("a"), &context("b")]), pre(&context("a\\n\\nb")));
        let (answer, _) = merged(
            "PostToolUse",
            &[
                r#"{"decision":"block","reason":"a","systemMessage":"one","suppressOutput":true}"#,
                r#"{"continue":false,"stopReason":"b","systemMessage":"two","terminalSequence":"\u0007"}"#,
                r#"{"decision":"block","reason":"c","terminalSequence":"\u0007"}"#,
            ],
        );
        assert_eq!(
            answer,
            r#"{"decision":"block","reason":"a\nc","continue":false,"stopReason":"b","systemMessage":"one\ntwo","terminalSequence":"\u0007\u0007"}"#
        );
    }

    #[test]
    fn a_row_is_hidden_if_each_answer_hides_it() {
        let hidden = r#"{"systemMessage":"a","suppressOutput":true}"#;
        let (answer, _) = merged("PreToolUse", &[hidden, hidden, ""]);
        assert_eq!(answer, r#"{"systemMessage":"a\na","suppressOutput":true}"#);
    }

    #[test]
    fn a_permission_request_is_decided_by_its_own_object() {
        let request = |members: &str| {
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{{members}}}}}}}"#)
        };
        let mode = r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#;
        let [one, other] = [
            request(r#""behavior":"allow","updatedInput":{"command":"a"}"#),
            request(&format!(r#""behavior":"allow","updatedInput":{{"command":"a b"}},"updatedPermissions":[{mode}]"#)),
        ];
        let (answer, changes) = merged("PermissionRequest", &[&one, &other]);
        assert_eq!(answer, other);
        assert_eq!(changes.len(), 2);
        let deny = request(r#""behavior":"deny","message":"no","interrupt":true"#);
        assert_eq!(merged("PermissionRequest", &[&deny, &other]).0, deny);
        assert_eq!(merged("PermissionRequest", &[&one, ""]).0, one);
    }

    #[test]
    fn an_answer_that_is_cut_off_is_an_error() {
        let err = Merged::default().add(br#"{"decision":"blo"#).unwrap_err();
        assert!(err.to_string().starts_with("its answer is cut off: "), "{err}");
    }
}
