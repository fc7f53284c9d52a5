//! `cargo xtask run --watch`. What `run` prints is in `tests/fixtures/console`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use hookkit_tests::workspace::Stage;
use hookkit_tests::xtask::command;

/// A process that is ended when the test is over.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watch_runs_the_hook_and_its_tests_again_on_each_save() -> Result<()> {
    let stage = Stage::with_new("acme-watched")?;
    let folder = stage.app();
    let hook = "acme-watched-keep-lock-files";
    let mut command = command(&folder, &["run", hook, "--watch"])?;
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut watching = Watching(command.spawn()?);
    let stdout = watching.0.stdout.take().context("a pipe")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    // The lines up to one that begins so.
    let until = |begin: &str| -> Result<Vec<String>> {
        let mut seen = Vec::new();
        loop {
            let line = lines
                .recv_timeout(Duration::from_secs(300))
                .with_context(|| format!("no line begins with `{begin}`: {seen:#?}"))?;
            let is_last = line.starts_with(begin);
            seen.push(line);
            if is_last {
                return Ok(seen);
            }
        }
    };
    let first = until("Waiting for a change of ")?;
    assert!(first.iter().any(|line| line.starts_with(hook)), "{first:#?}");
    let passed = "The tests of `acme-watched` pass.";
    assert!(first.iter().any(|line| line == passed), "{first:#?}");

    let source = folder.join("acme-watched/src/lock_files.rs");
    let code = fs::read_to_string(&source)?;
    // What does not compile ends nothing.
    fs::write(&source, "oops")?;
    let broken = until("Waiting for a change of ")?;
    assert!(broken.iter().any(|line| line.starts_with("Changed: ")), "{broken:#?}");
    assert!(!broken.iter().any(|line| line.starts_with(hook)), "{broken:#?}");

    fs::write(&source, code.replacen("run that instead", "run it instead", 1))?;
    let failed = until("Waiting for a change of ")?;
    assert!(failed.iter().any(|line| line.starts_with(hook)), "{failed:#?}");
    let fails = "The tests of `acme-watched` fail.";
    assert!(failed.iter().any(|line| line == fails), "{failed:#?}");
    assert!(watching.0.try_wait()?.is_none());
    Ok(())
}
