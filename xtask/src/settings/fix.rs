//! One edit of a hook that stands in a text, which leaves every other byte as it is.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use crate::settings::check::ensure_no_new_findings;
use crate::settings::document::{Masked, last_member, ranges};
use crate::settings::entries::handlers;

/// What becomes of a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edit<'e> {
    /// A key that it has gets this value.
    Set { key: &'e str, value: &'e serde_json::Value },
    /// A key goes.
    Remove { key: &'e str },
    /// A key gets another name.
    Rename { from: &'e str, to: &'e str },
    /// The matcher of its group goes.
    RemoveMatcher,
    /// It goes, and with it a group of which it is the only one.
    RemoveHandler,
}

/// The text with the edit of the hook that begins at `at`.
///
/// `None` where nobody can tell how that should look, or where the client would read less of it than before.
pub(crate) fn fixed(text: &str, at: usize, edit: Edit<'_>) -> Option<String> {
    let (range, with) = change(text, at, edit)?;
    let mut after = text.to_owned();
    after.replace_range(range, &with);
    ensure_no_new_findings(text, &after).ok()?;
    Some(after)
}

fn change(text: &str, at: usize, edit: Edit<'_>) -> Option<(Range<usize>, String)> {
    let masked = Masked::new(text);
    let document = masked.parse().ok()?;
    let hooks = last_member(&document.root, "hooks")?.as_object()?;
    let groups = hooks.properties.iter().filter_map(|event| event.value.as_array());
    for groups in groups {
        for (of_group, group) in groups.elements.iter().enumerate() {
            let Some(list) = handlers(group) else { continue };
            let Some(of_hook) = list.elements.iter().position(|hook| hook.start() == at) else {
                continue;
            };
            let hook = &list.elements[of_hook];
            return match edit {
                Edit::RemoveHandler if list.elements.len() == 1 => {
                    Some((without(text, &ranges(&groups.elements), of_group)?, String::new()))
                }
                Edit::RemoveHandler => Some((without(text, &ranges(&list.elements), of_hook)?, String::new())),
                Edit::RemoveMatcher => of_key(text, group.as_object()?, Edit::Remove { key: "matcher" }),
                edit => of_key(text, hook.as_object()?, edit),
            };
        }
    }
    None
}

fn of_key(text: &str, object: &Object<'_>, edit: Edit<'_>) -> Option<(Range<usize>, String)> {
    let key = match edit {
        Edit::Set { key, .. } | Edit::Remove { key } | Edit::Rename { from: key, .. } => key,
        Edit::RemoveMatcher | Edit::RemoveHandler => return None,
    };
    let mut found = object.properties.iter().enumerate();
    let (index, member) = found.find(|(_, member)| member.name.as_str() == key)?;
    // Of a key that stands twice nobody can tell which one is meant.
    if found.any(|(_, member)| member.name.as_str() == key) {
        return None;
    }
    match edit {
        Edit::Set { value, .. } => Some((span(&member.value), value.to_string())),
        Edit::Rename { to, .. } => Some((member.name.start()..member.name.end(), format!("\"{to}\""))),
        _ => Some((without(text, &ranges(&object.properties), index)?, String::new())),
    }
}

fn span(value: &Value<'_>) -> Range<usize> {
    value.start()..value.end()
}

/// The bytes that go with one of several elements: it, a comma, and the blanks around that.
fn without(text: &str, elements: &[Range<usize>], index: usize) -> Option<Range<usize>> {
    let it = elements.get(index)?.clone();
    let (range, between) = match (index.checked_sub(1), elements.get(index + 1)) {
        (Some(before), _) => (elements[before].end..it.end, elements[before].end..it.start),
        (None, Some(next)) => (it.start..next.start, it.end..next.start),
        (None, None) => (it.clone(), it.end..it.end),
    };
    let is_blank = text[between]
        .chars()
        .all(|char| char == ',' || char.is_ascii_whitespace());
    is_blank.then_some(range)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_edit_changes_what_it_is_about_and_no_other_byte() {
        let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"matcher\": \"x\", \"hooks\": [\n        {\"type\": \"command\",  \"command\": \"a\", \"once\": true},\n        {\"type\": \"command\", \"command\": \"b\"}\n      ]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}\n    ]\n  }\n}\n";
        let value = json!("z");
        for (hook, edit, from, to) in [
            ("a", Edit::Remove { key: "once" }, ", \"once\": true", ""),
            (
                "a",
                Edit::Set {
                    key: "command",
                    value: &value,
                },
                "\"a\"",
                "\"z\"",
            ),
            (
                "a",
                Edit::Rename {
                    from: "once",
                    to: "async",
                },
                "\"once\"",
                "\"async\"",
            ),
            ("a", Edit::RemoveMatcher, "\"matcher\": \"x\", ", ""),
            (
                "a",
                Edit::RemoveHandler,
                "{\"type\": \"command\",  \"command\": \"a\", \"once\": true},\n        ",
                "",
            ),
            (
                "c",
                Edit::RemoveHandler,
                ",\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"c\"}]}",
                "",
            ),
        ] {
            let name = text.find(&format!("\"{hook}\"")).expect("it is there");
            let at = text[..name].rfind("{\"type\"").expect("a hook");
            let fixed = fixed(text, at, edit).expect("it can be done");
            assert_eq!(fixed, text.replacen(from, to, 1), "{edit:?}");
        }
    }

    #[test]
    fn what_would_cost_the_hook_is_not_done() {
        let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]}}";
        let at = text.find("{\"type\"").expect("a hook");
        assert_eq!(fixed(text, at, Edit::Remove { key: "command" }), None);
        assert_eq!(fixed(text, at, Edit::Remove { key: "none" }), None);
        assert_eq!(fixed(text, 1, Edit::RemoveHandler), None);
    }
}
