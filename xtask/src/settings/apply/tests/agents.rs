//! Hooks in the file of another agent.

use hookkit_protocol::agents::{AGENTS, Agent};

use super::*;
use crate::agents::limits;
use crate::settings::installed::entries;
use crate::settings::scope;

const CODEX: &str = "codex";
const COPILOT: &str = "copilot";

#[test]
fn a_file_of_another_agent_is_left_byte_for_byte() -> Result<()> {
    let users = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"say done","timeout":3}]}]}}"#;
    let all = [None, Some(OF_CODEX), Some(OF_COPILOT), Some(OF_AGENT), Some("{}"), Some(users)];
    for (agent, before) in AGENTS.iter().flat_map(|agent| all.map(|before| (agent, before))) {
        if before == Some(OF_COPILOT) && agent.id == CODEX || before == Some(OF_AGENT) && !agent.file.comments {
            continue;
        }
        let site = Site::of(agent.id, before)?;
        site.install("acme", &["a", "b"], "the first")?;
        let text = site.read()?.context("a file")?;
        // Trust goes by the position of a group, and by the text of its hook.
        let (_, after) = text.split_once("/acme/").context("ours")?;
        assert!(!after.contains("say done"), "{text}");
        site.install("acme", &["a", "b"], "the second")?;
        assert_eq!(site.read()?.as_ref(), Some(&text));
        let place = site.place("acme")?;
        assert!(drift(&place, "a", "the second")?.is_none() && drift(&place, "a", "a third")?.is_some());
        assert!(site.uninstall("acme")?);
        assert_eq!(site.read()?.as_deref(), before);
        assert_eq!(site.files()?.is_empty(), before.is_none());
    }
    Ok(())
}

#[test]
fn a_command_names_the_program_by_the_root_and_ends_as_the_policy_says() -> Result<()> {
    let codex = "\"$(git rev-parse --show-toplevel)/.codex/hookkit/it's ours/bin/a\"";
    let copilot = "\"$COPILOT_PROJECT_DIR/.github/hooks/hookkit/it's ours/bin/a\"";
    for (agent, policy, program, end) in [
        (CODEX, "continue", codex, ""),
        (CODEX, "block", codex, " || exit 2"),
        (CODEX, "ask", codex, " || exit 2"),
        (COPILOT, "continue", copilot, " || true"),
        (COPILOT, "block", copilot, ""),
    ] {
        let place = Site::of(agent, None)?.place("it's ours")?;
        let command = format!("{program}{end}");
        let entry = json!({"event": "PreToolUse", "matcher": "Edit, Bash", "blocks_in_settings": false});
        let hook = definition::tests::hook("a", &json!({"on_failure": policy, "timeout": 7, "entries": [entry]}));
        let entry = &entries(&hook, &place)[0];
        let expected = json!({"type": "command", "command": command, "timeout": 8});
        assert_eq!(serde_json::to_value(&entry.handler)?, expected);
        assert_eq!(entry.matcher.as_deref(), Some("Edit|Bash"));
        assert_eq!(place.hook(&command), Some("a"));
        assert_eq!(place.hook(program.trim_matches('"')), None);
        assert_eq!(place.hook(&format!("{program} || exit 1")), None);
    }
    Ok(())
}

