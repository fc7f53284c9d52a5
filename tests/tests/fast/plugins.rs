//! Plugins that `package` has made, as `doctor` and `list` report them.

use hookkit_tests::plugins::{self, GUARD, NAME, OBSERVER, damages, differences, hook, write, write_named};
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::{as_user, record};

/// The package of the hooks.
const PACK: &str = "sabotage-hooks";

fn skills(world: &World) -> PathBuf {
    world.project.path().join(".claude/skills")
}

/// A world whose project has the plugin.
fn with_plugin() -> Result<World> {
    let world = World::new()?;
    let hooks = [hook(GUARD, PACK, "1.0.0"), hook(OBSERVER, PACK, "1.0.0")];
    write(&skills(&world), &hooks, "a")?;
    Ok(world)
}

#[test]
fn each_damage_is_reported_with_the_hooks_that_it_concerns() -> Result<()> {
    let mut wrong = Vec::new();
    for damage in &damages() {
        let world = with_plugin()?;
        plugins::damage(&damage.name, &skills(&world).join(NAME)).context(damage.name.clone())?;
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
    text.has("`link`");
    text.has("`README.md`");
    // A hook's name would be a command of the script.
    let sources = plugin.join("hookkit.json");
    fs::write(&sources, fs::read_to_string(&sources)?.replace(GUARD, "x; rm"))?;
    let said = world.ask(&[])?;
    let rows = said.rows.iter().filter_map(|row| row["what"].as_str());
    let mut of_sources = rows.filter(|what| what.starts_with("`hookkit.json` of"));
    let what = of_sources.next().context("a finding")?;
    what.ends("cannot be read: it has a name that `package` does not write");
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
    let cut = notes.next().and_then(|note| note["what"].as_str()).context("a note")?;
    cut.ends("its folders are nested too deep");
    let what = "different from SHA256SUMS of the plugin acme@skills-dir: `README.md`";
    let holds = said.findings().iter().any(|(_, found)| *found == what);
    assert!(holds, "{:?}", said.findings());
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
    let members = ["name", "plugin", "version", "package_version", "twice"].map(|member| &named[0][member]);
    assert_eq!(json!(members), json!([GUARD, "acme@skills-dir", version, "1.2.0", []]));
    let rows = page.rows("list --for", &world.list(&["--json", "--for", "PreToolUse:Bash"])?)?;
    let runs = rows.iter().filter(|row| row["runs"] == true);
    assert_eq!(runs.map(|row| &row["name"]).collect::<Vec<_>>(), [OBSERVER]);
    let text = world.list(&[])?;
    let head = format!("(plugin acme@skills-dir), version {version}, of `cargo xtask package`\n");
    let line = "PreToolUse Write: strict-guard of sabotage-hooks 1.2.0 (at most 2 s, on failure: block)";
    text.has(&head);
    text.has(line);
    Ok(())
}

#[test]
fn a_hook_in_two_plugins_runs_twice() -> Result<()> {
    let world = World::new()?;
    write(&skills(&world), &[hook(GUARD, PACK, "1.2.0")], "a")?;
    let of_user = [hook(GUARD, PACK, "1.10.0"), hook(OBSERVER, PACK, "1.10.0")];
    // Of two plugins with one name, only the user's is loaded.
    write_named(&world.user.path().join("skills"), "mine", &of_user, "b")?;
    // Another function of the same name.
    write_named(&skills(&world), "other", &[hook(GUARD, "other-hooks", "1.0.0")], "c")?;
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
    for expected in [json!("this"), json!("other"), Value::Null] {
        assert_eq!(newer.iter().filter(|newer| **newer == expected).count(), 1, "{newer:?}");
    }
    Ok(())
}

#[test]
fn the_fix_is_for_the_place_that_a_plugin_is_loaded_from() -> Result<()> {
    let world = World::new()?;
    let shop = world.outside.path().canonicalize()?.join("shop");
    write(&shop, &[hook(GUARD, PACK, "1.0.0")], "a")?;
    let far = shop.join("copies/far");
    write(&shop.join("copies"), &[hook(OBSERVER, PACK, "1.0.0")], "a")?;
    fs::rename(shop.join("copies").join(NAME), &far)?;
    let offers = json!([
        {"name": NAME, "source": "./acme"},
        {"name": "far", "source": {"source": "url", "url": "file:///nowhere"}},
    ]);
    fs::create_dir(shop.join(".claude-plugin"))?;
    let market = json!({"name": "shop", "owner": {"name": "a team"}, "plugins": offers});
    fs::write(shop.join(".claude-plugin/marketplace.json"), market.to_string())?;
    let copies = json!({"version": 2, "plugins": {"far@shop": [{"scope": "user", "installPath": far}]}});
    world.write_user("plugins/installed_plugins.json", copies.to_string())?;
    let settings = json!({
        "enabledPlugins": {"acme@shop": true, "far@shop": true},
        "extraKnownMarketplaces": {"shop": {"source": {"source": "directory", "path": shop}}},
    });
    world.write_user("settings.json", settings.to_string())?;
    assert_eq!(world.ask(&[])?.findings(), []);
    // The entry of the marketplace suffices to load the first.
    fs::remove_file(shop.join("acme/.claude-plugin/plugin.json"))?;
    fs::remove_file(plugins::program(&far)?)?;
    let said = world.ask(&[])?;
    let findings: Vec<&Value> = said.rows.iter().filter(|row| row["kind"] == "finding").collect();
    let member = |at: usize, key: &str| findings[at][key].as_str().unwrap_or_default();
    assert_eq!(findings.len(), 2, "{findings:#?}");
    let holds = member(0, "does").starts_with("Claude Code finds no version of the plugin");
    assert!(holds, "{findings:#?}");
    let out = format!("`cargo xtask package --out {}`", shop.display());
    assert!(member(0, "fix").ends_with(&out), "{findings:#?}");
    assert_eq!(member(1, "does"), "`lenient-guard` does nothing");
    let install =
        "install the plugin again: `claude plugin uninstall 'far@shop'`, then `claude plugin install 'far@shop'`";
    assert_eq!(member(1, "fix"), install);
    Ok(())
}

#[test]
fn a_plugin_that_is_off_is_not_looked_at() -> Result<()> {
    let world = with_plugin()?;
    fs::remove_file(plugins::program(&skills(&world).join(NAME))?)?;
    let settings = json!({"enabledPlugins": {"acme@skills-dir": false}});
    world.settings(&settings)?;
    assert_eq!(world.ask(&[])?.findings(), []);
    Ok(())
}

#[test]
fn a_hook_of_an_order_and_of_a_plugin_runs_twice() -> Result<()> {
    let world = World::new()?;
    let project = text(world.project.path())?;
    let arguments = ["install", "--project", project, "--hook", OBSERVER];
    as_user(world.user.path(), &arguments)?;
    let file = record(world.project.path(), "fixture")?;
    let mut note: Value = serde_json::from_str(&fs::read_to_string(&file)?)?;
    let functions = json!([
        [OBSERVER, note["functions"][OBSERVER]],
        [GUARD, {"package": PACK, "package_version": "0.0.0", "path": "sabotage_hooks::strict_guard"}],
    ]);
    note["functions"] = json!({});
    note["orders"] = json!({OBSERVER: functions});
    fs::write(&file, note.to_string())?;
    write(&skills(&world), &[hook(GUARD, PACK, "1.0.0")], "a")?;
    let doctor = world.ask(&[])?;
    let findings = doctor.findings();
    let expected = "`strict-guard` is also in the plugin acme@skills-dir";
    ensure!(findings.iter().any(|(_, what)| *what == expected), "{findings:?}");
    Ok(())
}

#[test]
fn hooks_of_plugins_that_change_the_same_calls_are_reported_and_copies_are_not_counted_again() -> Result<()> {
    let world = World::new()?;
    let answer = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {}}}"#;
    let handler = json!({"type": "command", "command": format!("echo '{answer}'")});
    let settings = |matcher: &str| json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}});
    let competing = || -> Result<Vec<String>> {
        let rows = world.ask(&[])?.rows;
        let found = rows.iter().filter(|row| row["code"] == "competing-changes");
        Ok(found.map(|row| row["fix"].to_string()).collect())
    };
    let mut guard = hook(GUARD, PACK, "1.0.0");
    guard["entries"][0]["rewrites"] = json!(true);
    world.settings(&settings("Write"))?;
    write(&skills(&world), &[hook(GUARD, PACK, "1.0.0")], "a")?;
    assert!(competing()?.is_empty());
    fs::remove_dir_all(skills(&world).join(NAME))?;
    write(&skills(&world), &[guard.clone()], "a")?;
    let [fix] = &competing()?[..] else { panic!("not one finding") };
    assert!(fix.contains("package --into") && fix.contains("--remove"), "{fix}");
    world.settings(&settings("Read"))?;
    assert!(competing()?.is_empty());

    // A plugin of another author, with the same command as the settings: the client runs both.
    let theirs = skills(&world).join("theirs");
    fs::create_dir_all(theirs.join(".claude-plugin"))?;
    fs::create_dir(theirs.join("hooks"))?;
    fs::write(theirs.join(".claude-plugin/plugin.json"), r#"{"name": "theirs"}"#)?;
    fs::write(theirs.join("hooks/hooks.json"), settings("Read").to_string())?;
    assert_eq!(competing()?.len(), 1);

    // A copy is one that runs twice.
    fs::remove_dir_all(&theirs)?;
    write(&world.user.path().join("skills"), &[guard], "a")?;
    assert!(competing()?.is_empty());
    Ok(())
}

