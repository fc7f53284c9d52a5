//! The report of `doctor`, as text and as JSON.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::at;
use crate::diagnose::pointer::pointed;
use crate::settings::finding::{Finding, Severity};
use crate::settings::shown::alike;
use crate::settings::snippet;
use crate::terminal::rows::Format;
use crate::terminal::style::DONE;
use crate::terminal::text::Text;
use crate::terminal::width::columns;
use crate::terminal::{self, Done, counted, hooks_by_entries, one_line};

/// Returns a finding as a JSON row.
fn row(finding: &Finding) -> Value {
    let path = |path: &PathBuf| path.display().to_string();
    json!({
        "kind": if finding.is_note() { "note" } else { "finding" },
        "code": finding.code.name,
        "scope": finding.scope.as_ref().map(ToString::to_string),
        "file": finding.file.as_ref().map(path),
        "line": finding.place.map(|place| place.line),
        "column": finding.place.map(|place| place.column),
        "what": finding.what,
        "does": finding.does,
        "fix": finding.fix,
        "fixable": finding.edit.is_some(),
        "other": finding.other.as_ref().map(|(path, place)| at(path, *place)),
    })
}

/// Returns the key that groups findings for display.
fn group(finding: &Finding) -> (Option<&Path>, Severity, [&str; 3]) {
    let words = [&*finding.what, &*finding.does, &*finding.fix];
    (finding.file.as_deref(), finding.severity, words)
}

/// All findings of a run, and the counts in its summary.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Finding>,
    /// Project of the session.
    pub(crate) project: PathBuf,
    /// `true` if the user named the project.
    pub(crate) is_project_named: bool,
    /// JSON rows about the test runs of installed hooks.
    pub(crate) trials: Vec<Value>,
    /// Number of entries; a hook has one per event.
    pub(crate) hooks: usize,
    pub(crate) distinct_hooks: usize,
    /// Number of files that exist.
    pub(crate) files: usize,
}

/// Maximum number of findings shown per file in the text report. Equal findings count as one.
const SHOWN: usize = 50;

impl Report {
    /// Sorts the findings by the session's files and by position. Findings without a file come last.
    pub(crate) fn sort(&mut self, session: &Session) {
        let mut ranks: BTreeMap<&Path, usize> = BTreeMap::new();
        for (rank, source) in session.files().enumerate() {
            ranks.entry(&source.path).or_insert(rank);
        }
        let rank = |finding: &Finding| {
            let rank = finding.file.as_deref().and_then(|file| ranks.get(file).copied());
            (rank.unwrap_or(usize::MAX), finding.place)
        };
        self.findings.sort_by_key(rank);
    }

    /// Returns the findings that are mistakes.
    fn mistakes(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.is_note())
    }

    pub(crate) fn print(&self, session: &Session, format: &Format) -> Result<Done> {
        let summary = json!({
            "kind": "summary",
            "findings": self.mistakes().count(),
            "hooks": self.hooks,
            "files": self.files,
            "project": self.project.display().to_string(),
        });
        let rows = self.findings.iter().map(row).chain(self.trials.iter().cloned());
        let rows: Vec<Value> = rows.chain([summary]).collect();
        let mut text = Text::new();
        if !format.is_json() {
            text = self.text(session, columns(io::stdout()));
            self.summary(&mut text);
        }
        format.report(text, &rows, self.mistakes().next().is_none())
    }

    /// Returns the text report, for a screen with this number of columns.
    pub(super) fn text(&self, session: &Session, columns: Option<usize>) -> Text {
        let mut text = Text::new();
        // For each file, the number of shown groups, and the number of findings left out.
        let mut counts: BTreeMap<Option<&Path>, (usize, usize)> = BTreeMap::new();
        for alike in alike(&self.findings, group) {
            let file = alike[0].file.as_deref();
            let (shown, left_out) = counts.entry(file).or_default();
            if *shown == SHOWN {
                *left_out += alike.len();
                continue;
            }
            *shown += 1;
            let source = session.files().find(|source| Some(&*source.path) == file && !source.text.is_empty());
            let text_of_file = source.map(|source| &*source.text);
            let places = alike.iter().filter_map(|finding| finding.place).enumerate();
            let places = places.map(|(index, place)| {
                let text = text_of_file.filter(|_| index < snippet::SHOWN);
                text.map_or(place, |text| pointed(text, place, &alike[0].what))
            });
            let others = alike.iter().filter_map(|finding| finding.other.as_ref());
            let others = others.map(|(path, place)| at(Path::new(&terminal::shown(path)), *place));
            let report = snippet::Report {
                finding: alike[0],
                notes: others.map(|place| format!("see also {place}")).collect(),
                text: text_of_file,
                places: places.collect(),
            };
            text.append(report.render(columns)).line_end();
        }
        for (file, (_, count)) in counts.into_iter().filter(|(_, (_, count))| *count > 0) {
            let file = file.map_or_else(|| "no file".to_owned(), terminal::shown);
            text.bold(counted(count, "more finding")).plain(" in ").path(file);
            text.plain("; `--json` prints them all\n\n");
        }
        text
    }

    fn summary(&self, text: &mut Text) {
        let findings = self.mistakes().count();
        match findings {
            0 => text.words(DONE, "Nothing to fix"),
            _ => text.bold(counted(findings, "finding")),
        };
        self.subject(text);
        let fixes = self.mistakes().filter(|finding| finding.edit.is_some()).count();
        if fixes > 0 {
            text.plain("\n`").command("--fix").plain(format_args!("` shows the edits for {fixes} of them, and `"));
            text.command("--fix --yes").plain("` makes them");
        }
        if findings > 0 {
            text.plain("\n`").command("--explain CODE");
            text.plain("` prints the cause of a finding, and its fix");
        }
    }

    /// Adds the project and the counts, so that the user notices a wrong project.
    fn subject(&self, text: &mut Text) {
        let project = one_line(self.project.display());
        let hooks = hooks_by_entries(self.distinct_hooks, self.hooks);
        let files = counted(self.files, "file");
        text.plain(" in ").path(project);
        text.plain(match self.hooks {
            0 => format!(": no hooks in {files}"),
            _ => format!(": {hooks} in {files}"),
        });
        let ran = self.trials.iter().filter(|trial| trial["stdin"] == "recorded").count();
        if ran > 0 {
            text.plain(format_args!("; tried {ran} of them (written by `install`)"));
        }
        if self.hooks == 0 && !self.is_project_named {
            text.plain("\nTo check another project: ").command("--project DIR");
        }
    }
}
