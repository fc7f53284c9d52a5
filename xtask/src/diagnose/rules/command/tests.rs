use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use hookkit_protocol::event;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::diagnose::fields::Handler;
use crate::diagnose::finding::Finding;
use crate::diagnose::rules::handler;

/// A project, and the programs that are on its hooks' `PATH`.
struct Project {
    folder: TempDir,
    surroundings: Surroundings,
}

impl Project {
    fn new() -> Self {
        let folder = test_support::folder();
        let surroundings = Surroundings {
            project: Some(folder.path().join("app")),
            home: Some(folder.path().join("home")),
            path: Some(folder.path().join("bin").into()),
            shell: None,
            variables: BTreeSet::new(),
        };
        let project = Self { folder, surroundings };
        for program in ["sh", "bash", "python3", "node", "jq", "grep", "mkdir"] {
            project.write(&format!("bin/{program}"), "", 0o755);
        }
        project.write("app/guard.sh", "#!/bin/sh\nexit 0\n", 0o755);
        project
    }

    fn write(&self, path: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.folder.path().join(path);
        let folder = path.parent().expect("a folder");
        fs::create_dir_all(folder).expect("a folder");
        set_mode(folder, 0o755);
        fs::write(&path, text).expect("a file");
        set_mode(&path, mode);
        path
    }

    fn of(&self, event: &str, fields: &Value) -> Vec<Finding> {
        let mut fields = fields.clone();
        fields["type"] = json!("command");
        let handler = Handler {
            event: event::event(event).expect(event),
            matcher: None,
            fields: fields.as_object().expect("an object"),
        };
        handler::findings(handler, &self.surroundings)
    }

    fn shell(&self, event: &str, command: &str) -> Vec<Finding> {
        self.of(event, &json!({ "command": command }))
    }

    /// Returns the text of the only finding; empty if there is none.
    fn finding(&self, fields: &Value) -> String {
        match &self.of("PreToolUse", fields)[..] {
            [] => String::new(),
            [finding] => finding.what.replace(&*self.folder.path().to_string_lossy(), "…"),
            findings => panic!("{fields}: {findings:?}"),
        }
    }

