//! The hooks of two workspaces in one project.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::{as_user as xtask, handlers};

#[test]
fn two_workspaces_in_one_project_are_independent() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = test_support::folder();
    let ours = ["--hook", "hold", "--hook", "format-on-edit"];
    xtask(user.path(), &[&["install", "--project", path], &ours[..]].concat())?;
    let arguments = ["install", "--project", path, "--pack", "hookkit-quality"];
    xtask_ok(repository(), &arguments)?;
    let settings = project.path().join(".claude/settings.json");
    // Each has a hook of this name.
    assert_eq!(handlers(&settings, "format-on-edit")?.len(), 2);
    let printed = xtask(user.path(), &["doctor", "--project", path])?;
    printed.has("`format-on-edit` is a hook of `fixture` and of `hookkit`");
    let holds = handlers(&settings, "protect-secrets")?.is_empty();
    assert!(holds, "a hook of another pack");
    xtask(user.path(), &["uninstall", "--project", path])?;
    assert!(handlers(&settings, "hold")?.is_empty());
    let [handler] = &handlers(&settings, "format-on-edit")?[..] else { panic!("not one entry") };
    let command = handler["command"].as_str().unwrap_or_default();
    assert!(Path::new(&command.replace("${CLAUDE_PROJECT_DIR}", path)).is_file());
    xtask_ok(repository(), &["uninstall", "--project", path])?;
    assert!(!project.exists(".claude"));
    Ok(())
}
