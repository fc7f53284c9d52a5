//! `cargo xtask backtest`: shows how hooks would have answered in past sessions.

use std::iter;
use std::sync::atomic::AtomicU64;
use std::time::SystemTime;

use clap::ValueEnum;

use crate::binaries::definition::{Definition, named};
use crate::binaries::generated::Build;
use crate::binaries::revision;
use crate::cargo::workspace::{Naming, Workspace};
use crate::commands::prelude::*;
use crate::commands::stats::{Period, unread};
use crate::disk::files;
use crate::disk::page::PageFile;
use crate::history::page;
use crate::history::replay::{Answer, Answered, Candidate, Kind, LIMITS, Replay, Results, first_line};
use crate::history::times::iso;
use crate::settings::record::Record;
use crate::settings::scope::Target;
use crate::terminal::progress::with_bar;
use crate::terminal::{BOLD, NOTE, duration, extend, without_middle};

#[derive(Args)]
#[command(after_help = "\
Exit code 1: with --against, an answer differs.

Examples: cargo xtask backtest deny-destruction
          cargo xtask backtest deny-secrets --days 7 --show denied
          cargo xtask backtest deny-secrets --against installed
          cargo xtask backtest deny-secrets --against main --page backtest.html

Hooks run confined by the Linux kernel, unless --unconfined is given: they read everything, write only to a temporary
folder that is deleted, and use no network. They read today's files, which may have changed since.")]
pub(crate) struct Options {
    /// Hooks of this workspace
    #[arg(required = true, value_name = "HOOK")]
    hooks: Vec<String>,
    #[command(flatten)]
    period: Period,
    /// Compare with the installed version (`installed`: in the project of --project or of the current folder, or in
    /// your settings), or with a git revision of the workspace
    #[arg(long, value_name = "installed|REVISION")]
    against: Option<String>,
    /// Print all answers of a kind, with the calls or prompts
    #[arg(long, value_enum, value_name = "KIND")]
    show: Option<Kind>,
    /// Maximum number of past events on which hooks are run; the rest is counted
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: u64,
    /// Run the hooks like any program, if the system cannot confine them: they can change files and use the network
    #[arg(long)]
    unconfined: bool,
    /// Also write a page for a browser to this file: answers, times, and each reason with events
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
    /// Leave inputs, prompts, replies, reasons and folders out of the page
    #[arg(long, requires = "page")]
    redact: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let file = options.page.as_deref().map(PageFile::new).transpose()?;
    let workspace = Workspace::find()?;
    let build = Build::new(&workspace)?;
    let definitions = build.definitions()?;
    let chosen: Vec<Definition> =
        options.hooks.iter().map(|name| named(&definitions, name).cloned()).collect::<Result<_>>()?;
    let mut binaries = build.launchers(&chosen)?;
    let other = match options.against.as_deref() {
        None => BTreeMap::new(),
        Some("installed") => installed(options, &workspace.naming(), &options.hooks)?,
        Some(name) => revision::binaries(name, &workspace, &options.hooks)?,
    };
    let candidates = chosen.iter().map(|hook| {
        let name = &hook.declared.name;
        Ok(Candidate {
            hook,
            binary: binaries.remove(name).context("a hook has a binary")?,
            other: other.get(name).cloned(),
        })
    });
    let candidates = candidates.collect::<Result<Vec<_>>>()?;

    let history = options.period.read()?;
    let progress = AtomicU64::new(0);
    let is_confined = !options.unconfined;
    let replay = || Replay::of(&candidates, &history.transcripts, &history.part, is_confined, options.most, &progress);
    let replay = with_bar("Running", history.bytes(), &progress, replay)?;
    let none = Results::default();
    let mut report = Report { options, replay: &replay, text: Text::new(), rows: Vec::new() };
    report.head();
    for (position, candidate) in candidates.iter().enumerate() {
        report.hook(candidate, replay.results.get(&position).unwrap_or(&none));
    }
    let differing = replay.differing();
    let sum = |kind: &Kind| replay.results.values().map(|results| results.count(*kind)).sum();
    let sums = Kind::value_variants().iter().map(|kind| (kind.name(), sum(kind)));
    let notes = report.limits();
    let summary = json!({
        "days": options.period.days,
        "since": history.part.since,
        "until": iso(SystemTime::now()),
        "project": history.part.project,
        "against": options.against,
        "sessions": replay.sessions,
        "events": replay.events,
        "events_left_out": replay.left_out,
        "events_without_folder": replay.without_folder,
        "differing": differing,
        "damaged_rows": replay.damaged,
        "unread": replay.unread,
        "sums": sums.collect::<BTreeMap<_, u64>>(),
        "notes": notes,
    });
    report.rows.push(row("summary", summary));
    if let Some(file) = &file {
        let contents = [
            "inputs of tool calls, prompts, replies, reasons and folders",
            "inputs, prompts, replies, reasons and folders",
        ];
        page::write(file, "backtest", &report.rows, options.redact, replay.sessions, contents)?;
    }
    options.format.report(report.text, &report.rows, differing == 0)
}

