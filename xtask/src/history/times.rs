//! Durations of runs.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

/// Formats a time in UTC and ISO 8601, as in rows and transcripts.
pub(crate) fn iso(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

/// Number of runs by duration, in a unit that the caller chooses.
#[derive(Debug, Default)]
pub(crate) struct Times(BTreeMap<u64, u64>);

impl Times {
    pub(crate) fn insert(&mut self, time: u64) {
        *self.0.entry(time).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        for (time, count) in other.0 {
            *self.0.entry(time).or_default() += count;
        }
    }

    /// Returns the duration at this percentile of the runs, by nearest rank. `None` without runs.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.0.values().sum();
        let rank = (all * percent).div_ceil(100).max(1);
        let mut passed = 0;
        self.0.iter().find_map(|(time, count)| {
            passed += count;
            (passed >= rank).then_some(*time)
        })
    }

    /// Returns the durations at the 50th, 90th and 100th percentile.
    pub(crate) fn percentiles(&self) -> [Option<u64>; 3] {
        [50, 90, 100].map(|percent| self.percentile(percent))
    }

    /// Returns the JSON members about the durations. `units` is the number of units in a millisecond.
    pub(crate) fn members(&self, units: u32) -> Value {
        let milliseconds = |time: u64| match units {
            1 => json!(time),
            _ => json!(time as f64 / f64::from(units)),
        };
        let [p50, p90, max] = self.percentiles().map(|time| time.map(milliseconds));
        let mut rounded: BTreeMap<u64, u64> = BTreeMap::new();
        for (time, count) in &self.0 {
            let last = 10u64.pow(time.checked_ilog10().unwrap_or_default().saturating_sub(1));
            *rounded.entry(time / last * last).or_default() += count;
        }
        let times = rounded.into_iter().map(|(time, count)| json!([milliseconds(time), count]));
        json!({
            "p50_milliseconds": p50,
            "p90_milliseconds": p90,
            "max_milliseconds": max,
            "times": times.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(time, count)| time * count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_time_of_the_nearest_rank() {
        let mut times = Times::default();
        assert_eq!((times.percentile(50), times.total()), (None, 0));
        for time in [1, 2, 2, 3, 10] {
            times.insert(time);
        }
        let percentiles = [1, 20, 50, 80, 90, 100].map(|percent| times.percentile(percent));
        assert_eq!(percentiles, [1, 1, 2, 3, 10, 10].map(Some));
        assert_eq!(times.total(), 18);
    }

    #[test]
    fn the_times_of_a_row_are_rounded_down_to_two_digits() {
        let mut times = Times::default();
        assert_eq!(times.members(1)["times"], json!([]));
        for time in [0, 7, 99, 100, 1_299, 1_201] {
            times.insert(time);
        }
        assert_eq!(times.members(1)["times"], json!([[0, 1], [7, 1], [99, 1], [100, 1], [1_200, 2]]));
        let fine = times.members(1_000);
        assert_eq!(fine["times"][4], json!([1.2, 2]));
        assert_eq!(fine["max_milliseconds"], json!(1.299));
    }
}
