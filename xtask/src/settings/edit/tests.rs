use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::settings::check::{Loss, findings, listed};
use crate::settings::document::Position;
use crate::settings::edit::{Edited, Inserted, Made, ensure_editable, insert};
use crate::settings::entries::{Entry, GROUP_KEYS, Group, HANDLER_KEYS, Handler, has, is_current};
use crate::settings::undo::remove;

mod generated;

const OURS: &str = "${CLAUDE_PROJECT_DIR}/.claude/hookkit/here/bin/";

fn entry(event: &str, matcher: Option<&str>, name: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        handler: Handler::new(format!("{OURS}{name}")),
    }
}

fn entries() -> Vec<Entry> {
    vec![
        entry("PreToolUse", Some("Read|Edit"), "guard"),
        entry("Stop", None, "gate"),
        entry("PreToolUse", Some("Bash"), "shell"),
    ]
}

fn is_ours(command: &str) -> bool {
    command.starts_with(OURS)
}

/// What is known of the containers: what was written down, and without a record nothing.
fn made(text: &str, inserted: &Inserted) -> Made {
    if *inserted == Inserted::default() {
        return Made::guess(text, is_ours);
    }
    inserted.made()
}

/// The text as it is without us, where nothing of somebody else's goes with us.
fn without(text: &str, inserted: &Inserted) -> String {
    let removed = remove(text, inserted, &made(text, inserted), is_ours).unwrap_or_else(|err| panic!("{err}\n{text}"));
    assert!(removed.lost.is_empty(), "{:?}", removed.lost);
    removed.text
}

fn parsed(text: &str) -> Value {
    // What the client reads and `serde_json` does not.
    let text = text.trim_start_matches('\u{feff}').replace("\\\\", "\u{1}");
    let text = text
        .replace("\\ud800", "?")
        .replace("\\udc00", "?")
        .replace('\u{1}', "\\\\");
    serde_json::from_str(&text).unwrap_or_else(|err| panic!("{err}\n{text}"))
}

/// Files as people have them, all of which the client reads.
const FILES: &[&str] = &[
    "{}",
    "{\n}\n",
    "{ }\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n\t\"hooks\": {},\n\t\"model\": \"opus\"\n}",
    "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    }\r\n}\r\n",
    "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}\n    ],\n    \
     \"Stop\": [{\"hooks\": []}]\n  },\n\n  \"permissions\": {\n    \"allow\": [\"Bash\", \"Read\"]\n  }\n}\n",
    "\n\n{\n  \"z\": 1,\n  \"a\": [1,2,\n3]}\n\n",
    "{\n  \"text\": \"\\u00e9 \u{e4}\"\n}\n",
    // A byte order mark.
    "\u{feff}{\n  \"model\": \"opus\"\n}\n",
    "\u{feff}{}",
    // Line ends of two kinds.
    "{\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      {\"hooks\": []}\r\n    ]\r\n  }\n}\r\n",
    // Halves of surrogate pairs, and whole ones.
    "{\n  \"half\": \"\\ud800\", \"\\udc00\": \"\\ud83d\\ude00\", \"\\\\ud800\": \"\\ud800\\ud800\\udc00\"\n}",
    // Numbers and escapes that nobody may write another way.
    "{\"n\": [1.0, 1e5, -0, 12345678901234567890, 0.1e-7], \"s\": \"\\/\\u002f\\t\"}",
    // The same matcher twice, and groups without any.
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]},{\"matcher\":\"Bash\",\"hooks\":[]},{\"hooks\":[]}]}}",
    // Unicode, also in keys, and templates within strings.
    "{\n  \"schl\u{fc}ssel \u{1f600}\": \"{{ not a template }}\",\n  \"<<<<<<< no mark\": {}\n}",
    // Lists on one line, blanks within braces.
    "{\n    \"permissions\": { \"allow\": [ \"Bash\", \"Read\" ] },\n    \"hooks\": {\n        \"Stop\": [ { \"hooks\": [ { \
     \"type\": \"command\", \"command\": \"a\" } ] } ]\n    }\n}\n",
    // Elements on one line each.
    "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"a\" }] }\n    ]\n  }\n}\n",
    // Blank lines anywhere.
    "{\n\n  \"hooks\": {\n\n    \"Stop\": [\n\n    ]\n\n  }\n\n\n}\n\n",
    // A bracket on a line with another.
    "{ \"hooks\": { \"Stop\": [ {\n  \"hooks\": [ {\n    \"type\": \"command\", \"command\": \"a\"\n} ] } ] } }",
];

