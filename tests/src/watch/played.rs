//! The behavior of a client in sessions, compared with the observations of the pinned one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use anyhow::Result;
use hookkit::Mode;
use hookkit::testing::{End, Ran};
use serde::Serialize;
use serde_json::Value;

use super::{Change, Difference};
use crate::record::{Record, changes};
use crate::verdict::{self, Observation, Payload, Row, groups, judged, judged_as, rows};
use crate::{World, edits, matchers, mods, parallel, rules, settings, starts};

/// Observations by the keys of their rows.
type Rows = BTreeMap<String, Value>;

/// The table of the members of payloads that were seen, by event.
pub const PAYLOADS: &str = "payloads";

/// A table of observations whose rows are compared one by one.
pub struct Table {
    /// The name of its record.
    pub name: &'static str,
    /// The file with our rules about it.
    file: &'static str,
    /// A row of the table, in words.
    subject: &'static str,
    play: fn(&Path) -> Result<Rows>,
}

const fn table(
    name: &'static str,
    file: &'static str,
    subject: &'static str,
    play: fn(&Path) -> Result<Rows>,
) -> Table {
    Table { name, file, subject, play }
}

/// The tables that are played besides the verdicts.
pub const TABLES: [Table; 12] = [
    table("matchers", "hookkit/protocol/src/matcher", "the matcher", |client| rows_of(matchers::matched(client)?)),
    table("conditions", "hookkit/protocol/src/matcher", "the `if`", |client| rows_of(matchers::admitted(client)?)),
    table("watched", "hookkit/protocol/src/lint/matcher.rs", "the matcher", |client| {
        rows_of(matchers::watched(client)?)
    }),
    table("rules", "xtask/src/diagnose/rules/permissions.rs", "the rules and the call", |client| {
        rows_of(rules::played(client)?)
    }),
    table("edits", "hookkit/src/tool/edit.rs", "the edit of", |client| rows_of(edits::edited(client)?)),
    table("writes", "hookkit/src/path.rs", "the path", |client| rows_of(edits::written(client)?)),
    table("searches", "hookkit/src/path.rs", "the search", |client| rows_of(edits::found(client)?)),
    table("starts", "hookkit/protocol/src/start.rs", "the session in", |client| rows_of(starts::started(client)?)),
    table("handlers", "xtask/src/diagnose/active", "the handler", |client| rows_of(World::handlers_that_run(client)?)),
    table("mods", "hookkit/protocol/src/mods.rs", "the session of", |client| rows_of(mods::played(client)?)),
    table("skipped-by-mods", "hookkit/protocol/src/mods.rs", "a mod and the event", |client| {
        rows_of(mods::started(client)?)
    }),
    table("settings", "hookkit/protocol/src/settings.rs", "the settings file", |client| {
        rows_of(settings::read(client)?)
    }),
];

fn rows_of<T: Serialize>(observed: BTreeMap<String, T>) -> Result<Rows> {
    let rows = observed.into_iter().map(|(key, row)| Ok((key, serde_json::to_value(row)?)));
    rows.collect()
}

impl Table {
    /// Plays the table.
    ///
    /// # Errors
    ///
    /// If a session fails.
    pub fn play(&self, client: &Path) -> Result<Rows> {
        (self.play)(client)
    }

    /// Compares observations with those on file, and names each row that differs.
    ///
    /// # Errors
    ///
    /// If the table is not recorded.
    pub fn compare(&self, observed: &Rows) -> Result<Vec<Difference>> {
        let recorded = match self.name {
            "settings" => rows_of(settings::recorded()?)?,
            name => Record::<Value>::read(name)?.rows,
        };
        let keys: BTreeSet<&String> = recorded.keys().chain(observed.keys()).collect();
        let differ = keys.into_iter().filter(|key| recorded.get(*key) != observed.get(*key));
        let difference = |key: &String| {
            let text = |rows: &Rows| rows.get(key).map_or_else(|| "nothing".to_owned(), Value::to_string);
            let fact = format!("{} {key:?}: {}, not {}", self.subject, text(observed), text(&recorded));
            Difference::new(Change::Different, fact, self.file)
        };
        Ok(differ.map(difference).collect())
    }

