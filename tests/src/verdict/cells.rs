//! The table of the outcomes of a hook's output: a cell for each event, mode and part.

use std::collections::BTreeSet;
use std::fmt;

use hookkit::Mode;
use hookkit::protocol::event::{EVENTS, Event};
use hookkit::protocol::output::{MEMBERS, Member, MemberKind, Stop};
use hookkit::testing::{End, Known, Ran, Rule, Verdict};
use serde_json::{Map, Value, json};

use super::Row;

/// Every mode of a hook, in the order of the table's columns.
pub const MODES: [Mode; 3] = [Mode::Awaited, Mode::Async, Mode::AsyncRewake];

/// A part of a hook's output, or of its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text on stdout that is not JSON, with exit code 0.
    Text,
    /// Exit code 2, with a text on stderr.
    ExitTwo,
    /// A member of the answer.
    Member {
        /// The part's key.
        name: &'static str,
        /// The part's value, if there are only a few.
        word: Option<&'static str>,
        /// Set for a member of `hookSpecificOutput`.
        is_own: bool,
    },
}

/// The outcome of a part, on one event in one mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The readers of the part, and `Acts` if it changes something else. Empty if the part is dropped.
    pub does: BTreeSet<Does>,
    /// Set if a headless session can show it.
    pub is_seen: bool,
}

/// An effect of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// The client acts on it.
    Acts,
    /// The model reads it.
    TellsModel,
    /// The user sees it.
    TellsUser,
}

impl Part {
    /// Returns every part that a hook can print on an event.
    pub fn of(event: &Event) -> Vec<Self> {
        let mut parts = vec![Self::Text, Self::ExitTwo];
        let own = event.members.unwrap_or_default();
        let members = MEMBERS.iter().map(|member| (member, false));
        for (member, is_own) in members.chain(own.iter().map(|member| (member, true))) {
            parts.extend(Self::of_member(member, is_own));
        }
        parts
    }

    fn of_member(member: &Member, is_own: bool) -> Vec<Self> {
        let part = |word| Self::Member { name: member.name, word, is_own };
        match member.kind {
            MemberKind::Word(words) => words.iter().copied().map(Some).map(part).collect(),
            _ => vec![part(None)],
        }
    }

    /// Returns a run with this part, and only those other parts that it needs.
    pub fn run(&self, event: &Event) -> Ran {
        let Self::Member { name, word, is_own } = self else {
            return match self {
                Self::Text => Ran::exit(0).stdout("text"),
                _ => Ran::exit(2).stderr("text"),
            };
        };
        let mut answer = match *name {
            "stopReason" => json!({"continue": false}),
            "reason" | "suppressOriginalPrompt" => json!({"decision": "block"}),
            _ => json!({}),
        };
        let mut own = match *name {
            "permissionDecisionReason" => json!({"permissionDecision": "deny"}),
            "content" => json!({"action": "accept"}),
            _ => json!({}),
        };
        let value = match (*name, word) {
            (_, Some(word)) => (*word).into(),
            ("continue", _) => false.into(),
            ("terminalSequence", _) => "\u{7}".into(),
            _ => self.value(event),
        };
        if *is_own {
            own["hookEventName"] = event.name.into();
            own[name] = value;
            answer["hookSpecificOutput"] = own;
        } else {
            answer[name] = value;
        }
        Ran::exit(0).stdout(answer.to_string())
    }

    fn value(&self, event: &Event) -> Value {
        let Self::Member { name, is_own, .. } = self else {
            return Value::Null;
        };
        let own = event.members.unwrap_or_default();
        let mut members = if *is_own { own } else { MEMBERS }.iter();
        match members.find(|member| member.name == *name).map(|member| member.kind) {
            Some(MemberKind::Flag) => true.into(),
            Some(MemberKind::Texts) => json!(["text"]),
            Some(MemberKind::Map) => json!({"text": "text"}),
            Some(MemberKind::Decision) => json!({"behavior": "allow"}),
            _ => "text".into(),
        }
    }