/// Files with comments and trailing commas, which the client drops, and which are edited only on request.
const COMMENTED: &[&str] = &[
    "// ours\n{\n  \"a\": 1, // one\n}\n",
    "{\n  \"hooks\": { // all\n    /* none yet */\n    \"Stop\": [ // at the end\n    ],\n  },\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []} // the only one\n      // another: {\"hooks\": []}\n    ] /* so far */\n  }\n}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": []}, ], /* x */ }, } // end",
    "{\"hooks\": {\"Stop\": [{\"hooks\": []} /* \"x\" */ ]}}",
    "{ /* nothing */ }",
    "{\r\n  \"a\": \"// no comment\" // one\r\n}",
    "{ \"a\": [1,], // one\n \"b\": \"/*\" /* two\n lines */ , }",
];

fn all() -> impl Iterator<Item = &'static str> {
    FILES.iter().chain(COMMENTED).copied()
}

#[test]
fn removing_what_was_inserted_gives_the_file_back_byte_for_byte() {
    for file in all() {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        assert_eq!(without(&text, &inserted), file, "{text}");
    }
}

/// The places of the original's bytes in the result are those of the result without ours.
#[test]
fn no_foreign_byte_moves() {
    for file in all() {
        let text = insert(file, &entries()).unwrap().text;
        let mut rest = text.chars();
        assert!(file.chars().all(|char| rest.any(|other| other == char)), "{text}");
        for line in file
            .lines()
            .filter(|line| line.contains("//") && file.lines().count() > 1)
        {
            let comment = &line[line.rfind("//").unwrap_or_default()..];
            let before = line.trim_end_matches(comment).trim_end().trim_end_matches(',');
            assert!(
                text.lines()
                    .any(|line| line.starts_with(before) && line.trim_end().ends_with(comment)),
                "a comment stays behind what it is about: {text}"
            );
        }
    }
}

#[test]
fn the_result_has_every_entry_once_and_every_foreign_value() {
    for file in FILES {
        let text = insert(file, &entries()).unwrap().text;
        assert_foreign_values_stay(file, &text);
    }
}

fn assert_foreign_values_stay(file: &str, text: &str) {
    let (before, after) = (parsed(file), parsed(text));
    let mut keys = before.as_object().unwrap().iter().filter(|(key, _)| *key != "hooks");
    assert!(keys.all(|(key, value)| after[key] == *value), "{text}");
    let events = before["hooks"].as_object().into_iter().flatten();
    for event in events.map(|(event, _)| event.as_str()).chain(["PreToolUse", "Stop"]) {
        let expected = entries().iter().filter(|entry| entry.event == event).count();
        let foreign = match &before["hooks"][event] {
            Value::Null => Vec::new(),
            Value::Array(groups) => groups.clone(),
            // A comment, say, where an event should be.
            other => {
                assert_eq!(after["hooks"][event], *other, "{text}");
                continue;
            }
        };
        let groups = after["hooks"][event].as_array().unwrap();
        assert_eq!(groups[..foreign.len()], foreign, "{text}");
        assert_eq!(groups.len(), foreign.len() + expected, "{text}");
    }
}

#[test]
fn edits_elsewhere_survive_the_removal() {
    for file in all() {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let edit = |text: &str| text.replacen('{', "{ \"added\": true, ", 1);
        if file
            .trim_start_matches("{ /* nothing */")
            .trim_matches(['{', '}', ' ', '\n', '\u{feff}'])
            .is_empty()
        {
            continue;
        }
        assert_eq!(without(&edit(&text), &inserted), edit(file));
    }
}

