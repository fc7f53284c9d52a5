//! `doctor` and `list` where a checkout has something other than a file, or one without end.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::output_within;

/// Far more than it takes, also on a busy machine.
const LIMIT: Duration = Duration::from_secs(20);

/// Returns the output of `doctor --json` and `list`.
fn ask(world: &World) -> Result<(String, String)> {
    let doctor = output_within(&mut world.doctor(&["--json"])?, LIMIT)?;
    let mut list = world.command(world.outside.path(), world.project.path(), &["list"])?;
    let listed = output_within(&mut list, LIMIT)?.out(0)?;
    Ok((String::from_utf8(doctor.stdout)?, listed))
}

fn pipe(path: &Path) -> Result<()> {
    ensure!(Command::new("mkfifo").arg(path).status()?.success());
    Ok(())
}

#[test]
fn settings_that_are_not_a_regular_file_of_some_size_are_a_finding_and_the_rest_is_reported() -> Result<()> {
    let link = |to: &'static str| move |path: &Path| Ok(symlink(to, path)?);
    type Make = Box<dyn Fn(&Path) -> Result<()>>;
    let cases: Vec<(&str, Make)> = vec![
        ("is a named pipe, not a regular file", Box::new(pipe)),
        ("is a device, not a regular file", Box::new(link("/dev/zero"))),
        ("is a named pipe, not a regular file", Box::new(link("/dev/stdin"))),
        ("is a folder, not a regular file", Box::new(|path| Ok(fs::create_dir(path)?))),
        ("cannot be read", Box::new(link("settings.json"))),
        (
            "is longer than 2 MiB, the limit for such files",
            Box::new(|path| Ok(fs::File::create(path)?.set_len(10 << 30)?)),
        ),
        #[cfg(target_os = "linux")]
        ("/settings.json", Box::new(link("/proc/self/pagemap"))),
    ];
    for (expected, make) in cases {
        let world = World::new()?;
        let local = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "in-local", "env": {}}]}]}});
        world.project.write(".claude/settings.local.json", local.to_string())?;
        make(&world.project.path().join(".claude/settings.json"))?;
        let (doctor, list) = ask(&world)?;
        let finding = doctor.lines().find(|line| line.contains("/settings.json"));
        let holds = finding.is_some_and(|line| line.contains("\"kind\":\"finding\"") && line.contains(expected));
        ensure!(holds, "{expected}: {doctor}");
        // Of the one that is read, what is said is about its text.
        let does = "its hooks are not checked, but Claude Code runs them if it can read the file";
        let holds = expected.starts_with('/') || doctor.contains(does);
        ensure!(holds, "{expected}: {doctor}");
        ensure!(doctor.contains("`env` is not a key of a hook"), "{expected}: {doctor}");
        ensure!(list.contains("in-local"), "{expected}: {list}");
    }
    Ok(())
}

#[test]
fn files_that_settings_name_are_not_waited_for() -> Result<()> {
    let world = World::new()?;
    let (project, file) = (world.project.path(), |name: &str| world.project.path().join(name));
    for folder in ["plugin/hooks", ".claude/skills/kit/hooks"] {
        fs::create_dir_all(file(folder))?;
    }
    let offer = json!({"name": "near", "plugins": [{"name": "p", "source": "../plugin"}]});
    let write = |path: &str, text: &str| world.project.write(path, text);
    write("market/.claude-plugin/marketplace.json", &offer.to_string())?;
    pipe(&file("plugin/hooks/hooks.json"))?;
    write(".claude/skills/kit/.claude-plugin/plugin.json", "{\"name\": \"kit\"}")?;
    symlink("/dev/zero", file(".claude/skills/kit/hooks/hooks.json"))?;
    pipe(&file("script.sh"))?;
    let market = |path: &str| json!({"source": {"source": "directory", "path": path}});
    pipe(&file("pipe.json"))?;
    let script = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/script.sh"});
    let settings = json!({
        "enabledPlugins": {"p@near": true, "p@pipe": true, "p@zero": true},
        "extraKnownMarketplaces": {
            "near": market("market"), "pipe": market("pipe.json"), "zero": market("zero.json"),
        },
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [script, {"type": "command", "command": "in-project"}]}]},
    });
    symlink("/dev/zero", file("zero.json"))?;
    world.settings(&settings)?;
    let (doctor, list) = ask(&world)?;
    for (file, what) in [
        ("plugin/hooks/hooks.json", "a named pipe"),
        ("kit/hooks/hooks.json", "a device"),
        ("pipe.json", "a named pipe"),
        ("zero.json", "a device"),
    ] {
        let expected = format!("{file} is {what}, not a regular file");
        let holds = doctor.contains(&expected) && list.contains(&expected);
        ensure!(holds, "{expected}: {doctor}\n{list}");
    }
    ensure!(list.contains("in-project") && project.is_dir(), "{list}");
    Ok(())
}

#[test]
fn the_client_is_not_looked_for_in_the_current_folder() -> Result<()> {
    let world = World::new()?;
    let script = "#!/bin/sh\ntouch canary\necho 2.1.330\n";
    files::program(world.user.path().join("claude"), script)?;
    for path in [".", "", ".:/usr/bin:/bin", ":/usr/bin:/bin"] {
        let said = output_within(world.doctor(&[])?.env("PATH", path), LIMIT)?;
        let said = String::from_utf8(said.stdout)?;
        ensure!(said.contains("there is no `claude` in PATH"), "{path}: {said}");
        ensure!(!world.user.path().join("canary").exists(), "{path}");
    }
    Ok(())
}
