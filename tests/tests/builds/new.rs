//! The output of `cargo xtask new` is formatted, has no warnings, and passes its tests.

use hookkit_protocol::event::EVENTS;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::cargo;
use hookkit_tests::xtask::{RUN_XTASK, cargo_program};

/// Checks that packs are formatted and have no warnings, and returns the output of their tests, which must pass.
fn ensure_sound(folder: &Path, packs: &[&str]) -> Result<String> {
    let packages: Vec<&str> = packs.iter().flat_map(|pack| ["--package", pack]).collect();
    cargo(folder, &["fmt", "--all", "--check"])?.out(0)?;
    // hookkit is a path dependency, which the gate checks with clippy.
    let clippy = [&["clippy", "--offline", "--no-deps", "--all-targets"], &packages[..]].concat();
    let lints = ["--", "--warn", "clippy::pedantic", "--deny", "warnings"];
    cargo(folder, &[&clippy[..], &lints].concat())?.out(0)?;
    cargo(folder, &[&["test", "--offline"], &packages[..]].concat())?.out(0)
}

#[test]
fn a_workspace_created_outside_of_the_repository_passes_its_checks() -> Result<()> {
    let outer = Project::new()?;
    let manifest = repository().join("Cargo.toml");
    let printed = Command::new(cargo_program())
        .args(RUN_XTASK)
        .arg("--manifest-path")
        .arg(manifest)
        // No other test has this name: what one builds of a package, cargo takes for that of another one of its name.
        .args(["--", "new", "workspace", "acme-first"])
        .current_dir(outer.path())
        .out(0)?;
    printed.starts(
        "Created acme-first: a workspace with the pack `acme-first` and its hook `acme-first-keep-lock-files`.\n",
    );
    let folder = outer.path().join("acme-first");
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let tested = ensure_sound(&folder, &["acme-first"])?;
    tested.has("lock_files::tests::a_lock_file_is_denied_with_what_to_do_instead ... ok");
    tested.has("the_model_reads_why_a_lock_file_is_not_edited ... ok");
    Ok(())
}

