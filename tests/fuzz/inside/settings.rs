//! The inside of the crate for the fuzz target `settings`, which its own tests share: cargo-fuzz sets `cfg(fuzzing)`.

use serde_json::Value;

use crate::settings::document::Document;
use crate::settings::edit::{self, Inserted, Made};
use crate::settings::entries::{Entry, Handler, handlers};
use crate::settings::finding::{Edit, Refusal};
use crate::settings::{check, fix, undo};

/// The command of an entry that the target installs begins so.
pub(crate) const OURS: &str = "${CLAUDE_PROJECT_DIR}/.claude/hookkit/here/bin/";

pub(crate) fn is_ours(command: &str) -> bool {
    command.starts_with(OURS)
}

pub(crate) fn entry(event: &str, matcher: Option<&str>, name: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        handler: Handler::with_arguments(format!("{OURS}{name}"), Vec::new()),
    }
}

/// An event, a matcher, and the hook's name.
pub type Hook<'h> = (&'h str, Option<&'h str>, &'h str);

/// Checks that entries of these hooks come out of a text again, unless they cannot go into it.
pub fn check(file: &str, hooks: &[Hook<'_>]) {
    let entries: Vec<Entry> = hooks.iter().map(|(event, matcher, name)| entry(event, *matcher, name)).collect();
    undone(file, &entries);
}

/// Checks that entries that go into a text come out of it again, and the rest stays. Returns the text without them, as it is
/// where nothing was noted; `None` if they cannot go into it.
pub(crate) fn undone(file: &str, entries: &[Entry]) -> Option<String> {
    let Ok(document) = Document::parse(file) else {
        return None;
    };
    let edited = match (edit::insert(&document, entries), document.ensure_editable()) {
        (Ok(edited), Ok(())) => edited,
        (Err(err), Ok(())) => panic!("{err:#}: {file}"),
        (Ok(edited), Err(err)) => panic!("{err:#}, but {}", edited.document.text()),
        (Err(_), Err(_)) => return None,
    };
    let (document, inserted) = (edited.document, edited.inserted);
    let text = document.text();
    assert!(document.has_only(entries, is_ours), "{text}");
    let (Some(before), Some(after)) = (values(file), values(text)) else {
        panic!("invalid after the install: {text}");
    };
    assert!(has_all(&before, &after), "{text}");
    assert_eq!(comments(file), comments(text), "{text}");

    let without = |text: &str, inserted: &Inserted, made: &Made| {
        let removed = Document::parse(text).and_then(|document| undo::remove(&document, inserted, made, is_ours));
        let removed = removed.unwrap_or_else(|err: Refusal| panic!("{err}: {text}"));
        assert_eq!(removed.lost, Vec::<String>::new(), "{text}");
        removed.document.text().to_owned()
    };
    let made = inserted.made();
    assert_eq!(without(text, &inserted, &made), file, "{text}");
    let rest = without(text, &Inserted::default(), &Made::guess(&document, is_ours));
    assert!(!has_ours(&rest) && is_editable(&rest), "{text}\n{rest}");
    assert_eq!(comments(file), comments(&rest), "{rest}");
    // Another program has rewritten the file.
    if beyond_json(text).is_empty() {
        for written in [after.to_string(), format!("{after:#}")] {
            let rest = without(&written, &inserted, &made);
            assert_eq!(values(&rest).as_ref(), Some(&before), "{written}");
        }
    }
    Some(rest)
}

/// Returns `true` if every value of `before` is in `after`, in its place.
fn has_all(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(key, value)| after.get(key).is_some_and(|after| has_all(value, after)))
        }
        (Value::Array(before), Value::Array(after)) => after.starts_with(before),
        _ => before == after,
    }
}

/// Takes our entries out of a text, where there is no record of them.
pub fn uninstall_without_record(text: &str) {
    if let Ok(document) = Document::parse(text) {
        let made = Made::guess(&document, is_ours);
        let _ = undo::remove(&document, &Inserted::default(), &made, is_ours);
    }
}

/// Returns `true` if one of the text's commands is ours.
pub fn has_ours(text: &str) -> bool {
    Document::parse(text).is_ok_and(|document| document.commands().any(is_ours))
}

/// Returns `true` if entries could be added to the text.
pub fn is_editable(text: &str) -> bool {
    Document::parse(text).is_ok_and(|document| document.ensure_editable().is_ok())
}

/// Finds the parts of the text that the client would not read.
pub fn findings(text: &str) {
    let _ = Document::parse(text).map(|document| check::listed(&document.findings()));
}

/// Returns the values of the text, without comments and blanks.
pub fn values(text: &str) -> Option<Value> {
    Some(Document::parse(text).ok()?.root.plain())
}

/// Returns the syntax of a text that JSON does not have.
pub fn beyond_json(text: &str) -> Vec<String> {
    let document = Document::parse(text);
    let found = document.iter().flat_map(Document::beyond_json);
    found.map(str::to_owned).collect()
}

/// Returns the comments of a text.
pub(crate) fn comments(text: &str) -> Vec<String> {
    let mut comments = beyond_json(text);
    comments.retain(|found| found != ",");
    comments
}

/// The text with each edit that `doctor --fix` could make of each of its handlers.
pub fn fixed(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let lists = document.all_groups().filter_map(|(_, group)| handlers(group));
    let places = lists.flat_map(|list| list.elements.iter().map(|handler| handler.range().start));
    let value = Value::from(5);
    let (from, to) = ("command".into(), "prompt".into());
    let edits = [
        Edit::Set { key: "timeout", value },
        Edit::Remove { key: "timeout".into() },
        Edit::Rename { from, to },
        Edit::RemoveMatcher,
        Edit::RemoveHook,
    ];
    let each = places.flat_map(|at| edits.iter().map(move |edit| (at, edit)));
    let fixed = each.filter_map(|(at, edit)| fix::fixed(&document, &[(at, edit)]));
    fixed.map(|(fixed, _)| fixed.text().to_owned()).collect()
}
