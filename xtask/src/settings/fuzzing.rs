//! The inside of the crate for the fuzz target `settings`: only cargo-fuzz sets `cfg(fuzzing)`.

use anyhow::Result;
use serde_json::Value;

use crate::settings::document::Document;
use crate::settings::edit::{Edited, Inserted, Made};
use crate::settings::entries::{Entry, Handler};
use crate::settings::finding::Edit;

/// The command of an entry that the target installs begins so.
pub const OURS: &str = "${CLAUDE_PROJECT_DIR}/.claude/hookkit/here/bin/";

fn is_ours(command: &str) -> bool {
    command.starts_with(OURS)
}

/// An event, a matcher, and the hook's name.
pub type Hook<'h> = (&'h str, Option<&'h str>, &'h str);

fn entries(hooks: &[Hook<'_>]) -> Vec<Entry> {
    let entry = |(event, matcher, name): &Hook<'_>| Entry {
        event: (*event).to_owned(),
        matcher: matcher.map(str::to_owned),
        handler: Handler::new(format!("{OURS}{name}")),
    };
    hooks.iter().map(entry).collect()
}

/// A text with entries in it, and the record of that.
pub struct Installed {
    /// The text.
    pub text: String,
    inserted: Inserted,
}

/// Adds entries to a text that has none of ours.
///
/// # Errors
///
/// When the text is refused.
pub fn install(text: &str, hooks: &[Hook<'_>]) -> Result<Installed> {
    let Edited { document, inserted } = super::edit::insert(&Document::parse(text)?, &entries(hooks))?;
    Ok(Installed {
        text: document.text().to_owned(),
        inserted,
    })
}

impl Installed {
    /// A text without what was inserted, and what is lost with that.
    ///
    /// # Errors
    ///
    /// When the text is refused.
    pub fn uninstall(&self, text: &str) -> Result<(String, Vec<String>)> {
        let removed = super::undo::remove(&Document::parse(text)?, &self.inserted, &self.inserted.made(), is_ours)?;
        Ok((removed.document.text().to_owned(), removed.lost))
    }
}

/// A text without our entries, where there is no record of them.
///
/// # Errors
///
/// When the text is refused.
pub fn uninstall_without_record(text: &str) -> Result<String> {
    let document = Document::parse(text)?;
    let made = Made::guess(&document, is_ours);
    let removed = super::undo::remove(&document, &Inserted::default(), &made, is_ours)?;
    Ok(removed.document.text().to_owned())
}

/// Returns `true` if the text has these hooks, and no others of ours.
pub fn is_current(text: &str, hooks: &[Hook<'_>]) -> bool {
    Document::parse(text).is_ok_and(|document| document.has_only(&entries(hooks), is_ours))
}

/// Returns `true` if one of the text's commands is ours.
pub fn has_ours(text: &str) -> bool {
    Document::parse(text).is_ok_and(|document| document.commands().any(is_ours))
}

/// Returns `true` if entries could be added to the text.
///
/// # Errors
///
/// When they could not.
pub fn ensure_editable(text: &str) -> Result<()> {
    Ok(Document::parse(text)?.ensure_editable()?)
}

/// Returns the parts of the text that the client would not read.
///
/// # Errors
///
/// When the text is refused.
pub fn findings(text: &str) -> Result<Vec<String>> {
    Ok(super::check::listed(&Document::parse(text)?.findings()))
}

/// Returns the values of the text, without comments and blanks.
pub fn values(text: &str) -> Option<Value> {
    Some(Document::parse(text).ok()?.root.plain())
}

/// Returns the syntax of a text that JSON does not have.
pub fn beyond_json(text: &str) -> Vec<String> {
    let document = Document::parse(text);
    document
        .iter()
        .flat_map(Document::beyond_json)
        .map(str::to_owned)
        .collect()
}

/// The text with each edit that `doctor --fix` could make of each of its handlers.
pub fn fixed(text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let groups = document.all_groups();
    let handlers = groups.filter_map(|(_, group)| super::entries::handlers(group));
    let places = handlers.flat_map(|list| list.elements.iter().map(|handler| handler.range().start));
    let edits = [
        Edit::Set {
            key: "timeout",
            value: Value::from(5),
        },
        Edit::Remove { key: "timeout".into() },
        Edit::Rename {
            from: "command".into(),
            to: "prompt".into(),
        },
        Edit::RemoveMatcher,
        Edit::RemoveHook,
    ];
    let each = places.flat_map(|at| edits.iter().map(move |edit| (at, edit)));
    let fixed = each.filter_map(|(at, edit)| super::fix::fixed(&document, &[(at, edit)]));
    fixed.map(|(fixed, _)| fixed.text().to_owned()).collect()
}
