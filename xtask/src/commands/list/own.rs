//! The workspace's own hooks, and where they are installed.

use anstyle::Style;
use hookkit_protocol::event::event;
use hookkit_protocol::hook::{Mode, OnFailure};
use serde::Serialize;

use crate::binaries::definition::{Definition, find};
use crate::binaries::link::Link;
use crate::binaries::overrides::config;
use crate::commands::list::report::{Report, Seen, reason_below};
use crate::commands::prelude::*;
use crate::diagnose::active::source::Handler;
use crate::settings::document::Document;
use crate::settings::installed::entries;
use crate::settings::pause::{self, Pause};
use crate::settings::place::Place;
use crate::settings::record::Record;
use crate::terminal::{self, BOLD, GOOD};

/// A hook, and the settings locations where it is installed.
#[derive(Serialize)]
struct Row<'h> {
    #[serde(flatten)]
    hook: &'h Definition,
    /// `true` if the hook is installed as declared and ready to run in at least one location.
    installed: bool,
    /// Link type of the installed binary.
    link: Option<Link>,
    places: Vec<Installed>,
}

/// A hook in one of a session's settings locations.
#[derive(Serialize)]
struct Installed {
    scope: String,
    file: String,
    /// Line of the hook's first entry.
    line: Option<usize>,
    state: State,
    /// End of the hook's pause by `cargo xtask off` or `allow-once`.
    off: Option<Value>,
    #[serde(skip)]
    off_text: Option<String>,
    /// The reason why Claude Code does not run the hook although it is installed.
    why_not: Option<String>,
    link: Option<Link>,
    /// The effect of a missing binary, such as in a fresh clone.
    without_binary: Option<OnFailure>,
    /// Other entries that run the same hook on the same event.
    twice: Vec<Value>,
    #[serde(skip)]
    others_text: Text,
    /// Plugins whose modules can skip the hook.
    skipped_by: BTreeSet<String>,
}

/// The state of an installed hook.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum State {
    /// The entry is as declared. A comparison of the binary with the source needs a build: `install --check`.
    Installed,
    /// The entry is outdated: the declaration has changed, or the hook should no longer be installed.
    Stale,
    /// The user has edited the entry of `install`.
    Edited,
    /// The settings do not contain the hook.
    Unnamed,
    MissingBinary,
}

impl State {
    fn shown(self) -> (Style, &'static str) {
        match self {
            Self::Installed => (GOOD, "installed"),
            Self::Stale => (WARNING, "stale: its declaration changed; `install` updates it"),
            Self::Edited => (WARNING, "edited: its entry is not what `install` wrote; `install` replaces it"),
            Self::Unnamed => (WARNING, "its binary is there, but the settings have no entry for it; `install` adds it"),
            Self::MissingBinary => (ERROR, "its binary is missing, or cannot be run; `install` builds it"),
        }
    }
}

pub(super) fn describe_all(hooks: &[Definition], places: &[(Place, Record)], seen: &Seen, report: &mut Report) {
    let mut pack = "";
    for hook in hooks {
        // The hooks of a pack follow one another.
        if hook.declared.package != pack {
            pack = &hook.declared.package;
            let mut head = Text::new();
            if hook.members.is_empty() {
                head.bold(format_args!("Pack {pack} {}", hook.declared.package_version))
            } else {
                head.bold("Orders")
            };
            report.paragraphs.push(head);
        }
        let places = looks(&hook.declared.name, Some(hook), places, seen);
        let row = Row {
            hook,
            installed: places.iter().any(|place| place.state == State::Installed),
            link: places.iter().find_map(|place| place.link),
            places,
        };
        report.paragraphs.push(describe(&row));
        report.rows.push(terminal::row("own", row));
    }
    gone(hooks, places, seen, report);
}

