//! `protect_checks` on recorded events.

use std::fs;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded};
use hookkit_guard::checks::protect_checks;
use serde_json::{Value, json};
use tempfile::TempDir;

const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const BASH: &str = include_str!("fixtures/pre_tool_use/bash.json");

/// A project with these files.
fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a file in the folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// The hook on a recorded event, with another input and in this project.
fn run(project: &TempDir, recorded: &str, tool: &str, input: Value) -> Verdict {
    let mut event: Value = serde_json::from_str(recorded).expect("it was recorded as JSON");
    event["cwd"] = project.path().to_str().expect("a UTF-8 path").into();
    event["tool_name"] = tool.into();
    event["tool_input"] = input;
    run_recorded(protect_checks::DEF, event.to_string().as_bytes())
}

fn edit(project: &TempDir, file: &str, from: &str, to: &str) -> Verdict {
    let path = project.path().join(file);
    let input = json!({"file_path": path, "old_string": from, "new_string": to, "replace_all": false});
    run(project, EDIT, "Edit", input)
}

#[test]
fn settings_of_a_linter_are_asked_about() {
    let project = project(&[
        ("eslint.config.mjs", "export default [];"),
        (".husky/pre-commit", "npm test"),
        (".claude/hookkit/app/bin/guard", "program"),
        ("src/index.js", "eval(x)"),
    ]);
    edit(&project, "eslint.config.mjs", "[]", "[{}]").assert_asked(
        "/eslint.config.mjs` is protected, since it decides what the project's checks find. Fix the code where it is wrong, and \
         the check only where that is",
    );
    edit(&project, ".husky/pre-commit", "npm test", "true").assert_asked("decides what the project's checks find");
    let hook = ".claude/hookkit/app/bin/guard";
    edit(&project, hook, "program", "true").assert_asked("decides what the project's checks find");
    edit(&project, "src/index.js", "eval(x)", "x").assert_passed();
    // This project has none yet.
    let input = json!({"file_path": project.path().join("ruff.toml"), "content": "line-length = 100"});
    run(&project, EDIT, "Write", input).assert_passed();
}

#[test]
fn of_a_file_with_other_settings_only_those_of_checks_are_asked_about() {
    let project = project(&[("Cargo.toml", "[lints.rust]\nunused = \"deny\"\n\n[dependencies]\n")]);
    edit(
        &project,
        "Cargo.toml",
        "[dependencies]\n",
        "[dependencies]\nserde = \"1\"\n",
    )
    .assert_passed();
    edit(&project, "Cargo.toml", "\"deny\"", "\"allow\"").assert_asked("`lints.rust` in `");
}

#[test]
fn commands_that_change_them_are_asked_about() {
    let project = project(&[
        (".flake8", "[flake8]\n"),
        ("tox.ini", ""),
        (".pre-commit-config.yaml", "repos: []\n"),
    ]);
    let run = |command: &str| run(&project, BASH, "Bash", json!({"command": command}));
    for command in [
        "rm .flake8",
        "echo 'ignore = E501' >> .flake8",
        "sed -i 's/x/y/' ./.flake8",
        "cd . && mv .pre-commit-config.yaml /tmp/",
    ] {
        run(command).assert_asked("decides what the project's checks find");
    }
    for command in [
        "flake8 --config .flake8 && cat .flake8",
        "cp .flake8 /tmp/copy",
        "touch src.py",
    ] {
        run(command).assert_passed();
    }
}
