//! The timeline: a lane for each session, with a mark and a row of a table for each run.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::history::outcome::Outcome;
use crate::history::page::hooks::{Hooks, subject};
use crate::history::page::html::{Html, escaped};
use crate::history::page::latency::percent;
use crate::history::timeline::Mark;
use crate::terminal::width::without_middle;
use crate::terminal::{counted, duration};

/// Bytes that the lanes may take.
const BYTES: usize = 5 << 20;
/// Bytes of the markup of a run and of a lane, at most.
const RUN: usize = 280;
const LANE: usize = 1_000;
/// Lanes that are shown at once.
const FIRST: usize = 12;
const ID: usize = 64;
const FOLDER: usize = 80;

/// The lanes of a page.
pub(crate) struct Lanes {
    pub(crate) html: Html,
    pub(crate) runs: usize,
    pub(crate) sessions: usize,
}

/// A session.
struct Lane<'p> {
    id: String,
    folder: Option<String>,
    /// The number of the hook of each run, with the run; the newest first.
    runs: Vec<(usize, &'p Mark)>,
}

/// Returns the word for an outcome, as in the report.
pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Blocked => "denied",
        Outcome::TimedOut => "late",
        _ => outcome.name(),
    }
}

/// Returns the number of an outcome in the style and the script.
pub(crate) fn number(outcome: Outcome) -> usize {
    let number = Outcome::ALL.iter().position(|known| *known == outcome);
    number.unwrap_or_default()
}

/// Draws the runs, the newest of which are first, as far as there is room for them.
pub(crate) fn draw<'p>(marks: &'p [Mark], hooks: &mut Hooks<'p>, is_redacted: bool) -> Lanes {
    let mut lanes: Vec<Lane<'p>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let (mut bytes, mut runs) = (0, 0);
    for mark in marks {
        let (hook, is_new) = hooks.number(&mark.event, mark.command.as_deref().map(Cow::Borrowed));
        let shown = hooks.get(hook);
        let lane = *known.entry(&mark.session.id).or_insert(lanes.len());
        if lane == lanes.len() {
            let folder = mark.session.folder.as_deref().filter(|_| !is_redacted);
            lanes.push(Lane {
                id: without_middle(&mark.session.id, ID),
                folder: folder.map(|folder| without_middle(folder, FOLDER)),
                runs: Vec::new(),
            });
            bytes += LANE + escaped(&lanes[lane].id).len() * 2;
            bytes += lanes[lane].folder.as_deref().map_or(0, |folder| escaped(folder).len());
        }
        let texts = [&shown.name, &shown.event, subject(&mark.subject, is_redacted)];
        bytes += RUN + texts.map(|text| escaped(text).len()).iter().sum::<usize>();
        bytes += if is_new {
            escaped(&shown.name).len() + EVENT_OF_DATA
        } else {
            0
        };
        if bytes > BYTES {
            break;
        }
        lanes[lane].runs.push((hook, mark));
        runs += 1;
    }
    lanes.retain(|lane| !lane.runs.is_empty());
    let mut html = Html::default();
    for (number, lane) in lanes.iter().enumerate() {
        if number == FIRST {
            html.markup("<details class=\"older\"><summary>");
            html.text(counted(lanes.len() - FIRST, "older session"))
                .markup("</summary>");
        }
        lane.draw(&mut html, hooks, is_redacted);
    }
    if lanes.len() > FIRST {
        html.markup("</details>");
    }
    Lanes {
        html,
        runs,
        sessions: lanes.len(),
    }
}

/// Bytes of an event in the data of the script.
const EVENT_OF_DATA: usize = 40;

impl Lane<'_> {
    fn draw(&self, html: &mut Html, hooks: &Hooks<'_>, is_redacted: bool) {
        let times = self.runs.iter().map(|(_, mark)| mark.at);
        let (first, last) = (times.clone().min().unwrap_or_default(), times.max().unwrap_or_default());
        html.markup("<details class=\"lane\"><summary><span class=\"when\"><b>");
        html.text(&moment(first)[..16])
            .markup("</b> ")
            .text(duration(Some(last - first)));
        html.markup("</span><span class=\"where\">");
        html.text(self.folder.as_deref().unwrap_or(&self.id)).markup("</span>");
        html.markup("<svg width=\"100%\" height=\"22\" aria-hidden=\"true\">");
        let mut runs: Vec<_> = self.runs.iter().collect();
        // Successes are drawn first, so that they hide nothing.
        runs.sort_by_key(|(_, mark)| (mark.outcome != Outcome::Succeeded, mark.at));
        for (hook, mark) in runs {
            let part = (mark.at - first) as f64 / (last - first).max(1) as f64;
            html.markup("<rect x=\"").text(percent(part));
            html.markup("\" data-h=\"").text(hook);
            html.markup("\" data-o=\"").text(number(mark.outcome)).markup("\"/>");
        }
        html.markup("</svg><span class=\"sum\">")
            .text(self.counts())
            .markup("</span></summary>");
        html.markup("<p class=\"id\">Session ").text(&self.id);
        html.markup("</p><table role=\"table\" aria-label=\"Runs\"><thead role=\"rowgroup\"><tr role=\"row\">");
        for (class, head) in [
            ("", "Time"),
            ("", "Event"),
            ("", "Hook"),
            ("", "Outcome"),
            ("n", "Took"),
        ] {
            html.markup("<th role=\"columnheader\" scope=\"col\" class=\"")
                .markup(class);
            html.markup("\">").markup(head);
        }
        html.markup("</thead><tbody role=\"rowgroup\">\n");
        for (hook, mark) in self.runs.iter().rev() {
            let shown = hooks.get(*hook);
            html.markup("<tr role=\"row\" data-h=\"")
                .text(hook)
                .markup("\" data-o=\"")
                .text(number(mark.outcome));
            html.markup("\"><td role=\"cell\">").text(&moment(mark.at)[11..19]);
            html.markup("<td role=\"cell\">")
                .text(&shown.event)
                .markup(" ")
                .text(subject(&mark.subject, is_redacted));
            html.markup("<td role=\"cell\">").text(&shown.name);
            html.markup("<td role=\"cell\" class=\"o\">").markup(word(mark.outcome));
            html.markup("<td role=\"cell\" class=\"n\">")
                .text(duration(mark.milliseconds))
                .markup("\n");
        }
        html.markup("</tbody></table></details>\n");
    }

    /// Returns the number of runs, and of each outcome that is worth a look.
    fn counts(&self) -> String {
        let mut counts: BTreeMap<Outcome, u64> = BTreeMap::new();
        for (_, mark) in &self.runs {
            *counts.entry(mark.outcome).or_default() += 1;
        }
        let mut words = vec![counted(self.runs.len(), "run")];
        for outcome in [Outcome::Blocked, Outcome::Failed, Outcome::TimedOut] {
            words.extend(counts.get(&outcome).map(|count| format!("{count} {}", word(outcome))));
        }
        words.join(", ")
    }
}

fn moment(milliseconds: u64) -> String {
    time(UNIX_EPOCH + Duration::from_millis(milliseconds))
}

/// Returns a time in UTC: `2026-11-25 04:03:15`.
pub(crate) fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().replace('T', " ")
}
