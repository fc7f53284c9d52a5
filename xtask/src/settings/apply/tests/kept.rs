//! Files and folders from before an install are kept, and those created by an install are removed again.

use super::*;
use crate::settings::hold::{self, Hold};
use crate::settings::place::MODS_PART;
use crate::settings::scope;

#[test]
fn settings_of_an_organization_are_made_below_another_root_and_removed_without_a_trace() -> Result<()> {
    let site = Site::new(None)?;
    let root = site.project();
    let file = root.join("etc/claude-code/managed-settings.d/hookkit.json");
    let place = Place::new(PlaceKind::Managed(root.clone()), &file, "acme")?;
    site.install_at(&place, &["a"], "the first", false)?;
    let removed = uninstall(&place, Path::new("acme"));
    if is_private()? {
        let refused = removed.unwrap_err().to_string();
        refused.starts("other users could not use what is written, since your umask is ");
        return Ok(());
    }
    assert!(removed?);
    assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    fs::create_dir(root.join("etc"))?;
    let before = site.files()?;
    site.install_at(&place, &["a"], "the first", false)?;
    let text = fs::read_to_string(&file)?;
    let program = "/etc/claude-code/hookkit/acme@hookkit.json/bin/a";
    assert!(text.contains(&format!("\"{program}\"")), "{text}");
    assert!(root.join(&program[1..]).is_file());
    assert!(!text.contains("SessionStart"), "no clone needs the script");
    assert!(uninstall(&place, Path::new("acme"))?);
    assert_eq!(site.files()?, before);
    // Other parts stay, and so does their folder.
    site.install_at(&place, &["a", "b"], "the second", false)?;
    let other = file.with_file_name("10-other.json");
    fs::write(&other, "{}")?;
    assert!(uninstall(&place, Path::new("acme"))?);
    assert!(other.is_file() && !file.exists() && !root.join("etc/claude-code/hookkit").exists());
    Ok(())
}

/// Returns `true` if this process creates folders that other users cannot enter.
fn is_private() -> Result<bool> {
    let folder = test_support::folder();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner)?;
    Ok(inner.metadata()?.permissions().mode() & 0o055 != 0o055)
}

#[test]
fn who_comes_last_takes_away_what_was_created() -> Result<()> {
    for order in [["one", "two"], ["two", "one"]] {
        let site = Site::new(None)?;
        site.install("one", &["a"], "the first")?;
        site.install("two", &["a", "b"], "the second")?;
        site.check("one")?;
        site.check("two")?;
        assert!(site.uninstall(order[0])?);
        site.check(order[1])?;
        let place = site.place(order[1])?;
        assert!(place.has_binary("a") && !named(&site.read()?.unwrap_or_default(), &place).is_empty());
        assert!(site.uninstall(order[1])?);
        assert!(site.files()?.is_empty(), "{:?}", site.files()?);
    }
    Ok(())
}

#[test]
fn an_install_of_no_hooks_leaves_the_settings_as_they_were() -> Result<()> {
    let (some, none) = (&["a", "b"][..], &[][..]);
    let texts = ["{}", "{\n}\n", "{\"hooks\": {}}", OF_THE_USER];
    for settings in texts.map(Some).into_iter().chain([None]) {
        for runs in [&[none][..], &[some, none], &[none, some], &[none, some, none]] {
            let site = Site::new(settings)?;
            fs::create_dir_all(site.project().join("app/core"))?;
            let (place, before) = (site.place("acme")?, site.files()?);
            for hooks in runs {
                site.install_everywhere(&place, hooks, "the first", false, &everywhere())?;
                assert!(!hooks.is_empty() || site.read()?.as_deref() == settings, "{runs:?}");
            }
            assert!(site.uninstall("acme")?);
            assert_eq!(site.read()?.as_deref(), settings, "{runs:?}");
            assert_eq!(site.files()?, before, "{settings:?}, {runs:?}");
        }
    }
    Ok(())
}

#[test]
fn a_file_that_comes_with_a_checkout_is_the_users() -> Result<()> {
    let theirs = Site::new(Some("{}"))?;
    theirs.install("acme", &["a"], "the first")?;
    let site = Site::new(None)?;
    site.install("acme", &[], "the first")?;
    fs::write(site.settings(), theirs.read()?.context("settings")?)?;
    site.install("acme", &["a"], "the first")?;
    assert!(site.uninstall("acme")?);
    assert_eq!(site.read()?.as_deref(), Some("{}"));
    Ok(())
}

