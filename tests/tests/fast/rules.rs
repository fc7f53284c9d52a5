//! `doctor` reports the permission rules that let calls through, as they were recorded of the client.

use hookkit_tests::prelude::*;
use hookkit_tests::record::Record;
use hookkit_tests::rules::{key, settings, table};

#[test]
fn each_call_has_its_recorded_outcome() -> Result<()> {
    let record = Record::<String>::read("rules")?;
    let table = table();
    let sections = table.sections.iter();
    let keys = sections.flat_map(|section| section.rows.iter().map(|row| key(section, row)));
    let keys: Vec<String> = keys.collect();
    assert_eq!(record.gaps(keys.iter().map(String::as_str)), Vec::<String>::new());
    table.check(|section, line| record.rows[&format!("{} {line}", section.name)].clone());
    Ok(())
}

#[test]
fn doctor_reports_the_rules_that_let_a_call_through() -> Result<()> {
    let world = World::new()?;
    let mut wrong = Vec::new();
    for section in &table().sections {
        world.project.write(".claude/settings.json", settings(section)?)?;
        let found = world.ask(&[])?.findings().len();
        // An `allow` for files that matches nothing has the user asked.
        let through: &[&str] = match () {
            // Another call ran.
            () if section.name.contains("updatedInput") => &[],
            () if section.name.contains("\"deny\"") || section.name.contains("\"ask\"") => &["ran", "read"],
            () if section.name.contains("Bash(") => &["ran"],
            () => &["asked"],
        };
        let lets_through = section.rows.iter().any(|row| through.contains(&&*row.expected[0]));
        if (found > 0) != lets_through {
            wrong.push(format!("{}: {found} findings", section.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
