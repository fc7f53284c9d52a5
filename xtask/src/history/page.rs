//! A page about past sessions: one file, which loads nothing.

pub(crate) mod backtest;
pub(crate) mod hooks;
pub(crate) mod html;
pub(crate) mod lanes;
pub(crate) mod latency;
pub(crate) mod parts;
#[cfg(any(test, feature = "rig"))]
pub(crate) mod sample;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::history::outcome::Outcome;
use crate::history::page::hooks::{Hooks, event, subject};
use crate::history::page::html::Html;
use crate::history::page::latency::Scale;
use crate::history::page::parts::{Column, Filters, Head, HookRow, HookTable, REDACTED, ROWS, Row, WHY, limits, table};
use crate::history::tally::{Count, HookKey, HookTally, Tally};
use crate::history::timeline::Mark;
use crate::history::unseen::{self, Unseen};
use crate::terminal::width::without_middle;
use crate::terminal::{counted, duration, number};

/// Runs that a page has; older ones are left out.
pub(crate) const RUNS: usize = 10_000;
const TITLE: &str = "Hooks in past sessions";

/// The facts of a page.
pub(crate) struct Page<'p> {
    pub(crate) tally: &'p Tally,
    /// Single runs, the newest first.
    pub(crate) marks: &'p [Mark],
    /// Number of the runs that are not among them.
    pub(crate) left_out: u64,
    pub(crate) unseen: &'p [Unseen<'p>],
    /// The first moment that is asked for, and now.
    pub(crate) period: [SystemTime; 2],
    pub(crate) project: Option<&'p Path>,
    /// Set to leave out commands, reasons and folders.
    pub(crate) is_redacted: bool,
}

const COUNTED: [Column; 5] = [
    ("n", "Times"),
    ("e", "Event"),
    ("h", "Hook"),
    ("w", "Reason"),
    ("t", "Last"),
];

impl<'p> Page<'p> {
    /// Returns the page.
    pub(crate) fn html(&self) -> String {
        let mut hooks = Hooks::new(self.is_redacted);
        let mut tables = Html::default();
        self.hooks(&mut tables, &mut hooks);
        let tally = self.tally;
        let named = |count: &Count| (count.times, count.last.clone());
        let denials = tally.denials.iter().map(|(key, count)| {
            let what = self.what(&key.event, &key.subject);
            (&*key.event, key.command.as_deref(), what, &*key.reason, named(count))
        });
        self.counted(&mut tables, &mut hooks, ("Denied", &[2]), denials);
        let of_hooks = |reasons: fn(&HookTally) -> &BTreeMap<String, Count>| {
            tally.hooks.iter().flat_map(move |(key, hook)| {
                let reasons = reasons(hook).iter();
                reasons.map(move |(why, count)| {
                    (
                        &*key.event,
                        key.command.as_deref(),
                        event(&key.event, self.is_redacted).to_owned(),
                        &**why,
                        named(count),
                    )
                })
            })
        };
        let failures = of_hooks(|hook| &hook.failures);
        self.counted(
            &mut tables,
            &mut hooks,
            ("Failed, and Claude Code went ahead", &[1, 3]),
            failures,
        );
        let ignored = of_hooks(|hook| &hook.ignored);
        self.counted(&mut tables, &mut hooks, ("Ignored parts of answers", &[0]), ignored);
        self.unseen(&mut tables, &mut hooks);
        let lanes = lanes::draw(self.marks, &mut hooks, self.is_redacted);
        let mut body = Html::default();
        self.head(&mut body);
        let outcomes = Outcome::ALL.map(|outcome| (lanes::number(outcome), lanes::word(outcome)));
        let filters = Filters {
            outcome: "Outcome",
            outcomes: &outcomes,
            searched: "date, folder or id",
            counted: ["runs on the timeline", "sessions"],
        };
        filters.add(&mut body, &hooks);
        legend(&mut body);
        body.markup("<section><h2>Sessions</h2><p class=\"note\">");
        body.markup(
            "A lane is a session, from its first recorded run to its last; open it for the runs. Times are in UTC.",
        );
        let left_out = self.left_out + u64::try_from(self.marks.len() - lanes.runs).unwrap_or_default();
        if left_out > 0 {
            body.markup(" <b>Left out: ").text(number(left_out, "run"));
            body.markup("</b>, older than these ").text(lanes.runs).markup(" in ");
            body.text(counted(lanes.sessions, "session"));
            body.markup("; the figures and the tables below include them.");
        }
        body.markup("</p>").add(&lanes.html).markup("</section>\n").add(&tables);
        limits(&mut body, "What is not recorded", &[unseen::limits()]);
        html::page(TITLE, &body, &hooks.data())
    }

    fn head(&self, html: &mut Html) {
        let sum = |outcome| self.tally.hooks.values().map(|hook| hook.count(outcome)).sum::<u64>();
        let runs: u64 = self.tally.hooks.values().map(HookTally::runs).sum();
        let head = Head {
            title: TITLE,
            period: self.period,
            project: self.project.filter(|_| !self.is_redacted),
            against: None,
            figures: vec![
                ("sessions", self.tally.sessions.to_string()),
                ("tool calls", self.tally.calls.values().sum::<u64>().to_string()),
                ("recorded runs", runs.to_string()),
                ("denied", sum(Outcome::Blocked).to_string()),
                ("failed", sum(Outcome::Failed).to_string()),
                ("late", sum(Outcome::TimedOut).to_string()),
                ("Claude waited", duration(Some(self.tally.waited))),
            ],
            damaged: self.tally.damaged,
            unread: self.tally.unread.len(),
        };
        head.add(html);
    }

