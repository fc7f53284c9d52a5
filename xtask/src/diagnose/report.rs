//! The report of `doctor`, for people and for programs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State, at};
use crate::diagnose::finding::{Finding, Fix};
use crate::diagnose::pointer::pointed;
use crate::settings::check::{self, Ignored};
use crate::settings::code::Code;
use crate::settings::document::{self, Position};
use crate::settings::folders::Scope;
use crate::terminal::rows::Format;
use crate::terminal::snippet::{self, Severity};
use crate::terminal::style::DONE;
use crate::terminal::text::Text;
use crate::terminal::width::columns;
use crate::terminal::{self, counted, hooks_by_entries, one_line};

#[cfg(test)]
use std::panic::Location;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Finding,
    /// Information, not a mistake.
    Note,
}

/// A finding or a note, with its place.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    pub(crate) kind: Kind,
    severity: Severity,
    pub(super) code: Code,
    /// Scope of the file that it is about.
    pub(crate) scope: Option<Scope>,
    pub(super) file: Option<PathBuf>,
    pub(super) place: Option<Position>,
    pub(super) what: String,
    pub(super) does: String,
    /// Empty if `what` implies it.
    pub(super) fix: String,
    /// Edit that fixes it, with the offset in the text at which the edited hook begins.
    pub(super) edit: Option<(usize, Fix)>,
    /// Second place that it is about.
    pub(super) other: Option<(PathBuf, Position)>,
    /// Line of the rule.
    #[cfg(test)]
    pub(super) site: &'static Location<'static>,
}