/// Describes installed hooks that no longer exist in the workspace.
fn gone(hooks: &[Definition], places: &[(Place, Record)], seen: &Seen, report: &mut Report) {
    let mut names = BTreeSet::new();
    for (place, _) in places {
        let handlers = seen.source(place).into_iter().flat_map(|source| &source.handlers);
        names.extend(handlers.filter_map(|handler| place.hook(handler.command()?)));
    }
    names.retain(|name| find(hooks, name).is_none());
    for name in names {
        let installed = looks(name, None, places, seen);
        let mut text = Text::new();
        text.bold(name).words(WARNING, " (there is no such hook any more)");
        for place in &installed {
            text.append(line(place));
        }
        report.paragraphs.push(text);
        let members = json!({"name": name, "gone": true, "places": installed});
        report.rows.push(row("own", members));
    }
}

/// Looks up a hook in all settings locations.
fn looks(name: &str, hook: Option<&Definition>, places: &[(Place, Record)], seen: &Seen) -> Vec<Installed> {
    places.iter().filter_map(|(place, record)| look(name, hook, place, record, seen)).collect()
}

/// Looks up a hook in one settings location.
fn look(name: &str, hook: Option<&Definition>, place: &Place, record: &Record, seen: &Seen) -> Option<Installed> {
    let source = seen.source(place)?;
    let document = source.document.as_ref();
    let command = place.command(name);
    let handlers: Vec<&Handler> =
        source.handlers.iter().filter(|handler| handler.command() == Some(&command)).collect();
    let state = match (&handlers[..], place.has_binary(name)) {
        ([], false) => return None,
        ([], true) => State::Unnamed,
        (_, false) => State::MissingBinary,
        (found, true) => match hook.filter(|hook| hook.is_installable()) {
            Some(hook) if is_declared(hook, place, record, document, found.len()) => State::Installed,
            Some(_) if !is_written(found, document, &command, record) => State::Edited,
            _ => State::Stale,
        },
    };
    let pause = pause::active(place, name);
    let (mut twice, mut skipped_by, mut others_text) = (Vec::new(), BTreeSet::new(), Text::new());
    for handler in &handlers {
        let (others, skipped, text) = seen.others(source, handler);
        twice.extend(others);
        skipped_by.extend(skipped);
        others_text.append(text);
    }
    Some(Installed {
        skipped_by,
        twice,
        others_text,
        scope: source.scope.to_string(),
        file: source.path.display().to_string(),
        line: handlers.first().map(|handler| handler.place.line),
        state,
        off: pause.as_ref().map(Pause::members),
        off_text: pause.map(|pause| format!("{pause}; `cargo xtask on {name}` turns it on")),
        why_not: handlers.iter().find_map(|handler| seen.session.never(source, handler)),
        link: record.links.get(name).copied(),
        without_binary: (!handlers.is_empty()).then(|| without_binary(&handlers)),
    })
}

/// Returns the client's reaction if the binary cannot be started; it depends on the settings.
fn without_binary(handlers: &[&Handler]) -> OnFailure {
    let is_honored = |handler: &Handler| event(&handler.event).is_some_and(|event| event.honors_on_failure());
    let blocks = |handler: &&Handler| handler.values["onFailure"] == "block" && is_honored(handler);
    if handlers.iter().all(blocks) { OnFailure::Block } else { OnFailure::Continue }
}

/// Returns `true` if the settings have exactly the entries of the definition that `install` does not leave out.
fn is_declared(hook: &Definition, place: &Place, record: &Record, settings: Option<&Document>, found: usize) -> bool {
    let mut entries = entries(hook, place);
    entries.retain(|entry| !record.left_out.contains(&entry.event));
    let has = |entry| settings.is_some_and(|settings| settings.has(entry));
    entries.len() == found && entries.iter().all(has)
}

