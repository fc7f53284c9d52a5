//! The page of `backtest --page`: what hooks would have answered in past sessions.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::Path;
use std::time::SystemTime;

use clap::ValueEnum;

use crate::history::page::hooks::Hooks;
use crate::history::page::html::{Html, page};
use crate::history::page::latency::Scale;
use crate::history::page::parts::{Column, Filters, Head, HookRow, HookTable, REDACTED, ROWS, WHY, data, limits};
use crate::history::reasons::{self, Reason, Said, first_line, quotations};
use crate::history::replay::{Answered, Kind, LIMITS, Replay, Results};
use crate::terminal::number;
use crate::terminal::width::without_middle;

const TITLE: &str = "Backtest: what hooks would have answered";
/// Events that are shown of a reason, the newest.
const EVENTS: usize = 50;
/// Bytes that the reasons may take.
const BYTES: usize = 5 << 20;
/// Columns of a session's id, of its folder, and of a name.
const ID: usize = 64;
const FOLDER: usize = 80;
const NAME: usize = 60;

/// The facts of a page.
pub(crate) struct Backtest<'p> {
    pub(crate) replay: &'p Replay,
    pub(crate) hooks: Vec<Tested<'p>>,
    /// The version that is compared with.
    pub(crate) against: Option<&'p str>,
    /// The first moment that is asked for, and now.
    pub(crate) period: [SystemTime; 2],
    pub(crate) project: Option<&'p Path>,
    /// Set to leave out inputs, prompts, replies, reasons and folders.
    pub(crate) is_redacted: bool,
}

/// A hook, with its results.
pub(crate) struct Tested<'p> {
    pub(crate) name: &'p str,
    pub(crate) events: Vec<&'p str>,
    /// Set if the client would call it only where its `if` holds.
    pub(crate) has_condition: bool,
    pub(crate) results: &'p Results,
}

/// Returns the number of a kind in the style and the script.
fn number_of(kind: Kind) -> usize {
    match kind {
        Kind::Admitted => 0,
        Kind::Failed => 1,
        Kind::Denied => 2,
        Kind::Asked => 3,
        Kind::Informed => 4,
        Kind::Changed => 5,
        Kind::Allowed => 6,
    }
}

/// Returns the class that has the color of a kind.
fn class(kind: Kind) -> &'static str {
    ["o0", "o1", "o2", "o3", "o4", "o5", "o6"][number_of(kind)]
}

impl<'p> Backtest<'p> {
    /// Returns the page.
    pub(crate) fn html(&self) -> String {
        // These are names, and not commands, so that none is left out.
        let mut hooks = Hooks::new(false);
        let mut tables = Html::default();
        self.hooks(&mut tables, &mut hooks);
        self.reasons(&mut tables, &mut hooks);
        let mut body = Html::default();
        self.head(&mut body);
        let kinds: Vec<_> = Kind::value_variants()
            .iter()
            .map(|kind| (number_of(*kind), kind.name()))
            .collect();
        let filters = Filters {
            outcome: "Answer",
            outcomes: &kinds,
            searched: "date, folder or id",
            counted: ["events", "reasons"],
        };
        filters.add(&mut body, &hooks);
        body.add(&tables);
        let mut texts = vec![LIMITS.to_owned()];
        texts.extend(self.replay.folders().into_iter().chain(self.replay.beyond()));
        limits(&mut body, "What differs from that time", &texts);
        page(TITLE, &body, &hooks.data())
    }

    fn head(&self, html: &mut Html) {
        let sum = |of: &dyn Fn(&Results) -> u64| self.hooks.iter().map(|hook| of(hook.results)).sum::<u64>();
        let mut figures = vec![
            ("sessions", self.replay.sessions.to_string()),
            ("past events", self.replay.events.to_string()),
            ("calls of hooks", sum(&Results::calls).to_string()),
        ];
        for kind in [Kind::Failed, Kind::Denied, Kind::Asked] {
            figures.push((kind.name(), sum(&|results| results.count(kind)).to_string()));
        }
        if self.against.is_some() {
            figures.push(("differing", self.replay.differing().to_string()));
        }
        let head = Head {
            title: TITLE,
            period: self.period,
            project: self.project.filter(|_| !self.is_redacted),
            against: self.against,
            figures,
            damaged: self.replay.damaged,
            unread: self.replay.unread.len(),
        };
        head.add(html);
    }

