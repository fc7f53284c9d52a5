//! How it is told, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, Source, State, at};
use crate::diagnose::finding::{Finding, Fix};
use crate::rows::Format;
use crate::settings::check::{self, Loss};
use crate::settings::document::{self, Position};
use crate::settings::folders::Scope;
use crate::terminal::{counted, hooks_by_entries, one_line, shown};

#[cfg(test)]
use std::panic::Location;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Finding,
    /// What is to be known, and is no fault.
    Note,
}

/// Something that is told.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) kind: Kind,
    /// Whose file it is about.
    pub(crate) scope: Option<Scope>,
    pub(super) file: Option<PathBuf>,
    pub(super) place: Option<Position>,
    pub(super) what: String,
    pub(super) does: String,
    /// Empty where `what` says it.
    pub(super) fix: String,
    /// The edit that fixes it, of the hook that begins there in the text.
    pub(super) edit: Option<(usize, Fix)>,
    /// A second place that it is about.
    pub(super) other: Option<(PathBuf, Position)>,
    /// The line of the rule.
    #[cfg(test)]
    pub(super) site: &'static Location<'static>,
}

impl Told {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn new(what: impl Into<String>, does: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            kind: Kind::Finding,
            scope: None,
            file: None,
            place: None,
            what: what.into(),
            does: does.into(),
            fix: fix.into(),
            edit: None,
            other: None,
            #[cfg(test)]
            site: Location::caller(),
        }
    }

    /// Returns the report of a rule about hooks.
    pub(crate) fn of(finding: &Finding) -> Self {
        Self {
            #[cfg(test)]
            site: finding.site,
            ..Self::new(&finding.what, &finding.does, &finding.fix)
        }
    }

    /// Returns the report of a part of a file that Claude Code does not read.
    pub(crate) fn of_settings(finding: &check::Finding) -> Self {
        Self {
            #[cfg(test)]
            site: finding.site,
            ..Self::new(&finding.what, finding.loss.to_string(), &finding.fix)
        }
    }

    /// Why Claude Code reads nothing of a file.
    pub(crate) fn of_refusal(refusal: document::Refusal) -> Self {
        Self {
            #[cfg(test)]
            site: refusal.site,
            ..Self::new(refusal.what, Loss::File.to_string(), refusal.fix)
        }
    }

    pub(crate) fn note(self) -> Self {
        Self {
            kind: Kind::Note,
            ..self
        }
    }

    pub(crate) fn at(self, source: &Source, place: impl Into<Option<Position>>) -> Self {
        Self {
            scope: Some(source.scope.clone()),
            file: Some(source.path.clone()),
            place: place.into(),
            ..self
        }
    }

    pub(crate) fn beside(self, path: &Path, place: Position) -> Self {
        Self {
            other: Some((path.to_owned(), place)),
            ..self
        }
    }

    /// With the edit that a rule knows, where the hook is the user's to edit.
    pub(crate) fn fixed_by(self, source: &Source, hook: &Handler, fix: Option<&Fix>) -> Self {
        // What is outside of the project is told, and not changed.
        let is_outside = matches!(source.scope, Scope::Managed | Scope::OuterLocal);
        let is_theirs = !source.is_plugin() && !is_outside && source.state == State::Read;
        Self {
            edit: fix.filter(|_| is_theirs).map(|fix| (hook.range.start, fix.clone())),
            ..self
        }
    }

    fn text(&self) -> String {
        let mut text = match (&self.file, self.place) {
            (Some(file), Some(place)) => format!("{}:{}:{}: ", shown(file), place.line, place.column),
            (Some(file), None) => format!("{}: ", shown(file)),
            (None, _) => String::new(),
        };
        if self.kind == Kind::Note {
            text += "note: ";
        }
        text += &one_line(&self.what);
        if let Some((path, place)) = &self.other {
            // Writing to a string cannot fail.
            let _ = write!(text, " ({})", at(Path::new(&shown(path)), *place));
        }
        for line in [&self.does, &self.fix].into_iter().filter(|line| !line.is_empty()) {
            let _ = write!(text, "\n  {}", one_line(line));
        }
        text
    }

    fn row(&self) -> Value {
        let path = |path: &PathBuf| path.display().to_string();
        json!({
            "kind": match self.kind {
                Kind::Finding => "finding",
                Kind::Note => "note",
            },
            "scope": self.scope.as_ref().map(ToString::to_string),
            "file": self.file.as_ref().map(path),
            "line": self.place.map(|place| place.line),
            "column": self.place.map(|place| place.column),
            "what": self.what,
            "does": self.does,
            "fix": self.fix,
            "fixable": self.edit.is_some(),
            "other": self.other.as_ref().map(|(path, place)| at(path, *place)),
        })
    }
}

