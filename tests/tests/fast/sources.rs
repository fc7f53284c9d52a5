//! `.claude/hookkit.toml`: a project says which hooks it has, and where they are from.

use std::iter;

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::on_project;
use test_support::lines::Row;
use toml_edit::DocumentMut;

const SETTINGS: &str = ".claude/settings.json";
const SOURCES: &str = ".claude/hookkit.toml";
const LOCK: &str = ".claude/hookkit.lock";
const SCRIPT: &str = ".claude/hookkit.sh";
const FILES: [&str; 4] = [SETTINGS, SOURCES, LOCK, SCRIPT];

fn install(project: &Project, more: &[&str]) -> Result<String> {
    let path = text(project.path())?;
    xtask_ok(fixture()?, &[&["install", "--project", path], more].concat())
}

/// Runs a command that is refused, and returns the message. Every byte of the project is what it was.
fn refused(project: &Project, command: &str) -> Result<String> {
    let files = || FILES.map(|file| project.read(file).ok());
    let before = files();
    let message = xtask(fixture()?, &[command, "--project", text(project.path())?])?.err(2)?;
    assert_eq!(files(), before);
    Ok(message)
}

/// The names of the hooks in the settings, sorted.
fn hooks(project: &Project) -> Result<Vec<String>> {
    let settings = project.read(SETTINGS)?;
    let commands = settings.split("/bin/").skip(1);
    let mut names: Vec<String> = commands.filter_map(|text| Some(text.split('"').next()?.to_owned())).collect();
    names.sort();
    Ok(names)
}

#[test]
fn what_one_chooses_all_have() -> Result<()> {
    let (project, clone) = (Project::new()?, Project::new()?);
    let said = install(&project, &["--hook", "hold", "--hook", "wake"])?;
    said.has("\nNot chosen for this project: ");
    let sources = project.read(SOURCES)?;
    sources.has("\n[sources.fixture]\n");
    sources.ends("hooks = [\n    \"hold\",\n    \"wake\",\n]\n");
    for file in FILES {
        clone.write(file, project.read(file)?)?;
    }
    // A teammate types one word, and changes nothing that is committed.
    install(&clone, &[])?;
    for file in FILES {
        assert_eq!(clone.read(file)?, project.read(file)?, "{file}");
    }
    assert_eq!(files::names(&clone.path().join(".claude/hookkit/fixture/bin")).len(), 2);
    assert!(on_project(&clone, "doctor").is_ok());

    // One more is chosen, and one no more, manually.
    install(&clone, &["--hook", "careful"])?;
    assert_eq!(hooks(&clone)?, ["careful", "hold", "wake"]);
    clone.write(SOURCES, clone.read(SOURCES)?.replace("    \"hold\",\n", ""))?;
    let path = text(clone.path())?;
    let said = command(fixture()?, &["install", "--check", "--project", path])?.out(1)?;
    said.has("\n  - hold: not chosen\n");
    let mut by_client = command(fixture()?, &["install", "--project", path])?;
    let stderr = by_client.env_remove("HOOKKIT_TESTS").env("CLAUDECODE", "1").err(2)?;
    stderr.has("this removes `hold`: CLAUDECODE is set");
    let said = install(&clone, &[])?;
    said.has("\n\n  - hold: not chosen\n");
    said.lacks("Holds the turn once.");
    assert_eq!(hooks(&clone)?, ["careful", "wake"]);

    on_project(&clone, "uninstall")?;
    assert!(!clone.exists(SOURCES) && !clone.exists(LOCK));
    assert!(!clone.exists(SCRIPT) && !clone.exists(".claude/hookkit"));
    assert!(!clone.read(SETTINGS)?.contains("hookkit"));
    Ok(())
}

#[test]
fn one_hook_is_taken_out_and_the_others_stay() -> Result<()> {
    let (project, local) = (Project::new()?, Project::new()?);
    install(&project, &["--hook", "hold", "--hook", "wake"])?;
    install(&local, &["--scope", "local", "--hook", "hold", "--hook", "wake"])?;

    let said = install(&project, &["--without", "hold"])?;
    said.has("\n\n  - hold: not chosen\n");
    assert_eq!(hooks(&project)?, ["wake"]);
    project.read(SOURCES)?.ends("hooks = [\n    \"wake\",\n]\n");
    install(&project, &[])?;
    assert_eq!(hooks(&project)?, ["wake"]);
    let path = text(project.path())?;
    let wrong = |name: &str| xtask(fixture()?, &["install", "--project", path, "--without", name])?.err(2);
    wrong("hodl")?.has("did you mean `hold`?");
    let single = xtask(fixture()?, &["uninstall", "--project", path, "--hook", "wake"])?.err(2)?;
    single.has("to remove one: cargo xtask install --project ");
    single.has(" --without wake\n");
    wrong("hold")?.has("`hold` is not installed in ");
    wrong("wake")?.has("no hook would stay; remove all: cargo xtask uninstall");

    install(&local, &["--scope", "local", "--without", "hold"])?;
    let settings = local.read(".claude/settings.local.json")?;
    settings.has("/bin/wake");
    settings.lacks("/bin/hold");
    Ok(())
}