    fn line(&self, command: &str) -> String {
        self.finding(&json!({ "command": command }))
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

fn command(value: &str) -> Option<Fix> {
    let key = "command".to_owned();
    let value = value.into();
    Some(Fix::Set { key, value })
}

#[test]
fn a_missing_program() {
    let project = Project::new();
    for (line, expected) in [
        ("nothere --x", "there is no program `nothere` on the PATH"),
        ("true; nothere", "there is no program `nothere` on the PATH"),
        ("env X=1 timeout 5 nothere", "there is no program `nothere` on the PATH"),
        ("\"$CLAUDE_PROJECT_DIR\"/gone.sh", "there is no file `…/app/gone.sh`"),
        (
            "\"$CLAUDE_PROJECT_DIR\"/gone.sh || true",
            "there is no file `…/app/gone.sh`",
        ),
        (
            "\"$CLAUDE_PROJECT_DIR\"/guard.sh/x", "there is no file `…/app/guard.sh/x`",
        ),
        ("./gone.sh", "there is no file `./gone.sh` in the project"),
        ("grep -q x", ""),
        ("echo x; [ -t 0 ]", ""),
        // The line tests for it before the call.
        ("command -v nothere && nothere", ""),
        ("[ -x /nothere ] && /nothere", ""),
        ("nothere || true", ""),
        ("bash \"$CLAUDE_PROJECT_DIR\"/guard.sh || bash /nothere/x.sh", ""),
        ("if grep -q x; then nothere; fi", ""),
        ("$PROGRAM x", ""),
        ("PATH=x nothere", ""),
        ("nothere() { true; }; nothere", ""),
        ("grep x <<E\nnothere\nE", ""),
        ("nothere <<E\nx\nE", "there is no program `nothere` on the PATH"),
        ("time nothere", "there is no program `nothere` on the PATH"),
        ("case x in x) nothere;; esac", ""),
        ("! nothere || true", ""),
        ("\"$(nothere)\"", ""),
    ] {
        assert_eq!(project.line(line), expected, "{line}");
    }
}

#[test]
fn the_consequence_depends_on_the_event_and_on_failure() {
    let project = Project::new();
    let does = |event, fields| project.of(event, &fields)[0].does.clone();
    let goes_on = "the hook fails each time, and Claude Code goes ahead";
    assert_eq!(does("PreToolUse", json!({ "command": "nothere" })), goes_on);
    let blocks = "the hook fails each time, and Claude Code then blocks, because of its `onFailure`";
    let guard = json!({ "command": "nothere", "onFailure": "block" });
    assert_eq!(does("PreToolUse", guard), blocks);
    let lost = "the hook fails each time, and its work is not done";
    assert_eq!(does("PostToolUse", json!({ "command": "nothere" })), lost);
}

#[test]
fn a_missing_script_of_an_interpreter() {
    let project = Project::new();
    project.write("app/x.py", "", 0o644);
    for (line, expected) in [
        (
            "python3 \"$CLAUDE_PROJECT_DIR\"/gone.py",
            "there is no file `…/app/gone.py`",
        ),
        ("python3 -u gone.py", "there is no file `gone.py` in the project"),
        ("exec bash /nothere/x.sh a", "there is no file `/nothere/x.sh`"),
        ("python3 \"$CLAUDE_PROJECT_DIR\"/x.py", ""),
        ("python3 -m gone.x", ""),
        ("python3 -c 'import x/y' gone.py", ""),
        ("bash -lc './gone.sh'", ""),
        ("node --eval x gone.js", ""),
        ("python3 \"$X\" gone.py", ""),
        ("node https://x.example/y.js", ""),
        ("echo x > made.sh; sh made.sh", ""),
        (
            "grep x > \"$CLAUDE_PROJECT_DIR\"/made.sh; sh \"$CLAUDE_PROJECT_DIR\"/made.sh",
            "",
        ),
        ("cd / && python3 gone.py", ""),
    ] {
        assert_eq!(project.line(line), expected, "{line}");
    }
}

#[test]
fn a_missing_script_denies_if_its_interpreter_exits_with_two() {
    let project = Project::new();
    project.write("app/x.py", "", 0o644);
    project.write("bin/dash", "", 0o755);
    project.write("bin/perl", "", 0o755);
    let does = |event, fields: Value| {
        let findings = project.of(event, &fields);
        assert_eq!(findings.len(), 1, "{fields}: {findings:?}");
        findings[0].does.clone()
    };
    let line = |event, line: &str| does(event, json!({ "command": line }));
    let denies = |program| format!("`{program}` exits with 2 each time, so Claude Code denies every call");
    let goes_on = "the hook fails each time, and Claude Code goes ahead";
    for program in ["python3", "perl", "dash"] {
        assert_eq!(line("PreToolUse", &format!("{program} gone.py")), denies(program));
    }
    for program in ["bash", "node", "sh"] {
        assert_eq!(line("PreToolUse", &format!("{program} gone.js")), goes_on, "{program}");
    }
    // The program behind `sh` is looked up.
    fs::remove_file(project.folder.path().join("bin/sh")).expect("a file");
    std::os::unix::fs::symlink("dash", project.folder.path().join("bin/sh")).expect("a link");
    assert_eq!(line("PreToolUse", "sh gone.sh"), denies("sh"));
    let fields = json!({ "command": "python3", "args": ["${CLAUDE_PROJECT_DIR}/gone.py"] });
    assert_eq!(does("PreToolUse", fields), denies("python3"));
    let after = format!("after a `cd` of the session {}", denies("python3"));
    assert_eq!(line("PreToolUse", "python3 x.py"), after);
    let drops = "`python3` exits with 2 each time, so Claude Code drops every prompt";
    assert_eq!(line("UserPromptSubmit", "python3 gone.py"), drops);
    // On Stop the client has its own rule, and it does not wait for an `async` hook.
    assert_eq!(line("Stop", "python3 gone.py"), goes_on);
    assert_eq!(
        does("PreToolUse", json!({ "command": "python3 gone.py", "async": true })),
        goes_on
    );
    assert_eq!(line("PreToolUse", "python3 gone.py || true"), "the hook does nothing");
    assert!(line("PreToolUse", "python3 gone.py; true").ends_with("the rest of the line decides the outcome"));
}

#[test]
fn a_path_that_depends_on_the_current_folder() {
    let project = Project::new();
    project.write("app/dir/x.py", "", 0o644);
    for (fields, fix) in [
        (
            json!({ "command": "./guard.sh a" }),
            command("\"$CLAUDE_PROJECT_DIR\"/guard.sh a"),
        ),
        (
            json!({ "command": "python3 'dir/x.py'" }),
            command("python3 \"$CLAUDE_PROJECT_DIR\"/'dir/x.py'"),
        ),
        (
            json!({ "command": "./guard.sh", "args": [] }),
            command("${CLAUDE_PROJECT_DIR}/guard.sh"),
        ),
        (
            json!({ "command": "python3", "args": ["-u", "dir/x.py"] }),
            Some(Fix::Set {
                key: "args".to_owned(),
                value: json!(["-u", "${CLAUDE_PROJECT_DIR}/dir/x.py"]),
            }),
        ),
    ] {
        let findings = project.of("PreToolUse", &fields);
        assert_eq!(findings.len(), 1, "{fields}");
        assert_eq!(findings[0].edit, fix, "{fields}");
    }
    for line in [
        "cd \"$CLAUDE_PROJECT_DIR\" && ./guard.sh",
        "\"$CLAUDE_PROJECT_DIR\"/guard.sh ./x",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
}

#[test]
fn the_project_s_folder_without_quotes() {
    let project = Project::new();
    for (line, fixed) in [
        ("$CLAUDE_PROJECT_DIR/guard.sh", "\"$CLAUDE_PROJECT_DIR\"/guard.sh"),
        (
            "sh ${CLAUDE_PROJECT_DIR}/guard.sh $CLAUDE_PROJECT_DIR",
            "sh \"${CLAUDE_PROJECT_DIR}\"/guard.sh \"$CLAUDE_PROJECT_DIR\"",
        ),
    ] {
        let findings = project.shell("PreToolUse", line);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].edit, command(fixed));
        assert_eq!(project.line(fixed), "");
    }
    for line in [
        "X=$CLAUDE_PROJECT_DIR true", "echo '$CLAUDE_PROJECT_DIR'", "echo \"${CLAUDE_PROJECT_DIR}/x y\"",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
}

#[test]
fn a_variable_in_a_place_without_expansion() {
    let project = Project::new();
    for (fields, expected) in [
        (json!({ "command": "~/x", "args": [] }), "`~` in `~/x` is not expanded"),
        (
            json!({ "command": "$HOME/x", "args": [] }),
            "`$HOME` in `$HOME/x` is not expanded",
        ),
        (
            json!({ "command": "python3", "args": ["~/x.py"] }),
            "`~` in `~/x.py` is not expanded",
        ),
        (json!({ "command": "\"~/x\"" }), "the shell does not expand `~`"),
        (
            json!({ "command": "\"${CLAUDE_PLUGIN_ROOT}\"/x" }),
            "`${CLAUDE_PLUGIN_ROOT}` only works",
        ),
        (json!({ "command": "${CLAUDE_PROJECT_DIR}/guard.sh", "args": [] }), ""),
        (json!({ "command": "bash", "args": ["-c", "echo $HOME/x ~/y"] }), ""),
    ] {
        let said = project.finding(&fields);
        assert!(
            said.starts_with(expected) && said.is_empty() == expected.is_empty(),
            "{fields}: {said}"
        );
    }
    for (line, expected, fix) in [
        (
            "bash '$CLAUDE_PROJECT_DIR/guard.sh' x",
            "the shell does not expand `$CLAUDE_PROJECT_DIR` in single quotes: '$CLAUDE_PROJECT_DIR/guard.sh'",
            command("bash \"$CLAUDE_PROJECT_DIR/guard.sh\" x"),
        ),
        (
            "'${HOME}/x.sh'",
            "the shell does not expand `${HOME}` in single quotes: '${HOME}/x.sh'",
            command("\"${HOME}/x.sh\""),
        ),
        (
            "'$HOME'/x.sh",
            "the shell does not expand `$HOME` in single quotes: '$HOME'/x.sh",
            None,
        ),
    ] {
        let findings = project.shell("PreToolUse", line);
        assert_eq!((findings.len(), &*findings[0].what), (1, expected), "{line}");
        assert_eq!(findings[0].edit, fix, "{line}");
    }
    for line in [
        "echo '$HOME/x'", "bash '$/x.sh'", "grep '$HOME/x' /etc/passwd", "true || bash '$HOME/x.sh'",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
    let findings = project.of(
        "PreToolUse",
        &json!({ "command": "$CLAUDE_PROJECT_DIR/guard.sh", "args": [] }),
    );
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].edit, command("${CLAUDE_PROJECT_DIR}/guard.sh"));
}

#[test]
fn a_variable_that_is_never_set() {
    let project = Project::new();
    for line in [
        "grep x \"$CLAUDE_FILE_PATH\"",
        "X=$(jq .x <<E\n${CLAUDE_TOOL_INPUT}\nE\n)",
        "echo \"$TOOL_INPUT\" | grep -q rm",
        "[ \"$TOOL_NAME\" = Bash ]",
        "grep x \"${TOOL_INPUT_FILE_PATH}\"",
        "grep x <<E\n$TOOL_OUTPUT\nE",
    ] {
        assert!(
            project.line(line).starts_with("Claude Code does not set the variable "),
            "{line}"
        );
    }
    for line in [
        "grep x \"$CLAUDE_FILE_PATHSPEC\"",
        "CLAUDE_FILE_PATH=$(jq -r .x); grep x \"$CLAUDE_FILE_PATH\"",
        "grep x \"$CLAUDE_CODE_SESSION_ID\"",
        "TOOL_INPUT=$(jq .tool_input); echo \"$TOOL_INPUT\"",
        "read TOOL_NAME; echo \"$TOOL_NAME\"",
        "CLAUDE_PLUGIN_ROOT=/x; echo \"$CLAUDE_PLUGIN_ROOT\"",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
    let line = "echo \"$CLAUDE_PLUGIN_ROOT\"/x";
    assert_eq!(
        project.line(line),
        "`CLAUDE_PLUGIN_ROOT` is only set in hooks of plugins"
    );
}

#[test]
fn a_variable_with_a_default() {
    let project = Project::new();
    for (line, expected) in [
        (
            "bash \"${CLAUDE_PLUGIN_ROOT:-.}/guard.sh\"",
            "`./guard.sh` is relative to the session's current folder",
        ),
        (
            "bash \"${CLAUDE_PLUGIN_ROOT:-.}/gone.sh\"",
            "there is no file `./gone.sh` in the project",
        ),
        (
            "\"${CLAUDE_PROJECT_DIR:-.}\"/gone.sh", "there is no file `…/app/gone.sh`",
        ),
        (
            "${CLAUDE_PROJECT_DIR:-.}/guard.sh",
            "`${CLAUDE_PROJECT_DIR:-.}` is not quoted",
        ),
        (
            "grep x \"${CLAUDE_FILE_PATH:-}\"",
            "Claude Code does not set the variable `CLAUDE_FILE_PATH`",
        ),
        ("grep x \"${CLAUDE_FILE_PATH:-/etc/passwd}\"", ""),
        ("[ -z \"${CLAUDE_PLUGIN_ROOT:+x}\" ]", ""),
        ("CLAUDE_PLUGIN_ROOT=/x; bash \"${CLAUDE_PLUGIN_ROOT:-.}/gone.sh\"", ""),
        ("bash \"${OTHER:-.}/gone.sh\"", ""),
    ] {
        assert_eq!(project.line(line), expected, "{line}");
    }
    // Only the author knows which folder was meant.
    let findings = project.shell("PreToolUse", "bash \"${CLAUDE_PLUGIN_ROOT:-.}/guard.sh\"");
    assert_eq!(findings[0].fix, "write `\"$CLAUDE_PROJECT_DIR\"/guard.sh`");
    assert_eq!(findings[0].edit, None);
}

#[test]
fn a_missing_folder() {
    let mut project = Project::new();
    let gone = project.folder.path().join("gone");
    let gone = gone.display();
    for (line, expected) in [
        (format!("echo x >> {gone}/log"), "there is no folder `…/gone`"),
        (
            "jq . > \"$CLAUDE_PROJECT_DIR\"/logs/x 2>&1".to_owned(),
            "there is no folder `…/app/logs`",
        ),
        (format!("jq . 2> {gone}/log"), "there is no folder `…/gone`"),
        (format!("cd {gone} && jq ."), "there is no folder `…/gone`"),
        (format!("cd {gone}; jq ."), ""),
        (format!("mkdir -p {gone} && cd {gone} && jq . > {gone}/x"), ""),
        (format!("echo x >> {gone}/log || true"), ""),
        (format!("[ -d {gone} ] && echo x > {gone}/log"), ""),
        (format!("jq . > {gone}"), ""),
        (format!("echo x | jq . > {gone}/x"), "there is no folder `…/gone`"),
        (format!("\"$CLAUDE_PROJECT_DIR\"/guard.sh && jq . > {gone}/x"), ""),
        (format!("echo \"$(mkdir -p {gone})\" > {gone}/x"), ""),
        ("jq . > /dev/null 2>&1".to_owned(), ""),
        ("jq . > \"$X\"/log".to_owned(), ""),
    ] {
        assert_eq!(project.line(&line), expected, "{line}");
    }
    let line = format!("jq . > {gone}/x");
    let does = |project: &Project, event, line: &str| project.shell(event, line)[0].does.clone();
    assert!(does(&project, "PreToolUse", &line).starts_with("the hook fails each time"));
    project.surroundings.shell = Some("/usr/bin/dash".into());
    let denies = "`/bin/sh` exits with 2 each time, so Claude Code denies every call";
    assert_eq!(does(&project, "PreToolUse", &line), denies);
    assert_eq!(does(&project, "PreToolUse", &format!("cd {gone} && jq .")), denies);
    assert!(does(&project, "PreToolUse", &format!("{line}; jq .")).ends_with("decides the outcome"));
    assert!(does(&project, "PostToolUse", &line).starts_with("the hook fails each time"));
}

#[test]
fn a_bash_command_in_dash() {
    let mut project = Project::new();
    let lines = [
        ("[[ -f x ]] && true", "[["),
        ("if [[ \"$X\" == *.go ]]; then true; fi", "[["),
        ("source \"$HOME\"/x", "source"),
        ("true; declare -a x", "declare"),
    ];
    for (line, _) in lines {
        assert_eq!(project.line(line), "", "{line}");
    }
    project.surroundings.shell = Some("/usr/bin/dash".into());
    for (line, name) in lines {
        let expected = format!("`{name}` is a bash command, but `/bin/sh` is dash here");
        assert_eq!(project.line(line), expected, "{line}");
    }
    for line in [
        "[ -f x ] && true", "bash -c '[[ -f x ]]'", "echo [[ x", "if grep -q x; then . \"$HOME\"/x; fi",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
    project.surroundings.shell = Some("/usr/bin/bash".into());
    assert_eq!(project.line(lines[0].0), "");
}

#[test]
fn a_variable_that_settings_set() {
    let mut project = Project::new();
    let line = "grep x \"$CLAUDE_FILE_PATH\"";
    assert!(!project.line(line).is_empty());
    project.surroundings.variables.insert("CLAUDE_FILE_PATH".to_owned());
    assert_eq!(project.line(line), "");
}

#[test]
fn a_relative_path_after_an_option() {
    let project = Project::new();
    project.write("app/x.ps1", "", 0o644);
    project.write("app/tool/package.json", "{}", 0o644);
    for program in ["pwsh", "npm"] {
        project.write(&format!("bin/{program}"), "", 0o755);
    }
    for (line, fixed) in [
        (
            "pwsh -NoProfile -File x.ps1 -Fast",
            "pwsh -NoProfile -File \"$CLAUDE_PROJECT_DIR\"/x.ps1 -Fast",
        ),
        ("npm -C tool run check", "npm -C \"$CLAUDE_PROJECT_DIR\"/tool run check"),
        (
            "npm --prefix ./tool test",
            "npm --prefix \"$CLAUDE_PROJECT_DIR\"/tool test",
        ),
    ] {
        let findings = project.shell("PostToolUse", line);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(
            findings[0]
                .what
                .ends_with("is relative to the session's current folder"),
            "{findings:?}"
        );
        assert_eq!(findings[0].edit, command(fixed));
        assert_eq!(project.line(fixed), "");
    }
    for line in ["pwsh -Command x.ps1", "npm run check -C tool", "npm test"] {
        assert_eq!(project.line(line), "", "{line}");
    }
}

#[test]
fn an_answer_without_effect() {
    let project = Project::new();
    let print = |event, answer: Value| match &project.shell(event, &format!("echo '{answer}'"))[..] {
        [] => String::new(),
        [finding] => finding.what.clone(),
        findings => panic!("{answer}: {findings:?}"),
    };
    for (event, answer, part) in [
        ("PostToolUse", json!({"feedback": "x"}), "`feedback`"),
        ("SessionEnd", json!({"decision": "block", "reason": "x"}), "the block"),
        (
            "PreToolUse",
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "x"}}),
            "the answer",
        ),
    ] {
        let said = print(event, answer);
        assert!(
            said.starts_with(&format!("{part} that this prints has no effect on {event}: ")),
            "{said}"
        );
    }
    for (event, answer) in [
        ("PreToolUse", json!({"decision": "block", "reason": "x"})),
        ("PostToolUse", json!({"decision": "approve"})),
        ("PostToolUse", json!({"suppressOutput": true})),
        ("PostToolUse", json!({"systemMessage": "x", "feedback": "x"})),
        ("PreToolUse", json!({"continue": true})),
        ("PreToolUse", json!({})),
        ("PreToolUse", json!({"continue": false})),
    ] {
        assert_eq!(print(event, answer.clone()), "", "{event} {answer}");
    }
}

