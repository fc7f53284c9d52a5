//! Benchmarks of the parts of a hook's work, compared with serde_json. `cargo bench -p hookkit`
//!
//! For a whole process, see the budgets in the tests.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use hookkit::prelude::*;
use hookkit::{Hook, Json, Payload, respond};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

const SIZES: [usize; 3] = [2_000, 20_000, 1_000_000];

/// Returns a payload of about this size: a write of a Rust file.
fn write(size: usize) -> String {
    let content = "    let path = \"C:\\src\\größe.rs\"; // a line like many\n".repeat(size / 120);
    let common = concat!(
        r#""session_id":"00000000-0000-4000-8000-000000000001","#,
        r#""transcript_path":"/home/user/.claude/projects/-home-user-project/session.jsonl","#,
        r#""cwd":"/home/user/project","permission_mode":"default","#,
        r#""hook_event_name":"PostToolUse","tool_name":"Write""#,
    );
    let input = json!({"file_path": "/home/user/project/src/main.rs", "content": content});
    let response = json!({"type": "create", "filePath": "/home/user/project/src/main.rs", "content": content});
    format!("{{{common},\"tool_input\":{input},\"tool_response\":{response},\"tool_use_id\":\"toolu_01\"}}")
}

fn on_write<R>(bencher: Bencher<'_, '_>, size: usize, work: impl Fn(&str) -> R + Sync) {
    let text = write(size);
    let counter = BytesCount::of_str(&text);
    bencher.counter(counter).bench(|| work(black_box(&text)));
}

/// Reminds the model to run the tests.
#[hook(PostToolUse, matcher = "Edit|Write")]
pub fn path_only(call: PostToolUse<tool::FileChange>) -> Option<PostToolUseAnswer> {
    let is_rust = call.input.file_path.extension().is_some_and(|extension| extension == "rs");
    is_rust.then(|| PostToolUseAnswer::pass().with_context("remember to run the tests"))
}

/// Searches the written text.
#[hook(PostToolUse, matcher = "Write")]
pub fn whole_content(call: PostToolUse<tool::Write>) -> Option<PostToolUseAnswer> {
    let is_found = call.input.content.contains("never to be found");
    is_found.then(|| PostToolUseAnswer::block("found"))
}

/// Never matches.
#[hook(PostToolUse, matcher = "Bash")]
pub fn never_meant(call: PostToolUse) -> PostToolUseAnswer {
    PostToolUseAnswer::block(call.tool_name)
}

#[divan::bench(args = SIZES)]
fn scan(bencher: Bencher<'_, '_>, size: usize) {
    on_write(bencher, size, |text| Payload::parse(text.as_bytes()).is_ok());
}

#[divan::bench(args = SIZES)]
fn serde_json_value(bencher: Bencher<'_, '_>, size: usize) {
    on_write(bencher, size, |text| serde_json::from_str::<Value>(text).is_ok());
}

macro_rules! hooks {
    ($($hook:ident)*) => {
        mod scan_and_respond {
            use super::*;

            $(
                #[divan::bench(args = SIZES)]
                fn $hook(bencher: Bencher<'_, '_>, size: usize) {
                    on_write(bencher, size, |text| {
                        Payload::parse(text.as_bytes()).map(|payload| respond(super::$hook::DEF, &payload))
                    });
                }
            )*
        }
    };
}

hooks! { path_only whole_content never_meant }

/// A custom type, decoded on request.
mod own_value {
    use super::*;

    const INPUT: &str = r#"{"title":"a bug","labels":["one","two"],"body":"It does\nnot work.","number":12}"#;

    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "it is only decoded")]
    struct Issue {
        title: String,
        labels: Vec<String>,
        body: String,
        number: u64,
    }

    #[divan::bench]
    fn decode(bencher: Bencher<'_, '_>) {
        let input = Json::parse(INPUT);
        bencher.bench(|| input.as_ref().is_ok_and(|input| black_box(input).decode::<Issue>().is_ok()));
    }

    #[divan::bench]
    fn decode_by_serde_json() -> bool {
        serde_json::from_str::<Issue>(black_box(INPUT)).is_ok()
    }
}

