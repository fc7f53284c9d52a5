//! `protect_secrets` on recorded events.

mod outcome;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_guard::files::protect_secrets;
use outcome::outcome;
use serde_json::{Value, json};

const TOOLS: [&str; 3] = ["Read", "Edit", "Write"];

fn recorded(tool: &str) -> Recorded {
    Recorded::of(&format!("PreToolUse {tool}"))
}

#[test]
fn an_ordinary_file_passes() {
    for tool in TOOLS {
        Session::new()
            .run(protect_secrets::DEF, &recorded(tool))
            .assert_passed();
    }
}

#[test]
fn reading_editing_and_writing_a_secret_is_denied() {
    let session = Session::new();
    let file = session.path(".env");
    for tool in TOOLS {
        let event = recorded(tool).with("tool_input.file_path", &file);
        session.run(protect_secrets::DEF, &event).assert_denied(&format!(
            "`{}` is an environment file, and such files hold secrets. Do not try to reach it in another way: ask the user to \
             make the change, or to tell you what you need to know without the secret itself",
            file.display().to_string().replace('\\', "/")
        ));
    }
}

#[test]
fn a_command_of_a_skill_is_denied_a_secret() {
    let run = |command: &str| {
        let event = Recorded::of("PreSkillShellCommand Bash").with("tool_input.command", command);
        Session::new().run(protect_secrets::DEF, &event)
    };
    run("cat .env").assert_denied("`cat` reads `.env`, an environment file");
    // A skill cannot wait for the user.
    run("gh auth token").assert_denied("the hook asked for approval");
    run("ls -la .env").assert_passed();
}

#[cfg(unix)]
#[test]
fn a_denied_link_is_named_with_what_it_leads_to() {
    let session = Session::new();
    session.write("server.key", "the key");
    let link = session.path("notes.txt");
    std::os::unix::fs::symlink("server.key", &link).expect("the link is new");
    let event = recorded("Read").with("tool_input.file_path", &link);
    session.run(protect_secrets::DEF, &event).assert_denied(&format!(
        "`{0}/notes.txt` leads to `{0}/server.key`, a private key or a key store, and such files hold secrets. Do not try \
         to reach it in another way: ask the user to make the change, or to tell you what you need to know without the \
         secret itself",
        session.path("").display()
    ));
}

#[test]
fn a_notebook_a_search_and_a_command_are_looked_at_too() {
    let session = Session::new();
    let with = |tool: &str, input: Value| -> Verdict {
        let event = recorded("Bash").with("tool_name", tool).with("tool_input", input);
        session.run(protect_secrets::DEF, &event)
    };
    let file = session.path(".env");
    with("NotebookEdit", json!({"notebook_path": file, "new_source": "x"}))
        .assert_denied(".env` is an environment file");
    let search = |path: &str, mode: &str| {
        let path = session.path(path);
        with("Grep", json!({"pattern": "TOKEN", "path": path, "output_mode": mode}))
    };
    search(".env", "content").assert_denied("an environment file");
    search("~/.ssh", "content").assert_denied("a folder of files that hold secrets");
    search(".env", "count").assert_passed();
    search("~/.ssh", "files_with_matches").assert_passed();
    search("", "content").assert_passed();
    with("Grep", json!({"pattern": "TOKEN"})).assert_passed();
    let command = |tool: &str, command: &str| with(tool, json!({"command": command, "description": "Run it"}));
    command("Bash", "cat .env").assert_denied("`cat` reads `.env`, an environment file");
    command("Bash", "ls .env").assert_passed();
    command("Bash", "cat \"$d/.env\"").assert_asked("and `cat` reads `.env`, an environment file; such files");
    command("PowerShell", "Get-Content .env").assert_asked("the command names `.env`, an environment file");
    command("PowerShell", "Get-ChildItem").assert_passed();
}

#[test]
fn what_a_server_and_the_web_are_called_with_is_looked_at() {
    let session = Session::new();
    session.write("server.key", "the key");
    let with = |tool: &str, input: Value| {
        let event = recorded("Bash").with("tool_name", tool).with("tool_input", input);
        session.run(protect_secrets::DEF, &event)
    };
    let file = session.path("server.key");
    with("mcp__files__read_text_file", json!({"path": file})).assert_denied("a private key or a key store");
    with(
        "mcp__files__read_files",
        json!({"paths": ["README.md", format!("file://{}", file.display())]}),
    )
    .assert_denied("a private key");
    with("mcp__files__read_text_file", json!({"path": "~/.ssh/id_work"})).assert_asked("a file in a folder of secrets");
    with("mcp__shell__run", json!({"command": "cat .env"})).assert_denied("`cat` reads `.env`");
    let address = "http://0xa9fea9fe/latest/meta-data/iam/security-credentials/a";
    with("WebFetch", json!({"url": address, "prompt": "x"})).assert_asked("a cloud's machine");
    with("mcp__browser__open", json!({"tab": {"url": address}})).assert_asked("a cloud's machine");
    for (tool, input) in [
        (
            "WebFetch",
            json!({"url": "https://example.com/.env", "prompt": "what is in .env and ~/.ssh?"}),
        ),
        (
            "mcp__github__create_issue",
            json!({"title": "ignore .env", "body": "see .env\nand id_rsa"}),
        ),
        ("mcp__files__read_text_file", json!({"path": session.path("README.md")})),
        ("mcp__shell__run", json!({"command": "ls -la .env"})),
        ("mcp__x__y", json!(null)),
        // A hook on several tools, in an order of a workspace, may get others.
        ("Agent", json!({"prompt": ".env"})),
    ] {
        with(tool, input).assert_passed();
    }
}

#[test]
fn a_glob_of_a_search_names_files_too() {
    let search = |session: &Session, folder: &str, glob: &str| {
        let input = json!({"pattern": "x", "path": session.path(folder), "glob": glob, "output_mode": "content"});
        let event = recorded("Bash").with("tool_name", "Grep").with("tool_input", input);
        session.run(protect_secrets::DEF, &event)
    };
    test_support::lines!("lines/protect-secrets-globs.txt").check(|section, glob| {
        let session = Session::new();
        section.write(&session.path(""), "");
        let folder = section.words("in").concat();
        let verdict = search(&session, &folder, glob);
        let found = format!("the glob `{glob}` finds `");
        let denied = if section.words("files").is_empty() {
            "the glob `"
        } else {
            &found
        };
        outcome(&verdict, denied, &found)
    });
    search(&Session::new(), "", &"{a,b}".repeat(20)).assert_asked("more patterns than can be looked at");
}
