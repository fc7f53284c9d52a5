//! `cargo xtask list`

mod foreign;
mod own;
mod subject;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::build::generated::Build;
use crate::build::link::Toolchain;
use crate::cargo::workspace::{Naming, Workspace};
use crate::diagnose::active::{Handler, Session, Source, Subject};
use crate::disk::bounded;
use crate::disk::bounded::Deadline;
use crate::settings::installed;
use crate::settings::installed::Record;
use crate::settings::place::Place;
use crate::settings::scope::Target;
use crate::terminal::{one_line, print, tell};

pub(crate) const EXAMPLES: &str = "Examples:
  cargo xtask list --project ../app
  cargo xtask list --for 'PreToolUse:Bash'
  cargo xtask list --for Stop
  cargo xtask list --json | jq -r 'select(.kind == \"foreign\") | .file'

With --json it prints one object a line, told apart by `kind`:
  own      a hook of this workspace: its definition, and in `places` where it stands: scope, file, line, state, why_not, link,
           without_binary (what it means there that the binary is missing: block, continue)
  foreign  any other hook: scope, file, line, column, event, matcher, hook (as it is written), in_force, why_not, finding,
           matches_nothing (what of its matcher does)
  file     a file of which something is not read: scope, file, state, reasons, findings
With --for each line is `own` or `foreign`, and beside the place has `runs`, and `where` or `why_not`;
an own one has its `name`, and `binary` where that is missing.";

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    /// Only what runs on this, and why the other hooks of that event do not: `Stop`, `PreToolUse:Bash`, `SessionStart:clear`
    #[arg(long = "for", value_name = "EVENT[:SUBJECT]")]
    subject: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Another folder of managed settings, for tests
    #[arg(long, value_name = "DIR", hide = true)]
    managed: Option<PathBuf>,
}

/// What is printed.
#[derive(Default)]
struct Report {
    /// For people, in paragraphs.
    paragraphs: Vec<String>,
    /// For programs, a line each.
    rows: Vec<Value>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    // What cannot be meant is said before anything is built.
    let subject = options.subject.as_deref().map(Subject::parse).transpose()?;
    let mut folders = options.target.folders()?;
    if let Some(managed) = &options.managed {
        folders.managed.clone_from(managed);
    }
    let seen = Arc::new(Seen {
        session: Session::of(&folders),
        project: folders.project.unwrap_or_default(),
        only: options.target.only(),
    });
    let mut report = Report::default();
    let done = match subject {
        Some(subject) => {
            let places = places(options)?;
            let tell = move |seen: &Seen, report: &mut Report| subject::tell(&subject, seen, &places, report);
            report.extend_in_time(&seen, tell)
        }
        None => whole(options, &seen, &mut report),
    };
    report.print(options.json)?;
    done
}

/// All hooks, whatever happens.
///
/// # Errors
///
/// Where nothing can be said of the workspace's own hooks. All others are told nevertheless.
fn whole(options: &Options, seen: &Arc<Seen>, report: &mut Report) -> Result<()> {
    if !has_workspace()? {
        let none = "There is no cargo workspace here, so that no hook is one of its own.";
        report.paragraphs.push(none.to_owned());
        return report.extend_in_time(seen, |seen, report| foreign::tell(seen, &[], report));
    }
    match of_workspace(options, seen, report) {
        Ok((places, advice)) => {
            let done = report.extend_in_time(seen, move |seen, report| foreign::tell(seen, &places, report));
            report.paragraphs.extend(advice);
            done
        }
        Err(err) => {
            let places = places(options).unwrap_or_default();
            let done = report.extend_in_time(seen, move |seen, report| foreign::tell(seen, &places, report));
            done.and(Err(err))
        }
    }
}

