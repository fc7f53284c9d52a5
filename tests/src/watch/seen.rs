//! Facts that were seen in a version of the client: not only declared by it, but acted on in a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use hookkit::Mode;
use hookkit::testing::End;
use serde_json::Value;

use super::{Area, Fact, Verdicts};
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

/// Returns the facts that sessions show: a client acts on them like the pinned one, and the one before it does not.
///
/// # Errors
///
/// If the pinned client is not recorded, or a session panics.
pub fn seen(client: &Path, before: Option<&Path>, facts: &BTreeSet<Fact>) -> Result<BTreeSet<Fact>> {
    let (table, recorded) = (rows(), Record::<Observation>::read(verdict::TABLE)?.rows);
    let mut chosen: BTreeMap<String, Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        let shown = |row: &&Row| row.unseen.is_none() && shows(row, fact) && recorded.contains_key(&row.key());
        // The row with the fewest other members.
        let least = table.iter().filter(shown);
        let least = least.min_by_key(|row| (row.members().map_or(0, |members| members.len()), row.ran.stdout.len()));
        if let Some(row) = least {
            chosen.entry(row.key()).or_default().push(fact);
        }
    }
    let play = |client: &Path| Verdicts::play(client, |row| chosen.contains_key(&row.key()));
    let (now, then) = (play(client)?, before.map(play).transpose()?);
    let mut seen = BTreeSet::new();
    for row in table.iter().filter(|row| chosen.contains_key(&row.key())) {
        let key = row.key();
        let trace = |observed: &BTreeMap<String, Observation>| observed.get(&key).map(|seen| Trace::new(row, seen));
        let (now, wanted) = (trace(&now.observed), trace(&recorded));
        let then = then.as_ref().and_then(|then| trace(&then.observed));
        let is_shown = |fact: &Fact| match fact.area {
            Area::Event => now.as_ref().is_some_and(|now| now.has_run),
            _ => now == wanted && then != wanted,
        };
        let shown = chosen[&key].iter().filter(|fact| is_shown(fact));
        seen.extend(shown.map(|fact| Fact::clone(fact)));
    }
    Ok(seen)
}

/// Returns `true` if a row can show a fact.
fn shows(row: &Row, fact: &Fact) -> bool {
    let is_plain = row.ran.mode == Mode::Awaited && !row.ran.blocks_in_settings;
    match (fact.area, &*fact.member) {
        (Area::Event, _) => row.event.name == fact.of && is_plain && row.ran.end == End::Exited(0),
        (Area::Answer, member) => {
            let is_of_event = fact.of.is_empty() || row.event.name == fact.of;
            is_of_event
                && is_plain
                && row.ran.end == End::Exited(0)
                && row.members().is_some_and(|members| members.contains(member))
        }
        (Area::Handler, _) if fact.of != "command" => false,
        (Area::Handler, "onFailure") => row.ran.blocks_in_settings && row.ran.end == End::Exited(1),
        (Area::Handler, "async") => row.ran.mode == Mode::Async && row.ran.end == End::Exited(0),
        (Area::Handler, "asyncRewake") => row.wakes() && row.ran.stdout.is_empty(),
        (Area::Handler, "args") => row.ran.end == End::NotStarted && !row.ran.blocks_in_settings,
        (Area::Handler | Area::Payload, _) => false,
    }
}
