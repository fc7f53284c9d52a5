//! `examples/recipes`, the hooks of the book's recipes, in a session of the client.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::time::Instant;

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{cargo, example};

const HOOKS: [&str; 18] = [
    "allowed-hosts", "approve-by-phone", "ask-before-foreign-issue", "ask-before-writing", "ask-the-service",
    "check-languages", "code-freeze", "fetch-in-background", "git-hooks-at-stop", "log-calls", "log-cost",
    "log-replies", "look-before-push", "no-fourth-time", "no-tokens", "project-hosts", "push-after-tests",
    "tag-in-background",
];

/// Runs the tests of the workspace on a stage, and installs its hooks in a project.
pub(super) fn test_and_install(stage: &Stage, project: &Project) -> Result<()> {
    cargo(&stage.app(), &["test", "--quiet"])?.out(0)?;
    cargo(&stage.app(), &["xtask", "install", "--project", text(project.path())?])?.out(0)?;
    Ok(())
}

/// Adds a remote repository to the project, to fetch from which takes 3 seconds.
fn add_remote(project: &Project, remote: &Project) -> Result<()> {
    remote.git(&["commit", "--quiet", "--allow-empty", "--message", "First"])?;
    project.git(&["remote", "add", "origin", text(remote.path())?])?;
    project.git(&["config", "remote.origin.uploadpack", "sleep 3; git-upload-pack"]).map(drop)
}

/// Answers the requests of `ask-the-service`: a command with `deploy` is denied.
fn serve(service: &TcpListener) -> io::Result<()> {
    for client in service.incoming() {
        let (mut client, mut request) = (client?, Vec::new());
        let mut block = [0; 1024];
        while !request.ends_with(b"}") {
            let length = client.read(&mut block)?;
            request.extend_from_slice(&block[..length]);
        }
        let text = match String::from_utf8_lossy(&request).contains("deploy") {
            true => "not on a Friday",
            false => "",
        };
        let length = text.len();
        write!(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}")?;
    }
    Ok(())
}

fn wait_for(file: &Path) -> Result<()> {
    let started = Instant::now();
    while !file.exists() {
        ensure!(started.elapsed() < Duration::from_secs(30), "no {}", file.display());
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[test]
fn the_hooks_of_the_recipes_work_in_the_client() -> Result<()> {
    let client = client::require("the_hooks_of_the_recipes_work_in_the_client");
    let (stage, project, remote) = (Stage::with_xtask()?, Project::new()?, Project::new()?);
    example("recipes", &stage.app())?;
    // It pins an HTTP client, which this repository does not.
    let lock = repository().join("examples/recipes/Cargo.lock");
    fs::copy(lock, stage.app().join("Cargo.lock"))?;
    let service = TcpListener::bind("127.0.0.1:0")?;
    let config = format!(
        "[workspace.metadata.hookkit.hooks.ask-the-service.config]\nurl = \"http://{}\"\n",
        service.local_addr()?
    );
    let mut manifest = File::options().append(true).open(stage.app().join("Cargo.toml"))?;
    manifest.write_all(config.as_bytes())?;
    test_and_install(&stage, &project)?;
    for hook in HOOKS {
        installed(project.path(), hook)?;
    }
    let Some(client) = client else { return Ok(()) };
    thread::spawn(move || serve(&service));
    add_remote(&project, &remote)?;
    project.write("FREEZE", "until Monday")?;
    let file = |name: &str| json!({"file_path": project.path().join(name), "content": "a"});
    let mut turns = vec![Turn::call("Write", file("a.txt"))];
    turns.extend(["git push", "echo deploy", "uname", "uname", "uname", "uname"].map(Turn::bash));
    let push = ["git push", "git -C . push"];
    turns.extend(["cargo test || true", push[1], "cargo test", push[1]].map(Turn::bash));
    turns.push(Turn::calls([("Write", file("b.txt")), ("Bash", json!({"command": push[0], "description": "Push"}))]));
    // Tests that pass.
    let programs = Project::new()?;
    files::program(programs.path().join("cargo"), "#!/bin/sh\n")?;
    let session = Session::new(&client, project.path()).allow(&["Bash", "Write"]);
    let session = session.path_first(programs.path());
    let session = turns.into_iter().fold(session, Session::turn);
    let outcome = session.turn(Turn::text("Done.")).run("prepare the release")?;
    assert!(outcome.model_read().contains("There is a code freeze: until Monday"));
    let results = outcome.tool_results();
    let denied = [
        (1, "run `cargo test` after the last edit"),
        (2, "not on a Friday"),
        (6, "three times in a row"),
        (8, "run `cargo test` after the last edit"),
        (12, "run `cargo test` after the last edit"),
    ];
    for (number, result) in results.iter().enumerate() {
        let reason = denied.iter().find(|(denied, _)| *denied == number);
        assert_eq!(result.contains("hook error"), reason.is_some(), "{results:?}");
        assert!(reason.is_none_or(|(_, reason)| result.contains(reason)), "{results:?}");
    }
    let calls = rows(&project.read(".claude/calls.jsonl")?)?;
    assert_eq!((calls.len(), results.len()), (13, 13), "{calls:?}");
    wait_for(&project.path().join(".git/refs/remotes/origin/main"))
}
