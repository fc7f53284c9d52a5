//! Hooks of an organization's settings. The folder of those is covered by another one, which takes a namespace of Linux.

use hookkit_tests::managed::Managed;
use hookkit_tests::prelude::*;

#[test]
fn no_user_turns_off_a_guard_of_the_organization() -> Result<()> {
    const NAME: &str = "no_user_turns_off_a_guard_of_the_organization";
    let client = client!(NAME);
    let project = Project::new()?;
    let staging = project.path().join("staging");
    fs::create_dir(&staging)?;
    let Some(managed_settings) = Managed::new()? else {
        skip(NAME, "this system makes no namespaces for users");
        return Ok(());
    };
    let etc = managed_settings.etc();
    let managed = ["--scope", "managed", "--staging", text(&staging)?];
    let install = [&["install", "--hook", "deny-destruction"], &managed[..]].concat();
    let printed = xtask_ok(repository(), &install)?;
    assert!(printed.contains("/etc/claude-code of each machine"), "{printed}");
    Command::new("cp").arg("-a").args([staging.join("etc/claude-code"), etc.clone()]).out(0)?;

    // The same session as ever, in its own namespace.
    let wrapper = managed_settings.program(&client)?;
    let content = json!({"disableAllHooks": true}).to_string();
    project.write("app/.claude/settings.json", content)?;
    let app = project.path().join("app");
    let denied = || -> Result<bool> {
        let push = json!({"command": "git push --force nowhere", "description": "Push it"});
        let outcome =
            Session::new(&wrapper, &app).within(project.path()).allow(&["Bash"]).turn(Turn::call("Bash", push)).go()?;
        let results = outcome.tool_results();
        Ok(results.concat().contains("overwrites what others may have pushed"))
    };
    assert!(denied()?);

    let doctor = || -> Result<String> {
        let doctor = command(repository(), &[])?;
        let user = test_support::folder();
        let output = managed_settings
            .covering()
            .arg(doctor.get_program())
            .args(["doctor", "--client-binary", text(&client)?, "--project", text(&app)?])
            .current_dir(repository())
            .env("CLAUDE_CONFIG_DIR", user.path())
            .output()?;
        Ok(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?)
    };
    // The organization itself can, and doctor names the file.
    let part = etc.join("claude-code/managed-settings.d/z.json");
    fs::write(&part, json!({"disableAllHooks": true}).to_string())?;
    assert!(!denied()?);
    let found = doctor()?;
    found.has("hooks-disabled");
    found.has("/etc/claude-code/managed-settings.d/z.json:1");
    // A part that is broken ends the session before it begins.
    fs::write(&part, "{")?;
    let outcome = Session::new(&wrapper, &app).within(project.path()).run("go")?;
    assert_eq!(outcome.exit_code(), Some(1));
    outcome.stderr().has("z.json: Managed settings document could not be parsed");
    let found = doctor()?;
    found.has("no headless session starts until it is fixed");
    xtask_ok(repository(), &[&["uninstall"], &managed[..]].concat())?;
    assert_eq!(fs::read_dir(&staging)?.count(), 0);
    Ok(())
}
