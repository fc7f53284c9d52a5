use anyhow::Result;
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::json;

#[test]
fn adhoc() -> Result<()> {
    let Some(client) = client::require("adhoc") else {
        return Ok(());
    };
    let (project, config) = (Project::new()?, tempfile::tempdir()?);
    project.write("src/a.rs", "fn  main( ) { }\n")?;
    project.write(".env", "KEY=1\n")?;
    project.write("b.txt", "hello\n")?;
    let mut session = Session::new(&client, project.path())
        .allow(&["Bash", "Read", "Edit", "Write"])
        .config_dir(config.path());
    let path = |name: &str| project.path().join(name);
    for turn in 0..70 {
        let mut calls = Vec::new();
        for call in 0..30 {
            let n = turn * 30 + call;
            calls.push(match n % 10 {
                0 => ("Read", json!({"file_path": path(".env")})),
                1 => ("Bash", json!({"command": format!("echo call {n}"), "description": "x"})),
                2 if n % 50 == 2 => (
                    "Bash",
                    json!({"command": format!("git push --force origin topic-{n}"), "description": "x"}),
                ),
                3 if n % 50 == 3 => (
                    "Write",
                    json!({"file_path": path(&format!("src/w{n}.rs")), "content": "fn  w( ) { }\n"}),
                ),
                _ => ("Read", json!({"file_path": path("src/a.rs"), "limit": n})),
            });
        }
        session = session.turn(Turn::calls(calls));
    }
    let outcome = session
        .turn(Turn::text("Done."))
        .limit(std::time::Duration::from_secs(560))
        .run("begin")?;
    eprintln!("exit {:?} {}", outcome.exit_code(), outcome.stderr());
    let _ = std::fs::remove_dir_all("/tmp/hist3");
    std::process::Command::new("cp")
        .arg("-r")
        .arg(config.path())
        .arg("/tmp/hist3")
        .status()?;
    std::process::Command::new("cp")
        .arg("-r")
        .arg(project.path())
        .arg("/tmp/hist3/project")
        .status()?;
    std::mem::forget(project);
    Ok(())
}