#[test]
fn a_file_of_the_user_in_the_place_of_ours_stays() -> Result<()> {
    let site = Site::new(None)?;
    act("install", &site)?;
    fs::write(site.settings(), "{}")?;
    assert!(site.uninstall("acme")?);
    assert_eq!(site.read()?.as_deref(), Some("{}"));
    Ok(())
}

#[test]
fn containers_stay_that_were_there_before_all_of_us() -> Result<()> {
    for settings in ["{\"hooks\": {\"PreToolUse\": []}}", "{\"hooks\": {}}", "{\"a\": 1}", "{}"] {
        for order in [["one", "two"], ["two", "one"]] {
            let site = Site::new(Some(settings))?;
            site.install("one", &["a"], "the first")?;
            site.install("two", &["a", "b"], "the second")?;
            // Rewritten, it no longer has the entry with which its author made the list.
            site.install("one", &["b"], "the third")?;
            for workspace in order {
                assert!(site.uninstall(workspace)?);
            }
            assert_eq!(site.parsed()?, serde_json::from_str::<Value>(settings)?, "{order:?}");
            assert_eq!(site.files()?, ["/.claude", "/.claude/settings.json"]);
        }
    }
    Ok(())
}

#[test]
fn without_its_record_what_was_there_before_stays() -> Result<()> {
    for settings in ["{\"hooks\": {\"PreToolUse\": []}}", "{\"hooks\": {}}", "{}"] {
        let site = Site::new(Some(settings))?;
        act("install", &site)?;
        let place = site.place("acme")?;
        place.notes.remove(&place.record())?;
        act("uninstall", &site)?;
        assert_eq!(site.parsed()?, serde_json::from_str::<Value>(settings)?);
    }
    Ok(())
}

/// Rewrites a file as some editors do.
fn rewrite(file: &Path) -> Result<()> {
    let settings: Value = serde_json::from_slice(&fs::read(file)?)?;
    Ok(fs::write(file, serde_json::to_string(&settings)?)?)
}

/// Otherwise, old entries would refer to the former folder, and the client would deny every call.
#[test]
fn a_project_that_was_moved_keeps_no_entry_of_before() -> Result<()> {
    let site = Site::new(None)?;
    let place = |root: &Path| {
        let settings = root.join(".claude/settings.local.json");
        Place::new(PlaceKind::Local(root.to_owned()), &settings, "acme")
    };
    let before = place(&site.project())?;
    let foreign = "/elsewhere/bin/guard";
    fs::create_dir(before.claude.path())?;
    let settings = json!({"hooks": {"Stop": [{"hooks": [{"command": foreign}]}]}});
    fs::write(before.settings(), settings.to_string())?;
    site.install_at(&before, &["a"], "the first", false)?;
    rewrite(before.settings())?;
    let moved = site.folder.join("moved");
    fs::rename(site.project(), &moved)?;
    let after = place(&moved)?;
    let text = text_of(&after)?;
    assert_eq!(named(&text, &after).len(), 1, "the old one is known");
    // With and without another install.
    for is_installed in [true, false] {
        if is_installed {
            site.install_at(&after, &["a"], "the second", false)?;
            let text = text_of(&after)?;
            assert_eq!(commands(&text), [foreign.to_owned(), after.command("a")]);
        } else {
            fs::write(after.settings(), &text)?;
        }
        assert!(uninstall(&after, Path::new("acme"))?);
        let text = text_of(&after)?;
        assert_eq!(commands(&text), [foreign]);
        assert!(!uninstall(&after, Path::new("acme"))?);
    }
    Ok(())
}

