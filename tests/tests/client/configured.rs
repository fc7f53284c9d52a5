//! Hooks of this repository as a workspace configures them, in the real client.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;

use hookkit_tests::prelude::*;

use crate::case::result;
use crate::hooks::install_from;

/// The settings of a workspace with packs of this repository.
const TABLES: &str = include_str!("../../fixtures/sources/configured.toml");

/// An MCP server that asks the user. There is no answer, which raises a notification.
const SERVER: &str = include_str!("../../fixtures/verdict/server.sh");

/// Returns a workspace with packs of this repository, and those settings.
pub(crate) fn workspace() -> Result<Stage> {
    let packs = repository().join("hooks");
    let [guard, session] = ["guard", "session"].map(|pack| packs.join(pack));
    let dependencies = format!("hookkit-guard.path = {guard:?}\nhookkit-session.path = {session:?}\n");
    let manifest = format!(
        "[workspace]\n\n[package]\nname = \"app\"\nedition = \"2024\"\n\n[target.'cfg(any())'.dependencies]\n{dependencies}{TABLES}"
    );
    let stage = Stage::take(&[("app/Cargo.toml", &manifest), ("app/src/lib.rs", "//! Nothing.\n")])?;
    stage.pin()?;
    Ok(stage)
}

fn install(stage: &Stage, project: &Project, hooks: &[&str]) -> Result<()> {
    install_from(&stage.app(), project, hooks)
}

/// Serves one request, and returns it.
fn serve() -> Result<(u16, mpsc::Receiver<String>)> {
    let server = TcpListener::bind("127.0.0.1:0")?;
    let port = server.local_addr()?.port();
    let (sender, requests) = mpsc::channel();
    thread::spawn(move || {
        let (mut stream, _) = server.accept()?;
        let (mut request, mut chunk) = (String::new(), [0; 4096]);
        // Headers and body may come apart.
        while !request.contains("Elicitation") {
            match stream.read(&mut chunk)? {
                0 => break,
                length => request += &String::from_utf8_lossy(&chunk[..length]),
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")?;
        // The test may have ended.
        let _ = sender.send(request);
        Ok::<_, std::io::Error>(())
    });
    Ok((port, requests))
}

#[test]
fn a_workspace_s_configuration_decides_what_its_hooks_do() -> Result<()> {
    let client = client!("a_workspace_s_configuration_decides_what_its_hooks_do");
    let stage = workspace()?;
    let (project, home) = (Project::new()?, Project::new()?);
    install(&stage, &project, &["deny-destruction", "notify-away"])?;
    let (port, requests) = serve()?;
    let content = format!("ntfy http://127.0.0.1:{port}/topic\n");
    home.write(".config/hookkit/notify", content)?;
    home.write("server.sh", SERVER)?;
    let server = json!({"mcpServers": {"srv": {"command": "sh", "args": [home.path().join("server.sh")]}}});
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "mcp__srv"])
        .arguments(&["--mcp-config", &server.to_string()])
        .env("ENABLE_TOOL_SEARCH", "0")
        .env("HOME", home.path())
        .turn(Turn::bash("git tag -d a"))
        .turn(Turn::bash("env X=1 git tag -d b"))
        .turn(Turn::call("mcp__srv__ask", json!({})))
        .turn(Turn::text("Done."))
        // The notification is sent while the session goes on.
        .then("again")
        .run("go")?;
    let results = outcome.tool_results();
    assert!(results[0].contains("tag 'a' not found"), "{results:?}");
    results[1].lacks("not found");
    results[1].has("git tag -d");
    let request = requests.recv_timeout(Duration::from_secs(20));
    let request = request.with_context(|| format!("no request; {}", outcome.debug()))?;
    request.starts("POST /topic ");
    let name = files::name(project.path());
    request.has(&format!("\r\n\r\nClaude Code in {name}: Elicitation response for server \"srv\": "));

    let held = Project::new()?;
    install(&stage, &held, &["hold-budget"])?;
    let outcome = Session::new(&client, held.path())
        .allow(&["Bash"])
        // The client writes the transcript a moment after a reply.
        .turn(Turn::bash("sleep 1"))
        .go()?;
    assert_eq!(outcome.requests(), 1, "the turn ends");
    let result = result(&outcome);
    assert_eq!(result["terminal_reason"], "hook_stopped", "{result}");
    Ok(())
}

