//! The page of the book with the first version of each fact.

use std::collections::BTreeMap;

use hookkit::protocol::event::event;
use hookkit::protocol::settings::UNKNOWN_EVENTS_SINCE;
use semver::Version;

use super::{First, Firsts};

const HEAD: &str = include_str!("../../fixtures/pages/versions.txt");

impl Firsts {
    /// The path of the page in this repository.
    pub const PAGE: &str = "docs/book/src/versions.md";

    /// Returns the page.
    pub fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        page += &format!("{} versions were read, up to {}.\n\n## Events\n\n", self.read, self.newest);
        page += "| event | first version | the one before | seen | what that one does |\n|---|---|---|---|---|\n";
        for (name, first) in &self.events {
            // If so, the version before is older than the client that ignores unknown events.
            let version = |text| Version::parse(text).ok();
            let does = event(name).map_or("", |event| match version(event.since) <= version(UNKNOWN_EVENTS_SINCE) {
                true => "drops the file",
                false => "ignores the entry, with a dialog at each start",
            });
            page += &format!("{} {does} |\n", row(name, first).trim_end());
        }
        page += &table("Payloads", "event", "member", &self.payloads);
        page += &table("Answers", "event", "member", &self.answers);
        page += &table("Handlers", "type", "key", &self.handlers);
        page
    }
}

fn row(name: &str, first: &First) -> String {
    let before = first.before.as_deref().unwrap_or("–");
    let seen = if first.is_seen { "✓" } else { "" };
    format!("| {name} | {} | {before} | {seen} |\n", first.first)
}

fn table(title: &str, of: &str, member: &str, objects: &BTreeMap<String, BTreeMap<String, First>>) -> String {
    let mut table =
        format!("\n## {title}\n\n| {of} | {member} | first version | the one before | seen |\n|---|---|---|---|---|\n");
    for (name, members) in objects {
        let name = if name.is_empty() { "every event" } else { name };
        for (member, first) in members {
            let cells = format!("{name} | `{member}`");
            table += &match first.is_old() {
                true => format!("| {cells} | {} or older | | |\n", First::OLDEST),
                false => row(&cells, first),
            };
        }
    }
    table
}
