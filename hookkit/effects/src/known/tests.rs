use hookkit_shell::analyze;

use super::*;
use crate::deletes;

fn effect(line: &str) -> &'static str {
    let script = analyze(line);
    let [command] = script.all_commands().unwrap_or_else(|parts| panic!("{line}: {parts:?}")) else {
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
    // Its own settings do not matter here.
    assert_eq!(known("npm --version").settings().count(), 0);
}
