//! `cargo xtask completions`: what a shell suggests after TAB.
//!
//! clap_complete writes the part that never changes: commands and options. What can be behind an option, or in place of
//! an argument, depends on the folder; for bash, zsh and fish a part of ours asks for it each time, by `--values`.
//! That builds nothing and runs nothing: names of hooks and packs are those of the last build here.

use std::env;
use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use hookkit_protocol::event::EVENTS;
use hookkit_protocol::tool::BUILT_IN;

use crate::binaries::names::Names;
use crate::settings::code::ROWS;

pub(crate) const HELP: &str = "\
The script is for the installed binary cargo-hookkit, so that TAB runs no code of a checkout:
  bash        source <(cargo-hookkit completions bash)                 in ~/.bashrc
  zsh         source <(cargo-hookkit completions zsh)                  in ~/.zshrc, after compinit
  fish        cargo-hookkit completions fish | source                  in ~/.config/fish/config.fish
  elvish      eval (cargo-hookkit completions elvish | slurp)          in ~/.config/elvish/rc.elv
  powershell  cargo-hookkit completions powershell | Out-String | Invoke-Expression   in $PROFILE

zsh and fish then complete `cargo hookkit` and `cargo xtask`, too.
bash, zsh and fish also complete the names of hooks, packs, events and tools, and doctor's codes.";

/// The program that is completed.
const PROGRAM: &str = "cargo-hookkit";

#[derive(Args)]
pub(crate) struct Options {
    /// The shell to print a script for
    #[arg(required_unless_present = "values")]
    shell: Option<Shell>,
    /// Print what can follow these words of a command line, one name a line: for the scripts
    #[arg(long, hide = true, conflicts_with = "shell")]
    values: bool,
    #[arg(last = true, hide = true)]
    words: Vec<String>,
}

pub(crate) fn run(options: &Options, cli: Command) -> Result<()> {
    let mut text = Vec::new();
    if options.values {
        for value in values(&options.words, &cli, &Names::of_last_build(&env::current_dir()?)) {
            writeln!(text, "{value}")?;
        }
    } else {
        let shell = options.shell.context("a shell is named")?;
        // clap_complete 4.6 completes no options for bash where the program's name has a hyphen. The name is only for its own
        // functions there: bash.sh says for which program they are.
        let name = match shell {
            Shell::Bash => "cargo_hookkit",
            _ => PROGRAM,
        };
        generate(shell, &mut cli.name(name), name, &mut text);
        text.extend(match shell {
            Shell::Bash => include_bytes!("completions/bash.sh").to_vec(),
            Shell::Zsh => include_bytes!("completions/zsh.zsh").to_vec(),
            Shell::Fish => fish().into_bytes(),
            _ => Vec::new(),
        });
    }
    // A script has characters that `print` would escape.
    match io::stdout().write_all(&text) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Names that are known in advance, or from the last build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameKind {
    Hooks,
    Packs,
    /// Packs that are not of this workspace.
    ForeignPacks,
    Events,
    Tools,
    Codes,
}

/// The options that take such a name: the command, and the option. `None` is an argument without one.
const TAKES: &[(&str, Option<&str>, NameKind)] = &[
    ("install", Some("hook"), NameKind::Hooks),
    ("install", Some("pack"), NameKind::Packs),
    ("list", Some("for"), NameKind::Events),
    ("remove", None, NameKind::ForeignPacks),
    ("outdated", None, NameKind::ForeignPacks),
    ("update", None, NameKind::ForeignPacks),
    ("run", None, NameKind::Hooks),
    ("run", Some("event"), NameKind::Events),
    ("run", Some("tool"), NameKind::Tools),
    ("new", Some("event"), NameKind::Events),
    ("off", None, NameKind::Hooks),
    ("on", None, NameKind::Hooks),
    ("doctor", Some("explain"), NameKind::Codes),
];

/// Returns the names that can follow these words.
fn values(words: &[String], cli: &Command, names: &Names) -> Vec<String> {
    // cargo and some shells give the name of the command as a word, and bash an `=` of its own.
    let mut words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "=").collect();
    if words.first().is_some_and(|first| ["hookkit", "xtask"].contains(first)) {
        words.remove(0);
    }
    let Some((name, rest)) = words.split_first() else {
        return Vec::new();
    };
    let Some(command) = cli.find_subcommand(name) else {
        return Vec::new();
    };
    let takes = |option| {
        let mut takes = TAKES.iter();
        takes
            .find(|(of, known, _)| of == name && *known == option)
            .map(|found| found.2)
    };
    let option = rest.last().and_then(|last| last.strip_prefix("--"));
    // An option of a command's own command, as of `new hook`, is known to the table only.
    let kind = match option {
        Some(option) if takes(Some(option)).is_some() => takes(Some(option)),
        Some(option) if takes_value(command, option) => None,
        _ if arguments(command, rest) < most(command) => takes(None),
        _ => None,
    };
    match kind {
        None => Vec::new(),
        Some(NameKind::Hooks) => names.hooks.keys().cloned().collect(),
        Some(NameKind::Packs) => names.packs.clone(),
        Some(NameKind::ForeignPacks) => names.foreign.clone(),
        Some(NameKind::Events) => EVENTS.iter().map(|event| event.name.to_owned()).collect(),
        Some(NameKind::Codes) => ROWS.iter().map(|row| row.name.to_owned()).collect(),
        Some(NameKind::Tools) => BUILT_IN.iter().map(|tool| (*tool).to_owned()).collect(),
    }
}

