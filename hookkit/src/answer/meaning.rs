//! The meaning of an answer, and its encoding as the client's JSON.
//!
//! Answers share one struct and one encoder, which does not depend on the event: the order of the members is the same
//! everywhere. The client's JSON is in the constants of [`Decision`] and [`Member`], and in `encode`.
//!
//! Three answers have their own, much smaller encoders: `TerminalAnswer`, `WorktreeCreateAnswer` and `RewakeAnswer`.

use std::fmt;
use std::path::PathBuf;

use hookkit_protocol::event::{self as facts, Denial};
use hookkit_protocol::output;

use super::text::{self, Text};
use crate::event::Event;
use crate::json::string;
use crate::{Error, Json, Payload, Response};

/// The meaning of an answer, on any event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    decision: Option<&'static Decision>,
    reason: Option<String>,
    /// Text for the model, or the plain text of an event without JSON.
    pub(super) context: Option<Text>,
    /// Other members, in the order of their positions, each once.
    members: Vec<(&'static Member, Value)>,
}

/// A decision of an answer. Each one is a constant, so that a hook links only those that it uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Decision {
    /// Member with the client's word for the decision.
    word: &'static str,
    /// Key of the reason.
    reason: &'static str,
    /// `true` if the decision and its reason are members of `hookSpecificOutput`.
    is_own: bool,
}