#[test]
fn a_whole_line_in_place_of_a_program() {
    let project = Project::new();
    for line in ["python3 x.py", "${CLAUDE_PROJECT_DIR}/guard.sh --x"] {
        let said = project.finding(&json!({ "command": line, "args": [] }));
        assert!(said.starts_with("with `args`, "), "{said}");
    }
    project.write("app/with blank.sh", "", 0o755);
    let fields = json!({ "command": "${CLAUDE_PROJECT_DIR}/with blank.sh", "args": [] });
    assert_eq!(project.finding(&fields), "");
}

#[test]
fn a_file_that_is_not_executable_or_is_writable_by_every_user() {
    let project = Project::new();
    let call = |name: &str| format!("\"$CLAUDE_PROJECT_DIR\"/{name}");
    let path = project.write("app/plain.sh", "", 0o644);
    let findings = project.shell("PreToolUse", &call("plain.sh"));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].edit, Some(Fix::MakeExecutable(path)));
    // An interpreter only reads it.
    assert_eq!(project.line(&format!("sh {}", call("plain.sh"))), "");
    assert_eq!(project.line(&call("guard.sh")), "");
    let path = project.write("app/open.sh", "", 0o757);
    let findings = project.shell("PreToolUse", &call("open.sh"));
    assert_eq!(findings[0].edit, Some(Fix::Protect(path)));
    project.write("app/open/x.sh", "", 0o755);
    let folder = project.folder.path().join("app/open");
    set_mode(&folder, 0o777);
    let findings = project.shell("PreToolUse", &call("open/x.sh"));
    assert_eq!(findings[0].edit, Some(Fix::Protect(folder.clone())));
    set_mode(&folder, 0o1777);
    assert_eq!(project.line(&call("open/x.sh")), "");
    assert_eq!(project.line(&call("open")), "`…/app/open` is a folder");
    project.write("app/windows.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    assert!(project.line(&call("windows.sh")).contains("carriage return"));
    assert_eq!(project.line(&format!("sh {}", call("windows.sh"))), "");
}