/// All that is told.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) told: Vec<Told>,
    /// Where the session is that was looked at.
    pub(crate) project: PathBuf,
    /// Whether that was asked for.
    pub(crate) is_project_named: bool,
    /// What installed hooks did, for programs.
    pub(crate) trials: Vec<Value>,
    /// The entries of hooks; one that is called on several events has one for each.
    pub(crate) hooks: usize,
    pub(crate) distinct_hooks: usize,
    /// The files that are there.
    pub(crate) files: usize,
}

/// How many of one kind are told of a file one by one.
const ONE_BY_ONE: usize = 10;

impl Report {
    /// Puts it in the order of the session's files and of their text; what is about none of them comes last.
    pub(crate) fn sort(&mut self, session: &Session) {
        let mut ranks: BTreeMap<&Path, usize> = BTreeMap::new();
        for (rank, source) in session.sources.iter().enumerate() {
            ranks.entry(&source.path).or_insert(rank);
        }
        let rank = |told: &Told| {
            let rank = told.file.as_deref().and_then(|file| ranks.get(file).copied());
            let place = told.place.map(|place| (place.line, place.column));
            (rank.unwrap_or(usize::MAX), place)
        };
        self.told.sort_by_key(rank);
    }

    fn findings(&self) -> impl Iterator<Item = &Told> {
        self.told.iter().filter(|told| told.kind == Kind::Finding)
    }

    pub(crate) fn print(&self, format: &Format) -> Result<()> {
        let summary = json!({
            "kind": "summary",
            "findings": self.findings().count(),
            "hooks": self.hooks,
            "files": self.files,
            "project": self.project.display().to_string(),
        });
        let rows = self.told.iter().map(Told::row).chain(self.trials.iter().cloned());
        let rows: Vec<Value> = rows.chain([summary]).collect();
        format.print(self.text(), &rows)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut counts: BTreeMap<(Option<&Path>, &str), usize> = BTreeMap::new();
        let mut file = None;
        for told in &self.told {
            let count = counts.entry((told.file.as_deref(), &told.what)).or_default();
            *count += 1;
            if *count > ONE_BY_ONE {
                continue;
            }
            if file.is_some_and(|file| file != &told.file) {
                text.push('\n');
            }
            file = Some(&told.file);
            text += &told.text();
            text.push('\n');
        }
        for ((file, what), count) in counts.iter().filter(|(_, count)| **count > ONE_BY_ONE) {
            let file = file.map_or_else(String::new, |file| format!("{}: ", shown(file)));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "\n{file}{} more like those: {}",
                count - ONE_BY_ONE,
                one_line(what)
            );
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text += &match self.findings().count() {
            0 => "Nothing to fix".to_owned(),
            findings => counted(findings, "finding"),
        };
        text += &self.subject();
        let fixes = self.findings().filter(|told| told.edit.is_some()).count();
        if fixes > 0 {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "\n`--fix` shows what would fix {fixes} of them, and `--fix --yes` writes it"
            );
        }
        text
    }

    /// What was looked at. A project that is not the one that was meant is known by it.
    fn subject(&self) -> String {
        let project = one_line(&self.project.display().to_string()).into_owned();
        let hooks = hooks_by_entries(self.distinct_hooks, self.hooks);
        let files = counted(self.files, "file");
        let mut text = match self.hooks {
            0 => format!(" in {project}, where no hook is: {files} looked at"),
            _ => format!(" in {project}: {hooks} in {files}"),
        };
        let ran = self.trials.iter().filter(|trial| trial["stdin"] == "recorded").count();
        if ran > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {ran} of them run");
        }
        if self.hooks == 0 && !self.is_project_named {
            text += "\nName the project that you mean: --project DIR";
        }
        text
    }
}
