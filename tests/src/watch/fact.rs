//! The facts about hooks that a client declares and hookkit relies on, one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hookkit::protocol::event::{EVENTS, MatcherTarget, Values};
use hookkit::protocol::output::{MEMBERS, Member, MemberKind};
use hookkit::protocol::settings::HANDLER_TYPES;

use super::Declared;
use super::declared::Members;

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The area of the protocol.
    pub area: Area,
    /// The event or the type of a handler; empty for every event.
    pub of: String,
    /// The name of a member or a key; empty if the fact is about the event itself.
    pub member: String,
    /// A word among the values of the member; empty if the fact is about the member.
    pub word: String,
}

/// An area of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// The events that hooks can be registered for.
    Event,
    /// Payloads.
    Payload,
    /// Answers: the members at the top for all events, and those of `hookSpecificOutput` for one event.
    Answer,
    /// Handlers in the settings.
    Handler,
}

impl Fact {
    /// Makes a fact without a word.
    pub fn new(area: Area, of: &str, member: &str) -> Self {
        Self { area, of: of.to_owned(), member: member.to_owned(), word: String::new() }
    }

    fn with(mut self, word: &str) -> Self {
        word.clone_into(&mut self.word);
        self
    }

    /// Returns all facts that a client declares.
    pub fn declared(declared: &Declared) -> BTreeSet<Self> {
        let event = |name: &String| Self::new(Area::Event, name, "");
        let mut facts: BTreeSet<Self> = declared.events.iter().map(event).collect();
        for area in [Area::Payload, Area::Answer, Area::Handler] {
            for (of, members) in declared.objects(area) {
                for (member, words) in members {
                    let fact = Self::new(area, of, member);
                    facts.extend(words.iter().map(|word| fact.clone().with(word)));
                    facts.insert(fact);
                }
            }
        }
        facts
    }

    /// Returns the facts in `hookkit-protocol`. Of payloads it has the members that matchers are compared with.
    pub fn of_protocol() -> BTreeSet<Self> {
        let mut facts = BTreeSet::new();
        let mut add = |fact: Self, words: &[&str]| {
            facts.extend(words.iter().map(|word| fact.clone().with(word)));
            facts.insert(fact);
        };
        let words = |member: &Member| match member.kind {
            MemberKind::Word(words) => words,
            _ => &[],
        };
        for member in MEMBERS {
            add(Self::new(Area::Answer, "", member.name), words(member));
        }
        for event in EVENTS {
            add(Self::new(Area::Event, event.name, ""), &[]);
            for member in event.members.unwrap_or_default() {
                add(Self::new(Area::Answer, event.name, member.name), words(member));
            }
            if let MatcherTarget::Field { name, values } = event.matcher_target {
                let words = match values {
                    Values::Known(words) | Values::Only(words) => words,
                    Values::Any => &[],
                };
                add(Self::new(Area::Payload, event.name, name), words);
            }
        }
        for kind in HANDLER_TYPES {
            for key in kind.fields() {
                add(Self::new(Area::Handler, kind.name, key.name), &[]);
            }
        }
        facts
    }

    /// Returns the file of the fact in this repository.
    pub fn file(&self) -> &'static str {
        match self.area {
            Area::Payload if self.word.is_empty() => "hookkit/src/event",
            Area::Answer if self.of.is_empty() => "hookkit/protocol/src/output.rs",
            Area::Event | Area::Payload | Area::Answer => "hookkit/protocol/src/event/rows.rs",
            Area::Handler => "hookkit/protocol/src/settings.rs",
        }
    }

    /// Returns `true` if the schemas of a client show whether the fact holds. They only have the words of some members.
    pub fn is_decided_by(&self, client: &Declared) -> bool {
        let words = || client.objects(self.area).get(&self.of)?.get(&self.member);
        self.word.is_empty() || words().is_none_or(|words| !words.is_empty())
    }
}

impl Declared {
    /// Returns the objects of a area: the members of each event or type of handler.
    pub(super) fn objects(&self, area: Area) -> &BTreeMap<String, Members> {
        static NONE: BTreeMap<String, Members> = BTreeMap::new();
        match area {
            Area::Event => &NONE,
            Area::Payload => &self.payloads,
            Area::Answer => &self.answers,
            Area::Handler => &self.handlers,
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, member, word, .. } = self;
        if !word.is_empty() {
            write!(f, "the word `{word}` of ")?;
        }
        let of = if of.is_empty() { "every event" } else { of };
        match self.area {
            Area::Event => write!(f, "the event {of}"),
            Area::Payload => write!(f, "`{member}` in payloads of {of}"),
            Area::Answer => write!(f, "`{member}` in answers to {of}"),
            Area::Handler => write!(f, "`{member}` of handlers of the type `{of}`"),
        }
    }
}