#[test]
fn an_exit_code_that_does_not_block() {
    let project = Project::new();
    for line in [
        "grep -q rm && exit 1",
        "jq -e .x || exit 1",
        "jq -e .x || { echo no >&2; exit 1; }",
        "if grep -q rm; then echo no >&2; exit 1; fi",
    ] {
        assert_eq!(project.line(line), "`exit 1` does not block on PreToolUse", "{line}");
        // On these events nothing can be blocked, or only by an answer.
        for event in ["PostToolUse", "PermissionRequest"] {
            assert_eq!(project.shell(event, line), [], "{line}");
        }
        let fields = json!({ "command": line, "onFailure": "block" });
        assert_eq!(project.finding(&fields), "", "{line}");
    }
    for line in [
        "grep -q rm && exit 2",
        "grep -q rm && exit 0",
        "cd /x || exit 1",
        "[ -z \"$X\" ] && exit 1",
        "jq -e .x || exit 1; grep -q rm && exit 2",
        "exit 1",
        "echo 'exit 1'",
    ] {
        assert_eq!(project.line(line), "", "{line}");
    }
}

#[test]
fn an_answer_that_is_not_json() {
    let project = Project::new();
    let bare = "the shell removes the quotes, so `echo` does not print JSON";
    let none = "the output of `echo` looks like JSON, but is not";
    for (line, expected) in [
        ("echo {\"decision\":\"block\"}", bare),
        ("echo \"{\"decision\":\"block\"}\"", none),
        ("echo '{\"decision\": block}'", none),
        ("echo \"{'a': 1}\"", none),
        ("echo '{\"decision\":\"block\"}'", ""),
        ("echo \"{\\\"decision\\\":\\\"block\\\"}\"", ""),
        ("echo '{x' | grep -q x", ""),
        ("echo '{x' >/dev/null", ""),
        ("echo '{x' >&2", ""),
        ("echo '{\\n'", ""),
        ("printf '{%s'", ""),
        ("echo \"{$X}\"", ""),
        ("echo plain", ""),
    ] {
        assert_eq!(project.line(line), expected, "{line}");
    }
}

