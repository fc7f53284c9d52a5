//! The book's page of hooks: it is written from the definitions that `cargo xtask list` prints.
//!
//! `SNAPSHOTS=overwrite cargo test -p hookkit-tests --test builds catalogue` writes it anew.

use std::fmt::Write;

use hookkit_tests::prelude::*;

const HEAD: &str = include_str!("../../fixtures/pages/catalogue.txt");

const TAIL: &str = "
*This page is written by a test of hookkit, from the documentation of the hooks.*
";

/// Returns a member of a row that is a string.
fn word<'r>(row: &'r Value, member: &str) -> Result<&'r str> {
    row[member].as_str().with_context(|| format!("{row} has no `{member}`"))
}

/// Returns the documentation as a page has it: links within the library are words, and headings are below the hook's.
fn shown(description: &str) -> String {
    let mut is_code = false;
    let lines = description.lines().map(|line| {
        is_code ^= line.starts_with("```");
        match line.strip_prefix("# ") {
            Some(title) if !is_code => format!("#### {title}"),
            _ => line.to_owned(),
        }
    });
    let lines = lines.collect::<Vec<_>>().join("\n").replace("[`", "`");
    let mut shown = String::new();
    for (index, part) in lines.split("`]").enumerate() {
        let target = part.strip_prefix('(').filter(|_| index > 0);
        let target = target.and_then(|part| part.split_once(')'));
        shown += if index > 0 { "`" } else { "" };
        shown += target.map_or(part, |(_, behind)| behind);
    }
    shown
}

/// Returns the events of a hook, each with its matcher.
fn events(row: &Value) -> Result<String> {
    let entries = row["entries"].as_array().context("entries")?;
    let events = entries.iter().map(|entry| {
        // A list of names can be wrapped, and other matchers cannot.
        let matcher = entry["matcher"].as_str().map(|matcher| {
            let is_of_list = |char: char| char.is_alphanumeric() || "_|".contains(char);
            match matcher.chars().all(is_of_list) {
                true => format!(" `{}`", matcher.replace('|', "`, `")),
                false => format!(" `{matcher}`"),
            }
        });
        Ok(word(entry, "event")?.to_owned() + &matcher.unwrap_or_default())
    });
    Ok(events.collect::<Result<Vec<_>>>()?.join("; "))
}

#[test]
fn the_page_of_hooks_is_what_list_prints() -> Result<()> {
    let project = Project::new()?;
    let listed = xtask_ok(repository(), &["list", "--json", "--project", text(project.path())?])?;
    let rows = rows(&listed)?;
    let own = rows.iter().filter(|row| row["kind"] == "own");
    let (mut table, mut sections) = (String::new(), String::new());
    let mut pack = "";
    for row in own {
        let (name, description) = (word(row, "name")?, shown(word(row, "description")?));
        let (first, failure, events) = (
            description.split("\n\n").next().unwrap_or_default().replace('\n', " "),
            word(row, "on_failure")?,
            events(row)?.replace('|', "\\|"),
        );
        if pack != word(row, "package")? {
            pack = word(row, "package")?;
            write!(table, "\n## {pack}\n\n| hook | what it does | on | on failure |\n|---|---|---|---|\n")?;
        }
        writeln!(table, "| [{name}](#{name}) | {first} | {events} | {failure} |")?;
        write!(sections, "\n### {name}\n\n{description}\n")?;
        if let Some(config) = row.get("config") {
            write!(sections, "\n#### Configuration\n\n```json\n{config:#}\n```\n")?;
        }
    }
    let page = format!("{HEAD}{table}\n## What each does\n{sections}{TAIL}");
    hookkit_tests::snapshot("docs/book/src/hooks.md", &page)
}