    /// The table of all hooks by event, those that took most time first.
    fn hooks(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        let mut found: Vec<(&HookKey, &HookTally)> = self.tally.hooks.iter().collect();
        let all = found.len();
        found.sort_by_key(|(key, hook)| (Reverse(hook.times.total()), *key));
        found.truncate(ROWS);
        found.sort_by(|(one, _), (other, _)| one.event.cmp(&other.event));
        let slowest = found.iter().filter_map(|(_, hook)| hook.times.percentile(100)).max();
        let scale = Scale::of_milliseconds(slowest.unwrap_or(1));
        if found.is_empty() {
            return;
        }
        const COLUMNS: [Column; 9] = [
            ("h", "Hook"),
            ("n", "Runs"),
            ("n", "Failed"),
            ("n", "Denied"),
            ("n", "Late"),
            ("plots", "Time"),
            ("n", "p50"),
            ("n", "p90"),
            ("n", "max"),
        ];
        let table = HookTable::begin(html, &COLUMNS, scale, all);
        let mut event = None;
        for (key, hook) in found {
            let (number, _) = hooks.number(&key.event, key.command.as_deref().map(Cow::Borrowed));
            let shown = hooks.get(number);
            if event != Some(&key.event) {
                event = Some(&key.event);
                table.group(html, Some(&shown.event));
            }
            let outcomes: Vec<usize> = hook.outcomes.keys().map(|outcome| lanes::number(*outcome)).collect();
            let [failed, denied, late] =
                [Outcome::Failed, Outcome::Blocked, Outcome::TimedOut].map(|outcome| hook.count(outcome));
            let row = HookRow {
                hooks: &[number],
                outcomes: &outcomes,
                name: &shown.name,
                counts: &[hook.runs(), failed, denied, late],
                times: &hook.times,
            };
            table.row(html, &row);
        }
        table.end(html);
    }

    /// A table of reasons, the most frequent first.
    fn counted<'f>(
        &self,
        html: &mut Html,
        hooks: &mut Hooks<'p>,
        title: (&'static str, &[usize]),
        found: impl Iterator<Item = (&'p str, Option<&'p str>, String, &'f str, (u64, String))>,
    ) {
        let mut found: Vec<_> = found.collect();
        let all = found.len();
        found.sort_by_key(|(.., (times, _))| Reverse(*times));
        found.truncate(ROWS);
        // Reasons that are left out are those of one row.
        let mut rows: BTreeMap<(usize, String, String), Count> = BTreeMap::new();
        for (event, command, what, why, (times, last)) in found {
            let (hook, _) = hooks.number(event, command.map(Cow::Borrowed));
            let row = rows.entry((hook, what, self.why(why))).or_default();
            row.times += times;
            row.last = std::mem::take(&mut row.last).max(last);
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by_key(|(_, count)| Reverse(count.times));
        let rows = rows.into_iter().map(|((hook, what, why), count)| {
            let last = count.last.replace('T', " ").chars().take(16).collect();
            let what = without_middle(&what, WHY / 4);
            (
                hook,
                vec![count.times.to_string(), what, hooks.get(hook).name.clone(), why, last],
            )
        });
        let rows: Vec<Row> = rows.collect();
        table(html, title, &COUNTED, &rows, all);
    }

    /// Returns an event and its subject.
    fn what(&self, name: &str, of: &str) -> String {
        format!("{} {}", event(name, self.is_redacted), subject(of, self.is_redacted))
    }

    /// Returns a reason. Where reasons are left out, only an exit code is in it.
    fn why(&self, why: &str) -> String {
        if !self.is_redacted {
            return without_middle(why, WHY);
        }
        let code = why.strip_prefix("exit code ").and_then(|rest| rest.split(':').next());
        match code.filter(|code| code.chars().all(|char| char.is_ascii_digit())) {
            Some(code) => format!("exit code {code}"),
            None => REDACTED.to_owned(),
        }
    }

    fn unseen(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        let mut rows: Vec<Row> = Vec::new();
        for hook in self.unseen.iter().take(ROWS) {
            let command = hook.handler.recorded_command().map(Cow::Owned);
            let (number, _) = hooks.number(&hook.handler.event, command);
            let what = self.what(&hook.handler.event, hook.handler.matcher.as_deref().unwrap_or_default());
            let what = without_middle(what.trim_end(), WHY / 4);
            rows.push((number, vec![what, hooks.get(number).name.clone(), hook.why.sentence()]));
        }
        let columns = [("e", "Event"), ("h", "Hook"), ("w", "Calls")];
        table(html, ("No recorded run", &[]), &columns, &rows, self.unseen.len());
    }
}

/// Adds the meanings of the marks.
fn legend(html: &mut Html) {
    html.markup("<ul class=\"legend\" aria-label=\"Outcomes\">");
    for outcome in Outcome::ALL {
        html.markup("<li><svg width=\"8\" height=\"22\" aria-hidden=\"true\"><rect x=\"3\" data-o=\"");
        html.text(lanes::number(outcome))
            .markup("\"/></svg>")
            .markup(lanes::word(outcome))
            .markup("</li>");
    }
    html.markup("</ul>\n");
}

#[cfg(test)]
mod tests;
