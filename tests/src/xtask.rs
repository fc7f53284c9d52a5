//! xtask and the hooks that it builds, as processes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The root of hookkit's own repository.
pub fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// A recorded payload of the client, on one line as the client sends it.
///
/// # Errors
///
/// Where there is no such recording.
pub fn payload(name: &str) -> Result<String> {
    let path = format!("{}/fixtures/payloads/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let value: serde_json::Value = serde_json::from_str(&text)?;
    Ok(format!("{value}\n"))
}

/// Runs xtask in `folder`, as `cargo xtask` does.
///
/// # Errors
///
/// Where it cannot be built or started; what it says of its own work is in the output.
pub fn xtask(folder: &Path, arguments: &[&str]) -> Result<Output> {
    command(folder, arguments)?.output().context("xtask could not be run")
}

/// The command that [`xtask`] runs, for a test that changes its environment.
///
/// # Errors
///
/// Where xtask cannot be built.
pub fn command(folder: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(binary()?);
    command.args(arguments).current_dir(folder);
    Ok(command)
}

/// Runs xtask in `folder`; its stdout.
///
/// # Errors
///
/// Where it fails, too.
pub fn xtask_ok(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = xtask(folder, arguments)?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "xtask {arguments:?} failed: {stderr}");
    Ok(String::from_utf8(output.stdout)?)
}

/// xtask's binary, built once.
fn binary() -> Result<&'static Path> {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    if BINARY.get().is_none() {
        let output = Command::new(env!("CARGO"))
            .args([
                "build",
                "--package",
                "hookkit-xtask",
                "--bin",
                "xtask",
                "--message-format=json",
            ])
            .current_dir(repository())
            .output()
            .context("cargo could not be run")?;
        let messages = String::from_utf8(output.stdout)?;
        let built = messages
            .lines()
            .find_map(|line| serde_json::from_str::<Artifact>(line).ok());
        let built = built.with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let _ = BINARY.set(built.executable);
    }
    Ok(BINARY.get().context("it was just set")?)
}

#[derive(Deserialize)]
struct Artifact {
    executable: PathBuf,
}

/// A workspace whose only pack has the hooks of `fixtures/hooks`.
///
/// # Errors
///
/// Where it cannot be written.
pub fn fixture() -> Result<&'static Path> {
    static FIXTURE: OnceLock<PathBuf> = OnceLock::new();
    if FIXTURE.get().is_none() {
        let _ = FIXTURE.set(workspace("fixture", include_str!("../fixtures/hooks/lib.rs"))?);
    }
    Ok(FIXTURE.get().context("it was just set")?)
}

/// A workspace whose only pack has these hooks.
///
/// It stands below the target folder, so that it is built once, and pins what this repository pins.
///
/// # Errors
///
/// Where it cannot be written.
pub fn workspace(name: &str, hooks: &str) -> Result<PathBuf> {
    workspace_with(name, hooks, "")
}

/// The same, with these tables at the end of its Cargo.toml.
///
/// # Errors
///
/// Where it cannot be written.
pub fn workspace_with(name: &str, hooks: &str, tables: &str) -> Result<PathBuf> {
    let folder = repository().join("target/tests").join(name);
    fs::create_dir_all(folder.join("src"))?;
    let hookkit = repository().join("hookkit");
    let manifest = format!(
        "[workspace]\n\n[package]\nname = \"{name}-hooks\"\nedition = \"2024\"\n\n[dependencies]\nhookkit.path = {hookkit:?}\n{tables}"
    );
    let lock = fs::read_to_string(repository().join("Cargo.lock"))?;
    for (file, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", hooks),
        ("Cargo.lock", &lock),
    ] {
        let path = folder.join(file);
        // A file that is written anew is built anew.
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text)?;
        }
    }
    Ok(folder)
}

/// A copy of one of the repository's examples in `folder`, which goes with this hookkit wherever it is. Its Cargo.lock is
/// this repository's, until cargo runs there.
///
/// # Errors
///
/// Where it cannot be copied.
pub fn example(name: &str, folder: &Path) -> Result<()> {
    copy(&repository().join("examples").join(name), folder)?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    let here = repository().to_str().context("the repository's path is not UTF-8")?;
    fs::write(&manifest, text.replace("\"../../", &format!("\"{here}/")))?;
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Runs cargo in a copy of an example. What it builds of all copies is in one folder, so that it is built once.
///
/// # Errors
///
/// Where it cannot be started; what it says of its own work is in the output.
pub fn cargo(folder: &Path, arguments: &[&str]) -> Result<Output> {
    Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", repository().join("target/tests/examples"))
        .output()
        .context("cargo could not be run")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from)? {
        let file = file?.path();
        let target = to.join(file.file_name().context("it has a name")?);
        // What somebody has built or tried in the example itself is none of it.
        if ["target", "Cargo.lock"].iter().any(|other| file.ends_with(other)) {
            continue;
        }
        match file.is_dir() {
            true => copy(&file, &target)?,
            false => drop(fs::copy(&file, &target)?),
        }
    }
    Ok(())
}

/// A hook's binary, as `install` put it into a project.
///
/// # Errors
///
/// Where it is not there.
pub fn installed(project: &Path, hook: &str) -> Result<PathBuf> {
    let places = fs::read_dir(project.join(".claude/hookkit"))?;
    let mut binaries = places.filter_map(|place| Some(place.ok()?.path().join("bin").join(hook)));
    binaries
        .find(|binary| binary.is_file())
        .with_context(|| format!("`{hook}` is not installed"))
}

/// What a hook process gave back.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the client reads.
    pub stdout: String,
    /// What goes to the client's log, or to whoever reads of a failure.
    pub stderr: String,
    /// The exit code; `None` where a signal ended the process.
    pub exit_code: Option<i32>,
}

/// Runs a hook's binary on `stdin`, as the client does.
///
/// # Errors
///
/// Where it cannot be started.
pub fn run_hook(binary: &Path, stdin: &[u8]) -> Result<Answer> {
    let mut child = Command::new(binary)
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} could not be started", binary.display()))?;
    // A hook that ends without reading everything is no fault of the test.
    let _ = child.stdin.take().context("it has a stdin")?.write_all(stdin);
    let output = child.wait_with_output()?;
    Ok(Answer {
        stdout: String::from_utf8(output.stdout)?,
        stderr: String::from_utf8(output.stderr)?,
        exit_code: output.status.code(),
    })
}
