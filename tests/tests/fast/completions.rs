//! The scripts that complete commands in a shell, run by bash, which each machine has.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::xtask::{command, repository, xtask_ok};

/// Returns what bash suggests at the end of a command line, in a folder.
fn suggested(folder: &Path, line: &str) -> Result<Vec<String>> {
    let programs = test_support::folder();
    symlink(
        command(folder, &[])?.get_program(),
        programs.path().join("cargo-hookkit"),
    )?;
    let script = "source <(cargo-hookkit completions bash)\n\
                  IFS=' ' read -ra COMP_WORDS <<< \"$1\"\n\
                  [[ $1 == *' ' ]] && COMP_WORDS+=('')\n\
                  COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n\
                  _cargo_hookkit_with_values cargo-hookkit \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n\
                  printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash", line])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.path().display()))
        .env_remove("CARGO_TARGET_DIR")
        .output()?;
    let stderr = String::from_utf8(output.stderr)?;
    ensure!(output.status.success() && stderr.is_empty(), "{line}: {stderr}");
    let lines = String::from_utf8(output.stdout)?;
    Ok(lines
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

#[test]
fn bash_completes_commands_options_and_names() -> Result<()> {
    let project = Project::named("")?;
    let target = project.path().join("target/hookkit");
    fs::create_dir_all(&target)?;
    fs::write(
        target.join("names"),
        "hook guard-files acme\nhook guard-$(touch ran) acme\nhook lint acme\npack acme\n",
    )?;
    let inner = project.path().join("src");
    fs::create_dir_all(&inner)?;
    for folder in [project.path(), &inner] {
        for (line, expected) in [
            ("cargo-hookkit unin", &["uninstall"][..]),
            ("cargo-hookkit install --hook gua", &["guard-files"]),
            ("cargo-hookkit hookkit install --hook l", &["lint"]),
            ("cargo-hookkit install --pack ", &["acme"]),
            ("cargo-hookkit install --chec", &["--check"]),
            ("cargo-hookkit doctor --explain unq", &["unquoted-path"]),
            (
                "cargo-hookkit install --scope ",
                &["project", "local", "user", "managed"],
            ),
            ("cargo-hookkit run lint --tool NotebookE", &["NotebookEdit"]),
            (
                "cargo-hookkit new hook acme/a --event Worktree",
                &["WorktreeCreate", "WorktreeRemove"],
            ),
        ] {
            assert_eq!(suggested(folder, line)?, expected, "{line}");
        }
    }
    assert!(!project.path().join("ran").exists() && !inner.join("ran").exists());
    // It has built nothing, and read nothing else.
    assert_eq!(fs::read_dir(&target)?.count(), 1);
    Ok(())
}

#[test]
fn each_shell_has_a_script() -> Result<()> {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = xtask_ok(repository(), &["completions", shell])?;
        for word in ["cargo-hookkit", "uninstall", "frozen"] {
            assert!(script.contains(word), "{shell} has no {word}");
        }
    }
    Ok(())
}
