//! `cargo xtask stats`: what hooks did in past sessions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use clap::Args;
use hookkit_protocol::settings::MANAGED_FOLDER;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::disk::page::PageFile;
use crate::disk::state;
use crate::history::files::{self, Transcript};
use crate::history::name;
use crate::history::outcome::Outcome;
use crate::history::page::page;
use crate::history::reasons::without_quotations;
use crate::history::recorded::sessions::Sessions;
use crate::history::tally::{Count, DenialKey, HookKey, HookTally, Part, Tally};
use crate::history::timeline::{Mark, Timeline};
use crate::history::unseen::{self, RECORDED, Why};
use crate::settings::folders::Folders;
use crate::settings::scope::{home, of_user};
use crate::terminal::progress::Bar;
use crate::terminal::rows::{Format, extend, row};
use crate::terminal::style::{ERROR, PLAIN, WARNING};
use crate::terminal::text::Text;
use crate::terminal::width::{width, without_middle};
use crate::terminal::{duration, inform, meant, number, one_line, shown};

pub(crate) const EXAMPLES: &str = "\
Examples: cargo xtask stats --days 7
          cargo xtask stats --project ../app --hook format-on-edit
          cargo xtask stats --json | jq 'select(.kind == \"hook\" and .failed > 0)'
          cargo xtask stats --page hooks.html

It reads the transcripts that Claude Code keeps in `projects` of its configuration folder, and writes nothing but the
page of `--page`.";

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    period: Period,
    /// Only hooks with this in their name or command
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

/// The options that choose a part of history.
#[derive(Args)]
pub(crate) struct Period {
    /// Only sessions that were started in this folder or below it [default: all sessions]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Only the last days; Claude Code itself removes transcripts after 30 days by default
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,
}

/// The part of history that was chosen.
pub(crate) struct History {
    /// The client's configuration folder.
    configuration: PathBuf,
    pub(crate) transcripts: Vec<Transcript>,
    pub(crate) part: Part,
}

impl Period {
    /// Finds the transcripts.
    pub(crate) fn read(&self) -> Result<History> {
        let settings = of_user().context("no folder of yours: set HOME, or CLAUDE_CONFIG_DIR")?;
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
            part: Part {
                since: humantime::format_rfc3339_millis(since).to_string(),
                project: project.transpose()?,
            },
        })
    }
}

