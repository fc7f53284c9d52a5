//! Commands that skills and slash commands bring, in the real client: `verify` names each that runs.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::{command, output_within};
use hookkit_tests::{Project, Session, Turn, client, parallel};

/// The version of the client that these were observed in.
const OBSERVED_IN: &str = "2.1.332";

const SKILL: &str = ".claude/skills/go/SKILL.md";
const COMMAND: &str = ".claude/commands/go.md";

/// Hooks that show that they ran, in YAML.
const HOOKS: &str =
    "\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: touch ran\n";
const FLOW: &str = "{PreToolUse: [{matcher: Bash, hooks: [{type: command, command: touch ran}]}]}";

/// A file, with `HOOKS` and `FLOW` in it, and `true` if the client runs a command of it on `/go` and a call of Bash.
const TEXTS: &[(&str, &str, bool)] = &[
    (SKILL, "---\ndescription: a\n---\nGo.", false),
    (SKILL, "---\ndescription: a\nhooks:HOOKS---\nGo.", true),
    (COMMAND, "---\nhooks:HOOKS---\nGo.", true),
    (COMMAND, "---\nhooks: FLOW\n---\nGo.", true),
    (COMMAND, "---\n{hooks: FLOW}\n---\nGo.", true),
    (COMMAND, "---\n\"hooks\": FLOW\n---\nGo.", true),
    (COMMAND, "---\n\"h\\x6foks\": FLOW\n---\nGo.", true),
    (COMMAND, "---\n? hooks\n: FLOW\n---\nGo.", true),
    (COMMAND, "---\nmodel: &a {hooks: FLOW}\n<<: *a\n---\nGo.", false),
    (COMMAND, "---\n hooks: FLOW\n---\nGo.", true),
    (COMMAND, "--- \nhooks: FLOW\n--- \nGo.", true),
    (COMMAND, "\n---\nhooks: FLOW\n---\nGo.", false),
    (COMMAND, "\u{feff}---\nhooks: FLOW\n---\nGo.", true),
    (COMMAND, "---\r\nhooks: FLOW\r\n---\r\nGo.", true),
    (COMMAND, "---\ndescription: a\rhooks: FLOW\n---\nGo.", true),
    (COMMAND, "---\nhooks: FLOW ---\nGo.", true),
    (COMMAND, "---\nHooks: FLOW\n---\nGo.", false),
    (COMMAND, "Go: !`touch ran`", true),
    (SKILL, "---\nallowed-tools: Bash(touch:*)\n---\nGo: !`touch ran`", true),
    (COMMAND, "Go:\n```!\ntouch ran\n```\n", true),
    (".claude/commands/go.MD", "---\nhooks: FLOW\n---\nGo.", false),
    (".claude/skills/go/skill.md", "---\nhooks: FLOW\n---\nGo.", false),
    (".claude/commands/a/go.md", "---\nhooks: FLOW\n---\nGo.", true),
];

#[test]
fn each_command_that_a_skill_brings_is_a_difference() -> Result<()> {
    let client = client!("each_command_that_a_skill_brings_is_a_difference");
    assert_eq!(OBSERVED_IN, client::VERSION);
    parallel::each(2, TEXTS, |(path, text, runs)| {
        let check = || -> Result<()> {
            let project = Project::new()?;
            project.write(path, text.replace("HOOKS", HOOKS).replace("FLOW", FLOW))?;
            let prompt = if path.contains("/a/") { "/a:go" } else { "/go" };
            let outcome = Session::new(&client, project.path())
                .allow(&["Bash"])
                .turn(Turn::bash("true"))
                .turn(Turn::text("Done."))
                .run(prompt)?;
            ensure!(outcome.exit_code().is_some(), "{}", outcome.stderr());
            ensure!(
                project.exists("ran") == *runs,
                "it is {}, and was not in {OBSERVED_IN}",
                if *runs { "not run" } else { "run" }
            );
            let mut verify = command(project.path(), &["verify", "--project"])?;
            let output = output_within(verify.arg(project.path()), Duration::from_secs(60))?;
            let printed = str::from_utf8(&output.stdout)?;
            ensure!(!runs || printed.contains(&format!("new     {path}")), "{printed}");
            Ok(())
        };
        check().with_context(|| format!("{path} {text:?}"))
    })
}
