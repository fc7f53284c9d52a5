//! Exactly the inserted entries are removed again.

use super::*;

#[test]
fn removing_what_was_inserted_gives_the_file_back_byte_for_byte() {
    for file in all() {
        let rest = undone(file, &entries()).unwrap();
        // Without a record, entries are recognized by their command.
        for foreign in ["\"command\": \"a\"", "//"] {
            assert_eq!(rest.matches(foreign).count(), file.matches(foreign).count(), "{rest}");
        }
    }
}

#[test]
fn edits_elsewhere_survive_the_removal() {
    for file in all() {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let edit = |text: &str| text.replacen('{', "{ \"added\": true, ", 1);
        let rest = file.trim_start_matches("{ /* nothing */");
        if !rest.trim_matches(['{', '}', ' ', '\n', '\u{feff}']).is_empty() {
            assert_eq!(without(&edit(&text), &inserted), edit(file));
        }
    }
}

#[test]
fn without_a_record_it_is_not_known_what_was_empty() {
    let text = insert("{\"hooks\": {}}", &entries()).unwrap().text;
    assert_eq!(parsed(&without(&text, &Inserted::default())), json!({}));
}

#[test]
fn one_of_ours_in_a_foreign_group_goes_alone() {
    let text = format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"a"}},{{"command":"{OURS}gate"}},{{"command":"{OURS}x"}}]}}]}}}}"#
    );
    assert_eq!(without(&text, &Inserted::default()), r#"{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}]}}"#);
}

#[test]
fn an_element_that_was_added_behind_ours_stays() {
    for empty in ["{\"hooks\": {\"Stop\": []}}", "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}"] {
        let Edited { text, inserted } = insert(empty, &[entry("Stop", None, "gate")]).unwrap();
        let end = text.rfind(']').unwrap();
        let edited = format!("{},{{\"hooks\":[{{\"command\":\"b\"}}]}}{}", &text[..end], &text[end..]);
        assert_eq!(parsed(&without(&edited, &inserted)), json!({"hooks": {"Stop": [{"hooks": [{"command": "b"}]}]}}));
    }
}

/// One comma too many makes the client ignore the whole file.
#[test]
fn an_element_that_was_added_before_ours_needs_no_comma_without_us() {
    for (file, ours, added, rest) in [
        ("{\n}\n", "\n  \"hooks\"", "\n  \"a\": 1,", "{\n  \"a\": 1\n}\n"),
        ("{\n  \"hooks\": {}\n}\n", "\n    \"Stop\"", "\n    \"a\": [],", "{\n  \"hooks\": {\n    \"a\": []\n  }\n}\n"),
        ("{\"a\":1,\"hooks\":{\"Stop\":[]}}", "{\"hooks\":[{", "{},", "{\"a\":1,\"hooks\":{\"Stop\":[{}]}}"),
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
fn additions_of_the_user_to_an_entry_of_ours_are_reported_when_they_go() {
    let Edited { text, inserted } = insert("{\n  \"hooks\": {}\n}", &[entry("Stop", None, "gate")]).unwrap();
    let edited = text.replacen("\"type\"", "\"note\": \"mine\",\n            \"type\"", 1);
    assert!(is_current(&edited, &[entry("Stop", None, "gate")], is_ours), "{edited}");
    let removed = remove(&edited, &inserted, &inserted.made(), is_ours).unwrap();
    assert_eq!(parsed(&removed.text), json!({"hooks": {}}));
    assert_eq!(
        removed.lost,
        ["line 7, column 13: `\"note\": \"mine\"` was in an entry of hookkit and was removed with it"]
    );
    let edited = text.replacen("\"type\"", "// why\n            \"type\"", 1);
    assert!(remove(&edited, &inserted, &inserted.made(), is_ours).unwrap().lost[0].contains("`// why`"));
    // A hook that the user adds to one of our groups is not ours.
    let edited = text.replacen("[]\n", "[]}, {\"type\": \"command\", \"command\": \"a\"\n", 1);
    let rest = parsed(&without(&edited, &inserted));
    assert_eq!(rest["hooks"]["Stop"], json!([{"hooks": [{"type": "command", "command": "a"}]}]));
}

#[test]
fn changes_of_the_user_to_an_entry_of_ours_are_reported_when_they_go() {
    let entries = || {
        let mut guard = entry("PreToolUse", Some("Bash"), "guard");
        guard.handler.0.push(("timeout", 5.into()));
        [guard, entry("PreToolUse", None, "shell"), entry("Stop", None, "guard")]
    };
    for file in ["{}", "{\"hooks\": {\n}}", "{\"hooks\":{\"PreToolUse\":[],\"Stop\":[{}]}}"] {
        let Edited { text, inserted } = insert(file, &entries()).unwrap();
        let written = parsed(&text).to_string();
        let lost = |text: &str| remove(text, &inserted, &inserted.made(), is_ours).unwrap().lost;
        assert!(lost(&written).is_empty(), "{:?}", lost(&written));
        let edited = written.replacen("\"timeout\":5", "\"timeout\":60", 1).replacen("\"Bash\"", "\"Bash|Write\"", 1);
        let lost = lost(&edited);
        assert_eq!(lost.len(), 2, "{lost:?}");
        for part in [": `\"timeout\":60` was in an entry of hookkit", ": `\"matcher\":\"Bash|Write\"` was in"] {
            assert!(lost.iter().any(|lost| lost.contains(part)), "{lost:?}");
        }
        // Without a record, the written values are lost.
        let removed = remove(&edited, &Inserted::default(), &Made::default(), is_ours);
        assert!(removed.unwrap().lost.is_empty());
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
        assert!(undone(&file, &entries).is_some());
    }
}

#[test]
fn a_hook_that_the_user_switched_off_by_another_name_comes_out_too() {
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
    assert!(undone(file, &entries()).is_some());
}

#[test]
fn a_large_file_comes_back_as_it_was() {
    let group = "      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"echo x\"}]\n      }";
    let groups = vec![group; 900].join(",\n");
    let file = format!("{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n{groups}\n    ]\n  }}\n}}\n");
    assert!(file.len() > 90_000);
    assert!(undone(&file, &entries()).is_some());
}