impl History {
    pub(crate) fn bytes(&self) -> u64 {
        self.transcripts.iter().map(|transcript| transcript.bytes).sum()
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let file = options.page.as_deref().map(PageFile::new).transpose()?;
    let history = options.period.read()?;
    let progress = AtomicU64::new(0);
    let bar = Bar::new("Reading", history.bytes(), &progress);
    let kept = if file.is_some() || options.format.is_json() {
        RUNS
    } else {
        0
    };
    let timeline = Timeline::new(kept, options.hook.clone());
    let project = history.part.project.clone();
    let folders = Folders {
        project: project.clone(),
        home: home(),
        user: Some(history.configuration),
        managed: MANAGED_FOLDER.into(),
        named: None,
    };
    let (recorded, unread) = recorded(&folders);
    let mut tally = bar.during(|| Tally::of(&history.transcripts, &history.part, &progress, &timeline, &recorded));
    tally.add_recorded(recorded, &history.part, &timeline);
    tally.unread.extend(unread);
    if let Some(asked) = &options.hook {
        let is_asked = |command: Option<&String>| command.is_some_and(|command| name::has(command, asked));
        let names = tally.hooks.keys().map(|key| name::shown(key.command.as_deref()));
        let names: BTreeSet<String> = names.collect();
        tally.hooks.retain(|key, _| is_asked(key.command.as_ref()));
        tally.denials.retain(|key, _| is_asked(key.command.as_ref()));
        tally.bypassed.retain(|found| is_asked(Some(&found.command)));
        if tally.hooks.is_empty() {
            let fix = meant(asked, names.iter().map(String::as_str));
            inform(format_args!(
                "note: no hook with `{asked}` in its name or command has a run; {fix}"
            ));
        }
    }
    let session = Session::of(&folders);
    let (marks, runs_left_out) = std::mem::take(&mut tally.timeline).done();
    let mut report = Report {
        tally: &tally,
        text: Text::new(),
        rows: Vec::new(),
    };
    report.head(options.period.days, project.as_deref());
    report.bypassed()?;
    report.hooks()?;
    report.denials()?;
    report.failures()?;
    if options.hook.is_none() {
        report.unseen(&session)?;
    }
    let notes = report.limits();
    report.runs(&marks)?;
    let sum = |outcome| tally.hooks.values().map(|hook| hook.count(outcome)).sum();
    let sums = Outcome::ALL.map(|outcome| (outcome.name(), sum(outcome)));
    let summary = json!({
        "days": options.period.days,
        "since": history.part.since,
        "until": humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
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
    report.rows.push(row("summary", summary)?);
    if let Some(file) = &file {
        inform(said(file, &tally, options.redact));
        file.write(page("stats", &report.rows, options.redact).as_bytes())?;
    }
    options.format.print(report.text, &report.rows)
}

/// Returns the runs that hooks have recorded themselves, or why they cannot be read.
fn recorded(folders: &Folders) -> (Sessions, Option<String>) {
    let Ok(record) = state::runs() else {
        return Default::default();
    };
    match Sessions::read(&record, folders) {
        Ok(sessions) => (sessions, None),
        Err(err) => (Sessions::default(), Some(format!("{}: {err}", record.display()))),
    }
}

/// Returns a note about a page, for before it is written.
fn said(file: &PageFile, tally: &Tally, is_redacted: bool) -> String {
    let sessions = number(tally.sessions, "session");
    let what = match is_redacted {
        false => format!(
            "commands of hooks, reasons of denials and failures, and folders of {sessions}; `--redact` leaves them out"
        ),
        true => format!("names of hooks and tools, and times and ids of {sessions}; no commands, reasons and folders"),
    };
    file.note(&what)
}

struct Report<'t> {
    tally: &'t Tally,
    text: Text,
    rows: Vec<Value>,
}

/// Maximum number of rows of single runs; the newest are kept.
const RUNS: usize = 10_000;
/// The widest name of a hook in the table.
const NAME: usize = 30;
/// The most entries of a list for people; `--json` has all.
const SHOWN: usize = 10;

impl Report<'_> {
    fn head(&mut self, days: u32, project: Option<&Path>) {
        let Tally { sessions, calls, .. } = self.tally;
        self.text.bold(format_args!(
            "Hooks in {} of the last {}",
            number(*sessions, "session"),
            number(days.into(), "day"),
        ));
        if let Some(project) = project {
            self.text.plain(" in ").path(shown(project));
        }
        self.text
            .plain(format_args!(", with {}", number(calls.values().sum(), "tool call")));
        if self.tally.waited > 0 {
            self.text.plain(format_args!(
                "; Claude waited {} for hooks",
                duration(Some(self.tally.waited))
            ));
        }
        self.text.line_end();
    }

    /// The calls that ran against a hook, or without it.
    fn bypassed(&mut self) -> Result<()> {
        let found = &self.tally.bypassed;
        for found in found {
            let mut row = row("bypassed", found)?;
            row["name"] = name::of_hookkit(&found.command).into();
            self.rows.push(row);
        }
        let lines = found.iter().map(|found| (1, found.sentence(), &*found.about));
        let lines: Vec<_> = lines.collect();
        self.list("Bypassed from inside Claude Code: see `cargo xtask doctor`", lines);
        Ok(())
    }

    /// The table of all hooks by event, those that took most time first.
    fn hooks(&mut self) -> Result<()> {
        let mut events: Vec<(&str, Vec<(&HookKey, &HookTally)>)> = Vec::new();
        for (key, hook) in &self.tally.hooks {
            match events.last_mut() {
                Some((event, hooks)) if **event == *key.event => hooks.push((key, hook)),
                _ => events.push((&key.event, vec![(key, hook)])),
            }
        }
        for (event, mut hooks) in events {
            let head = ["runs", "failed", "denied", "late", "p50", "p90", "max"].map(str::to_owned);
            let event = without_middle(&one_line(event), NAME);
            self.text.line_end().bold(format_args!("{event:<NAME$}"));
            self.text.dimmed(columns(head)).line_end();
            hooks.sort_by_key(|(key, hook)| (Reverse(hook.times.total()), *key));
            for (key, hook) in hooks {
                self.hook(key, hook)?;
            }
        }
        Ok(())
    }

    fn hook(&mut self, key: &HookKey, hook: &HookTally) -> Result<()> {
        let [failed, denied, late] =
            [Outcome::Failed, Outcome::Blocked, Outcome::TimedOut].map(|outcome| hook.count(outcome));
        let times = [50, 90, 100].map(|percent| hook.times.percentile(percent));
        let name = without_middle(&one_line(&name::shown(key.command.as_deref())), NAME - 3);
        let failures = failed + late;
        let style = if failures > 0 { WARNING } else { PLAIN };
        let [median, slow, slowest] = times.map(duration);
        let numbers = [hook.runs(), failed, denied, late].map(|number| number.to_string());
        let [runs, failed, denied, late] = numbers;
        self.text.plain("  ").plain(&name);
        self.text.plain(" ".repeat((NAME - 2).saturating_sub(width(&name))));
        self.text
            .words(style, columns([runs, failed, denied, late, median, slow, slowest]))
            .line_end();
        let advice = match hook.asked + hook.context + hook.count(Outcome::Blocked) {
            _ if failures == hook.runs() => "; it always failed: fix it, or remove it",
            0 => "; it costs this, and caught nothing",
            _ => "",
        };
        let asked = match hook.asked {
            0 => String::new(),
            asked => format!(
                "{asked} asked, {} kept, {} overruled; ",
                asked - hook.overruled,
                hook.overruled
            ),
        };
        let total = duration(Some(hook.times.total()));
        self.text
            .plain("    ")
            .hang()
            .dimmed(format_args!("{asked}{total} in all{advice}\n"));
        let mut members = json!({
            "event": key.event,
            "command": key.command,
            "name": key.command.as_deref().and_then(name::of_hookkit),
            "runs": hook.runs(),
            "recorded_runs": hook.recorded,
            "asked": hook.asked,
            "overruled": hook.overruled,
            "total_milliseconds": hook.times.total(),
            "context_characters": hook.context,
            "last": hook.last,
        });
        extend(&mut members, hook.times.members(1));
        for outcome in Outcome::ALL {
            members[outcome.name()] = hook.count(outcome).into();
        }
        self.rows.push(row("hook", members)?);
        Ok(())
    }

    fn denials(&mut self) -> Result<()> {
        let mut denials: Vec<(&DenialKey, &Count)> = self.tally.denials.iter().collect();
        denials.sort_by_key(|(key, count)| (Reverse(count.times), *key));
        for (key, count) in &denials {
            let members = json!({
                "event": key.event,
                "subject": key.subject,
                "command": key.command,
                "name": key.command.as_deref().and_then(name::of_hookkit),
                "reason": key.reason,
                "times": count.times,
                "last": count.last,
            });
            self.rows.push(row("denial", members)?);
        }
        let lines = denials.iter().map(|(key, count)| {
            let subject = if key.subject.is_empty() {
                String::new()
            } else {
                format!(" {}", key.subject)
            };
            let by = key
                .command
                .as_deref()
                .map(|command| format!(" by {}", name::shown(Some(command))));
            (
                count.times,
                format!("{}{subject}{}", key.event, by.unwrap_or_default()),
                &*key.reason,
            )
        });
        let lines: Vec<_> = lines.collect();
        self.list("Denied", lines);
        Ok(())
    }

    /// Failures that the client does not show, and parts of answers that it ignores.
    fn failures(&mut self) -> Result<()> {
        for (title, kind, of) in [
            (
                "Failed, and Claude Code went ahead",
                "failure",
                failures as fn(&HookTally) -> &BTreeMap<String, Count>,
            ),
            ("Ignored parts of answers", "ignored", ignored),
        ] {
            let hooks = self.tally.hooks.iter();
            let mut found: Vec<_> = hooks
                .flat_map(|(key, hook)| of(hook).iter().map(move |(why, count)| (key, why, count)))
                .collect();
            found.sort_by_key(|(key, why, count)| (Reverse(count.times), *key, *why));
            for (key, why, count) in &found {
                let members = json!({
                    "event": key.event,
                    "command": key.command,
                    "name": key.command.as_deref().and_then(name::of_hookkit),
                    "why": why,
                    "times": count.times,
                    "last": count.last,
                });
                self.rows.push(row(kind, members)?);
            }
            let lines = found.iter();
            let lines = lines.map(|(key, why, count)| {
                (
                    count.times,
                    format!("{} {}", key.event, name::shown(key.command.as_deref())),
                    &***why,
                )
            });
            let lines: Vec<_> = lines.collect();
            self.list(title, lines);
        }
        Ok(())
    }

    fn list(&mut self, title: &str, lines: Vec<(u64, String, &str)>) {
        const SUBJECT: usize = 60;
        let mut kinds: BTreeMap<(String, String), (u64, &str)> = BTreeMap::new();
        for (times, what, why) in lines {
            // The first reason stays whole.
            kinds.entry((what, without_quotations(why))).or_insert((0, why)).0 += times;
        }
        let mut lines: Vec<_> = kinds
            .into_iter()
            .map(|((what, _), (times, why))| (times, what, why))
            .collect();
        lines.sort_by_key(|(times, ..)| Reverse(*times));
        if lines.is_empty() {
            return;
        }
        self.text.bold(format_args!("\n{title}\n"));
        for (times, what, why) in lines.iter().take(SHOWN) {
            let what = without_middle(&one_line(what), SUBJECT);
            self.text.plain(format_args!("{times:>6} × ")).hang();
            self.text.plain(what).plain(": ").dimmed(one_line(why)).line_end();
        }
        if lines.len() > SHOWN {
            self.text.dimmed(format_args!(
                "         and {} more; `--json` has all\n",
                lines.len() - SHOWN
            ));
        }
    }

    /// Hooks that have no run in the transcripts.
    fn unseen(&mut self, session: &Session) -> Result<()> {
        let found = unseen::find(session, self.tally);
        if found.is_empty() {
            return Ok(());
        }
        self.text.bold("\nNo recorded run\n");
        for hook in found {
            let what = without_middle(&one_line(&name::shown(hook.handler.command())), NAME);
            self.text.plain("  ").hang();
            self.text
                .plain(format_args!("{} {what}: ", one_line(&hook.handler.subject())));
            let (why, calls, style) = match hook.why {
                Why::NeverRan(turns) => ("never-ran", Some(turns), ERROR),
                Why::NoTrace(calls) => ("no-trace", Some(calls), PLAIN),
                Why::NotRecorded => ("not-recorded", None, PLAIN),
            };
            self.text.words(style, hook.why.sentence());
            self.text.line_end();
            let members = json!({
                "event": hook.handler.event,
                "command": hook.handler.recorded_command(),
                "name": hook.handler.command().and_then(name::of_hookkit),
                "matcher": hook.handler.matcher,
                "file": hook.source.path.display().to_string(),
                "line": hook.handler.place.line,
                "why": why,
                "calls": calls,
                "sentence": hook.why.sentence(),
            });
            self.rows.push(row("unseen", members)?);
        }
        Ok(())
    }

    /// Adds the rows of single runs.
    fn runs(&mut self, marks: &[Mark]) -> Result<()> {
        for mark in marks {
            let at = UNIX_EPOCH + Duration::from_millis(mark.at);
            let members = json!({
                "time": humantime::format_rfc3339_millis(at).to_string(),
                "session": mark.session.id,
                "folder": mark.session.folder,
                "event": &*mark.event,
                "subject": mark.subject,
                "command": mark.command.as_deref(),
                "name": mark.command.as_deref().and_then(name::of_hookkit),
                "outcome": mark.outcome.name(),
                "milliseconds": mark.milliseconds,
            });
            self.rows.push(row("run", members)?);
        }
        Ok(())
    }

    /// Prints the facts that transcripts lack, and returns them.
    fn limits(&mut self) -> Vec<String> {
        let text = &mut self.text;
        let Tally { damaged, unread, .. } = self.tally;
        let recorded = self.tally.recorded();
        let mut notes = vec![unseen::limits()];
        if recorded > 0 {
            notes.push(format!(
                "{} of them were recorded by the hooks themselves (`install --record`), and have no row there.",
                number(recorded, "run")
            ));
        }
        text.line_end().dimmed(notes.join("\n"));
        if *damaged > 0 {
            text.words(WARNING, format_args!("\n{} could not be read", number(*damaged, "row")));
        }
        for unread in unread {
            text.words(WARNING, format_args!("\n{}", one_line(unread)));
        }
        notes
    }
}

fn failures(hook: &HookTally) -> &BTreeMap<String, Count> {
    &hook.failures
}

fn ignored(hook: &HookTally) -> &BTreeMap<String, Count> {
    &hook.ignored
}

/// Returns the cells of a row of the table.
fn columns(cells: [String; 7]) -> String {
    let [runs, failed, denied, late, median, slow, slowest] = cells;
    format!("{runs:>7}{failed:>7}{denied:>7}{late:>5}{median:>8}{slow:>8}{slowest:>8}")
}
