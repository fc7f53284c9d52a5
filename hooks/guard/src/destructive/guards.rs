//! Commands of hookkit that are for a person.

use hookkit::effects::for_person;
use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the danger of a command of hookkit that takes a guard away or accepts code, by any spelling of the program.
pub(super) fn turn_off(command: &Command) -> Option<Danger> {
    let words: Vec<&str> = command.arguments().iter().filter_map(Word::literal).collect();
    let mut rest = of_program(command.program()?, &words)?;
    loop {
        let at = rest.iter().position(|word| !word.starts_with('-'))?;
        if let Some(row) = for_person(&rest[at..]) {
            return Some(Danger::deny_of(
                command,
                &format!("{}, which is for the user to do in a terminal", row.does),
            ));
        }
        // It may be the value of an option, or the name that cargo gives to its subcommands.
        let is_value = rest[at] == "hookkit" || at > 0 && rest[at - 1] != "--";
        rest = is_value.then(|| &rest[at + 1..])?;
    }
}

/// Returns the arguments that hookkit's own program gets from a command.
fn of_program<'w, 's>(program: &str, words: &'s [&'w str]) -> Option<&'s [&'w str]> {
    match program.strip_suffix(".exe").unwrap_or(program) {
        "cargo-hookkit" | "hookkit-xtask" | "xtask" => Some(words),
        "cargo" => of_cargo(words),
        "rustup" => {
            let at = words.iter().position(|word| *word == "cargo")?;
            of_cargo(&words[at + 1..])
        }
        _ => None,
    }
}

/// Returns the arguments that cargo gives to xtask.
fn of_cargo<'w, 's>(words: &'s [&'w str]) -> Option<&'s [&'w str]> {
    let behind = |names: &[&str]| {
        let at = words.iter().position(|word| names.contains(word))?;
        Some(&words[at + 1..])
    };
    let is_xtask = |word: &&str| {
        let value = word.rsplit('=').next().unwrap_or_default();
        let value = value.strip_prefix("-p").unwrap_or(value);
        matches!(value, "xtask" | "hookkit-xtask" | "cargo-hookkit" | "hookkit_xtask")
            || value.ends_with("xtask/Cargo.toml")
    };
    // `run` also without `--`: cargo gives the program what it does not know.
    let by_run = || {
        let words = behind(&["run", "r"])?;
        let at = words.iter().rposition(is_xtask)?;
        let end = words.iter().position(|word| *word == "--");
        Some(&words[end.unwrap_or(at) + 1..])
    };
    behind(&["xtask", "hookkit"]).or_else(by_run)
}
