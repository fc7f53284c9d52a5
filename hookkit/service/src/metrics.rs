//! Counts of answers, in the text format of OpenMetrics 1.0.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Answered;

pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper bounds of the time histogram, in seconds.
const BOUNDS: [f64; 6] = [0.0005, 0.001, 0.005, 0.025, 0.1, 1.0];

#[derive(Default)]
pub(crate) struct Metrics {
    /// Number of answers by hook and decision. The map stays small, because there are only a few decisions, such as
    /// `deny` and `ask`.
    answers: Mutex<BTreeMap<(&'static str, String), u64>>,
    failures: AtomicU64,
    refused: AtomicU64,
    times: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

impl Metrics {
    pub(crate) fn count(&self, answered: &Answered<'_>) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry((answered.hook, answered.decision.to_owned())).or_default() += 1;
        drop(answers);
        if answered.failure.is_some() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        let seconds = answered.took.as_secs_f64();
        let bound = BOUNDS.iter().position(|bound| seconds <= *bound);
        self.times[bound.unwrap_or(BOUNDS.len())].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(answered.took.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Counts a request without a valid key.
    pub(crate) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn text(&self) -> String {
        let mut text =
            "# TYPE hookkit_answers counter\n# HELP hookkit_answers Answers of hooks, by decision.\n".to_owned();
        for ((hook, decision), count) in &*self.answers.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(text, "hookkit_answers_total{{hook=\"{hook}\",decision=\"{decision}\"}} {count}");
        }
        for (name, help, count) in [
            ("failures", "Hooks that failed, with the answer of their policy.", &self.failures),
            ("refused", "Requests without a valid key.", &self.refused),
        ] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(
                text,
                "# TYPE hookkit_{name} counter\n# HELP hookkit_{name} {help}\nhookkit_{name}_total {count}"
            );
        }
        text += "# TYPE hookkit_seconds histogram\n# UNIT hookkit_seconds seconds\n";
        text += "# HELP hookkit_seconds Time that hooks took.\n";
        let mut sum = 0;
        let bounds = BOUNDS.map(|bound| bound.to_string());
        let bounds = bounds.iter().map(String::as_str).chain(["+Inf"]);
        for (bound, count) in bounds.zip(&self.times) {
            sum += count.load(Ordering::Relaxed);
            let _ = writeln!(text, "hookkit_seconds_bucket{{le=\"{bound}\"}} {sum}");
        }
        let seconds = self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9;
        let _ = writeln!(text, "hookkit_seconds_count {sum}\nhookkit_seconds_sum {seconds}\n# EOF");
        text
    }
}
