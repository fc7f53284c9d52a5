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
            "cargo xtask on deny-destruction", "cargo xtask explain ls", "cargo xtask list --for PreToolUse:Bash",
            "cargo xtask run off", "cargo run -- off", "cargo run -p light -- off", "cargo hookkit sync",
            "cargo-hookkit doctor", "echo cargo xtask off", "git commit -m 'cargo xtask off'", "grep -r off xtask",
        ] {
            assert_eq!(severity(line), None, "{line}");
        }
    }
}
