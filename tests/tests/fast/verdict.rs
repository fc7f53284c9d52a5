//! Verdicts agree with the recorded observations of the real client.
//!
//! Each row of the table is a run of a hook on an event. The client tier plays the rows and records them.

use hookkit::protocol::event::EVENTS;
use hookkit::testing::{Known, Rule, Verdict};
use hookkit_tests::prelude::*;
use hookkit_tests::record;
use hookkit_tests::verdict::{self, Observation, Row, judged, rows};

mod observed;

fn played() -> Vec<Row> {
    rows().into_iter().filter(|row| row.unseen.is_none()).collect()
}

#[test]
fn every_row_is_recorded() -> Result<()> {
    let keys: Vec<String> = played().iter().map(Row::key).collect();
    let gaps = Record::<Observation>::read(verdict::TABLE)?.gaps(keys.iter().map(String::as_str));
    let (command, gaps) = (record::command(verdict::PLAYED_BY), gaps.join("\n"));
    assert!(gaps.is_empty(), "to record the rows, run `{command}`:\n{gaps}");
    Ok(())
}

#[test]
fn verdicts_agree_with_the_record() -> Result<()> {
    let record = Record::<Observation>::read(verdict::TABLE)?;
    let mut faults = Vec::new();
    let mut rules: Vec<&Rule> = Vec::new();
    for row in played() {
        // `every_row_is_recorded` fails where there is none.
        let Some(observed) = record.rows.get(&row.key()) else {
            continue;
        };
        let judged = judged(&row, observed);
        faults.extend(judged.faults);
        rules.extend(judged.verdict.rules());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let seen = Rule::ALL.iter().filter(|rule| rule.known == Known::Seen);
    let untried = seen.filter(|rule| !rules.contains(rule)).map(|rule| rule.words);
    let untried: Vec<&str> = untried.collect();
    assert_eq!(untried, Vec::<&str>::new(), "marked as seen, and no row shows it");
    Ok(())
}

#[test]
fn keys_of_rows_are_unique() {
    let rows = rows();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), rows.len());
}

#[test]
fn unseen_rows_are_judged_by_the_words_of_the_client() {
    for row in rows() {
        let Some((why, says)) = &row.unseen else { continue };
        let text = Verdict::of(row.event, &row.ran).to_string().replace(&row.word(), "@");
        let said = text.split("\nbecause ").next();
        assert_eq!(said.unwrap_or_default(), says.join("\n"), "{}: {why}", row.event.name);
        assert!(!why.is_empty());
    }
}

#[test]
fn every_event_has_a_row() {
    let tried: BTreeSet<&str> = rows().iter().map(|row| row.event.name).collect();
    let all: BTreeSet<&str> = EVENTS.iter().map(|event| event.name).collect();
    assert_eq!(tried, all);
}
