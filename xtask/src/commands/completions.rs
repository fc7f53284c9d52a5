//! `cargo xtask completions`: prints a shell's completion script, from clap_complete.

use std::io::{self, Write};

use clap::Command;
use clap_complete::{Shell, generate};

use crate::commands::prelude::*;

/// Name of the program to complete.
const PROGRAM: &str = "cargo-hookkit";

#[derive(Args)]
#[command(after_help = "\
The script is for the installed binary cargo-hookkit, so that TAB runs no code of a checkout:
  bash        source <(cargo-hookkit completions bash)                 in ~/.bashrc
  zsh         source <(cargo-hookkit completions zsh)                  in ~/.zshrc, after compinit
  fish        cargo-hookkit completions fish | source                  in ~/.config/fish/config.fish
  elvish      eval (cargo-hookkit completions elvish | slurp)          in ~/.config/elvish/rc.elv
  powershell  cargo-hookkit completions powershell | Out-String | Invoke-Expression   in $PROFILE")]
pub(crate) struct Options {
    /// The shell to print a script for
    shell: Shell,
}

pub(crate) fn run(options: &Options, mut cli: Command) -> Result<Done> {
    let mut script = Vec::new();
    // In clap_complete 4.6, bash completes no options if the program's name has a hyphen.
    let name = if options.shell == Shell::Bash { "cargo_hookkit" } else { PROGRAM };
    generate(options.shell, &mut cli, name, &mut script);
    let script = String::from_utf8(script)?.replace("default cargo_hookkit\n", &format!("default {PROGRAM}\n"));
    // The script contains characters that `print` would escape.
    match io::stdout().write_all(script.as_bytes()) {
        Err(err) if err.kind() == io::ErrorKind::BrokenPipe => {}
        written => written?,
    }
    Ok(Done::Clean)
}
