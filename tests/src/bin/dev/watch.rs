//! `cargo dev watch`: compares versions of the client with the facts of hookkit.

#![expect(clippy::print_stdout, reason = "the report is the output")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use hookkit_tests::client::{Fetched, VERSION, declared_cache, published, published_types};
use hookkit_tests::record;
use hookkit_tests::verdict::{self, Row};
use hookkit_tests::watch::{
    DECLARED, Declared, Fact, Finding, First, Firsts, Ladder, PAYLOADS, Part, TABLES, Types, VERSIONS, Verdicts,
    payloads, seen,
};

use hookkit_tests::xtask::repository;

use crate::step::readable;

/// Sessions at a time. They mostly wait; six are not faster on two cores.
const WORKERS: usize = 4;

#[derive(Args)]
pub(crate) struct Options {
    /// Versions of the client; without one, the newest that is published
    versions: Vec<String>,
    /// Watch this program instead of a published version; it is named in the report by VERSIONS
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "declared"], requires = "versions")]
    client: Option<PathBuf>,
    /// Play the rows of these events alone
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["record", "declared"])]
    event: Vec<String>,
    /// Read what a version declares in its code, and do not play it
    #[arg(long)]
    declared: bool,
    /// Write what was observed into tests/observed/VERSION
    #[arg(long)]
    record: bool,
    /// Find the first published version that declares each fact, and write docs/book/src/versions.md
    #[arg(long, conflicts_with_all = ["versions", "record", "declared"])]
    ladder: bool,
}

/// Watches each version, prints a line for each difference, and fails if a fact of hookkit does not hold for one of them.
pub(crate) fn run(options: &Options) -> Result<()> {
    if options.ladder {
        return climb();
    }
    let mut versions = options.versions.clone();
    if versions.is_empty() {
        versions.push(published()?.pop().context("no version is published")?.to_string());
    }
    let mut wrong = 0;
    for version in &versions {
        let start = Instant::now();
        let findings = watch(version, options).with_context(|| format!("client {version}"))?;
        let claims = findings.iter().filter(|finding| finding.is_false_claim()).count();
        println!(
            "client {version}, compared with {VERSION}: {claims} facts do not hold, {} things are new or differ, in {}",
            findings.len() - claims,
            readable(start.elapsed())
        );
        for finding in &findings {
            println!("  {finding}");
        }
        wrong += claims;
    }
    anyhow::ensure!(
        wrong == 0,
        "{wrong} facts do not hold; each line names the file that has it"
    );
    Ok(())
}

/// Returns the differences of a version.
fn watch(version: &str, options: &Options) -> Result<Vec<Finding>> {
    if let Some(program) = &options.client {
        return play(version, program, options);
    }
    let fetched = Fetched::new(version)?;
    let declared = Declared::read(&fetched.code)?;
    let types = Types::read(&published_types(version)?);
    let mut findings = Vec::new();
    if options.record {
        record::write(version, DECLARED, &declared)?;
        record::write(version, Types::TABLE, &types)?;
    } else {
        findings.extend(Finding::between(&record::read(VERSION, DECLARED)?, &declared));
        findings.extend(types.compare(&record::read(VERSION, Types::TABLE)?));
    }
    if !options.declared {
        findings.extend(play(version, &fetched.program, options)?);
    }
    Ok(findings)
}

/// Plays a client. Returns the differences of its observations, or records them.
fn play(version: &str, client: &Path, options: &Options) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let is_chosen =
        |row: &Row| options.event.is_empty() || options.event.iter().any(|chosen| *chosen == row.event.name);
    let mut verdicts = Verdicts::play(client, WORKERS, is_chosen)?;
    if options.record {
        record::write(version, verdict::TABLE, &verdicts.observed)?;
        record::write(version, PAYLOADS, &verdicts.payloads)?;
    } else {
        verdicts.play_doubtful_again(client, WORKERS)?;
        findings.extend(verdicts.compare(is_chosen)?);
        findings.extend(payloads(&verdicts.payloads)?);
    }
    if !options.event.is_empty() {
        return Ok(findings);
    }
    for table in &TABLES {
        match table.play(client) {
            Ok(observed) if options.record => record::write(version, table.name, &observed)?,
            Ok(observed) => findings.extend(table.compare(&observed)?),
            Err(err) => findings.push(table.failed(&err)),
        }
    }
    Ok(findings)
}

/// Reads what the versions of the client declare. Those that were read before are in the cache folder.
fn climb() -> Result<()> {
    let cache = declared_cache()?;
    fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
    let published = published()?;
    let start = Instant::now();
    let ladder = Ladder::climb(published, |version| {
        let kept = cache.join(format!("{version}.json"));
        if let Ok(text) = fs::read_to_string(&kept) {
            return serde_json::from_str(&text).with_context(|| format!("cannot parse {}", kept.display()));
        }
        eprintln!("client {version}: read, {} after the start", readable(start.elapsed()));
        let declared = Declared::read(&Fetched::new(&version.to_string())?.code)?;
        fs::write(&kept, serde_json::to_string(&declared)?)?;
        Ok(declared)
    })?;
    let mut firsts = ladder.firsts();
    see(&mut firsts)?;
    println!("{} versions read, up to {}", firsts.read, firsts.newest);
    let page = repository().join(Firsts::PAGE);
    fs::write(&page, firsts.page()).with_context(|| format!("cannot write {}", page.display()))?;
    record::write("all", VERSIONS, firsts)
}

/// Plays each fact in the first version that declares it, unless it was played there before.
fn see(firsts: &mut Firsts) -> Result<()> {
    let mut known: Firsts = record::read("all", VERSIONS).unwrap_or_default();
    let known: BTreeMap<Fact, First> = known
        .facts()
        .into_iter()
        .map(|(fact, first)| (fact, first.clone()))
        .collect();
    let mut unseen: BTreeMap<String, Vec<(Fact, &mut First)>> = BTreeMap::new();
    for (fact, first) in firsts.facts() {
        let before = known.get(&fact).filter(|before| before.first == first.first);
        first.is_seen = before.is_some_and(|before| before.is_seen);
        if before.is_none() && fact.part != Part::Payload {
            unseen.entry(first.first.clone()).or_default().push((fact, first));
        }
    }
    for (version, facts) in unseen {
        let start = Instant::now();
        let names = facts.iter().map(|(fact, _)| fact.clone()).collect();
        let seen = seen(&Fetched::new(&version)?.program, &names, WORKERS)?;
        eprintln!(
            "client {version}: saw {} of {} facts in {}",
            seen.len(),
            names.len(),
            readable(start.elapsed())
        );
        for (fact, first) in facts {
            first.is_seen = seen.contains(&fact);
        }
    }
    Ok(())
}
