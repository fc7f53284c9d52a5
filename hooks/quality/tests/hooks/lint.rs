//! Tests of `lint_on_edit` on recorded events, with shell scripts as programs.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_quality::lint::lint_on_edit;

/// Returns a session in a project with a Python file, whose own ruff is a script.
fn session(ruff: &str) -> Session {
    let session = Session::new();
    session.write("ruff.toml", "");
    session.write("a.py", "import os\n");
    session.program(session.path(".venv/bin/ruff"), ruff);
    session
}

/// Runs the hook on the recorded batch, for a file of the project.
fn edited(session: &Session, file: &str) -> Verdict {
    let event = Recorded::of("PostToolBatch").with("tool_calls.0.tool_input.file_path", session.path(file));
    session.run(lint_on_edit::DEF, &event)
}

#[test]
fn findings_are_reported_to_the_model_once() {
    let session = session("echo 'a.py:1:8: F401 `os` imported but unused'; exit 1");
    edited(&session, "a.py").assert_model_reads(
        "Linters report this in files that you have just changed. Fix what your changes caused. Do not change \
         what was there before, unless the user asks for it.\n\n`ruff check`:\na.py:1:8: F401 `os` imported but unused",
    );
    edited(&session, "a.py").assert_passed();
    session.write("a.py", "import os, sys\n");
    edited(&session, "a.py").assert_model_reads("a.py:1:8: F401");
}

#[test]
fn a_file_without_findings_or_without_a_linter_is_passed_over_in_silence() {
    let session = session("exit 0");
    edited(&session, "a.py").assert_passed();
    edited(&session, "new.txt").assert_passed();
}

#[test]
fn long_findings_are_cut() {
    let session = session("i=0; while [ $i -lt 1000 ]; do echo \"a.py:$i:1: F401 unused\"; i=$((i+1)); done; exit 1");
    edited(&session, "a.py").assert_model_reads("\n[the rest is left out]");
}

#[test]
fn a_linter_that_goes_wrong_is_reported_to_the_user() {
    let session = session("echo 'ruff failed' >&2; exit 2");
    edited(&session, "a.py").assert_user_sees("`ruff check` could not lint `a.py`: ruff failed");
}
