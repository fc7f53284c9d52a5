//! A web page that shows the rows of `--json` in a viewer. It is a single file that loads nothing.
//!
//! A row's content is JSON for the viewer's script, which adds it as text.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use clap::ValueEnum;
use hookkit_protocol::escape::{LineEnds, escape};
use hookkit_protocol::event::event;
use serde_json::{Value, json};

use crate::disk::page::PageFile;
use crate::history::replay::Kind;
use crate::terminal::{counted, inform, without_middle};

const VIEWER: &str = include_str!("page/viewer.html");
const STYLE: &str = include_str!("page/viewer.css");
const SCRIPT: &str = include_str!("page/viewer.js");

/// Maximum number of rows per kind, except for runs and answers.
const ROWS: usize = 200;
/// Maximum total size of the rows in bytes.
const BYTES: usize = 8 << 20;
/// Maximum number of columns for a reason or an input, and for any other text.
const LONG: usize = 300;
const SHORT: usize = 90;
/// Replacement for a text that is left out.
const REDACTED: &str = "(left out)";

/// Writes a command's page, after printing a note about its content, or about what a redacted page leaves out.
pub(crate) fn write(
    file: &PageFile,
    command: &str,
    rows: &[Value],
    is_redacted: bool,
    sessions: u64,
    [contents, left_out]: [&str; 2],
) -> Result<()> {
    let sessions = counted(sessions, "session");
    let what = if is_redacted {
        format!("names of hooks and tools, and times and ids of {sessions}; no {left_out}")
    } else {
        format!("{contents} of {sessions}; `--redact` leaves them out")
    };
    inform!("{}", file.note(&what));
    file.write(page(command, rows, is_redacted).as_bytes())
}

/// Returns a command's page, with as many rows as fit. The strongest runs and answers are kept and, among equally
/// strong ones, the newest.
#[cfg_attr(not(any(test, feature = "rig")), expect(unreachable_pub, reason = "tests of hookkit call it"))]
pub fn page(command: &str, rows: &[Value], is_redacted: bool) -> String {
    let is_single = |row: &Value| row["kind"] == "run" || row["kind"] == "answer";
    let mut sorted: Vec<&Value> = rows.iter().collect();
    sorted.sort_by_key(|row| {
        let strength = row["answer"].as_str().map(|kind| Kind::from_str(kind, false));
        (
            is_single(row),
            row["kind"] != "summary",
            strength.and_then(Result::ok),
            Reverse((row["total_milliseconds"].as_u64(), row["time"].as_str())),
        )
    });
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut commands = BTreeMap::new();
    let (mut lines, mut bytes) = (String::new(), 0);
    for row in sorted {
        let [kept, left_out] = counts.entry(row["kind"].as_str().unwrap_or_default()).or_default();
        let mut line = String::new();
        if is_single(row) || *kept < ROWS {
            line = in_script(&shown(row, is_redacted.then_some(&mut commands)));
            bytes += line.len();
        }
        if line.is_empty() || bytes > BYTES {
            *left_out += 1;
        } else {
            *kept += 1;
            lines.push('\n');
            lines.push_str(&line);
        }
    }
    let left_out: BTreeMap<_, _> = counts.iter().map(|(kind, [_, left_out])| (kind, left_out)).collect();
    let head = json!({"kind": "page", "command": command, "is_redacted": is_redacted, "left_out": left_out});
    VIEWER.replace("{{style}}", STYLE).replace("{{script}}", SCRIPT).replace("{{rows}}", &(in_script(&head) + &lines))
}

/// Returns a row for the page, with short texts and visible control characters. If `commands` is given, leaves out all
/// texts except times, ids and plain names, and numbers the commands.
fn shown<'r>(row: &'r Value, mut commands: Option<&mut BTreeMap<&'r str, usize>>) -> Value {
    let mut shown = json!({});
    for (member, value) in row.as_object().into_iter().flatten() {
        let text = |text: &str| {
            let is_long = matches!(&**member, "reason" | "why" | "text" | "other_text" | "about");
            let columns = if is_long { LONG } else { SHORT };
            json!(without_middle(&escape(text, LineEnds::Kept), columns))
        };
        shown[member] = match (value, commands.as_deref_mut()) {
            // The page has only their number.
            (Value::Array(list), _) if member == "unread" => list.len().into(),
            (Value::String(value), Some(commands)) => {
                redacted(member, value, commands).map_or(Value::Null, |kept| text(&kept))
            }
            (Value::String(value), None) => text(value),
            _ => value.clone(),
        };
    }
    shown
}

