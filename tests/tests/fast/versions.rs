//! The facts of hookkit are those that the pinned client declares, and each is as old as the first version that declares it.

use hookkit::protocol::event::EVENTS;
use hookkit::protocol::settings::{HANDLER_TYPES, since};
use hookkit_tests::client::VERSION;
use hookkit_tests::prelude::*;
use hookkit_tests::record;
use hookkit_tests::watch::{Area, DECLARED, Declared, Fact, Firsts};
use semver::Version;

/// Facts that the client declares and hookkit does not have.
const LEFT_OUT: [(&str, &str); 3] = [
    // For the client's own use, with any value: it decides which hooks a session in the cloud may run.
    ("command", "cloud"),
    ("http", "cloud"),
    // `fields` lists keys with the values that are allowed: of this one any is.
    ("mcp_tool", "onFailure"),
];

#[test]
fn the_facts_are_those_that_the_client_declares() -> Result<()> {
    let declared: Declared = record::read(VERSION, DECLARED)?;
    let (ours, theirs) = (Fact::of_protocol(), Fact::declared(&declared));
    let made_up = ours.difference(&theirs).filter(|fact| fact.is_decided_by(&declared));
    assert_eq!(made_up.collect::<Vec<_>>(), Vec::<&Fact>::new());
    let is_left_out = |fact: &Fact| {
        let is_it = |(of, member): &(&str, &str)| *of == fact.of && *member == fact.member;
        fact.area == Area::Payload || LEFT_OUT.iter().any(is_it)
    };
    let unknown = theirs.difference(&ours).filter(|fact| !is_left_out(fact));
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&Fact>::new());
    Ok(())
}

#[test]
fn events_are_as_old_as_the_first_version_that_declares_them() -> Result<()> {
    let firsts = Firsts::recorded()?;
    for event in EVENTS {
        let first = firsts.events.get(event.name).context(event.name)?;
        assert_eq!(event.since, first.first, "{}", event.name);
    }
    Ok(())
}

#[test]
fn keys_of_handlers_are_as_old_as_the_first_version_that_declares_them() -> Result<()> {
    let firsts = Firsts::recorded()?;
    for kind in HANDLER_TYPES {
        let keys = firsts.handlers.get(kind.name).context(kind.name)?;
        for (key, first) in keys.iter().filter(|(key, _)| *key != "cloud") {
            let of_key = since(kind.name, key).map_or(Ok(Version::new(1, 0, 0)), Version::parse)?;
            let both = of_key.max(Version::parse(kind.since)?);
            // Schemas of 1.0.38 to 1.0.40 have the keys in another form.
            let is_oldest = first.first == "1.0.41" && kind.since == "1.0.38";
            let holds = is_oldest || both == Version::parse(&first.first)?;
            assert!(holds, "{}: {key}: {first:?}", kind.name);
        }
    }
    Ok(())
}

/// Returns the version that a text begins with.
fn version_at(text: &str) -> String {
    let version: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    version.trim_end_matches('.').to_owned()
}

/// Returns the facts in doc comments that say since when the client sends a member: the member with the version.
fn in_docs(text: &str) -> Vec<(String, String)> {
    let (mut found, mut docs) = (Vec::new(), String::new());
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            docs += doc;
        } else if !line.starts_with("#[") {
            let name = line.trim_start_matches("pub ").split([':', '?', '(']).next();
            let version = docs.split_once("since client ").map(|(_, rest)| rest);
            let version = version.filter(|rest| !rest.contains("its changelog"));
            found.extend(version.map(|rest| (name.unwrap_or_default().to_owned(), version_at(rest))));
            docs.clear();
        }
    }
    found
}

#[test]
fn docs_of_fields_say_since_when_the_client_sends_them() -> Result<()> {
    let firsts = Firsts::recorded()?;
    let mut compared = 0;
    let folder = repository().join("hookkit/src");
    let events = fs::read_dir(folder.join("event"))?.map(|file| Ok(file?.path()));
    let events = events.collect::<Result<Vec<_>>>()?;
    for file in events.into_iter().chain([folder.join("context.rs")]) {
        for (member, version) in in_docs(&fs::read_to_string(&file)?) {
            let of_member = firsts.payloads.values().filter_map(|members| members.get(&member));
            let versions: Vec<&str> = of_member.map(|first| &*first.first).collect();
            // A word is not in the table.
            if versions.is_empty() && member.contains(" = ") {
                continue;
            }
            compared += 1;
            let file = file.display();
            assert!(versions.contains(&&*version), "{file}: {member}: {version}, not {versions:?}");
        }
    }
    assert!(compared >= 15, "{compared} fields");
    Ok(())
}

#[test]
fn docs_of_answers_say_since_when_the_client_reads_them() -> Result<()> {
    let firsts = Firsts::recorded()?;
    let mut compared = 0;
    for file in ["table.rs", "call.rs", "terminal.rs"] {
        let text = fs::read_to_string(repository().join("hookkit/src/answer").join(file))?.replace("\n    /// ", " ");
        for part in text.split("`, since client ").collect::<Vec<_>>().windows(2) {
            let member = part[0].rsplit('`').next().unwrap_or_default();
            let version = version_at(part[1]);
            let of_member = firsts.answers.values().filter_map(|members| members.get(member));
            let versions: Vec<&str> = of_member.map(|first| &*first.first).collect();
            compared += 1;
            assert!(versions.contains(&&*version), "{file}: {member}: {version}, not {versions:?}");
        }
    }
    assert!(compared >= 6, "{compared} members");
    Ok(())
}

#[test]
fn the_page_of_versions_is_what_the_clients_declare() -> Result<()> {
    let firsts = Firsts::recorded()?;
    let committed = fs::read_to_string(repository().join(Firsts::PAGE))?;
    assert!(committed == firsts.page(), "write it anew: cargo dev watch --ladder");
    Ok(())
}