/// Returns the installed binaries that a session in the project uses.
fn installed(options: &Options, naming: &Naming, hooks: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    let places = Target::of_project(options.period.project.as_deref()).places(naming)?;
    let found = hooks.iter().map(|hook| {
        let binary = places.iter().find_map(|place| {
            let path = place.binary(hook).path();
            Record::read(place).ok().flatten()?.knows(hook, &files::bytes(&path).ok()?).then_some(path)
        });
        let binary = binary.with_context(|| {
            format!(
                "`{hook}` is not installed here, or its binary has changed since `install`\nTo compare it with a \
                 revision: cargo xtask backtest {hook} --against REVISION"
            )
        })?;
        Ok((hook.clone(), binary))
    });
    found.collect()
}

struct Report<'r> {
    options: &'r Options,
    replay: &'r Replay,
    text: Text,
    rows: Vec<Value>,
}

/// Maximum number of reasons, and of differing answers, in text output; `--show` and `--json` print all.
const REASONS: usize = 10;

impl Report<'_> {
    fn head(&mut self) {
        let Replay { sessions, events, .. } = self.replay;
        self.text.bold(format_args!(
            "{} of {} in the last {}",
            counted(*events, "past event"),
            counted(*sessions, "session"),
            counted(self.options.period.days, "day"),
        ));
        self.text.line_end();
    }

    fn hook(&mut self, candidate: &Candidate<'_>, results: &Results) {
        let declared = &candidate.hook.declared;
        let runs = results.calls();
        let text = &mut self.text;
        text.line_end().bold(&declared.name);
        text.plain(format_args!(" would have been called {}\n", counted(runs, "time")));
        let mut members = json!({
            "name": declared.name,
            "events": candidate.hook.entries.iter().map(|entry| &entry.event).collect::<Vec<_>>(),
            "if": declared.condition,
            "calls": runs,
            "answers_left_out": results.left_out,
            "differing": candidate.other.is_some().then_some(results.differing),
        });
        extend(&mut members, results.times.members(1_000));
        for kind in Kind::value_variants() {
            let count = results.count(*kind);
            members[kind.name()] = count.into();
            let (is_expected, style) = match kind {
                Kind::Failed => (true, ERROR),
                Kind::Denied | Kind::Asked => (true, WARNING),
                Kind::Changed => (false, NOTE),
                Kind::Admitted => (true, PLAIN),
                _ => (false, PLAIN),
            };
            if count > 0 || is_expected {
                let style = if count > 0 { style } else { PLAIN };
                text.plain("  ").words(style, format_args!("{:<10}{count:>8}", kind.name())).line_end();
            }
        }
        if runs > 0 {
            let [median, slow, slowest] =
                results.times.percentiles().map(|time| duration(time.map(|micros| micros.div_ceil(1_000))));
            text.dimmed(format_args!("  time      p50 {median}, p90 {slow}, max {slowest}\n"));
        }
        if let Some(condition) = &declared.condition {
            text.plain(format_args!(
                "  Claude Code would call it only where `{condition}` holds, which is not checked here\n"
            ));
        }
        self.rows.push(row("hook", members));
        let rows = results.answered.iter().map(|answered| answer_row(&declared.name, answered));
        self.rows.extend(rows);
        match (&candidate.other, self.options.show) {
            (Some(_), _) => self.differences(results),
            (None, Some(kind)) => self.answers(results, kind),
            (None, None) => self.reasons(results),
        }
        if results.left_out > 0 {
            let left_out = counted(results.left_out, "answer");
            self.text.words(WARNING, format_args!("  {left_out} more than can be kept: choose fewer `--days`\n"));
        }
    }

    /// Adds the answers that differ in the other version.
    fn differences(&mut self, results: &Results) {
        let against = self.options.against.as_deref().unwrap_or_default();
        let differ = match results.differing {
            0 => {
                self.text.plain(format_args!("  All answers equal those of {against}\n"));
                return;
            }
            1 => "1 answer differs".to_owned(),
            differing => format!("{differing} answers differ"),
        };
        self.text.bold(format_args!("\n  {differ} from {against}\n"));
        let is_shown = |answered: &&Answered| {
            let mut answers = iter::once(&answered.answer).chain(&answered.other);
            self.options.show.is_none_or(|shown| answers.any(|answer| answer.kind == shown))
        };
        let shown: Vec<&Answered> = results.answered.iter().filter(is_shown).collect();
        for answered in shown.iter().take(self.most()) {
            self.about(answered);
            for (what, answer) in [(against, answered.other.as_ref()), ("now", Some(&answered.answer))] {
                let Some(answer) = answer else { continue };
                self.text.plain(format_args!("      {what}: ")).hang();
                self.text.words(BOLD, answer.kind.name());
                if !answer.text.is_empty() {
                    self.text.plain(format_args!(": {}", first_line(&answer.text)));
                }
                self.text.line_end();
            }
        }
        self.more(shown.len());
    }

    fn answers(&mut self, results: &Results, kind: Kind) {
        for answered in results.answered.iter().filter(|answered| answered.answer.kind == kind) {
            self.about(answered);
            self.text.plain("      ").hang();
            self.answer(&answered.answer);
        }
    }

    fn answer(&mut self, answer: &Answer) {
        self.text.words(BOLD, answer.kind.name()).plain(format_args!(": {}\n", first_line(&answer.text)));
    }

    /// Adds the reasons for denials, questions and failures, each with an example.
    fn reasons(&mut self, results: &Results) {
        let reasons = results.reasons();
        for answered in reasons.iter().take(REASONS) {
            let example = answered[0];
            self.text.plain(format_args!("{:>6} × ", answered.len())).hang();
            self.answer(&example.answer);
            self.text.plain("         ").hang();
            self.text.dimmed(format_args!("{} {}\n", example.subject, shortened(&example.about)));
        }
        self.more(reasons.len());
    }

    fn about(&mut self, answered: &Answered) {
        self.text.plain("  ").dimmed(format_args!("{} ", answered.time));
        self.text.plain(format_args!("{} {}\n      ", answered.event, one_line(&answered.subject)));
        self.text.hang().plain(shortened(&answered.about)).line_end();
    }

    fn most(&self) -> usize {
        self.options.show.map_or(REASONS, |_| usize::MAX)
    }

    fn more(&mut self, count: usize) {
        if let Some(more @ 1..) = count.checked_sub(self.most()) {
            self.text.dimmed(format_args!("         and {more} more; `--show KIND` prints all of a kind\n"));
        }
    }

    /// Prints notes on how the answers can differ from the original ones, and returns the notes.
    fn limits(&mut self) -> Vec<String> {
        let text = &mut self.text;
        text.line_end().dimmed(LIMITS);
        let mut notes = vec![LIMITS.to_owned()];
        let Replay { without_folder, left_out, .. } = self.replay;
        let folders = counted(*without_folder, "event");
        let folders = format!("The folder of {folders} no longer exists: the hooks ran in an empty one");
        let beyond = counted(*left_out, "more event");
        let beyond = format!("Left out: {beyond}; choose fewer `--days`, or a higher `--most`");
        for (count, style, note) in [(without_folder, PLAIN, folders), (left_out, WARNING, beyond)] {
            if *count > 0 {
                text.line_end().words(style, &note);
                notes.push(note);
            }
        }
        unread(text, self.replay.damaged, &self.replay.unread);
        notes
    }
}

/// Returns an input on one line, shortened to this number of columns.
fn shortened(about: &str) -> String {
    const ABOUT: usize = 200;
    without_middle(&one_line(about), ABOUT)
}

fn answer_row(hook: &str, answered: &Answered) -> Value {
    let members = json!({
        "hook": hook,
        "time": answered.time,
        "session": answered.session.id,
        "folder": answered.session.folder,
        "event": answered.event,
        "subject": answered.subject,
        "about": answered.about,
        "answer": answered.answer.kind.name(),
        "text": answered.answer.text,
        "other_answer": answered.other.as_ref().map(|other| other.kind.name()),
        "other_text": answered.other.as_ref().map(|other| &other.text),
    });
    row("answer", members)
}
