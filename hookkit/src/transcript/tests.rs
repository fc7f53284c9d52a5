use std::env;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::{Context, Json, soak};

/// Returns a path that does not exist.
fn free_path() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("hookkit-transcript-{}-{count}", std::process::id()))
}

/// Opens a file with these bytes. The file exists until its last handle is closed.
pub(super) fn file_of(bytes: &[u8]) -> File {
    let path = free_path();
    fs::write(&path, bytes).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    fs::remove_file(path).unwrap();
    file
}

pub(super) fn transcript(text: impl AsRef<[u8]>) -> Transcript {
    let text = text.as_ref();
    let (file, path) = (file_of(text), PathBuf::from("session.jsonl"));
    Transcript { file: Some(Arc::new(Opened { file, path })), part: 0..text.len() as u64, last: None }
}

/// Collects all items from the front, and checks that iteration from the back and from both ends in turn gives the same
/// items.
pub(super) fn all<T: PartialEq + std::fmt::Debug, I: DoubleEndedIterator<Item = Result<T, Error>>>(
    make: impl Fn() -> I,
) -> Vec<T> {
    let items: Vec<T> = make().collect::<Result<_, _>>().unwrap();
    let mut backwards: Vec<T> = make().rev().collect::<Result<_, _>>().unwrap();
    backwards.reverse();
    assert_eq!(backwards, items);
    for seed in 0..4 {
        let (mut random, mut both) = (fastrand::Rng::with_seed(seed), make());
        let (mut front, mut back) = (Vec::new(), Vec::new());
        loop {
            let is_back = random.bool();
            let item = if is_back { both.next_back() } else { both.next() };
            let Some(item) = item else { break };
            if is_back { &mut back } else { &mut front }.push(item.unwrap());
        }
        front.extend(back.into_iter().rev());
        assert_eq!(front, items);
    }
    items
}

fn rows(text: impl AsRef<[u8]>) -> Vec<Row> {
    let transcript = transcript(text);
    all(|| transcript.rows())
}

/// Returns the id of each call and the text of its outcome.
pub(super) fn calls(transcript: &Transcript) -> Vec<(String, Option<String>)> {
    let calls = all(|| transcript.tool_calls());
    let text = |call: ToolCall| (call.id, call.outcome.map(|outcome| outcome.text()));
    calls.into_iter().map(text).collect()
}

/// Joins the rows into the text of a file.
pub(super) fn lines(rows: &[String]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

pub(super) fn user(content: &str) -> String {
    format!(r#"{{"isSidechain":false,"type":"user","message":{{"role":"user","content":{content}}},"uuid":"u"}}"#)
}

pub(super) fn result(call: &str, text: &str) -> String {
    user(&format!(r#"[{{"type":"tool_result","tool_use_id":"{call}","content":"{text}"}}]"#))
}

pub(super) fn reply(id: &str, blocks: &str) -> String {
    format!(
        r#"{{"isSidechain":false,"message":{{"id":"{id}","model":"m","role":"assistant","content":[{blocks}],"usage":{{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3}}}},"type":"assistant"}}"#
    )
}

pub(super) fn said(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

pub(super) fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"ls"}}}}"#)
}

/// Adds a member to a row.
fn with(row: &str, member: &str) -> String {
    format!("{{{member},{}", &row[1..])
}

