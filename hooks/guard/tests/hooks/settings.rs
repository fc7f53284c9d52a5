//! `hold_settings` and `watch_settings`, in a session whose settings change.

#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::{fs, io};

use hookkit::Hook;
use hookkit::testing::{Action, Session, Verdict};
use hookkit_guard::settings::{hold_settings, watch_settings};

use hookkit::prelude::*;

const GUARDED: &str = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"guard"}]}]},"permissions":{"deny":["Read(a)"]},"model":"a"}"#;

const PROJECT: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";
const USER: &str = "~/.claude/settings.json";

/// A session, with the client's process.
struct Client(Session);

/// Returns the id of a process that cannot exist: it is higher than any system's.
fn process(number: u32) -> String {
    (u32::MAX - number).to_string()
}

impl Client {
    /// Starts a client in a project with a guard, and lets the hook remember it.
    fn new() -> Self {
        let client = Self::unwatched();
        client.start("startup");
        client
    }

    fn unwatched() -> Self {
        let mut session = Session::new();
        session.write(PROJECT, GUARDED);
        session.write("~/.claude/a", "");
        session.set("CLAUDE_PID", process(100));
        Self(session)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path(file)
    }

    fn write(&self, file: &str, text: &str) {
        self.0.write(file, text);
    }

    /// Continues in another process.
    fn restart(&mut self, process: String, source: &str) {
        self.0.set("CLAUDE_PID", process);
        self.start(source);
    }

    fn start(&self, source: &str) {
        self.0.run(watch_settings::DEF, &SessionStart::new(source)).assert_passed();
    }

    /// Reports a change of a file.
    fn change(&self, source: &str, file: &str) -> Verdict {
        let mut change = ConfigChange::new(source);
        change.file_path = Some(self.path(file));
        self.0.run(hold_settings::DEF, &change)
    }

    /// Returns `true` if a change of one of the usual files is held.
    fn holds(&self, file: &str) -> bool {
        let source = match file {
            LOCAL => "local_settings",
            USER => "user_settings",
            _ => "project_settings",
        };
        self.change(source, file).action == Action::Denied
    }

    /// Returns `true` if a change of one of the usual files to this text is held.
    fn holds_as(&self, file: &str, text: &str) -> bool {
        self.write(file, text);
        self.holds(file)
    }

    fn prompt(&self) -> Verdict {
        self.0.run(watch_settings::DEF, &UserPromptSubmit::new("go on"))
    }
}

