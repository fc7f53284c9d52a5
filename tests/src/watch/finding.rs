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
    /// The client says or does more or less than before around something that is as we say.
    Aside,
}

impl Finding {
    /// Makes one of a kind.
    pub fn new(kind: Kind, fact: impl fmt::Display, file: &'static str) -> Self {
        let fact = fact.to_string();
        Self { kind, fact, file }
    }

    /// Returns `true` if a fact of ours does not hold.
    pub fn is_false_claim(&self) -> bool {
        matches!(self.kind, Kind::Gone | Kind::Different)
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
            Kind::Aside => "aside",
        };
        write!(f, "{kind}: {} ({})", self.fact, self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = r#"events=["PreToolUse","Stop","Setup"];
        a=u({hook_event_name:P("Stop"),stop_hook_active:b(),mode:E(["on","off"])});b=u({hook_event_name:P("Setup"),trigger:r()});
        c=u({hookEventName:P("Stop"),additionalContext:r()});d=u({hookEventName:P("Setup"),additionalContext:r()});
        h=u({type:P("command"),command:r(),timeout:n(),if:r()});"#;

    fn lines(from: &str, to: &str) -> Vec<String> {
        assert!(CODE.contains(from), "{from}");
        let (ours, theirs) = (
            Declared::of(CODE.as_bytes()),
            Declared::of(CODE.replace(from, to).as_bytes()),
        );
        Finding::between(&ours, &theirs)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn each_difference_is_a_line_with_its_file() {
        const ROWS: &str = "hookkit/protocol/src/event/rows.rs";
        assert_eq!(lines("r()", "string()"), Vec::<String>::new());
        // What an event has is a part of the event.
        assert_eq!(lines(r#","Setup"]"#, "]"), [format!("gone: the event Setup ({ROWS})")]);
        assert_eq!(
            lines(r#","Setup"]"#, r#","Setup","Later"]"#),
            [format!("new: the event Later ({ROWS})")]
        );
        let context = |kind, name| format!("{kind}: `{name}` in answers to Setup, Stop ({ROWS})");
        assert_eq!(
            lines("additionalContext", "moreContext"),
            [context("gone", "additionalContext"), context("new", "moreContext")]
        );
        let active = "gone: `stop_hook_active` in payloads of Stop (hookkit/src/event)";
        assert_eq!(lines("stop_hook_active:b(),", ""), [active]);
        assert_eq!(
            lines(r#"["on","off"]"#, r#"["on"]"#),
            [format!("gone: the word `off` of `mode` in payloads of Stop ({ROWS})")]
        );
        // A list that is somewhere else cannot be compared.
        assert_eq!(lines(r#"["on","off"]"#, "list"), Vec::<String>::new());
        assert_eq!(
            lines(",if:r()", ""),
            ["gone: `if` of handlers of the type `command` (hookkit/protocol/src/settings.rs)"]
        );
    }
}
