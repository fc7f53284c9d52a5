use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use hookkit_protocol::event;
use serde_json::json;
use tempfile::TempDir;
use test_support::lines::Section;

use super::*;
use crate::diagnose::fields::Handler;
use crate::diagnose::rules::handler;
use crate::settings::code::commands;
use crate::settings::finding::Finding;

/// A project, and the programs on its hooks' `PATH`.
struct Project {
    folder: TempDir,
    surroundings: Surroundings,
}

impl Project {
    fn new() -> Self {
        let folder = test_support::folder();
        let surroundings = Surroundings {
            project: Some(folder.path().join("app")),
            plugin: None,
            home: Some(folder.path().join("home")),
            path: Some(folder.path().join("bin").into()),
            shell: None,
            variables: BTreeSet::new(),
        };
        let project = Self { folder, surroundings };
        project.programs(&["sh", "bash", "python3", "node", "jq", "grep", "mkdir"]);
        project.write("app/guard.sh", "#!/bin/sh\nexit 0\n", 0o755);
        project
    }

    /// Returns the project for a section.
    fn of_section(section: &Section) -> Self {
        let mut project = Self::new();
        project.programs(&section.words("programs"));
        for link in section.words("links") {
            let _ = fs::remove_file(project.folder.path().join(link.split("->").next().unwrap_or_default()));
        }
        section.write(project.folder.path(), "");
        let shells = section.words("shell");
        project.surroundings.shell = shells.first().map(|shell| project.folder.path().join("bin").join(shell));
        let variables = section.words("variables").into_iter().map(str::to_owned);
        project.surroundings.variables = variables.collect();
        project
    }

