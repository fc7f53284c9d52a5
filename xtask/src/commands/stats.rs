//! `cargo xtask stats`: shows what hooks did in past sessions.

use std::cmp::Reverse;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookkit_protocol::settings::MANAGED_FOLDER;
use hookkit_spool::without_quotations;
use serde::Serialize;

use crate::commands::prelude::*;
use crate::diagnose::active::session::Session;
use crate::disk::page::PageFile;
use crate::disk::state;
use crate::history::files::{self, Transcript};
use crate::history::kept::Sums;
use crate::history::recorded::sessions::Sessions;
use crate::history::row::Outcome;
use crate::history::tally::{Count, HookKey, HookTally, Part, Tally};
use crate::history::timeline::{Mark, Timeline};
use crate::history::times::iso;
use crate::history::unseen::{self, RECORDED};
use crate::history::{name, page};
use crate::settings::folders::Folders;
use crate::settings::scope::{home, of_user};
use crate::terminal::progress::with_bar;
use crate::terminal::{duration, extend, meant, width, without_middle};

#[derive(Args)]
#[command(after_help = "\
Examples: cargo xtask stats --days 7
          cargo xtask stats --project ../app --hook format-on-edit
          cargo xtask stats --json | jq 'select(.kind == \"hook\" and .failed > 0)'
          cargo xtask stats --page hooks.html

It reads the transcripts that Claude Code keeps in `projects` of its configuration folder, and writes nothing but the
page of `--page`.")]
pub(crate) struct Options {
    #[command(flatten)]
    period: Period,
    /// Only hooks with this text in their name or command
    #[arg(long, value_name = "TEXT")]
    hook: Option<String>,
    /// Also write a page for a browser to this file: a timeline of sessions, times, denials and failures
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,
    /// Leave commands, reasons and folders out of the page
    #[arg(long, requires = "page")]
    redact: bool,
    #[command(flatten)]
    format: Format,
}

/// Options that choose a part of the history.
#[derive(Args)]
pub(crate) struct Period {
    /// Only sessions that were started in this folder or below it [default: all sessions]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Only the last N days; Claude Code itself removes transcripts after 30 days by default
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,
}

/// The chosen part of the history.
pub(crate) struct History {
    /// The client's configuration folder.
    configuration: PathBuf,
    pub(crate) transcripts: Vec<Transcript>,
    pub(crate) part: Part,
}

impl Period {
    /// Finds the transcripts.
    pub(crate) fn read(&self) -> Result<History> {
        let settings = of_user().context("there is no home folder: set HOME or CLAUDE_CONFIG_DIR")?;
        let configuration = settings.parent().unwrap_or(&settings).to_owned();
        let project = self.project.as_deref().map(|project| {
            let folder = project.canonicalize();
            folder.with_context(|| format!("there is no folder {}", project.display()))
        });
        let since = SystemTime::now()
            .checked_sub(Duration::from_secs(u64::from(self.days) * 24 * 60 * 60))
            .unwrap_or(SystemTime::UNIX_EPOCH);
        Ok(History {
            transcripts: files::since(&configuration, since)?,
            configuration,
            part: Part { since: iso(since), project: project.transpose()? },
        })
    }
}

