//! Custom types for tool inputs.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::pedantic)]

use hookkit::event::PreToolUse;
use hookkit::{Json, Payload, ToolInput, hook, tool};

/// All tools of a server that comes with a plugin.
#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "my server", plugin = "play.wright")]
pub struct OfPlugin {}

/// One tool of a server.
#[derive(Debug, PartialEq, serde::Deserialize, ToolInput)]
#[tool(server = "github", name = "create_issue", response = tool::NotDecoded)]
pub struct CreateIssue {
    title: String,
}

/// Members that several tools have in common.
#[derive(serde::Deserialize, ToolInput)]
#[tool("Bash|Task")]
pub struct Described {
    /// Description by the model.
    pub description: Option<String>,
}

/// Tools whose names in the client differ from ours.
#[derive(serde::Deserialize, ToolInput)]
#[tool(unchecked("Edit.*"))]
pub struct Edits {}

/// Different inputs.
#[derive(ToolInput)]
pub enum Change {
    /// A file.
    Edit(tool::Edit),
    /// An agent's work, or a command.
    Described(Described),
    /// An issue.
    Issue(CreateIssue),
}

/// Different inputs, and all others.
#[derive(ToolInput)]
pub enum Any {
    /// A file.
    Edit(tool::Edit),
    /// Anything.
    Other(Json),
}

/// Only observes.
#[hook(PreToolUse)]
pub fn look_on(call: PreToolUse<Change>) {
    let _ = call;
}

fn decoded<T: ToolInput>(tool_name: &str, input: &str) -> Result<T, hookkit::Error> {
    use hookkit::FromInput;
    let text = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool_name}","tool_input":{input}}}"#);
    Ok(<PreToolUse<T> as FromInput<PreToolUse>>::from_input(&Payload::parse(text.as_bytes())?)?.input)
}

#[test]
fn a_set_is_decoded_by_the_tool() {
    use hookkit::Hook;
    assert_eq!(OfPlugin::MATCHER, Some("mcp__plugin_play_wright_my_server__.*"));
    assert_eq!(CreateIssue::MATCHER, Some("mcp__github__create_issue"));
    assert_eq!(Edits::MATCHER, Some("Edit.*"));
    assert_eq!(Change::MATCHER, Some("Edit|Bash|Task|mcp__github__create_issue"));
    assert_eq!(look_on::DEF.entries[0].matcher, Change::MATCHER);
    assert_eq!(Any::MATCHER, None);

    let edit = r#"{"file_path":"/a","old_string":"b","new_string":"c"}"#;
    assert!(matches!(decoded("Edit", edit), Ok(Change::Edit(edit)) if edit.new_string == "c"));
    // The client's new name of `Task`.
    let agent = decoded("Agent", r#"{"description":"d"}"#);
    assert!(matches!(agent, Ok(Change::Described(it)) if it.description.as_deref() == Some("d")));
    let issue = decoded("mcp__github__create_issue", r#"{"title":"t"}"#);
    assert!(matches!(issue, Ok(Change::Issue(issue)) if issue == CreateIssue { title: "t".to_owned() }));
    let Err(err) = decoded::<Change>("Write", "{}") else { panic!("there is no variant for it") };
    let expected = "the payload is invalid: `tool_input`: the enum has no variant for `Write`";
    assert_eq!(err.to_string(), expected);
    assert!(matches!(decoded("Write", "[1]"), Ok(Any::Other(json)) if json.text() == "[1]"));
    assert!(matches!(decoded("Edit", edit), Ok(Any::Edit(_))));
}
