//! Tests of `forbid_suppressions` on recorded events.

use std::path::Path;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_quality::suppressions::forbid_suppressions;
use serde_json::json;

fn recorded(tool: &str) -> Recorded {
    Recorded::of(&format!("PreToolUse {tool}"))
}

/// Returns the reason of a denial.
fn reason(file: &Path, line: &str, mark: &str) -> String {
    format!(
        "`{}`, {line} hides a finding (`{mark}`). Fix the finding instead of hiding it. If it \
         is wrong, ask the user, who decides whether it is suppressed.",
        file.display()
    )
}

#[test]
fn calls_that_hide_nothing_get_no_opinion() {
    for tool in ["Edit", "Write", "NotebookEdit"] {
        Session::new().run(forbid_suppressions::DEF, &recorded(tool)).assert_passed();
    }
}

#[test]
fn an_edit_that_hides_a_finding_is_denied() {
    let session = Session::new();
    let file = session.write("main.rs", "fn main() {}\n\nfn two() {}\n");
    let edit = |new: &str| {
        let event = recorded("Edit")
            .with("tool_input.file_path", &file)
            .with("tool_input.old_string", "fn two")
            .with("tool_input.new_string", new);
        session.run(forbid_suppressions::DEF, &event)
    };
    edit("#[allow(dead_code)]\nfn two").assert_denied(&reason(&file, "line 3: `#[allow(dead_code)]`", "allow"));
    edit("pub fn two").assert_passed();
}

#[test]
fn a_file_that_hides_a_finding_is_denied_unless_it_did_before() {
    let session = Session::new();
    let file = session.path("main.ts");
    let event =
        recorded("Write").with("tool_input.file_path", &file).with("tool_input.content", "// @ts-ignore\nmain(1);\n");
    session
        .run(forbid_suppressions::DEF, &event)
        .assert_denied(&reason(&file, "line 1: `// @ts-ignore`", "@ts-ignore"));
    session.write("main.ts", "main(0);\n// @ts-ignore\nmain(1);\n");
    session.run(forbid_suppressions::DEF, &event).assert_passed();
}

#[test]
fn a_cell_that_hides_a_finding_is_denied() {
    let session = Session::new();
    let file = session.path("a.ipynb");
    let cell = recorded("NotebookEdit").with("tool_input.new_source", "import os\nimport re  # noqa\n");
    session.run(forbid_suppressions::DEF, &cell).assert_denied(&reason(
        &file,
        "line 2 of the cell: `import re  # noqa`",
        "noqa",
    ));
}

#[test]
fn it_denies_what_it_cannot_decode() {
    let event = recorded("Write").with("tool_input", json!({}));
    Session::new().run(forbid_suppressions::DEF, &event).assert_failed("missing field").assert_denied("missing field");
}