impl Diagnostic {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn new(code: Code, what: impl Into<String>, does: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            kind: Kind::Finding,
            severity: Severity::Warning,
            code,
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

    /// Makes one from the finding of a rule about hooks.
    pub(crate) fn of(finding: &Finding) -> Self {
        Self {
            #[cfg(test)]
            site: finding.site,
            ..Self::new(finding.code, &finding.what, &finding.does, &finding.fix)
        }
    }

    /// Makes one for a part of a file that Claude Code does not read.
    pub(crate) fn of_settings(finding: &check::Mistake) -> Self {
        Self {
            #[cfg(test)]
            site: finding.site,
            ..Self::new(finding.code, &finding.what, finding.ignored.to_string(), &finding.fix).error()
        }
    }

    /// Makes one for a file that Claude Code, or hookkit, does not read at all.
    pub(crate) fn of_refusal(refusal: document::Refusal) -> Self {
        let does = match refusal.code {
            Code::NestedTooDeep => "its hooks are not checked".to_owned(),
            _ => Ignored::File.to_string(),
        };
        Self {
            #[cfg(test)]
            site: refusal.site,
            ..Self::new(refusal.code, refusal.what, does, refusal.fix).error()
        }
    }

    /// Marks a part of a file that Claude Code does not read.
    pub(crate) fn error(self) -> Self {
        Self {
            severity: Severity::Error,
            ..self
        }
    }

    pub(crate) fn note(self) -> Self {
        Self {
            kind: Kind::Note,
            ..self
        }
    }

    pub(crate) fn at(self, source: &HookFile, place: impl Into<Option<Position>>) -> Self {
        Self {
            scope: Some(source.scope.clone()),
            file: Some(source.path.clone()),
            place: place.into(),
            ..self
        }
    }

    /// Puts it at a file as a whole, which may be missing.
    pub(crate) fn in_file(self, scope: &Scope, file: PathBuf) -> Self {
        Self {
            scope: Some(scope.clone()),
            file: Some(file),
            ..self
        }
    }

    pub(crate) fn see_also(self, path: &Path, place: Position) -> Self {
        Self {
            other: Some((path.to_owned(), place)),
            ..self
        }
    }

    /// Adds the edit of a rule, if the user may edit the hook.
    pub(crate) fn fixed_by(self, source: &HookFile, hook: &Handler, fix: Option<&Fix>) -> Self {
        // Files outside of the project are reported, but not changed.
        let is_outside = matches!(source.scope, Scope::Managed | Scope::OuterLocal);
        let is_editable = !source.is_plugin() && !is_outside && source.state == State::Read;
        Self {
            edit: fix.filter(|_| is_editable).map(|fix| (hook.range.start, fix.clone())),
            ..self
        }
    }

    fn severity(&self) -> Severity {
        match self.kind {
            Kind::Finding => self.severity,
            Kind::Note => Severity::Note,
        }
    }

    /// Returns the key by which findings are grouped for display.
    fn group(&self) -> (Option<&Path>, Severity, [&str; 3]) {
        let words = [&*self.what, &*self.does, &*self.fix];
        (self.file.as_deref(), self.severity(), words)
    }

    fn row(&self) -> Value {
        let path = |path: &PathBuf| path.display().to_string();
        json!({
            "kind": match self.kind {
                Kind::Finding => "finding",
                Kind::Note => "note",
            },
            "code": self.code.name(),
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

/// All findings of a run, and the counts for its summary.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Project of the session.
    pub(crate) project: PathBuf,
    /// `true` if the user named the project.
    pub(crate) is_project_named: bool,
    /// Rows of the installed hooks that were run, for programs.
    pub(crate) trials: Vec<Value>,
    /// Number of entries; a hook has one per event.
    pub(crate) hooks: usize,
    pub(crate) distinct_hooks: usize,
    /// Number of files that exist.
    pub(crate) files: usize,
}

/// Maximum number of findings of a file that are shown to people; equal ones count as one.
const SHOWN: usize = 50;

impl Report {
    /// Sorts the findings by the session's files and by their places in the text; those without a file come last.
    pub(crate) fn sort(&mut self, session: &Session) {
        let mut ranks: BTreeMap<&Path, usize> = BTreeMap::new();
        for (rank, source) in session.sources.iter().enumerate() {
            ranks.entry(&source.path).or_insert(rank);
        }
        let rank = |diagnostic: &Diagnostic| {
            let rank = diagnostic.file.as_deref().and_then(|file| ranks.get(file).copied());
            let place = diagnostic.place.map(|place| (place.line, place.column));
            (rank.unwrap_or(usize::MAX), place)
        };
        self.diagnostics.sort_by_key(rank);
    }

    fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.kind == Kind::Finding)
    }

    pub(crate) fn print(&self, session: &Session, format: &Format) -> Result<()> {
        let summary = json!({
            "kind": "summary",
            "findings": self.findings().count(),
            "hooks": self.hooks,
            "files": self.files,
            "project": self.project.display().to_string(),
        });
        let rows = self
            .diagnostics
            .iter()
            .map(Diagnostic::row)
            .chain(self.trials.iter().cloned());
        let rows: Vec<Value> = rows.chain([summary]).collect();
        let text = match format.is_json() {
            true => Text::new(),
            false => {
                let mut text = self.text(session, columns(io::stdout()));
                self.summary(&mut text);
                text
            }
        };
        format.print(text, &rows)
    }

    /// Returns the findings for people, on a screen of that many columns.
    pub(super) fn text(&self, session: &Session, columns: Option<usize>) -> Text {
        let mut text = Text::new();
        let mut left_out: BTreeMap<Option<&Path>, usize> = BTreeMap::new();
        let mut shown: BTreeMap<Option<&Path>, usize> = BTreeMap::new();
        for alike in self.alike() {
            let file = alike[0].file.as_deref();
            let shown = shown.entry(file).or_default();
            *shown += 1;
            if *shown > SHOWN {
                *left_out.entry(file).or_default() += alike.len();
                continue;
            }
            let sources = session.sources.iter();
            let source = sources
                .filter(|source| Some(&*source.path) == file)
                .find(|source| !source.text.is_empty());
            let others = alike.iter().filter_map(|diagnostic| diagnostic.other.as_ref());
            let text_of_file = source.map(|source| &*source.text);
            let places = alike
                .iter()
                .filter_map(|diagnostic| diagnostic.place)
                .enumerate()
                .map(|(index, place)| {
                    let text = text_of_file.filter(|_| index < snippet::SHOWN);
                    let place = text.map_or(place, |text| pointed(text, place, &alike[0].what));
                    (place.line, place.column)
                });
            let report = snippet::Report {
                severity: alike[0].severity(),
                code: Some(alike[0].code.name()),
                what: &alike[0].what,
                does: &alike[0].does,
                fix: &alike[0].fix,
                notes: others
                    .map(|(path, place)| format!("see also {}", at(Path::new(&terminal::shown(path)), *place)))
                    .collect(),
                file: file.map(terminal::shown),
                text: text_of_file,
                places: places.collect(),
            };
            text.append(report.render(columns)).line_end();
        }
        for (file, count) in left_out {
            let file = file.map_or_else(|| "no file".to_owned(), terminal::shown);
            let count = counted(count, "more finding");
            text.bold(count)
                .plain(" in ")
                .path(file)
                .plain("; `--json` prints them all\n\n");
        }
        text
    }

    /// Returns the findings in their order, grouped by equal text.
    fn alike(&self) -> Vec<Vec<&Diagnostic>> {
        let mut groups: Vec<Vec<&Diagnostic>> = Vec::new();
        let mut known = BTreeMap::new();
        for diagnostic in &self.diagnostics {
            let group = *known.entry(diagnostic.group()).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(alike) => alike.push(diagnostic),
                None => groups.push(vec![diagnostic]),
            }
        }
        groups
    }

    fn summary(&self, text: &mut Text) {
        let findings = self.findings().count();
        match findings {
            0 => text.words(DONE, "Nothing to fix"),
            _ => text.bold(counted(findings, "finding")),
        };
        self.subject(text);
        let fixes = self.findings().filter(|diagnostic| diagnostic.edit.is_some()).count();
        if fixes > 0 {
            text.plain("\n`")
                .command("--fix")
                .plain(format_args!("` shows the edits for {fixes} of them, and `"));
            text.command("--fix --yes").plain("` makes them");
        }
        if findings > 0 {
            text.plain("\n`").command("--explain CODE");
            text.plain("` prints the cause of a finding, and its fix");
        }
    }

    /// Prints the project and the counts, so that the user notices a wrong project.
    fn subject(&self, text: &mut Text) {
        let project = one_line(&self.project.display().to_string()).into_owned();
        let hooks = hooks_by_entries(self.distinct_hooks, self.hooks);
        let files = counted(self.files, "file");
        text.plain(" in ").path(project);
        text.plain(match self.hooks {
            0 => format!(": no hooks in {files}"),
            _ => format!(": {hooks} in {files}"),
        });
        let ran = self.trials.iter().filter(|trial| trial["stdin"] == "recorded").count();
        if ran > 0 {
            text.plain(format_args!("; tried {ran} of them, which `install` wrote"));
        }
        if self.hooks == 0 && !self.is_project_named {
            text.plain("\nTo check another project: ").command("--project DIR");
        }
    }
}
