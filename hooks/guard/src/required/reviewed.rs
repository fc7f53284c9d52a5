//! Hooks and modules of a checkout that are missing from its reviewed list.
//!
//! Both files come with the checkout: they are read within limits, and only names of events are shown from them.

use hookkit::protocol::event::event;
use hookkit::protocol::mods::KEY;

use crate::modules;
use crate::prelude::*;
use crate::settings_files::{LONGEST, digest, escaped, is_markdown, json, root, shown};

/// The list that `cargo-hookkit verify --accept` writes, with a line for each entry: file, part and value.
const LIST: &str = ".claude/hookkit.reviewed";

/// Beginning of a digest, which replaces a value that is too long for the list.
const DIGEST: &str = "sha256:";

/// Reports the hooks in a folder's `settings.json` that are missing from the repository's list.
pub(super) fn report(folder: &Path) -> Option<String> {
    let root = root(folder).unwrap_or(folder);
    let list = text(&root.join(LIST), root)?;
    let file = folder.join(".claude/settings.json");
    let settings: Value = json(&text(&file, root)?)?;
    let reviewed = Reviewed::of(&list, file.strip_prefix(root).ok()?);
    let (mut count, mut events) = (0, BTreeSet::new());
    for (name, groups) in settings["hooks"].as_object().into_iter().flatten() {
        let Some(event) = event(name) else { continue };
        let unknown = handlers(groups).filter(|handler| !reviewed.has(event.name, handler)).count();
        if unknown > 0 {
            count += unknown;
            events.insert(event.name);
        }
    }
    let events: Vec<&str> = events.into_iter().collect();
    (count > 0).then(|| {
        let what = format!(
            "{count} {} of {} ({}) {}",
            if count == 1 { "hook" } else { "hooks" },
            shown(file.strip_prefix(root).unwrap_or(&file)),
            events.join(", "),
            if count == 1 { "is" } else { "are" }
        );
        unreviewed(&what, root)
    })
}

/// Reports the plugins with a module in a folder's `.claude/skills` if a file of theirs is missing from the
/// repository's list.
pub(super) fn modules(folder: &Path) -> Option<String> {
    let root = root(folder).unwrap_or(folder);
    let list = text(&root.join(LIST), root).unwrap_or_default();
    let is_reviewed = |file: &PathBuf| {
        let name = file.strip_prefix(root).unwrap_or(file);
        let digest = digest(&bounded::read(file, LONGEST).unwrap_or_default());
        // For the client's own files, the list has the members.
        let is_it = |(part, value): &(&str, &str)| {
            *part == KEY || *part == "file" && value.strip_prefix(DIGEST).is_some_and(|it| it.starts_with(&digest))
        };
        !file.is_file()
            || name.ends_with(".claude-plugin/plugin.json")
            || is_markdown(name)
            || Reviewed::of(&list, name).0.iter().any(is_it)
    };
    let skills = folder.join(".claude/skills");
    let mut found = modules::in_skills(&skills);
    found.retain(|(plugin, files)| *plugin == skills || !files.iter().all(is_reviewed));
    let names = found
        .iter()
        .map(|(plugin, _)| shown(plugin.strip_prefix(root).unwrap_or(plugin)))
        .collect::<Vec<_>>()
        .join(", ");
    (!names.is_empty()).then(|| {
        let what = format!("{names} can switch off every hook, since it runs inside Claude Code, and is");
        unreviewed(&what, root)
    })
}

/// Returns the report of code that is missing from the list.
fn unreviewed(what: &str, root: &Path) -> String {
    format!(
        "{what} not in the list of reviewed code, `{LIST}`; run `cargo-hookkit verify` in {}, and read its output \
         before you go on",
        shown(root)
    )
}

/// Reads a file within the repository.
fn text(file: &Path, root: &Path) -> Option<String> {
    fs::canonicalize(file)
        .is_ok_and(|target| target.starts_with(root))
        .then(|| bounded::text(file, LONGEST).ok())
        .flatten()
}

/// Returns the handlers of an event's groups, each with its matcher, in the form of the list.
fn handlers(groups: &Value) -> impl Iterator<Item = Value> {
    groups.as_array().into_iter().flatten().flat_map(|group| {
        group["hooks"].as_array().into_iter().flatten().map(|handler| {
            let mut handler = handler.clone();
            if let (Some(matcher), Some(members)) = (group.get("matcher"), handler.as_object_mut()) {
                members.insert(
                    ["matcher", "matcher of the group"]
                        .into_iter()
                        .find(|name| !members.contains_key(*name))
                        .unwrap_or_default()
                        .to_owned(),
                    matcher.clone(),
                );
            }
            handler
        })
    })
}

/// The lines of a list about one file: parts with their values.
struct Reviewed<'l>(Vec<(&'l str, &'l str)>);

impl<'l> Reviewed<'l> {
    fn of(list: &'l str, file: &Path) -> Self {
        let word = word(&file.to_string_lossy());
        let of_file = |line: &'l str| line.strip_prefix(&*word)?.strip_prefix(' ')?.split_once(' ');
        Self(list.lines().filter_map(of_file).collect())
    }

    /// Returns `true` if the handler was reviewed, or if this is uncertain: for a long handler, the list only has a
    /// digest.
    fn has(&self, event: &str, handler: &Value) -> bool {
        let is_it = |value: &str| {
            value.starts_with(DIGEST) || serde_json::from_str::<Value>(value).is_ok_and(|value| value == *handler)
        };
        let of_event = |part: &str| part.strip_prefix("hooks.") == Some(event);
        self.0.iter().any(|(part, value)| of_event(part) && is_it(value))
    }
}

/// Returns a path as a word of a line.
fn word(path: &str) -> String {
    if !path.starts_with('#') && path.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\')) {
        path.to_owned()
    } else {
        escaped(&Value::from(path).to_string()).into_owned()
    }
}
