//! `list` has the hooks of a session for each place where one can start, as the client was observed to.

use hookkit_tests::handler_name;
use hookkit_tests::prelude::*;
use hookkit_tests::starts::{STARTS, Started, Starts};

#[test]
fn list_has_the_hooks_of_each_start() -> Result<()> {
    let recorded = Record::<Started>::read("starts")?;
    assert_eq!(recorded.gaps(STARTS.iter().map(|start| start.name)), [] as [&str; 0]);
    let (starts, world) = (Starts::new()?, World::new()?);
    let user = starts.user("reader")?;
    for start in STARTS {
        let Some(folder) = start.listed else { continue };
        let folder = starts.outer().join(folder);
        let arguments = ["list", "--json", "--for", "PreToolUse:Bash"];
        let mut list = world.command(world.outside.path(), &folder, &arguments)?;
        let listed = list.env("HOME", starts.home()).env("CLAUDE_CONFIG_DIR", &user).out(0)?;
        let rows = rows(&listed)?;
        let runs = rows.iter().filter(|row| row["runs"] == true).map(handler_name);
        let runs: BTreeSet<String> = runs.collect::<Option<_>>().context("a name of each hook")?;
        assert_eq!(runs, recorded.rows[start.name].hooks, "{}", start.name);
    }
    Ok(())
}

#[test]
fn list_names_the_files_that_a_session_elsewhere_reads() -> Result<()> {
    let (starts, user) = (Starts::new()?, test_support::folder());
    let main = starts.outer().join("main");
    let list = |folder: &str, arguments: &[&str]| -> Result<String> {
        let mut list = command(&main.join(folder), &[&["list"], arguments].concat())?;
        let printed = list.env("CLAUDE_CONFIG_DIR", user.path()).out(0)?;
        let printed = printed.replace(&format!("{}/", main.display()), "");
        Ok(printed.replace(&format!("{}/", starts.outer().display()), ""))
    };
    let other = list("own", &["--for", "PreToolUse:Bash"])?;
    let said = "\n\nA session that is started here, in own/\n  does not read\n    .claude/settings.json\n    \
                .claude/skills/kit/hooks/hooks.json\n    shop/root-plugin/hooks/hooks.json\n  reads in addition\n    .claude/settings.json\n    \
                .claude/settings.local.json\n    .claude/skills/kit/hooks/hooks.json\n\
                Its hooks: cargo xtask list --project .\n";
    assert!(other.ends_with(said), "{other}");
    assert!(!list("own", &["--for", "Stop"])?.contains("A session that is started"));
    for (folder, arguments) in [("", &[][..]), ("own", &["--scope", "user"]), ("app", &["--project", ".."])] {
        let listed = list(folder, arguments)?;
        assert!(!listed.contains("A session that is started"), "{listed}");
    }
    let of_folder = list("app", &["--project", "."])?;
    let said = "\n\nA session that is started in the root of the repository, ";
    assert!(of_folder.contains("(local of the repository)"), "{of_folder}");
    of_folder.has(said);
    of_folder.has("\n  reads in addition\n    .claude/settings.json\n");
    Ok(())
}

#[test]
fn doctor_names_the_folders_and_worktrees_whose_sessions_have_fewer_hooks() -> Result<()> {
    let (starts, user) = (Starts::new()?, test_support::folder());
    let main = starts.outer().join("main");
    let notes = |folder: &str, arguments: &[&str]| -> Result<Vec<String>> {
        let mut doctor = command(&main.join(folder), &[&["doctor", "--json"], arguments].concat())?;
        let output = doctor.env("CLAUDE_CONFIG_DIR", user.path()).output()?;
        let rows = rows(str::from_utf8(&output.stdout)?)?;
        let notes = rows.iter().filter(|row| row["code"] == "fewer-hooks");
        let outer = format!("{}/", starts.outer().display());
        let what = notes.filter_map(|row| Some(row["what"].as_str()?.replace(&outer, "")));
        Ok(what.collect())
    };
    // A hook is known by its command, and the worktrees have those that are committed.
    assert_eq!(notes("", &[])?, [] as [&str; 0]);
    let in_app = "a session started in `app/` has 2 of the project's 5 hooks";
    assert_eq!(notes("app", &[])?, [in_app]);
    assert_eq!(notes("", &["--project", "app"])?, [in_app]);
    assert_eq!(notes("app", &["--scope", "project"])?, [] as [&str; 0]);
    fs::write(main.join("app/deep/go.mod"), "")?;
    fs::remove_file(starts.outer().join("linked/.claude/settings.json"))?;
    let of_all = "sessions started in `app/deep/` (2) and `linked` (3) do not have all of the project's 5 hooks";
    assert_eq!(notes("", &[])?, [of_all]);
    let of_linked = "a session started in `linked` has 3 of the project's 5 hooks";
    assert_eq!(notes("", &["--project", "../linked"])?, [of_linked]);
    Ok(())
}
