//! `protect_files` on calls of servers, and on calls about the user's home folder.

use std::env;

use crate::outcome::outcome;
use hookkit::Hook;
use hookkit::testing::{Action, Recorded, Session};
use hookkit_guard::destructive::deny_destruction;
use hookkit_guard::protected::protect_files;

#[test]
fn each_call_of_a_server_ends_as_it_is_said() {
    test_support::lines!("lines/protect-files-servers.txt").check_inputs(|section, inputs| {
        let &[tool, input] = inputs else { panic!("{inputs:?}: a row has a tool and its input") };
        let session = Session::new();
        section.write(&session.path(""), "");
        let project = session.path("").display().to_string().replace('\\', "/");
        let input = input.replace('@', project.trim_end_matches('/'));
        let input: serde_json::Value = serde_json::from_str(&input).expect(&input);
        let event = Recorded::of("PreToolUse Bash").with("tool_name", tool);
        let event = event.with("tool_input", input);
        outcome(&session.run(protect_files::DEF, &event), "is protected", "")
    });
}

#[test]
fn each_call_ends_as_it_is_said() {
    const OWN: &str = ", since it decides what you may do: ask the user to make the change";
    test_support::lines!("lines/protect-files-home.txt").check_inputs(|section, inputs| {
        let &[tool, line] = inputs else { panic!("{inputs:?}: a row has a tool and a line") };
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
        let (event, reason) = if tool == "Write" {
            let path = home.join(line);
            let event = Recorded::of("PreToolUse Write").with("tool_input.file_path", &path);
            (event, format!("`{}` is protected{OWN}", path.display()))
        } else {
            let line = line.replace('@', home.to_str().unwrap());
            let event = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
            // For a line that destroys more, the reason is deny-destruction's.
            let is_worse = tool == "Bash" && session.run(deny_destruction::DEF, &event).action == Action::Denied;
            let reason = if is_worse { "It cannot be undone" } else { OWN };
            (event.with("tool_name", tool), reason.to_owned())
        };
        let verdict = session.run(protect_files::DEF, &event);
        let asked = match tool {
            "PowerShell" => "hookkit does not analyze PowerShell, and the command names a protected file: ",
            // It may change this, or it changes the project's settings.
            _ => "",
        };
        outcome(&verdict, &reason, asked)
    });
}
