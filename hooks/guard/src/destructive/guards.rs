//! Commands of hookkit that turn off guards, and are for a person.

use hookkit::shell::{Command, Word};

use super::Danger;

/// Returns the danger of `cargo xtask off` and `allow-once`, in each of their forms.
pub(super) fn turn_off(command: &Command) -> Option<Danger> {
    let words: Vec<&str> = command.arguments().iter().filter_map(Word::literal).collect();
    let is_off = match command.program()?.trim_end_matches(".exe") {
        "xtask" | "cargo-hookkit" => begins(&words),
        "cargo" => by_cargo(&words),
        _ => return None,
    };
    is_off.then(|| {
        Danger::deny(format!(
            "`{command}` turns off hooks that deny commands, which is for the user to do in a terminal"
        ))
    })
}

/// Returns `true` if these are the arguments of xtask with such a command. Options may be before it, with their values.
fn begins(words: &[&str]) -> bool {
    const OTHERS: &[&str] = &[
        "add",
        "backtest",
        "bench",
        "completions",
        "doctor",
        "explain",
        "help",
        "install",
        "list",
        "new",
        "on",
        "outdated",
        "package",
        "release",
        "remove",
        "run",
        "stats",
        "sync",
        "try",
        "uninstall",
        "update",
        "verify",
    ];
    let is_off = |word: &str| matches!(word, "off" | "allow-once");
    let command = words.iter().find(|word| is_off(word) || OTHERS.contains(word));
    command.is_some_and(|word| is_off(word))
}

fn by_cargo(words: &[&str]) -> bool {
    let behind = |names: &[&str]| {
        words
            .iter()
            .position(|word| names.contains(word))
            .map(|at| &words[at + 1..])
    };
    // `run` also without `--`: cargo gives the program what it does not know.
    let is_xtask = |word: &&str| {
        let value = word.rsplit('=').next().unwrap_or_default();
        let value = value.strip_prefix("-p").unwrap_or(value);
        matches!(value, "xtask" | "hookkit-xtask" | "cargo-hookkit" | "hookkit_xtask")
            || value.ends_with("xtask/Cargo.toml")
    };
    let is_run = || {
        let words = behind(&["run", "r"])?;
        Some(words.iter().any(is_xtask) && words.iter().any(|word| begins(&[word])))
    };
    behind(&["xtask", "hookkit"]).is_some_and(begins) || is_run() == Some(true)
}

#[cfg(test)]
mod tests {
    use hookkit::{Context, Environment};

    use crate::destructive::{Allowed, Severity, judge};

    #[test]
    fn turning_off_a_guard_is_denied_and_all_other_commands_of_hookkit_pass() {
        let severity = |line: &str| {
            let mut context = Context::default();
            context.project_dir = "/code/project".into();
            context.cwd = "/code/project".into();
            judge(line, &context, Environment::default(), &Allowed::default()).map(|danger| danger.severity)
        };
        for line in [
            "cargo xtask off deny-destruction",
            "cargo xtask allow-once 'rm -rf ~'",
            "cargo hookkit off deny-destruction --for 2h",
            "cargo-hookkit off deny-destruction",
            "cargo-hookkit hookkit off deny-destruction",
            "cargo +nightly --quiet --config x.toml xtask off deny-destruction",
            "cargo --manifest-path ../x/Cargo.toml xtask allow-once x",
            "cargo run -p xtask -- off deny-destruction",
            "cargo run --quiet --package=hookkit-xtask --bin xtask -- allow-once x",
            "cargo r -pxtask off deny-destruction",
            "cargo run --manifest-path xtask/Cargo.toml -- off x",
            "target/debug/xtask off deny-destruction",
            "~/.cargo/bin/cargo-hookkit off x",
            "cd ../hooks && env -u CLAUDECODE cargo xtask off x",
            "sh -c 'cargo xtask off x'",
            "yes | setsid -f nohup cargo xtask off x",
            "c=off; cargo xtask $c x",
        ] {
            assert_eq!(severity(line), Some(Severity::Deny), "{line}");
        }
        for line in [
            "cargo xtask on deny-destruction",
            "cargo xtask explain ls",
            "cargo xtask list --for PreToolUse:Bash",
            "cargo xtask run off",
            "cargo run -- off",
            "cargo run -p light -- off",
            "cargo hookkit sync",
            "cargo-hookkit doctor",
            "echo cargo xtask off",
            "git commit -m 'cargo xtask off'",
            "grep -r off xtask",
        ] {
            assert_eq!(severity(line), None, "{line}");
        }
    }
}
