//! Hooks in the file of another agent.

use super::*;
use crate::settings::installed::entries;

const CODEX: &str = "codex";

#[test]
fn a_file_of_another_agent_is_left_byte_for_byte() -> Result<()> {
    for before in [
        None,
        Some(OF_CODEX),
        Some("{}"),
        Some(r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done","timeout":3}]}]}}"#),
    ] {
        let site = Site::of(CODEX, before)?;
        site.install("acme", &["a", "b"], "the first")?;
        let text = site.read()?.context("a file")?;
        // Trust goes by the position of a group, and by the text of its hook.
        let commands = commands(&text);
        let ours = commands
            .iter()
            .position(|command| command.contains("/acme/"))
            .context("ours")?;
        assert!(
            commands[ours..].iter().all(|command| command.contains("/acme/")),
            "{text}"
        );
        site.install("acme", &["a", "b"], "the second")?;
        assert_eq!(site.read()?.as_deref(), Some(&*text));
        assert_eq!(drift(&site.place("acme")?, "a", "the second")?, None);
        assert_eq!(
            drift(&site.place("acme")?, "a", "a third")?.as_deref(),
            Some("its binary was not built from the current source")
        );
        assert!(site.uninstall("acme")?);
        assert_eq!(site.read()?.as_deref(), before);
        let folder: &[&str] = if before.is_some() {
            &["/.codex", "/.codex/hooks.json"]
        } else {
            &[]
        };
        assert_eq!(site.files()?, folder);
    }
    Ok(())
}

#[test]
fn a_command_names_the_program_by_the_root_of_the_repository_and_denies_without_it() -> Result<()> {
    let place = Site::of(CODEX, None)?.place("it's ours")?;
    let commands = |policy: &str| {
        let entry = json!({"event": "PreToolUse", "matcher": "Edit, Bash", "blocks_in_settings": false});
        let hook = definition::tests::hook("a", &json!({"on_failure": policy, "timeout": 7, "entries": [entry]}));
        let entries = entries(&hook, &place)
            .into_iter()
            .map(|entry| serde_json::to_value(&entry.handler).unwrap());
        entries.collect::<Vec<Value>>()
    };
    let program = "\"$(git rev-parse --show-toplevel)/.codex/hookkit/it's ours/bin/a\"";
    let expected = |command: String| json!({"type": "command", "command": command, "timeout": 8});
    assert_eq!(commands("continue"), [expected(program.to_owned())]);
    assert_eq!(commands("block"), [expected(format!("{program} || exit 2"))]);
    assert_eq!(commands("ask"), commands("block"));
    for command in [program.to_owned(), format!("{program} || exit 2")] {
        assert_eq!(place.hook(&command), Some("a"));
    }
    for command in [
        program.trim_matches('"'),
        &format!("{program} || exit 1"),
        &format!("{program}; ls"),
    ] {
        assert_eq!(place.hook(command), None);
    }
    Ok(())
}

#[test]
fn a_file_that_the_agent_would_drop_is_refused_with_the_fix() -> Result<()> {
    test_support::lines!("lines/agent-files.txt").check(|_, text| {
        let site = Site::of(CODEX, Some(text)).unwrap();
        let refused = refused("install", &site).unwrap();
        assert_eq!(site.read().unwrap().as_deref(), Some(text));
        let start = format!(
            "{}: Codex would read none of its hooks, since ",
            site.settings().display()
        );
        refused.replace(&start, "")
    });
    Ok(())
}

#[test]
fn an_entry_that_no_record_names_is_not_ours() -> Result<()> {
    let site = Site::of(CODEX, None)?;
    site.install("acme", &["a"], "the first")?;
    let command = site.place("acme")?.command("z");
    let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string();
    fs::write(site.settings(), &text)?;
    let err = refused("uninstall", &site)?;
    assert!(err.contains("nothing says whether it is this one"), "{err}");
    Ok(())
}
