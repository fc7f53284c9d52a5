//! The parts that the pages have in common.

use std::path::Path;
use std::time::SystemTime;

use crate::history::page::hooks::Hooks;
use crate::history::page::html::Html;
use crate::history::page::lanes;
use crate::history::page::latency::Scale;
use crate::history::times::Times;
use crate::terminal::number;
use crate::terminal::width::without_middle;

/// Rows of a table.
pub(crate) const ROWS: usize = 200;
/// Columns of a reason.
pub(crate) const WHY: usize = 300;
/// The text in place of one that is left out.
pub(crate) const REDACTED: &str = "(left out)";

/// A row of a table: the hook, and the texts of the cells.
pub(crate) type Row = (usize, Vec<String>);
/// A column: its class and its head.
pub(crate) type Column = (&'static str, &'static str);

/// The head of a page.
pub(crate) struct Head<'h> {
    pub(crate) title: &'static str,
    /// The first moment that is asked for, and now.
    pub(crate) period: [SystemTime; 2],
    /// The project, unless it is left out.
    pub(crate) project: Option<&'h Path>,
    /// The version that is compared with.
    pub(crate) against: Option<&'h str>,
    pub(crate) figures: Vec<(&'static str, String)>,
    /// Numbers of rows and transcripts that could not be read.
    pub(crate) damaged: u64,
    pub(crate) unread: usize,
}

impl Head<'_> {
    pub(crate) fn add(&self, html: &mut Html) {
        html.markup("<header><h1>").markup(self.title).markup("</h1><p>");
        let [since, until] = self.period.map(lanes::time);
        html.text(&since[..10]).markup(" to ").text(&until[..16]).markup(" UTC");
        let project = self.project.map(|project| project.display().to_string());
        let against = self.against.map(|against| without_middle(against, WHY / 4));
        for (before, what) in [(", in ", project), (", compared with ", against)] {
            if let Some(what) = what {
                html.markup(before).markup("<span class=\"where\">").text(what);
                html.markup("</span>");
            }
        }
        html.markup("</p><dl class=\"figures\">");
        for (what, figure) in &self.figures {
            html.markup("<div><dt>")
                .markup(what)
                .markup("</dt><dd>")
                .text(figure)
                .markup("</dd></div>");
        }
        html.markup("</dl>");
        let unread = u64::try_from(self.unread).unwrap_or_default();
        for (count, what) in [(self.damaged, "row"), (unread, "transcript")] {
            if count > 0 {
                html.markup("<p class=\"note\">")
                    .text(number(count, what))
                    .markup(" could not be read</p>");
            }
        }
        html.markup("</header>\n");
    }
}

/// The filters of a page, which its script shows.
pub(crate) struct Filters<'f> {
    /// The head of the filter by outcome, and the numbers and words of the outcomes.
    pub(crate) outcome: &'static str,
    pub(crate) outcomes: &'f [(usize, &'static str)],
    /// The parts of a session that can be searched.
    pub(crate) searched: &'static str,
    /// Words for the things that a filter leaves, and for their groups.
    pub(crate) counted: [&'static str; 2],
}

impl Filters<'_> {
    pub(crate) fn add(&self, html: &mut Html, hooks: &Hooks<'_>) {
        html.markup("<form id=\"filters\" hidden aria-label=\"Filters\"><label>Hook <input id=\"hook\" type=\"search\" list=\"names\" autocomplete=\"off\" spellcheck=\"false\"></label><datalist id=\"names\">");
        for name in hooks.names(ROWS) {
            html.markup("<option value=\"").text(name).markup("\">");
        }
        html.markup("</datalist><label>Event <select id=\"event\"><option value=\"\">all</option>");
        for event in hooks.events().take(ROWS) {
            html.markup("<option>").text(event).markup("</option>");
        }
        html.markup("</select></label><label>").markup(self.outcome);
        html.markup(" <select id=\"outcome\"><option value=\"\">all</option>");
        for (number, word) in self.outcomes {
            html.markup("<option value=\"").text(number).markup("\">");
            html.markup(word).markup("</option>");
        }
        html.markup("</select></label><label>Session <input id=\"session\" type=\"search\" placeholder=\"");
        html.markup(self.searched)
            .markup("\" autocomplete=\"off\" spellcheck=\"false\"></label>");
        html.markup("<button type=\"reset\">Show all</button><output id=\"status\" role=\"status\" data-items=\"");
        html.markup(self.counted[0])
            .markup("\" data-lanes=\"")
            .markup(self.counted[1])
            .markup("\"></output></form>\n");
    }
}