#[test]
fn one_hook_more_is_refused_where_all_are_chosen_and_others_would_come() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    let sources = project.read(SOURCES)?;
    let all = sources.split("hooks = ").next().unwrap_or_default();
    project.write(SOURCES, all)?;
    let wake = ["install", "--project", text(project.path())?, "--hook", "wake"];
    let message = hookkit_tests::xtask::refused(fixture()?, &wake)?;
    message.has("this project has all hooks, so this command would add ");
    message.has("write `hooks = [\"hold\", \"wake\"]` below [sources.fixture]");
    assert_eq!(project.read(SOURCES)?, all);
    Ok(())
}

#[test]
fn hooks_of_another_workspace_with_the_same_name_stay() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    let ours = project.read(SOURCES)?;
    // The other one is there, by a path or by a repository.
    project.write("tools/hooks/Cargo.toml", "[workspace]\n")?;
    for other in ["path = \"tools/hooks\"", "git = \"https://git.example.com/acme/hooks\""] {
        project.write(SOURCES, format!("[sources.fixture]\n{other}\nhooks = [\"guard\"]\n"))?;
        for command in ["install", "uninstall"] {
            let message = refused(&project, command)?;
            message.has("`fixture` is the name of another workspace's hooks");
            message.has("[workspace.metadata.hookkit] name = ");
        }
    }
    // One that is there no more may be on another machine; the edit that is offered makes it this one.
    let content = "[sources.fixture] # moved\npath = \"gone\"\nhooks = [\n    \"hold\",\n]\n";
    project.write(SOURCES, content)?;
    for command in ["install", "uninstall"] {
        refused(&project, command)?.has("replace the table in ");
    }
    project.write(SOURCES, ours)?;
    install(&project, &[])?;
    Ok(())
}

#[test]
fn a_source_without_hooks_is_taken_out_too() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    let sources = project.read(SOURCES)?;
    on_project(&project, "uninstall")?;
    project.write(SOURCES, sources)?;
    let said = on_project(&project, "uninstall")?;
    assert!(said.starts_with("Removed the hooks of "), "{said}");
    assert!(!project.exists(SOURCES));
    Ok(())
}

#[test]
fn doctor_reports_files_that_do_not_agree() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold", "--hook", "careful"])?;
    for row in &table().section("found by doctor").rows {
        let [expected, file, _] = row.fields();
        let before = project.read(file)?;
        change(&project, row)?;
        let mut doctor = command(fixture()?, &["doctor", "--project", text(project.path())?])?;
        doctor.out(1)?.has(expected);
        project.write(file, before)?;
        on_project(&project, "doctor")?;
    }
    Ok(())
}

#[test]
fn another_file_of_the_scripts_name_stays() -> Result<()> {
    let project = Project::new()?;
    project.write(SCRIPT, "echo ours\n")?;
    let message = refused(&project, "install")?;
    message.has("hookkit.sh is not what `install` writes there");
    assert_eq!(project.read(SCRIPT)?, "echo ours\n");
    assert!(!project.exists(SETTINGS));
    Ok(())
}

#[test]
fn entries_that_nothing_shows_to_be_ours_stay() -> Result<()> {
    let project = Project::new()?;
    let command = "${CLAUDE_PROJECT_DIR}/.claude/hookkit/fixture/bin/of-another-team";
    let handler = json!({"type": "command", "command": command, "args": []});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    project.write(SETTINGS, settings.to_string())?;
    for command in ["install", "uninstall"] {
        let message = refused(&project, command)?;
        message.has("which may not be this one: `of-another-team`\n");
        let lines = message.split_once("hookkit.toml:\n\n").context(message.clone())?.1;
        let lines = lines.split("\n\n").next().unwrap_or_default();
        project.write(SOURCES, lines)?;
        // The text that is offered is taken.
        xtask_ok(fixture()?, &[command, "--project", text(project.path())?])?;
        assert!(!project.read(SETTINGS).unwrap_or_default().contains("of-another-team"));
        project.write(SETTINGS, settings.to_string())?;
        let _ = fs::remove_file(project.path().join(SOURCES));
        let _ = on_project(&project, "uninstall");
        project.write(SETTINGS, settings.to_string())?;
    }
    Ok(())
}

#[test]
fn what_cannot_be_read_is_refused_untouched() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    for text in [
        "[sources.fixture",
        "[sources.fixture]\nhook = [\"hold\"]\n",
        "sources = 1\n",
        "[sources.\"../../x\"]\npath = \"hooks\"\n",
    ] {
        project.write(SOURCES, text)?;
        for command in ["install", "uninstall"] {
            let message = refused(&project, command)?;
            message.has("hookkit.toml was left untouched: it cannot be read");
        }
    }
    Ok(())
}

