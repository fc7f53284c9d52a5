//! Commands that skills and slash commands bring, in the real client: `verify` names each that runs.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit_tests::record::Asked;
use hookkit_tests::xtask::{command, output_within};
use hookkit_tests::{Project, Session, Turn, client, parallel};
use test_support::lines;
use test_support::lines::Lines;

/// The version of the client that these were observed in.
const OBSERVED_IN: &str = "2.1.332";

/// Hooks that show that they ran, in YAML.
const HOOKS: &str =
    "\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: touch ran\n";
const FLOW: &str = "{PreToolUse: [{matcher: Bash, hooks: [{type: command, command: touch ran}]}]}";

#[test]
fn each_command_that_a_skill_brings_is_a_difference() -> Result<()> {
    let client = client!("each_command_that_a_skill_brings_is_a_difference");
    assert_eq!(OBSERVED_IN, client::VERSION);
    let table: Lines = lines!("lines/reviewed.txt");
    let rows = &table.section("files of a skill or a command").rows;
    let asked = Asked::of("commands-of-skills")?;
    parallel::each(2, rows, |row| {
        let ([runs, path], text) = (row.fields(), row.line.replace("BOM", "\u{feff}"));
        let runs = runs == "runs";
        let check = || -> Result<()> {
            let project = Project::new()?;
            project.write(path, text.replace("HOOKS", HOOKS).replace("FLOW", FLOW))?;
            let mut verify = command(project.path(), &["verify", "--project"])?;
            let output = output_within(verify.arg(project.path()), Duration::from_secs(60))?;
            let printed = str::from_utf8(&output.stdout)?;
            ensure!(!runs || printed.contains(&format!("new     {path}")), "{printed}");
            if asked.before(&format!("{path} {text:?} runs: {runs}"), &[project.path()])? {
                return Ok(());
            }
            let prompt = if path.contains("/a/") { "/a:go" } else { "/go" };
            let outcome = Session::new(&client, project.path())
                .allow(&["Bash"])
                .turn(Turn::bash("true"))
                .turn(Turn::text("Done."))
                .run(prompt)?;
            ensure!(outcome.exit_code().is_some(), "{}", outcome.stderr());
            ensure!(
                project.exists("ran") == runs,
                "it is {}, and was not in {OBSERVED_IN}",
                if runs { "not run" } else { "run" }
            );
            Ok(())
        };
        check().with_context(|| format!("{path} {text:?}"))
    })?;
    asked.keep()
}
