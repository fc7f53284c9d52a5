//! `lint_on_edit` on recorded events, with programs that are scripts of a shell.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_variables};
use hookkit_quality::lint::lint_on_edit;
use serde_json::Value;

const EDIT: &str = include_str!("fixtures/post_tool_batch/edit.json");

/// A project whose own ruff is a script, with a file of Python.
fn project(ruff: &str) -> tempfile::TempDir {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("ruff.toml"), "").unwrap();
    fs::write(project.path().join("a.py"), "import os\n").unwrap();
    // A child process writes it: a file that is open in this one could be handed on to a program that another test
    // starts at the same moment, and a script that is open for writing cannot be run.
    let done = Command::new("/bin/sh")
        .args([
            "-c",
            r#"mkdir -p .venv/bin && printf '#!/bin/sh\n%s\n' "$1" > .venv/bin/ruff && chmod +x .venv/bin/ruff"#,
            "sh",
            ruff,
        ])
        .current_dir(project.path())
        .status();
    assert!(done.unwrap().success());
    project
}

/// Returns the verdict on the recorded batch, about a file of this project.
fn edited(project: &Path, file: &str) -> Verdict {
    let mut event: Value = serde_json::from_str(EDIT).unwrap();
    event["cwd"] = project.to_str().into();
    event["tool_calls"][0]["tool_input"]["file_path"] = project.join(file).to_str().into();
    with_variables([("XDG_STATE_HOME", project.join("state"))], || {
        run_recorded(lint_on_edit::DEF, event.to_string().as_bytes())
    })
}

#[test]
fn findings_are_reported_to_the_model_once() {
    let project = project("echo 'a.py:1:8: F401 `os` imported but unused'; exit 1");
    edited(project.path(), "a.py").assert_model_reads(
        "Linters find this in files that you have just changed. Fix what your changes brought in; what was there before \
         is not yours to change unasked.\n\n`ruff check`:\na.py:1:8: F401 `os` imported but unused",
    );
    edited(project.path(), "a.py").assert_passed();
    fs::write(project.path().join("a.py"), "import os, sys\n").unwrap();
    edited(project.path(), "a.py").assert_model_reads("a.py:1:8: F401");
}

#[test]
fn a_file_without_findings_or_without_a_linter_is_passed_over_in_silence() {
    let project = project("exit 0");
    edited(project.path(), "a.py").assert_passed();
    edited(project.path(), "new.txt").assert_passed();
}

#[test]
fn long_findings_are_cut() {
    let project = project("i=0; while [ $i -lt 1000 ]; do echo \"a.py:$i:1: F401 unused\"; i=$((i+1)); done; exit 1");
    edited(project.path(), "a.py").assert_model_reads("\n[the rest is left out]");
}

#[test]
fn a_linter_that_goes_wrong_is_reported_to_the_user() {
    let project = project("echo 'ruff failed' >&2; exit 2");
    edited(project.path(), "a.py").assert_user_sees("`ruff check` could not lint `a.py`: ruff failed");
}