    /// Returns the difference for a table that could not be played.
    pub fn failed(&self, error: &anyhow::Error) -> Difference {
        let fact = format!("the table `{}` cannot be played: {}", self.name, one_line(&format!("{error:#}")));
        Difference::new(Change::Different, fact, self.file)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

/// The outcomes of the rows of the verdict table.
#[derive(Default)]
pub struct Verdicts {
    /// Observations by the keys of their rows.
    pub observed: BTreeMap<String, Observation>,
    /// The members of the payloads that the hooks got, by event.
    pub payloads: BTreeMap<String, Payload>,
    /// The errors of sessions that failed, by event.
    pub failed: BTreeMap<String, String>,
}

impl Verdicts {
    /// Plays the rows that a function chooses.
    ///
    /// # Errors
    ///
    /// If a session panics.
    pub fn play(client: &Path, is_chosen: impl Fn(&Row) -> bool) -> Result<Self> {
        let mut table = rows();
        table.retain(is_chosen);
        let played = Mutex::new(Self::default());
        parallel::each(verdict::WORKERS, groups(&table), |(event, rows)| {
            let observed = verdict::play(client, event, &rows);
            let mut played = played.lock().expect("no session holds it");
            match observed {
                Ok((observations, payload)) => {
                    let keys = rows.iter().map(|row| row.key());
                    played.observed.extend(keys.zip(observations));
                    add_members(played.payloads.entry(event.name.to_owned()).or_default(), payload);
                }
                Err(err) => {
                    played.failed.insert(event.name.to_owned(), one_line(&format!("{err:#}")));
                }
            }
            Ok(())
        })?;
        Ok(played.into_inner()?)
    }

    /// Plays differing rows again, and keeps the observation that fits our rules: on a busy machine a session can end
    /// before its background hooks.
    ///
    /// # Errors
    ///
    /// If the table is not recorded, or a session panics.
    pub fn play_doubtful_again(&mut self, client: &Path) -> Result<()> {
        let recorded = Record::<Observation>::read(verdict::TABLE)?.rows;
        let table = rows();
        let is_fine = |row: &Row, seen: &Observation| {
            recorded.get(&row.key()) == Some(seen) && judged(row, seen).faults.is_empty()
        };
        let is_doubtful = |row: &Row| self.observed.get(&row.key()).is_some_and(|seen| !is_fine(row, seen));
        let doubtful = table.iter().filter(|row| is_doubtful(row)).map(|row| row.event.name);
        let failed = std::mem::take(&mut self.failed).into_keys();
        let events: BTreeSet<String> = doubtful.map(str::to_owned).chain(failed).collect();
        let mut again = Self::play(client, |row| events.contains(row.event.name))?;
        for row in &table {
            let key = row.key();
            let Some(seen) = again.observed.remove(&key) else {
                continue;
            };
            if is_fine(row, &seen) || !self.observed.contains_key(&key) {
                self.observed.insert(key, seen);
            }
        }
        self.failed = again.failed;
        for (event, members) in again.payloads {
            add_members(self.payloads.entry(event).or_default(), members);
        }
        Ok(())
    }

    /// Compares the observations of some rows with our verdicts and with those on file. Rows that differ for the same
    /// reason make one difference.
    ///
    /// # Errors
    ///
    /// If the table is not recorded.
    pub fn compare(&self, is_chosen: impl Fn(&Row) -> bool) -> Result<Vec<Difference>> {
        const VERDICT: &str = "hookkit/verdict/src";
        const EVENTS: &str = "hookkit/protocol/src/event/rows.rs";
        let recorded = Record::<Observation>::read(verdict::TABLE)?.rows;
        let table = rows();
        let played = || table.iter().filter(|row| row.unseen.is_none() && is_chosen(row));
        let of = |row: &Row| self.observed.get(&row.key());
        // An event whose hooks never run is one fact.
        let is_raised =
            |name: &str| played().any(|row| row.event.name == name && of(row).is_some_and(|seen| seen.has_run));
        let names: BTreeSet<&str> = played().map(|row| row.event.name).collect();
        let (raised, silent): (Vec<&str>, Vec<&str>) = names.iter().copied().partition(|name| is_raised(name));
        let mut differences: Vec<Difference> = Vec::new();
        for name in silent {
            let why = self.failed.get(name).map_or_else(String::new, |error| format!(": {error}"));
            differences.push(Difference::new(
                Change::Gone,
                format!("the event {name}: no hook of it runs{why}"),
                EVENTS,
            ));
        }
        let mut reasons: BTreeMap<(Change, String), BTreeMap<&str, usize>> = BTreeMap::new();
        for row in played().filter(|row| raised.contains(&row.event.name)) {
            let reason = match of(row) {
                Some(now) if !judged(row, now).faults.is_empty() => (Change::Different, reason(row, now)),
                Some(now) => match recorded.get(&row.key()).map(|then| changes(then, now)).transpose()? {
                    Some(lines) if lines.is_empty() => continue,
                    lines => (Change::Wording, wording(row, &lines.unwrap_or_default())),
                },
                None => {
                    let error = self.failed.get(row.event.name).map(String::as_str);
                    (Change::Different, format!("a session that fails: {}", error.unwrap_or_default()))
                }
            };
            *reasons.entry(reason).or_default().entry(row.event.name).or_default() += 1;
        }
        for ((change, reason), events) in reasons {
            let rows: usize = events.values().sum();
            let events: Vec<&str> = events.into_keys().collect();
            let fact = format!("{reason}, on {} ({rows} rows)", events.join(", "));
            differences.push(Difference::new(change, fact, VERDICT));
        }
        Ok(differences)
    }
}

/// Returns the reason for a difference: a default that is another one, else the part of the run that it has.
fn reason(row: &Row, now: &Observation) -> String {
    let fits = |ran: Ran| judged_as(row, ran, now).faults.is_empty();
    if !row.ran.blocks_in_settings && fits(row.ran.clone().blocks_in_settings(true)) {
        return "the default of `onFailure`: it is `block`".to_owned();
    }
    let end = match row.ran.end {
        End::Exited(0) => String::new(),
        End::Exited(code) => format!("exit code {code}"),
        End::Killed => "a signal".to_owned(),
        End::TimedOut => "a timeout".to_owned(),
        _ => "a command that cannot be started".to_owned(),
    };
    let mut parts: Vec<String> = vec![end];
    parts.extend(row.ran.blocks_in_settings.then(|| "`onFailure: \"block\"`".to_owned()));
    parts.extend(match row.ran.mode {
        Mode::Async => Some("`async`".to_owned()),
        Mode::AsyncRewake => Some("`asyncRewake`".to_owned()),
        _ => None,
    });
    match row.members() {
        Some(members) => parts.extend(members.iter().map(|name| format!("`{name}`"))),
        None if !row.ran.stdout.is_empty() => parts.push("text on stdout".to_owned()),
        None => {}
    }
    parts.retain(|part| !part.is_empty());
    let parts = if parts.is_empty() { "no output".to_owned() } else { parts.join(" and ") };
    format!("the outcome of {parts}")
}

/// Returns the beginning of the first line that is new in the observation of a row, or else of the first missing one.
/// The row's word is `@`.
fn wording(row: &Row, lines: &[String]) -> String {
    let first = lines.iter().find(|line| line.starts_with('+')).or(lines.first());
    let text = first.map_or("not recorded", String::as_str).replace(&row.word(), "@");
    one_line(&text).chars().take(160).collect()
}

/// Adds members with their types to others.
fn add_members(all: &mut Payload, more: Payload) {
    for (name, types) in more {
        all.entry(name).or_default().extend(types);
    }
}

/// Compares the members of payloads with those on file.
///
/// # Errors
///
/// If the table is not recorded.
pub fn payloads(now: &BTreeMap<String, Payload>) -> Result<Vec<Difference>> {
    let then = Record::<Payload>::read(PAYLOADS)?.rows;
    let mut members: BTreeMap<(Change, String), Vec<&str>> = BTreeMap::new();
    for (event, now) in now.iter().filter(|(_, members)| !members.is_empty()) {
        let Some(then) = then.get(event) else { continue };
        let mut add = |change, fact: String| members.entry((change, fact)).or_default().push(event);
        let gone = then.iter().filter(|(name, _)| !now.contains_key(*name));
        let mut new: BTreeMap<&String, &BTreeSet<String>> =
            now.iter().filter(|(name, _)| !then.contains_key(*name)).collect();
        for (name, types) in gone.clone() {
            // If one member of a type is gone and one is new, it may only have another name.
            let alike = || new.iter().filter(|(_, now)| **now == types).map(|(name, _)| (*name).clone());
            let is_only = alike().count() == 1 && gone.clone().filter(|(_, then)| *then == types).count() == 1;
            match alike().next().filter(|_| is_only) {
                Some(other) => {
                    add(Change::Gone, format!("`{name}` is gone, and `{other}`, of the same type, is new"));
                    new.remove(&other);
                }
                None => add(Change::Gone, format!("`{name}`")),
            }
        }
        for (name, types) in then {
            if let Some(now) = now.get(name).filter(|now| !now.is_subset(types)) {
                add(Change::Different, format!("`{name}`, which is {}, not {},", listed(now), listed(types)));
            }
        }
        for name in new.keys() {
            add(Change::New, format!("`{name}`"));
        }
    }
    let difference = |((change, member), events): ((Change, String), Vec<&str>)| {
        let fact = format!("{member} in the payloads that hooks of {} get", events.join(", "));
        Difference::new(change, fact, "hookkit/src/event")
    };
    Ok(members.into_iter().map(difference).collect())
}

fn listed(types: &BTreeSet<String>) -> String {
    types.iter().map(String::as_str).collect::<Vec<_>>().join(" or ")
}