/// A transcript of 10 MB, and serde_json's values of its lines.
mod transcript {
    use std::io::{BufRead, BufReader};
    use std::path::PathBuf;
    use std::sync::LazyLock;
    use std::{env, fs, io};

    use hookkit::transcript::Transcript;

    use super::*;

    const SIZE: usize = 10_000_000;

    /// A file that is written once and stays in the system's temporary folder.
    static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
        let common = r#""isSidechain":false,"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/home/user/project","sessionId":"00000000-0000-4000-8000-000000000002","version":"2.1.330","gitBranch":"main""#;
        let output = "    let path = \"C:\\src\\größe.rs\"; // a line like many\n".repeat(60);
        let usage = json!({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 20_000});
        let mut text = String::new();
        for turn in 0.. {
            let id = format!("toolu_{turn}");
            let call = json!({"id": format!("msg_{turn}"), "model": "claude", "role": "assistant", "usage": usage, "content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "cat src/size.rs", "description": "Look"}},
            ]});
            let result =
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]});
            let reply = json!({"id": format!("msg_{turn}b"), "model": "claude", "role": "assistant", "usage": usage, "content": [
                {"type": "text", "text": "It is as it was."},
            ]});
            let rows = [
                format!(r#"{{{common},"type":"user","message":{{"role":"user","content":"look again"}}}}"#),
                format!(r#"{{{common},"message":{call},"type":"assistant"}}"#),
                format!(
                    r#"{{{common},"type":"user","message":{result},"toolUseResult":{{"stdout":{}}}}}"#,
                    json!(output)
                ),
                format!(r#"{{{common},"message":{reply},"type":"assistant"}}"#),
            ];
            text += &(rows.join("\n") + "\n");
            if text.len() > SIZE {
                break;
            }
        }
        let path = env::temp_dir().join("hookkit-bench-transcript.jsonl");
        fs::write(&path, text).expect("the temporary folder is writable");
        path
    });

    fn on_all<R>(bencher: Bencher<'_, '_>, work: impl Fn() -> R + Sync) {
        let size = fs::metadata(&*PATH).map_or(0, |metadata| metadata.len());
        bencher.counter(BytesCount::new(size)).bench(work);
    }

    fn open() -> Result<Transcript, Error> {
        Transcript::open(&*PATH)
    }

    #[divan::bench]
    fn rows(bencher: Bencher<'_, '_>) {
        on_all(bencher, || open().map(|transcript| transcript.rows().count()));
    }

    #[divan::bench]
    fn rows_backwards(bencher: Bencher<'_, '_>) {
        on_all(bencher, || open().map(|transcript| transcript.rows().rev().count()));
    }

    #[divan::bench]
    fn rows_not_looked_at(bencher: Bencher<'_, '_>) {
        on_all(bencher, || open().map(|transcript| transcript.rows().only(&["summary"]).count()));
    }

    #[divan::bench]
    fn tool_calls(bencher: Bencher<'_, '_>) {
        on_all(bencher, || open().map(|transcript| transcript.tool_calls().count()));
    }

    #[divan::bench]
    fn serde_json_values(bencher: Bencher<'_, '_>) {
        on_all(bencher, || -> io::Result<usize> {
            let lines = BufReader::new(fs::File::open(&*PATH)?).lines();
            Ok(lines.map_while(Result::ok).filter(|line| serde_json::from_str::<Value>(line).is_ok()).count())
        });
    }

    #[divan::bench]
    fn last_assistant_text() -> Result<Option<String>, Error> {
        open()?.last_assistant_text()
    }

    #[divan::bench]
    fn calls_of_this_turn() -> Result<usize, Error> {
        Ok(open()?.this_turn()?.tool_calls().count())
    }
}
