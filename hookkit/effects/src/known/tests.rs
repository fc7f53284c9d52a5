use hookkit_shell::analyze;

use super::*;
use crate::deletes;

fn effect(line: &str) -> &'static str {
    let script = analyze(line);
    let [command] = script
        .all_commands()
        .unwrap_or_else(|parts| panic!("{line}: {parts:?}"))
    else {
        panic!("one command: {line}")
    };
    match () {
        () if reads(command).is_some() => "reads",
        () if builds(command).is_some() => "builds",
        () if edits(command).is_some() => "edits",
        () if deletes(command) => "deletes",
        () => "none",
    }
}

#[test]
fn a_command_has_the_effect_of_its_row() {
    test_support::lines!("lines/effects.txt").check(|_, line| effect(line).into());
}

#[test]
fn a_row_says_what_its_operands_are_and_by_which_settings_it_goes() {
    let known = |line| {
        let script = analyze(line);
        let command = &script.commands()[0];
        reads(command).or_else(|| builds(command)).unwrap()
    };
    assert_eq!(known("aws logs tail /aws/lambda/x").operands, Operands::Names);
    assert_eq!(known("docker compose -f x.yaml ps").operands, Operands::Files);
    assert_eq!(known("npm ls").settings().collect::<Vec<_>>(), [".npmrc"]);
    assert_eq!(known("gh pr list").settings().collect::<Vec<_>>(), [".git"]);
    // What it can is not asked of anybody.
    assert_eq!(known("npm --version").settings().count(), 0);
}

#[test]
fn a_row_has_known_parts_and_options_once() {
    let rows = include_str!("../table.txt").split_inclusive("\n").fold(Vec::new(), |mut rows: Vec<String>, line| {
        match line.starts_with(' ') {
            true => rows.last_mut().unwrap().push_str(line),
            false => rows.push(line.to_owned()),
        }
        rows
    });
    let rows = rows.iter().filter_map(|row| row.split_once("\n    "));
    for (names, row) in rows {
        let mut found = Vec::new();
        for one in row.split('[').skip(1) {
            let (name, words) = one.split_once(']').unwrap_or_else(|| panic!("{names}: {one}"));
            assert!(!found.contains(&name), "{names}: {name} is there twice");
            found.push(name);
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            let fits = match name {
                "reads" | "builds" | "edits" | "groups" | "unless" | "settings" | "asked" | "helpful" => true,
                "before" => words.iter().all(|word| is_option(word)),
                "options" => words.iter().all(|word| is_option(word) || matches!(*word, "*" | "+")),
                "needs" => words.iter().all(|word| is_option(word)),
                "words" => words.first().is_some_and(|form| Form::named(form).is_some()),
                _ => false,
            };
            assert!(fits, "{names}: [{one}");
            if name == "options" || name == "before" {
                let mut once = words.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), words.len(), "{names}: [{one}");
            }
        }
    }
}