/// Returns the rest of a text after redaction. `None` if nothing is left.
fn redacted<'r>(member: &str, text: &'r str, commands: &mut BTreeMap<&'r str, usize>) -> Option<String> {
    let left_out = || Some(REDACTED.to_owned());
    match member {
        "kind" | "time" | "last" | "since" | "until" | "session" | "call" | "hook" | "outcome" | "answer"
        | "other_answer" | "against" | "if" | "sentence" => Some(text.to_owned()),
        "event" if event(text).is_none() => left_out(),
        "subject" | "matcher" | "tool" if !text.split('|').all(is_plain) => left_out(),
        "event" | "subject" | "matcher" | "tool" => Some(text.to_owned()),
        "name" => is_plain(text).then(|| text.to_owned()),
        "command" => {
            let next = commands.len() + 1;
            Some(format!("hook {}", commands.entry(text).or_insert(next)))
        }
        "reason" | "why" | "text" | "other_text" if text.is_empty() => Some(String::new()),
        "reason" | "why" | "text" | "other_text" => {
            let code = text.strip_prefix("exit code ").and_then(|rest| rest.split(':').next());
            let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()));
            code.map(|code| format!("exit code {code}")).or_else(left_out)
        }
        _ => None,
    }
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns JSON on one line that cannot end a `<script>`.
fn in_script(value: &Value) -> String {
    escape(&value.to_string(), LineEnds::Blank).replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use hmac_sha256::Hash;
    use test_support::lines::Row;

    use super::*;
    use crate::disk::page::MARKER;

    /// Returns the rows in a page, after its head.
    fn rows(page: &str) -> Vec<Value> {
        let (_, rest) = page.split_once("id=\"rows\">\n").expect("rows");
        let (rows, _) = rest.split_once("\n</script>").expect("an end");
        rows.lines().map(|row| serde_json::from_str(row).expect("a row")).collect()
    }

    #[test]
    fn the_policy_of_the_viewer_allows_its_own_style_and_script_alone() {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let of_three = |bytes: &[u8]| {
            let number = (0..3).fold(0, |number, at| number << 8 | usize::from(*bytes.get(at).unwrap_or(&0)));
            (0..4).map(move |at| char::from(DIGITS[number >> (18 - 6 * at) & 63]))
        };
        let base64 = |text: &str| {
            let digits: String = Hash::hash(text.as_bytes()).chunks(3).flat_map(of_three).collect();
            // 32 bytes are ten times three plus two.
            format!("{}=", &digits[..43])
        };
        let policy = format!(
            "content=\"default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; \
             require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'\"",
            base64(STYLE),
            base64(SCRIPT)
        );
        assert!(VIEWER.contains(&policy), "viewer.html must have the policy of today's style and script: {policy}");
        let page = page("stats", &[], false);
        assert!(page.starts_with(MARKER) && !page.contains("{{"));
        for loading in [" src=", " href=", "url(", "@import", "fetch(", "import(", "innerHTML"] {
            assert!(!page.contains(loading), "{loading}");
        }
    }

    #[test]
    fn text_ends_no_script_and_what_controls_text_is_visible() {
        let text = "</script><!-- {{script}} \0\x1b[2J\u{202e}\u{2028}é";
        let page = page("stats", &[json!({"kind": "denial", "reason": text, "event": "x".repeat(100)})], false);
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains(['\0', '\x1b', '\u{202e}', '\u{2028}']));
        let rows = rows(&page);
        assert_eq!(rows[1]["reason"], "</script><!-- {{script}} \\u0000\\u001b[2J\\u202e\\u2028é");
        assert_eq!(rows[1]["event"].as_str().map(|event| event.chars().count()), Some(SHORT));
    }

    #[test]
    fn the_slowest_hooks_the_strongest_answers_and_the_newest_runs_are_kept_and_the_others_counted() {
        let mut all: Vec<Value> =
            (0..ROWS + 1).map(|number| json!({"kind": "hook", "total_milliseconds": number})).collect();
        for (number, answer) in ["informed", "denied"].into_iter().cycle().take(30_000).enumerate() {
            let (time, text) = (format!("2026-11-25T04:00:00.{number:05}Z"), "é".repeat(LONG));
            all.push(json!({"kind": "answer", "answer": answer, "time": time, "text": text}));
        }
        all.push(json!({"kind": "summary"}));
        let page = page("backtest", &all, false);
        assert!((BYTES..BYTES + (1 << 20)).contains(&page.len()), "{}", page.len());
        let rows = rows(&page);
        assert_eq!((&rows[1]["kind"], &rows[2]["total_milliseconds"]), (&json!("summary"), &json!(ROWS)));
        assert_eq!(
            (&rows[201]["total_milliseconds"], &rows[202]["time"]),
            (&json!(1), &json!("2026-11-25T04:00:00.29999Z"))
        );
        assert!(rows[202..].iter().all(|row| row["answer"] == "denied"));
        let left_out = json!({"answer": 30_000 - (rows.len() - 202), "hook": 1, "summary": 0});
        assert_eq!(rows[0]["left_out"], left_out);
    }

    #[test]
    fn a_redacted_page_has_times_ids_and_plain_names_alone() {
        let row = |members: Value| {
            let mut row = json!({"kind": "run", "time": "2026", "session": "id", "runs": 3});
            crate::terminal::rows::extend(&mut row, members);
            row
        };
        let table = test_support::lines!("lines/redacted.txt");
        for Row { expected, line, .. } in &table.section("rows").rows {
            let [kept, given] = [&expected[0], line].map(|members| row(serde_json::from_str(members).unwrap()));
            let all = [json!({"command": "curl token"}), given];
            assert_eq!(rows(&page("stats", &all, true)).pop(), Some(kept), "{line}");
        }
    }
}
