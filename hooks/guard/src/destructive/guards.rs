//! Commands of hookkit that turn off guards, and are for a person.

use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the danger of `cargo xtask off`, `allow-once` and `verify --accept`, in each of their forms.
pub(super) fn turn_off(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    let program = program.strip_suffix(".exe").unwrap_or(program);
    if !matches!(program, "cargo" | "cargo-hookkit" | "xtask") {
        return None;
    }
    let words: Vec<&str> = command.arguments().iter().filter_map(Word::literal).collect();
    let words = match program {
        "cargo" => of_cargo(&words)?,
        _ => &words,
    };
    match command_of(words)? {
        "off" | "allow-once" => Some(Danger::deny_of(
            command,
            "turns off hooks that deny commands, which is for the user to do in a terminal",
        )),
        "verify" if words.contains(&"--accept") => Some(Danger::ask_of(
            command,
            "accepts what a checkout runs, which a person reviews",
        )),
        _ => None,
    }
}

/// Returns the command among the arguments of xtask. Options may be before it, with their values.
fn command_of<'w>(words: &[&'w str]) -> Option<&'w str> {
    const COMMANDS: &[&str] = &[
        "add", "allow-once", "backtest", "bench", "completions", "doctor", "explain", "help", "install", "list", "new",
        "off", "on", "outdated", "package", "release", "remove", "run", "stats", "sync", "try", "uninstall", "update",
        "verify",
    ];
    words.iter().copied().find(|word| COMMANDS.contains(word))
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
