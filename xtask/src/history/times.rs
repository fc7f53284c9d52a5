//! Durations of runs.

use std::collections::BTreeMap;

/// Numbers of runs by their durations, in a unit that the caller chooses.
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

    /// Returns the time in which this share of the runs was done, by nearest rank; `None` without a run.
    pub(crate) fn percentile(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.0.values().sum();
        let rank = (all * percent).div_ceil(100).max(1);
        let mut passed = 0;
        self.0.iter().find_map(|(time, count)| {
            passed += count;
            (passed >= rank).then_some(*time)
        })
    }

    /// Returns the durations in ascending order, each with its number of runs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|(time, count)| (*time, *count))
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
}