/// A folder can belong to the user because of `CLAUDE_CONFIG_DIR`. Otherwise, it belongs to a project.
#[test]
fn a_file_that_belongs_to_another_program_now_keeps_no_entry_of_before() -> Result<()> {
    for is_project in [false, true] {
        let site = Site::new(None)?;
        let kinds = [PlaceKind::User, PlaceKind::Project(site.project())];
        let (before, after) = (&kinds[usize::from(is_project)], &kinds[usize::from(!is_project)]);
        let place = |kind: &PlaceKind| Place::new(kind.clone(), &site.settings(), "acme");
        site.install_at(&place(before)?, &["a"], "the first", false)?;
        rewrite(&site.settings())?;
        site.install_at(&place(after)?, &["a"], "the second", false)?;
        let text = site.read()?.context("settings")?;
        let after_place = place(after)?;
        let check = after_place.is_shared().then(|| after_place.startup_command());
        let expected: Vec<String> = [after_place.command("a")].into_iter().chain(check).collect();
        assert_eq!(commands(&text), expected);
        rewrite(&site.settings())?;
        assert!(uninstall(&place(before)?, Path::new("acme"))?);
        // A project's own record must not be changed for the user's settings.
        let left = ["", "/hookkit.lock", "/hookkit.sh", "/hookkit.toml"].map(|file| format!("/.claude{file}"));
        assert_eq!(site.files()?, left[..if is_project { 0 } else { 4 }]);
    }
    Ok(())
}

#[test]
fn a_file_with_comments_is_not_a_hiding_place() -> Result<()> {
    let site = Site::new(Some(COMMENTED))?;
    site.force("acme", &["a", "b"], "the first")?;
    let installed = site.read()?.context("settings")?;
    site.check("acme")?;
    let place = site.place("acme")?;
    assert_eq!(named(&installed, &place).len(), 2);
    site.force("acme", &["a", "b"], "the first")?;
    assert_eq!(site.read()?, Some(installed));
    // As in a clone.
    fs::remove_dir_all(place.hookkit().path())?;
    place.notes.remove(&place.record())?;
    place.notes.remove(CREATED)?;
    assert!(site.uninstall("acme")?);
    assert!(!site.read()?.context("settings")?.contains("hookkit"));
    Ok(())
}

#[test]
fn another_install_in_a_folder_of_the_project_stays() -> Result<()> {
    let site = Site::new(None)?;
    act("folders", &site)?;
    let (package, repository) = (site.project().join("app/core"), site.project().join("nested"));
    let (shared, local) = (".claude/settings.json", ".claude/settings.local.json");
    let (shared, local) = (package.join(shared), repository.join(local));
    let own = [
        Place::new(PlaceKind::Project(package), &shared, "acme")?,
        Place::new(PlaceKind::Local(repository), &local, "acme")?,
    ];
    for place in &own {
        site.install_at(place, &["a"], "its own", false)?;
    }
    site.install("acme", &["a"], "the project's")?;
    let texts = || -> Result<Vec<String>> { own.iter().map(text_of).collect() };
    let before = texts()?;
    // The checkout lists them.
    let place = site.place("acme")?;
    assert!(!everywhere::uninstall(&place, &everywhere().within, Path::new("acme"))?);
    assert!(site.uninstall("acme")?);
    assert_eq!(texts()?, before);
    for place in &own {
        assert!(place.has_binary("a") && uninstall(place, Path::new("acme"))?);
    }
    Ok(())
}

#[test]
fn folders_that_were_moved_or_removed_do_not_keep_their_project() -> Result<()> {
    let site = Site::new(None)?;
    let install = || act("folders", &site).and_then(|()| act("everywhere", &site));
    let names_hooks =
        |file: &str| -> Result<bool> { Ok(fs::read_to_string(site.project().join(file))?.contains("hookkit")) };
    install()?;
    // At the same level, and at a different one, where the entries lead out of the project.
    let moved = [("app/core", "app/heart"), ("app/heart", "heart")];
    for (from, to) in moved {
        fs::rename(site.project().join(from), site.project().join(to))?;
        fs::write(site.project().join(to).join("Cargo.toml"), "")?;
        fs::remove_dir_all(site.project().join("nested"))?;
        let settings = format!("{to}/.claude/settings.json");
        assert!(names_hooks(&settings)?);
        act("uninstall", &site)?;
        assert!(!names_hooks(&settings)? && !site.settings().exists(), "{to}");
        if to == "app/heart" {
            fs::rename(site.project().join(to), site.project().join(from))?;
            install()?;
            fs::rename(site.project().join(from), site.project().join(to))?;
        }
    }
    // A link in place of the folder is not followed, and causes no failure.
    fs::remove_dir_all(site.project().join("heart"))?;
    install()?;
    fs::rename(site.project().join("app/core/.claude"), site.folder.join("elsewhere"))?;
    symlink(site.folder.join("elsewhere"), site.project().join("app/core/.claude"))?;
    act("uninstall", &site)?;
    assert!(!site.settings().exists() && site.folder.join("elsewhere/settings.json").is_file());
    Ok(())
}

