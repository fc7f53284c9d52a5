//! `--json` prints the rows that docs/book/src/json.md describes, and nothing else.

use hookkit_tests::prelude::*;

/// Runs a command, which the page has under this name, and returns its rows.
fn rows(page: &str, command: &mut Command, exit_code: i32) -> Result<Vec<Value>> {
    Documented::read()?.rows(page, &command.out(exit_code)?)
}

fn kinds(rows: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    kinds.dedup();
    kinds
}

#[test]
fn the_examples_of_the_page_are_as_its_tables_say() -> Result<()> {
    Documented::read()?.check_examples()
}

#[test]
fn a_row_that_is_not_as_the_page_says_is_found() -> Result<()> {
    let page = Documented::read()?;
    let row = "{\"accepted\":false,\"changes\":1,\"kind\":\"summary\"}";
    page.rows("add", row)?;
    for wrong in [
        row.replace("changes", "change"),
        row.replace(":1", ":\"1\""),
        row.replace("summary", "summaries"),
        row.replace(",\"changes\":1", ""),
        format!("{row}\nmeasured"),
    ] {
        assert!(page.rows("add", &wrong).is_err(), "{wrong}");
    }
    Ok(())
}

#[test]
fn every_command_names_the_page_in_its_help_and_is_on_it() -> Result<()> {
    let help = xtask_ok(repository(), &["--help"])?;
    let commands = help.split("Commands:\n").nth(1).context("commands")?;
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    let page = Documented::read()?;
    for command in commands.filter(|command| !["help", "completions"].contains(command)) {
        let forms: &[&[&str]] = match command {
            "new" => &[&["new", "hook"], &["new", "workspace"]],
            command => &[&[command]],
        };
        for form in forms {
            let help = xtask_ok(repository(), &[*form, &["--help"]].concat())?;
            help.has("--json");
            help.has("docs/book/src/json.md");
            let name = form.join(" ");
            assert!(page.commands().any(|known| known == name), "{name} is not on the page");
        }
    }
    Ok(())
}

#[test]
fn what_is_installed_and_run_has_rows() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let run = |page: &str, arguments: &[&str], exit_code: i32| {
        rows(page, command(fixture()?, arguments)?.arg("--json"), exit_code)
    };
    let on_project = |page: &str, arguments: &[&str], exit_code: i32| {
        run(page, &[arguments, &["--project", path]].concat(), exit_code)
    };
    let checked = on_project("install --check", &["install", "--check", "--hook", "careful"], 1)?;
    assert_eq!(kinds(&checked), ["difference", "summary"]);
    let installed = on_project("install", &["install", "--hook", "careful"], 0)?;
    assert_eq!(kinds(&installed), ["hook", "summary"]);
    assert_eq!(json!([installed[0]["name"], installed[1]["changed"]]), json!(["careful", true]));
    let checked = on_project("install --check", &["install", "--check"], 0)?;
    assert_eq!(kinds(&checked), ["summary"]);
    assert_eq!(kinds(&on_project("sync", &["sync", "--check"], 0)?), ["summary"]);
    let listed = on_project("list", &["list"], 0)?;
    assert!(listed.iter().any(|row| row["installed"] == true));
    let subject = on_project("list --for", &["list", "--for", "PreToolUse:Edit"], 0)?;
    assert!(subject.iter().any(|row| row["name"] == "careful" && row["runs"] == true));
    let explained = on_project("explain", &["explain", "sudo kubectl get pods; eval \"$x\""], 0)?;
    assert_eq!(kinds(&explained), ["command", "unanalyzed", "summary"]);
    assert_eq!(explained[1]["effect"], "reads");
    let found = on_project("doctor", &["doctor"], 0)?;
    assert!(kinds(&found).contains(&"trial"), "{found:?}");
    let tried = run("run", &["run", "careful"], 0)?;
    assert_eq!(kinds(&tried), ["trial"]);
    assert_eq!(tried[0]["called"], true);

    let removed = on_project("uninstall", &["uninstall"], 0)?;
    assert_eq!(removed[0]["removed"], serde_json::json!(["careful"]));
    let removed = on_project("uninstall", &["uninstall"], 0)?;
    assert_eq!(removed[0]["changed"], false);
    Ok(())
}

#[test]
fn foreign_hooks_and_their_mistakes_have_rows() -> Result<()> {
    let world = World::with_handlers()?;
    let page = Documented::read()?;
    let listed = page.rows("list", &world.list(&["--json"])?)?;
    assert!(kinds(&listed).contains(&"file"), "{listed:?}");
    page.rows("list --for", &world.list(&["--json", "--for", "PreToolUse:Bash"])?)?;
    let found = rows("doctor", &mut world.doctor(&["--json"])?, 1)?;
    assert_eq!(found.last().map(|row| &row["kind"]), Some(&"summary".into()));

    let mut explain = world.doctor(&["--json", "--explain", "unquoted-path"])?;
    assert_eq!(kinds(&rows("doctor --explain", &mut explain, 0)?), ["code"]);

    let fix =
        |more: &[&str], exit_code| rows("doctor --fix", world.doctor(&["--json", "--fix"])?.args(more), exit_code);
    let shown = fix(&[], 1)?;
    assert!(kinds(&shown).contains(&"changed_file"), "{shown:?}");
    let written = fix(&["--yes"], 0)?;
    assert_eq!(written[..written.len() - 1], shown[..shown.len() - 1]);
    assert_eq!(written.last().map(|row| &row["written"]), Some(&true.into()));
    Ok(())
}

#[test]
fn what_is_refused_prints_its_error_on_stderr_only() -> Result<()> {
    let project = Project::new()?;
    project.write(".claude/settings.json", "{")?;
    let path = text(project.path())?;
    let output = xtask(fixture()?, &["install", "--json", "--project", path])?;
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]));
    assert!(output.stderr.starts_with(b"error[not-json]: "));
    Ok(())
}

#[test]
fn what_is_new_has_rows() -> Result<()> {
    let folder = Project::named("")?;
    let made = folder.path().join("acme");
    let clone = text(repository())?;
    let new = ["new", "workspace", text(&made)?, "--path", clone, "--json"];
    let workspace = rows("new workspace", &mut command(folder.path(), &new)?, 0)?;
    let library = json!(made.join("acme/src/lib.rs"));
    assert!(workspace.iter().any(|row| row["file"] == library));
    let new = ["new", "hook", "acme/protect-keys", "--event", "PreToolUse", "--json"];
    let hook = rows("new hook", &mut command(&made, &new)?, 0)?;
    let library = hook.iter().find(|row| row["change"] == "edited").context("lib.rs is changed")?;
    assert_eq!(library["added"], json!(["pub mod protect_keys;"]));
    Ok(())
}