#[test]
fn without_a_record_entries_are_known_by_their_command() {
    for file in all() {
        let text = insert(file, &entries()).unwrap().text;
        let rest = without(&text, &Inserted::default());
        assert!(!rest.contains(OURS), "{rest}");
        assert_eq!(
            rest.contains("\"command\": \"a\""),
            file.contains("\"command\": \"a\""),
            "{rest}"
        );
        assert_eq!(rest.matches("//").count(), file.matches("//").count(), "{rest}");
        assert!(ensure_editable(&rest).is_ok(), "{rest}");
    }
}

#[test]
fn what_was_empty_before_stays_after_another_program_wrote_the_file() {
    for file in FILES {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let written = serde_json::to_string_pretty(&parsed(&text)).unwrap();
        assert_eq!(parsed(&without(&written, &inserted)), parsed(file), "{written}");
        let written = parsed(&text).to_string();
        assert_eq!(parsed(&without(&written, &inserted)), parsed(file), "{written}");
    }
    // Without a record nobody knows.
    let text = insert("{\"hooks\": {}}", &entries()).unwrap().text;
    assert_eq!(parsed(&without(&text, &Inserted::default())), json!({}));
}

#[test]
fn one_of_ours_in_a_foreign_group_goes_alone() {
    let text = format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"a"}},{{"command":"{OURS}gate"}},{{"command":"{OURS}x"}}]}}]}}}}"#
    );
    assert_eq!(
        without(&text, &Inserted::default()),
        r#"{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}]}}"#
    );
}

#[test]
fn an_element_that_was_added_behind_ours_stays() {
    for empty in [
        "{\"hooks\": {\"Stop\": []}}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}",
    ] {
        let Edited { text, inserted } = insert(empty, &[entry("Stop", None, "gate")]).unwrap();
        let end = text.rfind(']').unwrap();
        let edited = format!("{},{{\"hooks\":[{{\"command\":\"b\"}}]}}{}", &text[..end], &text[end..]);
        assert_eq!(
            parsed(&without(&edited, &inserted)),
            json!({"hooks": {"Stop": [{"hooks": [{"command": "b"}]}]}})
        );
    }
}

/// The client drops a whole file for one comma too many.
#[test]
fn an_element_that_was_added_before_ours_needs_no_comma_without_us() {
    for (file, ours, added, rest) in [
        ("{\n}\n", "\n  \"hooks\"", "\n  \"a\": 1,", "{\n  \"a\": 1\n}\n"),
        (
            "{\n  \"hooks\": {}\n}\n",
            "\n    \"Stop\"",
            "\n    \"a\": [],",
            "{\n  \"hooks\": {\n    \"a\": []\n  }\n}\n",
        ),
        (
            "{\"a\":1,\"hooks\":{\"Stop\":[]}}",
            "{\"hooks\":[{",
            "{},",
            "{\"a\":1,\"hooks\":{\"Stop\":[{}]}}",
        ),
    ] {
        let Edited { text, inserted } = insert(file, &[entry("Stop", None, "gate")]).unwrap();
        let edited = text.replacen(ours, &format!("{added}{ours}"), 1);
        assert_eq!(without(&edited, &inserted), rest, "{edited}");
    }
}

#[test]
fn what_follows_ours_is_not_swallowed_by_the_comment_before() {
    for end in ["\n", "\r\n", "\r"] {
        let file = format!("{{{end}  \"a\": 1 // mine{end}}}{end}");
        let Edited { text, inserted } = insert(&file, &[entry("Stop", None, "gate")]).unwrap();
        assert_eq!(without(&text, &inserted), file);
        let close = text.rfind(&format!("{end}}}")).unwrap();
        let edited = format!("{}, \"b\": 2{}", &text[..close], &text[close..]);
        let rest = without(&edited, &inserted);
        let follows = rest.split_once("\"a\": 1, // mine").unwrap().1;
        assert!(follows.starts_with(['\n', '\r']), "{edited}\n{rest}");
        assert!(rest.ends_with(&format!(" \"b\": 2{end}}}{end}")), "{edited}\n{rest}");
    }
}

