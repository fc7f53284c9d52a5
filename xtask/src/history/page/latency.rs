//! The distribution of a hook's times, on a log scale, as SVG.

use std::collections::BTreeMap;

use crate::history::page::html::Html;
use crate::history::times::Times;
use crate::terminal::duration;

/// The scale that all plots of a page have. Times are in its unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The time at the left.
    first: u64,
    /// The unit's part of a millisecond.
    of_millisecond: u64,
    labels: &'static [&'static str],
    /// Powers of ten, from the first time.
    decades: u32,
}

const LABELS: [&str; 9] = [
    "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "17 min", "2.8 h",
];
/// Columns of a plot; the style has their width.
const COLUMNS: u32 = 50;
const HEIGHT: f64 = 24.0;

impl Scale {
    /// Returns the scale for times up to this one, in milliseconds.
    pub(crate) fn of_milliseconds(slowest: u64) -> Self {
        Self::new(1, 1, &LABELS[1..], slowest)
    }

    /// Returns the scale for times up to this one, in microseconds.
    pub(crate) fn of_microseconds(slowest: u64) -> Self {
        Self::new(100, 1_000, &LABELS, slowest)
    }

    fn new(first: u64, of_millisecond: u64, labels: &'static [&'static str], slowest: u64) -> Self {
        let most = u32::try_from(labels.len() - 1).unwrap_or(7);
        let is_enough = |decades: &u32| slowest <= first * 10u64.pow(*decades);
        Self {
            first,
            of_millisecond,
            labels,
            decades: (1..most).find(is_enough).unwrap_or(most),
        }
    }

    /// Returns a time for people.
    pub(crate) fn shown(self, time: Option<u64>) -> String {
        duration(time.map(|time| time.div_ceil(self.of_millisecond)))
    }

    /// Returns the label of the time at the left.
    pub(crate) fn first(self) -> &'static str {
        self.labels[0]
    }

    /// Returns the place of a time, from 0 to 1.
    fn place(self, time: u64) -> f64 {
        let times = time.max(self.first) as f64 / self.first as f64;
        (times.log10() / f64::from(self.decades)).min(1.0)
    }

    fn column(self, time: u64) -> u32 {
        let column = (0..COLUMNS).rfind(|column| f64::from(*column) / f64::from(COLUMNS) <= self.place(time));
        column.unwrap_or_default()
    }

    /// Draws the axis.
    pub(crate) fn axis(self, html: &mut Html) {
        html.markup("<svg class=\"axis\" width=\"100%\" height=\"14\" aria-hidden=\"true\">");
        for decade in 0..=self.decades {
            html.markup("<text y=\"11\" x=\"").text(self.of_decade(decade));
            html.markup(match decade {
                0 => "\" text-anchor=\"start\">",
                _ if decade == self.decades => "\" text-anchor=\"end\">",
                _ => "\" text-anchor=\"middle\">",
            });
            html.markup(self.labels[decade as usize]).markup("</text>");
        }
        html.markup("</svg>");
    }

    fn of_decade(self, decade: u32) -> String {
        percent(f64::from(decade) / f64::from(self.decades))
    }

    /// Draws the number of runs by their times, and lines at half of the runs, at nine tenths and at all.
    pub(crate) fn plot(self, html: &mut Html, times: &Times, percentiles: [Option<u64>; 3]) {
        html.markup("<svg class=\"plot\" width=\"100%\" height=\"24\" aria-hidden=\"true\">");
        for decade in 0..=self.decades {
            let place = self.of_decade(decade);
            html.markup("<line class=\"g\" y2=\"24\" x1=\"").text(&place);
            html.markup("\" x2=\"").text(&place).markup("\"/>");
        }
        let mut columns = BTreeMap::<u32, u32>::new();
        for (time, count) in times.iter() {
            let column = columns.entry(self.column(time)).or_default();
            *column = column.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        }
        let highest = columns.values().max().copied().unwrap_or(1);
        for (column, count) in columns {
            // By the root, so that a single run stays visible next to thousands.
            let height = ((f64::from(count) / f64::from(highest)).sqrt() * (HEIGHT - 2.0)).max(2.0);
            html.markup("<rect x=\"")
                .text(percent(f64::from(column) / f64::from(COLUMNS)));
            html.markup("\" y=\"").text(format_args!("{:.1}", HEIGHT - height));
            html.markup("\" height=\"")
                .text(format_args!("{height:.1}"))
                .markup("\"/>");
        }
        let classes = ["p50", "p90", "max"];
        for (class, place) in classes.into_iter().zip(percentiles) {
            let Some(place) = place.map(|place| percent(self.place(place))) else {
                continue;
            };
            html.markup("<line y2=\"24\" class=\"").markup(class);
            html.markup("\" x1=\"")
                .text(&place)
                .markup("\" x2=\"")
                .text(&place)
                .markup("\"/>");
        }
        html.markup("</svg>");
    }
}

/// Returns a part of the width of a plot.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.2}%", part * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_on_a_log_scale_with_a_bounded_number_of_columns() {
        let scale = Scale::of_milliseconds(900);
        let places = [0, 1, 10, 100, 1_000, u64::MAX].map(|time| percent(scale.place(time)));
        assert_eq!(places, ["0.00%", "0.00%", "33.33%", "66.67%", "100.00%", "100.00%"]);
        assert_eq!([1, 1_000].map(|time| scale.column(time)), [0, COLUMNS - 1]);
        let fine = Scale::of_microseconds(9_000);
        let places = [50, 100, 1_000, 10_000].map(|time| percent(fine.place(time)));
        assert_eq!(places, ["0.00%", "0.00%", "50.00%", "100.00%"]);
        assert_eq!((fine.first(), &*fine.shown(Some(1_001))), ("100 µs", "2 ms"));
        let mut html = Html::default();
        let mut times = Times::default();
        (0..100_000).for_each(|time| times.insert(time));
        Scale::of_milliseconds(u64::MAX).plot(&mut html, &times, [None, Some(3), Some(u64::MAX)]);
        let html = format!("{html:?}");
        assert!(html.matches("<rect").count() <= COLUMNS as usize && html.matches("class=\\\"p").count() == 2);
    }
}