    fn programs(&self, names: &[&str]) {
        for name in names {
            self.write(&format!("bin/{name}"), "", 0o755);
        }
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

    /// Returns the part of a line's only finding that a section shows. Without findings, returns an empty string.
    fn shown(&self, section: &Section, line: &str) -> String {
        let folder = self.folder.path().to_string_lossy();
        let fields = if line.starts_with("{\"command\"") {
            serde_json::from_str(line).expect(line)
        } else {
            json!({ "command": line.replace('…', &folder) })
        };
        let event = *section.words("event").first().unwrap_or(&"PreToolUse");
        let findings = self.of(event, &fields);
        let [finding] = &findings[..] else {
            assert_eq!(findings, [], "{line}");
            return String::new();
        };
        let shown = match (section.words("shows").first(), &finding.edit) {
            (None, _) => finding.what.to_string(),
            (Some(&"does"), _) => finding.does.to_string(),
            (_, None) => "none".to_owned(),
            (_, Some(Edit::Set { key, value })) => {
                let text = value.as_str().map_or(value.to_string(), str::to_owned);
                format!("{key}: {text}")
            }
            (_, Some(edit)) => format!("{edit:?}"),
        };
        shown.replace(&*folder, "…")
    }

    fn line(&self, command: &str) -> String {
        self.shown(&Section::default(), command)
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

#[test]
fn each_line_has_its_finding() {
    let lines = test_support::lines!("lines/doctor-commands.txt");
    let sections = lines.sections.iter();
    let projects: BTreeMap<_, _> = sections.map(|section| (section.name, Project::of_section(section))).collect();
    lines.check(|section, line| projects[section.name].shown(section, line));
}

#[test]
fn each_program_that_a_line_starts_has_its_finding() {
    let lines = test_support::lines!("lines/doctor-scripts.txt");
    lines.check(|section, text| {
        let project = Project::of_section(section);
        project.programs(&["ruby", "cat"]);
        project.write("app/guard.sh", text, 0o755);
        let line = section.words("line").join(" ").replace("FILE", "guard.sh");
        let quoted = format!("'{}'", text.replace('\'', "'\\''"));
        let event = *section.words("event").first().unwrap_or(&"PreToolUse");
        let findings = project.shell(event, &line.replace("TEXT", &quoted));
        match section.name.starts_with("answers") {
            true if findings.is_empty() => String::new(),
            true => findings.iter().filter(|found| found.code == commands::ANSWER_WITHOUT_EFFECT).count().to_string(),
            false => findings.into_iter().map(|found| found.what).collect::<Vec<_>>().join("; "),
        }
    });
}

#[test]
fn the_fix_of_a_relative_path_after_a_default_is_for_the_author_to_make() {
    let findings = Project::new().shell("PreToolUse", "bash \"${CLAUDE_PLUGIN_ROOT:-.}/guard.sh\"");
    assert_eq!(findings[0].fix, "write `\"$CLAUDE_PROJECT_DIR\"/guard.sh`");
}

#[test]
fn a_file_that_is_not_executable_or_is_writable_by_every_user() {
    let project = Project::new();
    let call = |name: &str| format!("\"$CLAUDE_PROJECT_DIR\"/{name}");
    let path = project.write("app/plain.sh", "", 0o644);
    let findings = project.shell("PreToolUse", &call("plain.sh"));
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].edit, Some(Edit::MakeExecutable(path)));
    // An interpreter only reads it.
    assert_eq!(project.line(&format!("sh {}", call("plain.sh"))), "");
    assert_eq!(project.line(&call("guard.sh")), "");
    let path = project.write("app/open.sh", "", 0o757);
    let findings = project.shell("PreToolUse", &call("open.sh"));
    assert_eq!(findings[0].edit, Some(Edit::Protect(path)));
    project.write("app/open/x.sh", "", 0o755);
    let folder = project.folder.path().join("app/open");
    set_mode(&folder, 0o777);
    let findings = project.shell("PreToolUse", &call("open/x.sh"));
    assert_eq!(findings[0].edit, Some(Edit::Protect(folder.clone())));
    set_mode(&folder, 0o1777);
    assert_eq!(project.line(&call("open/x.sh")), "");
    assert_eq!(project.line(&call("open")), "`…/app/open` is a folder");
    project.write("app/windows.sh", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    assert!(project.line(&call("windows.sh")).contains("carriage return"));
    assert_eq!(project.line(&format!("sh {}", call("windows.sh"))), "");
    project.write("app/with blank.sh", "", 0o755);
    let fields = json!({ "command": "${CLAUDE_PROJECT_DIR}/with blank.sh", "args": [] });
    assert_eq!(project.of("PreToolUse", &fields), []);
}

#[test]
fn the_rest_of_a_script_that_is_too_long_may_look_at_stop_hook_active() {
    let project = Project::new();
    for (blanks, count) in [(0, 1), (65_536, 0)] {
        project.write("app/stop.py", &format!("sys.exit(2){}", " ".repeat(blanks)), 0o644);
        let findings = project.shell("Stop", "python3 \"$CLAUDE_PROJECT_DIR\"/stop.py");
        assert_eq!(findings.len(), count, "{findings:?}");
    }
}

#[test]
fn a_line_of_the_maximum_length_is_checked_in_seconds() {
    let project = Project::new();
    for part in ["bash \"${CLAUDE_PLUGIN_ROOT:-.}/x\";", "${TOOL_INPUT:-a} ", "cd x&&", "a>x;", "{ a;};"] {
        let line = part.repeat(128 * 1024 / part.len() - 1) + "true";
        let started = Instant::now();
        project.shell("PreToolUse", &line);
        let taken = started.elapsed();
        assert!(taken < Duration::from_secs(8), "{part}: {taken:?}");
    }
}

/// Words that the rules look for, and multibyte characters.
const PIECES: &[&str] = &[
    "é", "…", "😀", "\u{2028}", "\u{a0}", "`", "$", "{", "}", "${", "${x:", "$(", "(", ")", "<(", "<<", "<<<", "<<E\n",
    "\nE\n", ":", ":-", "/", "#", "!", "=", "x", "x=(", "x+=(", "for x in", "do", "done", "[[", "]]", "source",
    "set -o ", "pipefail", "'pipefail'", "exit", "exitCode =", "process.exit(", " 1", "2", "|| ", "&& ", "; ", "\n",
    "\t", " ", "'", "\"", "\\", ",", "{a:", "print(json.dumps(", "console.log(JSON.stringify(", "decision", "deny",
    "block", "echo ", "printf ", "jq -n ", "cat ", "import ", "environ[", ">&2", "abort ", "return 1", "exit(main(",
];

#[test]
fn a_text_of_any_characters_is_checked_to_the_end() {
    let mut project = Project::new();
    project.programs(&["dash", "ruby", "cat"]);
    project.surroundings.shell = Some(project.folder.path().join("bin/dash"));
    let mut random = fastrand::Rng::with_seed(1);
    let straddled = "`aaaaaaé; set -o pipefail`".to_owned();
    let generated =
        (0..2_000).map(|_| (0..random.usize(1..24)).map(|_| PIECES[random.usize(..PIECES.len())]).collect());
    for text in [straddled].into_iter().chain(generated) {
        project.write("app/guard.sh", &text, 0o755);
        for program in ["sh", "python3", "node", "ruby"] {
            project.shell("PreToolUse", &format!("{program} \"$CLAUDE_PROJECT_DIR\"/guard.sh"));
        }
        project.shell("Stop", &text);
        project.of("PreToolUse", &json!({ "command": "sh", "args": ["-c", text] }));
    }
}

#[test]
fn an_answer_that_nests_deep_is_not_read() {
    let project = Project::new();
    let text = format!("print(json.dumps({}", "{a:".repeat(20_000));
    project.write("app/guard.py", &text, 0o755);
    let findings = project.shell("PreToolUse", "python3 \"$CLAUDE_PROJECT_DIR\"/guard.py");
    assert_eq!(findings, []);
}