#[test]
fn a_stop_that_is_blocked_endlessly() {
    let project = Project::new();
    let never = |event, line: &str| {
        let findings = project.shell(event, line);
        findings.iter().any(|finding| finding.what.contains("stop_hook_active"))
    };
    let script = |text: &str| {
        project.write("app/stop.py", text, 0o644);
        never("Stop", "python3 \"$CLAUDE_PROJECT_DIR\"/stop.py")
    };
    assert!(never("Stop", "echo '{\"decision\":\"block\",\"reason\":\"x\"}'"));
    assert!(never("SubagentStop", "grep -q x || exit 2"));
    assert!(!never("Stop", "jq -e .stop_hook_active || exit 2"));
    assert!(!never("Stop", "echo done"));
    assert!(!never("PreToolUse", "grep -q x && exit 2"));
    assert!(script("print(json.dumps({\"decision\": \"block\"}))"));
    assert!(script("sys.exit(2)"));
    assert!(!script("if not data['stop_hook_active']: sys.exit(2)"));
    assert!(!script("# sys.exit(2)\nsys.exit(0)"));
    assert!(!script("sys.exit(20)"));
    assert!(!script("a decision about a block"));
    // The rest of a file that is too long may contain the check.
    assert!(!script(&format!("sys.exit(2){}", " ".repeat(65_536))));
}

#[test]
fn a_decision_that_comes_too_late() {
    let project = Project::new();
    let line = "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\"}}'";
    let fields = |key: &str| json!({ "command": line, key: true });
    assert!(project.finding(&fields("async")).contains("`async`"));
    assert_eq!(project.finding(&json!({ "command": line })), "");
    assert_eq!(
        project.finding(&json!({ "command": "cat", "async": true })),
        "there is no program `cat` on the PATH"
    );
    assert_eq!(project.finding(&json!({ "command": "true", "async": true })), "");
}

#[test]
fn a_line_of_the_maximum_length_is_checked_in_seconds() {
    let project = Project::new();
    for part in [
        "bash \"${CLAUDE_PLUGIN_ROOT:-.}/x\";", "${TOOL_INPUT:-a} ", "cd x&&", "a>x;", "{ a;};",
    ] {
        let line = part.repeat(128 * 1024 / part.len() - 1) + "true";
        let started = Instant::now();
        project.shell("PreToolUse", &line);
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{part}: {:?}",
            started.elapsed()
        );
    }
}
