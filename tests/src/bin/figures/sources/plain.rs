//! The hook `path_only`, handwritten.

use std::io::{self, Read};
use std::path::PathBuf;

use serde::Deserialize;

#[derive(Deserialize)]
struct Payload {
    hook_event_name: String,
    tool_name: String,
    tool_input: ToolInput,
}

#[derive(Deserialize)]
struct ToolInput {
    file_path: PathBuf,
}

fn main() -> io::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let payload: Payload = serde_json::from_slice(&bytes)?;
    let is_meant = matches!(payload.tool_name.as_str(), "Edit" | "Write");
    if is_meant
        && payload
            .tool_input
            .file_path
            .extension()
            .is_some_and(|extension| extension == "rs")
    {
        let answer = serde_json::json!({
            "hookSpecificOutput": {
                "hookEventName": payload.hook_event_name,
                "additionalContext": "remember to run the tests",
            },
        });
        println!("{answer}");
    }
    Ok(())
}
