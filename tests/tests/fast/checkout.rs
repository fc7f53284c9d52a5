//! Whatever a checkout has in the place of its settings and scripts, `list`, `doctor` and `verify` change nothing outside of
//! it, run nothing of it, and end.

use std::fs::Permissions;

use hookkit_tests::parallel::each;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::output_within;
use test_support::obstacles;

const OBSTACLES: [&str; 10] = [
    "a link to a folder outside", "a link to a file outside", "a link to a script outside",
    "a link that leads nowhere", "a link to itself", "a link to /dev/zero", "a hard link to a file outside",
    "a hard link to a script outside", "a pipe", "a folder",
];

const COMPONENTS: [&str; 7] = [
    ".claude", ".claude/hookkit.reviewed", ".claude/settings.json", ".claude/settings.local.json", "run.sh",
    ".claude/hookkit/main/bin", ".claude/hookkit/main/bin/guard",
];

/// Settings with much to be fixed: scripts that are not executable or that anybody may write, a hook that looks installed,
/// and a timeout in milliseconds.
fn settings() -> String {
    let hook = |command: &str| json!({"type": "command", "command": command, "timeout": 5000});
    let hooks = ["${CLAUDE_PROJECT_DIR}/run.sh", "${CLAUDE_PROJECT_DIR}/.claude/hookkit/main/bin/guard"];
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks.map(hook)}]}}).to_string()
}

fn look(component: &str, obstacle: &str) -> Result<()> {
    let world = World::new()?;
    let outer = Project::new()?;
    let outside = outer.path().join("outside");
    fs::create_dir(&outside)?;
    let (canary, script) = (outside.join("canary"), outside.join("script"));
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", canary.display()))?;
    fs::write(outside.join("file"), settings())?;
    for path in ["run.sh", ".claude/hookkit/main/bin/guard"] {
        world.project.write(path, fs::read(&script)?)?;
    }
    for (path, mode) in [("run.sh", 0o646), (".claude/hookkit/main/bin/guard", 0o755)] {
        fs::set_permissions(world.project.path().join(path), Permissions::from_mode(mode))?;
    }
    fs::set_permissions(&script, Permissions::from_mode(0o646))?;
    for path in [".claude/settings.json", ".claude/settings.local.json"] {
        world.project.write(path, settings())?;
    }
    obstacles::put(&world.project.path().join(component), obstacle, &outside)?;
    let before = obstacles::state(&outside)?;
    for line in ["list", "doctor", "doctor --fix --yes", "list --json", "verify", "verify --accept"] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut command = world.command(world.outside.path(), world.project.path(), &arguments)?;
        let output = output_within(&mut command, Duration::from_secs(30))?;
        ensure!(output.status.code().is_some(), "{line}: {output:?}");
        ensure!(obstacles::state(&outside)? == before, "{line} changed something outside: {output:?}");
    }
    Ok(())
}

/// The settings of a project say nothing about the modes of files of the user's.
#[test]
fn no_mode_of_the_user_s_own_files_is_changed_for_a_project() -> Result<()> {
    let world = World::new()?;
    let secret = world.user.path().canonicalize()?.join("credentials.json");
    fs::write(&secret, "")?;
    fs::set_permissions(&secret, Permissions::from_mode(0o600))?;
    let hook = json!({"type": "command", "command": secret, "args": []});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    let fix = |file: &Path| -> Result<u32> {
        fs::write(file, settings.to_string())?;
        let output = world.doctor(&["--fix", "--yes"])?.output()?;
        ensure!(output.status.code() != Some(2), "{output:?}");
        fs::remove_file(file)?;
        Ok(fs::metadata(&secret)?.permissions().mode() & 0o777)
    };
    fs::create_dir(world.project.path().join(".claude"))?;
    assert_eq!(fix(&world.project.path().join(".claude/settings.json"))?, 0o600);
    let found = fix(&world.user.path().join("settings.json"))?;
    assert_eq!(found, 0o700, "the user's own may");
    Ok(())
}

#[test]
fn nothing_outside_of_a_checkout_is_changed_by_looking_at_it() -> Result<()> {
    let cases = COMPONENTS.into_iter().flat_map(|component| OBSTACLES.map(|obstacle| (component, obstacle)));
    each(4, cases.collect::<Vec<_>>(), |(component, obstacle)| {
        look(component, obstacle).with_context(|| format!("{obstacle} in the place of {component}"))
    })
}
