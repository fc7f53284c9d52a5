//! A transcript is the same from both ends, has no errors, and is read as by serde_json.

#![no_main]

use std::fmt::Debug;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use hookkit::Error;
use hookkit::transcript::{Assistant, Block, Row, ToolCall, Transcript, Usage};
use hookkit_fuzz::{Choices, for_serde_json};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The temporary file of this process.
static PATH: LazyLock<PathBuf> = LazyLock::new(|| {
    let file = tempfile::Builder::new().prefix("hookkit-fuzz-").tempfile();
    let kept = file.map(|file| file.into_temp_path().keep());
    match kept {
        Ok(Ok(path)) => path,
        _ => panic!("cannot create a temporary file"),
    }
});

fuzz_target!(|text: &[u8]| {
    let written = File::create(&*PATH).and_then(|mut file| file.write_all(text));
    written.unwrap_or_else(|err| panic!("{err}"));
    let transcript = ok(Transcript::open(&*PATH));
    let rows = all(text, || transcript.rows());
    reads_as_serde_json(text, &rows);
    // The client's names have no escapes, so the reader does not decode them in names.
    if rows
        .iter()
        .any(|row| matches!(row, Row::Other(json) if json.text().contains("\\u")))
    {
        return;
    }

    for types in [&["user"][..], &["assistant", "system"], &["result", "x"]] {
        let some = all(text, || transcript.rows().only(types));
        let expected: Vec<&Row> = rows.iter().filter(|row| types.contains(&kind(row).as_str())).collect();
        assert_eq!(some.iter().collect::<Vec<_>>(), expected);
    }

    let calls = all(text, || transcript.tool_calls());
    let own = own(&rows);
    let ids = |calls: &[ToolCall]| {
        calls
            .iter()
            .map(|call| (call.id.clone(), call.name.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&calls), calls_in(&own));
    assert_eq!(ok(transcript.last_prompt()).is_some(), has_prompt(&transcript, &own));
    assert_eq!(ok(transcript.usage()), usage(&own));
    assert_eq!(ok(transcript.last_assistant_text()), last_text(&own));

    let turn = ok(transcript.this_turn());
    let rows_of_turn = all(text, || turn.rows());
    assert!(rows.ends_with(&rows_of_turn));
    let starts = |row: &&Row| matches!(row, Row::User(user) if user.starts_turn());
    match own.iter().rev().find(|row| starts(row)) {
        Some(start) => assert_eq!(rows_of_turn.first(), Some(*start)),
        None => assert_eq!(rows_of_turn, rows),
    }
    let _ = all(text, || turn.tool_calls());
});

fn ok<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|err| panic!("{err}"))
}

/// Returns all items from the front, and checks that reading from the back, or from both ends, returns the same.
fn all<T: PartialEq + Debug, I: DoubleEndedIterator<Item = Result<T, Error>>>(
    text: &[u8],
    make: impl Fn() -> I,
) -> Vec<T> {
    let items: Vec<T> = make().map(ok).collect();
    let mut backwards: Vec<T> = make().rev().map(ok).collect();
    backwards.reverse();
    assert_eq!(backwards, items);
    let (mut choices, mut both) = (Choices::of(text), make());
    let (mut front, mut back) = (Vec::new(), Vec::new());
    loop {
        let is_back = choices.below(2) == 0;
        let item = if is_back { both.next_back() } else { both.next() };
        let Some(item) = item else { break };
        if is_back { &mut back } else { &mut front }.push(ok(item));
    }
    front.extend(back.into_iter().rev());
    assert_eq!(front, items);
    items
}

/// Returns the `type` of a row.
fn kind(row: &Row) -> String {
    match row {
        Row::User(_) => "user".to_owned(),
        Row::Assistant(_) => "assistant".to_owned(),
        Row::System(_) => "system".to_owned(),
        Row::Attachment(_) => "attachment".to_owned(),
        Row::Summary(_) => "summary".to_owned(),
        Row::Result(_) => "result".to_owned(),
        // A row whose shape does not fit its type is kept whole.
        Row::Other(json) => kind_of_other(json.text()),
        _ => String::new(),
    }
}

/// Returns the `type` of a row of an unknown type; escapes are not decoded.
fn kind_of_other(text: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Typed {
        r#type: Option<hookkit::Json>,
    }
    // The reader is less strict than a parser.
    let typed = hookkit::fuzzing::value::<Typed>(text.as_bytes());
    let kind = typed.ok().and_then(|typed| typed.r#type);
    let string = kind
        .as_ref()
        .and_then(|json| json.text().strip_prefix('"')?.strip_suffix('"'));
    string.unwrap_or_default().to_owned()
}

/// Returns the rows of the transcript's own conversation; a subagent's transcript begins with a sidechain row.
fn own(rows: &[Row]) -> Vec<&Row> {
    let of_conversation = |row: &&Row| matches!(kind(row).as_str(), "user" | "assistant" | "system" | "attachment");
    let is_subagent_s = rows.iter().find(of_conversation).is_some_and(Row::is_sidechain);
    rows.iter().filter(|row| is_subagent_s || !row.is_sidechain()).collect()
}

fn replies<'r>(rows: &[&'r Row]) -> Vec<&'r Assistant> {
    let reply = |row: &&'r Row| match row {
        Row::Assistant(reply) => Some(reply),
        _ => None,
    };
    rows.iter().filter_map(reply).collect()
}

