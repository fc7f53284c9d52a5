//! `forbid_suppressions` on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded};
use hookkit_quality::suppressions::forbid_suppressions;
use serde_json::{Value, json};

const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");
const NOTEBOOK_EDIT: &str = include_str!("fixtures/pre_tool_use/notebook_edit.json");

/// Returns the verdict on a recorded call with another input.
fn call(event: &str, input: &Value) -> Verdict {
    let mut event: Value = serde_json::from_str(event).unwrap();
    for (member, value) in input.as_object().unwrap() {
        event["tool_input"][member] = value.clone();
    }
    run_recorded(forbid_suppressions::DEF, event.to_string().as_bytes())
}

/// The reason of a denial.
fn reason(file: &Path, line: &str, mark: &str) -> String {
    format!(
        "`{}`, {line} hides a finding (`{mark}`). Fix what is found instead of hiding it; where the finding itself is \
         wrong, tell the user, who decides whether it is suppressed.",
        file.display()
    )
}

#[test]
fn calls_that_hide_nothing_get_no_opinion() {
    for event in [EDIT, WRITE, NOTEBOOK_EDIT] {
        call(event, &json!({})).assert_passed();
    }
}

#[test]
fn an_edit_that_hides_a_finding_is_denied() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("main.rs");
    fs::write(&file, "fn main() {}\n\nfn two() {}\n").unwrap();
    let edit = |new: &str| {
        call(
            EDIT,
            &json!({"file_path": file, "old_string": "fn two", "new_string": new}),
        )
    };
    edit("#[allow(dead_code)]\nfn two").assert_denied(&reason(&file, "line 3: `#[allow(dead_code)]`", "allow"));
    edit("pub fn two").assert_passed();
}

#[test]
fn a_file_that_hides_a_finding_is_denied_unless_it_did_before() {
    let project = tempfile::tempdir().unwrap();
    let file = project.path().join("main.ts");
    let write = || {
        call(
            WRITE,
            &json!({"file_path": file, "content": "// @ts-ignore\nmain(1);\n"}),
        )
    };
    write().assert_denied(&reason(&file, "line 1: `// @ts-ignore`", "@ts-ignore"));
    fs::write(&file, "main(0);\n// @ts-ignore\nmain(1);\n").unwrap();
    write().assert_passed();
}

#[test]
fn a_cell_that_hides_a_finding_is_denied() {
    let cell = json!({"new_source": "import os\nimport re  # noqa\n"});
    let file = Path::new("/home/user/project/a.ipynb");
    call(NOTEBOOK_EDIT, &cell).assert_denied(&reason(file, "line 2 of the cell: `import re  # noqa`", "noqa"));
}

#[test]
fn it_denies_what_it_cannot_decode() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{}}"#;
    run_recorded(forbid_suppressions::DEF, event).assert_denied("missing field");
}
