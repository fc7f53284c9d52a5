//! The session that `list` looks at, and the report that it prints.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use semver::Version;
use serde_json::{Value, json};

use crate::diagnose::active::plugins::Packaged;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile};
use crate::diagnose::copies::{Copies, Other};
use crate::diagnose::mods::Loaded;
use crate::disk::bounded::{self, Deadline};
use crate::history::name::of_hookkit;
use crate::settings::place::Place;
use crate::settings::plugin::parts::PackagedHook;
use crate::terminal::one_line;
use crate::terminal::rows::{Format, extend};
use crate::terminal::style::WARNING;
use crate::terminal::text::Text;
use crate::terminal::width::width;

/// The report, for people and for programs.
#[derive(Default)]
pub(crate) struct Report {
    /// For people, in paragraphs.
    pub(crate) paragraphs: Vec<Text>,
    /// For programs, a line each.
    pub(crate) rows: Vec<Value>,
}

impl Report {
    /// Adds to it what is found of all hooks, in the time that there is for it.
    ///
    /// # Errors
    ///
    /// When that time is over: nothing is added then.
    pub(crate) fn extend_in_time(
        &mut self,
        seen: &Arc<Seen>,
        add: impl FnOnce(&Seen, &mut Self) + Send + 'static,
    ) -> Result<()> {
        let seen = Arc::clone(seen);
        let found = Deadline::new().within(move || {
            let mut report = Self::default();
            add(&seen, &mut report);
            report
        });
        let found = found.with_context(|| {
            let seconds = bounded::TIME.as_secs();
            format!("looking at all hooks takes longer than {seconds} s; for the file that does: `cargo xtask doctor`")
        })?;
        self.paragraphs.extend(found.paragraphs);
        self.rows.extend(found.rows);
        Ok(())
    }

    pub(crate) fn print(&self, format: &Format) -> Result<()> {
        format.print(Text::joined(self.paragraphs.iter().cloned(), "\n\n"), &self.rows)
    }
}

/// The session that is looked at.
pub(crate) struct Seen {
    pub(crate) session: Session,
    /// The hooks that it has in the settings and in a plugin, or in two plugins.
    pub(crate) copies: Copies,
    pub(crate) project: PathBuf,
    /// Version of the client, if there are modules of plugins, and it is known.
    pub(crate) client: Option<Version>,
    /// The only scope that is asked for, if it is one.
    pub(crate) only: Option<crate::settings::folders::Scope>,
}

impl Seen {
    pub(crate) fn shows(&self, source: &HookFile) -> bool {
        self.only.as_ref().is_none_or(|only| source.scope == *only)
    }

    /// Returns the other entries that run the same hook on the same event, and the plugins whose modules can skip it: for
    /// programs, and as lines below the hook.
    pub(crate) fn others(&self, source: &HookFile, handler: &Handler) -> (Value, Vec<String>, Text) {
        let others = self.copies.others(&self.session, handler);
        let mut text = Text::new();
        for other in &others {
            text.plain("\n        ").words(WARNING, "runs twice").plain(": ");
            text.plain(other.text());
        }
        let mods = Loaded::by(self.client.as_ref(), &self.session).over(source, handler);
        if !mods.is_empty() {
            text.plain("\n        ").words(WARNING, "can be skipped");
            text.plain(format_args!(" by {}", one_line(&mods.join(", "))));
        }
        let mods = mods.into_iter().map(str::to_owned).collect();
        (others.iter().map(Other::value).collect(), mods, text)
    }

    /// The file that a place is about.
    pub(crate) fn source(&self, place: &Place) -> Option<&HookFile> {
        let mut sources = self.session.sources.iter();
        sources.find(|source| !source.is_plugin() && source.path == place.settings())
    }
}

/// The hook of this workspace that is here, if it is one.
pub(crate) fn our_hook<'h>(source: &HookFile, handler: &'h Handler, places: &[Place]) -> Option<&'h str> {
    let mut places = places
        .iter()
        .filter(|place| place.settings() == source.path && !source.is_plugin());
    places.find_map(|place| place.hook(handler.command()?))
}

/// The place of a hook, and what is written there.
pub(crate) fn row(kind: &str, source: &HookFile, handler: &Handler) -> Value {
    json!({
        "kind": kind,
        "scope": source.scope.to_string(),
        "file": source.path.display().to_string(),
        "line": handler.place.line,
        "column": handler.place.column,
        "event": handler.event,
        "matcher": handler.matcher,
        "hook": handler.values,
    })
}

/// Returns the column that the subjects of hooks take.
pub(crate) fn column<'h>(handlers: impl IntoIterator<Item = &'h Handler>) -> usize {
    // A matcher can be of any length.
    const WIDEST: usize = 32;
    let widths = handlers.into_iter().map(|handler| width(&one_line(&handler.subject())));
    widths.filter(|width| *width <= WIDEST).max().unwrap_or_default()
}

/// Adds the members that a plugin's package has for a hook to its row.
pub(crate) fn add_packaged(row: &mut Value, plugin: &Packaged, hook: &PackagedHook) {
    let declared = &hook.declared;
    let members = json!({
        "name": declared.name,
        "plugin": plugin.scope.plugin(),
        "version": plugin.package.version,
        "package": declared.package,
        "package_version": declared.package_version,
        "path": declared.path,
    });
    extend(row, members);
}

/// A hook in one line, whose subject is in a column of that width: on what, and what it does.
pub(crate) fn line(handler: &Handler, column: usize) -> Text {
    const LONGEST: usize = 76;
    let mut what = handler.what();
    if let Some((end, _)) = what.char_indices().nth(LONGEST) {
        what.truncate(end);
        what.push('…');
    }
    let mut line = subject(handler, column);
    let what = handler.command().and_then(of_hookkit).unwrap_or(&what);
    line.foreign_command(&one_line(what)).dimmed(conditions(handler));
    line
}

/// The same of a hook that a plugin's package names.
pub(crate) fn packaged_line(handler: &Handler, hook: &PackagedHook, column: usize) -> Text {
    let mut line = subject(handler, column);
    let of = format!(" of {} {}", hook.declared.package, hook.declared.package_version);
    line.bold(one_line(&hook.declared.name)).dimmed(one_line(&of));
    line.dimmed(conditions(handler));
    line
}

fn subject(handler: &Handler, column: usize) -> Text {
    // A command of two lines shall not look like two hooks.
    let subject = handler.subject();
    let subject = one_line(&subject);
    let mut line = Text::new();
    line.plain(&subject)
        .plain(':')
        .plain(" ".repeat(column.saturating_sub(width(&subject)) + 1))
        .hang();
    line
}

fn conditions(handler: &Handler) -> String {
    match &handler.conditions()[..] {
        [] => String::new(),
        conditions => one_line(&format!(" ({})", conditions.join(", "))).into_owned(),
    }
}
