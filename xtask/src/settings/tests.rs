use super::{Edited, Entry, Handler, has, insert, is_current, remove};

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

/// Files as people have them.
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
];

#[test]
fn removing_what_was_inserted_gives_the_file_back_byte_for_byte() {
    for file in FILES {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        assert_eq!(remove(&text, &inserted, is_ours).unwrap(), *file, "{text}");
    }
}

#[test]
fn the_result_has_every_entry_once_and_every_foreign_value() {
    for file in FILES {
        let text = insert(file, &entries()).unwrap().text;
        let before: serde_json::Value = serde_json::from_str(file).unwrap();
        let after: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (key, value) in before.as_object().unwrap() {
            if key != "hooks" {
                assert_eq!(&after[key], value, "{text}");
            }
        }
        for (event, expected) in [("PreToolUse", 2), ("Stop", 1)] {
            let foreign = before["hooks"][event].as_array().cloned().unwrap_or_default();
            let groups = after["hooks"][event].as_array().unwrap();
            assert_eq!(groups[..foreign.len()], foreign, "{text}");
            assert_eq!(groups.len(), foreign.len() + expected, "{text}");
        }
    }
}

#[test]
fn edits_elsewhere_survive_the_removal() {
    for file in FILES {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let edited = text.replacen('{', "{ \"added\": true, ", 1);
        let rest = remove(&edited, &inserted, is_ours).unwrap();
        let mut expected: serde_json::Value = serde_json::from_str(file).unwrap();
        expected["added"] = true.into();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&rest).unwrap(),
            expected,
            "{rest}"
        );
    }
}

#[test]
fn without_a_record_entries_are_known_by_their_command() {
    for file in FILES {
        let text = insert(file, &entries()).unwrap().text;
        let rest = remove(&text, &[], is_ours).unwrap();
        assert!(!rest.contains(OURS), "{rest}");
        let foreign = rest.contains("\"command\": \"a\"");
        assert_eq!(foreign, file.contains("\"command\": \"a\""), "{rest}");
        serde_json::from_str::<serde_json::Value>(&rest).unwrap();
    }
}

#[test]
fn one_of_ours_in_a_foreign_group_goes_alone() {
    let text = format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"a"}},{{"command":"{OURS}gate"}},{{"command":"{OURS}x"}}]}}]}}}}"#
    );
    let rest = remove(&text, &[], is_ours).unwrap();
    assert_eq!(rest, r#"{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}]}}"#);
}

#[test]
fn an_element_that_was_added_behind_ours_stays() {
    let Edited { text, inserted } = insert("{\"hooks\": {\"Stop\": []}}", &[entry("Stop", None, "gate")]).unwrap();
    let end = text.rfind(']').unwrap();
    let edited = format!("{},{{\"hooks\":[{{\"command\":\"b\"}}]}}{}", &text[..end], &text[end..]);
    let rest = remove(&edited, &inserted, is_ours).unwrap();
    let value: serde_json::Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(
        value,
        serde_json::json!({"hooks": {"Stop": [{"hooks": [{"command": "b"}]}]}})
    );
}

#[test]
fn no_entries_change_nothing() {
    for file in FILES {
        assert_eq!(insert(file, &[]).unwrap().text, *file);
    }
}

#[test]
fn entries_that_are_right_are_known_as_such() {
    for file in FILES {
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

#[test]
fn the_files_own_style_is_kept() {
    let text = insert("{\n\t\"a\": 1\n}\n", &[entry("Stop", None, "gate")])
        .unwrap()
        .text;
    assert!(
        text.starts_with("{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n"),
        "{text}"
    );
    let text = insert("{\"a\": 1}", &[entry("Stop", None, "gate")]).unwrap().text;
    assert!(text.starts_with("{\"a\": 1, \"hooks\": {\"Stop\":[{"), "{text}");
    assert!(!text.contains('\n'));
}

#[test]
fn what_the_client_would_not_read_is_refused_with_its_place() {
    for (file, fault) in [
        ("", "line 1, column 1: the file is empty"),
        ("{\n  \"a\": 1,\n}", "line 2, column 9"),
        ("{\n  // why\n  \"a\": 1\n}", "line 2, column 3"),
        ("{\"a\": 1} x", "line 1, column 10"),
        ("{{ template }}", "line 1, column 2"),
        ("<<<<<<< HEAD\n{}", "line 1, column 1"),
        ("{\"note\": \"a\tb\"}", "line 1, column 12: this is no JSON"),
        ("{\"note\": 1\u{a0}}", "line 1, column 11: this is no JSON"),
        ("[]", "line 1, column 1: the settings should be an object"),
        ("{\"hooks\": []}", "line 1, column 11: `hooks` should be an object"),
        (
            "{\"hooks\": {\"Stop\": {}}}",
            "line 1, column 20: `hooks.Stop` should be a list",
        ),
        (
            "{\"hooks\": {}, \"hooks\": {}}",
            "line 1, column 15: `hooks` stands here a second time",
        ),
        (
            "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
            "line 1, column 24: `Stop` stands here a second time",
        ),
    ] {
        let err = insert(file, &[entry("Stop", None, "gate")]).unwrap_err();
        assert!(err.to_string().starts_with(fault), "{file}\n{err}");
    }
}