/// Returns `true` if the entries are exactly what `install` wrote, byte for byte.
fn is_written(found: &[&Handler], settings: Option<&Document>, command: &str, record: &Record) -> bool {
    let inserted = record.inserted_into(settings);
    let text = settings.map_or("", Document::text);
    let is_inserted = |handler: &&Handler| text.get(handler.group.clone()).is_some_and(|group| inserted.has(group));
    found.len() == inserted.count(command) && found.iter().all(is_inserted)
}

fn describe(row: &Row<'_>) -> Text {
    let hook = row.hook;
    let declared = &hook.declared;
    let condition = declared.condition.as_ref().map(|rule| format!(", if {rule}"));
    let timeout = declared.timeout.map(|seconds| format!(", at most {seconds} s"));
    let mode = declared.mode.key().map(|key| format!(", {key}"));
    let options: String = [condition, timeout, mode].into_iter().flatten().collect();
    let mut text = Text::new();
    text.words(BOLD, &declared.name);
    if hook.changes.off {
        text.words(WARNING, " (off)");
    }
    text.line_end();
    if !hook.summary().is_empty() {
        text.plain(format_args!("  {}\n", hook.summary()));
    }
    text.plain(format_args!("  {}{options}; on failure: {}\n", hook.subject(), hook.failure()));
    if hook.members.is_empty() {
        text.plain("  ").dimmed(&declared.path)
    } else {
        text.plain("  in [workspace.metadata.hookkit.orders] of Cargo.toml")
    };
    if let Some(values) = &hook.config {
        text.plain(format_args!("\n  config: {}", one_line(config::shown(values))));
    }
    if !hook.changes.overridden.is_empty() {
        text.plain(format_args!("\n  changed in Cargo.toml: {}", hook.changes.overridden.join(", ")));
    }
    match &hook.changes.order {
        Some(order) => drop(text.plain(format_args!("\n  runs in the order `{order}`"))),
        None if row.places.is_empty() => drop(text.plain("\n  ").dimmed("not installed")),
        None => {}
    }
    for place in &row.places {
        text.append(line(place)).plain(goes_on(hook, place));
    }
    text
}

/// Returns the reason why Claude Code goes ahead without the binary, against the hook's failure policy.
fn goes_on(hook: &Definition, place: &Installed) -> String {
    let (name, policy) = (&hook.declared.name, hook.declared.on_failure);
    if policy == OnFailure::Continue || place.without_binary != Some(OnFailure::Continue) {
        return String::new();
    }
    let why = match hook.entries.iter().find(|entry| entry.facts().is_some_and(|event| !event.honors_on_failure())) {
        _ if hook.declared.mode != Mode::Awaited => "it does not wait for the hook".to_owned(),
        Some(entry) => format!("it ignores `onFailure` on {}", entry.event),
        None if place.scope != "project" => "its entry has no `onFailure`".to_owned(),
        None => format!(
            "a team shares these settings; for `onFailure` in them, write `on-failure = \"{}\"` below \
             [workspace.metadata.hookkit.hooks.{name}] in Cargo.toml, and install",
            policy.word()
        ),
    };
    format!("\n    if its binary is missing, as in a fresh clone, Claude Code goes on without it: {why}")
}

/// Describes a settings location on its own lines.
fn line(place: &Installed) -> Text {
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    let link = place.link.filter(|_| place.state == State::Installed);
    let link = link.map_or_else(String::new, |link| format!(", {link}"));
    let mut text = Text::new();
    text.plain(format_args!("\n  {}: ", place.scope));
    let (style, said) = place.state.shown();
    let (state, why) = said.split_at(said.find([':', ',']).unwrap_or(said.len()));
    text.words(style, state).plain(why).plain(link).plain(" (");
    text.path(shown(place.file.as_ref())).plain(line).plain(')');
    if let Some(off) = &place.off_text {
        text.plain("\n    ").plain("it is ").words(WARNING, off);
    }
    if let Some(why) = &place.why_not {
        reason_below(&mut text, "    ", "never runs", why);
    }
    text.append(place.others_text.clone());
    text
}
