//! The tool by which a review tells what it found.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Effort, tool};
use crate::open::open_enum;

tool! { ReportFindings = "ReportFindings" => ReportFindingsResponse }

/// Tells what a review found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReportFindings {
    /// How closely the review looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Effort>,
    /// What it found.
    pub findings: Vec<Finding>,
}

/// What [`ReportFindings`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReportFindingsResponse {
    /// How many findings these are.
    pub count: u64,
    /// How closely the review looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Effort>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// Something that a review found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub summary: String,
    /// The same in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
    /// How it goes wrong.
    pub failure_scenario: String,
    /// What kind of mistake it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How bad it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// How certain it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What became of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<FindingOutcome>,
}

open_enum! {
    /// How bad a finding is.
    pub enum Severity {
        /// It should be mended.
        Important = "important",
        /// It was there before.
        PreExisting = "pre_existing",
        /// A trifle.
        Nit = "nit",
    }
}

open_enum! {
    /// How certain a finding is.
    pub enum Verdict {
        /// It was shown.
        Confirmed = "CONFIRMED",
        /// It is likely.
        Plausible = "PLAUSIBLE",
    }
}

open_enum! {
    /// What became of a finding.
    pub enum FindingOutcome {
        /// It was mended.
        Fixed = "fixed",
        /// It was left.
        Skipped = "skipped",
        /// There was nothing to mend.
        NoChangeNeeded = "no_change_needed",
    }
}