    /// Returns the same run without this part, if the run has it.
    fn removed_from(&self, ran: &Ran) -> Option<Ran> {
        let answer = serde_json::from_slice::<Map<String, Value>>(&ran.stdout).ok();
        match self {
            Self::Text => {
                let is_text = ran.end == End::Exited(0) && answer.is_none() && !ran.stdout.trim_ascii().is_empty();
                is_text.then(|| ran.clone().stdout(""))
            }
            Self::ExitTwo => {
                let is_it = ran.end == End::Exited(2) && ran.stdout.is_empty() && !ran.stderr.is_empty();
                is_it.then(|| {
                    let mut other = ran.clone().stderr("");
                    other.end = End::Exited(0);
                    other
                })
            }
            Self::Member { name, word, is_own } => {
                let mut answer = answer.filter(|_| ran.end == End::Exited(0))?;
                let members = match is_own {
                    true => answer.get_mut("hookSpecificOutput")?.as_object_mut()?,
                    false => &mut answer,
                };
                let value = members.remove(*name)?;
                let is_meant = match (word, *name) {
                    (Some(word), _) => value == *word,
                    (None, "continue") => value == false,
                    (None, _) => true,
                };
                is_meant.then(|| ran.clone().stdout(Value::Object(answer).to_string()))
            }
        }
    }

    /// Returns the outcome of this part in a run, if the run has it: the difference to the verdict on the run without it.
    pub fn outcome(&self, event: &Event, ran: &Ran) -> Option<Outcome> {
        let without = Verdict::of(event, &self.removed_from(ran)?);
        let with = Verdict::of(event, ran);
        let mut does = BTreeSet::new();
        let mut rules: Vec<&Rule> = Vec::new();
        let because: Vec<&Rule> = new_in(&with.because, &without.because).copied().collect();
        // It ends a turn that ends by itself, too: other hooks cannot keep it going.
        let lets_end = matches!(self, Self::Member { name: "continue", .. }) && event.stop == Stop::LetsEnd;
        let is_decided = (&with.action, with.ends_turn) != (&without.action, without.ends_turn);
        if is_decided || lets_end && ran.mode == Mode::Awaited {
            does.insert(Does::Acts);
            rules.extend(because);
        }
        for effect in new_in(&with.effects, &without.effects) {
            does.insert(Does::Acts);
            rules.push(effect.rule);
        }
        for (reader, with, without) in [
            (Does::TellsModel, &with.model_reads, &without.model_reads),
            (Does::TellsUser, &with.user_sees, &without.user_sees),
        ] {
            for message in new_in(with, without) {
                does.insert(reader);
                rules.push(message.rule);
            }
        }
        let is_seen = rules.iter().all(|rule| rule.known_of(event.name) == Known::Seen);
        Some(Outcome { does, is_seen })
    }
}

/// Returns the elements of a list that another one does not have.
fn new_in<'w, T: PartialEq>(with: &'w [T], without: &'w [T]) -> impl Iterator<Item = &'w T> {
    with.iter().filter(|one| !without.contains(one))
}

/// A cell of the table.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The event.
    pub event: &'static Event,
    /// The mode of the hook.
    pub mode: Mode,
    /// The part of its output.
    pub part: Part,
    /// The outcome of that part.
    pub outcome: Outcome,
    /// The key of a row that was played and shows it. A cell without one is untested.
    pub row: Option<String>,
}

/// Returns the whole table, in the order of the events.
pub fn cells(rows: &[Row]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for event in EVENTS {
        for part in Part::of(event) {
            for mode in MODES {
                // The client waits for every hook on the others.
                if mode != Mode::Awaited && !event.may_be_async() {
                    continue;
                }
                let run = part.run(event).mode(mode);
                let Some(outcome) = part.outcome(event, &run) else {
                    continue;
                };
                let mut played = rows.iter().filter(|row| {
                    outcome.is_seen && row.unseen.is_none() && row.event == *event && row.ran.mode == mode
                });
                let row = played.find(|row| part.outcome(event, &row.ran).is_some_and(|shown| shown == outcome));
                cells.push(Cell { event, mode, part: part.clone(), outcome, row: row.map(Row::key) });
            }
        }
    }
    cells
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text on stdout"),
            Self::ExitTwo => f.write_str("exit code 2, text on stderr"),
            Self::Member { name, word: None, .. } if *name == "continue" => f.write_str("`continue: false`"),
            Self::Member { name, word: None, .. } => write!(f, "`{name}`"),
            Self::Member { name, word: Some(word), .. } => write!(f, "`{name}: \"{word}\"`"),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.does.is_empty() {
            return f.write_str("–");
        }
        let words = self.does.iter().map(|does| match does {
            Does::Acts => "acts",
            Does::TellsModel => "model",
            Does::TellsUser => "user",
        });
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}
