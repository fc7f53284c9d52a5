//! The facts of hookkit are those that the pinned client declares, and each is as old as the first version that declares it.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use hookkit::protocol::event::EVENTS;
use hookkit::protocol::settings::{HANDLER_TYPES, since};
use hookkit_tests::client::VERSION;
use hookkit_tests::record;
use hookkit_tests::watch::{DECLARED, Declared, Fact, First, Firsts, Part, VERSIONS};
use hookkit_tests::xtask::repository;
use semver::Version;

/// Facts that the client declares and hookkit does not have.
const LEFT_OUT: [(&str, &str, &str); 3] = [
    // For the client's own use, with any value: it decides which hooks a session in the cloud may run.
    ("command", "cloud", "2.1.242"),
    ("http", "cloud", "2.1.242"),
    // `fields` lists keys with the values that are allowed: of this one any is.
    ("mcp_tool", "onFailure", "2.1.328"),
];

#[test]
fn the_facts_are_those_that_the_client_declares() -> Result<()> {
    let declared: Declared = record::read(VERSION, DECLARED)?;
    let (ours, theirs) = (Fact::of_protocol(), Fact::declared(&declared));
    let made_up = ours.difference(&theirs).filter(|fact| fact.is_decided_by(&declared));
    assert_eq!(made_up.collect::<Vec<_>>(), Vec::<&Fact>::new());
    let is_left_out = |fact: &Fact| {
        fact.part == Part::Payload
            || LEFT_OUT
                .iter()
                .any(|(of, member, _)| *of == fact.of && *member == fact.member)
    };
    let unknown = theirs.difference(&ours).filter(|fact| !is_left_out(fact));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&Fact>::new());
    Ok(())
}

#[test]
fn events_are_as_old_as_the_first_version_that_declares_them() -> Result<()> {
    let firsts: Firsts = record::read("all", VERSIONS)?;
    for event in EVENTS {
        let first = firsts.events.get(event.name).context(event.name)?;
        assert_eq!(event.since, first.first, "{}", event.name);
    }
    Ok(())
}

#[test]
fn keys_of_handlers_are_as_old_as_the_first_version_that_declares_them() -> Result<()> {
    let firsts: Firsts = record::read("all", VERSIONS)?;
    for kind in HANDLER_TYPES {
        let keys = firsts.handlers.get(kind.name).context(kind.name)?;
        for (key, first) in keys.iter().filter(|(key, _)| *key != "cloud") {
            let of_key = since(kind.name, key).map_or(Ok(Version::new(1, 0, 0)), Version::parse)?;
            let both = of_key.max(Version::parse(kind.since)?);
            // Schemas of 1.0.38 to 1.0.40 have the keys in another form.
            let is_oldest = first.first == "1.0.41" && kind.since == "1.0.38";
            assert!(
                is_oldest || both == Version::parse(&first.first)?,
                "{}: {key}: {first:?}",
                kind.name
            );
        }
    }
    Ok(())
}

const HEAD: &str = "\
# Versions of the client

The first version of Claude Code that has each event, each member of an answer, and each key of a handler.
An older one ignores the member or the key. Up to 2.1.100 it drops a whole settings file that has an event which it does not
know, and any version drops one with an unknown type of handler on PreToolUse or PermissionRequest.
`cargo xtask install` and `cargo xtask doctor` say which hooks need a newer client than the installed one.

Each version was read from two clients, published one after the other: the code of the first declares the fact, the code of
the one before does not. (Versions between them were never published.) A ✓ says more: in a session of the first version, the
client did with it what new versions do. Without a ✓ the session did not show it; for most facts no session without a
terminal can, or those versions cannot play it.
A – means that the oldest clients with hooks have it.

`cargo dev watch --ladder` reads the versions that were published since, and plays the facts that are new.
";

fn row(page: &mut String, names: &[&str], first: &First) -> Result<()> {
    let before = first.before.as_deref().unwrap_or("–");
    let seen = if first.is_seen { "✓" } else { "" };
    writeln!(page, "| {} | {} | {before} | {seen} |", names.join(" | "), first.first)?;
    Ok(())
}

fn tables(title: &str, of: &str, member: &str, objects: &BTreeMap<String, BTreeMap<String, First>>) -> Result<String> {
    let mut page =
        format!("\n## {title}\n\n| {of} | {member} | first version | the one before | seen |\n|---|---|---|---|---|\n");
    for (name, members) in objects {
        for (member, first) in members {
            let name = if name.is_empty() { "every event" } else { name };
            row(&mut page, &[name, &format!("`{member}`")], first)?;
        }
    }
    Ok(page)
}

#[test]
fn the_page_of_versions_is_what_the_clients_declare() -> Result<()> {
    let firsts: Firsts = record::read("all", VERSIONS)?;
    let mut page = HEAD.to_owned();
    writeln!(
        page,
        "{} versions were read, up to {}.\n\n## Events\n",
        firsts.read, firsts.newest
    )?;
    page += "| event | first version | the one before | seen |\n|---|---|---|---|\n";
    for (event, first) in &firsts.events {
        row(&mut page, &[event], first)?;
    }
    page += &tables("Answers", "event", "member", &firsts.answers)?;
    page += &tables("Handlers", "type", "key", &firsts.handlers)?;
    let path = repository().join("docs/book/src/versions.md");
    if env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        fs::write(&path, &page)?;
    }
    let committed = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    assert!(committed == page, "write {} anew: SNAPSHOTS=overwrite", path.display());
    Ok(())
}
