//! A difference between a client and our facts, as a line that names the fact and the file to change.

use std::collections::BTreeMap;
use std::fmt;

use super::{Declared, Fact, Part};

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The kind of the difference.
    pub kind: Kind,
    /// The fact.
    pub fact: String,
    /// The file of the fact in this repository.
    pub file: &'static str,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The client lacks something that hookkit relies on.
    Gone,
    /// The client does something in another way.
    Different,
    /// The client has something that hookkit does not know.
    New,
}

impl Finding {
    /// Makes one of a kind.
    pub fn new(kind: Kind, fact: impl fmt::Display, file: &'static str) -> Self {
        let fact = fact.to_string();
        Self { kind, fact, file }
    }

    /// Returns `true` if a fact of ours does not hold.
    pub fn is_false_claim(&self) -> bool {
        self.kind != Kind::New
    }

    /// Compares two sets of schemas: those that our facts were checked with, and those of another client.
    pub fn between(ours: &Declared, theirs: &Declared) -> Vec<Self> {
        let (known, declared) = (Fact::declared(ours), Fact::declared(theirs));
        let mut findings = Vec::new();
        for (kind, facts, others) in [
            (Kind::Gone, known.difference(&declared), theirs),
            (Kind::New, declared.difference(&known), ours),
        ] {
            // The line of an event covers its payloads and answers, and the line of a member its words.
            let is_of_both = |fact: &Fact| match fact.part {
                Part::Event => true,
                Part::Handler => others.handlers.contains_key(&fact.of),
                Part::Payload | Part::Answer => fact.of.is_empty() || others.events.contains(&fact.of),
            };
            let has_member = |fact: &Fact| {
                let member = || others.objects(fact.part).get(&fact.of)?.get(&fact.member);
                fact.word.is_empty() || member().is_some()
            };
            let facts = facts.filter(|fact| is_of_both(fact) && has_member(fact) && fact.is_decided_by(others));
            findings.extend(joined(facts).map(|(fact, file)| Self::new(kind, fact, file)));
            let types = |one: &Declared| one.handlers.keys().cloned().collect::<Vec<_>>();
            let (of, others) = if kind == Kind::Gone {
                (ours, theirs)
            } else {
                (theirs, ours)
            };
            for name in types(of).iter().filter(|name| !others.handlers.contains_key(*name)) {
                let fact = format!("the type `{name}` of handlers");
                findings.push(Self::new(kind, fact, "hookkit/protocol/src/settings.rs"));
            }
        }
        findings.sort();
        findings
    }
}

/// Makes one fact of those that differ in nothing but the event, each with its file.
fn joined<'f>(facts: impl Iterator<Item = &'f Fact>) -> impl Iterator<Item = (Fact, &'static str)> {
    let mut all: BTreeMap<(Part, &str, &str, bool), Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        // An event is a line of its own.
        let name = if fact.part == Part::Event {
            &fact.of
        } else {
            &fact.member
        };
        let key = (fact.part, &**name, &*fact.word, fact.of.is_empty());
        all.entry(key).or_default().push(fact);
    }
    all.into_values().map(|facts| {
        let of: Vec<&str> = facts.iter().map(|fact| &*fact.of).collect();
        let joined = Fact {
            of: of.join(", "),
            ..facts[0].clone()
        };
        (joined, facts[0].file())
    })
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Gone => "gone",
            Kind::Different => "different",
            Kind::New => "new",
        };
        write!(f, "{kind}: {} ({})", self.fact, self.file)
    }
}
