//! The offer of `install` to add the Rust target with which hooks start fastest.

use hookkit_tests::keyboard;
use hookkit_tests::prelude::*;
use tempfile::TempDir;

/// A toolchain without the target, and a rustup that adds it to the toolchain, or fails where a file `offline` is.
struct Machine(TempDir);

/// Prints the toolchain's folders, logs what cargo asks about a target, and compiles nothing.
const RUSTC: &str = include_str!("../../fixtures/sources/rustc.sh");

const RUSTUP: &str = include_str!("../../fixtures/sources/rustup.sh");

impl Machine {
    fn new() -> Result<Self> {
        let folder = test_support::folder();
        fs::create_dir_all(folder.path().join("lib/rustlib/x86_64-unknown-linux-gnu/lib"))?;
        for (name, script) in [("compiler", RUSTC), ("rustup", RUSTUP), ("cc", "#!/bin/sh\n")] {
            files::program(folder.path().join(name), script)?;
        }
        fs::create_dir(folder.path().join("project"))?;
        Ok(Self(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn install(&self, options: &[&str]) -> Result<Command> {
        let project = self.path("project");
        let install = ["install", "--pack", "hookkit-session", "--project", text(&project)?];
        let mut command = command(repository(), &[&install[..], options].concat())?;
        let path = std::env::var("PATH")?;
        command.env("RUSTC", self.path("compiler")).env("CARGO_TARGET_DIR", self.path("target"));
        command.env("PATH", format!("{}:{path}", self.0.path().display()));
        Ok(command)
    }

    /// Returns what rustup was asked for, and whether the hooks are then built for the target.
    fn log(&self) -> Result<(Vec<String>, bool)> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        let of_rustup = log.lines().filter(|line| line.starts_with("rustup ")).map(str::to_owned);
        Ok((of_rustup.collect(), log.contains("--target x86_64-unknown-linux-musl")))
    }
}

const ADDED: &str = "rustup target add x86_64-unknown-linux-musl";

#[test]
fn install_adds_the_fastest_target_with_yes_and_goes_on_without_it() -> Result<()> {
    for (options, is_offline, expected) in [
        (&["--yes"][..], false, (vec![ADDED.to_owned()], true)),
        (&["--yes"], true, (vec![ADDED.to_owned()], false)),
        (&["--yes", "--dynamic"], false, (vec![], false)),
        (&["--yes", "--check"], false, (vec![], false)),
        (&[], false, (vec![], false)),
    ] {
        let machine = Machine::new()?;
        if is_offline {
            fs::write(machine.path("offline"), "")?;
        }
        let output = machine.install(options)?.output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(machine.log()?, expected, "{options:?}: {stderr}");
        let warning = format!("warning: `{ADDED}` failed; the hooks are built without it");
        assert_eq!(stderr.contains(&warning), is_offline, "{stderr}");
    }
    Ok(())
}

#[test]
fn install_asks_on_a_terminal_whether_to_add_the_target() -> Result<()> {
    if !keyboard::is_there("install_asks_on_a_terminal_whether_to_add_the_target") {
        return Ok(());
    }
    for (answer, expected) in [("", vec![ADDED.to_owned()]), ("n", vec![])] {
        let machine = Machine::new()?;
        let typed = keyboard::run_command(&machine.install(&[])?, |asked| {
            assert_eq!(asked, "Y/n");
            answer.to_owned()
        })?;
        assert_eq!(machine.log()?.0, expected, "{}", typed.text);
        typed.text.has("To start hooks up to four times as fast");
    }
    Ok(())
}
