//! Facts that were seen in a version of the client: not only declared by it, but acted on in a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use hookkit::Mode;
use hookkit::testing::End;
use serde_json::Value;

use super::{Fact, Part, Verdicts};
use crate::record::Record;
use crate::verdict::{self, Observation, Row, rows};

/// The outcome of a row, without the words that the client puts around it.
#[derive(PartialEq)]
struct Trace {
    has_run: bool,
    has_tool_run: bool,
    requests: usize,
    reaches_model: bool,
    reaches_user: bool,
    is_used: bool,
}

impl Trace {
    fn new(row: &Row, seen: &Observation) -> Self {
        let word = row.word();
        let events = Value::from(seen.events.clone()).to_string();
        let model = |word: &str| seen.texts.iter().any(|text| text.text.contains(word));
        Self {
            has_run: seen.has_run,
            has_tool_run: seen.has_tool_run,
            requests: seen.requests,
            reaches_model: model(&word),
            reaches_user: events.contains(&word),
            is_used: model(&format!("{word}new")) || events.contains(&format!("{word}new")),
        }
    }
}

/// Returns the facts that a client acts on as the pinned one does, of those that a session can show.
///
/// # Errors
///
/// If there is no record of the pinned client.
pub fn seen(client: &Path, facts: &BTreeSet<Fact>, workers: usize) -> Result<BTreeSet<Fact>> {
    let (table, recorded) = (rows(), Record::<Observation>::read(verdict::TABLE)?.rows);
    let mut chosen: BTreeMap<String, Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        let candidates = table
            .iter()
            .filter(|row| row.unseen.is_none() && shows(row, fact) && recorded.contains_key(&row.key()));
        // The row with the fewest other members.
        if let Some(row) = candidates.min_by_key(|row| (members(row).len(), row.ran.stdout.len())) {
            chosen.entry(row.key()).or_default().push(fact);
        }
    }
    let played = Verdicts::play(client, workers, |row| chosen.contains_key(&row.key()))?;
    let mut seen = BTreeSet::new();
    for row in table.iter().filter(|row| chosen.contains_key(&row.key())) {
        let (key, Some(now)) = (row.key(), played.observed.get(&row.key())) else {
            continue;
        };
        let is_as_recorded = recorded
            .get(&key)
            .is_some_and(|then| Trace::new(row, now) == Trace::new(row, then));
        let acted_on = chosen[&key].iter().filter(|fact| match fact.part {
            Part::Event => now.has_run,
            _ => is_as_recorded,
        });
        seen.extend(acted_on.map(|fact| Fact::clone(fact)));
    }
    Ok(seen)
}

/// Returns `true` if a row can show a fact.
fn shows(row: &Row, fact: &Fact) -> bool {
    let is_plain = row.ran.mode == Mode::Awaited && !row.ran.blocks_in_settings;
    match (fact.part, &*fact.member) {
        (Part::Event, _) => row.event.name == fact.of && is_plain && row.ran.end == End::Exited(0),
        (Part::Answer, member) => {
            let is_of_event = fact.of.is_empty() || row.event.name == fact.of;
            is_of_event && is_plain && row.ran.end == End::Exited(0) && members(row).contains(member)
        }
        (Part::Handler, _) if fact.of != "command" => false,
        (Part::Handler, "onFailure") => row.ran.blocks_in_settings && row.ran.end == End::Exited(1),
        (Part::Handler, "async") => row.ran.mode == Mode::Async && row.ran.end == End::Exited(0),
        (Part::Handler, "asyncRewake") => row.wakes() && row.ran.stdout.is_empty(),
        (Part::Handler, "args") => row.ran.end == End::NotStarted && !row.ran.blocks_in_settings,
        (Part::Handler, "timeout") => row.ran.end == End::TimedOut && is_plain,
        (Part::Handler, "command") => is_plain && row.ran.end == End::Exited(2),
        (Part::Handler | Part::Payload, _) => false,
    }
}

/// Returns the names of the members that a row prints.
fn members(row: &Row) -> BTreeSet<String> {
    let Ok(Value::Object(answer)) = serde_json::from_slice(&row.ran.stdout) else {
        return BTreeSet::new();
    };
    let own = answer
        .get("hookSpecificOutput")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let names = answer.keys().chain(own.map(|(name, _)| name));
    let names = names.filter(|name| !["hookSpecificOutput", "hookEventName"].contains(&&***name));
    names.cloned().collect()
}
