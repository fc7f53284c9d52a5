//! Edits of hooks in a text. They change no other byte.

use std::ops::Range;

use crate::settings::check::ensure_no_new_findings;
use crate::settings::document::Document;
use crate::settings::entries::handlers;
use crate::settings::finding::Edit;
use crate::settings::value::{Member, Object, Value};

/// Returns the text with these edits, and the number of edits made. Each edit has its hook's offset.
///
/// Ambiguous or overlapping edits are not made. `None` if no edit is made, or if the client would read less of the
/// result than before.
pub(crate) fn fixed(document: &Document, edits: &[(usize, &Edit)]) -> Option<(Document, usize)> {
    let text = document.text();
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for (at, edit) in edits {
        let Some((range, with)) = change(document, *at, edit) else {
            continue;
        };
        let is_apart = |(other, _): &(Range<usize>, String)| other.end <= range.start || range.end <= other.start;
        if text[range.clone()] != with && changes.iter().all(is_apart) {
            changes.push((range, with));
        }
    }
    changes.sort_by_key(|(range, _)| range.start);
    let mut after = text.to_owned();
    // From the end, so that earlier offsets stay valid.
    for (range, with) in changes.iter().rev() {
        after.replace_range(range.clone(), with);
    }
    let after = Document::parse(&after).ok()?;
    ensure_no_new_findings(document, &after).ok()?;
    (!changes.is_empty()).then_some((after, changes.len()))
}

fn change(document: &Document, at: usize, edit: &Edit) -> Option<(Range<usize>, String)> {
    let text = document.text();
    let groups = document.root.get("hooks")?.as_object()?.members.iter().filter_map(|event| event.value.as_list());
    for groups in groups {
        for (of_group, group) in groups.elements.iter().enumerate() {
            let Some(list) = handlers(group) else { continue };
            let Some(of_hook) = list.elements.iter().position(|hook| hook.range().start == at) else {
                continue;
            };
            let hook = &list.elements[of_hook];
            let removed = match edit {
                Edit::RemoveHook if list.elements.len() == 1 => without(text, &groups.elements, Value::range, of_group),
                Edit::RemoveHook => without(text, &list.elements, Value::range, of_hook),
                Edit::RemoveMatcher => {
                    let key = "matcher".to_owned();
                    return of_key(text, group.as_object()?, &Edit::Remove { key });
                }
                edit => return of_key(text, hook.as_object()?, edit),
            };
            return Some((removed?, String::new()));
        }
    }
    None
}

fn of_key(text: &str, object: &Object, edit: &Edit) -> Option<(Range<usize>, String)> {
    let key: &str = match edit {
        Edit::Set { key, .. } => key,
        Edit::Remove { key } | Edit::Rename { from: key, .. } => key,
        _ => return None,
    };
    let mut found = object.members.iter().enumerate();
    let (index, member) = found.find(|(_, member)| member.name == key)?;
    // If a key occurs twice, it is unclear which one is meant.
    if found.any(|(_, member)| member.name == key) {
        return None;
    }
    Some(match edit {
        Edit::Set { value, .. } => (member.value.range(), value.to_string()),
        Edit::Rename { to, .. } => (member.name_range.clone(), format!("\"{to}\"")),
        _ => (without(text, &object.members, Member::range, index)?, String::new()),
    })
}

/// Returns the bytes to remove with one of several elements: the element, a comma, and the whitespace around it.
fn without<T>(text: &str, elements: &[T], range: impl Fn(&T) -> Range<usize>, index: usize) -> Option<Range<usize>> {
    let it = range(elements.get(index)?);
    let before = index.checked_sub(1).map(|before| range(&elements[before]).end);
    let next = elements.get(index + 1).map(|next| range(next).start);
    let (range, between) = match (before, next) {
        (Some(before), _) => (before..it.end, before..it.start),
        (None, Some(next)) => (it.start..next, it.end..next),
        (None, None) => (it.clone(), it.end..it.end),
    };
    text[between].chars().all(|char| char == ',' || char.is_ascii_whitespace()).then_some(range)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn remove(key: &str) -> Edit {
        Edit::Remove { key: key.to_owned() }
    }

    #[test]
    fn an_edit_changes_what_it_is_about_and_no_other_byte() {
        let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"matcher\": \"x\", \"hooks\": [\n        {\"type\": \"command\",  \"command\": \"a\", \"once\": true},\n        {\"type\": \"command\", \"command\": \"b\"}\n      ]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}\n    ]\n  }\n}\n";
        for (hook, edit, from, to) in [
            ("a", remove("once"), ", \"once\": true", ""),
            ("a", Edit::Set { key: "command", value: json!("z") }, "\"a\"", "\"z\""),
            ("a", Edit::Rename { from: "once".into(), to: "async".into() }, "\"once\"", "\"async\""),
            ("a", Edit::RemoveMatcher, "\"matcher\": \"x\", ", ""),
            ("a", Edit::RemoveHook, "{\"type\": \"command\",  \"command\": \"a\", \"once\": true},\n        ", ""),
            ("c", Edit::RemoveHook, ",\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}", ""),
        ] {
            let name = text.find(&format!("\"{hook}\"")).expect("it is there");
            let at = text[..name].rfind("{\"type\"").expect("a hook");
            let document = Document::parse(text).expect("it parses");
            let (fixed, count) = fixed(&document, &[(at, &edit)]).expect("it can be done");
            assert_eq!(fixed.text(), text.replacen(from, to, 1), "{edit:?}");
            assert_eq!(count, 1);
        }
    }

    #[test]
    fn edits_of_several_hooks_are_made_at_once() {
        let text = r#"{"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": "a", "timeout": 30000},
            {"type": "command", "command": "b", "once": true}
        ]}]}}"#;
        let hooks: Vec<usize> = text.match_indices("{\"type\"").map(|(at, _)| at).collect();
        let set = Edit::Set { key: "timeout", value: json!(30) };
        let edits = [
            (hooks[0], &set),
            (hooks[1], &remove("once")),
            // The first one's bytes again, and a key that does not exist.
            (hooks[0], &remove("timeout")),
            (hooks[1], &set),
        ];
        let document = Document::parse(text).expect("it parses");
        let (after, count) = fixed(&document, &edits).expect("two can be made");
        assert_eq!(after.text(), text.replace("30000", "30").replace(", \"once\": true", ""));
        assert_eq!(count, 2);
        assert!(fixed(&after, &edits[..2]).is_none(), "there is nothing left to change");
    }

    #[test]
    fn what_would_cost_the_hook_is_not_done() {
        let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}";
        let at = text.find("{\"type\"").expect("a hook");
        let document = Document::parse(text).expect("it parses");
        let fixed = |at, edit: Edit| fixed(&document, &[(at, &edit)]).map(|(fixed, _)| fixed.text().to_owned());
        assert_eq!(fixed(at, remove("command")), None);
        assert_eq!(fixed(at, remove("none")), None);
        assert_eq!(fixed(1, Edit::RemoveHook), None);
    }
}