/// The table of hooks, with their counts and times.
pub(crate) struct HookTable<'t> {
    columns: &'t [Column],
    scale: Scale,
}

/// A row of it.
pub(crate) struct HookRow<'t> {
    /// The numbers of the hook, one for each of its events, and those of its outcomes.
    pub(crate) hooks: &'t [usize],
    pub(crate) outcomes: &'t [usize],
    pub(crate) name: &'t str,
    pub(crate) counts: &'t [u64],
    pub(crate) times: &'t Times,
}

impl<'t> HookTable<'t> {
    /// Begins the table of so many hooks. Its columns are the name, counts, the plot of times and three percentiles.
    pub(crate) fn begin(html: &mut Html, columns: &'t [Column], scale: Scale, all: usize) -> Self {
        html.markup(
            "<section><h2 id=\"hooks\">Hooks</h2><p class=\"note\">Times are on a log scale, with a grid line at ",
        );
        html.markup(scale.first())
            .markup(" and at each power of ten: bars are runs, ");
        html.markup("lines are <b class=\"p50\">p50</b>, <b class=\"p90\">p90</b> and <b class=\"max\">max</b>.");
        more(html, all);
        html.markup("</p><table class=\"wide hooks\" role=\"table\" aria-labelledby=\"hooks\"><thead role=\"rowgroup\"><tr role=\"row\">");
        for (class, head) in columns {
            html.markup("<th role=\"columnheader\" scope=\"col\" class=\"")
                .markup(class)
                .markup("\">");
            match *class {
                "plots" => {
                    html.markup("<span class=\"unseen\">Time</span>");
                    scale.axis(html);
                }
                _ => _ = html.markup(head),
            }
            html.markup("</th>");
        }
        html.markup("</tr></thead>");
        Self { columns, scale }
    }

    /// Begins a group of rows.
    pub(crate) fn group(&self, html: &mut Html, title: Option<&str>) {
        html.markup("<tbody role=\"rowgroup\">");
        if let Some(title) = title {
            html.markup("<tr role=\"row\"><th role=\"rowheader\" colspan=\"")
                .text(self.columns.len())
                .markup("\" scope=\"rowgroup\">");
            html.text(title).markup("</th></tr>\n");
        }
    }

    pub(crate) fn row(&self, html: &mut Html, row: &HookRow<'_>) {
        let percentiles = [50, 90, 100].map(|percent| row.times.percentile(percent));
        data(html, row.hooks, row.outcomes);
        html.markup("<th role=\"rowheader\" scope=\"row\" class=\"h\">")
            .text(row.name)
            .markup("</th>");
        let counts = row.counts.iter().map(u64::to_string);
        let mut cells = counts.chain(percentiles.map(|time| self.scale.shown(time)));
        for (class, head) in &self.columns[1..] {
            if *class == "plots" {
                html.markup("<td role=\"cell\" class=\"plots\">");
                self.scale.plot(html, row.times, percentiles);
            } else {
                cell(html, class, head, &cells.next().unwrap_or_default());
            }
        }
        html.markup("</tr>\n");
    }

    pub(crate) fn end(self, html: &mut Html) {
        html.markup("</table></section>\n");
    }
}

/// Begins a row of a table, with the numbers of its hooks and outcomes for the script.
pub(crate) fn data(html: &mut Html, hooks: &[usize], outcomes: &[usize]) {
    let joined = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    html.markup("<tr role=\"row\" data-h=\"").text(joined(hooks));
    html.markup("\" data-o=\"").text(joined(outcomes)).markup("\">");
}

/// Adds a note about rows that are left out.
pub(crate) fn more(html: &mut Html, all: usize) {
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

/// Adds a table, unless it has no rows. With the title are the numbers of the outcomes that it is about.
pub(crate) fn table(html: &mut Html, title: (&'static str, &[usize]), columns: &[Column], rows: &[Row], all: usize) {
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
        data(html, &[*hook], title.1);
        for ((class, head), text) in columns.iter().zip(cells) {
            cell(html, class, head, text);
        }
        html.markup("</tr>\n");
    }
    html.markup("</tbody></table></section>\n");
}

/// Adds the section about the facts that transcripts lack, which no filter hides.
pub(crate) fn limits(html: &mut Html, title: &'static str, texts: &[String]) {
    html.markup("<section class=\"always\"><h2>")
        .markup(title)
        .markup("</h2>");
    for text in texts {
        html.markup("<p>").text(text).markup("</p>");
    }
    html.markup("</section>\n");
}