fn takes_value(command: &Command, option: &str) -> bool {
    let mut options = command.get_arguments();
    options.any(|arg| arg.get_long() == Some(option) && arg.get_action().takes_values())
}

/// Returns how many of the words are arguments, and not options or their values.
fn arguments(command: &Command, words: &[&str]) -> usize {
    let mut count = 0;
    let mut is_value = false;
    for word in words {
        let option = word.strip_prefix("--");
        count += usize::from(!is_value && !word.starts_with('-'));
        is_value = option.is_some_and(|option| takes_value(command, option));
    }
    count
}

/// Returns how many arguments can be such names.
fn most(command: &Command) -> usize {
    let mut positionals = command.get_positionals();
    match positionals.next().map(|first| first.get_action()) {
        Some(clap::ArgAction::Append) => usize::MAX,
        _ => 1,
    }
}

/// Returns what fish needs, where each option has a line of its own.
fn fish() -> String {
    let mut script = include_str!("completions/fish.fish").to_owned();
    for (command, option, _) in TAKES {
        let option = option.map_or_else(String::new, |option| format!(" -l {option} -r"));
        script += &format!(
            "complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command}'{option} -f -a '(__fish_cargo_hookkit_values)'\n"
        );
    }
    script
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn names() -> Names {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Names {
            hooks: ["guard", "lint"]
                .map(|hook| (hook.to_owned(), "acme".to_owned()))
                .into(),
            packs: names(&["acme", "mid"]),
            foreign: names(&["mid"]),
        }
    }

    #[test]
    fn values_follow_the_options_and_arguments_that_take_them() {
        let values = |words: &str| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            values(&words, &crate::Cli::command(), &names())
        };
        let lines = test_support::lines!("lines/completions.txt");
        lines.check_section("values of the workspace", |words| values(words).join(" "));
        for row in &lines.section("one of the values").rows {
            assert!(values(&row.line).contains(&row.expected[0]), "{row:?}");
        }
    }

    #[test]
    fn the_table_names_commands_and_options_that_exist() {
        let cli = crate::Cli::command();
        for (name, option, _) in TAKES {
            let command = cli.find_subcommand(name).expect("a command");
            let of_command = |command: &Command| match option {
                Some(option) => takes_value(command, option),
                None => command.get_positionals().next().is_some(),
            };
            assert!(
                of_command(command) || command.get_subcommands().any(of_command),
                "{name} {option:?}"
            );
        }
    }
}