#[test]
fn a_matcher_has_the_words_of_the_agent() -> Result<()> {
    for (agent, matcher, own) in [
        (COPILOT, "*", None),
        (COPILOT, "Bash, mcp__git__push", Some("Bash|git-push")),
        (COPILOT, "Write", Some("Write|Edit")),
        (COPILOT, "^(Bash|mcp__.*)$", Some("^(Bash|.+-.*)$")),
        (COPILOT, "^Write$", Some("^(?:Write|Edit)$")),
        (CODEX, "Ba.*|mcp__git__.*", Some("Ba.*|mcp__git__.*")),
        ("droid", "Bash, Edit", Some("Execute|Edit")),
        ("droid", "^(Bash|mcp__git__.*)$", Some("^(Execute|git___.*)$")),
        ("qwen", "^Write|mcp__.*$", Some("^write_file|mcp__.*$")),
        ("gemini", "Edit|mcp__git__.*", Some("replace|mcp_git_.*")),
        ("gemini", "^mcp__.*$", Some("^mcp_.+_.*$")),
    ] {
        let place = Site::of(agent, None)?.place("acme")?;
        let entry = json!({"event": "PreToolUse", "matcher": matcher, "blocks_in_settings": false});
        let hook = definition::tests::hook("a", &json!({"on_failure": "block", "entries": [entry]}));
        assert_eq!(entries(&hook, &place)[0].matcher.as_deref(), own);
    }
    Ok(())
}

#[test]
fn a_hook_is_for_the_agents_that_its_author_names() {
    let hook = definition::tests::hook(
        "a",
        &json!({"agents": "claude|codex", "entries": [{"event": "Stop", "blocks_in_settings": false}]}),
    );
    let why_not = |id| limits::why_not(Agent::of_id(id).unwrap(), &hook);
    assert_eq!(why_not(CODEX), None);
    let why = why_not(COPILOT).unwrap();
    assert_eq!(why, "its author has declared it for `claude`, `codex` (`agents`)");
}

#[test]
fn a_file_that_the_agent_would_drop_is_refused_with_the_fix() {
    test_support::lines!("lines/agent-files.txt").check(|section, text| {
        let site = Site::of(section.name, Some(text)).unwrap();
        let refused = refused("install", &site).unwrap();
        assert_eq!(site.read().unwrap().as_deref(), Some(text));
        let file = site.settings().display().to_string();
        let name = site.agent().unwrap().name;
        refused.replace(&format!("{file}: {name} would read none of its hooks, since "), "")
    });
}

#[test]
fn an_entry_that_no_record_names_is_not_ours() -> Result<()> {
    let site = Site::of(CODEX, None)?;
    site.install("acme", &["a"], "the first")?;
    let command = site.place("acme")?.command("z");
    let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
    fs::write(site.settings(), text.to_string())?;
    let err = refused("uninstall", &site)?;
    assert!(err.contains("nothing says whether it is this one"), "{err}");
    Ok(())
}

#[test]
fn a_file_that_is_not_read_is_not_one_without_hooks() -> Result<()> {
    let site = Site::of(CODEX, None)?;
    let project = site.project();
    let read = || -> Vec<Result<BTreeSet<String>, String>> {
        let hooks = |of_agent: scope::OfAgent| Ok(of_agent.read.map_err(|err| format!("{err:#}"))?.1);
        scope::of_agents(&project, "acme").map(hooks).collect()
    };
    assert_eq!(read(), []);
    site.install("acme", &["a"], "the first")?;
    assert_eq!(read(), [Ok(BTreeSet::from(["a".to_owned()]))]);
    let text = site.read()?.context("a file")?;
    let dropped = text.replacen('{', "{\"x\": 1,", 1);
    for (text, why) in [
        (&*dropped, "it has the key `x`; remove it first"),
        ("{", "it is not strict JSON (EOF while parsing an object at line 1 column 1); fix it first"),
    ] {
        fs::write(site.settings(), text)?;
        let file = site.settings().display().to_string();
        let expected = format!("{file}: Codex would read none of its hooks, since {why}");
        assert_eq!(read(), [Err(expected)]);
    }
    // Another key does not matter if the file has no hooks of ours.
    fs::write(site.settings(), "{\"x\": 1}")?;
    assert_eq!(read(), []);
    fs::remove_file(site.settings())?;
    fs::create_dir(site.settings())?;
    assert!(matches!(&read()[..], [Err(why)] if why.contains("hooks.json")), "{:?}", read());
    Ok(())
}