#[test]
fn what_somebody_added_to_an_entry_of_ours_stays_with_it_and_does_not_go_in_silence() {
    let Edited { text, inserted } = insert("{\n  \"hooks\": {}\n}", &[entry("Stop", None, "gate")]).unwrap();
    let edited = text.replacen("\"type\"", "\"note\": \"mine\",\n            \"type\"", 1);
    assert!(is_current(&edited, &[entry("Stop", None, "gate")], is_ours), "{edited}");
    let removed = remove(&edited, &inserted, &inserted.made(), is_ours).unwrap();
    assert_eq!(parsed(&removed.text), json!({"hooks": {}}));
    assert_eq!(
        removed.lost,
        ["line 7, column 13: `\"note\": \"mine\"` stood in an entry of hookkit's and went with it"]
    );
    let edited = text.replacen("\"type\"", "// why\n            \"type\"", 1);
    assert!(remove(&edited, &inserted, &inserted.made(), is_ours).unwrap().lost[0].contains("`// why`"));
    // A hook that somebody put into a group of ours is not ours.
    let edited = text.replacen("[]\n", "[]}, {\"type\": \"command\", \"command\": \"a\"\n", 1);
    let rest = parsed(&without(&edited, &inserted));
    assert_eq!(
        rest["hooks"]["Stop"],
        json!([{"hooks": [{"type": "command", "command": "a"}]}])
    );
}

#[test]
fn what_somebody_changed_in_an_entry_of_ours_does_not_go_in_silence() {
    let entries = || {
        let mut guard = entry("PreToolUse", Some("Bash"), "guard");
        guard.handler.timeout = Some(5);
        [guard, entry("PreToolUse", None, "shell"), entry("Stop", None, "guard")]
    };
    for file in [
        "{}",
        "{\"hooks\": {\n}}",
        "{\"hooks\":{\"PreToolUse\":[],\"Stop\":[{}]}}",
    ] {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let written = parsed(&text).to_string();
        let lost = |text: &str| remove(text, &inserted, &inserted.made(), is_ours).unwrap().lost;
        assert!(lost(&written).is_empty(), "{:?}", lost(&written));
        let edited = written
            .replacen("\"timeout\":5", "\"timeout\":60", 1)
            .replacen("\"Bash\"", "\"Bash|Write\"", 1);
        let lost = lost(&edited);
        assert_eq!(lost.len(), 2, "{lost:?}");
        assert!(
            lost.iter()
                .any(|lost| lost.contains(": `\"timeout\":60` stood in an entry of hookkit's")),
            "{lost:?}"
        );
        assert!(
            lost.iter()
                .any(|lost| lost.contains(": `\"matcher\":\"Bash|Write\"` stood")),
            "{lost:?}"
        );
        // Without a record nobody knows what was written.
        assert!(
            remove(&edited, &Inserted::default(), &Made::default(), is_ours)
                .unwrap()
                .lost
                .is_empty()
        );
    }
}

#[test]
fn a_comment_between_a_name_and_its_list_stays() {
    let Edited { text, inserted } = insert("{}", &[entry("Stop", None, "gate")]).unwrap();
    for name in ["\"hooks\": {", "\"Stop\": "] {
        let edited = text.replacen(name, &name.replace(": ", ": /* why */ "), 1);
        let rest = without(&edited, &inserted);
        assert!(rest.contains("/* why */") && ensure_editable(&rest).is_ok(), "{rest}");
    }
}

#[test]
fn a_hook_of_several_events_has_the_same_text_in_each() {
    let entries = [entry("Stop", None, "gate"), entry("SubagentStop", None, "gate")];
    let group = "[\n      {\"hooks\": []}\n    ]";
    for file in [
        format!("{{\n  \"hooks\": {{\n    \"Stop\": {group},\n    \"SubagentStop\": {group}\n  }}\n}}\n"),
        "{\"hooks\": {\"Stop\": [], \"SubagentStop\": [ ]}}".to_owned(),
    ] {
        let Edited { text, inserted } = insert(&file, &entries).unwrap();
        assert_eq!(without(&text, &inserted), file);
    }
}

