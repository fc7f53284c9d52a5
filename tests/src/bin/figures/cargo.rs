//! cargo and rustc.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::cargo_program;
use serde::Deserialize;

use crate::report::{Available, Missing};

/// Returns a run of the same cargo that runs this program.
pub(crate) fn command() -> Command {
    Command::new(cargo_program())
}

/// Runs a build; the binaries that cargo names.
pub(crate) fn build(mut cargo: Command) -> Result<HashMap<String, PathBuf>> {
    let output = cargo.arg("--message-format=json-render-diagnostics").output()?;
    ensure!(output.status.success(), "it does not build: {}", error(&output));
    let messages = String::from_utf8(output.stdout)?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    Ok(built.map(|built| (built.target.name, built.executable)).collect())
}

/// Returns the first error of cargo or rustc.
pub(crate) fn error(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let error = text.lines().find(|line| line.starts_with("error"));
    error.unwrap_or("it does not say why").to_owned()
}

/// The targets of rustc.
pub(crate) struct Targets {
    /// The triple of this machine.
    pub(crate) host: String,
    /// The target of its musl sibling.
    pub(crate) musl: Available<String>,
}

impl Targets {
    /// Asks rustc.
    pub(crate) fn find() -> Result<Self> {
        let host = rustc(&["--print", "host-tuple"])?.trim_end().to_owned();
        let musl = host.replace("linux-gnu", "linux-musl");
        let library = rustc(&["--print", "target-libdir", "--target", &musl])?;
        let has_musl = musl.ends_with("linux-musl") && Path::new(library.trim_end()).is_dir();
        let why = || Missing(format!("no musl target is installed for {host}"));
        Ok(Self { musl: if has_musl { Ok(musl) } else { Err(why()) }, host })
    }
}

/// Builds an empty `main`, below `folder`.
pub(crate) fn empty_main(folder: &Path, name: &str, flags: &[&str]) -> Result<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join(name));
    fs::write(&source, "fn main() {}\n")?;
    let paths = [source.to_str(), Some("-o"), program.to_str()];
    let paths = paths.into_iter().collect::<Option<Vec<_>>>().context("a UTF-8 path")?;
    rustc(&[flags, &paths].concat())?;
    Ok(program)
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let output = Command::new("rustc").args(arguments).output();
    let output = output.context("rustc could not be run")?;
    ensure!(output.status.success(), "rustc {arguments:?} failed: {}", error(&output));
    Ok(String::from_utf8(output.stdout)?)
}

#[derive(Deserialize)]
struct Artifact {
    target: ArtifactTarget,
    executable: PathBuf,
}

#[derive(Deserialize)]
struct ArtifactTarget {
    name: String,
}
