//! A page about past sessions: one file, which loads nothing.

pub(crate) mod hooks;
pub(crate) mod html;
pub(crate) mod lanes;
pub(crate) mod latency;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::history::outcome::Outcome;
use crate::history::page::hooks::Hooks;
use crate::history::page::html::Html;
use crate::history::page::latency::Scale;
use crate::history::tally::{Count, HookKey, HookTally, Tally};
use crate::history::timeline::Mark;
use crate::history::unseen::{self, Unseen};
use crate::terminal::width::without_middle;
use crate::terminal::{counted, duration, number};

/// Runs that a page has; older ones are left out.
pub(crate) const RUNS: usize = 10_000;
/// Rows of a table.
const ROWS: usize = 200;
const WHY: usize = 300;

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

/// A row of a table: the hook, and the texts of the cells.
type Row = (usize, Vec<String>);
/// A column: its class and its head.
type Column = (&'static str, &'static str);

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
            let what = format!("{} {}", key.event, key.subject);
            (&*key.event, key.command.as_deref(), what, &*key.reason, named(count))
        });
        self.counted(&mut tables, &mut hooks, ("Denied", "2"), denials);
        let of_hooks = |reasons: fn(&HookTally) -> &BTreeMap<String, Count>| {
            tally.hooks.iter().flat_map(move |(key, hook)| {
                let reasons = reasons(hook).iter();
                reasons.map(move |(why, count)| {
                    (
                        &*key.event,
                        key.command.as_deref(),
                        key.event.clone(),
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
            ("Failed, and Claude Code went ahead", "1 3"),
            failures,
        );
        let ignored = of_hooks(|hook| &hook.ignored);
        self.counted(&mut tables, &mut hooks, ("Ignored parts of answers", "0"), ignored);
        self.unseen(&mut tables, &mut hooks);
        let lanes = lanes::draw(self.marks, &mut hooks, self.is_redacted);
        let mut body = Html::default();
        self.head(&mut body);
        filters(&mut body, &hooks);
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
        body.markup("<section class=\"always\"><h2>What is not recorded</h2><p>");
        body.text(unseen::limits()).markup("</p></section>\n");
        html::page(&body, &hooks.data())
    }

    fn head(&self, html: &mut Html) {
        let [since, until] = self.period.map(lanes::time);
        html.markup("<header><h1>Hooks in past sessions</h1><p>");
        html.text(&since[..10]).markup(" to ").text(&until[..16]).markup(" UTC");
        if let Some(project) = self.project.filter(|_| !self.is_redacted) {
            html.markup(", in <span class=\"where\">")
                .text(project.display())
                .markup("</span>");
        }
        html.markup("</p><dl class=\"figures\">");
        let sum = |outcome| self.tally.hooks.values().map(|hook| hook.count(outcome)).sum::<u64>();
        let runs: u64 = self.tally.hooks.values().map(HookTally::runs).sum();
        let figures = [
            ("sessions", self.tally.sessions.to_string()),
            ("tool calls", self.tally.calls.values().sum::<u64>().to_string()),
            ("recorded runs", runs.to_string()),
            ("denied", sum(Outcome::Blocked).to_string()),
            ("failed", sum(Outcome::Failed).to_string()),
            ("late", sum(Outcome::TimedOut).to_string()),
            ("Claude waited", duration(Some(self.tally.waited))),
        ];
        for (what, figure) in figures {
            html.markup("<div><dt>")
                .markup(what)
                .markup("</dt><dd>")
                .text(figure)
                .markup("</dd></div>");
        }
        html.markup("</dl>");
        let unread = u64::try_from(self.tally.unread.len()).unwrap_or_default();
        for (count, what) in [(self.tally.damaged, "row"), (unread, "transcript")] {
            if count > 0 {
                html.markup("<p class=\"note\">")
                    .text(number(count, what))
                    .markup(" could not be read</p>");
            }
        }
        html.markup("</header>\n");
    }

    /// The table of all hooks by event, those that took most time first.
    fn hooks(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        let mut found: Vec<(&HookKey, &HookTally)> = self.tally.hooks.iter().collect();
        let all = found.len();
        found.sort_by_key(|(key, hook)| (Reverse(hook.times.total()), *key));
        found.truncate(ROWS);
        found.sort_by(|(one, _), (other, _)| one.event.cmp(&other.event));
        let slowest = found.iter().filter_map(|(_, hook)| hook.times.percentile(100)).max();
        let scale = Scale::up_to(slowest.unwrap_or(1));
        if found.is_empty() {
            return;
        }
        html.markup("<section><h2 id=\"hooks\">Hooks</h2><p class=\"note\">Times are on a log scale, with a grid line at 1 ms and at each power of ten: bars are runs, ");
        html.markup("lines are <b class=\"p50\">p50</b>, <b class=\"p90\">p90</b> and <b class=\"max\">max</b>.");
        more(html, all);
        html.markup("</p><table class=\"wide hooks\" role=\"table\" aria-labelledby=\"hooks\"><thead role=\"rowgroup\"><tr role=\"row\">");
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
        for (class, head) in COLUMNS {
            html.markup("<th role=\"columnheader\" scope=\"col\" class=\"")
                .markup(class)
                .markup("\">");
            match class {
                "plots" => {
                    html.markup("<span class=\"unseen\">Time</span>");
                    scale.axis(html);
                }
                _ => _ = html.markup(head),
            }
            html.markup("</th>");
        }
        html.markup("</tr></thead>");
        let mut event = None;
        for (key, hook) in found {
            let (number, _) = hooks.number(&key.event, key.command.as_deref().map(Cow::Borrowed));
            let shown = hooks.get(number);
            if event != Some(&key.event) {
                event = Some(&key.event);
                html.markup("<tbody role=\"rowgroup\"><tr role=\"row\"><th role=\"rowheader\" colspan=\"9\" scope=\"rowgroup\">");
                html.text(&shown.event).markup("</th></tr>\n");
            }
            let percentiles = [50, 90, 100].map(|percent| hook.times.percentile(percent));
            let outcomes: Vec<String> = hook
                .outcomes
                .keys()
                .map(|outcome| lanes::number(*outcome).to_string())
                .collect();
            html.markup("<tr role=\"row\" data-h=\"")
                .text(number)
                .markup("\" data-o=\"")
                .text(outcomes.join(" "));
            html.markup("\"><th role=\"rowheader\" scope=\"row\" class=\"h\">")
                .text(&shown.name)
                .markup("</th>");
            let count = |outcome| hook.count(outcome).to_string();
            let counts = [Outcome::Failed, Outcome::Blocked, Outcome::TimedOut].map(count);
            let [failed, denied, late] = counts;
            let numbers = [hook.runs().to_string(), failed, denied, late];
            let times = percentiles.map(duration);
            let mut cells = numbers.into_iter().chain(times);
            for (class, head) in &COLUMNS[1..] {
                if *class == "plots" {
                    html.markup("<td role=\"cell\" class=\"plots\">");
                    scale.plot(html, &hook.times, percentiles);
                } else {
                    cell(html, class, head, &cells.next().unwrap_or_default());
                }
            }
            html.markup("</tr>\n");
        }
        html.markup("</table></section>\n");
    }

    /// A table of reasons, the most frequent first.
    fn counted<'f>(
        &self,
        html: &mut Html,
        hooks: &mut Hooks<'p>,
        title: (&'static str, &'static str),
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

    /// Returns a reason. Where reasons are left out, only an exit code is in it.
    fn why(&self, why: &str) -> String {
        if !self.is_redacted {
            return without_middle(why, WHY);
        }
        let code = why.strip_prefix("exit code ").and_then(|rest| rest.split(':').next());
        match code.filter(|code| code.chars().all(|char| char.is_ascii_digit())) {
            Some(code) => format!("exit code {code}"),
            None => "(left out)".to_owned(),
        }
    }

    fn unseen(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        let mut rows: Vec<Row> = Vec::new();
        for hook in self.unseen.iter().take(ROWS) {
            let command = hook.handler.recorded_command().map(Cow::Owned);
            let (number, _) = hooks.number(&hook.handler.event, command);
            let what = without_middle(&hook.handler.subject(), WHY / 4);
            rows.push((number, vec![what, hooks.get(number).name.clone(), hook.why.sentence()]));
        }
        let columns = [("e", "Event"), ("h", "Hook"), ("w", "Calls")];
        table(html, ("No recorded run", ""), &columns, &rows, self.unseen.len());
    }
}

/// Adds a note about rows that are left out.
fn more(html: &mut Html, all: usize) {
    if all > ROWS {
        html.markup(" Left out: ")
            .text(all - ROWS)
            .markup(" of ")
            .text(all)
            .markup("; `--json` has all.");
    }
}

fn cell(html: &mut Html, class: &'static str, head: &'static str, text: &str) {
    html.markup("<td role=\"cell\" class=\"")
        .markup(class)
        .markup(if text == "0" { " zero" } else { "" });
    html.markup("\" data-l=\"")
        .markup(head)
        .markup("\">")
        .text(text)
        .markup("</td>");
}

/// Adds a table, unless it has no rows. The second text of the title has the numbers of the outcomes that it is about.
fn table(html: &mut Html, title: (&'static str, &'static str), columns: &[Column], rows: &[Row], all: usize) {
    if rows.is_empty() {
        return;
    }
    html.markup("<section><h2>").markup(title.0).markup("</h2>");
    if all > ROWS {
        html.markup("<p class=\"note\">");
        more(html, all);
        html.markup("</p>");
    }
    html.markup("<table class=\"wide\" role=\"table\" aria-label=\"")
        .markup(title.0);
    html.markup("\"><thead role=\"rowgroup\"><tr role=\"row\">");
    for (class, head) in columns {
        html.markup("<th role=\"columnheader\" scope=\"col\" class=\"")
            .markup(class);
        html.markup("\">").markup(head).markup("</th>");
    }
    html.markup("</tr></thead><tbody role=\"rowgroup\">\n");
    for (hook, cells) in rows {
        html.markup("<tr role=\"row\" data-h=\"")
            .text(hook)
            .markup("\" data-o=\"")
            .markup(title.1)
            .markup("\">");
        for ((class, head), text) in columns.iter().zip(cells) {
            cell(html, class, head, text);
        }
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table></section>\n");
}

/// Adds the filters, which the script shows.
fn filters(html: &mut Html, hooks: &Hooks<'_>) {
    html.markup("<form id=\"filters\" hidden aria-label=\"Filters\"><label>Hook <input id=\"hook\" type=\"search\" list=\"names\" autocomplete=\"off\" spellcheck=\"false\"></label><datalist id=\"names\">");
    for name in hooks.names(ROWS) {
        html.markup("<option value=\"").text(name).markup("\">");
    }
    html.markup("</datalist><label>Event <select id=\"event\"><option value=\"\">all</option>");
    for event in hooks.events().take(ROWS) {
        html.markup("<option>").text(event).markup("</option>");
    }
    html.markup("</select></label><label>Outcome <select id=\"outcome\"><option value=\"\">all</option>");
    for outcome in Outcome::ALL {
        html.markup("<option value=\"")
            .text(lanes::number(outcome))
            .markup("\">");
        html.markup(lanes::word(outcome)).markup("</option>");
    }
    html.markup("</select></label><label>Session <input id=\"session\" type=\"search\" placeholder=\"date, folder or id\" autocomplete=\"off\" spellcheck=\"false\"></label><button type=\"reset\">Show all</button><output id=\"status\" role=\"status\"></output></form>\n");
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
