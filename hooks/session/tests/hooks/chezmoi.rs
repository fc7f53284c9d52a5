//! `chezmoi_reminder`, with a stub for chezmoi.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_variables};
use hookkit_session::chezmoi::chezmoi_reminder;

use crate::{changed, install};

const EDIT: &str = include_str!("../fixtures/post_tool_use/edit.json");
const WRITE: &str = include_str!("../fixtures/post_tool_use/write.json");

/// A folder with a `chezmoi` that manages `~/.rc`, and `~/made` from a template.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    install(
        &home.path().join("bin/chezmoi"),
        r#"[ "$1 $2 $3" = "--no-tty source-path --" ] || exit 3
home=${0%/bin/chezmoi}
case $4 in
"$home/.rc") echo "$home/source/dot_rc" ;;
"$home/made") echo "$home/source/made.tmpl" ;;
*) echo "chezmoi: $4: not managed" >&2; exit 1 ;;
esac"#,
    );
    home
}

fn run(event: &str, home: &Path, file: &str) -> Verdict {
    let event = changed(event, |event| {
        event["tool_input"]["file_path"] = home.join(file).to_str().into()
    });
    let run = || run_recorded(chezmoi_reminder::DEF, event.as_bytes());
    with_variables([("PATH", home.join("bin"))], run)
}

#[test]
fn an_edit_of_a_managed_file_is_to_be_brought_into_the_source() {
    let home = home();
    let home = home.path();
    for event in [EDIT, WRITE] {
        run(event, home, ".rc").assert_model_reads(&format!("run `chezmoi re-add {}/.rc`", home.display()));
        run(event, home, "made").assert_model_reads(&format!("from a template, `{}/source/made.tmpl`", home.display()));
    }
}

#[test]
fn other_files_are_edited_in_silence() {
    let home = home();
    for event in [EDIT, WRITE] {
        run(event, home.path(), "other").assert_passed();
    }
}

#[test]
fn a_link_into_the_source_is_edited_in_silence() {
    let home = home();
    let source = home.path().join("source");
    fs::create_dir(&source).unwrap();
    fs::write(source.join("dot_rc"), "").unwrap();
    symlink(source.join("dot_rc"), home.path().join(".rc")).unwrap();
    run(EDIT, home.path(), ".rc").assert_passed();
}

#[test]
fn without_chezmoi_nothing_is_said() {
    let home = tempfile::tempdir().unwrap();
    run(EDIT, home.path(), ".rc").assert_passed();
    run_recorded(chezmoi_reminder::DEF, EDIT.as_bytes()).assert_passed();
    // One that lies in the session's folder is not installed.
    let event = changed(EDIT, |event| event["cwd"] = home.path().to_str().into());
    install(&home.path().join("chezmoi"), "echo /source");
    with_variables([("PATH", ".")], || {
        run_recorded(chezmoi_reminder::DEF, event.as_bytes())
    })
    .assert_passed();
}
