//! `protect_files` on recorded events.

mod outcome;

use std::env;

use hookkit::Hook;
use hookkit::testing::{Action, Recorded, Session, Verdict};
use hookkit_guard::destructive::deny_destruction;
use hookkit_guard::protected::protect_files;
use outcome::outcome;

/// Each tool that changes files, with the field that names the file.
const CHANGES: [(&str, &str); 3] = [
    ("Edit", "tool_input.file_path"),
    ("Write", "tool_input.file_path"),
    ("NotebookEdit", "tool_input.notebook_path"),
];

fn recorded(tool: &str) -> Recorded {
    Recorded::of(&format!("PreToolUse {tool}"))
}

/// Runs the hook on a command of a tool.
fn running(session: &Session, tool: &str, command: &str) -> Verdict {
    let event = recorded("Bash")
        .with("tool_name", tool)
        .with("tool_input.command", command);
    session.run(protect_files::DEF, &event)
}

#[test]
fn an_ordinary_file_passes() {
    for (tool, _) in CHANGES {
        Session::new().run(protect_files::DEF, &recorded(tool)).assert_passed();
    }
}

#[test]
fn a_command_of_a_skill_that_changes_a_lock_file_is_denied() {
    let run = |command: &str| {
        let event = Recorded::of("PreSkillShellCommand Bash").with("tool_input.command", command);
        Session::new().run(protect_files::DEF, &event)
    };
    run("echo x > Cargo.lock").assert_denied("Cargo.lock` is protected");
    run("cat Cargo.lock").assert_passed();
}

#[test]
fn each_call_of_a_server_ends_as_it_is_said() {
    test_support::lines!("lines/protect-files-servers.txt").check_inputs(|section, inputs| {
        let &[tool, input] = inputs else {
            panic!("{inputs:?}: a row has a tool and its input")
        };
        let session = Session::new();
        section.write(&session.path(""), "");
        let project = session.path("").display().to_string().replace('\\', "/");
        let input = input.replace('@', project.trim_end_matches('/'));
        let input: serde_json::Value = serde_json::from_str(&input).expect(&input);
        let event = recorded("Bash").with("tool_name", tool).with("tool_input", input);
        outcome(&session.run(protect_files::DEF, &event), "is protected", "")
    });
}

#[test]
fn each_tool_that_changes_a_lock_file_is_denied_with_the_program_that_writes_it() {
    let session = Session::new();
    for (tool, field) in CHANGES {
        let event = recorded(tool).with(field, session.path("Cargo.lock"));
        session.run(protect_files::DEF, &event).assert_denied(
            "Cargo.lock` is protected, since its package manager writes it: have that do it, by a command such as \
             `cargo update` or `npm install`; or ask the user, who can allow it by the line `!Cargo.lock` in \
             `.claude/protected`",
        );
    }
}

#[test]
fn a_command_that_changes_a_lock_file_is_denied() {
    let session = Session::new();
    running(&session, "Bash", "cargo update && cat Cargo.lock").assert_passed();
    let project = session.path("").display().to_string().replace('\\', "/");
    running(&session, "Bash", &format!("cd {project} && sed -i s/1/2/ Cargo.lock")).assert_denied(&format!(
        "`{project}/Cargo.lock` is protected, since its package manager writes it"
    ));
}

#[test]
fn a_command_that_may_change_one_is_asked_about() {
    running(&Session::new(), "Bash", "touch \"$folder/Cargo.lock\"").assert_asked(
        "not all of the command is known before it runs, and it may change this: `Cargo.lock` may be protected, since",
    );
}

#[test]
fn the_home_folder_is_not_deleted_because_of_a_file_in_it() {
    let session = Session::new();
    session.write("~/.local/state/hookkit/x", "");
    running(&session, "Bash", "rm -rf ~").assert_denied("deletes everything below the root or the home folder");
}

#[test]
fn reading_is_free() {
    let session = Session::new();
    let event = recorded("Read").with("tool_input.file_path", session.path("Cargo.lock"));
    session.run(protect_files::DEF, &event).assert_passed();
}

#[test]
fn settings_of_git_by_which_it_runs_something_are_asked_about() {
    let session = Session::new();
    let written = |tool: &str, field: &str, text: &str| {
        let event = recorded(tool).with("tool_input.file_path", session.path("~/.gitconfig"));
        session.run(protect_files::DEF, &event.with(field, text))
    };
    for (tool, field) in [("Write", "tool_input.content"), ("Edit", "tool_input.new_string")] {
        for text in [
            "[core]\n\thooksPath = /tmp/hooks\n", "[alias]\n\tx = \"!ls\"\n", "[core]\n\tsshCommand = ./x\n",
        ] {
            written(tool, field, text).assert_asked("decides who may do what, or which programs run later");
        }
        written(tool, field, "[user]\n\tname = A\n").assert_passed();
    }
}

#[test]
fn each_call_ends_as_it_is_said() {
    const OWN: &str = ", since it decides what you may do: ask the user to make the change";
    test_support::lines!("lines/protect-files-home.txt").check_inputs(|section, inputs| {
        let &[tool, line] = inputs else {
            panic!("{inputs:?}: a row has a tool and a line")
        };
        let mut session = Session::new();
        let home = session.path("~");
        section.write(&home, "");
        for variable in section.words("variables") {
            let (name, value) = variable.split_once('=').unwrap();
            let value = match name {
                "HOME" => env::var("HOME").unwrap(),
                _ => value.replace('@', home.to_str().unwrap()),
            };
            session.set(name, value);
        }
        // Of a line that destroys more, the reason is that of deny-destruction.
        let is_worse = |line: &str| {
            let event = recorded("Bash").with("tool_input.command", line);
            tool == "Bash" && session.run(deny_destruction::DEF, &event).action == Action::Denied
        };
        let (verdict, reason) = if tool == "Write" {
            let path = home.join(line);
            let event = recorded(tool).with("tool_input.file_path", &path);
            let reason = format!("`{}` is protected{OWN}", path.display());
            (session.run(protect_files::DEF, &event), reason)
        } else {
            let line = line.replace('@', home.to_str().unwrap());
            let reason = if is_worse(&line) { "It cannot be undone" } else { OWN };
            (running(&session, tool, &line), reason.to_owned())
        };
        let asked = match tool {
            "PowerShell" => "hookkit does not analyze PowerShell, and the command names a protected file: ",
            // It may change this, or it changes the project's settings.
            _ => "",
        };
        outcome(&verdict, &reason, asked)
    });
}