fn calls_in(rows: &[&Row]) -> Vec<(String, String)> {
    let blocks = replies(rows).into_iter().flat_map(|reply| &reply.message.content);
    let calls = blocks.filter_map(|block| match block {
        Block::ToolUse { id, name, .. } => Some((id.clone(), name.clone())),
        _ => None,
    });
    calls.collect()
}

/// Returns `true` if there is a prompt; the check does not cover queued prompts.
fn has_prompt(transcript: &Transcript, rows: &[&Row]) -> bool {
    let is_queued = |row: &&Row| matches!(row, Row::Attachment(attachment) if attachment.kind() == "queued_command");
    if rows.iter().any(is_queued) {
        return ok(transcript.last_prompt()).is_some();
    }
    rows.iter()
        .any(|row| matches!(row, Row::User(user) if user.is_prompt()))
}

/// Returns the tokens of each reply's last row; the rows of a reply share an id.
fn usage(rows: &[&Row]) -> Usage {
    let mut total = Usage::default();
    let replies = replies(rows);
    for (at, reply) in replies.iter().enumerate() {
        let id = &reply.message.id;
        let is_continued = replies
            .get(at + 1)
            .is_some_and(|next| id.is_some() && next.message.id == *id);
        if !is_continued {
            total += reply.message.usage;
        }
    }
    total
}

fn last_text(rows: &[&Row]) -> Option<String> {
    let replies = replies(rows);
    let spoken = replies.iter().filter(|reply| !reply.is_synthetic());
    let texts: Vec<(&Option<String>, String)> = spoken.map(|reply| (&reply.message.id, reply.message.text())).collect();
    let last = texts.iter().rposition(|(_, text)| !text.trim_ascii().is_empty())?;
    let id = texts[last].0;
    // The rows of one reply are consecutive.
    let first = texts[..last]
        .iter()
        .rposition(|(other, _)| id.is_none() || *other != id);
    let of_it = &texts[first.map_or(0, |first| first + 1)..=last];
    let of_it = of_it
        .iter()
        .map(|(_, text)| text.as_str())
        .filter(|text| !text.trim_ascii().is_empty());
    Some(of_it.collect::<Vec<_>>().join("\n"))
}

/// Checks that each line that is an object for serde_json is a row of its `type`, with the same texts.
fn reads_as_serde_json(text: &[u8], rows: &[Row]) {
    let mut rows = rows.iter();
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_ended = line.ends_with(b"\n");
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        if bare.trim_ascii().is_empty() {
            continue;
        }
        let (plain, repeats_a_key) = for_serde_json(bare);
        let theirs = serde_json::from_slice::<Value>(&plain);
        let Ok(theirs @ Value::Object(_)) = theirs else {
            // The reader is less strict; an incomplete last line is not a row.
            if is_ended {
                assert!(rows.next().is_some());
                continue;
            }
            return;
        };
        let row = rows.next().unwrap_or_else(|| panic!("no row for {theirs}"));
        // The client's names, and its types, have no escapes.
        if repeats_a_key || bare.contains(&b'\\') || hookkit_fuzz::depth(&theirs) > 120 {
            continue;
        }
        assert!(!matches!(row, Row::Broken(_)), "{row:?}");
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        assert_eq!(kind(row), kind_of_value(&theirs), "{row:?}");
        match row {
            Row::User(user) => {
                assert_eq!(user.uuid, word(&theirs["uuid"]));
                assert_eq!(user.is_meta, theirs["isMeta"] == true);
                assert_eq!(user.message.role, word(&theirs["message"]["role"]));
                if let Value::String(text) = &theirs["message"]["content"] {
                    assert_eq!(user.message.text(), *text);
                }
            }
            Row::Assistant(reply) => {
                let message = &theirs["message"];
                assert_eq!(reply.message.id.as_deref(), message["id"].as_str());
                assert_eq!(
                    reply.message.usage.input_tokens,
                    message["usage"]["input_tokens"].as_u64().unwrap_or(0)
                );
                if let Value::Array(blocks) = &message["content"] {
                    assert_eq!(reply.message.content.len(), blocks.len());
                    for (ours, theirs) in reply.message.content.iter().zip(blocks) {
                        assert_eq!(matches!(ours, Block::ToolUse { .. }), theirs["type"] == "tool_use");
                        if let Block::ToolUse { id, name, .. } = ours {
                            assert_eq!((id, name), (&word(&theirs["id"]), &word(&theirs["name"])));
                        }
                    }
                }
            }
            Row::System(system) => assert_eq!(system.subtype, word(&theirs["subtype"])),
            Row::Summary(summary) => assert_eq!(summary.summary, word(&theirs["summary"])),
            Row::Other(json) => assert_eq!(ok(hookkit::fuzzing::value::<Value>(json.text().as_bytes())), theirs),
            _ => {}
        }
    }
    assert!(rows.next().is_none());
}

/// Returns the `type` of a row, as [`kind`] does.
fn kind_of_value(row: &Value) -> String {
    row["type"].as_str().unwrap_or_default().to_owned()
}