#[test]
fn a_new_workspace_installs_hooks_that_deny() -> Result<()> {
    let stage = Stage::with_new("acme-locks")?;
    let folder = stage.app();
    // Two teams with new workspaces: one adds the other's pack.
    stage.make("acme-guards", "acme-guards")?;
    // Runs the workspace's own xtask, by its alias.
    let guards = stage.path().join("acme-guards");
    xtask_ok(&guards, &["new", "hook", "acme-guards/later", "--event", "Stop"])?;
    let candidate = ["acme-guards", "--path", "../acme-guards/acme-guards"];
    cargo(&folder, &[&["xtask", "add", "--yes"], &candidate[..]].concat())?.out(0)?;
    let project = Project::new()?;
    let install = cargo(&folder, &["xtask", "install", "--project", text(project.path())?])?;
    let tried = xtask(&folder, &[&["run", "later", "--pack"], &candidate[..]].concat())?;
    for mut output in [install, tried] {
        output
            .err(0)?
            .has("warning: these hooks have no description in the first line of their doc comments: `later`\n");
    }
    installed(project.path(), "acme-guards-keep-lock-files")?;
    let hook = installed(project.path(), "acme-locks-keep-lock-files")?;
    let edit = payload("PreToolUse-Edit")?;
    assert_eq!(run_hook(&hook, edit.as_bytes())?.stdout, "");
    let edit = call_with("PreToolUse-Edit", &json!({"file_path": "/home/user/project/Cargo.lock"}))?;
    let answer: Value = serde_json::from_str(&run_hook(&hook, edit.as_bytes())?.stdout)?;
    assert_eq!(answer["hookSpecificOutput"]["permissionDecisionReason"], "cargo writes this file: run that instead");

    // Its CI also builds each hook's binary.
    let steps = fs::read_to_string(folder.join(".github/workflows/ci.yml"))?;
    let step = steps.lines().find_map(|line| line.trim().strip_prefix("- run: cargo xtask "));
    let built = Project::new()?;
    let step = step.context("a step of xtask")?.replace("\"$RUNNER_TEMP\"", text(built.path())?);
    let arguments: Vec<&str> = ["xtask"].into_iter().chain(step.split(' ')).collect();
    cargo(&folder, &arguments)?.out(0)?;
    installed(built.path(), "acme-locks-keep-lock-files")?;

    let Some(client) = client::require("a_new_workspace_installs_hooks_that_deny") else {
        return Ok(());
    };
    let write = json!({"file_path": project.path().join("Cargo.lock"), "content": "version = 4\n"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Write"])
        .turn(Turn::call("Write", write))
        .turn(Turn::text("Done."))
        .run("go")?;
    let results = outcome.tool_results();
    assert!(results[0].contains("cargo writes this file"), "{results:?}");
    assert!(!project.path().join("Cargo.lock").exists());

    // A service has the same hooks. It is not compiled here, since that builds axum.
    let made = xtask_ok(&folder, &["new", "service", "acme-service", "--json"])?;
    Documented::read()?.rows("new service", &made)?;
    let program = fs::read_to_string(folder.join("acme-service/src/main.rs"))?;
    program.has("acme_locks::lock_files::acme_locks_keep_lock_files");
    let metadata = ["metadata", "--no-deps", "--format-version=1", "--offline"];
    cargo(&folder, &metadata)?.out(0)?.has("acme-service/src/main.rs");
    Ok(())
}

#[test]
fn a_hook_on_any_event_compiles_and_its_test_passes() -> Result<()> {
    let (_outer, folder) = workspace::new("acme-events")?;
    let mut hooks = 0;
    let mut make = |pack: &str, event: &str, matcher: Option<&str>| -> Result<()> {
        let hyphens = |text: &str| {
            let words = text.chars().map(|char| match char.is_ascii_uppercase() {
                true => format!("-{}", char.to_ascii_lowercase()),
                false => char.to_string(),
            });
            words.collect::<String>()
        };
        let about = matcher.map(|matcher| hyphens(&matcher.replace(['|', '_', '.', '*'], ""))).unwrap_or_default();
        let name = format!("{pack}/on{}{about}", hyphens(event));
        let option: Vec<&str> = matcher.into_iter().flat_map(|matcher| ["--matcher", matcher]).collect();
        let hook = ["new", "hook", &name, "--event", event];
        xtask_ok(&folder, &[&hook[..], &option].concat())?;
        hooks += 1;
        Ok(())
    };
    for event in EVENTS {
        let watched = event.watches_by_matcher().then_some("Makefile");
        make("acme-events", event.name, watched)?;
    }
    // A new pack has hooks on each recorded tool, with types, and on some tools without a type.
    let recorded = files::names(&repository().join("tests/fixtures/payloads"));
    let tools = recorded.iter().filter_map(|file| file.strip_prefix("PreToolUse-")?.strip_suffix(".json"));
    for tool in tools.filter(|tool| tool.chars().all(|char| char.is_ascii_alphabetic())) {
        make("acme-typed", "PreToolUse", Some(tool))?;
        make("acme-typed", "PostToolUse", Some(tool))?;
    }
    for event in ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"] {
        for matcher in ["Write|Edit", "Read|Edit|Write", "mcp__acme__deploy", "mcp__srv__.*"] {
            make("acme-typed", event, Some(matcher))?;
        }
    }
    make("acme-typed", "Notification", Some("idle_prompt"))?;
    make("acme-typed", "SessionStart", Some("fork|compact"))?;
    make("acme-typed", "FileChanged", Some("Makefile|justfile"))?;

    let tested = ensure_sound(&folder, &["acme-events", "acme-typed"])?;
    // The workspace's first hook has two tests.
    assert_eq!(tested.matches(" ... ok\n").count(), hooks + 2 + 2, "{tested}");
    Ok(())
}

#[test]
fn a_hook_of_each_choice_compiles_and_its_test_passes() -> Result<()> {
    let (_outer, folder) = workspace::new("acme-choices")?;
    for (number, event) in EVENTS.iter().enumerate() {
        let name = format!("acme-sessions/on-{number}");
        let matcher = event.watches_by_matcher().then_some(["--matcher", "Makefile"]);
        let event = ["new", "hook", &name, "--event", event.name, "--test", "session"];
        let matcher = matcher.as_ref().map_or(&[][..], |matcher| matcher);
        xtask_ok(&folder, &[&event[..], matcher].concat())?;
    }
    let choices = include_str!("../../fixtures/choices-of-new.txt").lines();
    for (number, choice) in choices.clone().enumerate() {
        let name = format!("acme-choices/choice-{number}");
        let choice: Vec<&str> = choice.split('\t').collect();
        xtask_ok(&folder, &[&["new", "hook", &name], &choice[..]].concat())?;
    }
    let of_server = fs::read_to_string(folder.join("acme-choices/src/choice_5.rs"))?;
    of_server.has("#[tool(server = \"github\", name = \"create_issue\")]\npub struct CreateIssue {");
    of_server.has("#[hook(PreToolUse)]\npub fn choice_5(_event: PreToolUse<CreateIssue>)");
    let manifest = fs::read_to_string(folder.join("acme-choices/Cargo.toml"))?;
    manifest.has("\nserde = { version = \"1\", features = [\"derive\"] }\n");
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let tested = ensure_sound(&folder, &["acme-choices", "acme-sessions"])?;
    // The workspace's first hook has two tests, and two more from outside.
    let all = EVENTS.len() + choices.count() + 2 + 2;
    assert_eq!(tested.matches(" ... ok\n").count(), all, "{tested}");
    Ok(())
}
