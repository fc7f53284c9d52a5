//! `tests/fixtures/doctor`: settings files with one mistake each, and `expected.json`, which says what is to be found in
//! each of them and what the client was seen to make of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use serde::Deserialize;

use crate::xtask::repository;

/// The expectation of one file.
#[derive(Deserialize)]
pub struct Expected {
    /// Lines, and parts of what `doctor` reports about them.
    pub found: Vec<(u64, String)>,
    /// The client's reading of the file, where it was asked.
    pub client: Option<Made>,
}

/// The client's reading of a settings file with one hook.
#[derive(Deserialize, Debug, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// It reads nothing of the file.
    DropsFile,
    /// It reads the file and drops the hook.
    DropsHook,
    /// It lists the hook, and does not run it on a call of Bash, Write, Edit or Read.
    NeverRuns,
    /// It runs the hook.
    Runs,
}

/// The folder of the files.
pub fn folder() -> PathBuf {
    repository().join("tests/fixtures/doctor")
}

/// The expectations, by the names of their files.
///
/// # Errors
///
/// Where `expected.json` cannot be read.
pub fn expected() -> Result<BTreeMap<String, Expected>> {
    Ok(serde_json::from_str(&fs::read_to_string(
        folder().join("expected.json"),
    )?)?)
}