impl History {
    pub(crate) fn bytes(&self) -> u64 {
        self.transcripts.iter().map(|transcript| transcript.bytes).sum()
    }
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let file = options.page.as_deref().map(PageFile::new).transpose()?;
    let history = options.period.read()?;
    let progress = AtomicU64::new(0);
    let bytes = history.bytes();
    let kept = if file.is_some() || options.format.is_json() { RUNS } else { 0 };
    let timeline = Timeline::new(kept, options.hook.clone());
    let project = history.part.project.clone();
    let folders = Folders {
        project: project.clone(),
        home: home(),
        user: Some(history.configuration),
        managed: MANAGED_FOLDER.into(),
        ..Folders::default()
    };
    let (recorded, unread) = recorded(&folders);
    let tally = || Tally::of(&history.transcripts, &history.part, &progress, &timeline, &recorded);
    let mut tally = with_bar("Reading", bytes, &progress, tally);
    tally.add_recorded(recorded, &history.part, &timeline);
    tally.unread.extend(unread);
    if let Some(asked) = &options.hook {
        let is_asked = |command: Option<&String>| command.is_some_and(|command| name::has(command, asked));
        let names: BTreeSet<String> = tally.hooks.keys().map(|key| name::shown(key.command.as_deref())).collect();
        tally.hooks.retain(|key, _| is_asked(key.command.as_ref()));
        tally.denials.retain(|key, _| is_asked(key.command.as_ref()));
        tally.bypassed.retain(|found| is_asked(Some(&found.command)));
        if tally.hooks.is_empty() {
            let fix = meant(asked, names.iter().map(String::as_str));
            inform!("note: no hook with `{asked}` in its name or command has a run; {fix}");
        }
    }
    let session = Session::of(&folders);
    let (marks, runs_left_out) = std::mem::take(&mut tally.timeline).done();
    let mut report = Report { tally: &tally, text: Text::new(), rows: Vec::new() };
    report.head(options.period.days, project.as_deref());
    report.bypassed();
    report.hooks();
    report.denials();
    report.failures("Failed, and Claude Code went ahead", "failure", |hook| &hook.failures);
    report.failures("Ignored parts of answers", "ignored", |hook| &hook.ignored);
    if options.hook.is_none() {
        report.unseen(&session);
    }
    report.snapshots()?;
    let notes = report.limits();
    report.runs(&marks);
    let sum = |outcome| tally.hooks.values().map(|hook| hook.count(outcome)).sum();
    let sums = Outcome::ALL.map(|outcome| (outcome, sum(outcome)));
    let summary = json!({
        "days": options.period.days,
        "since": history.part.since,
        "until": iso(SystemTime::now()),
        "project": project.map(|project| project.display().to_string()),
        "sessions": tally.sessions,
        "tool_calls": tally.calls.values().sum::<u64>(),
        "bytes": tally.bytes,
        "damaged_rows": tally.damaged,
        "unread": tally.unread,
        "waited_milliseconds": tally.waited,
        "recorded_events": RECORDED,
        "recorded_runs": tally.recorded(),
        "runs_left_out": runs_left_out,
        "sums": BTreeMap::<_, u64>::from(sums),
        "notes": notes,
    });
    report.rows.push(row("summary", summary));
    if let Some(file) = &file {
        let contents =
            ["commands of hooks, reasons of denials and failures, and folders", "commands, reasons and folders"];
        page::write(file, "stats", &report.rows, options.redact, tally.sessions, contents)?;
    }
    options.format.print(report.text, &report.rows)
}

/// Returns the runs that hooks recorded themselves, or the reason why the record cannot be read.
fn recorded(folders: &Folders) -> (Sessions, Option<String>) {
    let Ok(record) = state::runs() else {
        return Default::default();
    };
    match Sessions::read(&record, folders) {
        Ok(sessions) => (sessions, None),
        Err(err) => (Sessions::default(), Some(format!("{}: {err}", record.display()))),
    }
}

struct Report<'t> {
    tally: &'t Tally,
    text: Text,
    rows: Vec<Value>,
}

/// Maximum number of rows for single runs; the newest are kept.
const RUNS: usize = 10_000;
/// Maximum width of a hook's name in the table.
const NAME: usize = 30;
/// Maximum number of entries in a text list. `--json` shows all.
const SHOWN: usize = 10;

