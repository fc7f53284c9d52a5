//! Recorded payloads decode into the types that are made for them.

use hookkit::event::{McpSource, PostToolUse, PreToolUse};
use hookkit::{Context, FromInput, Json, Payload, tool};
use hookkit_tests::prelude::*;

const FILE: &str = "/home/user/project/new.txt";

fn before<T: tool::ToolInput>(name: &str) -> Result<T> {
    let text = payload(name)?;
    Ok(<PreToolUse<T> as FromInput<PreToolUse>>::from_input(&Payload::parse(text.as_bytes())?)?.input)
}

fn after<T: tool::Tool>(name: &str) -> Result<PostToolUse<T>> {
    let text = payload(name)?;
    Ok(PostToolUse::from_input(&Payload::parse(text.as_bytes())?)?)
}

/// Copilot CLI runs the hooks of a project's `.claude/settings.json`: its payloads have no `transcript_path`, no `tool_use_id`,
/// and other names in the inputs of files.
#[test]
fn payloads_of_copilot_are_read_as_those_of_the_client() -> Result<()> {
    fn call<T: tool::ToolInput>(tool: &str) -> Result<(T, Context)> {
        let path = format!("tests/fixtures/copilot/PreToolUse-{tool}.json");
        let text = fs::read_to_string(repository().join(path))?;
        let payload = Payload::parse(text.as_bytes())?;
        let call = <PreToolUse<T> as FromInput<PreToolUse>>::from_input(&payload)?;
        Ok((call.input, <Context as FromInput<PreToolUse>>::from_input(&payload)?))
    }
    let (bash, context) = call::<tool::Bash>("Bash")?;
    assert_eq!(bash.command.as_str(), "echo hello");
    assert_eq!((context.cwd.to_str(), context.transcript_path.to_str()), (Some("/home/user/project"), Some("")));
    let (edit, _) = call::<tool::Edit>("Edit")?;
    assert_eq!((edit.old_string.as_str(), edit.new_string.as_str()), ("two", "2"));
    let (write, _) = call::<tool::Write>("Write")?;
    assert_eq!((write.file_path.to_str(), write.content.as_str()), (Some(FILE), "hello\n"));
    let (change, context) = call::<tool::TextChange>("Write")?;
    assert_eq!(change.path().to_str(), Some(FILE));
    let (json, _) = call::<Json>("Write")?;
    assert_eq!(PreToolUse::new("Write", json).paths(&context)?[0].absolute.to_str(), Some(FILE));
    // The client's own name is the one that counts, in any order.
    for input in [r#"{"path":"/other","file_path":"/own"}"#, r#"{"file_path":"/own","path":"/other"}"#] {
        let input: tool::FileChange = Json::parse(input)?.decode()?;
        assert_eq!(input.file_path.to_str(), Some("/own"));
    }
    Ok(())
}

