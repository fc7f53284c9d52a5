//! Payloads as the client sends them, of about the requested size: on one line, members in the client's order.

use serde_json::Value;

const FILE: &str = r#""/home/user/project/src/engine.rs""#;

/// Returns an edit. The file's old text makes up its size.
pub(crate) fn edit(size: usize) -> Vec<u8> {
    const OLD: &str =
        "    let value = match self.next() {\n        Some(value) => value,\n        None => return Ok(\"\"),";
    const NEW: &str = "    // Edited — on purpose.\n    let Some(value) = self.next() else {\n        return Ok(\"\");";
    let of = |text: String| {
        let (old, new, original) = (Value::from(OLD), Value::from(NEW), Value::from(text));
        let removed = OLD.lines().map(|line| format!("-{line}"));
        let lines: Value = removed.chain(NEW.lines().map(|line| format!("+{line}"))).collect();
        let patch = format!(r#"[{{"oldStart":41,"oldLines":3,"newStart":41,"newLines":3,"lines":{lines}}}]"#);
        payload(
            "Edit",
            &format!(r#""file_path":{FILE},"old_string":{old},"new_string":{new},"replace_all":false"#),
            &format!(
                "\"filePath\":{FILE},\"oldString\":{old},\"newString\":{new},\"originalFile\":{original},\
                 \"structuredPatch\":{patch},\"userModified\":false,\"replaceAll\":false"
            ),
        )
    };
    let around = of(String::new()).len();
    of(code(size.saturating_sub(around)))
}

/// Returns a write of a new file, whose content is in the input and again in the response.
pub(crate) fn write(size: usize) -> Vec<u8> {
    let of = |text: String| {
        let content = Value::from(text).to_string();
        payload(
            "Write",
            &format!(r#""file_path":{FILE},"content":{content}"#),
            &format!(
                r#""type":"create","filePath":{FILE},"content":{content},"structuredPatch":[],"originalFile":null"#
            ),
        )
    };
    let around = of(String::new()).len();
    of(code(size.saturating_sub(around) / 2))
}

fn payload(tool: &str, input: &str, response: &str) -> Vec<u8> {
    let common = concat!(
        r#""session_id":"00000000-0000-4000-8000-000000000001","#,
        r#""transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","#,
        r#""cwd":"/home/user/project","permission_mode":"acceptEdits","hook_event_name":"PostToolUse""#,
    );
    let payload = format!(
        "{{{common},\"tool_name\":\"{tool}\",\"tool_input\":{{{input}}},\"tool_response\":{{{response}}},\
         \"tool_use_id\":\"toolu_mock_003_0\"}}\n"
    );
    payload.into_bytes()
}

/// Returns code that takes this many bytes in JSON, the same in every run. No processor learns the order of its lines.
fn code(size: usize) -> String {
    let lines: Vec<&str> = include_str!("sources/lines.txt").lines().collect();
    let (mut text, mut encoded) = (String::new(), 0);
    let mut random = fastrand::Rng::with_seed(1);
    while encoded < size {
        let line = lines[random.usize(..lines.len())];
        encoded += line.len() + line.matches(['"', '\\', '\t']).count() + r"\n".len();
        text += line;
        text.push('\n');
    }
    text
}