impl Report<'_> {
    fn head(&mut self, days: u32, project: Option<&Path>) {
        let Tally { sessions, calls, .. } = self.tally;
        self.text
            .bold(format_args!("Hooks in {} of the last {}", counted(*sessions, "session"), counted(days, "day"),));
        if let Some(project) = project {
            self.text.plain(" in ").path(shown(project));
        }
        self.text.plain(format_args!(", with {}", counted(calls.values().sum::<u64>(), "tool call")));
        if self.tally.waited > 0 {
            self.text.plain(format_args!("; Claude waited {} for hooks", duration(Some(self.tally.waited))));
        }
        self.text.line_end();
    }

    /// Adds the cost and the use of snapshots.
    fn snapshots(&mut self) -> Result<()> {
        let sums = Sums::read()?;
        if sums.taken > 0 {
            self.text.line_end().bold("Snapshots").plain(format_args!(
                ": {} of {}, {} KiB on disk; they took {}; restored {}\n",
                sums.taken,
                counted(sums.projects, "project"),
                sums.bytes >> 10,
                duration(Some(sums.milliseconds)),
                counted(sums.restored, "time"),
            ));
            self.rows.push(row("snapshots", sums));
        }
        Ok(())
    }

    /// Adds calls that ran although a hook denied them, or although a hook that should have run did not.
    fn bypassed(&mut self) {
        let found = &self.tally.bypassed;
        self.rows.extend(found.iter().map(|found| named("bypassed", found)));
        let lines = found.iter().map(|found| (1, found.sentence(), &*found.about));
        self.list("Bypassed from inside Claude Code: see `cargo xtask doctor`", lines);
    }

    /// Adds the table of all hooks by event. The hooks with the highest total time come first.
    fn hooks(&mut self) {
        let mut hooks: Vec<_> = self.tally.hooks.iter().collect();
        hooks.sort_by_key(|(key, hook)| (&key.event, Reverse(hook.times.total()), *key));
        for of_event in hooks.chunk_by(|(one, _), (other, _)| one.event == other.event) {
            let head = ["runs", "failed", "denied", "late", "p50", "p90", "max"].map(str::to_owned);
            let event = without_middle(&one_line(&of_event[0].0.event), NAME);
            self.text.line_end().bold(format_args!("{event:<NAME$}"));
            self.text.dimmed(columns(head)).line_end();
            for (key, hook) in of_event {
                self.hook(key, hook);
            }
        }
    }

    fn hook(&mut self, key: &HookKey, hook: &HookTally) {
        let [failed, denied, late] =
            [Outcome::Failed, Outcome::Blocked, Outcome::TimedOut].map(|outcome| hook.count(outcome));
        let [median, slow, slowest] = hook.times.percentiles().map(duration);
        let name = without_middle(&one_line(name::shown(key.command.as_deref())), NAME - 3);
        let failures = failed + late;
        let advice = match hook.asked + hook.context + denied {
            _ if failures == hook.runs() => "; it always failed: fix it, or remove it",
            0 => "; it costs this time, and caught nothing",
            _ => "",
        };
        let [runs, failed, denied, late] = [hook.runs(), failed, denied, late].map(|number| number.to_string());
        let style = if failures > 0 { WARNING } else { PLAIN };
        self.text
            .plain("  ")
            .plain(&name)
            .plain(" ".repeat((NAME - 2).saturating_sub(width(&name))))
            .words(style, columns([runs, failed, denied, late, median, slow, slowest]))
            .plain("\n    ")
            .hang();
        let overruled = hook.overruled;
        if let Some(kept) = hook.asked.checked_sub(overruled).filter(|_| hook.asked > 0) {
            self.text.dimmed(format_args!("{} asked, {kept} kept, {overruled} overruled; ", hook.asked));
        }
        let total = hook.times.total();
        self.text.dimmed(format_args!("{} in all{advice}\n", duration(Some(total))));
        let mut row = named("hook", key);
        extend(
            &mut row,
            json!({
                "runs": hook.runs(),
                "recorded_runs": hook.recorded,
                "asked": hook.asked,
                "overruled": overruled,
                "total_milliseconds": total,
                "context_characters": hook.context,
                "last": hook.last,
            }),
        );
        extend(&mut row, hook.times.members(1));
        extend(&mut row, json!(BTreeMap::from(Outcome::ALL.map(|outcome| (outcome, hook.count(outcome))))));
        self.rows.push(row);
    }

    fn denials(&mut self) {
        let mut denials: Vec<_> = self.tally.denials.iter().collect();
        denials.sort_by_key(|(key, count)| (Reverse(count.times), *key));
        let rows = denials.iter().map(|(key, count)| named("denial", Counted { key, count }));
        self.rows.extend(rows);
        let lines = denials.into_iter().map(|(key, count)| {
            let blank = if key.subject.is_empty() { "" } else { " " };
            let what = format!("{}{blank}{}", key.event, key.subject);
            let what = match &key.command {
                Some(command) => format!("{what} by {}", name::shown(Some(command))),
                None => what,
            };
            (count.times, what, &*key.reason)
        });
        self.list("Denied", lines);
    }

    /// Adds failures that the client does not show, or ignored parts of answers.
    fn failures(&mut self, title: &str, kind: &str, of: fn(&HookTally) -> &BTreeMap<String, Count>) {
        let mut found: Vec<_> = self
            .tally
            .hooks
            .iter()
            .flat_map(|(key, hook)| of(hook).iter().map(move |(why, count)| (key, why, count)))
            .collect();
        found.sort_by_key(|(key, why, count)| (Reverse(count.times), *key, *why));
        for (key, why, count) in &found {
            let mut row = named(kind, Counted { key, count });
            row["why"] = json!(why);
            self.rows.push(row);
        }
        let lines = found.into_iter().map(|(key, why, count)| {
            let what = format!("{} {}", key.event, name::shown(key.command.as_deref()));
            (count.times, what, &**why)
        });
        self.list(title, lines);
    }

    fn list<'l>(&mut self, title: &str, lines: impl Iterator<Item = (u64, String, &'l str)>) {
        const SUBJECT: usize = 60;
        let mut kinds: BTreeMap<(String, String), (u64, &str)> = BTreeMap::new();
        for (times, what, why) in lines {
            // The first reason is shown in full.
            kinds.entry((what, without_quotations(why))).or_insert((0, why)).0 += times;
        }
        let mut lines: Vec<_> = kinds.into_iter().collect();
        lines.sort_by_key(|(_, (times, _))| Reverse(*times));
        if lines.is_empty() {
            return;
        }
        self.text.bold(format_args!("\n{title}\n"));
        for ((what, _), (times, why)) in lines.iter().take(SHOWN) {
            let what = without_middle(&one_line(what), SUBJECT);
            self.text.plain(format_args!("{times:>6} × ")).hang();
            self.text.plain(what).plain(": ").dimmed(one_line(why)).line_end();
        }
        if let Some(more @ 1..) = lines.len().checked_sub(SHOWN) {
            self.text.dimmed(format_args!("         and {more} more; `--json` has all\n"));
        }
    }

    /// Adds hooks that have no run in the transcripts.
    fn unseen(&mut self, session: &Session) {
        let found = unseen::find(session, self.tally);
        if !found.is_empty() {
            self.text.bold("\nNo recorded run\n");
        }
        for hook in found {
            let what = without_middle(&one_line(name::shown(hook.handler.command())), NAME);
            self.text.plain("  ").hang();
            self.text.plain(format_args!("{} {what}: ", one_line(hook.handler.subject())));
            let style = if hook.why == "never-ran" { ERROR } else { PLAIN };
            self.text.words(style, &hook.sentence).line_end();
            self.rows.push(row(
                "unseen",
                json!({
                    "event": hook.handler.event,
                    "command": hook.handler.recorded_command(),
                    "name": hook.handler.command().and_then(name::of_hookkit),
                    "matcher": hook.handler.matcher,
                    "file": hook.source.path.display().to_string(),
                    "line": hook.handler.place.line,
                    "why": hook.why,
                    "calls": hook.calls,
                    "sentence": hook.sentence,
                }),
            ));
        }
    }

    /// Adds the rows of single runs.
    fn runs(&mut self, marks: &[Mark]) {
        let rows = marks.iter().map(|mark| {
            let members = json!({
                "time": iso(UNIX_EPOCH + Duration::from_millis(mark.at)),
                "session": mark.session.id,
                "folder": mark.session.folder,
                "event": &*mark.event,
                "subject": mark.subject,
                "command": mark.command.as_deref(),
                "outcome": mark.outcome,
                "milliseconds": mark.milliseconds,
            });
            named("run", members)
        });
        self.rows.extend(rows);
    }

    /// Prints the limits of transcripts, and returns them.
    fn limits(&mut self) -> Vec<String> {
        let mut notes = vec![unseen::limits()];
        let recorded = self.tally.recorded();
        if recorded > 0 {
            notes.push(format!(
                "{} were recorded by the hooks themselves (`install --record`), and have no row in the transcripts.",
                counted(recorded, "run")
            ));
        }
        self.text.line_end().dimmed(notes.join("\n"));
        unread(&mut self.text, self.tally.damaged, &self.tally.unread);
        notes
    }
}

/// Adds a warning for each part of the transcripts that could not be read.
pub(crate) fn unread(text: &mut Text, damaged: u64, unread: &[String]) {
    if damaged > 0 {
        text.words(WARNING, format_args!("\n{} could not be read", counted(damaged, "row")));
    }
    for unread in unread {
        text.words(WARNING, format_args!("\n{}", one_line(unread)));
    }
}

/// A key of the tally and its number of occurrences.
#[derive(Serialize)]
struct Counted<'c, K> {
    #[serde(flatten)]
    key: &'c K,
    #[serde(flatten)]
    count: &'c Count,
}

/// Returns a row about a hook's command, with the hook's name.
fn named(kind: &str, members: impl Serialize) -> Value {
    let mut row = row(kind, members);
    row["name"] = row["command"].as_str().and_then(name::of_hookkit).into();
    row
}

/// Returns a row of the table from its cells.
fn columns(cells: [String; 7]) -> String {
    let [runs, failed, denied, late, median, slow, slowest] = cells;
    format!("{runs:>7}{failed:>7}{denied:>7}{late:>5}{median:>8}{slow:>8}{slowest:>8}")
}
