//! The scripts that complete commands in a shell; bash, which each machine has, runs its own.

use hookkit_tests::prelude::*;

#[test]
fn bash_completes_commands_options_and_their_values() -> Result<()> {
    let ask = "COMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_cargo_hookkit \"$1\" \"${@: -1}\" \"${@: -2:1}\"\n\
               echo \"${COMPREPLY[*]}\"\n";
    let script = xtask_ok(repository(), &["completions", "bash"])? + ask;
    for (line, expected) in [
        ("unin", "uninstall\n"),
        ("install --chec", "--check\n"),
        ("install --scope m", "managed\n"),
        ("new hook --ev", "--event\n"),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &script, "bash", "cargo-hookkit"]).args(line.split(' '));
        assert_eq!(bash.out(0)?, expected, "{line}");
    }
    Ok(())
}

#[test]
fn each_shell_has_a_script() -> Result<()> {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = xtask_ok(repository(), &["completions", shell])?;
        for word in ["cargo-hookkit", "uninstall", "frozen"] {
            script.has(word);
        }
        script.lacks("default cargo_hookkit");
    }
    Ok(())
}
