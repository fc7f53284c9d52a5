//! Commands that are for a person.

use hookkit_tests::prelude::*;

fn commands(whose: &str) -> Vec<String> {
    let mut rows = lines!("lines/person.txt").sections.remove(0).rows;
    rows.retain(|row| row.expected == [whose]);
    rows.into_iter().map(|row| row.line).collect()
}

/// Runs a command in an empty folder, as the child of a shell that has the variable of a client.
fn stderr(words: &str, before: &str, variable: Option<&str>) -> Result<String> {
    let folder = test_support::folder();
    let xtask = command(folder.path(), &[])?;
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before} \"$0\" {words}; exit $?")]);
    shell.arg(xtask.get_program()).current_dir(folder.path());
    shell.env("HOME", folder.path());
    shell.env_remove("CLAUDE_CODE_ENTRYPOINT").env_remove("CLAUDECODE");
    match variable {
        Some(name) => shell.env(name, "1"),
        None => shell.env("HOOKKIT_TESTS", "1"),
    };
    let output = shell.output().context("a shell")?;
    let text = String::from_utf8(output.stderr)?;
    let is_refused = text.contains("this is for a person");
    assert!(!is_refused || output.status.code() == Some(2), "{words}: {text}");
    Ok(text)
}

#[test]
fn commands_for_a_person_are_refused_below_the_client() -> Result<()> {
    for words in commands("person") {
        for (before, reason) in [("", "CLAUDECODE is set"), ("env -u CLAUDECODE", "started by Claude Code")] {
            if !before.is_empty() && cfg!(not(target_os = "linux")) {
                continue;
            }
            let stderr = stderr(&words, before, Some("CLAUDECODE"))?;
            let advice = "this is for a person: in a terminal of your own, run: cd /";
            assert!(stderr.contains(reason) && stderr.contains(advice), "{words}: {stderr}");
        }
        // Without it they are a person's script, except for those that ask on the terminal.
        let asks = words.starts_with("off") || words.starts_with("allow-once");
        let stderr = stderr(&words, "", None)?;
        assert_eq!(stderr.contains("this is for a person"), asks, "{words}: {stderr}");
    }
    Ok(())
}

#[test]
fn without_a_terminal_a_script_says_yes() -> Result<()> {
    for words in ["hold-mods no-mods", "uninstall"] {
        stderr(words, "", None)?.has("in a script of your own, add --yes");
    }
    // What takes nothing away is for everybody.
    for words in commands("all") {
        let stderr = stderr(&words, "", Some("CLAUDECODE"))?;
        assert!(!stderr.contains("this is for a person"), "{words}: {stderr}");
    }
    Ok(())
}
