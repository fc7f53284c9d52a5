//! The tool by which a review tells what it found.

use std::path::PathBuf;

use super::tool;
use crate::EffortLevel;
use crate::wire::wire;

tool! { ReportFindings = "ReportFindings" => ReportFindingsResponse }

wire! {
    /// Tells what a review found.
    pub struct ReportFindings {
        /// How closely the review looked.
        level: Option<EffortLevel>,
        /// What it found.
        findings: Vec<Finding>,
    }

    /// What [`ReportFindings`] gives back.
    pub struct ReportFindingsResponse with defaults {
        /// How many findings these are.
        count: u64,
        /// How closely the review looked.
        level: Option<EffortLevel>,
        /// The findings.
        findings: Vec<Finding>,
    }

    /// Something that a review found.
    pub struct Finding {
        /// The file.
        file: PathBuf,
        /// The line, from 1 on.
        line: Option<u64> as exact,
        /// What is wrong.
        summary: String,
        /// The same in a few words.
        short_summary: Option<String>,
        /// How it goes wrong.
        failure_scenario: String,
        /// What kind of mistake it is.
        category: Option<String>,
        /// How bad it is.
        severity: Option<Severity>,
        /// How certain it is.
        verdict: Option<Verdict>,
        /// What became of it.
        outcome: Option<FindingOutcome>,
    }

    /// How bad a finding is.
    pub enum Severity {
        /// It should be fixed.
        Important = "important",
        /// It was there before.
        PreExisting = "pre_existing",
        /// A trifle.
        Nit = "nit",
    }

    /// How certain a finding is.
    pub enum Verdict {
        /// It was shown.
        Confirmed = "CONFIRMED",
        /// It is likely.
        Plausible = "PLAUSIBLE",
    }

    /// What became of a finding.
    pub enum FindingOutcome {
        /// It was fixed.
        Fixed = "fixed",
        /// It was left.
        Skipped = "skipped",
        /// There was nothing to fix.
        NoChangeNeeded = "no_change_needed",
    }
}
