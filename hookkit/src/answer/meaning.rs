//! The meaning of an answer, and its encoding as the client's JSON.
//!
//! Answers share one struct and one encoder, which knows no event: the order of the members is the same everywhere.
//! The client's JSON is in the constants of [`Decision`] and [`Member`], and in `encode`: another dialect would be a second
//! text in each of them, and a second encoder.
//!
//! Three answers have encoders of their own, which are much smaller: `TerminalAnswer`, `WorktreeCreateAnswer` and
//! `RewakeAnswer`.

use std::fmt;
use std::path::PathBuf;

use hookkit_protocol::event::{self as facts, Denial};
use hookkit_protocol::output;

use super::text::{self, Text};
use crate::event::Event;
use crate::json::string;
use crate::{Error, Json, Response};

/// The meaning of an answer, on any event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    decision: Option<&'static Decision>,
    reason: Option<String>,
    /// Text for the model, or the plain text of an event that takes no JSON.
    pub(super) context: Option<Text>,
    /// The others, in the order of their places, each once.
    members: Vec<(&'static Member, Value)>,
}

/// A decision. Each is a constant, so that a hook has no others in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Decision {
    /// The member that has the client's word for it.
    word: &'static str,
    /// The key of the reason.
    reason: &'static str,
    /// Set if they are members of the event's own object.
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
        Self {
            word,
            reason,
            is_own: true,
        }
    }

    const fn top(word: &'static str, reason: &'static str) -> Self {
        Self {
            word,
            reason,
            is_own: false,
        }
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

/// A member of an answer. Each is a constant, so that a hook has no others in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    /// The place in the order in which members are written.
    place: Order,
    /// The beginning of the member, from the comma before it.
    key: &'static str,
}

/// Declares the members, in the order in which they are written.
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
    /// With a deny that also ends the turn. Alone it is [`Decision::STOP`].
    STOP_REASON = r#""continue":false,"stopReason""#,
    SYSTEM_MESSAGE = r#""systemMessage""#,
    TERMINAL_SEQUENCE = r#""terminalSequence""#,
    SUPPRESS_OUTPUT = r#""suppressOutput""#,
    /// The first one of `hookSpecificOutput`.
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
    /// Returns how many UTF-16 units of a text the client takes.
    fn limit(&self) -> usize {
        if self.place == Self::CLASSIFIER_CONTEXT.place {
            2_000
        } else {
            text::LIMIT
        }
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
    /// Text that the client cuts.
    Text(Text),
    /// Text that it takes whole.
    Whole(String),
    Json(Json),
    True,
    /// The reason why a value cannot be given to the client.
    Invalid(String),
}

impl Value {
    /// JSON, without the blanks around it.
    pub(super) fn json(text: &[u8]) -> Result<Self, Error> {
        Ok(Self::Json(Json::scanned(text).map_err(Error::msg)?))
    }

    /// Files to watch.
    pub(super) fn paths(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut list = b"[".to_vec();
        for path in paths {
            let text = path.to_str().filter(|_| path.is_absolute()).ok_or_else(|| {
                Error::msg(format_args!(
                    "{path:?} cannot be watched: the client wants absolute paths, in UTF-8"
                ))
            })?;
            if list.len() > 1 {
                list.push(b',');
            }
            string(&mut list, text);
        }
        list.push(b']');
        Self::json(&list)
    }

    /// The answer to a server's question.
    pub(super) fn object(json: &Json) -> Result<Self, Error> {
        if json.text().trim_ascii_start().starts_with('{') {
            Self::json(json.text().as_bytes())
        } else {
            Err(Error::msg("the answer to a server's question has to be an object"))
        }
    }
}

/// A value that cannot be given to the client makes the encoding fail.
impl From<Result<Self, Error>> for Value {
    fn from(value: Result<Self, Error>) -> Self {
        value.unwrap_or_else(|err| Self::Invalid(err.to_string()))
    }
}

impl Meaning {
    pub(super) fn decided(decision: &'static Decision, reason: Option<String>) -> Self {
        Self {
            decision: Some(decision),
            reason,
            ..Self::default()
        }
    }

    pub(super) fn is(&self, decision: &Decision) -> bool {
        self.decision == Some(decision)
    }

    pub(super) fn with(mut self, member: &'static Member, value: Value) -> Self {
        self.set(member, value);
        self
    }

    pub(super) fn set(&mut self, member: &'static Member, value: Value) {
        match self
            .members
            .binary_search_by_key(&member.place, |(known, _)| known.place)
        {
            Ok(at) => self.members[at].1 = value,
            Err(at) => self.members.insert(at, (member, value)),
        }
    }

