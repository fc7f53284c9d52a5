//! Commands of hookkit that only a person may run.

use hookkit::effects::for_person;

use super::{Places, ask, deny};
use crate::prelude::*;

/// Placeholder for a word that is not literal.
const UNKNOWN: &str = "\0";

/// Returns the danger of a command of hookkit that removes a guard or accepts code, however the program is spelled.
pub(super) fn turn_off(command: &Command, places: &Places) -> Option<Found> {
    let words = literals(command);
    if sets_alias(command, &words) {
        return ask(command, "may remove a guard: it sets a cargo alias");
    }
    if let ["uninstall", names @ ..] = &words[..]
        && command.is("cargo")
        && names.iter().any(|name| is_own(name))
    {
        return deny(command, "removes hookkit's program, which only the user may do");
    }
    let mut rest = of_program(command.program()?, &words, places)?;
    loop {
        let at = rest.iter().position(|word| !word.starts_with('-'))?;
        if let Some(row) = for_person(&rest[at..]).filter(|_| !prints_help(&rest[at..])) {
            return deny(command, &format!("{}, which only the user may do, in a terminal", row.does));
        }
        // The word may be the value of an option, or the name that cargo gives to its subcommands.
        let is_value = rest[at] == "hookkit" || at > 0 && rest[at - 1] != "--";
        if !is_value && rest[at] == UNKNOWN {
            return ask(command, "may remove a guard: its subcommand is computed; spell it out");
        }
        rest = is_value.then(|| &rest[at + 1..])?;
    }
}

/// Returns `true` if a command of hookkit only prints its help.
fn prints_help(words: &[&str]) -> bool {
    words.iter().take_while(|word| !matches!(**word, "--" | UNKNOWN)).any(|word| lists("--help -h", word))
}

/// Returns `true` if a command sets a cargo alias, which may run hookkit's own program.
fn sets_alias(command: &Command, words: &[&str]) -> bool {
    let options = || words.join(" ").replace('=', " ");
    command.is("cargo") && options().contains("--config alias")
        || assigned(command).any(|(name, _)| name.starts_with("CARGO_ALIAS_"))
}

fn literals(command: &Command) -> Vec<&str> {
    command.arguments().iter().map(|word| word.literal().unwrap_or(UNKNOWN)).collect()
}

/// Returns the arguments that a command gives to hookkit's own program.
fn of_program<'w, 's>(program: &str, words: &'s [&'w str], places: &Places) -> Option<&'s [&'w str]> {
    match program.strip_suffix(".exe").unwrap_or(program) {
        "cargo" => of_cargo(words, places),
        "rustup" => {
            let at = words.iter().position(|word| *word == "run")? + 2;
            of_program(base(words.get(at)?), &words[at + 1..], places)
        }
        // `nix run .#xtask`
        program => is_own(after_last(program, '#')).then_some(words),
    }
}

fn is_own(program: &str) -> bool {
    matches!(program, "cargo-hookkit" | "hookkit-xtask" | "hookkit_xtask" | "xtask")
}

/// Returns the arguments that cargo gives to xtask.
fn of_cargo<'w, 's>(words: &'s [&'w str], places: &Places) -> Option<&'s [&'w str]> {
    // Each part of a path, a URL or a version counts: `./xtask/Cargo.toml`, `-pxtask`, `path+file:///x/xtask#0.1.0`.
    let is_xtask = |word: &&str| parts(word, "-_").any(|part| is_own(part.strip_prefix("-p").unwrap_or(part)));
    let of_name = ["-C", "-p", "--bin", "--package"];
    let is_subcommand =
        |at: &usize| matches!(words[*at], "xtask" | "hookkit") && (*at == 0 || !of_name.contains(&words[at - 1]));
    if let Some(at) = (0..words.len()).find(is_subcommand) {
        return Some(&words[at + 1..]);
    }
    // `run` works without `--`, too: cargo passes on unknown arguments.
    let words = words.strip_prefix(&["nextest", "run"]).unwrap_or(words);
    let run = words.iter().position(|word| lists("r run", word))?;
    let own = words.iter().rposition(is_xtask).or_else(|| places.may_be_in("xtask").then_some(run))?;
    Some(&words[words.iter().position(|word| *word == "--").unwrap_or(run.max(own)) + 1..])
}