/// The workspace's own hooks; the places where they can be, and what to type for quicker ones.
fn of_workspace(options: &Options, seen: &Seen, report: &mut Report) -> Result<(Vec<Place>, Option<String>)> {
    let workspace = Workspace::find()?;
    let mut ours = Vec::new();
    for place in options.target.places(&workspace.naming())? {
        match installed::ensure_ours(&place, &workspace.root).and_then(|_| Record::read(&place)) {
            Ok(record) => ours.push((place, record.unwrap_or_default())),
            // What stands there is another workspace's.
            Err(err) => tell(format_args!("note: {}: {err}", place.settings().display())),
        }
    }
    let toolchain = Toolchain::find(&workspace.root)?;
    let build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let hooks = build.definitions()?;
    let head = format!(
        "Hooks of this workspace, {}; `cargo xtask install --check` compares their binaries with the sources",
        workspace.root.display()
    );
    report.paragraphs.push(head);
    own::tell(&hooks, &ours, seen, report);
    let places = ours.into_iter().map(|(place, _)| place);
    Ok((places.collect(), toolchain.advice()))
}

/// The places where hooks of this workspace can be, if there is one.
fn places(options: &Options) -> Result<Vec<Place>> {
    if !has_workspace()? {
        return Ok(Vec::new());
    }
    options.target.places(&Naming::find()?)
}

impl Report {
    /// Adds to it what is found of all hooks, in the time that there is for it.
    ///
    /// # Errors
    ///
    /// Where that is over: nothing is added then.
    fn extend_in_time(&mut self, seen: &Arc<Seen>, tell: impl FnOnce(&Seen, &mut Self) + Send + 'static) -> Result<()> {
        let seen = Arc::clone(seen);
        let found = Deadline::new().within(move || {
            let mut report = Self::default();
            tell(&seen, &mut report);
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

    fn print(&self, as_json: bool) -> Result<()> {
        if !as_json {
            return print(self.paragraphs.join("\n\n"));
        }
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows: Vec<String> = self.rows.iter().map(Value::to_string).collect();
        print(rows.join("\n"))
    }
}

/// Whether cargo has something to say here at all. What it refuses is told as what it is.
fn has_workspace() -> Result<bool> {
    let here = env::current_dir()?;
    Ok(here.ancestors().any(|folder| folder.join("Cargo.toml").is_file()))
}

/// What is looked at.
struct Seen {
    session: Session,
    project: PathBuf,
    /// The only scope that is asked for, if it is one.
    only: Option<crate::diagnose::active::Scope>,
}

impl Seen {
    fn shows(&self, source: &Source) -> bool {
        self.only.as_ref().is_none_or(|only| source.scope == *only)
    }

    /// The file that a place is about.
    fn source(&self, place: &Place) -> Option<&Source> {
        let mut sources = self.session.sources.iter();
        sources.find(|source| !source.is_plugin() && source.path == place.settings())
    }
}

/// The hook of this workspace that stands here, if it is one.
fn our_hook<'h>(source: &Source, handler: &'h Handler, places: &[Place]) -> Option<&'h str> {
    let mut places = places
        .iter()
        .filter(|place| place.settings() == source.path && !source.is_plugin());
    places.find_map(|place| place.hook(handler.command()?))
}

/// A path as it is typed from here, where it is below the current folder.
pub(crate) fn shown(path: &Path) -> String {
    let here = env::current_dir().and_then(|here| here.canonicalize());
    let below = here
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = below.unwrap_or_else(|| path.to_owned());
    one_line(&path.display().to_string()).into_owned()
}

/// Where a hook stands, and what is written there.
fn row(kind: &str, source: &Source, handler: &Handler) -> Value {
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

/// A hook in one line: where, on what, and what it does.
fn line(handler: &Handler) -> String {
    const LONGEST: usize = 76;
    let mut what = handler.what();
    if let Some((end, _)) = what.char_indices().nth(LONGEST) {
        what.truncate(end);
        what.push('…');
    }
    let conditions = handler.conditions();
    let conditions = match &conditions[..] {
        [] => String::new(),
        conditions => format!(" ({})", conditions.join(", ")),
    };
    let line = format!("{}: {what}{conditions}", handler.subject());
    // A command of two lines shall not look like two hooks.
    one_line(&line).into_owned()
}