/// No install happened in these locations, or not on this machine.
#[test]
fn an_entry_that_no_record_names_is_never_taken_out() -> Result<()> {
    let site = Site::new(None)?;
    let settings = site.settings();
    let kinds =
        [PlaceKind::User, PlaceKind::Other, PlaceKind::Local(site.project()), PlaceKind::Project(site.project())];
    fs::create_dir_all(site.project().join(".claude"))?;
    let gone = site.folder.join("gone/.claude/hookkit/acme/bin/a");
    for kind in kinds {
        let place = Place::new(kind, &settings, "acme")?;
        let own = place.command("a");
        for command in [
            "/opt/team/.claude/hookkit/acme/bin/a",
            &gone.to_string_lossy(),
            "${CLAUDE_PROJECT_DIR}/.claude/hookkit/acme/bin/a",
            &own,
        ] {
            let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
            fs::write(&settings, &text)?;
            let done = uninstall(&place, Path::new("acme"));
            let is_refused = done.is_err_and(|err| err.to_string().contains("which may not be this one"));
            assert_eq!(is_refused, command == own, "{:?}: {command}", place.kind);
            assert_eq!(fs::read_to_string(&settings)?, text, "{:?}: {command}", place.kind);
            // Installed or not, the entry stays.
            let installed = site.install_at(&place, &["b"], "the first", false);
            assert_eq!(installed.is_err(), command == own, "{:?}: {command}", place.kind);
            assert!(commands(&text_of(&place)?).iter().any(|present| present == command));
            if installed.is_ok() {
                assert!(uninstall(&place, Path::new("acme"))?);
                assert_eq!(commands(&text_of(&place)?), [command]);
            }
        }
    }
    Ok(())
}