    /// The table of all hooks, in the order in which they were asked for.
    fn hooks(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        const COLUMNS: [Column; 13] = [
            ("h", "Hook"),
            ("n", "Calls"),
            ("n", "Failed"),
            ("n", "Denied"),
            ("n", "Asked"),
            ("n", "Changed"),
            ("n", "Allowed"),
            ("n", "Informed"),
            ("n", "Admitted"),
            ("plots", "Time"),
            ("n", "p50"),
            ("n", "p90"),
            ("n", "max"),
        ];
        let slowest = self.hooks.iter().filter_map(|hook| hook.results.times.percentile(100));
        let scale = Scale::of_microseconds(slowest.max().unwrap_or(1));
        let table = HookTable::begin(html, &COLUMNS, scale, self.hooks.len());
        table.group(html, None);
        for hook in self.hooks.iter().take(ROWS) {
            let numbers: Vec<usize> = hook
                .events
                .iter()
                .map(|event| numbered(hooks, event, hook.name))
                .collect();
            let kinds: Vec<usize> = hook.results.counts.keys().map(|kind| number_of(*kind)).collect();
            let mut counts = vec![hook.results.calls()];
            counts.extend(Kind::value_variants().iter().map(|kind| hook.results.count(*kind)));
            let row = HookRow {
                hooks: &numbers,
                outcomes: &kinds,
                name: hook.name,
                counts: &counts,
                times: &hook.results.times,
            };
            table.row(html, &row);
        }
        table.end(html);
        for hook in self.hooks.iter().take(ROWS).filter(|hook| hook.has_condition) {
            html.markup("<p class=\"note\">Claude Code would call ").text(hook.name);
            html.markup(" only where its <code>if</code> holds, which is not checked here.</p>");
        }
    }