fn table() -> Lines<'static> {
    lines!("lines/sources.txt")
}

/// Changes a file as a row says.
fn change(project: &Project, row: &Row) -> Result<()> {
    let [_, file, from] = row.fields();
    let text = project.read(file)?;
    match from {
        "GONE" => Ok(fs::remove_file(project.path().join(file))?),
        "ALL" => project.write(file, &row.line),
        "START" => project.write(file, format!("{}{text}", row.line)),
        _ => project.write(file, text.replace(from, &row.line)),
    }
}

#[test]
fn a_clone_is_compared_with_what_was_installed_without_a_build() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold", "--hook", "careful"])?;
    let table = table();
    let rows = table.section("found by sync in a clone").rows.iter();
    for row in iter::once(None).chain(rows.map(Some)) {
        let clone = Project::new()?;
        for file in FILES {
            clone.write(file, project.read(file)?)?;
        }
        let found = row.map_or("-", |row| row.fields::<3>()[0]);
        let message: Vec<&str> = found.split('\n').filter(|text| *text != "-").collect();
        row.map_or(Ok(()), |row| change(&clone, row))?;
        let files = || FILES.map(|file| clone.read(file).ok());
        let before = files();
        let exit_code = i32::from(!message.is_empty());
        let said = command(clone.path(), &["sync", "--check"])?.out(exit_code)?;
        let found: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        assert_eq!(found, message, "{said}");
        assert_eq!(files(), before);
        let frozen = xtask(clone.path(), &["sync", "--frozen"])?;
        let stderr = String::from_utf8_lossy(&frozen.stderr).into_owned();
        let is_refused = stderr.contains("nothing was built, since committed files would change");
        assert_eq!(is_refused, !message.is_empty(), "{stderr}");
    }
    for (file, text) in [(LOCK, "<<<<<<< HEAD\n{}\n"), (SOURCES, "<<<<<<< HEAD\n")] {
        let before = project.read(file)?;
        project.write(file, text)?;
        for command in [&["sync", "--check"][..], &["sync"]] {
            hookkit_tests::xtask::refused(project.path(), command)?;
        }
        refused(&project, "install")?;
        project.write(file, before)?;
    }
    Ok(())
}

#[test]
fn a_file_of_another_agent_that_cannot_be_read_is_a_difference() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    project.write(".codex/hooks.json", "{")?;
    let said = command(project.path(), &["sync", "--check"])?.out(1)?;
    said.has("/.codex/hooks.json: Codex would read none of its hooks, since it is not strict JSON");
    said.has("; fix it first");
    Ok(())
}

#[test]
fn another_location_of_a_source_is_a_difference() -> Result<()> {
    let project = Project::new()?;
    install(&project, &["--hook", "hold"])?;
    let mut sources: DocumentMut = project.read(SOURCES)?.parse()?;
    for (member, other) in [("path", "../evil"), ("git", "https://evil.example/hooks")] {
        let source = sources["sources"]["fixture"].as_table_like_mut().expect("a source");
        for member in ["path", "git", "folder", "rev"] {
            source.remove(member);
        }
        source.insert(member, toml_edit::value(other));
        project.write(SOURCES, sources.to_string())?;
        command(project.path(), &["sync", "--check"])?.out(1)?.has("but it was installed from");
    }
    Ok(())
}

#[test]
fn a_source_is_neither_built_nor_fetched_before_it_is_accepted() -> Result<()> {
    let project = Project::new()?;
    let canary = project.path().join("canary");
    let build = format!("fn main() {{ std::fs::write({canary:?}, \"\").unwrap() }}\n");
    for folder in ["", "hooks/"] {
        let write = |file: &str, text: &str| project.write(&format!("{folder}{file}"), text);
        let config = format!("[alias]\nxtask = [\"run\"]\n\n[build]\nrustc-wrapper = {canary:?}\n");
        let manifest = "[workspace]\n\n[package]\nname = \"hooks\"\nbuild = \"build.rs\"\n";
        write("Cargo.toml", manifest)?;
        write("build.rs", &build)?;
        write("src/lib.rs", "")?;
        write(".cargo/config.toml", &config)?;
    }
    for source in [
        // The command is run in it.
        "path = \".\"",
        "path = \"hooks\"",
        "git = \"file:///hooks\"\nrev = \"0123456789012345678901234567890123456789\"",
    ] {
        project.write(SOURCES, format!("[sources.hooks]\n{source}\n"))?;
        let message = command(project.path(), &["sync"])?.env_remove("CARGO_MANIFEST_DIR").err(2)?;
        message.has("`hooks` was not accepted: nothing was fetched, built or run");
        let holds = !canary.exists() && !project.exists("hooks/target") && !project.exists("target");
        assert!(holds, "{message}");
    }
    Ok(())
}
