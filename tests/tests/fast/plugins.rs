//! Plugins that `package` has made, as `doctor` and `list` report them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use anyhow::{Context, Result};
use hookkit_tests::World;
use hookkit_tests::documented::Documented;
use hookkit_tests::plugins::{self, DAMAGES, GUARD, NAME, OBSERVER, differences, hook, write};
use serde_json::{Value, json};

/// The package of the hooks.
const PACK: &str = "sabotage-hooks";

fn skills(world: &World) -> PathBuf {
    world.project.path().join(".claude/skills")
}

/// A world whose project has the plugin.
fn with_plugin() -> Result<World> {
    let world = World::new()?;
    write(
        &skills(&world),
        &[hook(GUARD, PACK, "1.0.0"), hook(OBSERVER, PACK, "1.0.0")],
        "a",
    )?;
    Ok(world)
}

#[test]
fn each_damage_is_reported_with_the_hooks_that_it_concerns() -> Result<()> {
    let mut wrong = Vec::new();
    for damage in DAMAGES {
        let world = with_plugin()?;
        (damage.act)(&skills(&world).join(NAME)).context(damage.name)?;
        let said = world.ask(&[])?;
        wrong.extend(differences(damage, &said.rows));
        let exit_code = i32::from(!damage.findings.is_empty());
        if said.exit_code != Some(exit_code) {
            wrong.push(format!("{}: {:?} {}", damage.name, said.exit_code, said.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn what_others_put_next_to_the_files_is_not_reported() -> Result<()> {
    let world = with_plugin()?;
    let plugin = skills(&world).join(NAME);
    for folder in [".in_use", ".git"] {
        fs::create_dir(plugin.join(folder))?;
        fs::write(plugin.join(folder).join("1"), "")?;
    }
    fs::write(plugin.join(".orphaned_at"), "")?;
    assert_eq!(world.ask(&[])?.findings(), []);
    Ok(())
}

#[test]
fn a_package_of_a_checkout_is_not_read_elsewhere_and_names_in_it_are_escaped() -> Result<()> {
    let world = with_plugin()?;
    let plugin = skills(&world).join(NAME);
    // A link to a package that is not the project's.
    let elsewhere = world.outside.path().join("theirs");
    fs::rename(&plugin, &elsewhere)?;
    fs::remove_file(elsewhere.join("README.md"))?;
    symlink(&elsewhere, &plugin)?;
    assert_eq!(world.ask(&[])?.findings(), []);
    fs::remove_file(&plugin)?;
    fs::rename(&elsewhere, &plugin)?;
    // A link in the package, and names that would be lines and colors of their own.
    symlink(world.outside.path(), plugin.join("link"))?;
    fs::write(plugin.join("a\nerror: b\u{1b}[31m"), "")?;
    let text = world.text(&["--client-binary", "/bin/false"])?;
    assert!(!text.contains("\nerror: b") && !text.contains('\u{1b}'), "{text}");
    assert!(text.contains("`link`") && text.contains("`README.md`"), "{text}");
    // A hook's name would be a command of the script.
    let sources = plugin.join("hookkit.json");
    fs::write(&sources, fs::read_to_string(&sources)?.replace(GUARD, "x; rm"))?;
    let said = world.ask(&[])?;
    let rows = said.rows.iter().filter_map(|row| row["what"].as_str());
    let mut of_sources = rows.filter(|what| what.starts_with("`hookkit.json` of"));
    let what = of_sources.next().context("a finding")?;
    assert!(
        what.ends_with("cannot be read: it has a name that `package` does not write"),
        "{what}"
    );
    Ok(())
}

#[test]
fn a_huge_package_is_read_within_limits() -> Result<()> {
    let world = with_plugin()?;
    let plugin = skills(&world).join(NAME);
    let deep: PathBuf = (0..20).map(|_| "d").collect();
    fs::create_dir_all(plugin.join(deep))?;
    let sparse = fs::File::create(plugin.join("README.md"))?;
    sparse.set_len(1 << 36)?;
    let said = world.ask(&[])?;
    let mut notes = said.rows.iter().filter(|row| row["kind"] == "note");
    let cut = notes.next().context("a note")?;
    assert!(
        cut["what"]
            .as_str()
            .is_some_and(|what| what.ends_with("its folders are nested too deep")),
        "{cut}"
    );
    let what = "not as in SHA256SUMS of the plugin acme@skills-dir: `README.md`";
    assert!(
        said.findings().iter().any(|(_, found)| *found == what),
        "{:?}",
        said.findings()
    );
    Ok(())
}

#[test]
fn hooks_of_a_package_have_a_kind_of_their_own_in_lists() -> Result<()> {
    let world = World::new()?;
    let hooks = [hook(GUARD, PACK, "1.2.0"), hook(OBSERVER, PACK, "1.2.0")];
    let version = write(&skills(&world), &hooks, "a")?;
    let page = Documented::read()?;
    let rows = page.rows("list", &world.list(&["--json"])?)?;
    let named: Vec<&Value> = rows.iter().filter(|row| row["kind"] == "plugin").collect();
    assert_eq!(named.len(), 2, "{rows:?}");
    assert_eq!(
        [
            &named[0]["name"],
            &named[0]["plugin"],
            &named[0]["version"],
            &named[0]["package_version"]
        ],
        [
            &json!(GUARD),
            &json!("acme@skills-dir"),
            &json!(version),
            &json!("1.2.0")
        ]
    );
    assert_eq!(named[0]["twice"], json!([]));
    let rows = page.rows("list --for", &world.list(&["--json", "--for", "PreToolUse:Bash"])?)?;
    let runs: Vec<&Value> = rows
        .iter()
        .filter(|row| row["runs"] == true)
        .map(|row| &row["name"])
        .collect();
    assert_eq!(runs, [&json!(OBSERVER)]);
    let text = world.list(&[])?;
    let head = format!("(plugin acme@skills-dir), version {version}, of `cargo xtask package`\n");
    let line = "PreToolUse Write: strict-guard of sabotage-hooks 1.2.0 (at most 2 s, a failure means block)";
    assert!(text.contains(&head) && text.contains(line), "{text}");
    Ok(())
}

#[test]
fn a_hook_in_two_plugins_runs_twice() -> Result<()> {
    let world = World::new()?;
    write(&skills(&world), &[hook(GUARD, PACK, "1.2.0")], "a")?;
    let of_user = [hook(GUARD, PACK, "1.10.0"), hook(OBSERVER, PACK, "1.10.0")];
    let of_user = write(&world.user.path().join("skills"), &of_user, "b").map(|_| world.user.path().join("skills"))?;
    fs::rename(of_user.join(NAME), of_user.join("mine"))?;
    // Another function of the same name.
    let other = world.outside.path().join("other");
    write(&other, &[hook(GUARD, "other-hooks", "1.0.0")], "c")?;
    fs::rename(other.join(NAME), skills(&world).join("other"))?;
    let said = world.ask(&[])?;
    let findings: Vec<&Value> = said.rows.iter().filter(|row| row["kind"] == "finding").collect();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["code"], "installed-twice");
    let does = findings[0]["does"].as_str().context("a text")?;
    assert!(does.contains("is newer: 1.10.0"), "{does}");
    assert!(findings[0]["other"].is_string());
    let rows = world.rows(&["--for", "PreToolUse:Write"])?;
    let newer = |row: &Value| row["twice"][0]["newer"].clone();
    let newer: Vec<Value> = rows.iter().filter(|row| row["runs"] == true).map(newer).collect();
    assert_eq!(newer.iter().filter(|newer| **newer == "this").count(), 1, "{newer:?}");
    assert_eq!(newer.iter().filter(|newer| **newer == "other").count(), 1, "{newer:?}");
    assert_eq!(newer.iter().filter(|newer| newer.is_null()).count(), 1, "{newer:?}");
    Ok(())
}

#[test]
fn a_plugin_that_is_off_is_not_looked_at() -> Result<()> {
    let world = with_plugin()?;
    fs::remove_file(plugins::program(&skills(&world).join(NAME))?)?;
    let settings = json!({"enabledPlugins": {"acme@skills-dir": false}});
    world.project.write(".claude/settings.json", settings.to_string())?;
    assert_eq!(world.ask(&[])?.findings(), []);
    Ok(())
}
