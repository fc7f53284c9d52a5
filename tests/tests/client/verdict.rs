//! The rows of the verdict table, run in the real client.
//!
//! A shell script prints the output of each row. The texts for the model and the user, and the outcome, are compared
//! with our verdict and with the record. `ROWS=Stop,PreToolUse-0a1b2c` runs only the sessions with these events or rows,
//! and prints the observations.

use std::env;
use std::sync::Mutex;

use hookkit::protocol::event::Event;
use hookkit_tests::prelude::*;
use hookkit_tests::record;
use hookkit_tests::verdict::{self, Observation, PLAYED_BY, Payload, Row, groups, judged, rows};
use hookkit_tests::watch::PAYLOADS;

#[test]
fn verdicts_agree_with_the_client() -> Result<()> {
    let client = client!(PLAYED_BY);
    let chosen = env::var("ROWS").ok();
    let is_current = [verdict::TABLE, PAYLOADS].into_iter().all(record::is_current);
    if is_current && chosen.is_none() && !record::is_recording() {
        return Ok(());
    }
    let table = rows();
    // The rows of a session stay together: an observation can depend on the position of its row.
    let mut groups = groups(&table);
    groups.retain(|(_, rows)| rows.iter().any(|row| is_chosen(row, chosen.as_deref())));
    let recorded = match Record::<Observation>::read(verdict::TABLE) {
        Ok(record) => record.rows,
        Err(_) if record::is_recording() => BTreeMap::new(),
        Err(err) => return Err(err),
    };
    let (faults, observed) = (Mutex::new(Vec::new()), Mutex::new(BTreeMap::new()));
    let payloads = Mutex::new(BTreeMap::new());
    parallel::each(verdict::WORKERS, groups, |(event, rows)| {
        let mut played = Played::new(&client, event, &rows, &recorded);
        for _ in 0..2 {
            if played.faults.is_empty() {
                break;
            }
            // On a busy machine, a session can end before its async hooks.
            eprintln!("played again:\n{}", played.faults.join("\n"));
            played = Played::new(&client, event, &rows, &recorded);
        }
        for row in rows.iter().filter(|row| chosen.is_some() && is_chosen(row, chosen.as_deref())) {
            eprintln!("{:#?}", played.observed.get(&row.key()));
        }
        faults.lock().expect("a list").extend(played.faults);
        let mut payloads = payloads.lock().expect("a map");
        for (name, types) in played.payload {
            let members: &mut Payload = payloads.entry(event.name.to_owned()).or_default();
            members.entry(name).or_default().extend(types);
        }
        observed.lock().expect("a map").extend(played.observed);
        Ok(())
    })?;
    let observed = observed.into_inner()?;
    let of = observed.len();
    if record::is_recording() {
        let mut all = if chosen.is_some() { recorded } else { BTreeMap::new() };
        all.extend(observed);
        record::write(client::VERSION, verdict::TABLE, all)?;
    }
    let mut faults = faults.into_inner()?;
    if chosen.is_none() {
        let payloads = payloads.into_inner()?;
        let checked = Record::check(PAYLOADS, || Ok(payloads), PLAYED_BY);
        faults.extend(checked.err().map(|err| err.to_string()));
    }
    faults.sort();
    let count = faults.len();
    assert!(faults.is_empty(), "{count} faults in {of} rows:\n{}", faults.join("\n"));
    Ok(())
}

fn is_chosen(row: &Row, chosen: Option<&str>) -> bool {
    let is_row = |word: &str| word == row.event.name || word == row.key();
    chosen.is_none_or(|chosen| chosen.split(',').any(is_row))
}

/// One run of the rows of a session.
struct Played {
    /// The differences from our verdicts and, unless they are recorded again, from the record.
    faults: Vec<String>,
    observed: BTreeMap<String, Observation>,
    /// The members of the payloads that its hooks got.
    payload: Payload,
}

impl Played {
    fn new(client: &Path, event: &'static Event, rows: &[&Row], recorded: &BTreeMap<String, Observation>) -> Self {
        let mut played = Self { faults: Vec::new(), observed: BTreeMap::new(), payload: Payload::new() };
        let observed = match verdict::play(client, event, rows) {
            Ok((observed, payload)) => {
                played.payload = payload;
                observed
            }
            Err(err) => {
                played.faults.push(format!("{}: {err:#}", event.name));
                return played;
            }
        };
        for (row, observed) in rows.iter().zip(observed) {
            played.faults.extend(judged(row, &observed).faults);
            if !record::is_recording() {
                played.faults.extend(changed(row, &observed, recorded));
            }
            played.observed.insert(row.key(), observed);
        }
        played
    }
}

/// Returns the difference of an observation from its record.
fn changed(row: &Row, observed: &Observation, recorded: &BTreeMap<String, Observation>) -> Option<String> {
    let key = row.key();
    let Some(recorded) = recorded.get(&key) else {
        return Some(format!("{key}: not recorded; run `{}`", record::command(PLAYED_BY)));
    };
    let changes = record::changes(recorded, observed).unwrap_or_else(|err| vec![err.to_string()]);
    (!changes.is_empty()).then(|| format!("{key}: the client changed:\n    {}", changes.join("\n    ")))
}
