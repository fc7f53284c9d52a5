//! `cargo dev watch`: compares versions of the client with the facts of hookkit.

#![expect(clippy::print_stdout, reason = "the report is the output")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use hookkit_tests::client::{Fetched, VERSION, cache_folder, published, published_types};
use hookkit_tests::mods::Since;
use hookkit_tests::record as records;
use hookkit_tests::verdict::{self, Row};
use hookkit_tests::watch::{
    Area, Change, DECLARED, Declared, Difference, Fact, First, Firsts, Ladder, PAYLOADS, TABLES, Types, Verdicts,
    payloads, seen,
};
use semver::Version;

use crate::step::readable;

#[derive(Args)]
pub(crate) struct Options {
    /// Versions of the client; without one, the newest that is published
    versions: Vec<Version>,
    /// Play this program instead of a published version
    #[arg(long, value_name = "FILE", conflicts_with_all = ["versions", "record", "declared"])]
    client: Option<PathBuf>,
    /// Play the rows of these events alone
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["record", "declared"])]
    event: Vec<String>,
    /// Read what a version declares in its code, and do not play it
    #[arg(long)]
    declared: bool,
    /// Write what is observed into tests/observed/VERSION, and compare nothing
    #[arg(long)]
    record: bool,
    /// Find the first published version that declares each fact, and write docs/book/src/versions.md
    #[arg(long, conflicts_with_all = ["versions", "client", "event", "record", "declared"])]
    ladder: bool,
}

/// Watches each version, prints a line for each difference, and fails if a fact of hookkit does not hold for one of them.
pub(crate) fn run(options: &Options) -> Result<()> {
    if options.ladder {
        return climb();
    }
    if let Some(program) = &options.client {
        let start = Instant::now();
        return report(&program.display().to_string(), start, &played(program, options)?);
    }
    let mut versions = options.versions.clone();
    if versions.is_empty() {
        versions.extend(published()?.pop());
    }
    let mut all = Ok(());
    for version in &versions {
        let start = Instant::now();
        let name = format!("client {version}");
        if options.record {
            record(&version.to_string(), options.declared).context(name)?;
            println!("client {version} is recorded, in {}", readable(start.elapsed()));
            continue;
        }
        let differences = compare(&version.to_string(), options).with_context(|| name.clone())?;
        all = all.and(report(&name, start, &differences));
    }
    all
}

/// Prints the differences of a client.
///
/// # Errors
///
/// If a fact of hookkit does not hold.
fn report(client: &str, start: Instant, differences: &[Difference]) -> Result<()> {
    let count = |change| differences.iter().filter(|one| one.change == change).count();
    let wrong = differences.iter().filter(|one| one.is_false_claim()).count();
    println!(
        "{client}, compared with {VERSION}: {wrong} facts do not hold, {} are new, {} differ in wording only, in {}",
        count(Change::New),
        count(Change::Wording),
        readable(start.elapsed())
    );
    for difference in differences {
        println!("  {difference}");
    }
    ensure!(wrong == 0, "{wrong} facts do not hold; each line names the file that has it");
    Ok(())
}

/// Returns the differences of a published version.
fn compare(version: &str, options: &Options) -> Result<Vec<Difference>> {
    let fetched = Fetched::new(version)?;
    let declared = Declared::read(&fetched.code)?;
    let types = Types::read(&published_types(version)?);
    let mut differences = Difference::between(&records::read(VERSION, DECLARED)?, &declared);
    differences.extend(types.compare(&records::read(VERSION, Types::TABLE)?));
    if !options.declared {
        differences.extend(played(&fetched.program, options)?);
    }
    Ok(differences)
}