    /// The reasons of all hooks, with events; or the answers that differ.
    fn reasons(&self, html: &mut Html, hooks: &mut Hooks<'p>) {
        let mut reasons: Vec<(&str, Reason<'p>)> = Vec::new();
        for hook in &self.hooks {
            let found = reasons::of(hook.results, |text| self.shown(text));
            reasons.extend(found.into_iter().map(|reason| (hook.name, reason)));
        }
        reasons.sort_by_key(|(_, reason)| (reason.now.kind, Reverse(reason.answered.len())));
        let mut list = Html::default();
        let mut shown = 0;
        for (name, reason) in reasons.iter().take(ROWS) {
            if list.bytes() > BYTES {
                break;
            }
            self.reason(&mut list, hooks, name, reason);
            shown += 1;
        }
        html.markup("<section><h2>");
        match self.against {
            Some(against) => {
                _ = html
                    .markup("Answers that differ from ")
                    .text(without_middle(against, NAME))
            }
            None => _ = html.markup("Reasons"),
        }
        html.markup("</h2><p class=\"note\">");
        match self.against {
            _ if !reasons.is_empty() => {
                html.markup("Texts that differ only in what they quote are one; open it for its newest events. ");
                html.markup("Times are in UTC.");
            }
            Some(_) => _ = html.markup("No answer differs."),
            None => _ = html.markup("Each answer is <code>admitted</code>."),
        }
        if reasons.len() > shown {
            html.markup(" <b>Left out: ")
                .text(reasons.len() - shown)
                .markup("</b> of ");
            html.text(reasons.len()).markup("; <code>--json</code> has all.");
        }
        let left_out = self.hooks.iter().map(|hook| hook.results.left_out).sum();
        if left_out > 0 {
            html.markup(" <b>Left out: ").text(number(left_out, "answer"));
            html.markup("</b>, more than can be kept; the figures and the table above include them.");
        }
        html.markup("</p>").add(&list).markup("</section>\n");
    }

    fn reason(&self, html: &mut Html, hooks: &mut Hooks<'p>, name: &'p str, reason: &Reason<'_>) {
        let Reason { now, other, answered } = reason;
        html.markup(match other {
            Some(_) => "<details class=\"lane reason both\"><summary>",
            None => "<details class=\"lane reason\"><summary>",
        });
        html.markup("<span class=\"times\">")
            .text(answered.len())
            .markup(" ×</span>");
        if let Some(other) = other {
            html.markup("<span class=\"said\">").text(self.version()).markup(": ");
            said(html, other);
            html.markup("</span>");
        }
        html.markup("<span class=\"said\">");
        html.markup(if other.is_some() { "now: " } else { "" });
        said(html, now);
        html.markup("</span><span class=\"sum\">")
            .text(without_middle(name, NAME))
            .markup("</span>");
        if let Some(example) = answered.last().filter(|_| !self.is_redacted) {
            html.markup("<span class=\"example\">")
                .text(without_middle(&example.subject, NAME));
            html.markup(" ")
                .text(without_middle(&example.about, WHY / 2))
                .markup("</span>");
        }
        html.markup("</summary>");
        let events = answered.iter().rev().take(EVENTS);
        if answered.len() > EVENTS {
            html.markup("<p class=\"note\">The newest ").text(EVENTS).markup(" of ");
            html.text(answered.len()).markup(" events</p>");
        }
        html.markup("<table role=\"table\" aria-label=\"Events\"><thead role=\"rowgroup\"><tr role=\"row\">");
        for head in ["Time", "Session", "Event"] {
            html.markup("<th role=\"columnheader\" scope=\"col\">").markup(head);
        }
        if other.is_some() {
            html.markup("<th role=\"columnheader\" scope=\"col\">")
                .text(self.version());
        }
        html.markup("<th role=\"columnheader\" scope=\"col\">");
        html.markup(if other.is_some() { "Now" } else { "Quoted" });
        html.markup("</thead><tbody role=\"rowgroup\">\n");
        for answered in events {
            self.event(html, hooks, name, answered);
        }
        html.markup("</tbody></table></details>\n");
    }

    fn event(&self, html: &mut Html, hooks: &mut Hooks<'p>, name: &'p str, answered: &Answered) {
        let Answered {
            time,
            session,
            event,
            subject,
            about,
            answer,
            other,
        } = answered;
        let mut kinds = vec![number_of(answer.kind)];
        kinds.extend(other.as_ref().map(|other| number_of(other.kind)));
        data(html, &[numbered(hooks, event, name)], &kinds);
        let time: String = time.replace('T', " ").chars().take(19).collect();
        html.markup("<td role=\"cell\" class=\"when\">").text(time);
        html.markup("<td role=\"cell\" class=\"id\">")
            .text(without_middle(&session.id, ID));
        if let Some(folder) = session.folder.as_deref().filter(|_| !self.is_redacted) {
            html.markup(" in ").text(without_middle(folder, FOLDER));
        }
        html.markup("<td role=\"cell\" class=\"input\">")
            .text(event)
            .markup(" ");
        html.text(without_middle(subject, NAME));
        if !self.is_redacted {
            html.markup(" <span>")
                .text(without_middle(about, WHY))
                .markup("</span>");
        }
        match other {
            Some(other) => {
                for (answer, version) in [(other, self.version()), (answer, "now".to_owned())] {
                    html.markup("<td role=\"cell\" class=\"said\" data-l=\"")
                        .text(version)
                        .markup("\">");
                    let text = self.shown(&first_line(&answer.text));
                    said(
                        html,
                        &Said {
                            kind: answer.kind,
                            text,
                        },
                    );
                }
            }
            None => {
                let line = first_line(&answer.text);
                html.markup("<td role=\"cell\" class=\"said\">");
                html.text(self.shown(&quotations(&line).join(", ")));
            }
        }
        html.markup("\n");
    }

    /// Returns the name of the version that is compared with.
    fn version(&self) -> String {
        without_middle(self.against.unwrap_or_default(), NAME)
    }

    /// Returns the text of an answer, unless texts are left out.
    fn shown(&self, text: &str) -> String {
        match self.is_redacted && !text.is_empty() {
            true => REDACTED.to_owned(),
            false => without_middle(text, WHY),
        }
    }
}

/// Returns the number of a hook on an event.
fn numbered<'p>(hooks: &mut Hooks<'p>, event: &'p str, name: &'p str) -> usize {
    hooks.number(event, Some(Cow::Borrowed(name))).0
}

/// Adds an answer.
fn said(html: &mut Html, said: &Said) {
    html.markup("<b class=\"").markup(class(said.kind)).markup("\">");
    html.markup(said.kind.name()).markup("</b> ").text(&said.text);
}