/// The type of the client's response is independent of the tool's.
#[test]
fn a_response_is_decoded_into_the_type_that_was_asked_for() -> Result<()> {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Kind {
        r#type: String,
    }

    let text = payload("PostToolUse-Write")?;
    let payload = Payload::parse(text.as_bytes())?;
    let call = PostToolUse::<tool::Write, tool::NotDecoded>::from_input(&payload)?;
    assert_eq!(call.input.content.as_str(), "one\ntwo\n");
    assert_eq!(call.response, tool::NotDecoded);
    let call = PostToolUse::<tool::Write, Kind>::from_input(&payload)?;
    assert_eq!(call.response.r#type, "create");
    let call = PostToolUse::<tool::FileChange, Json>::from_input(&payload)?;
    assert!(call.response.text().contains("\"type\":\"create\""));
    // A test names neither of them.
    let built = PostToolUse::new("Write", tool::FileChange::new(FILE), tool::NotDecoded);
    assert_eq!(built.input.file_path.to_str(), Some(FILE));
    Ok(())
}

#[test]
fn the_server_of_an_mcp_tool_is_known() -> Result<()> {
    let text = payload("PreToolUse-mcp__srv__echo")?;
    let call = <PreToolUse as FromInput<PreToolUse>>::from_input(&Payload::parse(text.as_bytes())?)?;
    let server = call.mcp_server.expect("the tool has a server");
    assert_eq!((server.name.as_str(), server.source), ("srv", McpSource::Dynamic));
    Ok(())
}

/// A host can have the client leave `mcp__` away (`CLAUDE_AGENT_SDK_MCP_NO_PREFIX`).
#[test]
fn the_server_is_known_of_a_tool_without_a_prefix() -> Result<()> {
    let text = payload("PreToolUse-mcp__srv__echo")?.replace("mcp__srv__echo", "echo");
    let call = <PreToolUse as FromInput<PreToolUse>>::from_input(&Payload::parse(text.as_bytes())?)?;
    assert_eq!(call.tool_name, "echo");
    assert_eq!(call.mcp_server.map(|server| server.name).as_deref(), Some("srv"));
    Ok(())
}

/// The prelude hides nothing that every file has, and goes with what hooks import next to it.
#[test]
fn the_prelude_hides_nothing() {
    #[expect(unused_imports, reason = "that they can be imported is the test")]
    mod with_the_library {
        use std::collections::*;
        use std::fmt::*;
        use std::io::{Read, Write};
        use std::path::*;

        use anyhow::{Context as _, Result};
        use hookkit::Json;
        use hookkit::prelude::*;

        pub(super) fn all_of_std(texts: &[&str]) -> Option<Vec<String>> {
            let boxed: Box<dyn Fn(&str) -> String> = Box::new(ToOwned::to_owned);
            let owned: Vec<String> = Iterator::map(texts.iter(), |text| boxed(text)).collect();
            let length: core::result::Result<u8, _> = u8::try_from(owned.len());
            if let Ok(1..) = length { Some(owned) } else { None }
        }
    }
    assert_eq!(with_the_library::all_of_std(&["a"]), Some(vec!["a".to_owned()]));
}

#[test]
fn changes_are_reported_apart_as_recorded() -> Result<()> {
    for (name, file, added, removed) in [
        ("Write", FILE, "one\ntwo\n", None),
        ("Edit", FILE, "three", Some("two")),
        ("NotebookEdit", "/home/user/project/a.ipynb", "print(2)\n", None),
    ] {
        let change: tool::TextChange = before(&format!("PreToolUse-{name}"))?;
        assert_eq!(change.path().to_str(), Some(file), "{name}");
        assert_eq!(change.added_text(), added, "{name}");
        assert_eq!(change.removed_text(), removed, "{name}");
        after::<tool::TextChange>(&format!("PostToolUse-{name}"))?;
    }
    Ok(())
}

#[test]
fn the_paths_of_every_recorded_call_are_known() -> Result<()> {
    let mut found = Vec::new();
    for entry in fs::read_dir(repository().join("tests/fixtures/payloads"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !name.starts_with("PreToolUse-") {
            continue;
        }
        let text = payload(name.trim_end_matches(".json"))?;
        let payload = Payload::parse(text.as_bytes())?;
        let call = <PreToolUse as FromInput<PreToolUse>>::from_input(&payload)?;
        let context = <Context as FromInput<PreToolUse>>::from_input(&payload)?;
        let paths = call.paths(&context)?;
        let input: serde_json::Map<String, Value> = serde_json::from_str(call.input.text())?;
        for (member, value) in &input {
            if member.to_lowercase().contains("path") {
                let value = context.absolute(value.as_str().unwrap_or_default());
                assert!(paths.iter().any(|path| path.absolute == value), "{name}: {member}");
                found.push(call.tool_name.clone());
            }
        }
    }
    found.sort_unstable();
    assert_eq!(found, ["Edit", "NotebookEdit", "Read", "Write"]);
    Ok(())
}

#[test]
fn a_context_is_what_every_event_has() -> Result<()> {
    for name in ["PreToolUse-Bash", "Stop", "SessionStart-startup", "Notification-idle_prompt"] {
        let text = payload(name)?;
        let payload = Payload::parse(text.as_bytes())?;
        let context = <Context as FromInput<hookkit::event::Stop>>::from_input(&payload)?;
        assert_eq!(context.session_id, "00000000-0000-4000-8000-000000000001", "{name}");
        // A test does not know where the session was started.
        assert_eq!(context.cwd.to_str(), Some("/home/user/project"), "{name}");
        assert_eq!(context.project_dir, context.cwd, "{name}");
    }
    Ok(())
}