#[test]
fn what_somebody_switched_off_by_another_name_comes_out_too() {
    for file in all() {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let rename = |text: &str| text.replacen("\"hooks\"", "\"no hooks\"", 1);
        if file.contains("\"hooks\": {") {
            assert_eq!(without(&rename(&text), &inserted), rename(file));
        }
    }
}

#[test]
fn notes_in_the_place_of_events_do_no_harm() {
    let file = "{\n  \"hooks\": {\n    \"// Stop\": \"later\",\n    \"// Stop\": {}\n  }\n}\n";
    let Edited { text, inserted } = insert(file, &entries()).unwrap();
    assert_eq!(without(&text, &inserted), file);
}

#[test]
fn no_entries_change_nothing() {
    for file in all() {
        assert_eq!(insert(file, &[]).unwrap().text, file);
    }
}

#[test]
fn entries_that_are_right_are_known_as_such() {
    for file in all() {
        let entries = entries();
        assert!(!is_current(file, &entries, is_ours));
        let text = insert(file, &entries).unwrap().text;
        assert!(is_current(&text, &entries, is_ours), "{text}");
        assert!(!is_current(&text, &entries[1..], is_ours), "one of ours too many");
        let mut other = self::entries();
        other[0].handler.timeout = Some(5);
        assert!(!is_current(&text, &other, is_ours), "another timeout");
        assert!(has(&text, &entries[0]) && !has(&text, &other[0]));
    }
}

/// A key that we write and do not know as ours would be told as lost with every renewal, and never be current.
#[test]
fn every_key_that_we_write_is_known_as_ours() {
    let handler = Handler {
        r#type: "command",
        command: String::new(),
        args: Some([]),
        condition: Some(String::new()),
        timeout: Some(1),
        status_message: Some(String::new()),
        on_failure: Some("block"),
        r#async: Some(true),
        async_rewake: Some(true),
    };
    let entry = Entry {
        event: "Stop".to_owned(),
        matcher: Some(String::new()),
        handler,
    };
    let keys = |value: Value| -> BTreeSet<String> { value.as_object().unwrap().keys().cloned().collect() };
    let ours = |keys: &[&str]| -> BTreeSet<String> { keys.iter().map(|key| (*key).to_owned()).collect() };
    assert_eq!(keys(serde_json::to_value(&entry.handler).unwrap()), ours(&HANDLER_KEYS));
    assert_eq!(
        keys(serde_json::to_value(Group::new(&entry)).unwrap()),
        ours(&GROUP_KEYS)
    );
}

/// A path names a key with all of its containers, and the fix names it, too.
#[test]
fn a_key_is_named_by_its_whole_path() {
    let file = "{\"statusLine\": {\"type\": \"command\"}}";
    let told: Vec<String> = findings(file).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("`statusLine.command` is missing here")
            && told[0].ends_with("add `statusLine.command`, a text"),
        "{told:?}"
    );
}