#[test]
fn a_guard_that_is_taken_away_is_held_until_it_is_back_and_said_once() {
    let client = Client::new();
    client.prompt().assert_passed();
    assert!(client.holds_as(PROJECT, r#"{"permissions":{"deny":["Read(a)"]}}"#));
    let held = "settings.json`: `hooks.PreToolUse` is gone. The session keeps the settings that it had";
    let verdict = client.prompt();
    verdict
        .assert_model_reads(held)
        .assert_model_reads("Undo your change there")
        .assert_user_sees(held)
        .assert_user_sees("`claude --continue`");
    client.prompt().assert_passed();
    assert!(client.holds(PROJECT), "the same change again");
    client.prompt().assert_passed();
    assert!(client.holds_as(PROJECT, "{"));
    client.prompt().assert_user_sees("it cannot be read as JSON");
    assert!(!client.holds_as(PROJECT, GUARDED));
    client.prompt().assert_passed();
}

#[test]
fn what_is_said_comes_after_the_next_calls_too() {
    let client = Client::new();
    assert!(client.holds_as(LOCAL, r#"{"disableAllHooks":true}"#));
    client
        .0
        .run(watch_settings::DEF, &PostToolBatch::new(Vec::new()))
        .assert_model_reads("`disableAllHooks` is new")
        .assert_user_sees("`disableAllHooks` is new");
    client.prompt().assert_passed();
}

/// Installs a hook in the project, and lets the hook remember it.
#[cfg(unix)]
fn client_with_program(program: &str) -> Client {
    use std::os::unix::fs::PermissionsExt;
    let client = Client::unwatched();
    let command = format!("${{CLAUDE_PROJECT_DIR}}/{program}");
    let entry = serde_json::json!({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":command}]}]}});
    client.write(PROJECT, &entry.to_string());
    client.write(program, "program");
    fs::set_permissions(client.path(program), fs::Permissions::from_mode(0o755)).expect("it is ours");
    client.start("startup");
    client
}

#[cfg(unix)]
#[test]
fn a_program_of_a_hook_that_is_lost_ends_the_turn_and_is_said_once() {
    use std::os::unix::fs::PermissionsExt;
    const PROGRAM: &str = ".claude/hookkit/app/bin/deny-secrets";
    type Loss = fn(&std::path::Path);
    let losses: [Loss; 4] = [
        |program| fs::remove_file(program).unwrap(),
        |program| fs::set_permissions(program, fs::Permissions::from_mode(0o644)).unwrap(),
        |program| fs::write(program, "another").unwrap(),
        |program| {
            fs::rename(program.ancestors().nth(4).unwrap(), program.ancestors().nth(5).unwrap().join("x")).unwrap()
        },
    ];
    for lose in losses {
        let client = client_with_program(PROGRAM);
        let batch = || client.0.run(watch_settings::DEF, &PostToolBatch::new(Vec::new()));
        batch().assert_passed();
        lose(&client.path(PROGRAM));
        let lost = format!("are gone or changed, and no longer guard anything: `{}`", client.path(PROGRAM).display());
        let verdict = batch();
        verdict.assert_turn_ended(&lost).assert_model_reads(&lost).assert_user_sees(&lost);
        batch().assert_passed();
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_a_record_names_and_the_script_of_a_hook_that_is_off_pass() {
    const PROGRAM: &str = ".claude/hookkit/app/bin/deny-secrets";
    let client = client_with_program(PROGRAM);
    let batch = || client.0.run(watch_settings::DEF, &PostToolBatch::new(Vec::new()));
    let digest = |text: &str| -> String {
        let digest = hmac_sha256::Hash::hash(text.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let state = client.path("").parent().unwrap().join("state/hookkit/places/0");
    fs::create_dir_all(&state).unwrap();
    let record = serde_json::json!({"binaries": {"deny-secrets": [digest("newer")], "other": [digest("other's")]}});
    fs::write(state.join("record-app.json"), record.to_string()).unwrap();
    let paused = serde_json::json!({"deny-secrets": {digest("script"): {"until": 1, "line": null}}});
    fs::write(state.join("paused-app.json"), paused.to_string()).unwrap();
    for program in ["newer", "script"] {
        client.write(PROGRAM, program);
        batch().assert_passed();
    }
    client.write(PROGRAM, "other's");
    batch().assert_turn_ended("gone or changed");
}

#[test]
fn while_one_file_is_held_so_are_the_others() {
    let client = Client::new();
    assert!(!client.holds_as(USER, r#"{"model":"b"}"#));
    client.write(PROJECT, r#"{"hooks":{}}"#);
    // The client would read this file, too, without an event for it so far.
    assert!(client.holds_as(USER, r#"{"model":"c"}"#));
    assert!(client.holds(PROJECT));
    client.write(PROJECT, GUARDED);
    assert!(!client.holds(USER));
}

#[test]
fn what_the_client_has_written_for_its_user_holds_no_change_of_others() {
    let client = Client::new();
    client.write(LOCAL, r#"{"permissions":{"allow":["WebFetch"]}}"#);
    assert!(!client.holds_as(PROJECT, &GUARDED.replace("\"a\"", "\"b\"")));
    // From now on it counts as known.
    assert!(!client.holds_as(LOCAL, r#"{"permissions":{"allow":["WebFetch"]},"model":"b"}"#));
    assert!(client.holds_as(LOCAL, r#"{"permissions":{"allow":["Bash"]},"model":"b"}"#));
}

#[test]
fn what_has_passed_is_held_when_it_goes() {
    let client = Client::new();
    assert!(!client.holds_as(PROJECT, &GUARDED.replace("Read(a)", r#"Read(a)","Read(b)"#)));
    assert!(client.holds_as(PROJECT, GUARDED));
}

#[test]
fn a_file_that_is_gone_or_not_a_settings_file_is_held() {
    let client = Client::new();
    let path = client.path(PROJECT);
    let tried = |make: &dyn Fn() -> io::Result<()>| {
        fs::remove_file(&path).unwrap();
        make().unwrap();
        assert!(client.holds(PROJECT));
        let _ = fs::remove_dir(&path);
        assert!(!client.holds_as(PROJECT, GUARDED));
    };
    tried(&|| Ok(()));
    tried(&|| fs::create_dir(&path));
    tried(&|| fs::write(&path, ""));
    tried(&|| fs::write(&path, [b"\xff", GUARDED.as_bytes()].concat()));
    tried(&|| fs::write(&path, GUARDED.to_owned() + &" ".repeat(1 << 20)));
    fs::rename(client.path(".claude"), client.path("away")).unwrap();
    assert!(client.holds(PROJECT));
    fs::write(client.path(".claude"), "").unwrap();
    assert!(client.holds(PROJECT));
}

#[cfg(unix)]
#[test]
fn a_link_is_held_where_there_was_none_or_another_one() {
    let mut client = Client::new();
    client.write("../guarded", GUARDED);
    client.write("guarded", GUARDED);
    client.write("../secret", "TOKEN=hunter2\n");
    let link = |client: &Client, target: &str| {
        fs::remove_file(client.path(PROJECT)).unwrap();
        symlink(target, client.path(PROJECT)).unwrap();
    };
    for target in ["../../guarded", "../../secret", "/proc/self/cwd/guarded", "/dev/zero", "/nowhere", "settings.json"]
    {
        link(&client, target);
        assert!(client.holds(PROJECT), "{target}");
    }
    assert!(!format!("{:?}", client.prompt()).contains("hunter2"));

    link(&client, "../../guarded");
    client.restart(process(200), "startup");
    assert!(!client.holds(PROJECT));
    client.write("../guarded", "{}");
    assert!(client.holds(PROJECT));
    client.write("../guarded", GUARDED);
    link(&client, "../guarded");
    assert!(client.holds(PROJECT));
    link(&client, "../../guarded");
    // Under another name of its folder, it is the same file.
    symlink("project", client.path("../link")).unwrap();
    client.change("project_settings", "../link/.claude/settings.json").assert_passed();
}

#[test]
fn a_new_client_starts_with_what_is_there_and_a_cleared_session_does_not() {
    let mut client = Client::new();
    client.write(PROJECT, "{}");
    client.0.context_mut().session_id = "two".to_owned();
    for source in ["clear", "compact"] {
        client.start(source);
        assert!(client.holds(PROJECT), "{source}");
    }
    for (number, source) in [(200, "startup"), (300, "resume"), (100, "fork"), (400, "clear")] {
        client.restart(process(number), source);
        assert!(!client.holds(PROJECT), "{source}");
    }
}

#[test]
fn a_client_among_many_is_remembered_and_the_oldest_are_not() {
    let mut client = Client::unwatched();
    for number in 1..=33 {
        client.restart(process(number), "startup");
    }
    assert!(!client.holds(PROJECT));
    client.0.set("CLAUDE_PID", process(2));
    assert!(!client.holds(PROJECT));
    client.0.set("CLAUDE_PID", process(1));
    assert!(client.holds(PROJECT));
    // Long names do not displace each other until none is left.
    let rules = format!("\"{}\"", "x".repeat(200_000));
    client.write(PROJECT, &GUARDED.replace("\"Read(a)\"", &rules));
    for number in 41..=43 {
        client.restart(process(number), "startup");
        assert!(!client.holds(PROJECT));
    }
}

#[test]
fn without_what_the_session_started_with_every_change_is_held() {
    let client = Client::unwatched();
    assert!(client.holds_as(PROJECT, &GUARDED.replace("\"a\"", "\"b\"")));
    client.prompt().assert_user_sees("its content at the start of the session is unknown");
    // A file other than the three is not known either.
    let client = Client::new();
    client.write("settings.json", "{}");
    assert!(client.holds("settings.json"));
    let mut without_state = Client::unwatched();
    without_state.0.set("XDG_STATE_HOME", "").set("HOME", "");
    assert!(without_state.holds(PROJECT));
}

#[test]
fn a_change_of_the_organization_s_settings_or_of_a_skill_s_text_is_not_looked_at() {
    let client = Client::new();
    client.write(PROJECT, "{}");
    client.change("policy_settings", PROJECT).assert_not_called();
    client.change("skills", ".claude/skills/x/SKILL.md").assert_passed();
}

#[test]
fn a_module_that_changes_is_held_and_one_that_comes_or_changes_ends_the_turn_and_is_said_once() {
    let client = Client::new();
    let batch = || client.0.run(watch_settings::DEF, &PostToolBatch::new(Vec::new()));
    for folder in [".claude/skills/x", "~/.claude/skills/y"] {
        client.write(&format!("{folder}/SKILL.md"), "Go.");
        client.write(&format!("{folder}/.claude-plugin/plugin.json"), "{}");
        batch().assert_passed();
        client.write(&format!("{folder}/hooks/hooks.json"), r#"{"modules": ["./register.js"]}"#);
        let found = format!("every hook of the next session: `{}`", client.path(folder).display());
        batch().assert_turn_ended(&found).assert_model_reads(&found).assert_user_sees(&found);
        batch().assert_passed();
        let module = format!("{folder}/hooks/register.js");
        client.write(&module, "export function register(on) {}");
        client.prompt().assert_model_reads(&found).assert_user_sees(&found);
        client.prompt().assert_passed();
        assert_eq!(client.change("skills", &module).action, Action::Denied);
    }
    let installed = serde_json::json!({"plugins": {"a@b": [{"installPath": client.path("plugin")}]}});
    client.write("plugin/.claude-plugin/plugin.json", "{}");
    client.write("plugin/hooks.json", r#"{"modules": ["./register.js"]}"#);
    batch().assert_passed();
    client.write("~/.claude/plugins/installed_plugins.json", &installed.to_string());
    batch().assert_user_sees("plugin`");
    fs::remove_dir_all(client.path("plugin")).expect("it is ours");
    batch().assert_passed();
}

#[test]
fn local_settings_at_the_root_of_a_repository_and_of_its_main_checkout_are_known() {
    let mut client = Client::unwatched();
    for made in [".git/worktrees/tree", "sub", "../tree/.claude", "../tree/sub"] {
        fs::create_dir_all(client.path(made)).unwrap();
    }
    let worktree = client.path(".git/worktrees/tree");
    client.write("../tree/.git", &format!("gitdir: {}\n", worktree.display()));
    client.write(".git/worktrees/tree/commondir", "../..\n");
    let back = client.path("../tree/.git");
    client.write(".git/worktrees/tree/gitdir", &format!("{}\n", back.display()));
    for folder in ["", "sub", "../tree", "../tree/sub"] {
        client.0.start_in(folder);
        client.start("startup");
        assert!(!client.holds_as(LOCAL, r#"{"model":"b"}"#), "{folder}");
        assert!(client.holds_as(LOCAL, r#"{"disableAllHooks":true}"#), "{folder}");
        fs::remove_file(client.path(LOCAL)).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_process_started_with_is_not_replaced_while_it_runs() {
    let mut client = Client::new();
    client.restart(std::process::id().to_string(), "startup");
    client.write(PROJECT, "{}");
    for source in ["startup", "resume"] {
        client.start(source);
        assert!(client.holds(PROJECT), "{source}");
    }
}
