//! Plugins that `package` makes, in the real client.

use hookkit_tests::SYSTEM_PATH;
use hookkit_tests::prelude::*;

/// Runs a command of the client, such as `claude plugin list`, with a configuration of the test's own.
fn claude(client: &Path, config: &Path, arguments: &[&str]) -> Result<()> {
    Command::new(client)
        .args(arguments)
        .current_dir(config)
        .env_clear()
        .env("PATH", SYSTEM_PATH)
        .env("HOME", config)
        .env("CLAUDE_CONFIG_DIR", config)
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .out(0)
        .map(drop)
}

/// Packages two hooks of this repository into a marketplace (`--out`), or into a project (`--into`).
fn package(option: &str, folder: &Project) -> Result<()> {
    let hooks = ["--hook", "format-on-edit", "--hook", "protect-secrets"];
    let arguments = ["package", "--name", "acme", option, text(folder.path())?];
    xtask_ok(repository(), &[&arguments[..], &hooks].concat()).map(drop)
}

/// Has the client install a plugin of a marketplace in a folder.
fn install(client: &Path, config: &Project, market: &Project, plugin: &str) -> Result<()> {
    claude(client, config.path(), &["plugin", "marketplace", "add", text(market.path())?])?;
    claude(client, config.path(), &["plugin", "install", plugin])
}

/// A project with a Go file and a secret, and a formatter that marks what it has formatted.
fn project() -> Result<(Project, Project)> {
    let (project, tools) = (Project::new()?, Project::new()?);
    project.write("go.mod", "module example.com/a\n")?;
    project.write("main.go", "package main\n")?;
    project.write(".env", "TOKEN=very-secret\n")?;
    files::program(tools.path().join("gofmt"), "#!/bin/sh\necho '// formatted' >> \"$2\"\n")?;
    Ok((project, tools))
}

/// Runs a session that edits the Go file and reads the secret.
fn run(session: Session, project: &Project, tools: &Project) -> Result<Outcome> {
    let file = |name: &str| project.path().join(name);
    let edit = json!({"file_path": file("main.go"), "old_string": "package main", "new_string": "package app"});
    session
        .allow(&["Read", "Edit"])
        .path_first(tools.path())
        .turn(Turn::call("Read", json!({"file_path": file("main.go")})))
        .turn(Turn::call("Edit", edit))
        .turn(Turn::call("Read", json!({"file_path": file(".env")})))
        .go()
}

/// Checks that both hooks of the plugin have run.
fn assert_hooks_ran(outcome: &Outcome, project: &Project, way: &str) -> Result<()> {
    let results = outcome.tool_results();
    let found = project.read("main.go")?;
    assert_eq!(found, "package app\n// formatted\n", "{way}: {results:?}");
    assert!(results[2].contains("PreToolUse:Read hook error"), "{way}: {results:?}");
    assert!(!outcome.model_read().contains("very-secret"), "{way}");
    Ok(())
}

#[test]
fn a_plugin_formats_edits_and_keeps_secrets() -> Result<()> {
    let client = client!("a_plugin_formats_edits_and_keeps_secrets");
    let market = Project::new()?;
    package("--out", &market)?;
    let plugin = market.path().join("acme");

    let (of_session, tools) = project()?;
    let session = Session::new(&client, of_session.path()).arguments(&["--plugin-dir", text(&plugin)?]);
    assert_hooks_ran(&run(session, &of_session, &tools)?, &of_session, "--plugin-dir")?;

    let (in_repository, tools) = project()?;
    package("--into", &in_repository)?;
    let session = Session::new(&client, in_repository.path());
    assert_hooks_ran(&run(session, &in_repository, &tools)?, &in_repository, ".claude/skills")?;

    let (installed, tools) = project()?;
    let config = Project::new()?;
    install(&client, &config, &market, "acme@hookkit")?;
    let session = Session::new(&client, installed.path()).config_dir(config.path());
    assert_hooks_ran(&run(session, &installed, &tools)?, &installed, "marketplace")
}

#[test]
fn the_client_finds_no_fault_in_a_plugin() -> Result<()> {
    let client = client!("the_client_finds_no_fault_in_a_plugin");
    let (market, config) = (Project::new()?, Project::new()?);
    package("--out", &market)?;
    for folder in [market.path(), &market.path().join("acme")] {
        claude(&client, config.path(), &["plugin", "validate", "--strict", text(folder)?])?;
    }
    Ok(())
}

/// The source of a plugin with an own repository, which the client copies into its cache.
#[test]
fn an_update_runs_the_new_hook() -> Result<()> {
    let client = client!("an_update_runs_the_new_hook");
    let hook = |reason: &str| {
        format!(
            "//! A pack.\nuse hookkit::prelude::*;\n\n/// Denies commands.\n#[hook(PreToolUse)]\n\
             pub fn refuse(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {{\n    \
             PreToolUseAnswer::deny({reason:?})\n}}\n"
        )
    };
    let (out, source, market, config) = (Project::new()?, Project::new()?, Project::new()?, Project::new()?);
    let stage = Stage::with_hooks("refuse", &hook("the first version"), "")?;
    let publish = || -> Result<()> {
        let arguments = ["package", "--name", "acme", "--out", text(out.path())?];
        xtask_ok(&stage.app(), &arguments)?;
        let made = format!("{}/acme/.", text(out.path())?);
        Command::new("cp").args(["-r", &made, text(source.path())?]).out(0)?;
        source.git(&["add", "-A"])?;
        source.git(&["commit", "-q", "-m", "A version"])?;
        Ok(())
    };
    publish()?;
    let url = format!("file://{}", text(source.path())?);
    let offer = json!({"name": "acme", "source": {"source": "url", "url": url}});
    let marketplace = json!({"name": "shop", "owner": {"name": "Acme"}, "plugins": [offer]});
    market.write(".claude-plugin/marketplace.json", marketplace.to_string())?;
    install(&client, &config, &market, "acme@shop")?;
    let reason = || -> Result<String> {
        let project = Project::new()?;
        let outcome = Session::new(&client, project.path())
            .config_dir(config.path())
            .allow(&["Bash"])
            .turn(Turn::bash("true"))
            .go()?;
        outcome.tool_results().into_iter().next().context("a result")
    };
    assert!(reason()?.contains("the first version"));

    stage.write("app/src/lib.rs", &hook("the second version"))?;
    publish()?;
    let holds = reason()?.contains("the first version");
    assert!(holds, "the client keeps its copy until an update");
    claude(&client, config.path(), &["plugin", "update", "acme@shop"])?;
    assert!(reason()?.contains("the second version"));
    Ok(())
}