#[test]
fn a_hook_in_the_settings_and_in_a_plugin_runs_twice() -> Result<()> {
    let world = World::new()?;
    let project = text(world.project.path())?;
    let install = ["install", "--project", project, "--hook", GUARD];
    let installed = as_user(world.user.path(), &install)?;
    assert!(!installed.contains("twice"), "{installed}");
    let note = fs::read_to_string(record(world.project.path(), "fixture")?)?;
    let note: Value = serde_json::from_str(&note)?;
    let code = note["code"].as_str().context("the code is noted")?;
    let page = Documented::read()?;
    // A version of the plugin, its code, and the newer entry from the view of the settings.
    for (version, of_code, newer, clause) in [
        ("1.0.0", code, "other", "the other one is newer: 1.0.0, this is 0.0.0"),
        ("0.0.0", code, "same", "both are built from the same sources"),
        ("0.0.0", "a", "this", "this one is built from the workspace as it is now"),
    ] {
        let plugin = skills(&world).join(NAME);
        if plugin.exists() {
            fs::remove_dir_all(&plugin)?;
        }
        write(&skills(&world), &[hook(GUARD, PACK, version)], of_code)?;

        let said = world.ask(&[])?;
        let finding = |row: &&Value| row["kind"] == "finding" && row["code"] == "installed-twice";
        let finding = said.rows.iter().find(finding).context("a finding")?;
        let member = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(member("what"), "`strict-guard` is also in the plugin acme@skills-dir");
        assert!(member("does").contains(clause), "{finding}");
        let holds = member("file").ends_with(".claude/settings.json") && member("other").contains("hooks.json:");
        assert!(holds, "{finding}");
        let holds = member("fix").contains(&format!("`cargo xtask uninstall --project {project}`"));
        assert!(holds, "{finding}");
        let remove = format!("`cargo xtask package --into {project} --name acme --remove`");
        assert!(member("fix").ends_with(&remove), "{finding}");

        let again = as_user(world.user.path(), &install)?;
        let line = "Runs twice: `strict-guard`; the plugin acme@skills-dir (";
        again.has(&format!("{line}{}", plugin.display()));
        again.has(clause);
        let again = as_user(world.user.path(), &[&install[..], &["--json"]].concat())?;
        let rows = page.rows("install", &again)?;
        let summary = &rows[rows.len() - 1];
        let twice = &summary["twice"][0];
        assert_eq!(json!([twice["name"], twice["newer"]]), json!([GUARD, newer]));

        let place = &world.own(fixture()?, GUARD)?["places"][0];
        assert_eq!(json!([place["state"], place["twice"][0]["newer"]]), json!(["installed", newer]));
        let listed = world.list_in(fixture()?, &["--for", "PreToolUse:Write"])?;
        assert_eq!(listed.matches("runs twice: ").count(), 2, "{listed}");
    }
    // The command of the fix.
    let remove = ["package", "--into", project, "--name", NAME, "--remove"];
    xtask_ok(world.outside.path(), &remove)?;
    assert_eq!(world.ask(&[])?.findings(), []);
    // Another function of this name is another hook.
    write(&skills(&world), &[hook(GUARD, "other-hooks", "1.0.0")], "a")?;
    assert_eq!(world.ask(&[])?.findings(), []);
    Ok(())
}