#[test]
fn the_files_own_style_is_kept() {
    let gate = |file: &str| insert(file, &[entry("Stop", None, "gate")]).unwrap().text;
    for (file, expected) in [
        (
            "{\n\t\"a\": 1\n}\n",
            "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n",
        ),
        (
            "{\"a\": 1}",
            "{\"a\": 1, \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": ",
        ),
        ("{\"a\":1}", "{\"a\":1,\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":"),
        (
            "{\"hooks\":{\"Stop\":[]}}",
            "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":",
        ),
        (
            "{ \"a\": 1 }",
            "{ \"a\": 1, \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": ",
        ),
        (
            "{\r\n  \"a\": 1\n}",
            "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Stop\"",
        ),
        ("{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"hooks\": {\n"),
        ("{\n  \"a\": 1, // one\n}", "{\n  \"a\": 1, // one\n  \"hooks\": {\n"),
        (
            "{\n \"hooks\": {\n  \"Stop\": [\n   { \"hooks\": [ { \"type\": \"command\" } ] }\n  ]\n }\n}",
            "{\n \"hooks\": {\n  \"Stop\": [\n   { \"hooks\": [ { \"type\": \"command\" } ] },\n   { \"hooks\": [{ \"type\": ",
        ),
    ] {
        let text = gate(file);
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(text.matches('\n').count() == 0, file.matches('\n').count() == 0);
    }
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place_and_the_fix() {
    for (file, fault) in [
        ("", "line 1, column 1: the file is empty; delete it"),
        (" \n\t", "line 1, column 1: the file is empty; delete it"),
        ("\u{feff}", "line 1, column 1: the file is empty; delete it"),
        ("// nothing\n", "line 1, column 1: the file is empty; delete it"),
        ("{\"a\": 1} x", "line 1, column 10: this is not JSON"),
        (
            "{\"\u{e4}\u{f6}\": x}",
            "line 1, column 8: this is not JSON: unexpected token; fix it manually",
        ),
        ("\u{feff}{\"a\": x}", "line 1, column 7: this is not JSON"),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9: this is not JSON: "),
        ("{'a': 1}", "line 1, column 2: this is not JSON"),
        ("{a: 1}", "line 1, column 2: this is not JSON"),
        ("{\"a\": +1, \"b\": 0x1}", "line 1, column 7: this is not JSON"),
        ("{\"a\": NaN}", "line 1, column 7: this is not JSON"),
        ("{\"a\": \"\\x41\"}", "line 1, column 8: this is not JSON"),
        ("{\"a\": 1", "line 1, column 1: this is not JSON: unterminated object"),
        (
            "{{ template }}",
            "line 1, column 1: this is a template, not JSON; name the file that is made from it",
        ),
        (
            "{\n  \"a\": \"{{ x }}\",\n  {% if b %}\n}",
            "line 3, column 3: this is a template, not JSON",
        ),
        (
            "<<<<<<< HEAD\n{}",
            "line 1, column 1: a merge left its marks here; resolve the conflict first",
        ),
        (
            "{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> other\n}\n",
            "line 2, column 1: a merge left its marks here",
        ),
        (
            "{\"note\": \"a\tb\"}",
            "line 1, column 12: this is not JSON: a line break, a tab",
        ),
        (
            "{\"note\": 1\u{a0}}",
            "line 1, column 11: this is not JSON: a blank stands here",
        ),
        ("[]", "line 1, column 1: the settings should be an object"),
        ("null", "line 1, column 1: the settings should be an object"),
        ("{\"hooks\": []}", "line 1, column 11: `hooks` should be an object"),
        ("{\"hooks\": null}", "line 1, column 11: `hooks` should be an object"),
        (
            "{\"hooks\": {\"Stop\": {}}}",
            "line 1, column 20: `hooks.Stop` should be a list",
        ),
        (
            "{\"hooks\": {\"PreCompact\": 1}}",
            "line 1, column 26: `hooks.PreCompact` should be a list",
        ),
        (
            "{\"hooks\": {}, \"h\\u006foks\": {}}",
            "line 1, column 15: `hooks` stands here a second time, and Claude Code reads only the last one; merge",
        ),
        (
            "{\"hooks\": {\"PreCompact\": [], \"PreCompact\": []}}",
            "line 1, column 30: `PreCompact` stands here a second time",
        ),
    ] {
        let err = insert(file, &[entry("Stop", None, "gate")]).unwrap_err();
        assert!(err.to_string().starts_with(fault), "{file}\n{err}");
    }
}

#[test]
fn deep_nesting_is_edited_or_refused_but_never_overflows() {
    for depth in [50, 200, 100_000] {
        let file = format!("{{\"a\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
        match insert(&file, &entries()) {
            Ok(Edited { text, inserted }) => assert!(depth < 1000 && without(&text, &inserted) == file),
            Err(err) => assert!(
                depth > 1000
                    && err
                        .to_string()
                        .contains("column 517: hookkit follows objects and lists in one another"),
                "{err}"
            ),
        }
    }
}

#[test]
fn an_entry_that_the_client_would_not_read_never_reaches_the_file() {
    let mut bad = entry("PreToolUse", None, "guard");
    bad.handler.timeout = Some(0);
    let err = insert("{}", &[bad]).unwrap_err();
    assert!(
        err.to_string().contains("`timeout` should be a number above 0"),
        "{err}"
    );
    let err = insert("{}", &[entry("Never", None, "guard")]).unwrap_err();
    assert!(err.to_string().contains("`Never` is no event"), "{err}");
}

#[test]
fn foreign_mistakes_are_told_with_their_place_and_do_not_hinder_us() {
    let file = "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\"}]}]\n  }\n}";
    let found = findings(file).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "line 3, column 25: `command` is missing here: Claude Code ignores this hook; add `command`, a text"
    );
    let Edited { text, inserted } = insert(file, &entries()).unwrap();
    assert_eq!(without(&text, &inserted), file);
}

#[test]
fn of_many_mistakes_of_one_kind_the_first_are_told_and_the_others_counted() {
    let comments = "  // why\n".repeat(10_000);
    let file = format!("{{\n{comments}  \"a\": 1,\n}}\n");
    let found = findings(&file).unwrap();
    assert_eq!(found.len(), 10_001);
    assert!(
        found
            .iter()
            .step_by(100)
            .all(|found| found.place == Position::of(&file, found.range.start))
    );
    let told = listed(&found);
    assert_eq!(told.len(), 12);
    assert!(
        told[9].starts_with("line 11, column 3: JSON has no comments: "),
        "{told:?}"
    );
    assert_eq!(told[11], "9990 more like those: JSON has no comments");
    let Edited { text, inserted } = insert(&file, &entries()).unwrap();
    assert_eq!(without(&text, &inserted), file);
}

/// What each kind of mistake costs. `tests/tests/client/settings.rs` asks the real client the same.
#[test]
fn each_mistake_costs_what_the_client_makes_of_it() {
    let cases = include_str!("../../../../tests/fixtures/settings.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let text = case["text"]
            .as_str()
            .map_or_else(|| case["settings"].to_string(), str::to_owned);
        // What cannot be parsed at all is dropped, too.
        let told = match findings(&text) {
            Ok(found) => found.iter().map(|found| format!("{:?}", found.loss)).collect(),
            Err(_) => vec!["File".to_owned()],
        };
        assert_eq!(json!(told), case["losses"], "{}: {:?}", case["name"], findings(&text));
    }
    assert!(cases.len() > 60);
}

#[test]
fn a_large_file_comes_back_as_it_was() {
    let group = "      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"echo x\"}]\n      }";
    let groups = vec![group; 900].join(",\n");
    let file = format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{groups}\n    ]\n  }}\n}}\n");
    assert!(file.len() > 90_000);
    let Edited { text, inserted } = insert(&file, &entries()).unwrap();
    assert_eq!(without(&text, &inserted), file);
}

