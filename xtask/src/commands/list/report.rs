//! The session that `list` examines, and the report that it prints.

use std::sync::Arc;

use semver::Version;

use crate::commands::prelude::*;
use crate::diagnose::active::plugins::Packaged;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile};
use crate::diagnose::copies::{Copies, Other};
use crate::diagnose::mods::Loaded;
use crate::diagnose::packages;
use crate::disk::bounded::{Deadline, SECONDS};
use crate::history::name::of_hookkit;
use crate::settings::place::Place;
use crate::settings::plugin::parts::PackagedHook;
use crate::terminal::{cut, extend, width};

/// The report, as text and as JSON.
#[derive(Default)]
pub(crate) struct Report {
    /// Text report, in paragraphs.
    pub(crate) paragraphs: Vec<Text>,
    /// JSON report, one row per line.
    pub(crate) rows: Vec<Value>,
}

impl Report {
    /// Adds the findings about all hooks, within the time limit.
    ///
    /// # Errors
    ///
    /// Fails if the time limit is exceeded; then nothing is added.
    pub(crate) fn extend_in_time(
        &mut self,
        seen: &Arc<Seen>,
        add: impl FnOnce(&Seen, &mut Self) + Send + 'static,
    ) -> Result<()> {
        let seen = Arc::clone(seen);
        let found = Deadline::new()
            .within(move || {
                let mut report = Self::default();
                add(&seen, &mut report);
                report
            })
            .with_context(|| {
                format!("checking all hooks takes longer than {SECONDS} s; to find the slow file: `cargo xtask doctor`")
            })?;
        self.paragraphs.extend(found.paragraphs);
        self.rows.extend(found.rows);
        Ok(())
    }
}

/// The session to list.
pub(crate) struct Seen {
    pub(crate) session: Session,
    /// Hooks that the session has more than once: in the settings and in a plugin, or in two plugins.
    pub(crate) copies: Copies,
    pub(crate) project: PathBuf,
    /// The client's version. `None` if no plugin has modules, or if it cannot be read.
    pub(crate) client: Option<Version>,
    /// The scope, if the user selected exactly one.
    pub(crate) only: Option<crate::settings::folders::Scope>,
}

impl Seen {
    pub(crate) fn shows(&self, source: &HookFile) -> bool {
        self.only.as_ref().is_none_or(|only| source.scope == *only)
    }

    /// Returns the other entries that run the same hook on the same event, and the plugins whose modules can skip the
    /// hook: as JSON values, and as lines below the hook.
    pub(crate) fn others(&self, source: &HookFile, handler: &Handler) -> (Vec<Value>, Vec<String>, Text) {
        let others = self.copies.others(&self.session, handler);
        let mut text = Text::new();
        for other in &others {
            text.plain("\n        ").words(WARNING, "runs twice").plain(": ");
            text.plain(other.text());
        }
        let mods = Loaded::by(self.client.as_ref(), &self.session).over(source, handler);
        if !mods.is_empty() {
            text.plain("\n        ").words(WARNING, "can be skipped");
            text.plain(format_args!(" by {}", one_line(mods.join(", "))));
        }
        let mods = mods.into_iter().map(str::to_owned).collect();
        (others.iter().map(Other::value).collect(), mods, text)
    }

    /// Returns the file of a settings location.
    pub(crate) fn source(&self, place: &Place) -> Option<&HookFile> {
        self.session.sources.iter().find(|source| !source.is_plugin() && source.path == place.settings())
    }
}

/// A hook in a file, as both lists describe it.
pub(crate) struct Listed<'s> {
    source: &'s HookFile,
    handler: &'s Handler,
    packaged: Option<(&'s Packaged, &'s PackagedHook)>,
    /// The hook's name and settings location, if it belongs to this workspace.
    pub(crate) ours: Option<(&'s str, &'s Place)>,
}

impl<'s> Listed<'s> {
    pub(crate) fn new(seen: &'s Seen, source: &'s HookFile, handler: &'s Handler, places: &'s [Place]) -> Self {
        let mut places = places.iter().filter(|place| place.settings() == source.path && !source.is_plugin());
        Self {
            source,
            handler,
            packaged: packages::hook(&seen.session, source, handler),
            ours: places.find_map(|place| Some((place.hook(handler.command()?)?, place))),
        }
    }

    /// Returns the hook's location and content as a JSON row.
    pub(crate) fn row(&self) -> Value {
        let kind = match (self.ours, self.packaged) {
            (Some(_), _) => "own",
            (None, Some(_)) => "plugin",
            (None, None) => "foreign",
        };
        let Self { source, handler, .. } = self;
        let mut row = row(
            kind,
            json!({
                "scope": source.scope.to_string(),
                "file": source.path.display().to_string(),
                "line": handler.place.line,
                "column": handler.place.column,
                "event": handler.event,
                "matcher": handler.matcher,
                "hook": handler.values,
            }),
        );
        if let Some((plugin, hook)) = self.packaged {
            let declared = &hook.declared;
            let members = json!({
                "name": declared.name,
                "plugin": plugin.scope.plugin(),
                "version": plugin.package.version,
                "package": declared.package,
                "package_version": declared.package_version,
                "path": declared.path,
            });
            extend(&mut row, members);
        }
        row
    }

    /// Returns the hook on one line: its subject, in a column of this width, and its effect.
    pub(crate) fn line(&self, column: usize) -> Text {
        const LONGEST: usize = 76;
        let handler = self.handler;
        // A command of two lines must not look like two hooks.
        let subject = one_line(handler.subject());
        let mut line = Text::new();
        line.plain(&subject).plain(':').plain(" ".repeat(column.saturating_sub(width(&subject)) + 1)).hang();
        if let Some((_, PackagedHook { declared, .. })) = self.packaged {
            let of = format!(" of {} {}", declared.package, declared.package_version);
            line.bold(one_line(&declared.name)).dimmed(one_line(&of));
        } else {
            let what = cut(&handler.what(), LONGEST);
            let what = handler.command().and_then(of_hookkit).unwrap_or(&what);
            line.foreign_command(&one_line(what));
        }
        let conditions = handler.conditions().join(", ");
        if !conditions.is_empty() {
            line.dimmed(one_line(format_args!(" ({conditions})")));
        }
        line
    }
}

/// Adds the reason why a hook does not run, on a line below the hook.
pub(crate) fn reason_below(text: &mut Text, indent: &str, what: &str, why: &str) {
    text.plain('\n').plain(indent).words(WARNING, what);
    text.plain(": ").plain(one_line(why));
}

/// Returns the width of the column for the hooks' subjects.
pub(crate) fn column<'h>(handlers: impl IntoIterator<Item = &'h Handler>) -> usize {
    // A matcher can have any length.
    const WIDEST: usize = 32;
    handlers
        .into_iter()
        .map(|handler| width(&one_line(handler.subject())))
        .filter(|width| *width <= WIDEST)
        .max()
        .unwrap_or_default()
}
