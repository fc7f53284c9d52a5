//! The tool that reports the findings of a review.

use std::path::PathBuf;

use super::tool;
use crate::EffortLevel;
use crate::wire::wire;

tool! { ReportFindings = "ReportFindings" => ReportFindingsResponse }

wire! {
    /// Input of `ReportFindings`, which reports the findings of a review.
    pub struct ReportFindings {
        /// Effort level of the review.
        level: Option<EffortLevel>,
        /// The findings.
        findings: Vec<Finding>,
    }

    /// Response of [`ReportFindings`].
    pub struct ReportFindingsResponse with defaults {
        /// Number of findings.
        count: u64,
        /// Effort level of the review.
        level: Option<EffortLevel>,
        /// The findings.
        findings: Vec<Finding>,
    }

    /// A finding of a review.
    pub struct Finding {
        /// Path of the file.
        file: PathBuf,
        /// Line number, from 1.
        line: Option<u64> as exact,
        /// Description of the problem.
        summary: String,
        /// Description of the problem, in a few words.
        short_summary: Option<String>,
        /// Scenario that shows the problem.
        failure_scenario: String,
        /// Kind of mistake.
        category: Option<String>,
        /// Severity of the finding.
        severity: Option<Severity>,
        /// Certainty of the finding.
        verdict: Option<Verdict>,
        /// Outcome of the finding.
        outcome: Option<FindingOutcome>,
    }

    /// Severity of a finding.
    pub enum Severity {
        /// A problem that should be fixed.
        Important = "important",
        /// A problem that existed before.
        PreExisting = "pre_existing",
        /// A minor detail.
        Nit = "nit",
    }

    /// Certainty of a finding.
    pub enum Verdict {
        /// The problem was demonstrated.
        Confirmed = "CONFIRMED",
        /// The problem is likely.
        Plausible = "PLAUSIBLE",
    }

    /// Outcome of a finding.
    pub enum FindingOutcome {
        /// The problem was fixed.
        Fixed = "fixed",
        /// The problem was not fixed.
        Skipped = "skipped",
        /// There was nothing to fix.
        NoChangeNeeded = "no_change_needed",
    }
}
