//! A difference between a client and our facts, as a line that names the fact and the file to change.

use std::collections::BTreeMap;
use std::fmt;

use super::{Area, Declared, Fact};

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The change from our facts to the client.
    pub change: Change,
    /// The fact.
    pub fact: String,
    /// The file of the fact in this repository.
    pub file: &'static str,
}

/// A change from our facts to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The client lacks something that hookkit relies on.
    Gone,
    /// The client does something in another way.
    Different,
    /// The client has something new to hookkit.
    New,
    /// Our verdict holds, but the client's texts or actions around it differ from the record.
    Wording,
}

impl Difference {
    /// Makes one.
    pub fn new(change: Change, fact: impl fmt::Display, file: &'static str) -> Self {
        let fact = fact.to_string();
        Self { change, fact, file }
    }

    /// Returns `true` if a fact of ours is wrong.
    pub fn is_false_claim(&self) -> bool {
        matches!(self.change, Change::Gone | Change::Different)
    }

    /// Compares two sets of schemas: the one that our facts were checked with, and another client's.
    ///
    /// Missing facts are left out if only the client itself uses them.
    pub fn between(ours: &Declared, theirs: &Declared) -> Vec<Self> {
        let protocol = Fact::of_protocol();
        let mut differences = Vec::new();
        for (change, of, others) in [(Change::Gone, ours, theirs), (Change::New, theirs, ours)] {
            let (facts, known) = (Fact::declared(of), Fact::declared(others));
            // The line of an event covers its payloads and answers, and the line of a member its words.
            let is_of_both = |fact: &Fact| match fact.area {
                Area::Event => true,
                Area::Handler => others.handlers.contains_key(&fact.of),
                Area::Payload | Area::Answer => fact.of.is_empty() || others.events.contains(&fact.of),
            };
            let has_member = |fact: &Fact| {
                let member = || others.objects(fact.area).get(&fact.of)?.get(&fact.member);
                fact.word.is_empty() || member().is_some()
            };
            let is_used = |fact: &Fact| change == Change::New || fact.area == Area::Payload || protocol.contains(fact);
            let facts = facts
                .difference(&known)
                .filter(|fact| is_of_both(fact) && has_member(fact) && fact.is_decided_by(others) && is_used(fact));
            differences.extend(joined(facts).map(|(fact, file)| Self::new(change, fact, file)));
            for name in of.handlers.keys().filter(|name| !others.handlers.contains_key(*name)) {
                let fact = format!("the type `{name}` of handlers");
                differences.push(Self::new(change, fact, "hookkit/protocol/src/settings.rs"));
            }
        }
        differences.sort();
        differences
    }
}

/// Joins the facts that only differ in their events, each with its file.
fn joined<'f>(facts: impl Iterator<Item = &'f Fact>) -> impl Iterator<Item = (Fact, &'static str)> {
    let mut all: BTreeMap<(Area, &str, &str, bool), Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        // An event has its own line.
        let name = if fact.area == Area::Event { &fact.of } else { &fact.member };
        let key = (fact.area, &**name, &*fact.word, fact.of.is_empty());
        all.entry(key).or_default().push(fact);
    }
    all.into_values().map(|facts| {
        let of: Vec<&str> = facts.iter().map(|fact| &*fact.of).collect();
        let joined = Fact { of: of.join(", "), ..facts[0].clone() };
        (joined, facts[0].file())
    })
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match self.change {
            Change::Gone => "gone",
            Change::Different => "different",
            Change::New => "new",
            Change::Wording => "wording",
        };
        write!(f, "{change}: {} ({})", self.fact, self.file)
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
        let (ours, theirs) = (Declared::of(CODE.as_bytes()), Declared::of(CODE.replace(from, to).as_bytes()));
        Difference::between(&ours, &theirs).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_difference_is_a_line_with_its_file() {
        const ROWS: &str = "hookkit/protocol/src/event/rows.rs";
        assert_eq!(lines("r()", "string()"), Vec::<String>::new());
        // The members of an event are a part of it.
        assert_eq!(lines(r#","Setup"]"#, "]"), [format!("gone: the event Setup ({ROWS})")]);
        let found = lines(r#","Setup"]"#, r#","Setup","Later"]"#);
        assert_eq!(found, [format!("new: the event Later ({ROWS})")]);
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