/// Plays a client, and returns the differences of its observations.
fn played(client: &Path, options: &Options) -> Result<Vec<Difference>> {
    let is_chosen = |row: &Row| options.event.is_empty() || options.event.iter().any(|name| *name == row.event.name);
    let mut verdicts = Verdicts::play(client, is_chosen)?;
    verdicts.play_doubtful_again(client)?;
    let mut differences = verdicts.compare(is_chosen)?;
    differences.extend(payloads(&verdicts.payloads)?);
    for table in TABLES.iter().filter(|_| options.event.is_empty()) {
        match table.play(client) {
            Ok(observed) => differences.extend(table.compare(&observed)?),
            Err(err) => differences.push(table.failed(&err)),
        }
    }
    Ok(differences)
}

/// Records the observations of a published version.
fn record(version: &str, is_declared_only: bool) -> Result<()> {
    let fetched = Fetched::new(version)?;
    records::write(version, DECLARED, Declared::read(&fetched.code)?)?;
    records::write(version, Types::TABLE, Types::read(&published_types(version)?))?;
    if is_declared_only {
        return Ok(());
    }
    let client = &fetched.program;
    let verdicts = Verdicts::play(client, |_| true)?;
    ensure!(verdicts.failed.is_empty(), "sessions fail: {:#?}", verdicts.failed);
    records::write(version, verdict::TABLE, &verdicts.observed)?;
    records::write(version, PAYLOADS, &verdicts.payloads)?;
    // The record of settings files is written by people: tests/fixtures/settings.json.
    for table in TABLES.iter().filter(|table| table.name != "settings") {
        records::write(version, table.name, table.play(client)?)?;
    }
    Ok(())
}

/// Reads the declarations of the client's versions. The cache folder keeps those that were read before.
fn climb() -> Result<()> {
    let cache = cache_folder(&format!("declared-{}", Declared::reader()))?;
    let start = Instant::now();
    let published = published()?;
    Since::of(&published)?.record()?;
    let ladder = Ladder::climb(published, |version| {
        let kept = cache.join(format!("{version}.json"));
        if let Ok(text) = fs::read_to_string(&kept) {
            return serde_json::from_str(&text).with_context(|| format!("cannot parse {}", kept.display()));
        }
        eprintln!("client {version}: read, {} after the start", readable(start.elapsed()));
        let declared = Declared::read(&Fetched::new(&version.to_string())?.code)?;
        let written = tempfile::NamedTempFile::new_in(&cache)?;
        serde_json::to_writer(&written, &declared)?;
        written.persist(&kept)?;
        Ok(declared)
    })?;
    let mut firsts = ladder.firsts();
    see(&mut firsts)?;
    println!("{} versions read, up to {}", firsts.read, firsts.newest);
    firsts.record()
}

/// Plays each fact in the first version that declares it and in the one before, unless that was done earlier.
fn see(firsts: &mut Firsts) -> Result<()> {
    let mut known = Firsts::recorded()?;
    let known: BTreeMap<Fact, First> = known.facts().into_iter().map(|(fact, first)| (fact, first.clone())).collect();
    let mut new: BTreeMap<First, Vec<(Fact, &mut First)>> = BTreeMap::new();
    for (fact, first) in firsts.facts() {
        match known.get(&fact).filter(|known| known.first == first.first && known.before == first.before) {
            Some(known) => first.is_seen = known.is_seen,
            None if fact.area == Area::Payload || first.is_old() => {}
            None => new.entry(first.clone()).or_default().push((fact, first)),
        }
    }
    for (versions, facts) in new {
        let start = Instant::now();
        let names = facts.iter().map(|(fact, _)| fact.clone()).collect();
        let client = Fetched::new(&versions.first)?;
        let before = versions.before.as_deref().map(Fetched::new).transpose()?;
        let seen = seen(&client.program, before.as_ref().map(|before| &*before.program), &names)?;
        let (of, took) = (names.len(), readable(start.elapsed()));
        eprintln!("client {}: saw {} of {of} facts in {took}", versions.first, seen.len());
        for (fact, first) in facts {
            first.is_seen = seen.contains(&fact);
        }
    }
    Ok(())
}
