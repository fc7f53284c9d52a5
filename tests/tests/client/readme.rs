//! The script in README.md, which is to fail in silence.

use hookkit_tests::prelude::*;

#[test]
fn the_script_of_the_readme_denies_nothing_and_nothing_reports_it() -> Result<()> {
    let client = client!("the_script_of_the_readme_denies_nothing_and_nothing_reports_it");
    let readme = fs::read_to_string(repository().join("README.md"))?;
    let block = readme.split("```bash\n").nth(1).and_then(|rest| rest.split("```").next());
    let script = block.context("README.md has a script")?;
    // As README.md has it, and without the mistakes that come first, so that each is seen to be enough.
    let without_matcher = [script.to_owned(), script.replace(".path", ".file_path")];
    let exits_with_0 = without_matcher[1].replace("exit 1", "exit 0");
    let cases = [
        ("edit|write", script),
        ("Edit|Write", &without_matcher[0]),
        ("Edit|Write", &without_matcher[1]),
        ("Edit|Write", &exits_with_0),
    ];
    for (matcher, script) in cases {
        let project = Project::new()?;
        let hook = json!({"type": "command", "command": "$CLAUDE_PROJECT_DIR/hook.sh"});
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}});
        project.write(".claude/settings.json", settings.to_string())?;
        files::program(project.path().join("hook.sh"), script)?;
        let lock = project.path().join("new.lock");
        let outcome = Session::new(&client, project.path())
            .allow(&["Write"])
            .turn(Turn::call("Write", json!({"file_path": lock, "content": "changed\n"})))
            .go()?;
        assert_eq!(project.read("new.lock")?, "changed\n", "{matcher}: {script}");
        assert!(!outcome.model_read().contains("cargo update"), "{matcher}: {script}");
    }
    Ok(())
}
