//! All published versions of the client: the first one that declares each fact.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use anyhow::{Context, Result};
use semver::Version;
use serde::{Deserialize, Serialize};

use super::{Area, Declared, Fact};
use crate::xtask::repository;
use crate::{parallel, record};

/// The name of the table, which belongs to no single version.
const TABLE: &str = "versions";

/// The versions that are read in any case, besides each twentieth.
const RUNGS: [Version; 3] = [First::OLDEST, Version::new(2, 1, 0), Version::new(2, 1, 139)];

/// The number of versions between two that are read in any case.
const STEP: usize = 20;

/// Versions of the client with their declarations.
pub struct Ladder(BTreeMap<Version, Declared>);

/// The first versions that declare each fact.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Firsts {
    /// The newest version.
    pub newest: String,
    /// The number of versions that were read.
    pub read: usize,
    /// The first version that hooks can be registered in, for each event.
    pub events: BTreeMap<String, First>,
    /// The members of payloads, for each event; without a name, for all.
    pub payloads: BTreeMap<String, BTreeMap<String, First>>,
    /// The members of answers, for each event; without a name, for all.
    pub answers: BTreeMap<String, BTreeMap<String, First>>,
    /// The keys of handlers, for each type.
    pub handlers: BTreeMap<String, BTreeMap<String, First>>,
}

/// Two consecutive versions: the first one without a fact, and the second one with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct First {
    /// The last version without it; `None` if the oldest version that was read has it.
    pub before: Option<String>,
    /// The first version with it. All later ones that were read have it, too.
    pub first: String,
    /// `true` if a session shows it in that version and not in the one before.
    #[serde(default)]
    pub is_seen: bool,
}

impl Firsts {
    /// Reads the record.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn recorded() -> Result<Self> {
        record::read("all", TABLE)
    }

    /// Writes the record and the page.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn record(&self) -> Result<()> {
        let page = repository().join(Self::PAGE);
        fs::write(&page, self.page()).with_context(|| format!("cannot write {}", page.display()))?;
        record::write("all", TABLE, self)
    }

    /// Returns each fact with the place of its versions.
    pub fn facts(&mut self) -> Vec<(Fact, &mut First)> {
        let events = self.events.iter_mut().map(|(event, first)| (Fact::new(Area::Event, event, ""), first));
        let mut facts: Vec<(Fact, &mut First)> = events.collect();
        for (area, objects) in [
            (Area::Payload, &mut self.payloads),
            (Area::Answer, &mut self.answers),
            (Area::Handler, &mut self.handlers),
        ] {
            for (of, members) in objects {
                let members = members.iter_mut();
                facts.extend(members.map(|(member, first)| (Fact::new(area, of, member), first)));
            }
        }
        facts
    }
}

impl First {
    /// The oldest version whose members and keys are read.
    pub const OLDEST: Version = Version::new(2, 0, 30);

    /// Returns `true` if the fact is as old as that version.
    pub fn is_old(&self) -> bool {
        Version::parse(&self.first).is_ok_and(|first| first <= Self::OLDEST)
    }
}

impl Ladder {
    /// Reads each twentieth version, and all versions around a change: none between two with the same declarations.
    ///
    /// # Errors
    ///
    /// If a version cannot be read.
    pub fn climb(published: Vec<Version>, read: impl Fn(&Version) -> Result<Declared> + Sync) -> Result<Self> {
        const WORKERS: usize = 3;
        let last = published.len().checked_sub(1).context("no version is published")?;
        let is_rung = |at: &usize| at.is_multiple_of(STEP) || *at == last || RUNGS.contains(&published[*at]);
        let rungs: Vec<usize> = (0..=last).filter(is_rung).collect();
        let known = Mutex::new(BTreeMap::new());
        let declared = |at: usize| -> Result<Declared> {
            let version = &published[at];
            if let Some(declared) = known.lock().expect("no reader holds it").get(version) {
                return Ok(Declared::clone(declared));
            }
            let declared = read(version).with_context(|| format!("client {version}"))?;
            known.lock().expect("no reader holds it").insert(version.clone(), declared.clone());
            Ok(declared)
        };
        parallel::each(WORKERS, rungs.iter().copied(), |at| declared(at).map(drop))?;
        parallel::each(WORKERS, rungs.windows(2), |span| {
            let mut spans = vec![(span[0], span[1])];
            while let Some((from, to)) = spans.pop() {
                if to - from > 1 && declared(from)? != declared(to)? {
                    let middle = usize::midpoint(from, to);
                    declared(middle)?;
                    spans.extend([(from, middle), (middle, to)]);
                }
            }
            Ok(())
        })?;
        Ok(Self(known.into_inner()?))
    }

    /// Returns the first version that declares each fact which the newest one declares.
    pub fn firsts(&self) -> Firsts {
        let Some((newest, declared)) = self.0.last_key_value() else {
            return Firsts::default();
        };
        let mut firsts = Firsts { newest: newest.to_string(), read: self.0.len(), ..Firsts::default() };
        let of: Vec<(&Version, BTreeSet<Fact>)> =
            self.0.iter().map(|(version, declared)| (version, Fact::declared(declared))).collect();
        for fact in Fact::declared(declared).into_iter().filter(|fact| fact.word.is_empty()) {
            let without = of.iter().rev().find(|(_, facts)| !facts.contains(&fact));
            let with = of.iter().rev().take_while(|(_, facts)| facts.contains(&fact)).last();
            let Some((first, _)) = with else { continue };
            let first = First {
                // Differing neighbors that were read are consecutive versions.
                before: without.map(|(version, _)| version.to_string()),
                first: first.to_string(),
                is_seen: false,
            };
            match fact.area {
                Area::Event => firsts.events.insert(fact.of, first),
                Area::Answer => firsts.answers.entry(fact.of).or_default().insert(fact.member, first),
                Area::Handler => firsts.handlers.entry(fact.of).or_default().insert(fact.member, first),
                Area::Payload => firsts.payloads.entry(fact.of).or_default().insert(fact.member, first),
            };
        }
        firsts
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_first_version_of_a_fact_is_found_between_rungs() -> Result<()> {
        for since in 1..60 {
            let published: Vec<Version> = (0..60).map(|patch| Version::new(2, 1, patch)).collect();
            let reads = AtomicUsize::new(0);
            let ladder = Ladder::climb(published, |version| {
                reads.fetch_add(1, Ordering::Relaxed);
                let events = [("Stop", 0), ("Setup", since)];
                let events = events.iter().filter(|(_, since)| version.patch >= *since);
                Ok(Declared { events: events.map(|(name, _)| (*name).to_owned()).collect(), ..Declared::default() })
            })?;
            let firsts = ladder.firsts();
            let always = First { before: None, first: "2.1.0".to_owned(), is_seen: false };
            let later =
                First { before: Some(format!("2.1.{}", since - 1)), first: format!("2.1.{since}"), is_seen: false };
            assert_eq!(
                firsts.events,
                [("Setup", later), ("Stop", always)].map(|(name, first)| (name.to_owned(), first)).into()
            );
            assert_eq!(firsts.read, reads.into_inner());
            assert!(firsts.read < 10, "{}", firsts.read);
        }
        Ok(())
    }
}