impl Decision {
    pub(super) const ALLOW: Self = Self::permission(r#","permissionDecision":"allow""#);
    pub(super) const DENY: Self = Self::permission(r#","permissionDecision":"deny""#);
    pub(super) const ASK: Self = Self::permission(r#","permissionDecision":"ask""#);
    pub(super) const DEFER: Self = Self::permission(r#","permissionDecision":"defer""#);
    pub(super) const ACCEPT: Self = Self::own(r#","action":"accept""#, "");
    pub(super) const DECLINE: Self = Self::own(r#","action":"decline""#, "");
    pub(super) const CANCEL: Self = Self::own(r#","action":"cancel""#, "");
    pub(super) const BLOCK: Self = Self::top(r#","decision":"block""#, r#","reason":"#);
    pub(super) const STOP: Self = Self::top("", Member::STOP_REASON.key);

    const fn permission(word: &'static str) -> Self {
        Self::own(word, r#","permissionDecisionReason":"#)
    }

    const fn own(word: &'static str, reason: &'static str) -> Self {
        Self { word, reason, is_own: true }
    }

    const fn top(word: &'static str, reason: &'static str) -> Self {
        Self { word, reason, is_own: false }
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.word {
            "" => "stop",
            word => word.trim_start_matches(','),
        })
    }
}

/// A member of an answer. Each one is a constant, so that a hook links only those that it uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    /// Position of the member in the written answer.
    place: Order,
    /// Beginning of the member, including the comma before it.
    key: &'static str,
}

/// Declares the members, in the order of the written answer.
macro_rules! members {
    ($($(#[$doc:meta])* $member:ident = $key:literal,)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the constants")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Order {
            $($member,)*
            END,
        }

        impl Member {
            $(
                $(#[$doc])*
                pub(super) const $member: Self = Self {
                    place: Order::$member,
                    key: concat!(",", $key, ":"),
                };
            )*
        }
    };
}

members! {
    /// The reason for the end of the turn, next to a deny. Without a deny, use [`Decision::STOP`].
    STOP_REASON = r#""continue":false,"stopReason""#,
    SYSTEM_MESSAGE = r#""systemMessage""#,
    TERMINAL_SEQUENCE = r#""terminalSequence""#,
    SUPPRESS_OUTPUT = r#""suppressOutput""#,
    /// The first member of `hookSpecificOutput`.
    CONTENT = r#""content""#,
    /// The object that decides a permission request.
    DECISION = r#""decision""#,
    INTERRUPT = r#""interrupt""#,
    UPDATED_INPUT = r#""updatedInput""#,
    CONTEXT = r#""additionalContext""#,
    CLASSIFIER_CONTEXT = r#""classifierContext""#,
    INITIAL_USER_MESSAGE = r#""initialUserMessage""#,
    SESSION_TITLE = r#""sessionTitle""#,
    WATCH_PATHS = r#""watchPaths""#,
    RELOAD_SKILLS = r#""reloadSkills""#,
    SUPPRESS_ORIGINAL_PROMPT = r#""suppressOriginalPrompt""#,
    DISPLAY_CONTENT = r#""displayContent""#,
    RETRY = r#""retry""#,
    UPDATED_TOOL_OUTPUT = r#""updatedToolOutput""#,
}

impl Member {
    /// Returns the number of UTF-16 units that the client accepts.
    fn limit(&self) -> usize {
        if self.place == Self::CLASSIFIER_CONTEXT.place { 2_000 } else { text::LIMIT }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key.trim_matches([',', ':']))
    }
}

/// The value of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Text that the client would cut if it is too long.
    Text(Text),
    /// Text of any length.
    Whole(String),
    Json(Json),
    True,
    /// Error message: the client would not accept the value.
    Invalid(String),
}

impl Value {
    /// Parses JSON, without the white space around it.
    pub(super) fn json(text: &[u8]) -> Result<Self, Error> {
        Ok(Self::Json(Json::scanned(text).map_err(Error::msg)?))
    }

    /// Encodes the paths of watched files.
    pub(super) fn paths(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut list = b"[".to_vec();
        for path in paths {
            let text = path.to_str().filter(|_| path.is_absolute()).ok_or_else(|| {
                Error::msg(format_args!("cannot watch {path:?}: the client requires absolute paths in UTF-8"))
            })?;
            if list.len() > 1 {
                list.push(b',');
            }
            string(&mut list, text);
        }
        list.push(b']');
        Self::json(&list)
    }

    /// Encodes the answer to a server's question.
    pub(super) fn object(json: &Json) -> Result<Self, Error> {
        if json.text().trim_ascii_start().starts_with('{') {
            Self::json(json.text().as_bytes())
        } else {
            Err(Error::msg("the answer to a server's question must be a JSON object"))
        }
    }
}

/// An invalid value makes the encoding fail.
impl From<Result<Self, Error>> for Value {
    fn from(value: Result<Self, Error>) -> Self {
        value.unwrap_or_else(|err| Self::Invalid(err.to_string()))
    }
}

impl Meaning {
    pub(super) fn decided(decision: &'static Decision, reason: Option<String>) -> Self {
        Self { decision: Some(decision), reason, ..Self::default() }
    }

    pub(super) fn is(&self, decision: &Decision) -> bool {
        self.decision == Some(decision)
    }

    pub(super) fn with(mut self, member: &'static Member, value: Value) -> Self {
        self.set(member, value);
        self
    }

    pub(super) fn set(&mut self, member: &'static Member, value: Value) {
        match self.members.binary_search_by_key(&member.place, |(known, _)| known.place) {
            Ok(at) => self.members[at].1 = value,
            Err(at) => self.members.insert(at, (member, value)),
        }
    }

    /// Removes a member and returns `true` if it existed.
    pub(super) fn take(&mut self, member: &Member) -> bool {
        let count = self.members.len();
        self.members.retain(|(known, _)| known.place != member.place);
        self.members.len() < count
    }

    /// Moves the context to the system message.
    pub(super) fn context_as_system_message(&mut self) {
        if let Some(text) = self.context.take() {
            self.set(&Member::SYSTEM_MESSAGE, Value::Text(text));
        }
    }

    /// Removes the decision and its reason and returns them.
    pub(super) fn take_decision(&mut self) -> Option<(&'static Decision, String)> {
        Some((self.decision.take()?, self.reason.take().unwrap_or_default()))
    }

    /// Returns the reason if the answer denies or blocks the action of `E`.
    pub(super) fn denial<E: Event>(&self) -> Option<&str> {
        let decision = const { denying(E::FACTS) }?;
        self.is(decision).then(|| self.reason.as_deref().unwrap_or(const { unread_reason(E::FACTS) }))
    }

    /// Encodes the answer to a payload of `E`.
    ///
    /// # Errors
    ///
    /// Fails if the client would not accept a value.
    pub(super) fn response<E: Event>(self, payload: &Payload<'_>) -> Result<Response, Error> {
        if const { E::FACTS.takes_json() } { self.encode::<E>(payload) } else { self.plain() }
    }

    /// Encodes the answer to `E` as JSON, even if the client reads plain text on this event.
    ///
    /// # Errors
    ///
    /// Fails if the client would not accept a value.
    pub(super) fn encode<E: Event>(self, payload: &Payload<'_>) -> Result<Response, Error> {
        self.encode_on(E::FACTS.name, payload)
    }

    /// Encodes the answer to the event of this name, as [`encode`](Self::encode) does.
    pub(super) fn encode_on(self, event: &str, payload: &Payload<'_>) -> Result<Response, Error> {
        let (own, top) = match self.decision {
            Some(decision) if decision.is_own => (Some(decision), None),
            decision => (None, decision),
        };
        let mut members = self.members.as_slice();
        // Each member begins with a comma.
        let mut out = Vec::with_capacity(512);
        self.write_decision(&mut out, top);
        write_until(Order::CONTENT, &mut members, &mut out)?;
        if let Some(text) = &self.context
            && is_read_at_top(event, payload)
        {
            write_text(&Member::CONTEXT, text, &mut out)?;
        }
        if own.is_some() || self.context.is_some() || !members.is_empty() {
            // The client discards an answer whose `hookEventName` is missing or wrong, unless it has a top-level `decision`.
            add(&mut out, r#","hookSpecificOutput":{"hookEventName":""#);
            add(&mut out, event);
            out.push(b'"');
            self.write_decision(&mut out, own);
            write_until(Order::CONTEXT, &mut members, &mut out)?;
            if let Some(text) = &self.context {
                write_text(&Member::CONTEXT, text, &mut out)?;
            }
            write_until(Order::END, &mut members, &mut out)?;
            out.push(b'}');
        }
        finish(&mut out);
        Ok(Response { stdout: out, ..Response::default() })
    }

    fn write_decision(&self, out: &mut Vec<u8>, decision: Option<&Decision>) {
        let Some(decision) = decision else { return };
        add(out, decision.word);
        if let Some(reason) = &self.reason {
            add(out, decision.reason);
            string(out, reason);
        }
    }

    /// Encodes the text, or the decision alone: the client would treat any other JSON as part of the text.
    fn plain(&self) -> Result<Response, Error> {
        let mut stdout = Vec::new();
        if self.decision.is_some() {
            self.write_decision(&mut stdout, self.decision);
            finish(&mut stdout);
        } else if let Some(text) = &self.context {
            let text = text.within(text::LIMIT)?;
            // The client would read the text as JSON.
            if text.trim_start().starts_with('{') {
                return Err(Error::msg(
                    "plain text must not begin with `{`, which the client would read as JSON: put a word before it",
                ));
            }
            add(&mut stdout, &text);
        }
        Ok(Response { stdout, ..Response::default() })
    }
}

/// Returns `true` if the client reads the context at the top level, as Copilot CLI (1.0.102) does on every event but
/// PreToolUse.
///
/// The context is also in the event's object, because `COPILOT_CLI` may come from a Copilot CLI that started Claude
/// Code. Claude Code's payloads begin with the session, so the variables are not looked up for them: a lookup would
/// take a fifth of a hook's time.
fn is_read_at_top(event: &str, payload: &Payload<'_>) -> bool {
    event != facts::PRE_TOOL_USE.name
        && !payload.document().starts_with(br#"{"session_id":"#)
        && payload.variable("COPILOT_CLI").is_some()
}

/// Returns the decision that denies or blocks an event's action, if exit code 2 has the same effect.
const fn denying(event: &facts::Event) -> Option<&'static Decision> {
    match event.denial {
        Denial::Deny => Some(&Decision::DENY),
        Denial::Block if matches!(event.block, output::Block::EndsTurn) => Some(&Decision::STOP),
        Denial::Block => Some(&Decision::BLOCK),
        Denial::Impossible | Denial::DenyRequest | Denial::Fail => None,
    }
}

/// Returns the reason to write for a block without a reason; the client discards it.
const fn unread_reason(event: &facts::Event) -> &'static str {
    match event.name.as_bytes() {
        b"ConfigChange" => "blocked by a hook",
        _ => "declined by a hook",
    }
}

/// Writes the members before the position `end` and removes them from the list.
fn write_until(end: Order, members: &mut &[(&Member, Value)], out: &mut Vec<u8>) -> Result<(), Error> {
    // Most answers have no members.
    if members.is_empty() {
        return Ok(());
    }
    write_some(end, members, out)
}

#[inline(never)]
fn write_some(end: Order, members: &mut &[(&Member, Value)], out: &mut Vec<u8>) -> Result<(), Error> {
    while let Some(((member, value), rest)) = members.split_first()
        && member.place < end
    {
        *members = rest;
        let text = match value {
            Value::Text(text) => {
                write_text(member, text, out)?;
                continue;
            }
            Value::Whole(text) => {
                add(out, member.key);
                string(out, text);
                continue;
            }
            Value::Json(json) => json.text(),
            Value::True => "true",
            Value::Invalid(why) => return Err(Error::msg(why)),
        };
        add(out, member.key);
        add(out, text);
    }
    Ok(())
}

fn write_text(member: &Member, text: &Text, out: &mut Vec<u8>) -> Result<(), Error> {
    add(out, member.key);
    string(out, &text.within(member.limit())?);
    Ok(())
}

/// Finishes the JSON object: replaces the first comma with the opening brace and adds the closing one. Without members,
/// the output stays empty.
fn finish(out: &mut Vec<u8>) {
    if let Some(first) = out.first_mut() {
        *first = b'{';
        out.push(b'}');
    }
}

/// Appends a text to the output. Not inlined, because most of an answer consists of such texts.
#[inline(never)]
fn add(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
