//! Tests of hooks in another agent's file.

use hookkit_protocol::agents::{AGENTS, Agent, Form};

use super::*;
use crate::agents::{limits, script};
use crate::settings::installed::{self, entries};
use crate::settings::{edit, scope};

const CODEX: &str = "codex";
const COPILOT: &str = "copilot";

#[test]
fn a_file_of_another_agent_is_left_byte_for_byte() -> Result<()> {
    let users = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"say done","timeout":3}]}]}}"#;
    let texts = |agent: &Agent| match (agent.file.form, agent.id) {
        (Form::Toml, _) => vec![OF_KIMI, "", "a = 1\r\n"],
        (Form::Script, _) => vec![&*Box::leak(script::empty().into_boxed_str())],
        (_, CODEX) => vec![OF_CODEX, "{}", users],
        (Form::Json, _) => vec![OF_CODEX, OF_COPILOT, "{}", users],
        (Form::JsonWithComments, _) => vec![OF_CODEX, OF_COPILOT, OF_AGENT, "{}", users],
    };
    let texts = |agent| [None].into_iter().chain(texts(agent).into_iter().map(Some));
    for (agent, before) in AGENTS.iter().flat_map(|agent| texts(agent).map(move |before| (agent, before))) {
        let site = Site::of(agent.id, before)?;
        site.install("acme", &["a", "b"], "the first")?;
        let text = site.read()?.context("a file")?;
        // Trust depends on a group's position and its hook's text.
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

/// A program that writes the whole configuration has its own layout.
#[test]
fn hooks_in_toml_are_found_in_a_file_that_was_written_anew() -> Result<()> {
    let site = Site::of("kimi", Some(OF_KIMI))?;
    site.install("acme", &["a", "b"], "the first")?;
    let again = |text: &str| -> Result<String> {
        let values: toml_edit::DocumentMut = text.parse()?;
        Ok(toml_edit::ser::to_string_pretty(&toml_edit::de::from_document::<Value>(values)?)?)
    };
    let text = again(&site.read()?.context("a file")?)?;
    fs::write(site.settings(), text.replacen("\n[[hooks]]", "\n# mine\n[[hooks]]", 9))?;
    site.check("acme")?;
    assert!(drift(&site.place("acme")?, "a", "the first")?.is_none());
    assert!(site.uninstall("acme")?);
    let rest = site.read()?.context("a file")?;
    assert_eq!(again(&rest)?, again(OF_KIMI)?);
    assert_eq!(rest.matches("# mine").count(), text.matches("\n[[hooks]]").count());
    // A comment in one of our tables is removed with it, and reported.
    let site = Site::of("kimi", None)?;
    site.install("acme", &["a"], "the first")?;
    let text = site.read()?.context("a file")?;
    fs::write(site.settings(), format!("{}timeout = 9 # mine\n", text.split_once("timeout").context("one")?.0))?;
    let (_, lost) = without_ours(&site)?;
    let went =
        |place: &str, what: &str| format!("{place}: `{what}` was in an entry of hookkit and was removed with it");
    assert_eq!(lost, [went("line 5, column 1", "timeout = 9"), went("line 5, column 13", "# mine")]);
    Ok(())
}

/// Returns the settings without the hooks of `acme`, and the sentences about what is removed or stays with them.
fn without_ours(site: &Site) -> Result<(Document, Vec<String>)> {
    let (place, mut lost) = (site.place("acme")?, Vec::new());
    let settings = installed::settings(&place)?.context("a file")?;
    let record = Record::read(&place)?.context("a record")?;
    let rest = installed::without_ours(&settings, &record, &edit::Made::default(), &place, &mut lost)?;
    Ok((rest, lost))
}

#[test]
fn a_value_that_the_user_added_after_our_tables_goes_to_no_other() -> Result<()> {
    let other = "\n# mine\n[x]\n";
    let inner = "[hooks.env]\nA = 1\n";
    let apart = "\n[z]\nq = 1\n";
    let extra = "\n[[hooks.extra]]\ntimeout = 1 # mine\n\n[[hooks.extra]]\nB = 2\n";
    for (added, left, goes) in [
        ("note = 1\n", "", &["note = 1"][..]),
        ("note = \"\"\"\n[x]\n\"\"\"\n", "", &["note = \"\"\"\n[x]\n\"\"\""]),
        ("note = [\n[1], # a\n[2]\n]\n", "", &["note = [\n[1], # a\n[2]\n]"]),
        ("note.of = 1 # b\n", "", &["note.of = 1", "# b"]),
        ("\"a#b\" = 1\n", "", &["\"a#b\" = 1"]),
        (other, other, &[]),
        (inner, "", &["[hooks.env]\nA = 1"]),
        ("[\"hooks\" . env]\nA = 1\n", "", &["[\"hooks\" . env]\nA = 1"]),
        (extra, "", &["[[hooks.extra]]\ntimeout = 1 # mine", "[[hooks.extra]]\nB = 2"]),
        ("[hooks.env.of]\nA = 1\n", "", &["[hooks.env.of]\nA = 1"]),
        (&format!("{inner}{other}"), "\n\n# mine\n[x]\n", &["[hooks.env]\nA = 1"]),
        (&format!("{apart}\n{inner}"), "\n\n[z]\nq = 1\n", &["[hooks.env]\nA = 1"]),
    ] {
        let site = Site::of("kimi", Some(OF_KIMI))?;
        site.install("acme", &["a"], "the first")?;
        let text = site.read()?.context("a file")?;
        fs::write(site.settings(), text + added)?;
        let (_, lost) = without_ours(&site)?;
        assert_eq!(lost.len(), goes.len(), "{lost:?}");
        for (lost, goes) in lost.iter().zip(goes) {
            assert!(
                lost.ends_with(&format!(": `{goes}` was in an entry of hookkit and was removed with it")),
                "{lost}"
            );
        }
        assert!(site.uninstall("acme")?);
        assert_eq!(site.read()?.context("a file")?.trim_end(), format!("{OF_KIMI}{left}").trim_end());
    }
    Ok(())
}

#[test]
fn messages_name_the_agent() -> Result<()> {
    let twice = Site::of(CODEX, Some("{\"hooks\": {}, \"hooks\": {}}"))?;
    let said = refused("install", &twice)?;
    said.has("`hooks` is defined twice");
    said.lacks("Claude Code");
    Ok(())
}

#[test]
fn a_text_that_quotes_our_tables_stays() -> Result<()> {
    let site = Site::of("kimi", None)?;
    site.install("acme", &["a", "b"], "the first")?;
    let ours = site.read()?.context("a file")?;
    let quoting = format!("[[hooks]]\nevent = \"Stop\"\ncommand = '''\n{ours}'''\n");
    fs::write(site.settings(), &quoting)?;
    assert_eq!(without_ours(&site)?.0.text(), quoting);
    Ok(())
}

#[test]
fn an_editor_may_write_other_ends_of_lines() -> Result<()> {
    let before = format!("{OF_KIMI}\n");
    let site = Site::of("kimi", Some(&before))?;
    site.install("acme", &["a", "b"], "the first")?;
    fs::write(site.settings(), site.read()?.context("a file")?.replace('\n', "\r\n"))?;
    assert!(site.uninstall("acme")?);
    assert_eq!(site.read()?.context("a file")?, before.replace('\n', "\r\n"));
    Ok(())
}

#[test]
fn a_command_that_the_user_edited_stays_and_is_reported() -> Result<()> {
    for agent in AGENTS.iter().filter(|agent| agent.file.form == Form::Json) {
        let site = Site::of(agent.id, None)?;
        site.install("acme", &["a", "b"], "the first")?;
        let place = site.place("acme")?;
        let settings = installed::settings(&place)?.context("a file")?;
        let command = settings.commands().find(|command| place.hook(command) == Some("a")).context("a command")?;
        let edited = serde_json::to_string(&format!("A=1 {command}"))?;
        let command = serde_json::to_string(command)?;
        let text = site.read()?.context("a file")?;
        fs::write(site.settings(), text.replace(&command, &edited))?;
        let (rest, lost) = without_ours(&site)?;
        assert_eq!(rest.commands().collect::<Vec<_>>(), [serde_json::from_str::<String>(&edited)?]);
        let [stays] = &lost[..] else { panic!("{lost:?}") };
        assert!(stays.starts_with("`A=1 ") && stays.contains("` was edited, so its entry stays"), "{stays}");
    }
    Ok(())
}

/// The code around the hooks is hookkit's: code from another version is replaced, and modified code is an error.
#[test]
fn a_script_of_another_version_is_renewed_and_a_changed_one_is_refused() -> Result<()> {
    let site = Site::of("opencode", None)?;
    site.install("acme", &["a"], "the first")?;
    let text = site.read()?.context("a file")?;
    let differing = || -> Result<Vec<String>> {
        let differences = differences(&site.place("acme")?, "a", "the first")?;
        Ok(differences.into_iter().map(|found| found.name).collect())
    };
    assert_eq!(differing()?, [] as [&str; 0]);
    fs::write(site.settings(), script::with_code(&text, "the hook is late", "late"))?;
    assert_eq!(differing()?, ["hookkit.js"]);
    site.install("acme", &["a"], "the second")?;
    assert_eq!(site.read()?.as_ref(), Some(&text));
    for changed in [format!("{text}// mine\n"), text.replace("the hook is late", "late")] {
        fs::write(site.settings(), &changed)?;
        for command in ["install", "uninstall"] {
            refused(command, &site)?.has("its code was changed; move your code into a plugin of its own");
        }
        assert_eq!(site.read()?, Some(changed));
    }
    // As git may check it out.
    fs::write(site.settings(), text.replace('\n', "\r\n"))?;
    assert!(site.uninstall("acme")?);
    assert_eq!(site.files()?, [] as [&str; 0]);
    Ok(())
}

#[test]
fn hooks_that_are_not_tables_are_left_with_the_fix() -> Result<()> {
    let text = "hooks = [{event = \"Stop\", command = \"say done\"}]\n";
    let site = Site::of("kimi", Some(text))?;
    refused("install", &site)?.has("`hooks` is a single value; write each hook as a table `[[hooks]]`");
    assert_eq!(site.read()?.as_deref(), Some(text));
    Ok(())
}

#[test]
fn a_limit_is_at_most_what_the_agent_accepts() -> Result<()> {
    let place = Site::of("kimi", None)?.place("acme")?;
    for (timeout, limit) in [(json!(null), 600), (json!(7), 8), (json!(600), 600)] {
        let entry = json!({"event": "PreToolUse", "matcher": "Bash", "blocks_in_settings": false});
        let hook =
            definition::tests::hook("a", &json!({"timeout": timeout, "status_message": "s", "entries": [entry]}));
        let handler = serde_json::to_value(&entries(&hook, &place)[0].handler)?;
        assert_eq!((&handler["timeout"], &handler["statusMessage"]), (&json!(limit), &json!(null)));
    }
    let entry = json!({"event": "PreToolUse", "blocks_in_settings": false});
    let hook = definition::tests::hook("a", &json!({"timeout": 601, "entries": [entry]}));
    let why = limits::why_not(Agent::of_id("kimi").context("it is known")?, &hook);
    assert_eq!(why.as_deref(), Some("Kimi kills a hook after 600 seconds; lower its `timeout`"));
    Ok(())
}

#[test]
fn a_command_names_the_program_by_the_root_and_ends_as_the_policy_says() -> Result<()> {
    let droid = "\"$(git rev-parse --show-toplevel)/.factory/hookkit/it's ours/bin/a\"";
    let copilot = "\"$COPILOT_PROJECT_DIR/.github/hooks/hookkit/it's ours/bin/a\"";
    let opencode = "\"$HOOKKIT_PROJECT_DIR/.opencode/plugin/hookkit/it's ours/bin/a\"";
    let block = r#" || echo '{"decision":"block","reason":"a hook of hookkit failed"}'"#;
    for (agent, event, policy, program, end) in [
        ("droid", "PreToolUse", "continue", droid, ""),
        ("droid", "PreToolUse", "block", droid, " || exit 2"),
        ("droid", "PreToolUse", "ask", droid, " || exit 2"),
        // There, exit code 2 is a denial.
        ("opencode", "PreToolUse", "continue", opencode, " || [ $? -ne 2 ] || exit 2"),
        (COPILOT, "PreToolUse", "continue", copilot, " || true"),
        (COPILOT, "PreToolUse", "block", copilot, ""),
        // There, exit code 2 has no effect.
        (COPILOT, "Stop", "block", copilot, block),
        (COPILOT, "Stop", "continue", copilot, " || true"),
    ] {
        let place = Site::of(agent, None)?.place("it's ours")?;
        let command = format!("{program}{end}");
        let entry = json!({"event": event, "blocks_in_settings": false});
        let hook = definition::tests::hook("a", &json!({"on_failure": policy, "timeout": 7, "entries": [entry]}));
        let entry = &entries(&hook, &place)[0];
        assert_eq!(serde_json::to_value(&entry.handler)?["command"], command);
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
        ("kimi", "Edit, mcp__git__push", Some("Edit|mcp__git__push")),
        ("opencode", "Bash, Edit", Some("bash|edit|apply_patch")),
        ("opencode", "^(Write|mcp__git__.*)$", Some("^((?:write|apply_patch)|git_.*)$")),
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
    assert_eq!(why, "its author declared it only for `claude`, `codex` (`agents`)");
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
    assert!(err.contains("which may not be this one"), "{err}");
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
    // Other keys do not matter if the file has none of our hooks.
    fs::write(site.settings(), "{\"x\": 1}")?;
    assert_eq!(read(), []);
    fs::remove_file(site.settings())?;
    fs::create_dir(site.settings())?;
    assert!(matches!(&read()[..], [Err(why)] if why.contains("hooks.json")), "{:?}", read());
    Ok(())
}