    /// Takes a member out, and returns whether there was one.
    pub(super) fn take(&mut self, member: &Member) -> bool {
        let count = self.members.len();
        self.members.retain(|(known, _)| known.place != member.place);
        self.members.len() < count
    }

    /// Gives the context to the readers of the system message.
    pub(super) fn context_as_system_message(&mut self) {
        if let Some(text) = self.context.take() {
            self.set(&Member::SYSTEM_MESSAGE, Value::Text(text));
        }
    }

    /// Takes the decision and its reason out, to be written in another way.
    pub(super) fn take_decision(&mut self) -> Option<(&'static Decision, String)> {
        Some((self.decision.take()?, self.reason.take().unwrap_or_default()))
    }

    /// Returns the reason, if this denies what `E` announces.
    pub(super) fn denial<E: Event>(&self) -> Option<&str> {
        let decision = const { denying(E::FACTS) }?;
        self.is(decision)
            .then(|| self.reason.as_deref().unwrap_or(const { unread_reason(E::FACTS) }))
    }

    /// Encodes the answer to `E`.
    ///
    /// # Errors
    ///
    /// When a value cannot be given to the client.
    pub(super) fn response<E: Event>(self) -> Result<Response, Error> {
        if const { E::FACTS.takes_json() } {
            self.encode::<E>()
        } else {
            self.plain()
        }
    }

    /// Encodes the answer to `E` as JSON, whatever else the client reads there.
    ///
    /// # Errors
    ///
    /// When a value cannot be given to the client.
    pub(super) fn encode<E: Event>(self) -> Result<Response, Error> {
        self.encode_on(E::FACTS.name)
    }

    fn encode_on(self, event: &str) -> Result<Response, Error> {
        let (own, top) = match self.decision {
            Some(decision) if decision.is_own => (Some(decision), None),
            decision => (None, decision),
        };
        let mut members = self.members.as_slice();
        // Each member begins with a comma.
        let mut out = Vec::with_capacity(512);
        self.write_decision(&mut out, top);
        write_until(Order::CONTENT, &mut members, &mut out)?;
        if own.is_some() || self.context.is_some() || !members.is_empty() {
            // The client voids an answer whose `hookEventName` is missing or another event's, unless it also blocks at the
            // top.
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
        Ok(Response {
            stdout: out,
            ..Response::default()
        })
    }

    fn write_decision(&self, out: &mut Vec<u8>, decision: Option<&Decision>) {
        let Some(decision) = decision else { return };
        add(out, decision.word);
        if let Some(reason) = &self.reason {
            add(out, decision.reason);
            string(out, reason);
        }
    }

    /// Prints the text as it is, or the decision alone: the client would take any other JSON for a part of the text.
    fn plain(&self) -> Result<Response, Error> {
        let mut stdout = Vec::new();
        if self.decision.is_some() {
            self.write_decision(&mut stdout, self.decision);
            finish(&mut stdout);
        } else if let Some(text) = &self.context {
            let text = text.within(text::LIMIT)?;
            // The client takes it for an answer in JSON, or for a broken one.
            if text.trim_start().starts_with('{') {
                return Err(Error::msg(
                    "a text that begins with `{` cannot be given to the client as plain text: put a word in front",
                ));
            }
            add(&mut stdout, &text);
        }
        Ok(Response {
            stdout,
            ..Response::default()
        })
    }
}

/// Returns the decision that denies an event's action, if exit code 2 does so, too.
const fn denying(event: &facts::Event) -> Option<&'static Decision> {
    match event.denial {
        Denial::Deny => Some(&Decision::DENY),
        Denial::Block if matches!(event.block, output::Block::EndsTurn) => Some(&Decision::STOP),
        Denial::Block => Some(&Decision::BLOCK),
        Denial::Impossible | Denial::DenyRequest | Denial::Fail => None,
    }
}

/// Returns the reason of a block whose reason the client does not read.
const fn unread_reason(event: &facts::Event) -> &'static str {
    match event.name.as_bytes() {
        b"ConfigChange" => "denied by a hook",
        _ => "declined by a hook",
    }
}

/// Writes the members of the places before `end`, and takes them off the list.
fn write_until(end: Order, members: &mut &[(&Member, Value)], out: &mut Vec<u8>) -> Result<(), Error> {
    // Few answers have any.
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

/// Makes the first comma the brace, and adds the other one. Without members nothing is printed.
fn finish(out: &mut Vec<u8>) {
    if let Some(first) = out.first_mut() {
        *first = b'{';
        out.push(b'}');
    }
}

/// Adds a text. It is a call, since most of an answer is made of such texts.
#[inline(never)]
fn add(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