/// Settings files of strangers, where a copy of that collection is at hand.
#[test]
fn a_collection_of_real_files_is_edited_or_refused_untouched() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/settings");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!(
            "skipped: a_collection_of_real_files_is_edited_or_refused_untouched: no {}",
            folder.display()
        );
        return;
    };
    let (mut accepted, mut dropped) = (0, 0);
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = fs::read_to_string(&path).unwrap();
        match insert(&file, &entries()) {
            Ok(Edited { text, inserted }) => {
                assert_eq!(without(&text, &inserted), file, "{name}");
                assert!(is_current(&text, &entries(), is_ours), "{name}");
                let findings = findings(&file).unwrap();
                if findings.iter().all(|found| found.loss != Loss::File) {
                    accepted += 1;
                    assert_foreign_values_stay(&file, &text);
                    let written = serde_json::to_string_pretty(&parsed(&text)).unwrap();
                    assert_eq!(parsed(&without(&written, &inserted)), parsed(&file), "{name}");
                    for found in findings {
                        eprintln!("{name}: told: {found}");
                    }
                } else {
                    dropped += 1;
                    let found = findings.iter().find(|found| found.loss == Loss::File);
                    eprintln!(
                        "{name}: only with --force: {}",
                        found.map(ToString::to_string).unwrap_or_default()
                    );
                }
            }
            Err(refusal) => eprintln!("{name}: refused: {refusal}"),
        }
    }
    eprintln!("{accepted} accepted, {dropped} only with --force");
    assert!(accepted > 0, "{} has no file that can be edited", folder.display());
}
