//! `install` and `list` on hooks that are already installed.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{install, on_project};
use hookkit_tests::xtask::record;

#[test]
fn list_has_the_installed_hooks() -> Result<()> {
    let project = Project::new()?;
    let listed = |hook: &str| -> Result<Value> {
        let printed = xtask_ok(fixture()?, &["list", "--json", "--project", text(project.path())?])?;
        let mut rows = rows(&printed)?.into_iter();
        rows.find(|row| row["name"] == hook).context("no row for the hook")
    };
    let row = listed("printing-guard")?;
    assert_eq!(row["installed"], false);
    let entry = &row["entries"][0];
    assert_eq!(entry["event"], "PreToolUse");
    assert_eq!(entry["matcher"], "Bash");
    assert_eq!(row["on_failure"], "block");
    assert_eq!(row["timeout"], 10);
    assert_eq!(row["path"], "fixture_hooks::printing_guard");
    assert_eq!(row["description"], "Denies, after it and a child of it printed.");
    assert_eq!(listed("failing-observer")?["on_failure"], "continue");
    install("fixture-hooks", &project)?;
    assert_eq!(listed("printing-guard")?["installed"], true);
    Ok(())
}

#[test]
fn install_makes_binaries_executable_again() -> Result<()> {
    let project = Project::new()?;
    install("fixture-hooks", &project)?;
    let binary = installed(project.path(), "hold")?;
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o644))?;
    assert!(on_project(&project, "list")?.contains("its binary is missing, or cannot be run"));
    install("fixture-hooks", &project)?;
    assert_eq!(fs::metadata(&binary)?.permissions().mode() & 0o777, 0o755);
    Ok(())
}

#[test]
fn correct_entries_are_not_moved() -> Result<()> {
    let project = Project::new()?;
    install("fixture-hooks", &project)?;
    let settings = project.read(".claude/settings.json")?;
    let edited = settings.replacen("\n  }\n}", "\n  },\n  \"model\": \"opus\"\n}", 1);
    project.write(".claude/settings.json", &edited)?;
    install("fixture-hooks", &project)?;
    assert_eq!(project.read(".claude/settings.json")?, edited);
    on_project(&project, "uninstall")?;
    let rest: Value = serde_json::from_str(&project.read(".claude/settings.json")?)?;
    assert_eq!(rest, serde_json::json!({"model": "opus"}));
    Ok(())
}

#[test]
fn a_renamed_workspace_is_not_installed_twice() -> Result<()> {
    let project = Project::new()?;
    install("fixture-hooks", &project)?;
    // Gives the installed workspace another name.
    let places = project.path().join(".claude/hookkit");
    fs::rename(places.join("fixture"), places.join("former"))?;
    let note = record(project.path(), "fixture")?;
    let former = note.with_file_name("record-former.json");
    fs::rename(&note, &former)?;
    for (file, name) in [
        (project.path().join(".claude/settings.json"), "hookkit/{}/"),
        (former, "hookkit/{}/"),
        (project.path().join(".claude/hookkit.toml"), "sources.{}]"),
    ] {
        let [new, old] = ["fixture", "former"].map(|workspace| name.replace("{}", workspace));
        fs::write(&file, fs::read_to_string(&file)?.replace(&new, &old))?;
    }
    install("fixture-hooks", &project)?;
    let settings = project.read(".claude/settings.json")?;
    settings.has("hookkit/fixture/");
    settings.lacks("hookkit/former/");
    assert!(!project.exists(".claude/hookkit/former"));
    on_project(&project, "uninstall")?;
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn another_workspace_of_the_same_name_is_not_replaced() -> Result<()> {
    let project = Project::new()?;
    install("fixture-hooks", &project)?;
    let content = "[sources.fixture]\ngit = \"https://git.example.com/other\"\n";
    project.write(".claude/hookkit.toml", content)?;
    for command in ["install", "uninstall"] {
        let stderr = refused(fixture()?, &[command, "--project", text(project.path())?])?;
        stderr.has("[workspace.metadata.hookkit] name");
    }
    assert!(installed(project.path(), "hold")?.is_file());
    Ok(())
}