fn of_subagent(row: &str) -> String {
    row.replace(r#""isSidechain":false"#, r#""isSidechain":true"#)
}

#[test]
fn a_missing_file_is_empty_and_other_errors_name_the_path() {
    for path in [Path::new(""), Path::new("/nowhere/session.jsonl"), &free_path()] {
        let transcript = Transcript::open(path).unwrap();
        assert_eq!(all(|| transcript.rows()), []);
        assert_eq!(all(|| transcript.tool_calls()), []);
        assert_eq!(transcript.last_assistant_text().unwrap(), None);
        assert_eq!(transcript.last_prompt().unwrap(), None);
        assert_eq!(transcript.usage().unwrap(), Usage::default());
        assert!(transcript.this_turn().unwrap().rows().next().is_none());
    }
    assert!(Context::default().transcript().unwrap().rows().next().is_none());

    let error = Transcript::open("/").unwrap_err().to_string();
    assert_eq!(error, "cannot read the transcript `/`: it is not a file, but a folder, a pipe or a device");
    // On Windows, a file below a file is missing.
    #[cfg(unix)]
    let error = Transcript::open("/dev/null/x").unwrap_err().to_string();
    #[cfg(unix)]
    let expected = "cannot read the transcript `/dev/null/x`: ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn an_error_is_the_last_item() {
    let transcript = transcript("{}\n{}\n");
    let opened = transcript.file.as_ref().unwrap();
    opened.file.set_len(2).unwrap();
    for mut rows in [transcript.rows(), transcript.rows()] {
        let error = rows.next_back().unwrap().unwrap_err().to_string();
        let expected = "cannot read the transcript `session.jsonl`: the file was truncated while it was read";
        assert_eq!(error, expected);
        assert!(rows.next_back().is_none() && rows.next().is_none());
    }
    assert!(transcript.last_assistant_text().is_err());
    assert!(transcript.tool_calls().next().unwrap().is_err());
}

#[test]
fn every_prefix_of_a_file_gives_a_prefix_of_its_rows() {
    let text = [
        r#"{"type":"summary","summary":"größer","leafUuid":"x"}"#,
        "\n\n  \r\n",
        &user(r#""a prompt""#),
        "\r\n",
        "broken {\n{\"type\":",
        "\n",
        r#"{"type":"mode","nested":{"a":["}"]}}  "#,
        "\n",
        &reply("1", &said("🦀 done")),
    ]
    .concat();
    let whole = rows(&text);
    assert_eq!(whole.len(), 6);
    for length in 0..text.len() {
        let part = rows(&text.as_bytes()[..length]);
        assert_eq!(part, whole[..part.len()], "{length}");
        // A row is complete as soon as its last brace is there.
        let ends = |text: &str| text.trim_end().ends_with('}') && !text.trim_end().ends_with("{\"type\":");
        if str::from_utf8(&text.as_bytes()[..length]).is_ok_and(ends) && length > 1 {
            assert!(!part.is_empty(), "{length}");
        }
    }
}

#[test]
fn random_files_are_the_same_from_both_ends() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in soak::rounds(10, 100) {
        let mut text = Vec::new();
        for index in 0..random.usize(..20) {
            let long = "x".repeat(random.usize(..3000));
            let row = match random.u8(..9) {
                0 => String::new(),
                1 => " \t".to_owned(),
                2 => "\0\0 not JSON".to_owned(),
                3 => format!(r#"{{"type":"file-history-snapshot","x":"{long}"}}"#),
                4 => user(&format!("\"{long}\"")),
                5 => result(&format!("c{}", random.usize(..=index)), &long),
                6 => reply(&index.to_string(), &said(&long)),
                _ => reply(&(index / 3).to_string(), &call(&format!("c{index}"))),
            };
            text.extend(row.into_bytes());
            text.extend(if random.bool() { &b"\n"[..] } else { b"\r\n" });
        }
        if random.bool() {
            text.truncate(random.usize(..=text.len()));
        }
        let transcript = transcript(&text);
        all(|| transcript.rows());
        all(|| transcript.rows().only(&["assistant"]));
    }
}

#[test]
fn a_broken_line_is_reported_and_the_others_are_read() {
    let rows = rows("{}\n{\"type\":\"user\"\n[]\n{}{}\n{} }\n{}\n");
    assert_eq!(rows.len(), 6);
    let faults = rows.iter().filter_map(|row| match row {
        Row::Broken(broken) => Some((broken.offset, broken.length, &*broken.text, &*broken.fault)),
        _ => None,
    });
    assert_eq!(
        faults.collect::<Vec<_>>(),
        [
            (3, 14, "{\"type\":\"user\"", "ends at byte 14 in the middle of a value"),
            (18, 2, "[]", "expected `{` at byte 0, found `[`"),
            (21, 4, "{}{}", "expected the end at byte 2, found `{`"),
            (26, 4, "{} }", "expected the end at byte 3, found `}`"),
        ]
    );
}

#[test]
fn invalid_utf_8_is_replaced() {
    let mut text = user("\"a ?\"").into_bytes();
    let at = text.iter().position(|byte| *byte == b'?').unwrap();
    text[at] = 0xff;
    let found = rows(&text);
    assert!(matches!(&found[..], [Row::User(user)] if user.message.text() == "a \u{fffd}"));
    text.extend(b"\n\xff\xfe\n");
    assert!(matches!(&rows(&text)[..], [Row::User(_), Row::Broken(broken)] if broken.text == "\u{fffd}\u{fffd}"));
}

#[test]
fn long_lines_are_read_and_lines_above_the_limit_skipped() {
    let from_both_ends = |transcript: &Transcript| {
        let rows: Vec<_> = transcript.rows().map(Result::unwrap).collect();
        let backwards = transcript.rows().rev().map(Result::unwrap);
        assert!(backwards.eq(rows.iter().rev().cloned()));
        rows
    };
    let text = "x".repeat(soak::size(1_000_000, 10_000_000));
    let long = [user("\"one\""), reply("1", &said(&text)), user("\"two\"")];
    let rows = from_both_ends(&transcript(lines(&long)));
    assert!(matches!(&rows[1], Row::Assistant(reply) if reply.message.text().len() == text.len()));
    assert_eq!(rows.len(), 3);

    // A sparse file, without a line feed in its hole.
    let mut file = file_of(b"{}\n");
    let end = LONGEST_LINE + 4;
    file.set_len(end).unwrap();
    file.seek(SeekFrom::Start(end)).unwrap();
    file.write_all(b"\n{}").unwrap();
    let path = PathBuf::new();
    let transcript = Transcript { file: Some(Arc::new(Opened { file, path })), part: 0..end + 3, last: None };
    let rows = from_both_ends(&transcript);
    let [Row::Other(_), Row::Broken(broken), Row::Other(_)] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((broken.offset, broken.length), (3, LONGEST_LINE + 1));
    assert_eq!((&*broken.fault, &*broken.text), ("is longer than 64 MiB", ""));
}

#[test]
fn a_field_of_another_type_is_empty_and_an_unknown_row_is_kept() {
    let odd = r#"{"type":"assistant","timestamp":5,"isSidechain":"no","cwd":null,"message":{"id":[],"content":[1,{"type":"text","text":{}},{"type":"new","x":1},{"type":"text","text":"ok"}],"usage":{"input_tokens":1.5,"output_tokens":2}}}"#;
    let [Row::Assistant(reply)] = &rows(odd)[..] else { panic!() };
    assert_eq!((reply.timestamp.as_str(), reply.is_sidechain), ("", false));
    assert_eq!((reply.message.id.as_deref(), &*reply.message.text()), (None, "\nok"));
    assert_eq!(reply.message.usage.output_tokens, 2);
    let json = |text: &str| Block::Other(Json::parse(text).unwrap());
    assert_eq!(reply.message.content[0], json("1"));
    assert_eq!(reply.message.content[2], json(r#"{"type":"new","x":1}"#));

    for text in [r#"{"type":"assistant","message":"text"}"#, r#"{"type":"user"}"#, r#"{"type":1}"#, "{}"] {
        assert_eq!(rows(text), [Row::Other(Json::parse(text).unwrap())]);
    }
}

#[test]
fn the_last_text_includes_all_rows_of_the_reply() {
    let last = |rows: &[String]| transcript(lines(rows)).last_assistant_text().unwrap();
    let first = reply("1", &said("first"));
    let rows = [
        first.clone(),
        reply("2", &said("one")),
        reply("2", &call("a")),
        result("a", "done"),
        reply("2", &format!("{},{}", said("two"), said("three"))),
    ];
    assert_eq!(last(&rows).as_deref(), Some("one\ntwo\nthree"));
    // Replies without text, and rows of other conversations, are skipped.
    let section = "the last text after the reply `first`";
    test_support::lines!("lines/transcript-rows.txt").check_section(section, |row| {
        let after = last(&[user("\"go\""), row.to_owned()]);
        let found = last(&[first.clone(), row.to_owned()]).unwrap();
        assert!(after.is_none() || after.as_ref() == Some(&found), "{row}");
        found
    });
    // Replies without ids are separate.
    let nameless = |text| reply("", &said(text)).replace(r#""id":"""#, r#""id":null"#);
    assert_eq!(last(&[nameless("a"), nameless("b")]).as_deref(), Some("b"));
}

#[test]
fn rows_count_in_a_subagents_own_file() {
    let rows = [user("\"do it\""), reply("1", &call("a")), result("a", "done"), reply("2", &said("It is done."))];
    let transcript = transcript(lines(&rows.map(|row| of_subagent(&row))));
    let last = transcript.last_assistant_text().unwrap();
    assert_eq!(last.as_deref(), Some("It is done."));
    assert_eq!(transcript.last_prompt().unwrap().as_deref(), Some("do it"));
    assert_eq!(calls(&transcript), [("a".to_owned(), Some("done".to_owned()))]);
    assert_eq!(transcript.usage().unwrap().output_tokens, 4);
}

#[test]
fn a_row_with_a_parent_call_is_a_sidechain() {
    let attachment = r#"{"type":"attachment","attachment":{"type":"hook_success"}}"#;
    for row in [&reply("1", &said("done")), &user("\"go\""), attachment] {
        let row = with(row, r#""parent_tool_use_id":"toolu_1""#);
        assert!(rows(&row)[0].is_sidechain(), "{row}");
    }
    assert!(!rows(attachment)[0].is_sidechain());
}

#[test]
fn last_prompt_is_what_the_user_typed_last() {
    let section = "the last prompt after the prompt `before`, and whether a turn begins";
    test_support::lines!("lines/transcript-rows.txt").check_section(section, |row| {
        let transcript = transcript(lines(&[user("\"before\""), row.to_owned()]));
        let starts = transcript.this_turn().unwrap().rows().count() == 1;
        let turn = if starts { "new turn" } else { "same turn" };
        format!("{}\t{turn}", transcript.last_prompt().unwrap().unwrap_or_default())
    });
}

#[test]
fn tool_calls_are_in_order_with_outcomes() {
    let is = |id: &str, outcome: Option<&str>| (id.to_owned(), outcome.map(str::to_owned));
    let rows = [
        result("older", "of a call that is not there"),
        user("\"first\""),
        reply("1", &format!("{},{}", call("a"), call("b"))),
        reply("1", &call("c")),
        result("c", "3"),
        result("a", "1"),
        result("b", "2"),
        of_subagent(&reply("x", &call("y"))),
        reply("2", &call("lost")),
        user("\"second\""),
        reply("3", &call("d")),
        result("d", "4"),
        reply("3", &call("running")),
    ];
    let transcript = transcript(lines(&rows));
    let turn = [is("d", Some("4")), is("running", None)];
    let session = [is("a", Some("1")), is("b", Some("2")), is("c", Some("3")), is("lost", None)];
    assert_eq!(calls(&transcript), [&session[..], &turn].concat());
    let this_turn = transcript.this_turn().unwrap();
    assert_eq!(calls(&this_turn), turn);
    assert_eq!(this_turn.last_prompt().unwrap().as_deref(), Some("second"));
    assert_eq!(this_turn.this_turn().unwrap().rows().count(), this_turn.rows().count());
}

#[test]
fn the_first_result_before_the_next_reply_is_the_outcome() {
    let outcomes = |rows: &[String]| {
        let calls = calls(&transcript(lines(rows))).into_iter();
        calls.map(|(_, outcome)| outcome.unwrap_or_default()).collect::<Vec<_>>()
    };
    let (x, y) = (call("x"), call("y"));
    let both = format!("{x},{y}");
    let one = |id: &str| result(id, &format!("of {id}"));
    let late = [reply("1", &x), reply("2", &y), one("x"), one("y")];
    assert_eq!(outcomes(&late), ["", "of y"]);
    let same = [reply("1", &x), reply("1", &y), one("x"), one("y")];
    assert_eq!(outcomes(&same), ["of x", "of y"]);
    let again = |id| result(id, "again");
    let twice = [reply("1", &both), one("y"), again("y"), one("x"), again("x")];
    assert_eq!(outcomes(&twice), ["of x", "of y"]);
    let early = [one("x"), reply("1", &x)];
    assert_eq!(outcomes(&early), [""]);
}

/// The API does not repeat an id, but an edited file may.
#[test]
fn the_last_call_with_an_id_has_the_first_result() {
    let (reply, first, again) = (reply("1", &call("x")), result("x", "of x"), result("x", "again"));
    for (rows, expected) in [
        ([&reply, &reply, &first, &again], [Some("again"), Some("of x")]),
        ([&reply, &first, &reply, &again], [Some("of x"), Some("again")]),
        ([&reply, &first, &again, &reply], [Some("of x"), None]),
    ] {
        let calls = calls(&transcript(lines(&rows.map(String::clone))));
        let outcomes: Vec<Option<&str>> = calls.iter().map(|(_, outcome)| outcome.as_deref()).collect();
        assert_eq!(outcomes, expected);
    }
}

/// The order of the rows does not matter. `calls` compares both directions.
#[test]
fn outcomes_are_the_same_from_both_ends() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut met = 0;
    for round in soak::rounds(300, 3_000) {
        let mut next = 0;
        // In half of the rounds an id may occur twice.
        let ids = if round % 2 == 0 { usize::MAX } else { 3 };
        let rows: Vec<String> = (0..random.usize(1..10))
            .map(|row| {
                let id = random.usize(..=next) % ids;
                if random.bool() {
                    return result(&id.to_string(), &format!("in row {row}"));
                }
                let blocks: Vec<String> =
                    (0..random.usize(..3)).map(|at| call(&((next + at) % ids).to_string())).collect();
                next += blocks.len();
                reply(&random.usize(..3).to_string(), &blocks.join(","))
            })
            .collect();
        let calls = calls(&transcript(lines(&rows)));
        met += calls.iter().filter(|(_, outcome)| outcome.is_some()).count();
    }
    assert!(met > soak::size(50, 500), "{met}");
}

#[test]
fn usage_saturates() {
    let row = reply("1", "").replace("\"input_tokens\":1", &format!("\"input_tokens\":{}", u64::MAX));
    let rows = [row.clone(), row.replace("\"id\":\"1\"", "\"id\":\"2\"")];
    let usage = transcript(lines(&rows)).usage().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (u64::MAX, 4));
    assert_eq!(usage.request_tokens(), u64::MAX);
}

#[test]
fn a_response_belongs_to_a_single_result() {
    let member = r#""toolUseResult":{"stdout":"hi"}"#;
    let two = r#"[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b","is_error":true}]"#;
    let outcomes = |row: String| {
        let transcript = transcript(lines(&[reply("1", &format!("{},{}", call("a"), call("b"))), row]));
        let calls = all(|| transcript.tool_calls());
        let found = |outcome: Outcome| (outcome.is_error, outcome.response.is_some());
        calls.into_iter().map(move |call| call.outcome.map(found))
    };
    let of_one = outcomes(with(&result("a", "hi"), member));
    assert_eq!(of_one.collect::<Vec<_>>(), [Some((false, true)), None]);
    let of_two = outcomes(with(&user(two), member));
    assert_eq!(of_two.collect::<Vec<_>>(), [Some((false, false)), Some((true, false))]);
}

#[test]
fn usage_is_also_known_for_each_model() {
    let of = |model: &str, row: &str| row.replace(r#""model":"m""#, &format!(r#""model":"{model}""#));
    let hour = r#""cache_creation":{"ephemeral_1h_input_tokens":5,"ephemeral_5m_input_tokens":6},"input_tokens""#;
    let rows = [
        of("a", &reply("1", &said("one"))),
        of("b", &reply("2", &said("two"))),
        of("b", &reply("2", &call("c"))),
        of("<synthetic>", &reply("3", &said("API Error"))).replace("tokens\":", "none\":"),
        of("a", &reply("4", &said("three"))).replace("\"input_tokens\"", hour),
    ];
    let transcript = transcript(lines(&rows));
    let models = transcript.usage_by_model().unwrap();
    let counts = |usage: &Usage| (usage.output_tokens, usage.cache_creation.ephemeral_1h_input_tokens);
    let models: Vec<_> = models.iter().map(|(model, usage)| (&**model, counts(usage))).collect();
    assert_eq!(models, [("a", (4, 5)), ("b", (2, 0))]);
    assert_eq!(counts(&transcript.usage().unwrap()), (6, 5));
}

#[test]
fn usage_counts_a_reply_once() {
    let rows = [
        reply("1", &said("a")),
        reply("1", &call("b")),
        reply("2", &said("c")),
        reply("2", &said("d")),
        of_subagent(&reply("3", &said("e"))),
    ];
    let usage = transcript(lines(&rows)).usage().unwrap();
    let tokens = (usage.input_tokens, usage.output_tokens, usage.request_tokens());
    assert_eq!(tokens, (2, 4, 8));
}

#[test]
fn a_tool_call_survives_serialization() {
    let content = r#"[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64"}},{"type":"new"},{"type":"thinking","thinking":"hm"}]"#;
    let of_call = with(&result("a", "").replace("\"\"", content), r#""toolUseResult":"Error""#);
    let transcript = transcript(lines(&[reply("1", &call("a")), of_call]));
    let call = transcript.tool_calls().next().unwrap().unwrap();
    let text = serde_json::to_string(&call).unwrap();
    assert!(text.contains(content) && text.contains(r#""response":"Error""#), "{text}");
    assert_eq!(Json::parse(text).unwrap().decode::<ToolCall>().unwrap(), call);
}

#[test]
fn a_row_is_decoded_from_json_too() {
    let row: Row = Json::parse(user("\"go\"")).unwrap().decode().unwrap();
    assert!(matches!(row, Row::User(user) if user.is_prompt()));
    assert!(Json::parse("1").unwrap().decode::<Row>().is_err());
}
