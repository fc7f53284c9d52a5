//! The distribution of a hook's times, on a log scale, as SVG.

use std::collections::BTreeMap;

use crate::history::page::html::Html;
use crate::history::times::Times;

/// The scale that all plots of a page have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Powers of ten, from a millisecond.
    decades: u32,
}

const LABELS: [&str; 8] = ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s", "17 min", "2.8 h"];
/// Columns of a plot; the style has their width.
const COLUMNS: u32 = 50;
const HEIGHT: f64 = 24.0;

impl Scale {
    /// Returns the scale for times up to this one, in milliseconds.
    pub(crate) fn up_to(slowest: u64) -> Self {
        let most = u32::try_from(LABELS.len() - 1).unwrap_or(7);
        Self {
            decades: (1..most).find(|decades| slowest <= 10u64.pow(*decades)).unwrap_or(most),
        }
    }

    /// Returns the place of a time, from 0 to 1.
    fn place(self, milliseconds: u64) -> f64 {
        let milliseconds = u32::try_from(milliseconds.max(1)).unwrap_or(u32::MAX);
        (f64::from(milliseconds).log10() / f64::from(self.decades)).min(1.0)
    }

    fn column(self, milliseconds: u64) -> u32 {
        let column = (0..COLUMNS).rfind(|column| f64::from(*column) / f64::from(COLUMNS) <= self.place(milliseconds));
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
            html.markup(LABELS[decade as usize]).markup("</text>");
        }
        html.markup("</svg>");
    }

    fn of_decade(self, decade: u32) -> String {
        percent(f64::from(decade) / f64::from(self.decades))
    }

    /// Draws the number of runs by their milliseconds, and lines at half of the runs, at nine tenths and at all.
    pub(crate) fn plot(self, html: &mut Html, times: &Times, percentiles: [Option<u64>; 3]) {
        html.markup("<svg class=\"plot\" width=\"100%\" height=\"24\" aria-hidden=\"true\">");
        for decade in 0..=self.decades {
            let place = self.of_decade(decade);
            html.markup("<line class=\"g\" y2=\"24\" x1=\"").text(&place);
            html.markup("\" x2=\"").text(&place).markup("\"/>");
        }
        let mut columns = BTreeMap::<u32, u32>::new();
        for (milliseconds, count) in times.iter() {
            let column = columns.entry(self.column(milliseconds)).or_default();
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
        let scale = Scale::up_to(900);
        let places = [0, 1, 10, 100, 1_000, u64::MAX].map(|time| percent(scale.place(time)));
        assert_eq!(places, ["0.00%", "0.00%", "33.33%", "66.67%", "100.00%", "100.00%"]);
        assert_eq!([1, 1_000].map(|time| scale.column(time)), [0, COLUMNS - 1]);
        let mut html = Html::default();
        let mut times = Times::default();
        (0..100_000).for_each(|time| times.insert(time));
        Scale::up_to(u64::MAX).plot(&mut html, &times, [None, Some(3), Some(u64::MAX)]);
        let html = format!("{html:?}");
        assert!(html.matches("<rect").count() <= COLUMNS as usize && html.matches("class=\\\"p").count() == 2);
    }
}