/// For example, the folder may now belong to another repository, or a folder of the project may have its own entries.
#[test]
fn an_entry_with_the_command_of_a_record_is_not_yet_ours() -> Result<()> {
    let text = |command: &str| {
        let handler = json!({"type": "command", "command": command, "timeout": 55});
        json!({"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [handler]}]}}).to_string()
    };
    for kind in [PlaceKind::Project, PlaceKind::Local] {
        let site = Site::new(None)?;
        let place = Place::new(kind(site.project()), &site.settings(), "acme")?;
        site.install_at(&place, &["a"], "the first", false)?;
        fs::remove_dir_all(site.project())?;
        fs::create_dir_all(site.project().join(".claude"))?;
        let theirs = text(&place.command("a"));
        fs::write(site.settings(), &theirs)?;
        let place = Place::new(kind(site.project()), &site.settings(), "acme")?;
        assert!(uninstall(&place, Path::new("acme")).is_err());
        assert_eq!(site.read()?, Some(theirs));
    }
    let site = Site::new(None)?;
    act("folders", &site)?;
    fs::write(site.project().join("app/core/Cargo.toml"), "")?;
    for command in [
        "${CLAUDE_PROJECT_DIR}/../../.claude/hookkit/acme/bin/a",
        "sh \"$CLAUDE_PROJECT_DIR/../../.claude/hookkit.sh\" acme",
    ] {
        let file = site.project().join("app/core/.claude/settings.json");
        fs::write(&file, text(command))?;
        assert!(!site.uninstall("acme")?);
        assert_eq!(fs::read_to_string(&file)?, text(command));
    }
    Ok(())
}

#[test]
fn a_record_is_of_the_same_folder_or_the_same_repository() {
    let of = |root: &str, repository: Option<&str>| Record {
        workspace: root.into(),
        repository: repository.map(str::to_owned),
        ..Record::default()
    };
    let checkout = |repository: Option<&str>| Checkout {
        root: "/proc".into(),
        repository: repository.map(str::to_owned),
        location: None,
        ..Checkout::default()
    };
    for (record, repository, expected) in [
        (of("/proc", None), None, true),
        (of("/sys/../proc", None), None, true),
        (of("/mnt/gone", None), None, false),
        (of("/mnt/gone", Some("a")), None, false),
        (of("/mnt/gone", Some("a")), Some("b"), false),
        (of("/mnt/gone", Some("a")), Some("a"), true),
    ] {
        assert_eq!(record.is_of(&checkout(repository)), expected, "{}", record.workspace.display());
    }
}

/// The file has the same name as a binary, or as the file that hides binaries from git.
#[test]
fn a_file_of_the_user_is_not_replaced() -> Result<()> {
    let site = Site::new(Some("{}"))?;
    let place = site.place("acme")?;
    for file in [place.binary("a"), place.gitignore()] {
        fs::create_dir_all(file.parent().path())?;
        fs::write(file.path(), "mine")?;
    }
    let refused = refused("install", &site)?;
    assert!(refused.contains("bin/a is not what `install` wrote"), "{refused}");
    fs::remove_file(place.binary("a").path())?;
    act("install", &site)?;
    act("uninstall", &site)?;
    assert_eq!(fs::read_to_string(place.gitignore().path())?, "mine");
    Ok(())
}

#[test]
fn a_folder_of_another_user_is_left_alone() -> Result<()> {
    let site = Site::new(None)?;
    let claude = site.project().join(".claude");
    fs::create_dir_all(&claude)?;
    // Others cannot give it away.
    if std::os::unix::fs::chown(&claude, Some(1), None).is_err() {
        return Ok(());
    }
    let place = Place::new(PlaceKind::Project(site.project()), &site.settings(), "acme")?;
    let message = place.check_file().expect_err("refused").to_string();
    assert!(message.contains(".claude belongs to another user (id 1,"), "{message}");
    Ok(())
}

/// Both share the folders, in whatever order they are created.
#[test]
fn hooks_of_an_organization_and_the_part_that_holds_mods_leave_no_byte() -> Result<()> {
    // This fails there, as in the test above.
    if is_private()? {
        return Ok(());
    }
    let orders: [&[&str]; 3] = [
        &["hold", "install", "undo", "uninstall"],
        &["install", "hold", "undo", "uninstall"],
        &["hold", "install", "uninstall", "undo"],
    ];
    for order in orders {
        let site = Site::new(None)?;
        let root = site.project();
        let mods = scope::of_part(Some(&root), MODS_PART, "hookkit")?;
        let part = mods.settings().with_file_name("hookkit.json");
        let hooks = Place::new(PlaceKind::Managed(root), &part, "acme")?;
        for (step, what) in order.iter().enumerate() {
            match *what {
                "hold" => assert!(hold::put(&mods, Some(&Hold::NoMods.text()), "hold-mods")?),
                "undo" => assert!(hold::put(&mods, None, "hold-mods")?),
                "install" => site.install_at(&hooks, &["a"], "the first", false)?,
                _ => assert!(uninstall(&hooks, Path::new("acme"))?),
            }
            let so_far = &order[..=step];
            let is_there = |made, gone| so_far.contains(&made) && !so_far.contains(&gone);
            assert_eq!(mods.settings().exists(), is_there("hold", "undo"), "{so_far:?}");
            assert_eq!(hooks.settings().exists(), is_there("install", "uninstall"), "{so_far:?}");
        }
        assert_eq!(site.files()?, [] as [&str; 0], "{order:?}");
        assert!(mods.notes.path("").is_some_and(|notes| !notes.exists()), "{order:?}");
    }
    Ok(())
}

/// The whitespace of empty containers is that from before the first workspace.
#[test]
fn two_workspaces_leave_a_file_as_it_was_in_whatever_order_they_go() -> Result<()> {
    for before in [
        "{}",
        "{ }",
        "{\n}\n",
        "{\"hooks\": {\n  }}",
        "{\r\n  \"hooks\": {\"PreToolUse\": [\r\n  ]}\r\n}\r\n",
        "{\"hooks\": {}, \"a\": 1}",
    ] {
        for order in [["acme", "other"], ["other", "acme"]] {
            let site = Site::of("", Some(before))?;
            site.install("acme", &["a"], "the first")?;
            site.install("other", &["b"], "the first")?;
            for workspace in order {
                assert!(site.uninstall(workspace)?);
            }
            assert_eq!(site.read()?.as_deref(), Some(before), "{order:?}");
        }
    }
    Ok(())
}