#[test]
fn a_session_without_the_hooks_of_its_project_says_so_and_waits_for_them() -> Result<()> {
    let client = client!("a_session_without_the_hooks_of_its_project_says_so_and_waits_for_them");
    let (stage, project, user) = (workspace()?, Project::new()?, test_support::folder());
    let user = user.path().canonicalize()?;
    install(&stage, &project, &["deny-destruction"])?;
    let install = |arguments: &[&str]| -> Result<()> {
        let mut install = command(&stage.app(), &[&["install"], arguments].concat())?;
        install.env("CLAUDE_CONFIG_DIR", &user).out(0).map(drop)
    };
    let hooks = ["--hook", "report-missing-hooks", "--hook", "require-hooks"];
    install(&[&["--scope", "user"], &hooks[..]].concat())?;
    project.write("app/a.txt", "")?;
    let session = |folder: &str| {
        Session::new(&client, &project.path().join(folder))
            .within(project.path())
            .trusting(project.path())
            .config_dir(&user)
            .turn(Turn::text("Done."))
    };
    let missing = "1 of this project's 1 hook is not active in this session (started in `app/`): deny-destruction";
    let missing = format!("{missing}; start the session in `{}`", project.path().display());
    // All that is there was reviewed.
    let verify = ["verify", "--project", text(project.path())?];
    xtask_ok(repository(), &[&verify[..], &["--accept"]].concat())?;
    let outcome = session(".").run("go")?;
    assert_eq!(outcome.requests(), 1);
    let read = outcome.model_read();
    assert!(!read.contains("not active") && !read.contains("reviewed"), "{read}");

    // A commit asks for a newer client.
    let lock = project.read(".claude/hookkit.lock")?;
    let mut newer: Value = serde_json::from_str(&lock)?;
    newer["app"]["min-client"] = json!("9.9.9");
    project.write(".claude/hookkit.lock", newer.to_string())?;
    let outcome = session(".").run("go")?;
    let (version, path) = (client::VERSION, project.path().display());
    let old =
        format!("this session's Claude Code {version} is older than 9.9.9, the `min-client` of the hooks of `{path}`");
    outcome.model_read().has(&old);
    project.write(".claude/hookkit.lock", lock)?;

    // A branch brings a hook.
    let reviewed = project.read(".claude/settings.json")?;
    let mut settings: Value = serde_json::from_str(&reviewed)?;
    settings["hooks"]["Stop"] = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    project.write(".claude/settings.json", settings.to_string())?;
    let outcome = session(".").run("go")?;
    outcome.model_read().has(
        "1 hook of `.claude/settings.json` (Stop) is not in the list of reviewed code, `.claude/hookkit.reviewed`",
    );
    command(repository(), &verify)?.out(1)?;
    project.write(".claude/settings.json", reviewed)?;

    // The fix: settings that sessions in all folders of the repository read.
    let root = text(project.path())?;
    install(&["--scope", "local", "--project", root, "--hook", "deny-destruction"])?;
    let local = project.path().join(".claude/settings.local.json");
    let aside = local.with_extension("aside");
    fs::rename(&local, &aside)?;
    fs::create_dir(user.join("commands"))?;
    let command = "---\ndescription: A greeting\n---\nGreet the world.\n";
    fs::write(user.join("commands/hello.md"), command)?;
    let outcome = session("app")
        .then("/hello")
        .then("again")
        .before_each(move |number| {
            if number == 2 {
                fs::rename(&aside, &local).expect("the settings come back");
            }
        })
        .run("go on")?;
    for step in [0, 1] {
        let said = outcome.events_of(step).iter().any(|event| {
            let text = event.to_string();
            text.contains(&missing) && text.contains("`require-hooks` blocks each prompt")
        });
        assert!(said, "{step}: {:?}", outcome.events_of(step));
        assert!(outcome.requests_of(step).is_empty(), "{step}: it is not dropped");
    }
    assert_eq!(outcome.requests_of(2).len(), 1, "it does not pass");
    let read = outcome.model_read();
    read.has(&missing);
    read.lacks("go on");
    read.lacks("Greet the world");
    Ok(())
}
